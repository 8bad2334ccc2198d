"""Nights whose process is killed by the operating system at any moment."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.watching import read_watches

PLACES = os.pathsep.join([str(Path(privcheck.__file__).parents[1]), str(Path(__file__).parents[2])])
NIGHT = """
import sys
from privcheck.watching import watch
from tests.watching.policies import Blocks
print("ready", flush=True)
watch(Blocks, store=sys.argv[1], epsilon=1.0, arms=2, horizon=9, runs=40, search=400, nights=int(sys.argv[2]))
"""


def started(store: Path, nights: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-P", "-c", NIGHT, str(store), str(nights)]
    environment = os.environ | {"PYTHONPATH": PLACES}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout as printed:
        assert printed.readline() == "ready\n"
    return process


@pytest.mark.nightly
@pytest.mark.chance(0.0, "equal seeds")
def test_kills_lose_nothing_and_count_nothing_twice(tmp_path):
    rng = np.random.default_rng(4)
    store, other = tmp_path / "watch.sqlite", tmp_path / "other.sqlite"
    assert started(store, 1).wait() == 0
    shutil.copy(store, other)
    begun = time.monotonic()
    assert started(other, 3).wait() == 0
    usual = (time.monotonic() - begun) / 3.0
    killed = 0
    for _ in range(8):
        process = started(store, 1000)  # more than it can play before it is killed
        time.sleep(float(rng.uniform(0.0, 3.0 * usual)))
        process.send_signal(signal.SIGKILL)
        killed += process.wait() == -signal.SIGKILL
    assert killed == 8
    assert started(store, 1).wait() == 0
    played = len(read_watches(store)[0].nights)
    if played > 4:
        assert started(other, played - 4).wait() == 0
    one, two = (read_watches(place)[0] for place in (store, other))
    assert [(n.number, n.first, n.second, n.e_value) for n in one.nights] == [
        (n.number, n.first, n.second, n.e_value) for n in two.nights[:played]
    ]
    assert not [night for night in one.nights if night.lost is not None]


@pytest.mark.chance(0.0, "nothing is counted")
def test_two_processes_count_each_night_once(tmp_path):
    store = tmp_path / "watch.sqlite"
    both = [started(store, 2) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    (found,) = read_watches(store)
    assert [night.number for night in found.nights] in ([1, 2], [1, 2, 3, 4])
    assert not [night for night in found.nights if night.lost is not None]
