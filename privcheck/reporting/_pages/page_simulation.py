"""One page about a simulation: a single HTML file that needs nothing else."""

from __future__ import annotations

from privcheck.reporting._pages.elements import document, facts, header, inline_picture, items, place, section, text
from privcheck.reporting._pages.html_table import NUMBER, TEXT, WORD, Cell, below, table
from privcheck.reporting._pictures.simulation_pictures import regret_figure
from privcheck.reporting._text.numbers import NONE, amount, amounts, p_value, seconds
from privcheck.reporting._text.places import place_text
from privcheck.reporting._text.simulation_notes import UNTESTED, described, order_note, runs_words, too_few_runs
from privcheck.results import STATISTICS, Comparison, Difference, Simulation

NAMES = {"se": "standard error", "q05": "5 % quantile", "q95": "95 % quantile", "q99": "99 % quantile"}


def render_simulation(simulation: Simulation, *, title: str = "privcheck simulation") -> str:
    """Return the page; the same simulation gives the same page.

    >>> from privcheck.simulation._simulate import simulate
    >>> "standard error" in render_simulation(simulate("ucb", [0.75, 0.5], horizon=100, runs=5))
    True
    """
    number = len(simulation.results)
    policies = f"{number} policies" if number != 1 else "1 policy"
    headline = (
        f"{policies} on {place_text(simulation)}: {simulation.horizon:,} rounds, {runs_words(_counts(simulation))}"
    )
    caption = (
        "Mean pseudo-regret of each policy, with a band from the 5 % to the 95 % quantile of its runs. Grey: the "
        "asymptotic rate of a lower bound, a constant times ln t, which is not a bound at any t."
    )
    parts = [
        section("Final regret", [_summary(simulation)], name="regret"),
        section("Regret over time", [_picture(simulation, caption)], name="growth"),
        *_comparisons(simulation),
        section("What was run", [facts(_setting(simulation))], name="setting"),
        section("What this does and does not mean", [items(_meaning(simulation))], name="meaning"),
    ]
    return document(title, header(title, headline), parts)


def _picture(simulation: Simulation, caption: str) -> str:
    return inline_picture(lambda width: regret_figure(simulation, width=width), "regret-picture", caption)


def _counts(simulation: Simulation) -> list[int]:
    return [len(result.regret) for result in simulation.results]


def _summary(simulation: Simulation) -> str:
    ragged = len(set(_counts(simulation))) > 1
    columns = [
        ("policy", TEXT),
        *([("runs", NUMBER)] if ragged else []),
        *((NAMES.get(name, name), NUMBER) for name in STATISTICS),
    ]
    columns += [("engine", WORD), ("time", NUMBER)]
    rows: list[list[Cell | str]] = []
    for row, result in zip(simulation.summary(), simulation.results, strict=True):
        name = place(row["policy"]) + below(text(described(result.algorithm)))
        runs = [Cell(f"{row['runs']:,}", row["runs"])] if ragged else []
        numbers = [NONE if row[key] is None else Cell(amount(row[key]), row[key]) for key in STATISTICS]
        rows.append(
            [
                Cell(name, row["policy"]),
                *runs,
                *numbers,
                text(row["engine"]),
                Cell(seconds(row["seconds"]), row["seconds"]),
            ]
        )
    caption = (
        f"Pseudo-regret after {simulation.horizon:,} rounds, over {runs_words(_counts(simulation))} of each policy"
    )
    return table(caption, columns, rows, kind="stack")


def _comparisons(simulation: Simulation) -> list[str]:
    if len(simulation.results) < 2 or min(len(result.regret) for result in simulation.results) < 2:
        return []
    columns = [
        ("pair: first minus second", TEXT),
        ("means", NUMBER),
        ("p, means", NUMBER),
        ("medians", NUMBER),
        ("95 % quantiles", NUMBER),
        ("99 % quantiles", NUMBER),
        ("first is lower", NUMBER),
        ("p, order", NUMBER),
    ]
    caption = (
        "Differences in final regret with 95 % intervals; below zero, the first policy is better. Intervals and "
        "p-values are adjusted for all pairs."
    )
    pairs = simulation.compare()
    found = table(caption, columns, [_pair(pair) for pair in pairs], kind="stack")
    notes = [UNTESTED, *([few] if (few := too_few_runs(simulation, len(pairs))) else [])]
    return [section("Comparisons", [found, *(f"<p>{text(note)}</p>" for note in notes)], name="comparisons")]


def _pair(found: Comparison) -> list[Cell | str]:
    return [
        Cell(text(f"{found.first} − {found.second}")),
        _difference(found.mean),
        Cell(p_value(found.p_mean, 2), found.p_mean),
        _difference(found.median),
        _difference(found.q95),
        _difference(found.q99),
        Cell(f"{100 * found.better:.1f} %", found.better),
        Cell(p_value(found.p_order, 2), found.p_order),
    ]


def _difference(found: Difference) -> Cell:
    return Cell(amount(found.value) + below(amounts(found.low, found.high)), found.value)


def _setting(simulation: Simulation) -> list[tuple[str, str]]:
    return [
        ("environment", place_text(simulation)),
        ("rounds", f"{simulation.horizon:,}"),
        ("runs", f"{runs_words(_counts(simulation))} of each policy"),
        ("seed", str(simulation.seed)),
        ("policies", "; ".join(described(result.algorithm) for result in simulation.results)),
        *([("order of the arms", "random in every run")] if simulation.shuffle_arms else []),
        *((remark.policy, remark.text) for remark in simulation.remarks),
    ]


def _meaning(simulation: Simulation) -> list[str]:
    note = order_note(simulation)
    return [
        *([note[:1].upper() + note[1:]] if note else []),
        "The pseudo-regret of a run after t rounds is the sum over its rounds of the best arm's mean minus the mean of "
        "the arm that was played. The simulation knows it; whoever plays the bandit does not.",
        f"The quantiles are those of {runs_words(_counts(simulation))}: with few runs, the 99 % quantile is little "
        "more than the largest value.",
        "The same policies, environment, horizon, runs and seed give the same numbers, whatever the number of workers.",
        f"{UNTESTED} To learn about privacy, audit or certify the policy; a frontier has regret and audits together.",
    ]
