"""One page that lists the results in a folder of JSON files, violations first."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote

from privcheck.errors import PrivcheckError
from privcheck.files import check_output, write_whole
from privcheck.progress import progress
from privcheck.reporting._many_audits import LEVEL, Together, together
from privcheck.reporting._other_kinds import LISTED
from privcheck.reporting._pages.elements import badge, document, header, place, section, text
from privcheck.reporting._pages.html_table import NUMBER, TEXT, WORD, Cell, below, table
from privcheck.reporting._pages.told_apart import told_apart
from privcheck.reporting._presented import PAGES
from privcheck.reporting._result_files import (
    ALARM,
    CONTRADICTION,
    NO_ALARM,
    IndexRow,
    folders_below,
    json_files,
    read_result,
)
from privcheck.reporting._text import fix_sentences, numbers, steps_sentences
from privcheck.reporting._text.audit_sentences import MARKS, plural
from privcheck.reporting._text.certificate_sentences import CERTIFICATE_MARKS
from privcheck.results import NOTHING_CERTIFIES
from privcheck.serialise import ILL_TYPED
from privcheck.sweeps import MANIFEST, Sweep, read_sweep
from privcheck.tables import Row

OF_WATCHES = {ALARM: "✗", NO_ALARM: "✓"}
OF_FIXES = {**fix_sentences.MARKS, NOTHING_CERTIFIES: "✗"}
SIGNS = {CONTRADICTION: "✗", **MARKS, **CERTIFICATE_MARKS, **OF_FIXES, **OF_WATCHES, **steps_sentences.MARKS}
ORDER = (CONTRADICTION, "suspicion", "inconclusive", "no claim", "no budget", "consistent", "certified", NO_ALARM)
OWN = "Written by privcheck"

FEW_PAGES = 50
"""Pages of single results that are written unless all are asked for: with their pictures they take half a minute."""


CHANGED = "it is gone, or not as the sweep wrote it: the same sweep plays it anew"


@dataclass(frozen=True)
class Folder:
    """What was found in a folder.

    Parameters
    ----------
    path : of the folder.
    results : violations, leaks and refused certificates first.
    unread : files that could not be read as results, with the reason.
    claims : the audited claims together; None for fewer than two.
    sweeps : the sweeps in it, finished or not; stale results of theirs, and those set aside, are not among the results.
    passed_over : files of commands that hold no verdict and no row, such as an account of a plan, and what they are.

    """

    path: Path
    results: tuple[IndexRow, ...]
    unread: tuple[tuple[Path, str], ...]
    claims: Together | None = None
    sweeps: tuple[Sweep, ...] = ()
    passed_over: tuple[tuple[Path, str], ...] = ()

    @property
    def failed(self) -> list[tuple[str, str]]:
        """The cells of sweeps that failed: what was played, and the error."""
        cells = [cell for sweep in self.sweeps for cell in sweep.cells if cell["status"] == "failed"]
        return [(_asked(cell), str(cell["error"])) for cell in cells]

    @property
    def alarm(self) -> bool:
        """Whether any result is a violation, a leak, a refused certificate or a divergence in replay."""
        return any(result.alarm for result in self.results)


def read_folder(path: str | Path, level: float = LEVEL) -> Folder:
    """Read the JSON files in a folder and below; `level` is the error rate for all audited claims together.

    Raises
    ------
    PrivcheckError : a folder that does not exist, or is a file, or contains no JSON files.

    Examples
    --------
    >>> read_folder("nowhere")
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: folder: got 'nowhere', expected a folder of results; this folder does not exist
    """
    folder = Path(path)
    if not folder.is_dir() or not str(path):
        why = "this is a file: give its folder, or --review too, which is about one result"
        why = why if folder.is_file() else "this folder does not exist"
        raise PrivcheckError("folder", str(path), "a folder of results", why)
    sweeps, unread = _sweeps(folder)
    stale = {Path(sweep.folder, file) for sweep in sweeps for file in sweep.stale}
    changed = [Path(sweep.folder, file) for sweep in sweeps for file in sweep.changed()]
    unread += [(file, CHANGED) for file in changed]
    left_out = stale.union(changed, (sweep.aside for sweep in sweeps))
    files = [file for file in json_files(folder) if left_out.isdisjoint((file, file.parent))]
    if not files and not sweeps:
        raise PrivcheckError(
            "folder", str(path), "a folder of results", "it contains no .json files: write results there with --json"
        )
    results, passed_over = [], list[tuple[Path, str]]()
    for file in files:
        try:
            results.append(read_result(file))
        except PrivcheckError as error:
            (passed_over if error.expected == LISTED else unread).append((file, error.hint))
    results = told_apart(results, sweeps)
    results.sort(key=lambda result: (_rank(result), str(result.path)))
    tested = [claim for result in results for claim in result.tested]
    claims = together(tested, level, sum(sweep.untested for sweep in sweeps))
    return Folder(folder, tuple(results), tuple(unread), claims, tuple(sweeps), tuple(passed_over))


def _sweeps(folder: Path) -> tuple[list[Sweep], list[tuple[Path, str]]]:
    """Return the sweeps in a folder and below, and the manifests that cannot be read."""
    found, unread = [], []
    for manifest in sorted(each / MANIFEST for each, names in folders_below(folder) if MANIFEST in names):
        try:
            found.append(read_sweep(manifest.parent))
        except (PrivcheckError, *ILL_TYPED) as error:
            unread.append((manifest, getattr(error, "hint", "") or "it is no manifest of a sweep"))
    return found, unread


def _asked(cell: Row) -> str:
    """Return what a cell of a sweep asked for, in words."""
    names = ("environment", "epsilon", "horizon", "seed", *(name for name in cell if name.startswith("option_")))
    given = [f"{name.removeprefix('option_')} {cell[name]}" for name in names if cell[name] is not None]
    return numbers.clean(", ".join([str(cell["target"]), *given]))


def save_index(folder: Folder, path: str | Path, *, pages: bool | None = None) -> int:
    """Write a page with a row for every result of a folder, and beside their JSON files the pages that are missing.

    A page about a result has the name of its JSON file. An existing page is linked; a page that privcheck wrote is
    written again when it is older than the result. Every file is written whole or not at all.

    Parameters
    ----------
    folder : what `read_folder` returned.
    path : of the index, ending in .html or .htm.
    pages : whether missing pages are written; None for the `FEW_PAGES` of the results that come first, since a page
        takes about half a second. Those that are there are linked in any case.

    Returns
    -------
    How many missing pages were not written because they are more than these.

    Raises
    ------
    PrivcheckError : when the path is no HTML file, is a folder, or cannot be written.

    """
    target = check_output(path, "html", PAGES)
    planned = [result for result in folder.results if pages is not False and _lacks_page(result, target)]
    wanted = planned if pages else planned[:FEW_PAGES]
    with progress("pages of single results", len(wanted), counted=True) as advance:
        for result in wanted:
            _write_page(result)
            advance(1)
    beside = {result.path: _there(result, target) for result in folder.results}
    write_whole(target, render_index(folder, target, beside), "html")
    return len(planned) - len(wanted)


def render_index(
    folder: Folder, target: Path, pages: dict[Path, Path | None], *, title: str = "privcheck results"
) -> str:
    """Return the page to a target; the same results and pages give the same index."""
    columns = [
        ("target", TEXT),
        ("kind", WORD),
        ("verdict", WORD),
        ("claim: epsilon", NUMBER),
        ("lower bound", NUMBER),
        ("certified upper bound", NUMBER),
        ("seed", NUMBER),
        ("when (UTC)", WORD),
    ]
    rows = [_row(result, folder.path, pages.get(result.path), target) for result in folder.results]
    caption = "All results; violations, leaks, refused certificates and alarms come first"
    parts = []
    if rows:
        parts.append(section("Results", [table(caption, columns, rows, kind="stack texts")], name="results"))
    if failed := folder.failed:
        names = [("cell", TEXT), ("error", TEXT)]
        shown = [[text(asked), text(error)] for asked, error in failed]
        cells = table("Cells of the sweep that failed", names, shown, kind="stack texts")
        parts.append(section("Failed", [cells], name="failed"))
    if folder.claims is not None:
        parts.append(section("All claims together", _claims(folder.claims), name="claims"))
    if folder.unread:
        reasons = [[_link(file, folder.path, target), text(reason)] for file, reason in folder.unread]
        names = [("file", TEXT), ("reason", TEXT)]
        unread = table("Files that could not be read as results", names, reasons, kind="stack texts")
        parts.append(section("Not read", [unread], name="unread"))
    if folder.passed_over:
        kinds = [[_link(file, folder.path, target), text(reason)] for file, reason in folder.passed_over]
        names = [("file", TEXT), ("what it is", TEXT)]
        others = table("Files without a verdict, which are not listed", names, kinds, kind="stack texts")
        parts.append(section("Not listed", [others], name="others"))
    return document(title, header(title, headline(folder)), parts)


def _claims(claims: Together) -> list[str]:
    """Return the sentences on all claims together, and their adjusted p-values, the smallest first."""
    columns = [("target", TEXT), ("p-value", NUMBER), ("Holm", NUMBER), ("false discovery", NUMBER)]
    found = zip(claims.tested, claims.holm, claims.discovery, strict=True)
    rows: list[list[Cell | str]] = [
        [text(numbers.clean(claim.target)), *(Cell(numbers.p_value(p), p) for p in (claim.p_value, one, other))]
        for claim, one, other in sorted(found, key=lambda entry: entry[0].p_value)
    ]
    caption = "The p-value of each claim, and adjusted for the number of claims"
    sentences = [f"<p>{text(sentence)}</p>" for sentence in claims.sentences]
    return [*sentences, table(caption, columns, rows, kind="stack texts")]


def is_own(page: Path) -> bool:
    """Return whether privcheck wrote a page."""
    try:
        return OWN in page.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False


def headline(folder: Folder) -> str:
    """Return how many results there are, and of which verdicts."""
    counts = Counter(result.verdict for result in folder.results)
    words = ", ".join(f"{count} {word}" for word, count in counts.items())
    unread = f"; {plural(len(folder.unread), 'file')} not read" if folder.unread else ""
    sweeps = "".join(f"; sweep of {sweep.sentence}" for sweep in folder.sweeps)
    outdated = sum(bool(result.outdated) for result in folder.results)
    older = (
        f"; {outdated} older than the code of {'its target' if outdated == 1 else 'their targets'}" if outdated else ""
    )
    return plural(len(folder.results), "result") + (f": {words}" if words else "") + older + unread + sweeps


def sign(result: IndexRow) -> str:
    """Return the sign of a verdict; a claim that could not be refuted, or has a refused certificate, has no tick."""
    return result.mark or SIGNS.get(result.verdict, "–")


def _rank(result: IndexRow) -> int:
    if result.alarm:
        return 0 if result.verdict == "violation" else 1
    return 2 + (ORDER.index(result.verdict) if result.verdict in ORDER else len(ORDER))


def _row(result: IndexRow, folder: Path, page: Path | None, target: Path) -> list[Cell | str]:
    name, parenthesis, rest = numbers.clean(result.target).partition("(")
    shown = place(name) or text(result.path.stem)
    link = f'<a href="{_address(page, target)}">{shown}</a>' if page else shown
    when = datetime.fromtimestamp(result.when, UTC)
    word = badge(result.verdict, sign(result))
    return [
        Cell(
            link
            + below(text(parenthesis + rest))
            + below(text(result.told_apart))
            + below(text(numbers.clean(result.outdated)))
            + below(text(result.detail))
            + below(text("" if result.provided in result.detail else result.provided))
            + below(_link(result.path, folder, target)),
            numbers.clean(result.target),
        ),
        result.kind,
        Cell(word, _rank(result)),
        Cell(
            numbers.in_unit(numbers.claim_text(result.claim, 0.0), result.unit)
            + below(f"delta {numbers.small(result.delta)}" if result.delta else ""),
            result.claim,
        ),
        Cell(numbers.in_unit(numbers.at_least(result.lower), result.unit), result.lower),
        Cell(numbers.in_unit(numbers.at_most(result.upper), result.unit), result.upper),
        numbers.NONE if result.seed is None else Cell(str(result.seed), str(result.seed)),
        Cell(f'<time datetime="{when:%Y-%m-%dT%H:%M:%SZ}">{when:%Y-%m-%d %H:%M}</time>', result.when),
    ]


def _link(file: Path, folder: Path, target: Path) -> str:
    return f'<a href="{_address(file, target)}">{text(str(file.relative_to(folder)))}</a>'


def _address(file: Path, target: Path) -> str:
    return quote(Path(os.path.relpath(file, target.parent)).as_posix(), errors="surrogateescape")


def _there(result: IndexRow, index: Path) -> Path | None:
    """Return the page about a result that is there; None without one."""
    beside = [result.path.with_suffix(suffix) for suffix in PAGES]
    return next((page for page in beside if page.is_file() and not _same(page, index)), None)


def _lacks_page(result: IndexRow, index: Path) -> bool:
    """Tell whether a page can be written about a result that has none, or one that is out of date."""
    there = _there(result, index)
    page = there or result.path.with_suffix(PAGES[0])
    return result.page is not None and not _same(page, index) and (there is None or _outdated(there, result.when))


def _write_page(result: IndexRow) -> None:
    beside = [result.path.with_suffix(suffix) for suffix in PAGES]
    page = next((page for page in beside if page.is_file()), beside[0])
    assert result.page is not None
    with suppress(Exception):  # whatever a strange file makes of a page: the index goes without it
        write_whole(page, result.page())


def _outdated(page: Path, when: float) -> bool:
    try:
        return page.stat().st_mtime < when and is_own(page)
    except OSError:
        return False


def _same(page: Path, other: Path) -> bool:
    return os.path.realpath(page) == os.path.realpath(other)
