"""Work of more than an hour begins only with `--yes`."""

import re

import pytest

from privcheck.certifying import rounds_played
from privcheck.cli import run
from privcheck.cli._described import long_runs
from privcheck.cli._described.long_runs import (
    HOUR,
    MANY,
    check_effort,
    seconds_of_long_run,
    seconds_of_rounds,
    seconds_per_run,
)
from privcheck.errors import PrivcheckError

ENDLESS = "99999999999999"


@pytest.mark.parametrize(
    "command",
    [
        ["audit", "adap-ucb", "--epsilon", "1", "--horizon", "6"],
        ["certify", "adap-ucb", "--epsilon", "1", "--horizon", "6"],
        ["simulate", "adap-ucb", "--means", "0.7,0.5", "--epsilon", "1", "--horizon", "100"],
        ["simulate", "dp-se-bai", "--means", "0.9,0.1", "--epsilon", "1", "--delta", "0.1", "--horizon", "10000"],
    ],
    ids=lambda command: command[1],
)
def test_an_endless_number_of_runs_is_refused_with_the_time_it_takes(command, capsys, monkeypatch):
    monkeypatch.setattr(long_runs, "MEASURED", 0.2)
    assert run([*command, "--runs", ENDLESS]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"privcheck: runs: got {ENDLESS}, expected at most an hour of work; they take about ")
    assert err.endswith("years on this machine: give fewer runs, or add --yes to begin\n")


def test_an_hour_is_the_limit_and_yes_is_enough():
    measured = []

    def seconds():
        measured.append(1)
        return HOUR / (2 * MANY)

    check_effort(2 * MANY, False, seconds)
    with pytest.raises(PrivcheckError, match="about 60 minutes"):
        check_effort(2 * MANY + 1, False, seconds)
    assert len(measured) == 2
    for runs, yes in ((MANY, False), (None, False), (10**15, True)):
        check_effort(runs, yes, seconds)
    assert len(measured) == 2


def test_the_time_of_a_run_is_measured_after_the_first_call(monkeypatch):
    """A clock that each run moves by 0.1 seconds, and the first call by a minute."""
    now = [0.0]
    monkeypatch.setattr(long_runs.time, "perf_counter", lambda: now[0])

    def play(runs):
        now[0] += 0.1 * runs + (60.0 if now[0] == 0.0 else 0.0)

    assert seconds_per_run(play) == pytest.approx(0.1)


@pytest.mark.parametrize("busy", [0.0, 3.0])
def test_what_every_call_costs_is_not_taken_for_the_time_of_rounds(busy, monkeypatch):
    """A clock that each round moves by a millisecond, each call by `busy` seconds, and the first by a minute.

    A frontier of thirteen rows took 1.2 seconds for 1,000 rounds on a busy machine, and was refused: "about 7 days".
    """
    now = [0.0]
    monkeypatch.setattr(long_runs.time, "perf_counter", lambda: now[0])

    def play(rounds, runs):
        now[0] += 1e-3 * rounds * runs + busy + (60.0 if now[0] == 0.0 else 0.0)

    assert seconds_of_long_run(play, 10**7) == pytest.approx(1e4 + busy)
    assert seconds_of_long_run(play, 10**7, workers=2) == pytest.approx((1e4 + busy) / 2)


@pytest.mark.parametrize(
    "command",
    [
        ["simulate", "kl-ucb", "--means", "0.7,0.5"],
        ["frontier", "kl-ucb", "--means", "0.7,0.5", "--epsilons", "1"],
        ["audit", "kl-ucb", "--epsilon", "1"],
        ["certify", "adap-ucb", "--epsilon", "1"],
    ],
    ids=lambda command: command[0],
)
def test_an_endless_horizon_is_refused_with_the_time_it_takes(command, capsys, monkeypatch):
    """`simulate kl-ucb --horizon 1e12` asked nothing before it began."""
    monkeypatch.setattr(long_runs, "MEASURED", 0.2)
    assert run([*command, "--horizon", "1e12" if command[0] != "audit" else "1e6"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("privcheck: horizon: got 1000000")
    assert "runs of so many rounds take about " in err


@pytest.mark.parametrize("busy", [0.0, 3.0])
def test_the_time_of_a_certificate_is_that_of_all_its_rounds(busy, monkeypatch):
    """A clock that each round of a run or a replay moves by a millisecond, each call by `busy` seconds."""
    now = [0.0]
    monkeypatch.setattr(long_runs.time, "perf_counter", lambda: now[0])

    def play(horizon):
        now[0] += 1e-3 * rounds_played(1, horizon) + busy + (60.0 if now[0] == 0.0 else 0.0)
        return rounds_played(1, horizon)

    assert seconds_of_rounds(play, 10**4, rounds_played(20, 10**4)) == pytest.approx(4200.0)


POLICY = """
class Sums:
    def __init__(self, rng{given}):
        self.rng, self.sums, self.t = rng, [0.0, 0.0], 0

    def select(self):
        self.t += 1
        if self.t == {late}:
            return int(self.sums[0] > 0.5)
        return self.sums.index(max(self.sums))

    def update(self, action, reward):
        self.sums[action] += float(reward + self.rng.laplace(0.0, 1.0))
"""


@pytest.mark.parametrize(("given", "late", "told"), [("", 3, True), ("", 10**6, False), (", horizon=None", 3, False)])
def test_a_certificate_of_hours_is_refused_with_a_horizon_that_does_as_well(
    given, late, told, tmp_path, capsys, monkeypatch
):
    """`certify --horizon 1e4` began at once, and then said that three hours were left: replays were not counted."""
    monkeypatch.setattr(long_runs, "MEASURED", 0.02)
    file = tmp_path / "sums.py"
    file.write_text(POLICY.format(given=given, late=late), encoding="utf-8")
    command = ["certify", f"{file}:Sums", "--epsilon", "1", "--arms", "2"]
    monkeypatch.setattr(long_runs, "HOUR", 1.0)
    assert run([*command, "--horizon", "1e4"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "20 runs of so many rounds take about " in err
    assert ("every line that matters for privacy ran" in err) is told
    if told:
        horizon = re.search(r"with --horizon (\d+) covers as much\n$", err)[1]
        assert run([*command, "--horizon", horizon, "--runs", "2"]) == 0


def test_event_engines_reach_any_horizon_and_are_not_refused(capsys):
    """Their runs cost no more a round where there are more rounds: measured on few, they would take years."""
    assert run(["simulate", "adap-ucb", "--means", "0.7,0.5", "--epsilon", "1", "--horizon", "1e12"]) == 0
    assert "1,000,000,000,000 rounds" in capsys.readouterr().out
