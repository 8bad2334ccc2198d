"""`privcheck init`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

SKELETON = Path(__file__).with_name("skeleton")

FILES = {
    "pyproject.toml": "pyproject.toml.txt",
    "README.md": "README.md.txt",
    ".gitignore": "gitignore.txt",
    ".github/workflows/privacy.yml": "privacy.yml.txt",
    ".github/workflows/watch.yml": "watch.yml.txt",
    "tests/test_privacy.py": "test_privacy.py.txt",
    "{package}/__init__.py": "__init__.py.txt",
    "{package}/bandit.py": "bandit.py.txt",
}
"""The files of a new project, each with its template."""

WORKFLOW = ".github/workflows/watch.yml"

SERVICE_FILES = {
    "README.md": "service_README.md.txt",
    ".gitignore": "gitignore.txt",
    ".github/workflows/privacy.yml": "service_privacy.yml.txt",
    ".github/workflows/watch.yml": "watch.yml.txt",
    "service.py": "service.py.txt",
}
"""The same for a service."""

WATCHED = "{package}.bandit:Bandit --epsilon 1 --arms 2 --horizon 10 --runs 1000"
WATCHED_SERVICE = (
    '--command "python3 service.py" --name {name} --code-version "$GITHUB_SHA" --epsilon 1 --arms 2 --horizon 4'
)
"""What a night of each plays; the code of a service is known by its commit."""


def init(
    folder: Annotated[
        str, typer.Argument(metavar="DIR", help="The folder of the project; it is made if need be.")
    ] = ".",
    service: Annotated[
        bool, typer.Option("--service", help="Write a bandit behind a command, in any language, and audits of it.")
    ] = False,
    of: Annotated[
        str | None,
        typer.Option("--from", metavar="FILE:CLASS", help="Write nothing but a test of this bandit of your own."),
    ] = None,
    watched: Annotated[
        bool, typer.Option("--watch", help="With --from: also write the workflow that plays a night of it each day.")
    ] = False,
) -> int:
    """Write a small project: a private bandit, tests of its privacy, and GitHub workflows that run them and watch it.

        privcheck init private-news
        privcheck init news-service --service

    The claim, the number of arms, the horizon, the runs, the level of the tests and the folder for the pages of failed
    tests stand in `[tool.privcheck]` in pyproject.toml. The package is named after the folder. Replace the bandit by
    your own, and run pytest. With --service the bandit is a program that answers JSON, which is audited and watched by
    its commands; replace it by calls to your service.

        privcheck init --from my_bandit.py:MyBandit

    This writes one file, a test of the class for the project in the folder. Its claim is that of `[tool.privcheck]`, or
    stands in the test: what the constructor takes by default, or epsilon = 1 and two arms. The class is not imported.
    With --watch it also writes the workflow that watches the class each night, with a page and a badge; run it in the
    folder of the repository.

    No file is overwritten: if any of them exists, nothing is written.

    Exit status: 0, or 2 for bad input.
    """
    from privcheck.errors import PrivcheckError, printable
    from privcheck.files import write_whole

    place = Path(folder)
    if of is not None:
        return _write_test(place, folder, of, service=service, watched=watched)
    if watched:
        hint = "name your bandit: --from my_bandit.py:MyBandit"
        raise PrivcheckError("watch", True, "--from beside it, since a new project has the workflow", hint)
    texts = skeleton(place, service=service)
    check_free(place, list(texts))
    for path, text in texts.items():
        write_whole(place / path, text, "folder")
    sys.stdout.write("".join(f"{printable(str(place / path))}\n" for path in texts))
    enter = "" if place.resolve() == Path.cwd() else f"cd {printable(folder)} && "
    audit = 'privcheck audit --command "python3 service.py" --epsilon 1 --arms 2 --horizon 4 --time-budget 30'
    sys.stdout.write(f"Now run: {enter}{audit if service else 'pytest'}\n")
    return 0


def _write_test(place: Path, folder: str, of: str, *, service: bool, watched: bool) -> int:
    """Write the test of a class, and the workflow that watches it, and say what was written and how it is run."""
    from privcheck.cli._described.privacy_test_of import privacy_test_of, watched_as
    from privcheck.errors import PrivcheckError, printable
    from privcheck.files import write_whole

    if service:
        raise PrivcheckError("from", of, "no service beside it", "leave out --service: a service has no class")
    path, text = privacy_test_of(place, of)
    texts = {path: text}
    if watched:
        project = " ." if (place / "pyproject.toml").is_file() else ""
        texts[WORKFLOW] = _filled("watch.yml.txt", {"watched": watched_as(place, of), "project": project})
    check_free(place, list(texts))
    for each, content in texts.items():
        write_whole(place / each, content, "folder")
    enter = "" if place.resolve() == Path.cwd() else f"cd {printable(folder)} && "
    sys.stdout.write("".join(f"{printable(str(place / each))}\n" for each in texts))
    if watched:
        sys.stdout.write(f"Put the owner of privcheck's repository into {WORKFLOW}, and read the claim in it, too.\n")
    sys.stdout.write(f"Now read the claim in it, and run: {enter}pytest {path}\n")
    return 0


def skeleton(place: Path, *, service: bool = False) -> dict[str, str]:
    """Return the text of each file of a project in a folder, by its path there; `service` for that of a service.

    >>> "private_news/bandit.py" in skeleton(Path("private-news"))
    True
    """
    package = package_name(place.resolve().name)
    names = {"package": package, "name": package.replace("_", "-")}
    watched = (WATCHED_SERVICE if service else WATCHED).format(**names)
    names |= {"watched": watched, "project": "" if service else " ."}
    texts = {}
    for path, template in (SERVICE_FILES if service else FILES).items():
        texts[path.format(**names)] = _filled(template, names)
    return texts


def _filled(template: str, names: dict[str, str]) -> str:
    """Return the text of a template with its names replaced."""
    text = (SKELETON / template).read_text(encoding="utf-8")
    for name, value in names.items():
        text = text.replace(f"${{{name}}}", value)
    return text


def package_name(folder: str) -> str:
    """Return a name for a package that nothing else has, from that of a folder.

    >>> package_name("Private News 2"), package_name("2"), package_name("tests"), package_name("class")
    ('private_news_2', 'private_bandit', 'private_bandit', 'private_bandit')
    """
    import keyword

    name = re.sub(r"[^a-z0-9]+", "_", folder.lower()).strip("_")
    taken = {"tests", "test", "privcheck", "bandit", "pytest", "hypothesis", "numpy", "scipy"} | sys.stdlib_module_names
    return name if name.isidentifier() and not keyword.iskeyword(name) and name not in taken else "private_bandit"


def check_free(place: Path, paths: list[str]) -> None:
    """Refuse a folder in which one of the files exists, or that is none."""
    from privcheck.errors import PrivcheckError, words

    if place.exists() and not place.is_dir():
        raise PrivcheckError("folder", str(place), "a folder, or a name that is free", "choose another name")
    there = [path for path in paths if (place / path).exists() or (place / path).is_symlink()]
    if there:
        got = words(f"{place} with {', '.join(there)}")
        hint = "nothing was written: choose another folder, or write one with another name and copy what you need"
        raise PrivcheckError("folder", got, "a folder without these files", hint)
