"""What a call has changed, undone, and what the recorded call changed in its place, or nothing if that is not known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any

from privcheck.auditing._steps.reached_values import OUTPUT, Change, Entry, Place, Reached, at, reached, unlike


def put_back(
    recorded: Change, now: Change, given: dict[str, Any], generators: Sequence[Any], box: list[Any]
) -> dict[Place, Any] | None:
    """Undo what a call has changed, and change what the recorded call changed, in place.

    Parameters
    ----------
    recorded, now : what the recorded call has changed, and what this one has.
    given : the arguments of this one, by name.
    generators : of this run.
    box : the output in a list, which is forced too.

    Returns
    -------
    The places that were forced, as `varying` returns them; None if not everything is as the recorded call left it.
    """
    if not (recorded.is_known and now.is_known):
        return None
    before, was, live = now.before.entries, recorded.after.entries, now.after.entries
    only_here = now.places - recorded.places
    if any(not at(recorded.before, place).equals(at(now.before, place)) for place in only_here):
        return None
    if any((place in recorded.in_place) != (place in now.in_place) for place in was.keys() & live.keys()):
        return None
    changed = recorded.places | only_here
    forced = unlike([recorded.after, now.after], changed)
    if not forced:  # each place is as the recorded call left it, or was the same before and is not changed by either
        return forced
    for place in sorted(forced, key=len):
        if not _is_put(now.after, place, was, live):
            return None
    found = reached({**given, OUTPUT: box}, generators).entries
    for place in found.keys() | was.keys() | before.keys():
        wanted = was.get(place) if place in changed else before.get(place)
        there = found.get(place)
        if (wanted is None) != (there is None) or (wanted is not None and not wanted.equals(there)):
            return None
    return forced


def _is_put(after: Reached, place: Place, was: dict[Place, Entry], live: dict[Place, Entry]) -> bool:
    """Change what is at one place; tell whether that is known how to do."""
    wanted, there = was.get(place), live.get(place)
    if wanted is not None and there is not None and wanted.kind == there.kind and wanted.kind in IN_PLACE:
        return IN_PLACE[wanted.kind](after.objects[place], place, wanted, was, live)
    *_, (how, key) = place
    holder = after.objects.get(place[:-1])
    is_output = place[:-1] == (("argument", OUTPUT),)
    if wanted is not None and wanted.kind not in (("atom", "array") if is_output else ("atom",)):
        return False
    if there is not None and there.kind not in (("atom", "array") if is_output else ("atom",)):
        return False
    if how == "entry" and isinstance(holder, list) and wanted is not None and key < len(holder):
        holder[key] = wanted.value.copy() if wanted.kind == "array" else wanted.value
        return True
    if how == "cell" and wanted is not None and wanted.value is not NoneType and holder is not None:
        holder.__closure__[key].cell_contents = wanted.value
        return True
    if how == "key" and holder is not None:
        holder.pop(key, None) if wanted is None else holder.update({key: wanted.value})
        return True
    if how == "attribute" and holder is not None:
        object.__delattr__(holder, key) if wanted is None else object.__setattr__(holder, key, wanted.value)
        return True
    return how == "entry" and isinstance(holder, list)  # of a list that is refilled: compared again at the end


def _fill(value: Any, place: Place, wanted: Entry, was: Any, live: Any) -> bool:  # noqa: ARG001
    if value.shape != wanted.value.shape or value.dtype != wanted.value.dtype:
        return False
    if not value.flags.writeable:
        return False
    value[...] = wanted.value
    return True


def _refill(value: Any, place: Place, wanted: Entry, was: dict[Place, Entry], live: dict[Place, Entry]) -> bool:
    """Replace the entries of a list or dictionary, if they are atoms."""
    parts = [entry for where, entry in was.items() if where[:-1] == place]
    others = [entry for where, entry in live.items() if where[:-1] == place]
    if any(entry.kind != "atom" for entry in (*parts, *others)):
        return False
    if isinstance(value, list):
        value[:] = [entry.value for entry in parts]
    else:
        value.clear()
        value.update(zip(wanted.value, [entry.value for entry in parts], strict=True))
    return True


def _refill_set(value: Any, place: Place, wanted: Entry, was: Any, live: Any) -> bool:  # noqa: ARG001
    value.clear()
    value.update(wanted.value)
    return True


def _by_attribute(value: Any, place: Place, wanted: Entry, was: Any, live: Any) -> bool:  # noqa: ARG001
    """Leave an object: its attributes are changed one by one."""
    return bool(wanted.value[0] is type(value))


IN_PLACE: dict[str, Callable[..., bool]] = {
    "array": _fill,
    "list": _refill,
    "dict": _refill,
    "set": _refill_set,
    "object": _by_attribute,
}
"""How a value of each kind is changed without another taking its place."""
