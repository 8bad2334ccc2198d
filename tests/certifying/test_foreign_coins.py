"""Coins from elsewhere accuse nobody: what does not repeat itself on the same stream decides nothing; data still do."""

from __future__ import annotations

import secrets
from io import StringIO
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import privcheck
from privcheck.certifying._outside.contradictions import KEPT_STATE, Contradictions, GuardedRun
from privcheck.certifying._outside.playing_again import MOST_AGAIN, NOT_THE_SAME, Again
from privcheck.cli import main
from privcheck.errors import PrivcheckError
from privcheck.reporting import details
from privcheck.reporting._text.certificate_sentences import certificate_sentence
from privcheck.results import Certificate
from privcheck.targets import CertifySettings

pytestmark = pytest.mark.long

HERE = Path(__file__).with_name("foreign_coins.py")
SIZE = {"epsilon": 1.0, "arms": 2, "horizon": 16, "runs": 4}
NAMED = {
    "Secrets": "secrets.randbelow at foreign_coins.py:",
    "System": "random.SystemRandom.random at foreign_coins.py:",
    "Urandom": "os.urandom at foreign_coins.py:",
    "Uuid": "os.urandom at foreign_coins.py:",
    "Clock": "time.perf_counter_ns at foreign_coins.py:",
    "Module": "foreign_coins.OWN, a generator of a module",
    "Turns": "something that was not found",
}


def certified(name: str) -> Certificate:
    return privcheck.certify(f"{HERE}:{name}", **SIZE)


@pytest.mark.parametrize("name", NAMED)
def test_right_code_with_coins_from_elsewhere_is_not_accused(name) -> None:
    """Before, most replays diverged: "the coins and all releases are the same", "data steer the policy"."""
    found = certified(name)
    assert found.is_inconclusive
    assert not found.is_refused
    assert not found.has_findings
    assert found.undeclared[0].startswith(NAMED[name])
    assert found.notes == [NOT_THE_SAME]
    assert found.replay.first_divergence is None
    console = Console(width=400, record=True, file=StringIO())
    console.print(details(found))
    told = f"{certificate_sentence(found)} {found} {console.export_text()}"
    assert "inconclusive: replays differ, which undeclared randomness may explain" in told
    assert not any(
        word in told for word in ("diverge", "largest loss of the others", "coins and all releases are the same")
    )


@pytest.mark.parametrize("name", NAMED)
def test_data_that_steer_as_well_are_not_granted(name) -> None:
    found = certified(f"{name}Told")
    assert not found.leaks
    assert not found.granted


@pytest.mark.parametrize("name", ["Told", "Global"])
def test_data_alone_stay_a_divergence(name) -> None:
    found = certified(name)
    assert not found.leaks
    assert found.replay.divergences
    assert found.is_refused
    assert not found.undeclared
    assert NOT_THE_SAME not in found.notes


def test_code_without_coins_is_granted() -> None:
    assert certified("Right").granted


@pytest.mark.parametrize("name", ["Address", "Rare"])
def test_what_may_not_happen_in_a_run_is_never_an_accusation(name, monkeypatch) -> None:
    drawn = np.random.default_rng(1)
    monkeypatch.setattr(secrets, "randbelow", lambda most: int(drawn.integers(most)))
    assert not certified(name).is_refused


def test_identical_calls_say_the_same() -> None:
    one, two = (certified("Secrets") for _ in range(2))
    assert str(one) == str(two)
    assert one.replay == two.replay
    assert one.undeclared == two.undeclared


def test_what_explains_it_is_written_and_read() -> None:
    found = certified("Secrets")
    again = Certificate.from_json(found.to_json())
    assert again.undeclared == found.undeclared
    assert again.is_inconclusive


def test_the_command_ends_with_the_status_of_the_undecided(capsys) -> None:
    command = ["certify", f"{HERE}:Secrets", "--epsilon", "1", "--arms", "2", "--runs", "2"]
    with pytest.raises(SystemExit) as ended:
        main(command)
    assert ended.value.code == 3
    assert "secrets.randbelow at foreign_coins.py" in capsys.readouterr().out


