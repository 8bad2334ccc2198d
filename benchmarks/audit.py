"""How tight, how steady and how fast audits are: `python benchmarks/audit.py [--seeds 20] [NAME ...]`.

Runs declared audits with seeds 0, 1, ... and prints the lower bounds at confidence 0.95: mean, standard deviation,
smallest, largest, how many are above the claim, and the median time.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

AUDITS = Path(__file__).parents[1] / "audits"


def main() -> None:
    """Parse the command line, run the audits, print the table."""
    names = sorted(file.stem for file in AUDITS.glob("[!_]*.py"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=["adap_ucb"], metavar="NAME", help=f"of {', '.join(names)}")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    arguments = parser.parse_args()
    table = Table("audit", "runs per stream", "seeds", "mean", "sd", "smallest", "largest", "above claim", "median s")
    for name in arguments.names:
        spec = importlib.util.spec_from_file_location(name, AUDITS / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        seeds = track(range(arguments.seeds), description=name, console=Console(stderr=True))
        reports = [module.AUDIT.run(seed=seed, jobs=arguments.jobs) for seed in seeds]
        bounds = [float(report.epsilon_lower or 0.0) for report in reports]
        above = sum(bound > module.AUDIT.epsilon for bound in bounds)
        table.add_row(
            name, f"{module.AUDIT.runs:,}", str(len(bounds)), f"{statistics.mean(bounds):.3f}",
            f"{statistics.pstdev(bounds):.3f}", f"{min(bounds):.3f}", f"{max(bounds):.3f}", str(above),
            f"{statistics.median(report.seconds for report in reports):.1f}",
        )  # fmt: skip
    Console().print(table)


if __name__ == "__main__":
    main()
