"""Parts of pages that come from the code: a comment `<!-- generated: ... -->` in Markdown is replaced by them.

    reference NAME ...     documentation of names; `package.*` is all of its `__all__` that has no place of its own,
                           and with a question mark behind it, nothing where there is no such package
    registry KIND          everything of one registry: algorithms, mechanisms, environments
    theorems               every theorem, by paper
    commands               what every command prints with `--help`
    file PATH ...          the page is a file outside of docs/, with others as sections below it, and nothing else

A line `NAME?` names a page of a table of contents that may not be there yet. Links that leave docs/ for a file that
has a page here are led to that page.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import itertools
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).parents[2]
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "MIGRATING.md": "changelog.md",
    "examples/private_recommender/README.md": "reference/example-repository.md",
}
"""Where the files outside of docs/ have their pages."""
MARK = re.compile(r"^<!-- generated: (\w+) ?(.*?) -->$", re.MULTILINE)

HEADING = re.compile(r"^(?=#+ )", re.MULTILINE)
"""Where a heading begins: another mark puts it one level lower."""

MAYBE = re.compile(r"^([\w-]+)\?\n", re.MULTILINE)


def filled(text: str) -> str:
    """Return a page with its generated parts."""
    whole = re.search(r"^<!-- generated: file (.*) -->$", text, re.MULTILINE)
    if whole:
        first, *others = (linked((REPOSITORY / path).read_text(encoding="utf-8")) for path in whole[1].split())
        return "\n".join([first, *(HEADING.sub("#", other) for other in others)])
    for path, page in PAGES.items():
        text = text.replace(f"](../{path})", f"]({page})")
    text = MAYBE.sub(lambda line: f"{line[1]}\n" if (REPOSITORY / "docs" / f"{line[1]}.md").exists() else "", text)
    return MARK.sub(lambda mark: PARTS[mark[1]](mark[2].split()), text)


def linked(text: str) -> str:
    """Return the text of a file at the top of the repository with links as they are seen from docs/.

    A link to a Markdown file that has no page on the site keeps its text alone.

    >>> linked("[a](docs/method.md#many-audits), [b](examples/x.py), [c](CHANGELOG.md), [d](#there)")
    '[a](method.md#many-audits), [b](../examples/x.py), [c](changelog.md), [d](#there)'
    >>> linked("[reported in private](.github/SECURITY.md)")
    'reported in private'
    """

    def seen_from_docs(link: re.Match[str]) -> str:
        text, file, anchor = link.groups()
        inside = file.startswith("docs/")
        if file.endswith(".md") and not inside and file not in PAGES:
            return text
        page = PAGES.get(file) or (file.removeprefix("docs/") if inside else f"../{file}")
        return f"[{text}]({page}{anchor})"

    return re.sub(r"\[([^\[\]]*)\]\(([^#:)]+)(#[^)]*|)\)", seen_from_docs, text)


def reference(names: list[str]) -> str:
    """Return the documentation of names, in the order given."""
    documented: list[str] = []
    for name in names:
        package, star, _ = name.partition(".*")
        if not star:
            documented.append(name)
        elif not name.endswith("?") or importlib.util.find_spec(package):
            everything = [f"{package}.{member}" for member in importlib.import_module(package).__all__]
            documented += [member for member in everything if member not in names]
    return _directives([_documented(name) for name in documented])


def registry(kinds: list[str]) -> str:
    """Return every class of a registry, each under its id."""
    from privcheck.bandits import ALGORITHMS
    from privcheck.environments import ENVIRONMENTS
    from privcheck.mechanisms import MECHANISMS

    classes = {"algorithms": ALGORITHMS, "mechanisms": MECHANISMS, "environments": ENVIRONMENTS}[kinds[0]]
    package = importlib.import_module(f"privcheck.{'bandits' if kinds == ['algorithms'] else kinds[0]}")
    parts = []
    for name in classes:
        cls = classes[name]
        home = package.__name__ if cls.__name__ in package.__all__ else cls.__module__
        documented = _autodoc(cls, f"{home}.{cls.__name__}", members=kinds != ["algorithms"])
        parts.append(f"## `{name}`\n\n{_directives([documented])}")
    return "\n".join(parts)


def theorems(_: list[str]) -> str:
    """Return every theorem under its id, the papers in the order of their registration."""
    from privcheck.bounds import THEOREMS

    result, paper = [], ""
    for name, theorem in THEOREMS.items():
        if name.partition("/")[0] != paper:
            paper = name.partition("/")[0]
            about = inspect.getdoc(importlib.import_module(f"privcheck.bounds.{paper.replace('-', '_')}")) or ""
            result.append(f"## {paper}\n\n{_as_markdown(about.partition('>>>')[0].strip())}\n")
        function: Any = theorem.evaluation
        kind = f"{'asymptotic ' if theorem.asymptotic else ''}{theorem.kind} bound of the {theorem.quantity}"
        facts = [f"{kind}; provenance: {theorem.provenance}.", f"Source: {theorem.source}."]
        facts.append("Conditions: " + ("; ".join(condition.text for condition in theorem.conditions) or "none") + ".")
        listed = "\n".join(f"- {_as_markdown(fact[0].upper() + fact[1:])}" for fact in facts)
        documented = _directives([f".. autofunction:: {function.__module__}.{function.__qualname__}"])
        result.append(f"### `{name}`\n\n{listed}\n\n{documented}")
    return "\n".join(result)


def commands(_: list[str]) -> str:
    """Return what the command line and each of its commands print with `--help`, 80 columns wide."""
    from privcheck.cli._application import app

    names = [str(found.name or getattr(found.callback, "__name__", "")) for found in app.registered_commands]
    sections = [f"## privcheck {name}\n\n{_help([name])}" for name in names]
    return "\n\n".join([_help([]), *sections])


PARTS: dict[str, Callable[[list[str]], str]] = {
    "reference": reference,
    "registry": registry,
    "theorems": theorems,
    "commands": commands,
}


def _help(command: list[str]) -> str:
    import contextlib
    import io

    from privcheck.cli import run

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        run([*command, "--help"])
    text = re.sub(r"^Usage: .*? \[OPTIONS\]", " ".join(["Usage: privcheck", *command, "[OPTIONS]"]), printed.getvalue())
    return f"```text\n{text.rstrip()}\n```"


def _directives(parts: list[str]) -> str:
    return "```{eval-rst}\n" + "\n\n".join(parts) + "\n```\n"


def _documented(name: str) -> str:
    module, _, last = name.rpartition(".")
    found = getattr(importlib.import_module(module), last)
    if inspect.isclass(found) or inspect.isroutine(found):
        return _autodoc(found, name)
    return f".. py:data:: {name}\n\n   {_documentation_of_data(module, last)}"


def _autodoc(found: Any, name: str, *, members: bool = True) -> str:
    if not inspect.isclass(found):
        return f".. autofunction:: {name}"
    if issubclass(found, BaseException):
        return f".. autoexception:: {name}"
    return f".. autoclass:: {name}" + ("\n   :members:" if members else "")


def _documentation_of_data(module: str, name: str) -> str:
    """Return the string below the assignment of a name, in the module that a package imports it from."""
    file = Path(inspect.getfile(importlib.import_module(module)))
    face = file.with_suffix(".pyi")  # names that are loaded when they are first used
    if face.exists():
        lines = [node for node in ast.parse(face.read_text(encoding="utf-8")).body if isinstance(node, ast.ImportFrom)]
        homes = {alias.name: f"{module}.{node.module}" for node in lines for alias in node.names}
        module = homes.get(name, module)
        file = Path(inspect.getfile(importlib.import_module(module)))
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node, below in itertools.pairwise(tree.body):
        if isinstance(node, ast.ImportFrom) and name in {alias.name for alias in node.names}:
            return _documentation_of_data(str(node.module), name)
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if name in {getattr(target, "id", "") for target in targets} and isinstance(below, ast.Expr):
            return " ".join(str(ast.literal_eval(below.value)).split())
    raise LookupError(f"no documentation below the assignment of {name} in {module}")


def _as_markdown(text: str) -> str:
    return re.sub(r"([\\*|_<>#\[\]])", r"\\\1", text)


def _fill(_app: Any, _page: str, source: list[str]) -> None:
    source[0] = filled(source[0])


def _drop_dead_links(app: Any, _page: str, _template: str, context: dict[str, Any], _doctree: Any) -> None:
    """Drop links from sources to names that the reference has under another package (viewcode knows one a module)."""
    known = app.env.domaindata["py"]["objects"]
    back = re.compile(r'<a class="viewcode-back" href="[^"]*#([^"]+)">.*?</a>')
    if "body" in context:
        context["body"] = back.sub(lambda link: link[0] if link[1] in known else "", context["body"])


def setup(app: Any) -> dict[str, bool]:
    """Connect to Sphinx."""
    app.connect("source-read", _fill)
    app.connect("html-page-context", _drop_dead_links)
    return {"parallel_read_safe": True}
