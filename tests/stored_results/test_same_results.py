"""The same seeds give the same digits as before the package was rearranged.

The stored results name the versions of the numerical libraries that made them. With other versions a generator may draw
other numbers, so the comparison is made with these versions only; `cases.py` says how results are stored anew.
"""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("stored_cases", HERE / "cases.py")
cases = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(cases)
CONTENT = json.loads(cases.STORED.read_text(encoding="utf-8"))
STORED = CONTENT["results"]


def minor(version: str) -> list[str]:
    return version.split(".")[:2]


OTHERS = [
    f"{k} {cases.VERSIONS[k]}, not {v}" for k, v in CONTENT["versions"].items() if minor(cases.VERSIONS[k]) != minor(v)
]


def difference(stored, found, place="result"):
    """Return where two results differ, in words; floats may differ by rounding, by 1e-9 of their size."""
    if isinstance(stored, float) or isinstance(found, float):
        same = (
            isinstance(found, float | int)
            and isinstance(stored, float | int)
            and found == pytest.approx(stored, rel=1e-9, abs=1e-300)
        )
        return "" if same else f"{place}: {stored} before, {found} now"
    if type(stored) is not type(found):
        return f"{place}: {stored!r} before, {found!r} now"
    if isinstance(stored, dict):
        new = set(found) - set(stored)
        found = {key: value for key, value in found.items() if key not in new}  # results may grow
        if set(stored) != set(found):
            return f"{place}: lacks {sorted(set(stored) - set(found))}"
        return next(filter(None, (difference(stored[key], found[key], f"{place}.{key}") for key in stored)), "")
    if isinstance(stored, list) and stored and all(isinstance(row, dict) and "id" in row for row in stored + found):
        return difference(*({row["id"]: row for row in rows} for rows in (stored, found)), place)
    if isinstance(stored, list):
        if len(stored) != len(found):
            return f"{place}: {len(stored)} entries before, {len(found)} now"
        pairs = enumerate(zip(stored, found, strict=True))
        return next(filter(None, (difference(one, two, f"{place}[{i}]") for i, (one, two) in pairs)), "")
    return "" if stored == found else f"{place}: {stored!r} before, {found!r} now"


def test_every_case_is_stored():
    assert list(cases.CASES) == list(STORED)


@pytest.mark.skipif(bool(OTHERS), reason=f"stored with other versions: {'; '.join(OTHERS)}")
@pytest.mark.parametrize("name", STORED)
def test_the_same_seed_gives_the_same_digits(name):
    assert difference(STORED[name], cases.computed(name)) == ""


def test_the_comparison_notices_changes():
    """The broken twin: one digit, one type, one length or one missing field."""
    stored = {"a": [1, 0.5, "x"], "b": None}
    assert difference(stored, {"a": [1, 0.5 + 1e-12, "x"], "b": None, "new": 1}) == ""
    for found in (
        {"a": [1, 0.5 + 1e-8, "x"], "b": None},
        {"a": [2, 0.5, "x"], "b": None},
        {"a": [1, 0.5], "b": None},
        {"a": [1, 0.5, "y"], "b": None},
        {"a": [1, 0.5, "x"], "b": False},
        {"a": [1, 0.5, "x"]},
    ):
        assert difference(stored, found)


def test_a_registry_may_grow_and_nothing_else():
    first, second, new = ({"id": name, "value": 0.5} for name in ("first", "second", "new"))
    assert difference([first, second], [first, new, second]) == ""
    assert difference([first, second], [first, new])
    assert difference([first, second], [first, new, second | {"value": 0.6}])
    assert difference([], [new])
