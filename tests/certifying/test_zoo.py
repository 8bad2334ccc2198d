"""The zoo in reverse: each broken policy is accused at the right line, its corrected twin is certified."""

from __future__ import annotations

import numpy as np
import pytest

from privcheck import BudgetExceededError, LeakError, PrivcheckError, certify, guard

WIDE = (0.0, 10.0)
LEAKS = {
    "IncrementsBetweenReleases": ("comparison", "WaitsForTheRelease"),
    "EliminatesOnRawSums": ("comparison", "EliminatesOnReleases"),
    "TiesByRawTotals": ("comparison", "TiesByNumber"),
    "BlocksByRewards": ("comparison", "BlocksByReleases"),
    "OwnNoise": ("comparison", "FollowsASchedule"),
}
"""What leaks, how, and the corrected twin."""

REFUSALS = {
    "RenoisedEachRound": ("takes the reward of round 1 to 2, expected at most epsilon = 1", "NoisedOnce"),
    "RunningMeanAgain": ("takes the reward of round 1 to 2, expected at most epsilon = 1", "ForgettingMean"),
    "OneRewardTwoArms": ("takes the reward of round 1 to 2, expected at most epsilon = 1", "OneRewardHalfTheBudget"),
    "NoiseOfTheMean": ("1.0 computed from the data in a release at", "NoiseOfTheSum"),
    "Unclipped": ("10.0 computed from the data in a release at", "Clipped"),
}
"""What is refused, in which words, and the corrected twin."""

INNOCENT = [
    "RoundsAfterRelease", "FollowsASchedule", "ThompsonAfterRelease", "ReusesAReleaseOften", "ArgmaxOfReleasedVector",
    "NoisyMaxOfBlocks", "RunningMeanByTree",
]  # fmt: skip


def certified(place, name, **options):
    rewards = WIDE if "lipped" in name else (0.0, 1.0)
    return certify(place(name), **{"epsilon": 1.0, "arms": 2, "rewards": rewards} | options)


@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_is_found_at_its_line_and_by_replay(name, place, marked):
    certificate = certified(place, name)
    assert (certificate.granted, certificate.coverage, certificate.epsilon_upper) == (False, "explored", None)
    (leak,) = certificate.leaks
    assert (leak.file, leak.line) == (place(name).rpartition(":")[0], marked(name))
    assert (leak.kind, leak.code.endswith(f"# here: {name}")) == (LEAKS[name][0], True)
    assert certificate.refusals == []
    assert certificate.replay.divergences > 0
    assert "the actions differ" in certificate.replay.first_divergence.reason or name == "BlocksByRewards"


@pytest.mark.parametrize("name", REFUSALS)
def test_a_release_that_costs_too_much_is_refused_at_its_line(name, place, marked):
    certificate = certified(place, name)
    assert (certificate.granted, certificate.coverage, certificate.epsilon_upper) == (False, "explored", None)
    (refusal,) = certificate.refusals
    assert REFUSALS[name][0] in refusal
    assert f"zoo.py:{marked(name)}" in refusal
    assert (certificate.leaks, certificate.replay.divergences) == ([], 0)
    assert certificate.replay.largest_loss > 1.5
    assert certificate.ledger_epsilon <= 1.0


@pytest.mark.parametrize(("name", "numbers"), [("NoiseOfTheMean", ("1.0", "0.25")), ("Unclipped", ("10.0", "1.0"))])
def test_a_wrong_sensitivity_is_refused_with_both_numbers(name, numbers, place):
    computed, declared = numbers
    (refusal,) = certified(place, name).refusals
    assert refusal.startswith(f"sensitivity: got {computed} computed")
    assert f"expected at most the declared {declared} (L1)" in refusal
    assert refusal.endswith(f"declare sensitivity={computed}, which needs proportionally more noise")


@pytest.mark.parametrize("name", sorted({twin for _, twin in [*LEAKS.values(), *REFUSALS.values()]} | set(INNOCENT)))
@pytest.mark.parametrize("seed", [0, 1])
def test_what_is_right_is_certified(name, seed, place):
    certificate = certified(place, name, seed=seed)
    assert (certificate.leaks, certificate.refusals, certificate.replay.divergences) == ([], [], 0)
    assert (certificate.granted, certificate.coverage, certificate.epsilon_upper) == (
        True,
        "all-executions-under-guard",
        1.0,
    )
    assert certificate.ledger_epsilon == pytest.approx(1.0, rel=1e-8)
    assert 0.1 < certificate.replay.largest_loss <= 1.0


