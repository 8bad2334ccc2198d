"""An audit plays `run_batch` where there is one; what `select` and `update` do is compared with it, and said."""

import numpy as np
import pytest

import privcheck
from privcheck.auditing._harness.law_of_batches import FALSE_REFUSAL, RUNS, _differ, batch_note
from privcheck.targets import PolicyRunner


class Noisy:
    """Adds noise to every reward, and plays the leader."""

    scale = 1.0

    def __init__(self, rng, arms=2):
        self.rng, self.sums, self.pulls = rng, np.zeros(arms), 0

    def select(self):
        self.pulls += 1
        return self.pulls - 1 if self.pulls <= len(self.sums) else int(np.argmax(self.sums))

    def update(self, action, reward):
        self.sums[action] += reward + self.rng.laplace(0.0, self.scale)

    def run_batch(self, table, rng, runs):
        sums, actions, each = np.zeros((runs, table.shape[1])), np.zeros((runs, len(table)), int), np.arange(runs)
        for t in range(len(table)):
            actions[:, t] = t if t < table.shape[1] else sums.argmax(axis=1)
            sums[each, actions[:, t]] += table[t, actions[:, t]] + rng.laplace(size=runs)
        return actions


class Leader(Noisy):
    """The methods that are deployed add no noise, and the batch does."""

    scale = 1e-9


class Uniform(Noisy):
    """The batch looks at nothing, and would be called consistent with every claim."""

    def run_batch(self, table, rng, runs):
        return rng.integers(table.shape[1], size=(runs, len(table)))


class LeakingBatch(Noisy):
    """The batch adds no noise, and would be called a violation of methods that are right."""

    def run_batch(self, table, rng, runs):
        actions, sums = np.zeros((runs, len(table)), int), np.zeros(table.shape[1])
        for t in range(len(table)):
            actions[:, t] = t if t < len(sums) else sums.argmax()
            sums[actions[0, t]] += table[t, actions[0, t]]
        return actions


class BatchAlone(Noisy):
    def select(self):
        raise NotImplementedError


def audited(policy):
    return privcheck.audit(policy, epsilon=1.0, arms=2, horizon=6, runs=1000, pairs=20, error=1e-7)


@pytest.mark.parametrize("policy", [Uniform, LeakingBatch, Leader])
def test_a_batch_with_another_law_is_refused(policy):
    with pytest.raises(privcheck.PolicyError, match=r"run_batch: .* of 100 by select\(\) and update\(\)") as refused:
        audited(policy)
    assert "action" in str(refused.value)


@pytest.mark.chance(FALSE_REFUSAL + 1e-7, "a refusal of one law, or a violation of a true claim at this level")
@pytest.mark.parametrize("policy", [Noisy, BatchAlone])
def test_one_with_the_same_law_is_played_and_said_so(policy):
    report = audited(policy)
    assert report.engine == "run_batch"
    assert report.verdict != "violation"
    assert any("taken on your word" in note for note in report.notes)


def test_where_no_batch_is_played_nothing_is_said_of_it():
    class Single(Noisy):
        run_batch = None

    assert batch_note(PolicyRunner(Single, {"arms": 2}, "bandit")) == ()
    assert batch_note(PolicyRunner(Noisy, {"arms": 2}, "bandit"))


def test_a_watch_compares_them_and_says_so(tmp_path):
    options = {"epsilon": 1.0, "arms": 2, "horizon": 4, "runs": 10, "search": 20}
    watched = privcheck.watch(Noisy, store=tmp_path / "a.sqlite", version="1", **options)
    assert any("taken on your word" in note for note in watched.notes)
    with pytest.raises(privcheck.PolicyError, match="run_batch"):
        privcheck.watch(Uniform, store=tmp_path / "b.sqlite", version="1", **options)


def test_counts_that_are_not_compared_would_not_be_refused():
    from scipy.stats import fisher_exact

    near = RUNS // 6 - 1
    assert fisher_exact([[0, RUNS], [near, RUNS - near]]).pvalue > FALSE_REFUSAL
    assert not _differ(0, near, FALSE_REFUSAL)
    assert _differ(10, 50, FALSE_REFUSAL)
