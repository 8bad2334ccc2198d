"""Choices by one datum, computed without a branch: both values are computed, and one of them is selected.

Guarantee
---------
What runs does not depend on the datum: both sides do, always. A side that raises, warns, calls anything but functions
that only compute, or reads what is changed by reading it, is a leak of the condition: the code as it is would do that
for some data only. So are values that are not both numbers of one shape.
"""

from __future__ import annotations

import collections
import gc
import operator
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache, partial
from types import CodeType, FrameType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any

import numpy as np

from privcheck.certifying._own_files import is_generated
from privcheck.certifying._reached_code import with_inner
from privcheck.certifying._translated.known_functions import called, only_computes
from privcheck.certifying._translated.profile_functions import set_profile
from privcheck.certifying._translated.rewriting import SIDE
from privcheck.private_values import Coins, LeakError, Private, PrivateArray, is_machinery, refuse, selected

BRANCH = (
    "compute both values without effects, as in a if condition else b, or release what the condition depends on first"
)
"""What to do about a branch that does more than compute numbers."""

COPY = (
    "an array that has another name is not chosen by a datum, because it would be the same array for some data only: "
    "make a new one, as by numpy.where(condition, one, other)"
)
"""What to do about arrays that a datum chooses from."""

Side = Callable[[], Any]


class _Here(threading.local):
    """What this thread computes."""

    sides = 0
    """How many sides of choices by one datum, within one another."""

    lines: set[tuple[str, int]] | None = None
    """Takes the places of such choices, if they are asked for."""


HERE = _Here()


@contextmanager
def noted_choices(lines: set[tuple[str, int]]) -> Iterator[None]:
    """Let a set take the files and lines of both sides of choices by one datum that this thread computes."""
    before, HERE.lines = HERE.lines, lines
    try:
        yield
    finally:
        HERE.lines = before


class NotPureError(Exception):
    """A side of a choice does more than compute a number."""


def chosen(condition: Any, yes: Side, no: Side) -> Any:
    """Return `yes() if condition else no()`; of a condition that depends on one datum, with both computed.

    What is selected is a new array, where the code as it is goes on with one of the two: an array that has another name
    is a leak.
    """
    if type(condition) is not Private or (found := truth(condition)) is None:
        return yes() if condition else no()
    first, second = _sides(found, yes, no)
    if first is second:
        return first
    counts = references(first), references(second)
    if any(map(_is_held, (first, second), counts)):
        refuse("branch", "truth value", found, hint=COPY)
    return _selected(found, first, second).made_here(found.compared)


def computed(condition: Any, yes: Side, no: Side) -> Any:
    """Return what `chosen` does, where an array is only computed with: it may have other names."""
    if type(condition) is not Private or (found := truth(condition)) is None:
        return yes() if condition else no()
    first, second = _sides(found, yes, no)
    return first if first is second else _selected(found, first, second).made_here(found.compared)


def _sides(condition: Private, yes: Side, no: Side) -> tuple[Any, Any]:
    with _without_effects(condition):
        return yes(), no()


def references(value: Any) -> int:
    """Return how many references there are to what the caller has under one name."""
    return sys.getrefcount(value)


def _alone() -> int:
    value = object()
    return references(value)


ALONE = _alone()


def _is_held(value: Any, count: int) -> bool:
    """Tell whether a value is an array whose numbers can be reached by another name, too."""
    if type(value) is np.ndarray:
        return count > ALONE or value.base is not None
    is_view = type(value) in (Private, PrivateArray) and not value._whole
    return is_view or (type(value) is PrivateArray and count > ALONE)


def _selected(condition: Private, first: Any, second: Any) -> Private:
    """Return one of two values, of which both are numbers, or arrays, that differ by what the condition's datum is."""
    one, two = _number(first), _number(second)
    if one is None or two is None or one.shape != two.shape or one.holds_draws or two.holds_draws:
        refuse("branch", "truth value", condition, hint=BRANCH)
    own = {*condition.data_ids}
    if one.ndim == 0 and {*one.data_ids, *two.data_ids} <= own:
        return selected(condition, one, two)
    differs = one - two  # as in `if reward > limit: total += 1`, where other data cancel
    if not {*differs.data_ids} <= own:
        refuse("branch", "truth value", condition, differs, hint=BRANCH)
    chosen_part = condition * differs if differs.ndim else selected(condition, differs, 0.0).of_kind("f")
    found: Private = two + chosen_part
    kinds = {one.kind, two.kind}
    return found if len(kinds) == 1 else found.of_kind("n" if "n" in kinds else "m")


