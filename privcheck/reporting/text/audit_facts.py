"""The numbers of an audit with their names."""

from __future__ import annotations

from privcheck.reporting.text import numbers
from privcheck.reporting.text.audit_sentences import candidates, played, plural, resolution
from privcheck.reporting.text.both_bounds import certified_text
from privcheck.results.audit_report import AuditReport


def number_rows(report: AuditReport) -> list[tuple[str, str]]:
    """Return the names of the numbers of a report, and the numbers."""
    confidence = numbers.percent(report.confidence)
    claim = (
        "none"
        if report.epsilon_claimed is None
        else f"epsilon = {numbers.claim_text(report.epsilon_claimed, report.delta)}"
    )
    rows = [
        ("claim", claim.replace("delta ", "delta = ")),
        (f"lower bound ({confidence})", numbers.at_least(report.epsilon_lower)),
    ]
    if report.e_value is not None:
        rows.append(("e-value against the claim", numbers.small(report.e_value)))
    else:
        rows.append((f"Clopper-Pearson ({confidence})", numbers.at_least(report.epsilon_lower_clopper_pearson)))
    if report.epsilon_estimate is not None:
        estimate = report.epsilon_estimate
        rows.append(
            (
                f"log-ratio of this event ({confidence})",
                f"{numbers.exact(estimate.value)} {numbers.interval(estimate)}",
            )
        )
    if report.exact_loss is not None:
        rows.append(("exact loss", numbers.exact(report.exact_loss)))
    certified = certified_text(report)
    if certified is not None:
        rows.append(("certified upper bound", certified))
    if report.resolution is not None:
        rows.append((f"resolution (level {report.error:g})", f"{resolution(report)}, from {played(report)}"))
    if report.guarded:
        rows.append(("played", "under the guard, with the claim as budget"))
    rows.append(("searched", f"{_searched(report)}; neighbour relation: {report.neighbours}"))
    return rows


def _searched(report: AuditReport) -> str:
    """Return the extent of the search: the candidates screened, the variants of good ones, and the runs."""
    search, runs = report.search, plural(report.screening_runs, "run")
    if search is None or search.pairs < 2:
        return f"{plural(report.screened_pairs, 'pair')} of streams in {runs}"
    variants = report.screened_pairs - search.screened
    joined = f" and {plural(variants, 'variant')}" if search.screened and variants > 0 else ""
    coins = {None: "", True: "; random pairs under equal coins", False: "; random pairs on independent runs"}
    return f"{candidates(search)}{joined} in {runs}{coins[search.equal_coins]}"
