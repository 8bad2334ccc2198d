"""The errors of privcheck: bad input, and user policies that break their contract."""

from __future__ import annotations

import sys
from typing import Any

from privcheck.in_notebooks import in_cells, rendered_traceback


class PrivcheckError(Exception):
    """A request that cannot be carried out, with the reason.

    The message names, in one line, the parameter, the value that was given, what was expected and what to do.

    Parameters
    ----------
    parameter : name of the parameter that was wrong.
    value : the value that was given.
    expected : what would have been accepted, in words.
    hint : what to do next, in words; may be empty.

    Examples
    --------
    >>> str(PrivcheckError("epsilon", -1.0, "a finite number above 0", "give a positive privacy budget"))
    'epsilon: got -1.0, expected a finite number above 0; give a positive privacy budget'
    """

    def __init__(self, parameter: str, value: Any, expected: str, hint: str = "") -> None:
        self.parameter = parameter
        self.value = value
        self.expected = expected
        self.hint = hint
        super().__init__(parameter, value, expected, hint)

    def __str__(self) -> str:
        try:
            got = self.value if isinstance(self.value, _Words) else _short(repr(self.value))
        except Exception:  # an integer of too many digits to be written, or a user's object whose `__repr__` raises
            got = f"an object of type {type(self.value).__name__}"
        text = f"{self.parameter}: got {got}, expected {self.expected}"
        return in_cells(on_one_line(f"{text}; {self.hint}" if self.hint else text))

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows: a refusal is about the call, and the way to it inside privcheck says nothing."""
        return rendered_traceback(self)


MOST_SHOWN = 200
"""Characters of a value that a message shows; all of it is in `.value`."""


def _short(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else f"{text[: MOST_SHOWN - 3]}..."


class PolicyError(PrivcheckError):
    """The target raised an exception, played an unknown arm, or is not reproducible from its Generator."""

    is_of_every_input = False


class GuardClosedError(PrivcheckError):
    """A guarded policy takes no more calls: an earlier one failed, or this is a fork of the process that made it."""


class _Words(str):
    """A description of the value that was given, printed without quotation marks."""


def words(text: str) -> str:
    """Mark `text` as a description, so that an error prints it without quotation marks.

    >>> str(PrivcheckError("streams", words("three tables"), "two tables"))
    'streams: got three tables, expected two tables'
    """
    return _Words(text)


def on_one_line(text: str) -> str:
    r"""Return the text on one line, with escapes for characters that do not print.

    >>> print(on_one_line("two\nlines \a"))
    two lines \x07
    """
    return printable(" ".join(text.split()))


def can_be_encoded(text: str) -> bool:
    r"""Return whether a text can be written in UTF-8: half of a surrogate pair cannot.

    >>> can_be_encoded("\u00e9"), can_be_encoded("\ud800")
    (True, False)
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def printable(text: str) -> str:
    r"""Return the text with escapes for characters that do not print: a terminal would obey some of them.

    >>> print(printable("\x1b[31mred"))
    \x1b[31mred
    """
    if text.isprintable():
        return text
    return "".join(mark if mark.isprintable() else mark.encode("unicode_escape").decode() for mark in text)


def class_name(cls: type) -> str:
    """Return the name of a class that its module knows, or else of the first such class that it is derived from.

    What a program makes while it runs can have any name: one that shows what the program was told.

    >>> class_name(type("E0.25", (ValueError,), {})), class_name(PrivcheckError)
    ('ValueError', 'PrivcheckError')
    """
    for known in cls.__mro__:
        if getattr(sys.modules.get(known.__module__), known.__name__, None) is known:
            return str(known.__name__)
    return "object"
