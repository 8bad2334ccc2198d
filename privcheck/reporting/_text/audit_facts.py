"""The numbers of an audit with their names."""

from __future__ import annotations

from privcheck.reporting._pictures.witness_excerpt import words_of
from privcheck.reporting._text import numbers
from privcheck.reporting._text.audit_sentences import candidates, played, plural, resolution
from privcheck.reporting._text.both_bounds import certified_text
from privcheck.results import AuditReport, LawEvidence


def number_rows(report: AuditReport) -> list[tuple[str, str]]:
    """Return the names of the numbers of a report, and the numbers: what it found, then how far it could see."""
    return found_rows(report) + search_rows(report)


def found_rows(report: AuditReport) -> list[tuple[str, str]]:
    """Return the claim, and what bounds epsilon from below and from above."""
    confidence = numbers.percent(report.confidence)
    rows = [("claim", _claim(report))]
    if report.claim_lower is not None and report.claimed is not None:
        name = report.claimed[0]
        at = f" at epsilon = {report.claim_epsilon:g}" if name == "delta" else ""
        rows.append((f"lower bound on {name}{at} ({confidence})", numbers.at_least(report.claim_lower)))
    on_epsilon = " on epsilon" if report.claim_lower is not None else ""
    rows.append((f"lower bound{on_epsilon} ({confidence})", numbers.at_least(report.epsilon_lower)))
    if report.e_value is not None:
        rows.append(("e-value against the claim", numbers.digits_at_least(report.e_value, 3)))
    if report.exact_loss is not None:
        name = "exact loss" if report.law is None else "loss by the given law, taken on your word"
        rows.append((name, numbers.exact(report.exact_loss)))
    rows += law_rows(report.by_law)
    certified = certified_text(report)
    if certified is not None:
        rows.append(("certified upper bound", certified))
    return rows


def law_rows(evidence: LawEvidence | None) -> list[tuple[str, str]]:
    """Return the largest loss by the given law, with its pair, and how runs on this pair fit the law."""
    if evidence is None:
        return []
    fit = "follow it" if evidence.follows else "do not follow it"
    rows = [
        ("largest loss by the law", f"{numbers.at_least(evidence.bound.epsilon_lower)}, on {evidence.streams}"),
        ("runs against the law", f"{evidence.runs:,} on each input {fit}: p-value {numbers.p_value(evidence.p_value)}"),
    ]
    for event in evidence.events:
        said = [
            f"{numbers.probability(chance)} on the {side}, {event.runs:,} runs {_chances(interval)}"
            for side, chance, interval in zip(("first", "second"), event.by_law, event.intervals, strict=True)
        ]
        rows.append((f"outputs likelier on the {event.likelier} by the law", "; ".join(said)))
    return rows


def _chances(interval: tuple[float, float]) -> str:
    return f"{numbers.probability_at_least(interval[0])} to {numbers.probability_at_most(interval[1])}"


def search_rows(report: AuditReport) -> list[tuple[str, str]]:
    """Return what was searched, what the runs could have shown, and other statistics of the event."""
    confidence = numbers.percent(report.confidence)
    rows = []
    if report.guarded:
        rows.append(("played", "under the guard, with the claim as budget"))
    if report.randomness == "independent":
        rows.append(("randomness", "without seeds; independence of the runs is taken on your word"))
    rows.append(("searched", f"{_searched(report)}; neighbour relation: {report.neighbours}{_range(report)}"))
    if report.resolution is not None:
        rows.append((f"resolution (level {report.error:g})", f"{resolution(report)}, from {played(report)}"))
    if report.epsilon_estimate is not None:
        estimate = f"{numbers.exact(report.epsilon_estimate.value)} {numbers.interval(report.epsilon_estimate)}"
        rows.append((f"log-ratio of this event ({confidence})", estimate))
    if report.e_value is None:
        rows.append((f"Clopper-Pearson ({confidence})", numbers.at_least(report.epsilon_lower_clopper_pearson)))
    return rows


def _range(report: AuditReport) -> str:
    """Return the ranges of what was tried; data of a function have a note of their own."""
    if report.feedback == "mechanism":
        return ""
    low, high = report.rewards
    tried = f"; rewards in [{low:g}, {high:g}]"
    if (contexts := report.contexts) is None:
        return tried
    norm = "" if contexts.norm is None else f" and L2 norms of at most {contexts.norm:g}"
    return f"{tried}, contexts in [{contexts.low:g}, {contexts.high:g}]{norm}"


def _claim(report: AuditReport) -> str:
    if report.epsilon_claimed is not None:
        return f"epsilon = {numbers.claim_text(report.epsilon_claimed, report.delta)}".replace("delta ", "delta = ")
    if report.tradeoff_claimed is not None:
        return f"a trade-off curve with {plural(len(report.tradeoff_claimed), 'corner')}"
    return report.claim_words


def _searched(report: AuditReport) -> str:
    """Return the extent of the search: the candidates screened, the variants of good ones, and the runs."""
    search, runs = report.search, plural(report.screening_runs, "run")
    if report.epsilon_lower is None and report.stop_after == 0:
        return "cut short; how far the search came is not recorded"
    if search is None or search.pairs < 2:
        return f"{plural(report.screened_pairs, 'pair')} of {words_of(report).one}s in {runs}"
    variants = report.screened_pairs - search.screened
    joined = f" and {plural(variants, 'variant')}" if search.screened and variants > 0 else ""
    coins = {None: "", True: "; random pairs under equal coins", False: "; random pairs on independent runs"}
    return f"{candidates(search)}{joined} in {runs}{coins[search.equal_coins]}"
