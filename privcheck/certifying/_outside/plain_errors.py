"""Errors of a contextual `select` as texts: what prints them runs no code of the policy, and sees nothing of it."""

from __future__ import annotations

from typing import Any

from privcheck.certifying._recorded.events import KINDS
from privcheck.certifying._recorded.interrupts import is_from_outside, is_interrupt, mark_own
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.mechanisms import DivergenceError
from privcheck.private_values import Leak, LeakError
from privcheck.targets import describe_exception

APART = "select() is called on a throw-away copy: what it sets does not reach update()"


def plain_error(error: BaseException, round_number: int) -> BaseException:
    """Return an error as one of privcheck's or of Python's, with text in place of objects, and without frames.

    The error of a policy may hold what `select` was shown, and its `__str__` may keep it when the state that `select`
    reaches has been put back: so may the `repr` of what stands in its frames, which some services print.

    A lack of memory, or an exit, is marked as the policy's own unless it came from outside: a guard with a ledger gives
    what came from outside no answer, and whether a round has one must not depend on its context.

    >>> class Failed(ValueError):
    ...     def __str__(self):
    ...         return "no arm"
    >>> found = plain_error(Failed(0.25), 3)
    >>> print(type(found).__name__, found)  # doctest: +ELLIPSIS
    PolicyError round 3: got Failed: no arm, expected a policy that plays every round; ...
    """
    kind = type(error)
    if isinstance(error, LeakError) and kind is LeakError and _is_plain(error.leak):
        return LeakError(error.leak)
    if isinstance(error, PrivcheckError) and kind in KINDS:
        got = error.value if type(error.value) is type(words("")) else repr(error.value)
        return kind(_text(error.parameter), words(_text(got)), _text(error.expected), _text(error.hint))
    if kind is DivergenceError:
        return DivergenceError(str(error))
    if is_interrupt(error):
        known = (KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError, RecursionError)
        other = InterruptedError("the handler of a signal ended select()") if isinstance(error, Exception) else None
        found = next((base() for base in known if isinstance(error, base)), other or BaseException())
        return found if is_from_outside(error) else mark_own(found)
    got = words(describe_exception(error))
    return PolicyError(f"round {round_number}", got, "a policy that plays every round", APART)


def _text(value: Any) -> str:
    """Return the text of an object, which may be of a class of the policy's, as one of Python's."""
    return "".join(("", str(value)))


def _is_plain(value: Any) -> bool:
    """Tell whether no part of a value is an object of the policy's."""
    if type(value) is Leak:
        return all(map(_is_plain, vars(value).values()))
    if type(value) is tuple:
        return all(map(_is_plain, value))
    return type(value) in (str, int, float, bool, type(None))
