"""What every statistical test says of its false failures, the page that lists it, and which tests look statistical.

    python -m pytest --collect-only -q --false-failures=docs/evidence/false-failures.md

writes the table of the page again, and

    python -m pytest -m chance --reseed 7

runs these tests with other seeds than those that are written in them: none should fail.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "evidence" / "false-failures.md"
HEAD = "| test | cases | each | together | randomness | why |\n|---|---:|---:|---:|---|---|\n"
ROW = re.compile(r"^\| `(\S+)` \| (\d+) \| (\S+) \| (\S+) \| (fresh|fixed seed) \| (.*) \|$", re.MULTILINE)

TESTED = re.compile(
    r"\b(kstest|ks_2samp|chisquare|chi2_contingency|mannwhitneyu|binomtest|law_test|binom\.isf|binom\.sf)\b|p_value\("
)
AUDITED = re.compile(r"\baudit(ed)?\(|\bbound_from_samples\(|\bone_run\(")
ACCEPTED = re.compile(r"\"(consistent|not refuted)\"|!= \"violation\"|_lower(\(.*?\))? <=? |<=? \w*\.?epsilon_upper")
SAID = re.compile(
    r"standard (errors?|deviations?)\b|false[ -](failure|alarm)"
    r"|\b(fails?|wrong(ly)?|refuted) (by chance|with probability)",
    re.IGNORECASE,
)


class Chance(NamedTuple):
    """The declaration of one case, `@pytest.mark.chance(probability, why, fresh=False)`.

    Parameters
    ----------
    probability : an upper bound, in [0, 1), of the probability with which correct code fails: over the choice of the
        seed that is written there, or in every run if its randomness is fresh. 0: the test only looks statistical.
    why : the bounds that add up to it.
    fresh : whether the random numbers differ from run to run, as those of OpenDP do.
    """

    probability: float
    why: str
    fresh: bool = False


class Row(NamedTuple):
    """All cases of one test."""

    test: str
    cases: int
    each: float
    together: float
    fresh: bool
    why: str

    def __str__(self) -> str:
        seeds = "fresh" if self.fresh else "fixed seed"
        return f"| `{self.test}` | {self.cases} | {self.each:.1e} | {self.together:.1e} | {seeds} | {self.why} |"


def rows(items: Iterable[pytest.Item]) -> list[Row]:
    """Return a row for every test that declares a probability above 0, in the order of their names."""
    found: dict[str, list[Chance]] = {}
    for item in items:
        mark = item.get_closest_marker("chance")
        if mark is not None and item.path.is_relative_to(TESTS):
            chance = Chance(*mark.args, **mark.kwargs)
            assert 0.0 <= chance.probability < 1.0, item.nodeid
            if chance.probability > 0.0:
                name = f"{item.path.relative_to(TESTS).as_posix()}::{getattr(item, 'originalname', None) or item.name}"
                found.setdefault(name, []).append(chance)
    return [
        Row(name, len(cases), max(c.probability for c in cases), sum(c.probability for c in cases), *cases[0][:0:-1])
        for name, cases in sorted(found.items())
    ]


def write(page: Path, items: Iterable[pytest.Item]) -> None:
    """Put the table of these tests, and the sum, in place of what follows the first table of a page."""
    table = "".join(f"{row}\n" for row in rows(items))
    before = page.read_text(encoding="utf-8").partition(HEAD)[0]
    page.write_text(before + HEAD + table, encoding="utf-8")


def read(page: Path = PAGE) -> dict[str, Row]:
    """Return the rows of the page by test."""
    found = ROW.findall(page.read_text(encoding="utf-8"))
    return {
        test: Row(test, int(cases), float(each), float(together), fresh == "fresh", why)
        for test, cases, each, together, fresh, why in found
    }


def stale(items: Iterable[pytest.Item], page: Path = PAGE) -> list[str]:
    """Return the tests that declare something else, or more, than the page says: not all cases need be collected."""
    listed = read(page)
    return [
        row.test
        for row in rows(items)
        if row.test not in listed
        or row.cases > listed[row.test].cases
        or float(f"{row.each:.1e}") > listed[row.test].each
        or (row.fresh, row.why) != listed[row.test][4:]
    ]


def statistical(file: Path) -> Iterator[tuple[str, bool]]:
    """Yield the tests of a file that look statistical, and whether they declare a probability.

    A test looks statistical if it, or a function or class of its file that it names, computes a p-value, accepts the
    result of an audit, or speaks of standard errors and false failures.
    """
    text = file.read_text(encoding="utf-8")
    lines, body = text.splitlines(), ast.parse(text).body
    defined = [part for part in body if isinstance(part, ast.FunctionDef | ast.ClassDef)]
    parts = {part.name: "\n".join(lines[part.lineno - 1 : part.end_lineno]) for part in defined}
    names = {name: set(re.findall(r"\w+", part)) & parts.keys() - {name} for name, part in parts.items()}
    for part in defined:
        if isinstance(part, ast.FunctionDef) and part.name.startswith("test_"):
            used, new = {part.name}, {part.name}
            while new:
                new = {name for one in new for name in names[one] if not name.startswith("test_")} - used
                used |= new
            whole = "\n".join(parts[name] for name in sorted(used))
            own = parts[part.name]
            if TESTED.search(whole) or (AUDITED.search(whole) and ACCEPTED.search(own)) or SAID.search(own):
                yield part.name, any("mark.chance" in ast.unparse(mark) for mark in part.decorator_list)


def reseed(number: int) -> None:
    """Let numpy take every integer seed of this process for another one, which depends on the number."""
    sequence, generator = np.random.SeedSequence, np.random.default_rng

    class Reseeded(sequence):  # type: ignore[misc, valid-type]
        def __init__(self, entropy=None, **more):
            super().__init__(None if entropy is None else [number, *np.ravel(entropy).tolist()], **more)

    def reseeded(seed=None):
        return generator(Reseeded(seed) if isinstance(seed, int | np.integer | list | tuple) else seed)

    np.random.SeedSequence, np.random.default_rng = Reseeded, reseeded
