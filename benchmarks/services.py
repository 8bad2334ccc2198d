"""Whether audits of what cannot be seeded come out right: `python benchmarks/services.py [--audits 10] [NAME ...]`.

The bandit of examples/service behind a localhost service, the same bandit as a command, and one in this process whose
noise comes from `secrets`: each at claim 1, as a correct twin (noise of scale 2: its loss is half of the claim) and as
a leaky one (noise of scale 1 / 4: its loss is 4). Right is a violation for the leaky twin, and none for the correct
one. The noise has no seed; neighbouring streams and events are searched for with the seeds 0, 1, ... Under the correct
twin's claim a violation has probability at most 0.001 each.
"""

from __future__ import annotations

import argparse
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

import privcheck

FOLDER = Path(__file__).parents[1] / "examples" / "service"
FACTORS = {"correct": 2.0, "leaky": 0.25}


class Secret:
    """Publishes one reward of each arm, with Laplace noise that cannot be seeded."""

    factor = 1.0

    def __init__(self, arms: int, epsilon: float) -> None:
        self.noisy, self.round, self.scale = [0.0] * arms, 0, self.factor / epsilon
        self.drawn = secrets.SystemRandom()

    def select(self) -> int:
        """Return the arm to play."""
        if self.round < len(self.noisy):
            return self.round
        return max(range(len(self.noisy)), key=self.noisy.__getitem__)

    def update(self, action: int, reward: float) -> None:
        """Publish a reward of the first rounds."""
        if self.round < len(self.noisy):
            noise = self.drawn.expovariate(1.0) - self.drawn.expovariate(1.0)
            self.noisy[action] = reward + self.scale * noise
        self.round += 1


@contextmanager
def played(name: str, factor: float) -> Iterator[Any]:
    """Yield a target."""
    if name == "secrets":
        yield type("Secret", (Secret,), {"factor": factor})
    elif name == "command":
        yield privcheck.from_command(["sh", str(FOLDER / "bandit.sh"), str(factor)])
    else:
        words = [sys.executable, str(FOLDER / "bandit_server.py"), "0", str(factor)]
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            try:
                yield privcheck.from_url(server.stdout.readline().split()[-1])
            finally:
                server.kill()


def main() -> None:
    """Parse the command line, run the audits, print the table."""
    names = ["secrets", "command", "service"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=names, metavar="NAME", help=f"of {', '.join(names)}")
    parser.add_argument("--audits", type=int, default=10)
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--pairs", type=int, default=None)
    arguments = parser.parse_args()
    table = Table(
        "target", "twin", "right", "consistent", "lower bounds", "runs per stream", "runs/s", "seconds an audit"
    )
    for name in arguments.names:
        for twin, factor in FACTORS.items():
            reports, started = [], time.monotonic()
            with played(name, factor) as target:
                for seed in range(arguments.audits):
                    options = {"runs": arguments.runs, "pairs": arguments.pairs, "seed": seed}
                    given = {"epsilon": 1.0, "arms": 2, "horizon": 3, "randomness": "independent"}
                    reports.append(privcheck.audit(target, **given, **options))
            seconds = time.monotonic() - started
            right = sum((report.verdict == "violation") == (twin == "leaky") for report in reports)
            lowers = sorted(float(report.epsilon_lower or 0.0) for report in reports)
            made = sum(2 * report.runs + report.screening_runs for report in reports)
            table.add_row(
                name,
                twin,
                f"{right} of {len(reports)}",
                str(sum(report.verdict == "consistent" for report in reports)),
                f"{lowers[0]:.2f} to {lowers[-1]:.2f}",
                f"{arguments.runs:,}",
                f"{made / seconds:.0f}",
                f"{seconds / len(reports):.1f}",
            )
            Console(stderr=True).print(name, twin, right, lowers)
    Console().print(table)


if __name__ == "__main__":
    main()
