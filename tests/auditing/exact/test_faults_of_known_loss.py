"""The faults of benchmarks/fault_power.py: their true losses, and that the class and its twin play by one law."""

import math

import numpy as np
import pytest
from scipy import stats

from .test_tightness_truths import loaded

power = loaded("fault_power")


def probability_of_high(kind, total):
    if kind == "scale":
        return stats.laplace(1.0, 1.0 + total).sf(3.0)
    return stats.laplace(total, 0.5).sf(2.0)


@pytest.mark.parametrize("kind", ["scale", "mean"])
def test_the_true_loss_is_the_largest_log_ratio_of_an_action(kind):
    """A reward is in one block, whose action is the only one that depends on it; sums are from 0 to 4."""
    high = [probability_of_high(kind, np.linspace(0.0, 4.0, 81))[i] for i in range(81)]
    within = [(i, j) for i in range(81) for j in range(81) if abs(i - j) <= 20]
    losses = [abs(math.log(shares[i] / shares[j])) for shares in (high, [1 - p for p in high]) for i, j in within]
    assert max(losses) == pytest.approx(power.TRUTHS[kind], abs=1e-9)


@pytest.mark.chance(4e-6, "two counts of each kind and form between binomial quantiles at 1e-6 together")
@pytest.mark.parametrize("form", power.FORMS)
def test_class_and_twin_play_by_one_law(form):
    kind, runs = form.partition(",")[0], 2000
    table = np.zeros((8, 2))
    table[0] = 1.0
    rng, policy = np.random.default_rng(5), power.FORMS[form]
    if hasattr(policy, "run_batch"):
        actions = policy(rng).run_batch(table, rng, runs)
    else:
        actions = np.zeros((runs, 8), int)
        for run in range(runs):
            player = policy(rng)
            for t in range(8):
                actions[run, t] = player.select()
                player.update(actions[run, t], table[t, actions[run, t]])
    assert not actions[:, :4].any()
    assert (actions[:, 4:] == actions[:, 4:5]).all()
    share, high = probability_of_high(kind, 1.0), int(actions[:, 4].sum())
    assert stats.binom.ppf(2.5e-7, runs, share) <= high <= stats.binom.isf(2.5e-7, runs, share)
