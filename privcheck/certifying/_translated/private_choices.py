"""Choices by one datum, computed without a branch: both values are computed, and merged by numpy's `where`.

Guarantee
---------
What runs does not depend on the datum: both sides do, always. A side that raises, calls the target's own code or
anything else that may write or draw, is a leak of the condition: the code as it is would do that for some data only.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import BuiltinFunctionType, CodeType, FrameType
from typing import Any

import numpy as np

from privcheck.certifying._reached_code import with_inner
from privcheck.certifying._translated.known_functions import PURE
from privcheck.private_values import LeakError, Private, refuse, selected

BRANCH = (
    "compute both values without effects, as in a if condition else b, or release what the condition depends on first"
)
"""What to do about a branch that does more than compute numbers."""


COMPUTE = ("privcheck", "numpy")
"""Packages whose functions, in Python, a branch may call."""


def is_hidden(value: Any) -> bool:
    """Return whether a condition is an indicator of one datum, so that both sides of a choice are to be computed."""
    return isinstance_private(value) and value.is_indicator and not value.is_public and not value.holds_draws


def isinstance_private(value: Any) -> bool:
    """Return whether a value is one private number."""
    return issubclass(type(value), Private) and value.ndim == 0


def truth(value: Any) -> Any:
    """Return the indicator of what is not 0, of one private number of one datum; anything else as it is."""
    if not isinstance_private(value) or value.is_indicator or value.is_public or value.holds_draws:
        return value
    found = value.compared_with(np.not_equal, 0.0)
    return value if found is None else found


def chosen(condition: Private, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """Return `yes() if condition else no()`, with both computed."""
    with _without_effects(condition, yes, no):
        first, second = yes(), no()
    if first is second:
        return first
    one, two = Private.of(first), Private.of(second)
    if one is None or two is None:
        refuse("branch", "truth value", condition, hint=BRANCH)
    if one.ndim == two.ndim == 0 and {*one.data_ids, *two.data_ids} <= {*condition.data_ids}:
        return selected(condition, one, two)
    return two + condition * (one - two)  # as in `if reward > limit: total += 1`, where other data cancel


def both(condition: Private, other: Callable[[], Any]) -> Any:
    """Return `condition and other()`."""
    second = _indicator(condition, other)
    return condition if second is True else _merged(condition, selected(condition, second, 0.0))


def either(condition: Private, other: Callable[[], Any]) -> Any:
    """Return `condition or other()`."""
    second = _indicator(condition, other)
    return condition if second is False else _merged(condition, selected(condition, 1.0, second))


def negated(value: Any) -> Any:
    """Return `not value`."""
    found = truth(value)
    return _merged(found, 1.0 - found) if is_hidden(found) else not value


def _indicator(condition: Private, other: Callable[[], Any]) -> Any:
    with _without_effects(condition, other):
        found = truth(other())
    if isinstance_private(found) and not found.is_public:
        if not is_hidden(found) or found.data_ids != condition.data_ids:
            refuse("branch", "truth value", condition, found, hint=BRANCH)
        return found
    return bool(found)


def _merged(condition: Private, value: Any) -> Any:
    return value.as_indicator(condition.compared) if issubclass(type(value), Private) else value


@contextmanager
def _without_effects(condition: Private, *sides: Callable[[], Any]) -> Iterator[None]:
    """Refuse the condition if a side raises, or does anything but compute numbers."""
    own = {code for side in sides for code in with_inner(side.__code__)}  # type: ignore[attr-defined]
    others: list[str] = []
    before = sys.getprofile()
    sys.setprofile(_watching(own, others))
    try:
        with np.errstate(all="ignore"):
            yield
    except LeakError:
        raise
    except Exception:
        others.append("an error")
    finally:
        sys.setprofile(before)
    if others:
        refuse("branch", "truth value", condition, hint=BRANCH)


def _watching(own: set[CodeType], others: list[str]) -> Callable[[FrameType, str, Any], None]:
    def called(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            package = str(frame.f_globals.get("__name__")).partition(".")[0]
            by_own = frame.f_back is not None and frame.f_back.f_code in own
            known = package in COMPUTE or (package in sys.stdlib_module_names and not by_own)
            if frame.f_code not in own and not known:
                others.append(frame.f_code.co_qualname)
        elif event == "c_call" and frame.f_code in own and not _is_pure(argument):
            others.append(getattr(argument, "__qualname__", ""))

    return called


def _is_pure(function: Any) -> bool:
    if id(function) in PURE:
        return True
    receiver = getattr(function, "__self__", None)
    return isinstance(function, BuiltinFunctionType) and type(receiver) in (int, float, bool)
