"""Evidence over nights: exact expectations, agreement with the sequential test, and what raises an alarm."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from privcheck.inference import SequentialTest, alarms_over_nights, counted_night, wealth_over_nights
from privcheck.inference._nights import Night, penalty

NONE = np.zeros((0, 1), np.int8)


def night(version: int, first: list[int], second: list[int], known: tuple[list[int], list[int]] = ([], [])) -> Night:
    codes = [np.array(each, np.int8).reshape(-1, 1) for each in (first, second, *known)]
    return counted_night(version, (codes[0], codes[1]), (codes[2], codes[3]))


def tilted(epsilon: float, level: float = 0.2) -> np.ndarray:
    """Return the laws of the codes 1, 0, -1 on both inputs of a mechanism whose loss is exactly epsilon."""
    first = np.array([level * math.exp(epsilon), 0.0, level])
    first[1] = 1.0 - first.sum()
    return np.stack([first, first[::-1]])


@pytest.mark.chance(0.0, "nothing in it is random")
@pytest.mark.parametrize("delta", [0.0, 0.01])
@pytest.mark.parametrize("loss", [0.0, 0.4, 0.7, 1.4])
def test_the_expectation_is_at_most_one_if_the_claim_is_true(delta, loss):
    """Every outcome of two nights of three pairs; the second night's events depend on the first."""
    epsilon, laws, codes = 0.7, tilted(loss), (1, 0, -1)
    expected = 0.0
    for outcome in itertools.product(range(3), repeat=6):  # a night of one pair, and one of two
        first, second = outcome[:3], outcome[3:]
        chance = np.prod(laws[0][list(first)]) * np.prod(laws[1][list(second)])
        one, two = [codes[i] for i in first], [codes[i] for i in second]
        flip = -1 if one[0] == -1 else 1  # another event, by what was seen in the first night
        nights = [
            night(1, one[:1], two[:1], ([1, 0], [0, -1])),
            night(1, [flip * c for c in one[1:]], [flip * c for c in two[1:]], (one[:1], two[:1])),
        ]
        expected += chance * math.exp(wealth_over_nights(nights, epsilon, delta)[0, -1])
    assert expected > 0.5
    assert (expected <= 1.0 + 1e-12) == (loss <= epsilon)


@pytest.mark.chance(0.0, "nothing in it is random")
@pytest.mark.parametrize("kept", [True, False])
def test_no_choice_of_versions_and_of_lost_nights_raises_the_expectation(kept):
    """The best strategy in a game of two nights, by backward induction over all outcomes.

    Before each night another version may be chosen, and after it whether it is counted or lost. The sum of the wealths
    with their shares of the level is at most the sum of the shares. If a lost night left the evidence as it was, it
    would not be.
    """
    epsilon, laws, last = 0.7, tilted(0.7), 2
    shares = [math.exp(-penalty(k)) for k in range(1, last + 1)]
    outcomes = [(code, other) for code in (1, 0, -1) for other in (1, 0, -1)]
    chances = np.outer(*laws).ravel()

    def value(nights: list[Night]) -> float:
        wealth = wealth_over_nights(nights, epsilon)[:, -1] if nights else []
        return float(sum(np.exp(wealth[k]) * shares[k] if k < len(wealth) else shares[k] for k in range(last)))

    def best(nights: list[Night], left: int) -> float:
        stopped = value(nights)
        if not left:
            return stopped
        now = nights[-1].version if nights else 0
        choices = [stopped]
        for version in {max(1, now), now + 1}:
            expected = 0.0
            for chance, (one, two) in zip(chances, outcomes, strict=True):
                counted = night(version, [one], [two], ([1, 1, 0], [0, -1, -1]))
                lost = night(version, [], [])._replace(lost=kept)
                expected += chance * max(best([*nights, each], left - 1) for each in (counted, lost))
            choices.append(expected)
        return max(choices)

    assert (best([], last) <= sum(shares) + 1e-12) == kept


@pytest.mark.chance(0.0, "nothing in it is random")
def test_one_version_is_a_sequential_test():
    rng = np.random.default_rng(5)
    laws = tilted(1.5, 0.1)
    test, nights = SequentialTest(1.0, mirrored=True), []
    known: tuple[list[int], list[int]] = ([], [])
    for size in (1, 7, 30, 64):
        one, two = (rng.choice([1, 0, -1], size, p=law).tolist() for law in laws)
        nights.append(night(1, one, two, known))
        known = known[0] + one, known[1] + two
    first, second = (np.array(codes, np.int8) for codes in known)
    test.update(first[:1], second[:1])
    assert math.isclose(wealth_over_nights(nights[:1], 1.0)[0, -1], test.log_e_value)
    later = SequentialTest(1.0, mirrored=True)
    begin = 0
    for each in nights:  # events that are said to change, and stay
        later.change_events(first[:begin], second[:begin])
        later.update(first[begin : begin + each.pairs], second[begin : begin + each.pairs])
        begin += each.pairs
    # the sequential test cuts blocks by its own count: equal where the counts agree, after nights without a short block
    assert abs(wealth_over_nights(nights, 1.0)[0, -1] - later.log_e_value) < 0.5


