"""JSON files with results: read, checked and refused in one way."""

from __future__ import annotations

import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from privcheck.errors import PrivcheckError
from privcheck.schema_versions import readable_versions, version_of
from privcheck.serialise import ILL_TYPED, parsed

T = TypeVar("T")


@dataclass(frozen=True)
class JsonSource:
    """A JSON file: its text, its content and when it was last changed.

    Parameters
    ----------
    path : of the file.
    when : when it was last changed, in seconds since 1970.
    text : the JSON.
    content : what the text holds; {} for anything but an object, whose fields would be needed.
    parameter, expected : what a refusal names.
    """

    path: Path
    when: float
    text: str
    content: dict[str, Any]
    parameter: str
    expected: str

    def refused(self, reason: str) -> PrivcheckError:
        """Return the error that says why the file is not what was expected."""
        return _refused(self.path, self.parameter, self.expected, reason)

    def holds(self, fields: set[str]) -> bool:
        """Tell whether all these fields are there."""
        return fields <= set(self.content)

    def read_by(self, reader: Callable[[JsonSource], T]) -> T:
        """Return what a reader makes of the file.

        Raises
        ------
        PrivcheckError : another version, or what the reader refuses.
        """
        if version_of(self.content) is None:
            reads = f"this privcheck reads {readable_versions()}"
            raise self.refused(f"its schema_version is {str(self.content.get('schema_version'))[:20]}, but {reads}")
        try:
            return reader(self)
        except PrivcheckError as error:
            if error.parameter == self.parameter and error.expected == self.expected:  # of `refused`
                raise
            raise self.refused(str(error)) from None
        except ILL_TYPED:
            raise self.refused("a field is missing or has the wrong type") from None


def read_source(path: str | Path, parameter: str, expected: str) -> JsonSource:
    """Return the content of a JSON file.

    Parameters
    ----------
    path : of the file.
    parameter, expected : what a refusal names.

    Raises
    ------
    PrivcheckError : a file that cannot be read, is none, or is not JSON.

    Examples
    --------
    >>> read_source("nowhere.json", "path", "a result")
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: path: got 'nowhere.json', expected a result; No such file or directory
    """
    file = Path(path)
    try:
        status = file.stat()  # first: what is written while we read makes the page out of date
        if not stat.S_ISREG(status.st_mode):
            raise _refused(file, parameter, expected, "it is not a regular file")
        text = file.read_text(encoding="utf-8")
        content = parsed(text)
    except OSError as error:
        raise _refused(file, parameter, expected, f"{error.strerror}") from None
    except (ValueError, RecursionError):
        raise _refused(file, parameter, expected, "it is not JSON, or a name stands twice in it") from None
    fields = content if isinstance(content, dict) else {}
    return JsonSource(file, status.st_mtime, text, fields, parameter, expected)


def _refused(file: Path, parameter: str, expected: str, reason: str) -> PrivcheckError:
    return PrivcheckError(parameter, str(file), expected, reason)