def _number(value: Any) -> Private | None:
    return Private.of(value) if type(value) in NUMBERS or isinstance(value, np.number) else None


def _of_both(condition: Private, value: Any) -> Any:
    """Return a value of `and` or `or`, which is an indicator if both parts are."""
    if type(value) is Private and value.kind == "b" and value.data_ids == condition.data_ids:
        return value.as_indicator(condition.compared)
    return value


def both(value: Any, other: Side) -> Any:
    """Return `value and other()`."""
    if type(value) is not Private or (found := truth(value)) is None:
        return value and other()
    return _of_both(found, chosen(found, other, lambda: value))


def either(value: Any, other: Side) -> Any:
    """Return `value or other()`."""
    if type(value) is not Private or (found := truth(value)) is None:
        return value or other()
    return _of_both(found, chosen(found, lambda: value, other))


def negated(value: Any) -> Any:
    """Return `not value`."""
    if type(value) is not Private or (found := truth(value)) is None:
        return not value
    return (1.0 - found).as_indicator(found.compared).made_here(found.compared)


def chained(names: str, first: Any, second: Any, *others: Side) -> Any:
    """Return `first < second < others[0]() ...`, with the comparisons that are named."""
    name, _, rest = names.partition(" ")
    found = COMPARISONS[name](first, second)
    if not others:
        return found
    return both(found, lambda: chained(rest, second, others[0](), *others[1:]))


COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "Eq": operator.eq, "NotEq": operator.ne, "Lt": operator.lt, "LtE": operator.le, "Gt": operator.gt,
    "GtE": operator.ge, "Is": operator.is_, "IsNot": operator.is_not, "In": lambda a, b: a in b,
    "NotIn": lambda a, b: a not in b,
}  # fmt: skip


def hidden(value: Any) -> bool:
    """Return whether both sides of a choice by a value are to be computed."""
    return type(value) is Private and truth(value) is not None


def truth(value: Private) -> Private | None:
    """Return the indicator of what is not 0, of a private number of one datum; None for other numbers."""
    if not value.is_raw:
        return None
    if value.is_indicator:
        return value
    found = value.compared_with(np.not_equal, 0.0)
    return found if type(found) is Private and not found.is_public else None


def unread(value: Any) -> bool:
    """Return whether both sides of a choice are to be computed, as `hidden` does; or it is by a coin."""
    return type(value) is Coins or hidden(value)


def answered(condition: Any, yes: Any, no: Any) -> Any:
    """Return `yes() if condition else no()`; of a coin that nobody has read, the answer of randomised response.

    Both answers are computed only if they consist of numbers of the function itself: nothing else is done then. Where
    that is no randomised response, the coin is read, and the side that it leaves out has not run: a copy of both, which
    nobody watches, is tried first. The answer has the type that both have in the code as it is.
    """
    if type(condition) is not Coins:
        return chosen(condition, yes, no)
    is_one_coin = issubclass(condition.__class__, bool)  # and no array of them
    if is_one_coin and _is_of_numbers(yes) and _is_of_numbers(no):
        first, second = _unwatched(yes)(), _unwatched(no)()
        if Private in (type(first), type(second)) and (kind := _kind(first)) and kind == _kind(second):
            response: Any = np.where(condition, first, second)
            if type(response) is np.ndarray:
                for side in (yes, no):
                    _note(side.__code__)
                    side()
                return _KINDS[kind](response)
    return yes() if condition else no()


def _unwatched(side: Any) -> Side:
    """Return a copy of a side that does not count as run when it runs."""
    return FunctionType(_unseen(side.__code__), {}, "tried", side.__defaults__, side.__closure__)


@lru_cache(maxsize=256)
def _unseen(code: CodeType) -> CodeType:
    return code.replace(co_filename=__file__, co_name="tried")


_KINDS: dict[str, Callable[[Any], Any]] = {"b": bool, "i": int, "f": float}
"""What Python's numbers of a kind are."""


def _is_of_numbers(side: Any) -> bool:
    """Tell whether a side reads only Python's numbers, private ones without noise among them, from its own function."""
    try:
        found = [cell.cell_contents for cell in side.__closure__ or ()]
    except ValueError:  # a name that is not bound yet
        return False
    return not side.__code__.co_names and all(map(_kind, found))