@pytest.mark.chance(0.0, "nothing in it is random")
def test_each_version_has_bets_of_its_own():
    nights = [night(v, [1] * 20, [0] * 20, ([1] * 8, [0] * 8)) for v in (1, 1, 2, 3)]
    wealth = wealth_over_nights(nights, 0.5)
    assert wealth.shape == (3, 4)
    assert wealth[1, :2].tolist() == [0.0, 0.0]
    assert np.isclose(wealth[2, 3], wealth[0, 0])  # three nights later, the same night alone
    assert np.isclose(wealth[1, 3], wealth[0, 1])
    assert (np.diff(wealth[0]) > 0.0).all()


@pytest.mark.chance(0.0, "nothing in it is random")
def test_a_lost_night_ends_the_evidence_of_all_versions_up_to_it():
    found = [night(v, [1] * 20, [0] * 20) for v in (1, 2, 2, 3)]
    found[2] = found[2]._replace(lost=True, blocks=found[2].blocks[:0], lengths=found[2].lengths[:0])
    wealth = wealth_over_nights(found, 0.5)
    assert wealth[0].tolist()[2:] == wealth[1].tolist()[2:] == [-math.inf, -math.inf]
    assert np.isclose(wealth[2, 3], wealth[0, 0])
    assert alarms_over_nights(found, wealth, 0.5)[1][2] == -math.inf


@pytest.mark.chance(0.0, "nothing in it is random")
def test_an_alarm_needs_more_evidence_for_later_versions_and_ends_the_earlier_ones():
    nights = [night(v, [1] * 3, [0] * 3, ([1] * 8, [0] * 8)) for v in (1, 1, 2, 2, 2)]
    wealth = np.zeros((2, 5))
    level = 0.01
    wealth[0] = [0.0, -math.log(level) + penalty(1) - 1e-9, -math.log(level) + penalty(1), 99.0, 99.0]
    wealth[1] = [0.0, 0.0, -math.log(level) + penalty(1), -math.log(level) + penalty(2), 0.0]
    alarms, course = alarms_over_nights(nights, wealth, level)
    assert [(a.night, a.since, a.version) for a in alarms] == [(3, 1, 2)]
    assert math.isclose(alarms[0].e_value, 1.0 / level)
    assert course[3] == 99.0 - penalty(1)  # it stands: only a version later than 2 may raise another


@pytest.mark.chance(1e-8, "of 200 years at the claim with a level of .05 more than 32 raise an alarm: binomial tail")
def test_years_at_the_claim_raise_few_alarms():
    rng = np.random.default_rng(11)
    laws, alarmed, level = tilted(1.0, 0.2), 0, 0.05
    for _ in range(200):
        one, two = (rng.choice(np.array([1, 0, -1], np.int8), (30, 20, 1), p=law) for law in laws)
        nights = [
            counted_night(1 + n // 5, (one[n], two[n]), (one[:n].reshape(-1, 1), two[:n].reshape(-1, 1)))
            for n in range(30)
        ]
        alarmed += bool(alarms_over_nights(nights, wealth_over_nights(nights, 1.0), level)[0])
    assert alarmed <= 32


@pytest.mark.chance(1e-9, "the evidence of 40 nights at 1.5 times the claim")
def test_a_leak_is_found_across_versions_where_a_product_that_starts_anew_is_not():
    rng = np.random.default_rng(3)
    laws = tilted(1.5, 0.1)
    one, two = (rng.choice(np.array([1, 0, -1], np.int8), (60, 100, 1), p=law) for law in laws)
    nights = [  # a new version every night
        counted_night(1 + n, (one[n], two[n]), (one[:n].reshape(-1, 1), two[:n].reshape(-1, 1))) for n in range(60)
    ]
    wealth = wealth_over_nights(nights, 1.0)
    alarms, _ = alarms_over_nights(nights, wealth, 1e-3)
    assert alarms
    assert alarms[0].since <= 3
    anew = max(wealth[n, n] - penalty(n + 1) for n in range(60))
    assert anew < -math.log(1e-3)
