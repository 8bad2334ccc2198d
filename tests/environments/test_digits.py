"""The example on scikit-learn's digits: its log agrees with the truth, and a private bandit learns from it."""

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

from privcheck.environments import LoggedFeedback, Replay
from privcheck.simulation import replay, simulate

FILE = Path(__file__).parents[2] / "examples" / "digits_bandit.py"


@pytest.fixture(scope="module")
def digits(tmp_path_factory):
    spec = importlib.util.spec_from_file_location("digits_bandit", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path = tmp_path_factory.mktemp("digits") / "digits.csv"
    truth = module.write_log(path, rounds=5000, seed=3)
    return LoggedFeedback.from_csv(path, action="classifier", reward="right"), truth


@pytest.mark.chance(
    2e-7,
    "shares of five classifiers within 6 standard errors: 2e-9 each, and a factor of 20 for skewness",
)
def test_the_log_has_the_true_accuracies(digits):
    """Every arm within six standard errors of about 1000 rows."""
    log, truth = digits
    counts = np.bincount(log.actions)
    assert list(log.arms) == sorted(log.arms)
    assert (counts > 800).all()
    assert (np.abs(np.array(Replay.from_log(log).means) - truth) < 6 * np.sqrt(truth * (1 - truth) / counts)).all()
    assert truth.max() > truth.min() + 0.2


def test_a_private_bandit_learns_on_it(digits):
    log, truth = digits
    found = replay("dp-imed", log, runs=5, epsilon=1.0, order="shuffled")
    assert found.reward.mean() > truth.mean() + 0.05
    row = simulate("dp-imed", Replay.from_log(log), horizon=10**5, runs=50, epsilon=1.0, checkpoints=1).summary()[0]
    assert row["engine"] == "event"
    assert row["median"] < 10**5 * (truth.max() - truth.mean()) / 20
    assert math.isfinite(row["q99"])
