"""The messages between an audit and a program that plays the target: one JSON object each, and one for its reply."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from privcheck.errors import PolicyError, PrivcheckError, words

PROTOCOL = 1
"""The version that every `start` names."""

LARGEST_REPLY = 1 << 20
"""Bytes of a reply, at most: far more than an action or a vector of statistics takes."""

LARGEST_SEED = 1 << 53
"""Seeds are below it: integers that every reader of JSON keeps exactly."""

SHOWN = 80
"""Characters of a wrong reply that an error shows."""

Message = dict[str, Any]


def encoded(message: Mapping[str, Any]) -> bytes:
    r"""Return a message as JSON on one line, without the end of the line.

    >>> encoded({"op": "update", "action": 1, "reward": np.float64(0.5)})
    b'{"op": "update", "action": 1, "reward": 0.5}'
    """
    try:
        return json.dumps(message, default=_plain, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        hint = "numbers, texts and lists of them can be sent to another program"
        raise PrivcheckError(str(message["op"]), words(str(error)), "values that JSON has", hint) from None


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no JSON")


def decoded(reply: bytes, asked: Mapping[str, Any], parameter: str) -> Message:
    """Return a reply as a dict.

    Parameters
    ----------
    reply : what was received.
    asked : the message that it answers.
    parameter : what errors are about: "command", "url" or "python".

    Raises
    ------
    PolicyError : a reply that is not one JSON object, reports an error, or is for another run.

    Examples
    --------
    >>> decoded(b'{"action": 1}', {"op": "select"}, "command")
    {'action': 1}
    """
    try:
        found = json.loads(reply, parse_constant=_refuse, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise wrong(parameter, f"the reply {shown(reply)} to {asked['op']!r}", "one JSON object", _EXAMPLE)
    if "error" in found:
        told = f"the error {shown(str(found['error']).encode())} in reply to {asked['op']!r}"
        raise wrong(parameter, told, "a reply without an error", "fix what plays the target")
    if "run" in asked and found.get("run", asked["run"]) != asked["run"]:
        told = f"a reply for run {shown(str(found['run']).encode())} to {asked['op']!r} of run {asked['run']!r}"
        raise wrong(
            parameter, told, "a reply for the run that was asked for", "leave run out of the reply, or repeat it"
        )
    return found


_EXAMPLE = 'as in {"action": 0}; what else the program prints goes to standard error'


def _once(pairs: list[tuple[str, Any]]) -> Message:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("a name stands twice")
    return dict(pairs)


def _refuse(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def part(reply: Message, name: str, asked: Mapping[str, Any], parameter: str) -> Any:
    """Return one value of a reply, or raise `PolicyError` that names what is missing."""
    if name not in reply:
        told = f"the reply {shown(encoded(reply))} to {asked['op']!r}"
        raise wrong(parameter, told, f"an object with {name!r}")
    return reply[name]


def confirmed(reply: Message, asked: Mapping[str, Any], parameter: str) -> None:
    """Refuse a reply that does not say {"ok": true}."""
    if reply.get("ok") is not True:
        told = f"the reply {shown(encoded(reply))} to {asked['op']!r}"
        raise wrong(parameter, told, 'an object with "ok": true')


def action_of(value: Any, place: str) -> int | list[int]:
    """Return an action: an integer, or a list of integers; true and 1.0 are neither.

    >>> action_of([0, 2], "action in round 1")
    [0, 2]
    """
    entries = value if isinstance(value, list) else [value]
    if not all(type(entry) is int for entry in entries):
        raise PolicyError(place, value, "an integer, or a list of integers for several arms", "arms are counted from 0")
    return value  # type: ignore[no-any-return]


def finite(value: Any, what: str) -> Any:
    """Return numbers in any nesting of lists, or refuse one that is too large for a float."""
    entries = value if isinstance(value, list) else [value]
    for entry in entries:
        if isinstance(entry, list):
            finite(entry, what)
        elif isinstance(entry, float) and not math.isfinite(entry):
            raise PolicyError(what, entry, "finite numbers")
    return value


def shown(text: bytes) -> str:
    """Return text in quotation marks, cut where it is long.

    >>> shown(b"ok")
    "'ok'"
    """
    read = text.decode("utf-8", "replace")
    return repr(read if len(read) <= SHOWN else read[:SHOWN] + "…")


def wrong(parameter: str, got: str, expected: str, hint: str = "") -> PolicyError:
    """Return the error for a program that does not keep to the protocol."""
    return PolicyError(parameter, words(got), expected, hint)
