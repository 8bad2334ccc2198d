"""The process in which grants are replayed: nothing of a target is left in it, and it ends with its client."""

import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

import privcheck
from privcheck.certifying._outside import clean_process
from privcheck.certifying._outside.clean_process import Surroundings, is_untouched

REMEMBERING = Path(__file__).with_name("remembering.py")

PLAIN = """
from privcheck.mechanisms import Laplace


class Plain:
    def __init__(self, rng, epsilon):
        self.rng, self.noise, self.arm = rng, Laplace(sensitivity=1.0, epsilon=epsilon), None

    def select(self):
        return self.arm or 0

    def update(self, action, reward):
        if self.arm is None:
            self.arm = int(self.noise.release(reward, self.rng) > 0.5)
"""


@pytest.fixture
def process():
    """One that is started for the test."""
    clean_process._started = None
    found = clean_process.clean_process()
    yield found
    found.end()


LEAVE = (
    "(getattr(__import__('sys'), 'left', None), setattr(__import__('sys'), 'left', 1), __import__('os').getpid(),"
    " __import__('os').getcwd())"
)
"""What is found of a mark; and one is left."""


def test_pieces_of_work_see_nothing_of_each_other_nor_of_this_process(process, monkeypatch) -> None:
    monkeypatch.setattr(sys, "left", 1, raising=False)
    found = [process.ask(partial(eval, LEAVE), 60.0) for _ in range(2)]
    assert [mark for mark, *_ in found] == [None, None]
    assert len({os.getpid(), process._process, *(number for _, _, number, _ in found)}) == 4
    assert os.getpgid(process._process) == process._process


def test_surroundings_are_those_from_before(process, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OF_THE_USER", "1")
    before = Surroundings.now()
    monkeypatch.chdir("/")
    monkeypatch.setenv("OF_THE_TARGET", "1")
    assert before.folder == str(tmp_path)
    assert "OF_THE_USER" in before.environment
    assert "OF_THE_TARGET" not in before.environment
    assert process.ask(before.enter, 60.0) is None


def test_a_target_that_counts_runs_of_its_process_is_seen(tmp_path) -> None:
    """It finds the count of the first process neither in the fresh one nor in a second certificate."""
    (tmp_path / "plain.py").write_text(PLAIN, encoding="utf-8")
    target = f"{tmp_path / 'plain.py'}:Plain"
    first, again = (privcheck.certify(target, epsilon=1.0, arms=2, horizon=4, runs=2) for _ in range(2))
    assert first.granted
    assert again.granted


def test_a_remembering_function_is_not_granted_in_either_process() -> None:
    for _ in range(2):
        found = privcheck.certify(f"{REMEMBERING}:Precision", epsilon=1.0, arms=2, horizon=8, runs=2)
        assert not found.granted


def test_a_test_process_has_been_touched_and_a_command_has_not(tmp_path) -> None:
    assert not is_untouched()
    (tmp_path / "plain.py").write_text(PLAIN, encoding="utf-8")
    looking = (
        "import runpy, sys\n"
        "from privcheck.certifying._outside import clean_process as c\n"
        "made, forked, started = [], c._forked, c._interpreter\n"
        "c._forked = lambda: (made.append('forked'), forked())[1]\n"
        "c._interpreter = lambda: (made.append('interpreter'), started())[1]\n"
        "sys.argv = ['privcheck', 'certify', 'plain.py:Plain', '--epsilon', '1', '--arms', '2', '--horizon', '4']\n"
        "try:\n    runpy.run_module('privcheck', run_name='__main__', alter_sys=True)\n"
        "finally:\n    print(made, file=sys.stderr)\n"
    )
    command = [sys.executable, "-P", "-c", looking]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.strip().splitlines()[-1] == "['forked']"


def test_it_ends_with_its_client(tmp_path) -> None:
    """However that ends."""
    code = (
        "import os, signal\nfrom privcheck.certifying._outside.clean_process import clean_process\n"
        "print(clean_process()._process, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=False)
    number, until = int(done.stdout), time.monotonic() + 30.0
    while _lives(number) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _lives(number)


def _lives(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_work_that_takes_too_long_is_ended(process) -> None:
    with pytest.raises(TimeoutError):
        process.ask(partial(time.sleep, 60.0), 0.5)
    assert not process.is_alive
    assert clean_process.clean_process() is not process


def test_work_that_ends_its_process_is_an_error(process) -> None:
    with pytest.raises((EOFError, OSError)):
        process.ask(partial(os._exit, 3), 30.0)
