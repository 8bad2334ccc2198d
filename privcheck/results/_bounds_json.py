"""Bounds from laws, from samples and from one run, read back from JSON."""

from __future__ import annotations

from typing import Any, TypeVar

from privcheck.errors import PrivcheckError, words
from privcheck.results._audit_json import read_estimate, read_region
from privcheck.results._law_bound import LawBound
from privcheck.results._one_run_bound import OneRunBound
from privcheck.results._sample_bound import SampleBound
from privcheck.serialise import ILL_TYPED, from_json, number, well_typed

B = TypeVar("B", LawBound, OneRunBound, SampleBound)
TEXTS = {"verdict", "method", "event", "likelier", "coins"}


def read_one_run(text: str) -> OneRunBound:
    """Return the bound whose `to_json` gave this text.

    Raises
    ------
    PrivcheckError : text that is not JSON, or not such a bound.
    """
    return _read(text, OneRunBound)


def read_samples(text: str) -> SampleBound:
    """Return the bound whose `to_json` gave this text.

    Raises
    ------
    PrivcheckError : text that is not JSON, or not such a bound.
    """
    return _read(text, SampleBound)


def read_laws(text: str) -> LawBound:
    """Return the bound whose `to_json` gave this text.

    Raises
    ------
    PrivcheckError : text that is not JSON, or not such a bound.
    """
    return _read(text, LawBound)


def law_bound(content: dict[str, Any]) -> LawBound:
    """Return a bound from its plain fields."""
    return _of_fields(content, LawBound)


def _read(text: str, kind: type[B]) -> B:
    expected = f"what {kind.__name__}.to_json wrote"
    content = from_json(text, kind, expected)
    try:
        return well_typed(_of_fields(content, kind))
    except ILL_TYPED as error:
        raise PrivcheckError("text", words(f"fields of the wrong type: {error}"), expected) from None


def _of_fields(content: dict[str, Any], kind: type[B]) -> B:
    fields = {name: value if name in TEXTS else number(value) for name, value in content.items()}
    return kind(**fields | _parts(content))


def _parts(content: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that are not plain values."""
    found: dict[str, Any] = {}
    for name in ("probability_first", "probability_second"):
        if name in content:
            found[name] = read_estimate(content[name])
    if "tradeoff" in content:
        found["tradeoff"] = read_region(**content["tradeoff"])
    if "at" in content:
        found["at"] = tuple(number(one) for one in content["at"])
    if "tried" in content:
        found["tried"] = tuple((included, others) for included, others in content["tried"])
    return found
