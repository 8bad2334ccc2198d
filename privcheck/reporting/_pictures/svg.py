"""Figures as inline SVG and as PNG."""

from __future__ import annotations

import hashlib
import html
import io
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privcheck.files import check_output, write_whole
from privcheck.reporting._pictures.style import INK, settings

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLOTS = (".svg", ".png")
"""Suffixes of pictures."""

NO_METADATA = {"Creator": None, "Date": None, "Format": None, "Type": None}


def to_svg(figure: Figure, *, prefix: str | None = None) -> str:
    """Return a figure as an SVG element that can stand in a page or, alone, in a file.

    The same figure gives the same text. Letters are drawn as paths, so they look the same everywhere; ink is
    `currentColor`, so it follows the text of the page in light and dark. Title and description come from the
    figure's label, whose first line is the title.

    Parameters
    ----------
    figure : a matplotlib figure.
    prefix : start of all ids; by default it comes from the content. Pictures in one page need different ones.

    Examples
    --------
    >>> from privcheck.results._example_results import VIOLATION
    >>> from privcheck.reporting._pictures.plot import bounds_figure
    >>> to_svg(bounds_figure([VIOLATION]))[:24]
    '<svg fill="currentColor"'
    """
    text = _compact(rendered(figure, "svg", transparent=True).decode()).replace(INK, "currentColor")
    text = _numbered(text)
    if prefix is None:
        prefix = f"p{hashlib.sha256(text.encode()).hexdigest()[:10]}-"
    text = re.sub(r'(\bid="|href="#|url\(#)', rf"\g<1>{prefix}", text)
    # Letters carry no colour of their own: without a fill here they would be black on dark paper.
    text = text.replace("<svg ", '<svg fill="currentColor" stroke-linejoin="round" role="img" ', 1)
    title, _, description = str(figure.get_label()).partition("\n")
    named = f'<title id="{prefix}title">{html.escape(title)}</title>'
    named += f'<desc id="{prefix}desc">{html.escape(description)}</desc>'
    start = text.index(">") + 1
    opening = text[: start - 1] + f' aria-labelledby="{prefix}title {prefix}desc">'
    return opening + named + text[start:]


def _compact(text: str) -> str:
    """Return matplotlib's SVG without prolog, comments, unused ids and digits, and its style for the whole page."""
    text = text[text.index("<svg") :].strip()
    text = re.sub(r"<!--.*?-->|<defs>\s*<style.*?</style>\s*</defs>", "", text, flags=re.DOTALL)
    text = re.sub(r'<g id="\w+">', "<g>", text)
    text = re.sub(r'\bd="([^"]*)"', lambda path: f'd="{_shorter_path(path[1])}"', text)
    return re.sub(r">\s+<", "><", text)


def _numbered(text: str) -> str:
    """Return the SVG with ids in the order in which they are defined.

    matplotlib derives them from floats that an automatic layout does not repeat to the last digit.
    """
    names = {name: str(i) for i, name in enumerate(dict.fromkeys(re.findall(r'\bid="([^"]+)"', text)))}
    return re.sub(r'(\bid="|href="#|url\(#)([^")]+)', lambda found: found[1] + names.get(found[2], found[2]), text)


def _shorter_path(commands: str) -> str:
    return re.sub(
        r"\d+\.\d+", lambda number: f"{float(number[0]):.2f}".rstrip("0").rstrip("."), " ".join(commands.split())
    )


def save_figure(figure: Figure, path: str | Path) -> None:
    """Write a figure as SVG, or as PNG on white, as the suffix says; the file is written whole or not at all.

    Raises
    ------
    PrivcheckError : when the path ends in neither .svg nor .png, is a folder, or cannot be written.

    """
    target = check_output(path, "plot", PLOTS)
    if target.suffix.lower() == ".svg":
        write_whole(target, to_svg(figure), "plot")
    else:
        save_png(figure, target)


def save_png(figure: Figure, path: str | Path, *, dpi: int = 200) -> None:
    """Write a figure as a PNG file on white; a figure that cannot be drawn leaves no file behind.

    Raises
    ------
    PrivcheckError : when the path does not end in .png, is a folder, or cannot be written.

    """
    target = check_output(path, "path", (".png",))
    write_whole(target, rendered(figure, "png", facecolor="white", dpi=dpi, metadata={"Software": None}))


def rendered(figure: Figure, kind: str, **options: Any) -> bytes:
    """Return the bytes of a picture, "svg" or "png", drawn with our settings; options are those of `savefig`."""
    image = io.BytesIO()
    if kind == "svg":
        options["metadata"] = NO_METADATA
    with settings(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        figure.savefig(image, format=kind, **options)
    return image.getvalue()
