"""The forms in which a ledger keeps what occurs in every event, and back; those of JSON take twice the room."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

_VALUE, _TUPLE, _END = '{"value": ', b'{"tuple": [', b"]}"


def short_answer(answer: str) -> str:
    """Return an answer as a ledger keeps it: of a value the value, of anything else all of it, marked if need be.

    The database makes the answer of it again, where it makes the body of an entry.

    >>> [short_answer(answer) for answer in ('{"value": 0}', '{"error": 1}', '[0]', "")]
    ['0', '{"error": 1}', '=[0]', '']
    """
    value = answer[len(_VALUE) : -1]
    if value and value[0] not in "{=" and answer.startswith(_VALUE) and answer[-1] == "}":
        return value
    return answer if answer[:1] in ("", "{") else f"={answer}"


def short_input(told: bytes) -> bytes:
    r"""Return what an event was told as a ledger keeps it: of a tuple its parts, of anything else all of it, marked.

    >>> short_input(b'{"tuple": [0, 0.5]}'), short_input(b"[0]")
    (b'0, 0.5', b'\x00[0]')
    >>> [whole_input(short_input(told)) for told in (b'{"tuple": []}', b"[0]")]
    [b'{"tuple": []}', b'[0]']
    """
    parts = told[len(_TUPLE) : -len(_END)]
    whole = parts[:1] == b"\0" or len(told) < len(_TUPLE) + len(_END)
    return b"\0" + told if whole or not (told.startswith(_TUPLE) and told.endswith(_END)) else parts


def whole_input(kept: bytes) -> bytes:
    """Return what was shortened."""
    return kept[1:] if kept[:1] == b"\0" else _TUPLE + kept + _END


def short_person(code: str) -> str | bytes:
    r"""Return the code of a person as a ledger keeps it: as bytes, if these have the same code.

    >>> short_person("00ff"), short_person("a"), short_person("")
    (b'\x00\xff', 'a', '')
    """
    try:
        kept = bytes.fromhex(code)
    except ValueError:
        return code
    return kept if code and kept.hex() == code else code


SHORTENED: Mapping[str, Callable[[Any], Any]] = {
    function.__name__: function for function in (short_answer, short_input, short_person)
}
"""What brings a ledger of the second format to the third."""
