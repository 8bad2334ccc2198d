"""Every command ends within two seconds of SIGTERM or SIGINT, whatever it is busy with, compiled loops included."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest

import privcheck
from privcheck.cli._application import app

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads the time of a process in /proc"),
]

WITHIN = 2.0
"""Seconds from the signal to the end of the process."""

WORKING = 4.0
"""Seconds of the processor after which a command is at its work: imports, and what is compiled, take less."""

EVER = ["--horizon", "1e12", "--means", "0.7,0.5"]
IDENTIFIED = ["--horizon", "1e15", "--means", "0.5,0.5", "--epsilon", "1", "--delta", "1e-9"]
PIPE, QUICK = "pipe.json", None
"""A named pipe that nobody writes to, and a command that has ended before any signal comes."""

SWEEP = 'kind = "simulation"\ntargets = ["kl-ucb"]\nenvironments = [[0.7, 0.5]]\nhorizons = [1000000000000]\n'
SLOW = "class Slow:\n    def __init__(self, rng, arms): pass\n    def select(self): return 0\n"
SLOW += "    def update(self, action, reward): pass\n"
NOISY = "class Noisy:\n    def __init__(self, rng): self.rng, self.sum = rng, 0.0\n"
NOISY += "    def noisy(self, value): return value + self.rng.laplace()\n"
NOISY += "    def select(self): return int(self.noisy(self.sum) > 1.0)\n"
NOISY += "    def update(self, action, reward): self.sum += reward\n"
LEAKY = "class Leaky:\n    def __init__(self, rng, arms, epsilon): self.rng, self.epsilon, self.arm = rng, epsilon, 0\n"
LEAKY += "    def select(self): return self.arm\n    def update(self, action, reward): self.arm = int(reward > 0.5)\n"

COMMANDS = {
    "audit": [
        ["slow.py:Slow", "--epsilon", "1", "--arms", "2", "--horizon", "100", "--runs", "900000", "--yes"],
        ["kl-ucb", "--epsilon", "1", "--arms", "2", "--horizon", "100000", "--yes"],
    ],
    "certify": [["adap-ucb", "--epsilon", "1", "--horizon", "20000", "--yes"]],
    "account": [[PIPE]],
    "bounds": [[PIPE]],
    "claims": [["--effort", "2h"]],
    "simulate": [
        ["kl-ucb", *EVER, "--runs", "3", "--yes"],
        ["kl-ucb", *EVER, "--runs", "3", "--yes", "--jobs", "2"],
        ["kl-ucb", *EVER, "--runs", "1", "--yes"],
        ["dp-exact-tt", *IDENTIFIED, "--runs", "1e6", "--yes"],
    ],
    "frontier": [["kl-ucb", *EVER, "--epsilons", "1", "--yes"]],
    "sweep": [["sweep.toml", "--store", "results"]],
    "report": [["folder", "--pages"]],
    "steps": [["noisy.py:Noisy", "--epsilon", "1", "--arms", "2", "--horizon", "9", "--runs", "5000000"]],
    "watch": [["slow.py:Slow", "--epsilon", "1", "--arms", "2", "--horizon", "100", "--runs", "900000"]],
    "fix": [["leaky.py:Leaky", "--epsilon", "1", "--arms", "2", "--rounds", "1000000", "--time-budget", "3600"]],
    "compare": QUICK,
    "init": QUICK,
    "warm": [["all"]],
    "list": QUICK,
}
"""By command, what takes long; a new command needs an entry."""

CASES = {
    f"{name} {words[0]}, {number}": (name, words)
    for name, several in COMMANDS.items()
    for number, words in enumerate(several or [], 1)
}


@cache
def result():
    return privcheck.audit("rnm-ftnl-published", epsilon=1.0, runs=200, pairs=4).to_json()


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("slow.py").write_text(SLOW)
    Path("noisy.py").write_text(NOISY)
    Path("leaky.py").write_text(LEAKY)
    Path("sweep.toml").write_text(SWEEP)
    Path("folder").mkdir()
    os.mkfifo(PIPE)
    for number in range(300):
        Path(f"folder/{number}.json").write_text(result())
    return tmp_path


def started(*words):
    places = str(Path(privcheck.__file__).parents[1])
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "privcheck", *words],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": places},
    )  # fmt: skip


def processor_time(process):
    after = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, after[11:15])) / os.sysconf("SC_CLK_TCK")


def opened(pipe):
    """Return the writing end of a named pipe that somebody reads, who waits while it is open; None if nobody does."""
    try:
        return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return None


@contextmanager
def at_work(process, words):
    """Wait until a command is in the middle of what takes long, and keep it there in this block."""
    pipe = None
    while process.poll() is None:
        if PIPE in words:
            pipe = opened(PIPE)
        if pipe is not None or (PIPE not in words and processor_time(process) > WORKING):
            break
        time.sleep(0.1)
    else:
        raise AssertionError(process.communicate())
    try:
        yield
    finally:
        if pipe is not None:
            os.close(pipe)


def test_every_command_is_here():
    assert {each.name or each.callback.__name__ for each in app.registered_commands} == set(COMMANDS)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
@pytest.mark.parametrize("case", CASES)
def test_a_signal_ends_a_command_in_time(case, name):
    number, (command, words) = getattr(signal, name), CASES[case]
    process = started(command, *words)
    try:
        with at_work(process, words):
            sent = time.monotonic()
            process.send_signal(number)
            _, err = process.communicate(timeout=60)
            took = time.monotonic() - sent
    finally:
        process.kill()
        process.wait()
    assert process.returncode == 128 + number, err
    assert took < WITHIN
    assert "Traceback" not in err
