"""The reference has every public name, and docstrings become decent reStructuredText; Sphinx is not needed for that."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import pytest

import privcheck
from privcheck import bounds

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PACKAGES = ["privcheck", "privcheck.bounds"] + [
    f"{package.__name__}.{found.name}"
    for package in (privcheck, bounds)
    for found in pkgutil.iter_modules(package.__path__)
    if found.ispkg and hasattr(importlib.import_module(f"{package.__name__}.{found.name}"), "__all__")
]
INTERNAL = {
    "privcheck.reporting",
    "privcheck.auditing._exact",
    "privcheck.bounds.azize_basu_2022",
    "privcheck.feedback",
}
"""Packages whose `__all__` is for their neighbours, not for users."""


def documented() -> list[object]:
    """Return everything that a page of the reference names or takes from a registry."""
    from privcheck.bandits import ALGORITHMS
    from privcheck.environments import ENVIRONMENTS
    from privcheck.mechanisms import MECHANISMS

    found: list[object] = [entries[name] for entries in (ALGORITHMS, ENVIRONMENTS, MECHANISMS) for name in entries]
    for page in REFERENCE.glob("*.md"):
        for names in re.findall(r"<!-- generated: reference (.*?) -->", page.read_text(encoding="utf-8")):
            for name in names.split():
                module, _, last = name.rstrip("?").rpartition(".")
                if last == "*" and not (name.endswith("?") and importlib.util.find_spec(module) is None):
                    home = importlib.import_module(module)
                    found += [getattr(home, member) for member in home.__all__]
                elif last != "*":
                    found.append(getattr(importlib.import_module(module), last))
    return found


DOCUMENTED = documented()


@pytest.mark.parametrize("package", sorted(set(PACKAGES) - INTERNAL))
def test_every_public_name_is_in_the_reference(package):
    home = importlib.import_module(package)
    names = [name for name in home.__all__ if not name.startswith("__")]
    ids = {id(found) for found in DOCUMENTED}
    missing = [name for name in names if id(getattr(home, name)) not in ids]
    assert missing == [], f"name them on a page of docs/reference, or take all with {package}.*"


def test_the_packages_were_found():
    needed = {"privcheck.testing", "privcheck.mechanisms", "privcheck.privacy", "privcheck.bounds.families"}
    assert needed <= set(PACKAGES)


@pytest.mark.parametrize("page", sorted(REFERENCE.glob("*.md")), ids=lambda page: page.stem)
def test_pages_can_be_filled(page, generated_parts):
    text = generated_parts.filled(page.read_text(encoding="utf-8"))
    assert "<!-- generated:" not in text
    assert text.count("```") % 2 == 0


def test_registries_fill_pages_by_themselves(generated_parts):
    from privcheck.bandits import ALGORITHMS
    from privcheck.bounds import THEOREMS

    page = generated_parts.filled("<!-- generated: registry algorithms -->")
    assert re.findall(r"^## `(.*)`$", page, re.MULTILINE) == list(ALGORITHMS)
    page = generated_parts.filled("<!-- generated: theorems -->")
    assert re.findall(r"^### `(.*)`$", page, re.MULTILINE) == list(THEOREMS)
    assert generated_parts.filled("a\n<!-- generated: reference privcheck.nothing.*? -->\nb\nmissing?\n").split() == [
        "a", "```{eval-rst}", "```", "b",
    ]  # fmt: skip


def test_every_command_is_on_the_page_of_the_command_line(generated_parts):
    page = generated_parts.filled("<!-- generated: commands -->")
    assert {"privcheck audit", "privcheck list"} <= set(re.findall(r"^## (.*)$", page, re.MULTILINE))
    assert re.findall(r"^Usage: (.*?) \[OPTIONS\]", page, re.MULTILINE)[:2] == ["privcheck", "privcheck audit"]


def test_examples_of_the_extensions_run(generated_parts, plain_docstrings):
    for module in (generated_parts, plain_docstrings):
        result = doctest.testmod(module)
        assert result.failed == 0
        assert result.attempted > 0


def test_docstrings_are_converted(plain_docstrings):
    def example(first, second=1):
        """Return the |first| * 2 of docs/evidence/betting.md, x_ and `name` and `f(x, y)`.

            first = second_

        - one
          thing

        Parameters
        ----------
        first, second : numbers,
            both of them.
        *others : more.

        Returns
        -------
        What was
        said.

        Raises
        ------
        PrivcheckError : never.

        Guarantee
        ---------
        None.

        Examples
        --------
        >>> 2 * 3
        6
        """

    lines = plain_docstrings.converted(inspect.getdoc(example).splitlines())
    assert lines[0] == r"Return the \|first\| \* 2 of :doc:`/evidence/betting`, x\_ and `name` and ``f(x, y)``."
    assert lines[2:6] == [".. code-block:: text", "", "    first = second_", ""]
    assert lines[6:8] == ["- one", "  thing"]
    for line in (":param first:", ":param second: numbers,", "    both of them.", ":param others: more.",
                 ":returns: What was said.", ":raises PrivcheckError: never.", ".. rubric:: Guarantee"):  # fmt: skip
        assert line in lines
    assert lines[lines.index(">>> 2 * 3") + 1] == "6"