def _kind(value: Any) -> str:
    """Return the kind of a Python number that a value is or stands for; empty if it is none, or holds noise.

    Empty, too, if its kind depends on a datum: the type of an answer would tell which of both was given.
    """
    if type(value) is Private:
        return "" if value.holds_draws or value.is_action or value.kind not in _KINDS else value.kind
    return {bool: "b", int: "i", float: "f"}.get(type(value), "")


def pure(function: Any) -> Any:
    """Return what is called in place of a function on one side of a choice."""
    if not HERE.sides:
        return called(function)
    found = only_computes(function)
    if found is None:
        raise NotPureError(getattr(function, "__name__", ""))
    return found


NUMBERS = (bool, int, float, np.bool_, np.ndarray, Private, PrivateArray)
"""What can be selected from, besides numpy's numbers."""

UNCHANGED = (list, tuple, dict, str, range, collections.deque, np.ndarray, Private, PrivateArray)
"""Of which entries are taken without changing them."""

CHANGED_IN_PLACE = (list, dict, PrivateArray)
"""In which storing an entry does nothing else, and fails for no value."""


def checked(value: Any) -> Any:
    """Return what a side takes an entry of."""
    if HERE.sides and type(value) not in UNCHANGED:
        raise NotPureError("[]")
    return value


def held(owner: Any, name: str | None) -> Any:
    """Return what an attribute holds that is stored again, or the owner of an entry: it is stored for all data.

    Code of its own that runs when it is stored would run for some data only.
    """
    if name is None:
        if type(owner) not in CHANGED_IN_PLACE:
            raise NotPureError("[] =")
        return owner
    setting: Any = type(owner).__setattr__
    if setting is not object.__setattr__ and not (isinstance(owner, ModuleType) and setting is ModuleType.__setattr__):
        raise NotPureError(name)
    for cls in type(owner).__mro__:
        if name in vars(cls):
            found = vars(cls)[name]
            if hasattr(type(found), "__set__") and type(found) is not MemberDescriptorType:
                raise NotPureError(name)
            break
    return getattr(owner, name)


def stored(before: Any, after: Any) -> Any:
    """Return what `+=` leaves behind: an array is changed in place."""
    kind: Any = type(before)
    if kind in (PrivateArray, np.ndarray):
        before[...] = after
        return before
    return after


def rebound(before: Any, after: Any) -> Any:
    """Return what is stored where one side changes a number as `+=` does and the other makes one; of arrays, refuse.

    One side would change the array in place, the other would leave it as it is.
    """
    if type(before) in (PrivateArray, np.ndarray) and type(after) in (Private, PrivateArray):
        refuse("branch", "truth value", after, hint=BRANCH)
    return after


@contextmanager
def _without_effects(condition: Private) -> Iterator[None]:
    """Refuse the condition if what is computed raises, or does anything but compute numbers."""
    others = list[str]()
    before, collects = sys.getprofile(), gc.isenabled()
    gc.disable()  # what a collection calls, as callbacks of other packages, is not called by the side
    HERE.sides += 1
    set_profile(partial(_watch, others))
    try:
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            yield
    except LeakError:
        raise
    except Exception:
        others.append("an error")
    finally:
        set_profile(before)
        HERE.sides -= 1
        if collects:
            gc.enable()
    if others:
        refuse("branch", "truth value", condition, hint=BRANCH)


def _watch(others: list[str], frame: FrameType, event: str, argument: Any) -> None:
    if event == "call":
        code = frame.f_code
        if code.co_varnames[:1] == (SIDE,):
            _note(code)
        elif not is_machinery(code.co_filename) and not _is_generated(frame):
            others.append(code.co_qualname)
    elif event == "c_call" and getattr(argument, "__module__", "") == "_warnings":
        others.append("a warning")


def _note(code: CodeType) -> None:
    """Note the lines of a side of a choice."""
    if HERE.lines is not None:
        HERE.lines.update((code.co_filename, line) for inner in with_inner(code) for line in _lines(inner))


def _is_generated(frame: FrameType) -> bool:
    """Tell whether code was made by a decorator in privcheck, such as `dataclass`."""
    module = str(frame.f_globals.get("__name__"))
    return is_generated(frame.f_code) and module.partition(".")[0] == "privcheck"


def _lines(code: CodeType) -> Iterator[int]:
    return (line for _, _, line in code.co_lines() if line is not None)
