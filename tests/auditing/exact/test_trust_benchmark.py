"""The audits of `benchmarks/trust.py`, a few of each: what is wrong is refused or harmless, and its twins show it."""

import math

import pytest

from tests.benchmark_modules import loaded

loaded("written_tables")
trust = loaded("trust")

pytestmark = pytest.mark.long


@pytest.mark.chance(1e-9, "power: bets win 1e20 and more, and a loss of 1.5 is refuted")
def test_what_is_kept_is_refused_and_would_be_called_a_violation_without_coins():
    kept = trust.remembered(trust.KEPT["0.5 of the last input"], 0, 1500)
    assert kept[1] == 1, "refused"
    assert kept[5] == 1, "in turns of fifty runs, without refusals, it is called a violation"


def test_the_targets_keep_what_they_say():
    inputs, outputs = [0.0, 1.0], [0.25, -4.0]
    assert trust.of_last(0.5)([], []) == 0.0
    assert trust.of_last(0.5)(inputs, outputs) == 0.5
    assert trust.of_last_output(0.5)(inputs, outputs) == -2.0
    assert trust.moving_mean(0.1)(inputs, outputs) == pytest.approx(2.0 * 0.55)
    assert trust.TAKEN["jumps"]()([0.0] * 9001, []) == trust.DRIFT
    assert trust.TAKEN["drifts by waves"]()([0.0] * 1500, []) == pytest.approx(trust.DRIFT * math.sin(1.0))


@pytest.mark.chance(1e-9, "249 canaries or fewer of 400 at .9, by 18 standard deviations")
def test_coins_that_cannot_be_fair_are_refused():
    assert [trust.tossed(0.9, seed) for seed in range(3)] == [[1, 1, 0, 0, 0]] * 3
    assert len(trust.tossed(0.5, 0)) == len(trust.COINS)


@pytest.mark.chance(3e-8, "two verdicts on a true claim, and a test of a law that is nearly true, at 1e-8 each")
def test_a_wrong_law_is_rejected_or_a_suspicion():
    rejected = trust.by_law(trust.WRONG["scale 0.5 in place of 1"], 0, 4000, 1e-8)
    suspected = trust.by_law(trust.WRONG["scale 0.98 in place of 1"], 0, 4000, 1e-8)
    assert rejected == [1, 0, 0, 1]
    assert suspected == [1, 0, 1, 0]
