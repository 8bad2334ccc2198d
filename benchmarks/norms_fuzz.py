"""Charges of random programs beside exact losses: `python benchmarks/norms_fuzz.py --cases 20000 --seed 0`.

    --cases 20000       how many: numbers 0, 1, ... of a seed are the same in every run
    --minutes M         stop after as many minutes, and say how many were examined
    --only N            print one of them, with what it is charged and what it loses, and stop
    --write FILE        write the table into a page, where the last one stands

Two things are compared: the loss in the ledger with the loss of all releases together, and the sensitivity of every
release to every datum, in L1 or L2, with the largest change. A charge below the exact one is an undercharge, which
would be wrong: the command ends with status 1. So it does if a program computes other numbers than the oracle.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from pprint import pprint
from typing import Any

import numpy as np
from exact_norms import Corners, Exact, TooLargeError, exact, of_many, outputs
from random_releases import THEMES, Case, Charged, case, charged
from rich.progress import track
from written_tables import hand_out

import privcheck
from privcheck.private_values import REVEAL, Private, gathered

ROUNDING = 1e-9
"""Relative difference that float rounding may make."""

NOTHING = 1e-12
"""An exact loss, or sensitivity, below this is one of rounding."""

LIMITS = (1 + 1e-6, 1.01, 2.0)


@dataclass
class Row:
    """What was found of some programs: ratios of charges to losses, and of sensitivities to largest changes."""

    cases: int = 0
    ratios: list[float] = field(default_factory=list)
    norms: list[float] = field(default_factory=list)
    undercharged: list[str] = field(default_factory=list)
    """Numbers of programs, with the release and the datum."""
    refused: list[str] = field(default_factory=list)
    large: int = 0
    singles: int = 0
    single_ratios: list[float] = field(default_factory=list)
    single_norms: list[float] = field(default_factory=list)
    """Of programs whose neighbours differ in one datum."""

    def add(self, number: int, each: Case, found: Charged, true: Exact) -> None:
        """Compare one program."""
        self.cases += 1
        if found.refused:
            self.refused.append(f"{number}: {found.refused}")
            return
        before = len(self.ratios), len(self.norms)
        self._compare(self.ratios, f"{number}", found.loss, true.loss)
        for place, (charge, change) in enumerate(zip(found.sensitivities, true.sensitivities, strict=True)):
            for datum, most in change.items():
                self._compare(self.norms, f"{number} (release {place}, datum {datum})", charge.get(datum, 0.0), most)
        if each.group == 1:
            self.singles += 1
            self.single_ratios += self.ratios[before[0] :]
            self.single_norms += self.norms[before[1] :]
        if differs(each, found) > ROUNDING:
            raise AssertionError(f"program {number} computes other numbers than those of which its loss is computed")

    def _compare(self, ratios: list[float], name: str, charge: float, most: float) -> None:
        if charge < most * (1 - ROUNDING) - NOTHING:
            self.undercharged.append(name)
        if most > NOTHING:
            ratios.append(charge / most)
        elif charge > ROUNDING:
            ratios.append(float("inf"))  # what it is charged for never moves


def differs(each: Case, found: Charged) -> float:
    """Return how far what was released is, without noise, from what the oracle computes at the hidden values."""
    total: Any = np.concatenate([np.array(release[4]) for release in each.releases]) + of_many(each)
    for place, datum in enumerate(each.data):
        numbers = np.array(datum.values)[:, None]
        total = total + outputs(each, place, Corners(numbers, 0 * numbers, np.array([float(datum.arm)])))[0]
    return float(np.abs(np.concatenate([np.ravel(value) for value in found.values]) - total).max())


def numbers(value: Any) -> Any:
    """Return the numbers behind a release."""
    found = gathered(value)
    return np.array(found.reveal(REVEAL) if isinstance(found, Private) else found, np.float64)


Tool = Callable[[Case, Callable[[Any], Any]], Charged]


def compare(cases: int, seed: int, minutes: float = float("inf"), tool: Tool = charged) -> dict[tuple[str, bool], Row]:
    """Compare programs of a seed, by theme and by whether each datum adds one function."""
    rows = {(theme, plain): Row() for theme in THEMES for plain in (True, False)}
    end = time.monotonic() + 60 * minutes
    for number in track(range(cases), "programs", disable=not sys.stderr.isatty()):
        each = case(seed, number)
        row = rows[each.theme, each.plain]
        try:
            row.add(number, each, tool(each, numbers), exact(each))
        except TooLargeError:
            row.large += 1
        if time.monotonic() > end:
            break
    return rows


def shares(ratios: list[float]) -> list[str]:
    """Return the shares of ratios within limits, and the largest."""
    if not ratios:
        return ["-"] * (len(LIMITS) + 1)
    found = np.array(ratios)
    return [*(f"{np.mean(found <= limit):.1%}" for limit in LIMITS), f"{found[np.isfinite(found)].max():.2f}"]


def _together(rows: Iterable[Row]) -> Row:
    """Return what was found of the programs of several rows."""
    total = Row()
    for row in rows:
        for name in vars(row):
            setattr(total, name, getattr(total, name) + getattr(row, name))
    return total


def page(rows: dict[tuple[str, bool], Row], seed: int, seconds: float) -> str:
    """Return the tables in Markdown."""
    total, alone = _together(rows.values()), _together(row for (theme, _), row in rows.items() if theme != "many")
    command = f"python benchmarks/norms_fuzz.py --cases {total.cases + total.large} --seed {seed}"
    left_out = f" {total.large} of them have too many corners, and were left out." if total.large else ""
    lines = [
        f"{total.cases + total.large:,} programs, `{command}` on {date.today()}, Python {platform.python_version()}, "
        f"privcheck {privcheck.__version__}, {seconds:.0f} CPU s.{left_out}",
        "",
        "| functions | of a datum | programs | undercharged | refused | 1 + 1e-6 | 1.01 | 2 | largest | sensitivities "
        "| 1 + 1e-6 | 1.01 | 2 | largest |",
        f"|{' --- |' * 14}",
    ]
    names = [(theme, "one" if plain else "several") for theme, plain in rows]
    names += [("all of one datum", ""), ("those, neighbours that differ in one datum", "")]
    single = Row(cases=alone.singles, ratios=alone.single_ratios, norms=alone.single_norms)
    for (theme, count), row in zip(names, [*rows.values(), alone, single], strict=True):
        under, refused = len(row.undercharged), len(row.refused)
        parts = [f"{row.cases:,}", f"{under}", f"{refused}", *shares(row.ratios), f"{len(row.norms):,}"]
        lines.append(f"| {theme} | {count} | {' | '.join([*parts, *shares(row.norms)])} |")
    for name, found in (("Undercharged", total.undercharged), ("Refused", total.refused)):
        lines += [f"\n{name}: {'; '.join(found[:20])}"] if found else []
    return "\n".join(lines)


def main() -> None:
    """Print the table, or write it into a page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--only", type=int)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    if options.only is not None:
        each = case(options.seed, options.only)
        for shown in (each, charged(each), exact(each)):
            pprint(shown, width=120)
        return
    start = time.process_time()
    rows = compare(options.cases, options.seed, options.minutes)
    text = page(rows, options.seed, time.process_time() - start)
    hand_out(text, options.write)
    if any(row.undercharged for row in rows.values()):
        sys.exit(1)


if __name__ == "__main__":
    main()
