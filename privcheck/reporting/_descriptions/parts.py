"""What a report about one result consists of: parts that the terminal and the page each render in their own way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.console import RenderableType


class Title(NamedTuple):
    """What the report is about; a page has it in its header."""

    text: str


class Verdict(NamedTuple):
    """A word with its mark, the rest of its sentence, and the style of both in a terminal."""

    mark: str
    word: str
    rest: str
    style: str


class Alarm(NamedTuple):
    """What contradicts itself."""

    text: str


class Note(NamedTuple):
    """What a reader has to know beside the verdict."""

    text: str


class Facts(NamedTuple):
    """Names and what they stand for; `whole_names` are not broken in a terminal."""

    rows: Sequence[tuple[str, str]]
    whole_names: bool = False


class Heading(NamedTuple):
    """A heading; a terminal shows the short one, if there is any."""

    text: str
    short: str = ""


class Said(NamedTuple):
    """A sentence or several; a terminal indents what is below a heading."""

    text: str
    below: bool = True


class Listed(NamedTuple):
    """Sentences, of which a terminal shows at most so many."""

    items: Sequence[str]
    most: int | None = None


class Code(NamedTuple):
    """Code to copy."""

    text: str


class Picture(NamedTuple):
    """A picture for pages: its name, what draws it at a width in inches, and its caption."""

    name: str
    draw: Callable[[float], Figure]
    caption: str


class Drawn(NamedTuple):
    """What a terminal and a page say in different forms."""

    terminal: Callable[[], Sequence[RenderableType]]
    page: Callable[[], Sequence[str]] = tuple


class OnPage(NamedTuple):
    """Parts that a page alone has."""

    parts: Sequence[Part]


Part = Title | Verdict | Alarm | Note | Facts | Heading | Said | Listed | Code | Picture | Drawn | OnPage
