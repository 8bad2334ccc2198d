"""One page about regret against epsilon: a single HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Callable

from privcheck.bounds import theorem_name
from privcheck.reporting._pages.elements import document, facts, header, inline_picture, items, place, section, text
from privcheck.reporting._pages.html_table import NUMBER, TEXT, WORD, Cell, table
from privcheck.reporting._pictures.frontier_picture import frontier_figure
from privcheck.reporting._text.numbers import NONE, amount, amount_at_least, amount_at_most, given
from privcheck.reporting._text.places import described_place
from privcheck.results import Frontier

TITLE = "privcheck frontier"


def render_frontier(frontier: Frontier) -> str:
    """Return the page; the same frontier gives the same page.

    >>> from privcheck.tradeoffs._frontier import frontier
    >>> found = frontier("adap-ucb", [0.9, 0.1], epsilons=[1.0], horizon=1000, runs=5, audit_runs=0)
    >>> "certified upper bound" in render_frontier(found)
    True
    """
    where = described_place(frontier.environment, frontier.means, frontier.arms)
    number = len(frontier.policies)
    policies = f"{number} policies" if number != 1 else "1 policy"
    headline = f"{policies} on {where}: {frontier.horizon:,} rounds"
    caption = (
        f"Mean pseudo-regret at the {frontier.claim} that each policy claims, with a bar from the 5 % to the 95 % "
        f"quantile of its runs. The horizontal bar is what is known of its true {frontier.unit}."
        + (" Dotted: an asymptotic rate, no bound at T." if frontier.bounds else "")
    )
    picture = inline_picture(lambda width: frontier_figure(frontier, width=width), "frontier-picture", caption)
    parts = [
        section(f"Regret against {frontier.unit}", [picture], name="frontier"),
        section("What is known of every policy", [_points(frontier)], name="points"),
        *([section("The theory", [_bounds(frontier)], name="theory")] if frontier.bounds else []),
        section("What was run", [facts(_setting(frontier, where))], name="setting"),
        section("What this does and does not mean", [items(_meaning(frontier))], name="meaning"),
    ]
    return document(TITLE, header(TITLE, headline), parts)


def _points(frontier: Frontier) -> str:
    columns = [("policy", TEXT), (f"claim: {frontier.claim}", NUMBER), ("audited lower bound", NUMBER)]
    columns += [("certified upper bound", NUMBER), ("verdict", WORD), ("mean", NUMBER)]
    columns += [("5 % quantile", NUMBER), ("95 % quantile", NUMBER), ("runs", NUMBER)]
    rows: list[list[Cell | str]] = []
    for point in frontier.points:
        known = _cell(point.budget, given), _cell(point.lower, amount_at_least), _cell(point.upper, amount_at_most)
        regret = (point.mean, point.q05, point.q95, point.runs)
        verdict = text(point.verdict or NONE)
        rows.append([Cell(place(point.policy)), *known, verdict, *(_cell(value, amount) for value in regret)])
    return table(f"Pseudo-regret after {frontier.horizon:,} rounds", columns, rows, kind="stack")


def _bounds(frontier: Frontier) -> str:
    budgets = {point.epsilon for point in frontier.points}
    columns = [("epsilon", TEXT), ("rate × ln T", NUMBER), ("of", TEXT), ("upper bound at T", NUMBER), ("of", TEXT)]
    rows: list[list[Cell | str]] = []
    for at in frontier.bounds:
        if at.epsilon in budgets:
            lower, upper = (text(theorem_name(name)) if name else NONE for name in (at.lower_id, at.upper_id))
            rate, most = _cell(at.lower, amount_at_least), _cell(at.upper, amount_at_most)
            rows.append([_cell(at.epsilon, given), rate, lower, most, upper])
    return table("The largest asymptotic lower bound and the smallest proven upper bound", columns, rows, kind="stack")


def _cell(value: float | None, written: Callable[[float], str]) -> Cell | str:
    return NONE if value is None else Cell(written(value), value)


def _setting(frontier: Frontier, where: str) -> list[tuple[str, str]]:
    remarks = [("remark", remark) for remark in frontier.remarks]
    order = [("order of the arms", "random in every run")] if frontier.shuffle_arms else []
    rounds, seed = ("rounds", f"{frontier.horizon:,}"), ("seed", str(frontier.seed))
    labels = [(label, name) for label, name in frontier.labels if label != name]
    return [("environment", where), *labels, *order, rounds, seed, *remarks]


def _meaning(frontier: Frontier) -> list[str]:
    theory = (
        "A rate times ln T is the limit as T grows, and not a bound at any T. An upper bound is that of the algorithm "
        "that its theorem is about, or T times the largest gap, which no regret exceeds, where that is smaller."
    )
    return [
        f"Each audited lower bound holds with confidence {frontier.confidence:g} on its own, not all of them together. "
        "The audits screen few pairs of streams: an audit of one policy finds more. A claim is not refuted where its "
        "verdict is consistent or inconclusive; see `privcheck audit` for the difference.",
        "A certified upper bound covers the code that was certified under its guard; for a shipped algorithm this is "
        "its reference.",
        *([theory] if frontier.bounds else []),
    ]
