"""Certificates of random programs beside their exact losses: `python benchmarks/certified_programs.py [--seed 0]`.

    --programs 2000     how many: numbers 0, 1, ... of a seed are the same in every run
    --minutes M         stop after as many minutes, and say how many programs were examined
    --folder DIR        write the programs as files, with their neighbours and exact losses in losses.csv, and stop
    --write FILE        write the table into a page, where the last one stands

A tool is a function of a program and its file that returns an upper bound on the loss, or says why it gives none; to
compare another one, add it to `TOOLS`. A bound below the exact loss is an undercharge: it would be wrong.
"""

from __future__ import annotations

import argparse
import collections
import csv
import platform
import re
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
from generated_losses import exact_loss
from generated_programs import ARMS, Program, program
from rich.progress import track
from written_tables import hand_out

import privcheck

ROUNDING = 1e-6
NOTHING = 1e-12
"""An exact loss below this is one of rounding: what is published does not depend on the data."""


class Scripted:
    """A Generator that returns given numbers in the place of noise."""

    def __init__(self, noise: np.ndarray) -> None:
        self.noise, self.used = noise, 0

    def laplace(self, loc: float, _scale: float, size: int = 1) -> Any:
        drawn = self.noise[self.used : self.used + size]
        self.used += size
        return loc + (drawn if size > 1 else float(drawn[0]))

    normal = laplace


def published(source: str, rewards: np.ndarray, noise: np.ndarray) -> list[float]:
    """Play a program on ordinary numbers and return what it publishes."""
    names: dict[str, Any] = {}
    exec(compile(source, "<program>", "exec"), names)  # the benchmark wrote it
    policy = names["Program"](Scripted(noise))
    for reward in rewards:
        policy.update(policy.select(), float(reward))
    return list(policy.published)


def differs_from_its_code(each: Program, rng: np.random.Generator) -> float:
    """Return how far what the code publishes is from the linear function of which the exact loss is computed."""
    rewards, noise = rng.random(each.horizon), rng.normal(size=len(each.scales))
    features = np.array([[np.polyval(f.polynomial(r), r) for f in each.features] for r in rewards])
    expected = np.einsum("jtf,tf->j", each.coefficients, features) + each.draws @ noise
    return float(np.abs(np.array(published(each.source, rewards, noise)) - expected).max())


def by_privcheck(each: Program, file: Path) -> float | str:
    """Return the loss of the ledger of a granted certificate, or the reason of the refusal.

    The budget is too large to matter. What these programs publish does not depend on rewards or coins, so that the
    charge of every run is the smallest budget that is granted.
    """
    notion = "epsilon" if each.law == "laplace" else "mu"
    options: dict[str, Any] = {notion: 1000.0, "neighbours": each.neighbours}
    try:
        found = privcheck.certify(f"{file}:Program", arms=ARMS, horizon=each.horizon, runs=1, **options)
    except privcheck.PrivcheckError as error:
        return str(error)
    if not found.granted:
        return str(next(iter([*found.leaks, *found.refusals, *found.notes]), found))
    return float(getattr(found, f"ledger_{notion}"))


TOOLS: dict[str, Callable[[Program, Path], float | str]] = {"privcheck": by_privcheck}


@dataclass
class Column:
    """What a tool said of all programs: ratios of bounds to losses, undercharged programs, reasons of refusals."""

    ratios: list[float] = field(default_factory=list)
    undercharged: list[int] = field(default_factory=list)
    refused: list[tuple[int, str, float]] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, number: int, bound: float | str, exact: float) -> None:
        exact = 0.0 if exact < NOTHING else exact
        if isinstance(bound, str):  # a reason
            self.refused.append((number, bound, exact))
        elif bound < exact * (1 - ROUNDING):
            self.undercharged.append(number)
        elif exact > 0:
            self.ratios.append(bound / exact)


def compare(programs: int, seed: int, folder: Path, minutes: float = float("inf")) -> tuple[dict[str, Column], int]:
    """Write programs into a folder, ask every tool about each of them, and return what they said of how many."""
    columns = {name: Column() for name in TOOLS}
    rng, end, number = np.random.default_rng(seed), time.monotonic() + 60 * minutes, -1
    for number, each, exact, file in written(programs, seed, folder):
        if differs_from_its_code(each, rng) > ROUNDING:
            raise AssertionError(f"program {number} of seed {seed} does not publish what its loss is computed of")
        for name, tool in TOOLS.items():
            start = time.process_time()
            columns[name].add(number, tool(each, file), exact)
            columns[name].seconds += time.process_time() - start
        if time.monotonic() > end:
            break
    return columns, number + 1


def written(programs: int, seed: int, folder: Path) -> Any:
    """Write programs and the table of their losses, and yield them."""
    with (folder / "losses.csv").open("w", newline="", encoding="utf-8") as out:
        table = csv.writer(out)
        table.writerow(["file", "notion", "neighbours", "horizon", "exact"])
        for number in track(range(programs), "programs", disable=not sys.stderr.isatty()):
            each = program(seed, number)
            exact = exact_loss(each)
            file = folder / f"program_{number:05d}.py"
            file.write_text(each.source, encoding="utf-8")
            notion = "epsilon" if each.law == "laplace" else "mu"
            table.writerow([file.name, notion, each.neighbours, each.horizon, repr(exact)])
            yield number, each, exact, file


def reason(text: str) -> str:
    """Return the words of a refusal without its place, its data and its numbers."""
    operation, found, _ = text.split(" in update: ")[-1].partition(" on a private value")
    return f"{operation}{found}" if found else re.sub(r"[\d.]+", "", text.partition(", expected")[0])


def page(columns: dict[str, Column], programs: int, seed: int) -> str:
    """Return the table and what lies behind it, in Markdown."""
    lines = [
        f"{programs} programs, `python benchmarks/certified_programs.py --programs {programs} --seed {seed}` on "
        f"{date.today()}, Python {platform.python_version()}, privcheck {privcheck.__version__}.",
        "",
        "| tool | undercharged | refused | 1 + 1e-6 | 1.01 | 1.1 | 2 | above 2 | largest | CPU s a program |",
        f"|{' --- |' * 10}",
    ]
    for name, column in columns.items():
        ratios = np.array(column.ratios or [np.nan])
        shares = [f"{np.mean(ratios <= limit):.1%}" for limit in (1 + ROUNDING, 1.01, 1.1, 2.0)]
        shares += [f"{np.mean(ratios > 2.0):.1%}", f"{ratios.max():.3f}"]
        lines.append(
            f"| {name} | {len(column.undercharged)} | {len(column.refused)} | {' | '.join(shares)} "
            f"| {column.seconds / programs:.2f} |"
        )
    for name, column in columns.items():
        reasons = collections.Counter(
            "not private (the exact loss is infinite)" if np.isinf(exact) else reason(text)
            for _, text, exact in column.refused
        )
        lines += ["", f"Why {name} refused:", "", "| because | programs |", "| --- | --- |"]
        lines += [f"| {text.replace('|', '/')} | {count} |" for text, count in reasons.most_common()]
        lines += [f"\nUndercharged: numbers {column.undercharged}"] if column.undercharged else []
    return "\n".join(lines)


def main() -> None:
    """Print the table, or write it into a page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        collections.deque(written(options.programs, options.seed, options.folder), maxlen=0)
        return
    with tempfile.TemporaryDirectory() as folder:
        columns, examined = compare(options.programs, options.seed, Path(folder), options.minutes)
    text = page(columns, examined, options.seed)
    hand_out(text, options.write)
    if any(column.undercharged for column in columns.values()):
        sys.exit(1)


if __name__ == "__main__":
    main()