def test_noise_from_the_system_stays_a_leak_and_no_replay_accuses_it() -> None:
    found = certified("Noise")
    assert found.leaks
    assert found.is_refused
    assert not found.replay.divergences
    assert found.undeclared[0].startswith("random.SystemRandom.expovariate at foreign_coins.py:")


def test_noise_of_a_class_that_derives_from_pythons_generator_is_uncounted() -> None:
    found = certified("Derived")
    assert found.uncounted == ["random"]
    assert found.is_inconclusive
    assert any("is seeded anew in each run" in note for note in found.notes)


@pytest.mark.parametrize("name", ["Counted", "CountedReleases", "Spawned"])
def test_what_is_kept_from_policy_to_policy_is_no_contradiction(name) -> None:
    found = certified(name)
    assert not found.contradictions
    assert found.is_inconclusive
    assert KEPT_STATE in found.notes
    assert found.epsilon_upper == 1.0


def compared(runs, again, *, keeps_state=False):
    settings = CertifySettings.of(epsilon=1.0, arms=2, horizon=3)
    found = Contradictions(settings.claim, settings.game, 3)
    first, second = np.zeros((3, 2)), np.array([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    plays = tuple((lambda run=run: run) for run in again)
    found.compared(first, second, *runs, "bandit", plays, keeps_state=keeps_state)
    return found


ZEROS, ONES = GuardedRun([0, 0, 0], [], []), GuardedRun([0, 0, 1], [], [])
OTHERWISE = GuardedRun([0, 0, 0], [], [], "the code as it is plays otherwise", [0, 1, 0])


def test_runs_that_repeat_themselves_contradict() -> None:
    found = compared((ZEROS, ONES), (ZEROS, ONES))
    assert found.guarded
    assert not found.unsettled
    found = compared((ZEROS, OTHERWISE), (ZEROS, OTHERWISE))
    assert list(found.plain) == [OTHERWISE.failure]
    assert compared((ZEROS, "it makes fewer releases"), (ZEROS, "it makes fewer releases")).guarded


@pytest.mark.parametrize("again", [(ONES, ONES), (ZEROS, ZEROS), (None, ONES), (ZEROS, "fewer releases")])
def test_runs_that_do_not_repeat_themselves_contradict_nothing(again) -> None:
    found = compared((ZEROS, ONES), again)
    assert not found.guarded
    assert not found.plain
    assert list(found.unsettled) == [NOT_THE_SAME]


def test_state_of_a_process_excuses_plain_runs_and_no_guarded_ones() -> None:
    found = compared((OTHERWISE, OTHERWISE), (OTHERWISE, OTHERWISE), keeps_state=True)
    assert not found.guarded
    assert not found.plain
    assert list(found.unsettled) == [KEPT_STATE]
    assert compared((ZEROS, ONES), (ZEROS, ONES), keeps_state=True).guarded


def test_what_alternates_does_not_repeat_itself() -> None:
    turns = cycle([0, 1])
    again = Again()
    again.look((lambda: next(turns), 0), (lambda: 5, 5))
    assert again.differs


def test_only_so_many_replays_are_played_again_and_none_after_the_first_that_differs() -> None:
    calls = []
    again = Again()
    for _ in range(2 * MOST_AGAIN):
        again.look((lambda: calls.append(1), None))
    assert (len(calls), again.differs) == (2 * MOST_AGAIN, False)
    again = Again()
    for _ in range(3):
        again.look((lambda: calls.append(1), 0))
    assert (len(calls), again.differs) == (2 * MOST_AGAIN + 1, True)


def test_a_run_that_ends_elsewhere_is_another_one() -> None:
    def ends() -> None:
        raise PrivcheckError("release", 2, "a release on both streams")

    again = Again()
    again.look((ends, [0, 1]))
    assert again.differs
