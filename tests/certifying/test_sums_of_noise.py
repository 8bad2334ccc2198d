"""Noise that is scaled after it was added, and two draws in one number: replays find no fault where there is none."""

# ruff: noqa: NPY002  numpy's global generator is what these tests are about

import random

import numpy as np
import pytest

import privcheck


def explored(target, **options):
    given = {"epsilon": 1.0, "runs": 4, "horizon": 4, "primitives": ["numpy"]}
    return privcheck.certify(target, **given | ({"arms": 2} if isinstance(target, type) else {}) | options)


class Weights:
    """Exponential weights: each loss is released once, scaled by a rate and by the probability of its arm."""

    def __init__(self, rng, arms=2):
        self.rng, self.weights = rng, np.ones(arms)

    def select(self):
        self.odds = 0.8 * self.weights / self.weights.sum() + 0.2 / len(self.weights)
        return int(self.rng.random() > self.odds[0])

    def update(self, action, loss):
        noisy = loss + np.random.laplace(0, 1.0)
        self.weights[action] *= np.exp(-0.2 * noisy / self.odds[action])


class SharedDraw(Weights):
    """The broken twin: the other arm gets the same draw alone, which takes the noise off the loss."""

    def update(self, action, loss):
        draw = np.random.laplace(0, 1.0)
        self.weights[action] *= np.exp(-0.2 * (loss + draw) / self.odds[action])
        self.weights[1 - action] *= np.exp(-0.2 * (1.0 - draw) / self.odds[1 - action])


def test_a_loss_that_is_scaled_after_the_noise_was_added_is_released_once():
    """The parts beside the noise agree up to rounding, which is none where the loss is 0."""
    found = explored(Weights)
    assert not found.has_findings, found
    assert found.ledger_epsilon == pytest.approx(1.0)
    assert found.undeclared == []


def test_one_draw_in_two_weights_is_found():
    found = explored(SharedDraw)
    assert found.replay.divergences
    assert "in several numbers" in found.replay.first_divergence.reason


@pytest.mark.parametrize("scale", [1.0, 1e8])
def test_a_noisy_number_that_is_read_at_two_scales_is_released_once(scale):
    def twice(data, rng):
        noisy = scale * (data[0] + np.random.laplace(0, 1.0))
        return float(noisy * 0.3), float(noisy / 0.7)

    found = explored(twice)
    assert not found.has_findings, found
    assert found.ledger_epsilon == pytest.approx(1.0)


def test_raw_data_beside_a_noisy_number_are_found():
    """Also where its row is 0 on some streams, so that the noise could have been read before it was added."""

    def beside(data, rng):
        noisy = data[0] + np.random.laplace(0, 1.0)
        return float(noisy * 0.3), float((noisy + 1e-6 * data[1]) / 0.7)

    found = explored(beside)
    assert found.replay.divergences, found
    assert found.undeclared == []


# Two draws in one number


def sketch(data, rng):
    """Release two counts, with a draw that both share and one for each."""
    shared = np.random.laplace(0, 2.0)
    return [float(count + shared + np.random.laplace(0, 2.0)) for count in (data[0] + data[1], data[2] + data[3])]


def without_its_own(data, rng):
    """The broken twin: only one of the counts has a draw of its own."""
    shared = np.random.laplace(0, 2.0)
    first, second = data[0] + data[1], data[2] + data[3]
    return [float(first + shared), float(second + shared), float(first + np.random.laplace(0, 2.0))]


def test_a_shared_draw_is_no_finding_where_each_number_has_its_own():
    found = explored(sketch)
    assert not found.has_findings, found
    assert found.undeclared == []
    assert found.ledger_epsilon == pytest.approx(0.5)


def test_a_shared_draw_alone_is_found():
    assert "in several numbers" in explored(without_its_own).replay.first_divergence.reason


def test_jitter_that_breaks_ties_is_not_taken_for_the_noise():
    def leader(data, rng):
        noisy = data + np.random.laplace(0, 1.0, len(data))
        return int(np.argmax(noisy + 1e-9 * np.random.normal(0, 1, len(data))))

    found = explored(leader)
    assert not found.has_findings, found
    assert found.ledger_epsilon == pytest.approx(1.0)


