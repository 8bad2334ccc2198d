"""`privcheck report` and `privcheck compare`: results that are there already."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from privcheck.cli._delivery import deliver, show
from privcheck.cli._described.code_findings import check_findings
from privcheck.cli._options import Json, check_html, check_json
from privcheck.cli._statuses import status_of_audit, status_of_certificate, status_of_comparison, status_of_folder


def report(
    folder: Annotated[
        str, typer.Argument(metavar="DIR", help="A folder of results written with --json; with --review one of them.")
    ],
    html: Annotated[str | None, typer.Option(help="File for the page; DIR/index.html by default.")] = None,
    pages: Annotated[
        bool | None,
        typer.Option(
            "--pages/--no-pages", help="Write all missing pages of single results, or none; by default the first 50."
        ),
    ] = None,
    level: Annotated[
        float, typer.Option(help="Error rate of the lines on all audited claims together, in (0, 0.5].")
    ] = 0.05,
    review: Annotated[
        bool, typer.Option("--review", help="Print one audit or certificate as Markdown for a review or a bug report.")
    ] = False,
    latex: Annotated[bool, typer.Option("--latex", help="With --review: print LaTeX in place of Markdown.")] = False,
) -> int:
    """Summarise many results in one page: a sortable row for each, violations first, with links to their pages.

        privcheck audit adap-ucb --epsilon 1 --json results/audit.json
        privcheck certify adap-ucb --epsilon 1 --json results/certificate.json
        privcheck report results

    Reads the .json files of audits, certificates, fixes, watches, steps, bounds, frontiers and simulations in the
    folder and its subfolders; links are followed, and no file is read twice. Each result links to the page with the
    same name. Missing pages are written, by default of the 50 results that come first: violations, leaks, refused
    certificates and alarms do. --pages writes all.

    If several claims were audited, two lines say which of them are refuted when their number is allowed for: with a
    bound on the probability of any wrong refutation, and on the share of wrong ones. The folder has to hold all audits
    that were made, not only those with a result that was looked for. In the folder of `privcheck sweep`, finished or
    not, claims that are not tested yet count too, and stale results are left out.

    What a review of a paper or a bug report needs of one result is printed by --review: the claim, what was run, the
    two inputs, the event, the bound, the command that repeats it, and what it does not show:

        privcheck report results/audit.json --review

    Exit status: 0 nothing found, 1 any violation, leak, refused certificate, leak without a patch or alarm of a watch
    that stands, 2 bad input, including a .json file that cannot be read as a result: it is named on standard error and
    left out of the page. So is a cell of a sweep that failed. What holds no verdict, such as an account of a plan, is
    named too, and changes no status.
    """
    from privcheck.errors import PrivcheckError, on_one_line, printable, words
    from privcheck.reporting import details, is_own, plural, read_folder, save_index, sentence

    if latex and not review:
        raise PrivcheckError("latex", words("--latex alone"), "--review too", "add --review")
    if review:
        return _review(folder, "latex" if latex else "markdown")
    target = Path(folder) / "index.html" if html is None else Path(html)
    found = read_folder(folder, level)
    check_html(str(target))
    if html is None and target.is_file() and not is_own(target):
        raise PrivcheckError("html", str(target), "a page that privcheck wrote", "choose another file with --html")
    for file, reason in found.unread:
        sys.stderr.write(on_one_line(f"privcheck: not read: {file}: {reason}") + "\n")
    for file, reason in found.passed_over:
        sys.stderr.write(on_one_line(f"privcheck: not listed: {file}: {reason}") + "\n")
    for sweep in found.sweeps:
        for error, count in sweep.errors.items():
            sys.stderr.write(on_one_line(f"privcheck: {plural(count, 'cell')} failed: {error}") + "\n")
    try:
        if found.results:
            show(details(found), highlight=False)
        if found.claims is not None:
            from rich.text import Text

            show(Text("\n".join(map(on_one_line, found.claims.sentences))))
        sys.stdout.write(f"{on_one_line(sentence(found))}\npage: {printable(str(target))}\n")
        sys.stdout.flush()
    finally:
        left = save_index(found, target, pages=pages)
    if left:
        told = f"privcheck: {plural(left, 'page')} of single results not written; --pages writes all of them"
        sys.stderr.write(told + "\n")
    return status_of_folder(found)


def _review(file: str, form: str) -> int:
    """Print what a review says of one result."""
    from privcheck.errors import PrivcheckError, words
    from privcheck.reporting import load, review
    from privcheck.results import AuditReport, Certificate

    if Path(file).is_dir():
        raise PrivcheckError("review", file, "the .json file of one result", "a review is about one of them")
    found = load(file)
    if not isinstance(found, AuditReport | Certificate):
        got = words(f"{file}, a {type(found).__name__}")
        raise PrivcheckError("review", got, "the .json file of an audit or a certificate")
    sys.stdout.write(review(found, form))
    return status_of_certificate(found) if isinstance(found, Certificate) else status_of_audit(found)


def compare(
    old: Annotated[str, typer.Argument(metavar="OLD", help="The baseline: a .json file or a folder of them.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="A .json file for a file, a folder for a folder.")],
    annotate: Annotated[
        str | None,
        typer.Option(metavar="HOST", help="Add the table to the job summary of this code host: github."),
    ] = None,
    json: Json = None,
) -> int:
    """Compare results with earlier ones of the same claims: verdicts, bounds, certificates, regret and cost.

        privcheck audit adap-ucb --epsilon 1 --runs 500 --json old.json
        privcheck audit adap-ucb --epsilon 1 --runs 500 --seed 1 --json new.json
        privcheck compare old.json new.json

    A verdict gets worse from consistent to inconclusive to violation, and from certified to inconclusive or no
    certificate to not certified. Bounds, regret, runs and seconds are shown and do not count.

    Results are comparable if they are of one target, whose file may have moved, and their claims, neighbours, what is
    observed, kind of feedback, range of rewards, contexts, arms, horizon, confidence and error (simulations:
    environment, horizon and whether arms are shuffled) are equal. In two folders, files with equal paths belong
    together, in folders of `privcheck sweep` the results of equal cells.

    Exit status: 0 the same or better, 1 a verdict got worse, 2 unreadable, missing or not comparable: it is named.
    """
    from privcheck.reporting import append_summary, compare_paths, details, markdown

    check_json(json)
    check_findings(annotate, None, None)
    found = compare_paths(old, new)
    files: list[Callable[[], object]] = []
    if annotate is not None:
        files.append(lambda: append_summary(markdown(found)))
    status = status_of_comparison(found)
    deliver(json, found.to_json(status), lambda: details(found), *files)
    return status