@pytest.mark.parametrize("name", ["RenoisedEachRound", "RunningMeanAgain", "OneRewardTwoArms"])
def test_without_a_budget_the_ledger_says_how_much_too_much(name, place, marked):
    """Without noise that is charged, the ledger explains which datum pays most, and where."""
    explored = certify(place(name), arms=2)
    assert (
        explored.ledger_epsilon == {"RenoisedEachRound": 13.0, "RunningMeanAgain": 4.0, "OneRewardTwoArms": 2.0}[name]
    )
    assert 1.0 < explored.replay.largest_loss <= explored.ledger_epsilon
    why = explored.ledger.why()
    assert f"(zoo.py:{marked(name)})" in why
    assert why.endswith(f"for a total of {explored.ledger_epsilon:g}")


def test_a_leak_hidden_by_except_is_recorded(place, marked):
    certificate = certified(place, "HidesTheLeak")
    assert not certificate.granted
    assert [leak.line for leak in certificate.leaks] == [marked("HidesTheLeak")]


def test_a_refusal_hidden_by_except_is_recorded(place, marked):
    certificate = certified(place, "HidesTheRefusal")
    assert not certificate.granted
    assert all(f"hiding.py:{marked('HidesTheRefusal')}" in refusal for refusal in certificate.refusals)
    assert certificate.ledger_epsilon == 1.0


def test_a_leak_that_steers_nothing_is_still_a_leak(place, marked):
    """Replay cannot see it: the two runs play the same actions."""
    certificate = certified(place, "LogsRawRewards")
    assert (certificate.granted, certificate.replay.divergences, certificate.refusals) == (False, 0, [])
    assert [(leak.kind, leak.line) for leak in certificate.leaks] == [("format", marked("LogsRawRewards"))]


def test_one_run_shows_all_of_its_leaks_and_goes_on(place, marked, line_of, capsys):
    certificate = certified(place, "LeaksTwice", runs=1)
    file = place("LeaksTwice").rpartition(":")[0]
    found = [(leak.kind, leak.line, leak.data) for leak in certificate.leaks]
    assert found[0] == ("format", line_of(file, "and here"), (2,))
    assert found[1] == ("comparison", marked("LeaksTwice"), (1, 2, 3, 4, 5))
    assert len(found) == 2


def test_a_policy_that_fails_because_of_its_leak_is_accused_of_the_leak(place, marked):
    certificate = certified(place, "FailsAfterTheLeak")
    assert [leak.line for leak in certificate.leaks] == [marked("FailsAfterTheLeak")]
    assert certificate.replay.divergences > 0


def test_a_tree_that_is_fed_too_much_is_refused_at_its_line(place, line_of):
    certificate = certified(place, "OverlongTree")
    (refusal,) = certificate.refusals
    line = line_of(place("OverlongTree").rpartition(":")[0], "self.stream.add(reward)")
    assert refusal.startswith(f"step: got 8 in a release at hiding.py:{line}, expected at most the horizon 7")
    assert not certificate.granted
    assert certificate.replay.replays == 0
    assert "because a plain run fails" in certificate.notes[0]


def served(policy, stream, **options):
    """Run a policy as a service does."""
    guarded = guard(policy, epsilon=1.0, noise="float", rng=np.random.default_rng(1), **options)
    for reward in stream:
        guarded.update(guarded.select(), reward)
    return guarded


@pytest.mark.parametrize("name", [*LEAKS, *REFUSALS])
def test_a_service_stops_where_a_broken_policy_goes_wrong(name, zoo, marked):
    policy = getattr(zoo, name)(np.random.default_rng(0))
    rewards = np.random.default_rng(2).random(16)
    with pytest.raises(PrivcheckError) as caught:
        served(policy, rewards, rewards=WIDE if "lipped" in name else (0.0, 1.0))
    assert f"zoo.py:{marked(name)}" in str(caught.value)
    assert isinstance(caught.value, LeakError) == (name in LEAKS)
    assert not any(f"{reward:.3f}"[1:] in str(caught.value) for reward in rewards)


@pytest.mark.parametrize("name", sorted({twin for _, twin in [*LEAKS.values(), *REFUSALS.values()]} | set(INNOCENT)))
def test_a_service_runs_what_is_right(name, zoo):
    rewards = np.random.default_rng(2).random(16)
    guarded = served(getattr(zoo, name)(np.random.default_rng(0)), rewards)
    assert guarded.spent == pytest.approx(1.0, rel=1e-8)
    assert guarded.spent <= 1.0


def test_a_tree_in_a_service_stops_at_its_horizon_and_spends_nothing_more(zoo):
    policy = zoo.OverlongTree(np.random.default_rng(0))
    guarded = guard(policy, epsilon=1.0, noise="float", rng=np.random.default_rng(1))
    for _ in range(7):
        guarded.update(guarded.select(), 0.5)
    before = len(guarded.ledger.releases), dict(guarded.ledger.totals)
    with pytest.raises(PrivcheckError, match="horizon 7") as caught:
        guarded.update(guarded.select(), 0.5)
    assert not isinstance(caught.value, BudgetExceededError)
    assert (len(guarded.ledger.releases), dict(guarded.ledger.totals)) == before
