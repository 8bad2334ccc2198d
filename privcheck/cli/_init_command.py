"""`privcheck init`."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from privcheck.privacy import Contexts

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

WATCH, TESTS = ".github/workflows/watch.yml", ".github/workflows/privacy.yml"
"""The workflow that plays a night, and the one that runs the tests."""

OF_CLASSES = "tests/test_privacy_of_*.py"
"""The tests that `init --from` has written, in a shell."""

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

KEPT = "--annotate github --store watch/watch.sqlite --html watch/index.html --badge watch/badge.svg || status=$?"
"""The end of each line that plays a night, in the workflow; with several, the last status other than 0 counts."""


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
    workflow: Annotated[
        bool, typer.Option("--workflow", help="With --from: also write the workflow that runs the test on every push.")
    ] = False,
    contexts: Annotated[
        str | None,
        typer.Option(
            metavar="SHAPE", help="With --from: d, or K,d for one row of features per arm, if it has contexts."
        ),
    ] = None,
    context_norm: Annotated[
        float | None, typer.Option(metavar="NUMBER", help="Largest L2 norm of a context vector.")
    ] = None,
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
    stands in the test: what the constructor takes by default, or epsilon = 1 and two arms. The class is not imported,
    so for a contextual one say what contexts look like: --contexts 2,3 --context-norm 1. With --workflow it also writes
    the GitHub workflow that runs these tests on every push, and with --watch the one that watches the class each night,
    with a page and a badge; run it in the folder of the repository. Another class gets a test of its own, which the
    first workflow runs too, and a line in the second.

    No file is overwritten: if any of them exists, nothing is written. To the workflow of --watch lines are added.

    Exit status: 0, or 2 for bad input.
    """
    from privcheck.cli._options import context_space
    from privcheck.errors import PrivcheckError, printable, words
    from privcheck.files import write_together

    place = Path(folder)
    if context_norm is not None and contexts is None:
        raise PrivcheckError("context_norm", context_norm, "--contexts beside it", "as in --contexts 2,3")
    if of is not None:
        shown = context_space(contexts, context_norm)
        return _write_test(place, folder, of, shown, service=service, watched=watched, workflow=workflow)
    for option, given in (("watch", watched), ("workflow", workflow), ("contexts", contexts is not None)):
        if given:
            got, hint = words(f"--{option} without --from"), "name your bandit: --from my_bandit.py:MyBandit"
            raise PrivcheckError(option, got, "--from beside it, since a new project has the workflow", hint)
    texts = skeleton(place, service=service)
    check_free(place, list(texts))
    write_together({place / path: text for path, text in texts.items()})
    sys.stdout.write("".join(f"{printable(str(place / path))}\n" for path in texts))
    enter = "" if place.resolve() == Path.cwd() else f"cd {shlex.quote(printable(folder))} && "
    audit = 'privcheck audit --command "python3 service.py" --epsilon 1 --arms 2 --horizon 4 --time-budget 30'
    sys.stdout.write(f"Now run: {enter}{audit if service else 'pytest'}\n")
    return 0


def _write_test(
    place: Path, folder: str, of: str, contexts: Contexts | None, *, service: bool, watched: bool, workflow: bool
) -> int:
    """Write the test of a class, and its workflows, and say what was written and how it is run."""
    from privcheck.cli._described.privacy_test_of import privacy_test_of, watched_as
    from privcheck.errors import PrivcheckError, printable
    from privcheck.files import write_together

    if service:
        raise PrivcheckError("from", of, "no service beside it", "leave out --service: a service has no class")
    path, text = privacy_test_of(place, of, contexts)
    check_free(place, [path])
    texts, told = {path: text}, list[str]()
    if workflow:
        _add(texts, told, TESTS, *_tested(place, path))
    if watched:
        _add(texts, told, WATCH, *_watching(place, watched_as(place, of, contexts)))
    write_together({place / each: content for each, content in texts.items()})
    sys.stdout.write("".join(f"{printable(str(place / each))}\n" for each in texts))
    sys.stdout.write("".join(f"{printable(each)}\n" for each in told))
    enter = "" if place.resolve() == Path.cwd() else f"cd {shlex.quote(printable(folder))} && "
    sys.stdout.write(f"Now read the claim in {printable(path)}, and run: {enter}pytest {path}\n")
    return 0


def _add(texts: dict[str, str], told: list[str], path: str, text: str, said: str) -> None:
    """Take note of a workflow, if there is something to write, and of what is said about it."""
    if text:
        texts[path] = text
    told.append(said)


def _tested(place: Path, path: str) -> tuple[str, str]:
    """Return the workflow that runs the tests of classes, "" if it stays as it is, and what is said about it."""
    there = place / TESTS
    if there.exists():
        if OF_CLASSES in there.read_text(encoding="utf-8", errors="replace"):
            return "", f"{TESTS} is there, and runs this test, too."
        return "", f"{TESTS} is there, and stays as it is: let it run pytest {path}."
    text = _filled(
        "privacy.yml.txt", {"project": _project(place), "tests": f" {OF_CLASSES} --privcheck-output=privacy-reports"}
    )
    return text, f"Put the owner of privcheck's repository into {TESTS}, and what your tests need besides."


def _watching(place: Path, watched: str) -> tuple[str, str]:
    """Return the workflow that watches a class, too, "" if it stays as it is, and what is said about it."""
    there, line = place / WATCH, f"privcheck watch {watched} {KEPT}"
    if not there.exists():
        text = _filled("watch.yml.txt", {"night": line, "project": _project(place)})
        return text, f"Put the owner of privcheck's repository into {WATCH}, and read the claim in it, too."
    text = there.read_text(encoding="utf-8", errors="replace")
    own = [*re.finditer(rf"^( +)privcheck watch .*{re.escape(KEPT)}\n", text, re.M)]
    if line in text:
        return "", f"{WATCH} is there, and watches this class."
    if not own:
        return "", f"{WATCH} is there, and stays as it is: it is not as it was written. Add this line to it: {line}"
    end = own[-1].end()
    return f"{text[:end]}{own[-1][1]}{line}\n{text[end:]}", f"A line was added to {WATCH}: read the claim in it, too."


def _project(place: Path) -> str:
    """Return what installs the project in the folder beside privcheck, an argument of pip; "" if there is none."""
    return " ." if any((place / name).is_file() for name in ("pyproject.toml", "setup.py")) else ""


def skeleton(place: Path, *, service: bool = False) -> dict[str, str]:
    """Return the text of each file of a project in a folder, by its path there; `service` for that of a service.

    >>> "private_news/bandit.py" in skeleton(Path("private-news"))
    True
    """
    package = package_name(place.resolve().name)
    names = {"package": package, "name": package.replace("_", "-")}
    watched = (WATCHED_SERVICE if service else WATCHED).format(**names)
    names |= {"night": f"privcheck watch {watched} {KEPT}", "tests": ""}
    texts = {}
    for path, template in (SERVICE_FILES if service else FILES).items():
        project = "" if service else " ." if path == WATCH else " '.[test]'"
        texts[path.format(**names)] = _filled(template, names | {"project": project})
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
