"""How an option is declared, and the domains that check their values themselves."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from privcheck.declared import OrNone, Real, parameter

CLAIM, PLAYED, EFFORT = "The claim", "What is played", "Effort and certainty"
"""Headings of the help."""


def option(
    domain: Any,
    *,
    doc: str,
    heading: str,
    default: Any = None,
    hint: str = "",
    value: str = "",
    field: str | None = None,
    flag: str = "",
    read_as: str = "",
) -> Any:
    """Declare an option of `privcheck.audit` or of another function: one field of a part of its settings.

    Parameters
    ----------
    domain : the legal values; None is one of them if it is the default.
    doc : the help text.
    heading : the heading under which help shows it.
    default : the default.
    hint : what to do if a value is refused.
    value : placeholder for the value in help, if its type says too little.
    field : the field of `AuditReport` from which a call repeats the option, if it has another name; "" if it does not
        repeat it, or not from a field alone.
    flag : its name on the command line, if it has another one there.
    read_as : "number", "whole", "text" or "texts" (given any number of times), if the domain does not say how the
        command line reads it.
    """
    legal = OrNone(domain) if default is None else domain
    own = {"heading": heading, "value": value, "field": field, "flag": flag, "read_as": read_as}
    return parameter(legal, typical=(), doc=doc, default=default, hint=hint, **own)


def like(part: type, name: str, **changes: Any) -> Any:
    """Declare an option as a part of the settings does, but for its default or some of what is said of it.

    Parameters
    ----------
    part : the class that declares it.
    name : the option.
    changes : `default`, `doc`, or any other of `option`'s.
    """
    declared = next(each for each in fields(part) if each.name == name)
    default = changes.pop("default", declared.default)
    return parameter(**{"typical": (), **declared.metadata, **changes, "default": default})


@dataclass(frozen=True)
class Checked:
    """A domain whose check raises its own error."""

    text: str
    normalise: Callable[[Any], Any]


@dataclass(frozen=True)
class Unlimited:
    """Real numbers of a domain, or infinity.

    >>> Unlimited(Real(0.0)).normalise(float("inf"))
    inf
    """

    inner: Real

    @property
    def text(self) -> str:
        """What the domain contains, in words: that of finite numbers, which are what is usually wrong."""
        return self.inner.text

    def normalise(self, value: Any) -> float:
        """Return infinity as it is, and anything else as the inner domain does."""
        return math.inf if value == math.inf else self.inner.normalise(value)


class Kinds(Collection[str]):
    """The ids of the kinds of feedback."""

    def __iter__(self) -> Iterator[str]:
        return iter(self._registry())

    def __contains__(self, name: object) -> bool:
        return name in self._registry()

    def __len__(self) -> int:
        return len(self._registry())

    @staticmethod
    def _registry() -> Collection[str]:
        from privcheck.feedback import FEEDBACKS

        return FEEDBACKS


# Other packages are imported when a value is checked: `privcheck --help` reads the declarations without numpy.


def scheduler(value: Any) -> str:
    """Return where a Dask scheduler is."""
    from privcheck.scheduling import scheduler_form

    return scheduler_form(value)


def reward_range(value: Any) -> tuple[float, float]:
    """Return the range of one reward as two numbers."""
    from privcheck.privacy import check_rewards

    return check_rewards(value)


def relation_name(value: Any) -> str:
    """Return the full name of a neighbour relation."""
    from privcheck.privacy import relation

    return relation(value).name


def tradeoff_corners(value: Any) -> Any:
    """Return the corners of a trade-off curve."""
    from privcheck.accounting import corners_of

    return corners_of(value)


def shares_of_delta(value: Any) -> dict[str, float]:
    """Return shares of delta by accountant."""
    if not isinstance(value, Mapping) or not value:
        raise TypeError
    return {str(name): Real(0.0, 1.0).normalise(share) for name, share in value.items()}


def function_or_place(value: Any) -> Any:
    """Return a function, or the place of one, as it was given."""
    if not callable(value) and not (isinstance(value, str) and ":" in value):
        raise TypeError
    return value


def as_given(value: Any) -> Any:
    """Return a value that is checked where it is used."""
    return value


def not_empty(value: Any) -> Any:
    """Return a path that is checked where it is used; an empty one would be the current folder."""
    if value == "":
        raise ValueError
    return value


def listed(value: Any) -> tuple[Any, ...]:
    """Return a name, an object or a sequence of them as a tuple that is not empty."""
    given = (value,) if isinstance(value, str) or not isinstance(value, Iterable) else tuple(value)
    if not given:
        raise TypeError
    return given
