"""What has changed since it was kept, in the words of the code."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from privcheck.reached_state import _holders as holders
from privcheck.reached_state._code_names import code_names
from privcheck.reached_state._named_by_code import CACHE
from privcheck.reached_state._walk import Walk

_MISSING = object()


def changed(walk: Walk) -> str:
    """Return the first change, as code would name it; nothing if all is as it was. Caches do not count."""
    return next(changes(walk), "")


def changes(walk: Walk) -> Iterator[str]:
    """Yield all changes, as code would name them. Caches do not count."""
    for put, value, saved in walk.puts:
        for name in _FINDERS.get(put, _nothing)(value, saved):
            yield _worded(walk, put, value, name)


def _worded(walk: Walk, put: Any, value: Any, name: Any) -> str:
    """Return the words for a change of an object: where it is an attribute, a global or a variable, its name."""
    if put in (holders.put_object, holders.put_slots):
        return f"{'self' if _is_receiver(walk, value) else type(value).__name__}.{name}"
    if put is holders.put_class:
        return f"{value.__name__}.{name}"
    if put is holders.put_members:
        return f"{value.__name__}.{name}"
    if put in (holders.put_names, holders.put_space):
        return f"the global {name}"
    return place(walk, value)


def _is_receiver(walk: Walk, value: Any) -> bool:
    return any(isinstance(each, types.MethodType) and each.__self__ is value for each in walk.seen.values())


def place(walk: Walk, value: Any) -> str:
    """Return where an object stands that has no name of its own."""
    for put, holder, saved in walk.puts:
        held = saved[1] if put is holders.put_object else saved[3] if put is holders.put_class else {}
        for name, part in held.items():
            if part is value:
                whose = holder if put is holders.put_class else type(holder)
                return f"{'self' if _is_receiver(walk, holder) else whose.__name__}.{name}"
    functions = (each for each in walk.seen.values() if isinstance(each, types.FunctionType))
    found = (place for function in functions for place in _places_in(function, value))
    return next(found, f"an object of type {type(value).__name__} that it reaches")


def _places_in(function: types.FunctionType, value: Any) -> Iterator[str]:
    """Yield where a function reaches an object."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        if cell is value or _content(cell) is value:
            yield f"{name}, which it closes over"
    if function.__dict__ is value:
        yield f"attributes of {function.__name__}"
    if any(part is value for part in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())):
        yield f"a default argument of {function.__name__}"
    for name in code_names(function.__code__).names:
        if function.__globals__.get(name) is value:
            yield f"the global {name}"


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return _MISSING


def _nothing(value: Any, saved: Any) -> Iterable[Any]:  # noqa: ARG001
    return ()


def _differs(now: Any, was: Any) -> bool:
    return now is not was and type(was) is not CACHE


def _of_dictionary(value: dict[Any, Any], saved: dict[Any, Any]) -> list[Any]:
    names = dict.fromkeys([*saved, *value])
    return [name for name in names if _differs(value.get(name, _MISSING), saved.get(name, _MISSING))]


def _of_sequence(value: Any, saved: Any) -> list[Any]:
    if isinstance(value, list) or hasattr(value, "maxlen"):
        now = list(value)
        return [] if len(now) == len(saved) and not any(map(_differs, now, saved)) else [0]
    return [] if value == saved else [0]


def _of_cell(value: Any, saved: Any) -> list[Any]:
    now = _content(value)
    return [0] if _differs(holders.put_cell if now is _MISSING else now, saved) else []


def _of_names(value: dict[str, Any], saved: dict[str, Any]) -> list[Any]:
    return [name for name, part in saved.items() if _differs(value.get(name, holders.put_names), part)]


def _of_array(value: Any, saved: Any) -> list[Any]:
    numbers, shape, *_ = saved
    return [] if value.dtype == numbers.dtype and value.shape == shape and value.tobytes() == numbers.tobytes() else [0]


_FINDERS: dict[Any, Callable[[Any, Any], Iterable[Any]]] = {
    holders.put_dictionary: _of_dictionary,
    holders.put_ordered: lambda value, saved: _of_dictionary(dict(value.items()), dict(saved)),
    holders.put_items: _of_sequence,
    holders.put_deque: _of_sequence,
    holders.put_set: lambda value, saved: [] if value == saved else [0],
    holders.put_array: _of_array,
    holders.put_members: lambda value, saved: [
        name for name, part in zip(holders.MEMBERS, saved, strict=True) if getattr(value, name) is not part
    ],
    holders.put_cell: _of_cell,
    holders.put_names: _of_names,
    holders.put_space: _of_dictionary,
    holders.put_class: lambda value, saved: _of_dictionary(dict(vars(value)), saved[3]),
    holders.put_object: lambda value, saved: _of_dictionary(value.__dict__, saved[1]),
    holders.put_slots: lambda value, saved: [
        slot.__name__ for slot, part in saved if _differs(getattr(value, slot.__name__, holders.put_names), part)
    ],
}
