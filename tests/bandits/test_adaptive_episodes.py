"""AB22 Algorithm 1: the traps of its episodes and of its noise."""

import itertools
import math

import numpy as np
import pytest

from privcheck.bandits import ALGORITHMS

PRIVATE = ["adap-ucb", "adap-kl-ucb"]


class CountingGenerator(np.random.Generator):
    """A Generator that remembers the scale of every Laplace draw."""

    def __init__(self, seed):
        super().__init__(np.random.PCG64(seed))
        self.scales = []

    def laplace(self, loc=0.0, scale=1.0, size=None):
        assert loc == 0.0
        drawn = super().laplace(loc, scale, size)
        self.scales.extend([float(scale)] * np.size(drawn))
        return drawn


def episodes(actions):
    """Split actions into blocks by the rule of the paper: an arm plays as often as it has been played, first once."""
    blocks, pulls, t = [], {}, 0
    while t < len(actions):
        arm = actions[t]
        length = pulls.get(arm, 1)
        blocks.append((arm, length, t + length <= len(actions)))
        assert set(actions[t : t + length]) == {arm}, "an episode is never interrupted"
        pulls[arm] = pulls.get(arm, 0) + length
        t += length
    return blocks


@pytest.mark.parametrize("name", PRIVATE)
@pytest.mark.parametrize(("arms", "epsilon", "horizon"), [(2, 1.0, 2), (2, 0.3, 333), (5, 2.0, 512)])
def test_one_laplace_draw_for_each_closed_block(name, arms, epsilon, horizon, play):
    spec = ALGORITHMS[name](arms=arms, epsilon=epsilon)
    noise = CountingGenerator(1)
    actions = play.reference(spec, np.random.default_rng(2).random((horizon, arms)), noise)
    closed = [length for _, length, complete in episodes(actions) if complete]
    assert noise.scales == pytest.approx([1.0 / (length * epsilon) for length in closed], rel=1e-8)
    assert all(scale >= 1.0 / (n * epsilon) for scale, n in zip(noise.scales, closed, strict=True)), "never too little"


@pytest.mark.parametrize("name", PRIVATE)
def test_blocks_of_an_arm_have_lengths_1_1_2_4_8(name, play):
    actions = play.reference(
        ALGORITHMS[name](arms=3, epsilon=1.0), np.random.default_rng(3).random((900, 3)), np.random.default_rng(4)
    )
    assert actions[:3] == [0, 1, 2]
    for arm in range(3):
        lengths = [length for block_arm, length, complete in episodes(actions) if block_arm == arm and complete]
        assert lengths == [1, 1, 2, 4, 8, 16, 32, 64, 128, 256][: len(lengths)]
        assert len(lengths) >= 5


@pytest.mark.parametrize("name", PRIVATE)
def test_the_first_block_counts_as_one_reward(name):
    """The printed N / 2 would be half a reward while an arm has been played once."""
    policy = ALGORITHMS[name](arms=2, epsilon=1.0).build(np.random.default_rng(0))
    for reward in (1.0, 0.0):
        policy.update(policy.select(), reward)
    assert policy.block_length == [1, 1]


def test_the_ucb_index_by_hand():
    policy = ALGORITHMS["adap-ucb"](arms=2, epsilon=0.5, alpha=3.0).build(np.random.default_rng(0))
    policy.private_mean, policy.block_length = [0.25, 0.0], [4, 1]
    log_round = math.log(17)
    assert policy.index(0, log_round) == pytest.approx(0.25 + math.sqrt(3 * log_round / 8) + 3 * log_round / 2)


def test_the_kl_index_by_hand():
    policy = ALGORITHMS["adap-kl-ucb"](arms=2, epsilon=100.0, alpha=2.0).build(np.random.default_rng(0))
    policy.block_length = [64, 64]
    log_round = math.log(100)
    policy.private_mean = [0.4, -3.0]
    mean, q = 0.4 + 2 * log_round / 6400, -math.expm1(-policy.index(0, log_round))
    assert mean * math.log(mean / q) + (1 - mean) * math.log((1 - mean) / (1 - q)) == pytest.approx(2 * log_round / 64)
    assert policy.index(1, log_round) == pytest.approx(2 * log_round / 64), "a mean below 0 is clipped to 0"
    policy.private_mean = [5.0, 1.0]
    assert policy.index(0, log_round) == policy.index(1, log_round) == math.inf, "means clipped to 1 tie"


@pytest.mark.parametrize("name", PRIVATE)
def test_an_open_block_influences_nothing(name, play):
    """Actions up to the end of a block do not depend on the rewards inside it."""
    spec, rng = ALGORITHMS[name](arms=2, epsilon=1.0), np.random.default_rng(8)
    table = rng.random((200, 2))
    actions = play.reference(spec, table, np.random.default_rng(9))
    starts = np.cumsum([0] + [length for _, length, _ in episodes(actions)])
    for start, stop in itertools.pairwise(starts):
        changed = table.copy()
        changed[start:] = 1.0 - changed[start:]
        assert play.reference(spec, changed, np.random.default_rng(9))[:stop] == actions[:stop]
