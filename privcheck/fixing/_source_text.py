"""A Python file as it is read and written: its bytes, its newlines, and pieces of it replaced."""

from __future__ import annotations

import codecs
import hashlib
import io
import itertools
import re
import tokenize
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

from privcheck.errors import PrivcheckError, words

Span = tuple[int, int, str]
"""A piece of a text, from one character to another, exclusive, and what is to stand there."""

MARK = codecs.BOM_UTF8.decode()
"""The character that a byte order mark is."""

_NEWLINE = re.compile("\r\n|\r|\n")


@dataclass(frozen=True)
class SourceText:
    r"""A Python file.

    Parameters
    ----------
    path : where it stands.
    text : its characters, with the newlines that it has and without a byte order mark.
    newline : the newline that most of its lines end with; "\n" if none does.
    encoding : in which `text` encodes to the bytes, "utf-8-sig" with a byte order mark.
    bytes_read : exactly what was read.

    Examples
    --------
    >>> source = SourceText.of_bytes(Path("bandit.py"), b"a = 1\r\nb = 2\r\n")
    >>> source.newline, source.replaced([(4, 5, "3\n")])
    ('\r\n', 'a = 3\r\n\r\nb = 2\r\n')
    """

    path: Path
    text: str
    newline: str
    encoding: str
    bytes_read: bytes

    @classmethod
    def read(cls, path: str | Path) -> SourceText:
        """Read a file.

        Raises
        ------
        PrivcheckError : it cannot be read, or its bytes are not in the encoding that it declares.
        """
        place = Path(path)
        try:
            found = place.read_bytes()
        except OSError as error:
            got = words(f"{place}, which cannot be read: {error.strerror or error}")
            raise PrivcheckError("target", got, "an existing Python file", "check the path") from None
        return cls.of_bytes(place, found)

    @classmethod
    def of_bytes(cls, path: Path, found: bytes) -> SourceText:
        """Decode what was read from a file as Python does."""
        try:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(found).readline)
            text = found.decode(encoding)
        except (SyntaxError, UnicodeDecodeError, LookupError) as error:
            got = words(f"{path}, which cannot be decoded: {error}")
            raise PrivcheckError("target", got, "a Python file in the encoding that it declares") from None
        text = text.removeprefix(MARK)
        newlines = Counter(_NEWLINE.findall(text))
        newline = newlines.most_common(1)[0][0] if newlines else "\n"
        return cls(path, text, newline, encoding, found)

    @property
    def sha256(self) -> str:
        """The hash of what was read, in hexadecimal digits."""
        return hashlib.sha256(self.bytes_read).hexdigest()

    def encoded(self, text: str) -> bytes:
        """Return another text of this file as bytes; the file's own text gives the bytes that were read.

        Raises
        ------
        PrivcheckError : the encoding that the file declares lacks a character.
        """
        try:
            return text.encode(self.encoding)
        except UnicodeEncodeError as error:
            got = words(f"a text with {text[error.start]!r}")
            raise PrivcheckError("text", got, f"characters of {self.encoding}, in which the file is") from None

    def with_mark(self, text: str) -> str:
        """Return another text of this file with the byte order mark, if the file begins with one."""
        return f"{MARK}{text}" if self.encoding == "utf-8-sig" else text

    @property
    def without_mark(self) -> SourceText:
        """The file in an encoding that writes no mark by itself, for pieces of it."""
        return replace(self, encoding=self.encoding.removesuffix("-sig"))

    def replaced(self, spans: list[Span]) -> str:
        """Return the whole text with pieces replaced; newlines in what is put in are those of the file.

        Raises
        ------
        ValueError : pieces that overlap.
        """
        return with_spans(self.text, spans, self.newline)


def with_spans(text: str, spans: list[Span], newline: str) -> str:
    """Return a text with pieces replaced; newlines in what is put in become `newline`."""
    pieces, at = [], 0
    for start, end, new in sorted(spans, key=lambda span: span[:2]):
        if start < at or end < start:
            raise ValueError(f"pieces of the text overlap at character {start}")
        pieces += [text[at:start], new.replace("\r\n", "\n").replace("\n", newline)]
        at = end
    return "".join([*pieces, text[at:]])


def line_starts(text: str) -> list[int]:
    r"""Return where each line of a Python text begins; form feeds and such end no line.

    >>> line_starts("a\r\nb\x0c\rc")
    [0, 3, 6]
    """
    return [0, *(match.end() for match in _NEWLINE.finditer(text))]


def lines_of(text: str) -> list[str]:
    r"""Return the lines of a Python text with their ends.

    >>> lines_of("a\r\nb\u2028\rc")
    ['a\r\n', 'b\u2028\r', 'c']
    """
    starts = [*line_starts(text), len(text)]
    return [text[start:end] for start, end in itertools.pairwise(starts)]
