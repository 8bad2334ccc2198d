"""The page of the comparison, in Markdown."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass

from tools import TOOLS

MORE = 100
"""Runs of privcheck for every run of another player, so that the error of its own mean regret hardly matters."""

APART = 4.0
"""Standard errors beyond which two mean regrets are reported as different: the probability is 6e-5 for two players with
the same law of the regret, if their means are normal. Thompson sampling's regret has skewness 8 on this problem: with
200 runs, the probability is 1.2e-3, all of it above.
"""


@dataclass(frozen=True)
class Round:
    """One repeat of one player: CPU seconds, the pseudo-regret of every run, and what went wrong."""

    seconds: float | None
    regret: list[float]
    error: str


INTRODUCTION = """# Simulators side by side

The speed of privcheck's step engine beside that of published bandit simulators. Every package plays the same problem
over the same horizon, with its own loop, rewards and policies.

- Times are CPU times of one thread, without start-up and compilation: medians over repeats in which the players take
  turns.
- *privcheck* is the compiled step engine, which draws every single reward. No event engine is in this table. It plays
  {more} times as many runs as the others, so that its own mean regret is known well.
- The last column checks whether the same algorithm was played: it is the difference between the mean regret and
  privcheck's, in standard errors of that difference if the law of the regret is the same. These are computed from the
  standard deviation of privcheck's runs, which are many. The standard error beside a mean is from its own runs: where
  the regret has a heavy tail, runs that happen to miss the tail have both a small mean and a small standard error.
"""


def page(
    rounds: dict[tuple[str, str], list[Round]],
    where: str,
    means: tuple[float, ...],
    horizon: int,
    runs: int,
    failed: dict[str, str],
) -> str:
    """Return the page.

    Parameters
    ----------
    rounds : for each player and algorithm, its repeats.
    where : command, date and versions.
    means, horizon, runs : the problem, and the runs in a repeat.
    failed : packages that could not be installed, and why.

    """
    compared = {(tool.name, name): own for tool in TOOLS for name, own in tool.plays.items()}
    arms = ", ".join(f"{mean:g}" for mean in means)
    problem = f"Bernoulli arms with means {arms}; T = {horizon:,}; the others play {runs} runs per repeat."
    lines = [INTRODUCTION.format(more=MORE), problem, "", f"Printed by {where}.", ""]
    lines += [
        "| algorithm | player | steps/s | privcheck is faster by a factor of | mean regret ± se | difference |",
        "|---|---|---:|---:|---:|---:|",
    ]
    remarks = []
    for own in [name for player, name in rounds if player == "privcheck"]:
        base = rounds["privcheck", own]
        rows = [key for key in rounds if compared.get(key, key[1]) == own]
        for player, name in rows:
            found = rounds[player, name]
            failure = next((each.error for each in found if each.error), "")
            if failure or any(each.seconds is None for each in found):
                remarks.append(f"- {player}, {name}: {failure or 'no answer'}.")
                continue
            apart = _apart(found, base)
            cells = [name, player, _rate(found, horizon), _ratio(found, base), _mean(found), f"{apart:+.1f} se"]
            if player == "privcheck":
                cells[3] = cells[5] = ""
            elif abs(apart) > APART:
                remarks.append(f"- {player}, {name}: the mean regret differs by {apart:+.1f} standard errors.")
            lines.append("| " + " | ".join(cells) + " |")
    lines += [
        "",
        f"## Differences of more than {APART:g} standard errors, and players without an answer\n",
        *(remarks or ["None."]),
        *(f"- {tool.name}, {tool.remark}." for tool in TOOLS if tool.remark),
    ]
    lines += [
        "",
        "## Changes needed to install and run the packages\n",
        *(f"- {tool.name}: {tool.pinned}." for tool in TOOLS if tool.pinned),
    ]
    lines += [f"- {name} could not be installed: {why}." for name, why in failed.items()]
    return "\n".join(lines) + "\n"


def _speed(each: Round) -> float:
    return len(each.regret) / (each.seconds or math.nan)


def _rate(found: list[Round], horizon: int) -> str:
    return f"{statistics.median(horizon * _speed(each) for each in found):,.0f}"


def _ratio(found: list[Round], base: list[Round]) -> str:
    return f"{statistics.median(_speed(own) / _speed(each) for each, own in zip(found, base, strict=True)):,.0f}"


def _regret(found: list[Round]) -> tuple[float, float]:
    values = [value for each in found for value in each.regret]
    return statistics.mean(values), statistics.stdev(values) / math.sqrt(len(values))


def _mean(found: list[Round]) -> str:
    mean, error = _regret(found)
    return f"{mean:.1f} ± {error:.1f}"


def _apart(found: list[Round], base: list[Round]) -> float:
    runs, own_runs = (sum(len(each.regret) for each in rounds) for rounds in (found, base))
    (mean, _), (own, own_error) = _regret(found), _regret(base)
    return (mean - own) / (own_error * math.sqrt(1.0 + own_runs / runs))