def prefixes(data, rng):
    """Release sums of the first 1, 2, 3, 4 rows: the noise of a tree's nodes is drawn before the data are seen."""
    noise = [np.random.laplace(0, 3.0) for _ in range(4)]
    nodes = {1: [0], 2: [1], 3: [1, 2], 4: [3]}
    return [float(sum(noise[k] for k in of) + data[:t].sum()) for t, of in nodes.items()]


def test_a_tree_whose_noise_is_drawn_ahead_costs_one_draw_for_each_node_of_a_row():
    found = explored(prefixes)
    assert not found.has_findings, found
    assert found.ledger_epsilon == pytest.approx(1.0)


def test_a_tree_that_leaves_a_node_out_is_found():
    """The broken twin: the third sum has the noise of the second alone, so that the third row has none."""

    def leaking(data, rng):
        noise = [np.random.laplace(0, 3.0) for _ in range(4)]
        return [float(noise[k] + data[:t].sum()) for t, k in ((1, 0), (2, 1), (3, 1), (4, 3))]

    assert "in several numbers" in explored(leaking).replay.first_divergence.reason


# A random order


def shuffled(data, rng):
    """Release the numbers of high and of low rows, in random order, with a shared draw and one for each."""
    counts = {True: 0, False: 0}
    for high in data > 0.5:
        counts[bool(high)] = counts.pop(bool(high)) + 1  # the order is that of the last rows
    pairs, shared = list(counts.items()), np.random.laplace(0, 2.0)
    random.shuffle(pairs)
    return {high: float(count + shared + np.random.laplace(0, 2.0)) for high, count in pairs}


def test_counts_in_another_order_are_no_finding_where_the_order_is_random():
    """The replays differ, and other coins put other counts into a call on equal data, too."""
    found = explored(shuffled, horizon=9)
    assert found.is_inconclusive, found
    assert any("random.shuffle" in why for why in found.undeclared)


def test_too_little_noise_is_refused_whatever_other_coins_do():
    """The broken twin: the coins do not change what is released."""

    def little(data, rng):
        random.random()
        return float(data.sum() + np.random.laplace(0, 0.5))

    assert explored(little).refusals


def outputs(of):
    """Return a function of the first column of data that adds one draw to several numbers."""

    def released(data, rng):
        draw = np.random.laplace(0.0, 1.0)
        return of(data[:, 0], draw)

    return released


SEVERAL = {
    "comparisons": lambda data, draw: [data[0] + draw > 0.5, data[1] + draw > 0.5],
    "bools": lambda data, draw: [bool(float(data[0]) + draw > 0.5), bool(float(data[1]) + draw > 0.5)],
    "an array": lambda data, draw: data + draw > 0.5,
    "a sum and one of its numbers": lambda data, draw: [data.sum() + draw > 2.0, data[0] + draw > 0.5],
    "signs": lambda data, draw: [np.sign(data[0] + draw), np.sign(data[1] + draw)],
    "whole numbers": lambda data, draw: [int(data[0] + draw), int(data[1] + draw)],
    "an index": lambda data, draw: int(np.argmax([data[0] + draw, data[1] - draw])),
}
ONE = {
    "limits": lambda data, draw: [data.sum() + draw > 0.5, data.sum() + draw > 1.5],
    "multiples": lambda data, draw: [int(data.sum() + draw), int(2.0 * data.sum() + 2.0 * draw)],
    "public numbers": lambda data, draw: [data.sum() + draw > 0.5, 1.0 - (data.sum() + draw) > 0.5],
}


@pytest.mark.chance(1e-9, "the outputs differ in all runs, so that Fisher's test of 200 beside 200 finds them always")
@pytest.mark.parametrize("name", SEVERAL)
def test_a_draw_in_several_numbers_hides_none_of_them_however_they_are_read(name):
    """Before, the draw was taken for noise that the code reads before anything is added to it, and cost nothing."""
    found = explored(outputs(SEVERAL[name]), arms=2)
    assert found.has_findings
    assert found.replay.divergences
    assert not found.undeclared


@pytest.mark.parametrize("name", ONE)
def test_one_number_may_be_read_several_times(name):
    found = explored(outputs(ONE[name]), arms=2)
    assert not found.has_findings
    assert not found.undeclared
    assert found.ledger_epsilon == pytest.approx(1.0)
