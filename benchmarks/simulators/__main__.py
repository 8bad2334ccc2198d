"""Bandit simulators side by side: `python benchmarks/simulators [--repeats 5] [--out docs/evidence/simulators.md]`.

Every package is installed from the package index into a virtual environment of its own, under --folder, and plays the
same Bernoulli problem over the same horizon. One thread, CPU time; the players take turns.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import os
import platform
import subprocess
import sys
import time
import venv
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from page import MORE, Round, page
from tools import LOOP, TOOLS, Tool

import privcheck
from privcheck.bandits import ALGORITHMS
from privcheck.environments import environment
from privcheck.simulation._engine import compile_kernel, engine_of, play

PLACE = environment("c2")
PLAYED = ("ucb", "kl-ucb", "thompson")
DRIVERS = Path(__file__).parent / "drivers"
PATIENCE = 1200.0
"""Seconds after which a driver is stopped, so that a package that hangs does not stop the comparison."""


def main() -> None:
    """Install, play, write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--runs", type=int, default=8, help="in every repeat")
    parser.add_argument("--horizon", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=Path("out/simulators"), help="virtual environments")
    parser.add_argument("--out", type=Path, help="write the page there")
    arguments = parser.parse_args()
    failed = {tool.name: why for tool in TOOLS if (why := install(tool, arguments.folder))}
    rounds: dict[tuple[str, str], list[Round]] = defaultdict(list)
    for name in PLAYED:
        compile_kernel(ALGORITHMS[name](arms=PLACE.arms), PLACE)
    for repeat in range(arguments.repeats):
        print(f"repeat {repeat + 1} of {arguments.repeats}", file=sys.stderr)
        seed, horizon, runs = arguments.seed + repeat * arguments.runs, arguments.horizon, arguments.runs
        for name in PLAYED:
            rounds["privcheck", name].append(kernel(name, horizon, MORE * runs, seed))
            rounds[LOOP, name].append(loop(name, horizon, runs, seed))
        for tool in TOOLS:
            if tool.name not in failed:
                for name, found in driven(tool, horizon, runs, seed, arguments.folder).items():
                    rounds[tool.name, name].append(found)
    command = f"python benchmarks/simulators --repeats {arguments.repeats} --runs {arguments.runs}"
    command += f" --horizon {arguments.horizon} --seed {arguments.seed}"
    where = f"`{command}` on {dt.datetime.now(dt.UTC).date()}, Python {platform.python_version()}"
    where += f", numpy {np.__version__}, privcheck {privcheck.__version__}, load {os.getloadavg()[0]:.1f} at the end"
    text = page(rounds, where, PLACE.means, arguments.horizon, arguments.runs, failed)
    print(text)
    if arguments.out:
        arguments.out.write_text(text, encoding="utf-8")


def install(tool: Tool, folder: Path) -> str:
    """Create the tool's environment unless it exists, and return why that failed, or an empty text."""
    home = folder / tool.requirements[0].replace("==", "-")
    if (home / "installed").exists():
        return ""
    venv.create(home, with_pip=True, clear=True)
    command = [home / "bin" / "python", "-m", "pip", "install", "-q", *tool.requirements]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    (home / "installed").touch()
    return ""


def kernel(name: str, horizon: int, runs: int, seed: int) -> Round:
    """Play as `privcheck.simulate` does; refuse an engine that skips rounds."""
    algorithm = ALGORITHMS[name](arms=PLACE.arms)
    if engine_of(algorithm, PLACE) != "step":
        message = f"{name} is played by an event engine, which does not draw single rewards"
        raise ValueError(message)
    start = time.process_time()
    regret = play(algorithm, PLACE, checkpoints=np.array([horizon]), runs=runs, seed=seed)
    return Round(time.process_time() - start, regret[:, -1].tolist(), "")


def loop(name: str, horizon: int, runs: int, seed: int) -> Round:
    """Play the reference policy, round by round."""
    algorithm: Any = ALGORITHMS[name](arms=PLACE.arms)
    gaps, means = PLACE.gaps().tolist(), PLACE.means
    regret = []
    start = time.process_time()
    for run in range(runs):
        rng = np.random.default_rng([seed, run])
        policy = algorithm.build(rng)
        total = 0.0
        for _ in range(horizon):
            arm = policy.select()
            policy.update(arm, float(rng.random() < means[arm]))
            total += gaps[arm]
        regret.append(total)
    return Round(time.process_time() - start, regret, "")


def driven(tool: Tool, horizon: int, runs: int, seed: int, folder: Path) -> dict[str, Round]:
    """Return the results of a package's algorithms, run in a separate process."""
    python = (folder / tool.requirements[0].replace("==", "-") / "bin" / "python").absolute()
    command = [python, DRIVERS / tool.driver, json.dumps(PLACE.means), str(horizon), str(runs), str(seed), *tool.plays]
    single = os.environ | dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    gaps = PLACE.gaps()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False, env=single)
    except subprocess.TimeoutExpired:
        return {name: Round(None, [], f"no answer in {PATIENCE:.0f} s") for name in tool.plays}
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    why = (done.stderr.strip().splitlines() or ["no answer"])[-1][:200]
    found = {name: Round(None, [], why) for name in tool.plays}
    for line in lines:
        regret = [float(np.dot(pulls, gaps)) for pulls in line["pulls"]]
        found[line["algorithm"]] = Round(line["seconds"], regret, line["error"])
    return found


if __name__ == "__main__":
    main()
