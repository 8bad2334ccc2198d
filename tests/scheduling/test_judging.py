"""Who judges the pairs of a search decides nothing: this thread, others while the next pairs are played, or workers."""

from __future__ import annotations

import threading
import weakref
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_info, threadpool_limits

import privcheck
from privcheck.auditing._scoring.learned import LogisticScore
from privcheck.auditing._search import promise, successive_halving
from privcheck.auditing._search.successive_halving import _Game
from privcheck.scheduling import Executor, one_thread
from privcheck.targets import Outputs

PATIENCE = 30.0
"""Seconds after which a test fails that waits for another thread."""


@pytest.mark.parametrize("in_threads_from", [0, 10**9])
def test_an_audit_is_equal_whoever_judges(in_threads_from, hashed, monkeypatch):
    audited = {"target": "adap-ucb", "epsilon": 1.0, "arms": 2, "horizon": 8, "runs": 30_000, "pairs": 12, "seed": 3}
    here = hashed(privcheck.audit(**audited))
    sent = []
    of_each = promise.Promise.of_each
    monkeypatch.setattr(promise.Promise, "of_each", lambda *given: sent.append(len(given[1])) or of_each(*given))
    monkeypatch.setattr(successive_halving, "WORTH_SENDING", 0)
    monkeypatch.setattr(successive_halving, "MOST_HELD", 2000)
    monkeypatch.setattr(promise, "JUDGED_IN_THREADS", in_threads_from)
    assert hashed(privcheck.audit(**audited, jobs=2)) == here
    assert len(sent) > 10


class Overlapping:
    """Plays and judges; the judging of each pair but the last ends only when the next pair is being played."""

    runner = SimpleNamespace(joblib_backend="threading")

    def __init__(self, pairs, refused=None):
        self.playing = [threading.Event() for _ in range(pairs)]
        self.refused, self.held, self.most, self.number = refused, weakref.WeakSet(), 0, -1

    def play(self, requests, advance):
        self.number += 1
        self.playing[self.number].set()
        if self.number == self.refused:
            raise ValueError("no runs")
        sides = [Outputs.of_symbols(np.full((2, 1), self.number)) for _ in requests]
        self.held.update(sides)
        self.most = max(self.most, len(self.held))
        return sides

    def of_each(self, played, judges):
        ((_, (first, _)),) = played
        number = int(first.symbols[0, 0])
        assert number == len(self.playing) - 1 or self.playing[number + 1].wait(PATIENCE)
        return [[float(-abs(number - 3)), 0.0]]


def game(both):
    return _Game(both, both, SimpleNamespace(add=lambda *_: None), Executor(jobs=2), lambda runs: None)


def test_pairs_are_judged_while_the_next_are_played_and_then_forgotten():
    both = Overlapping(9)
    _, promises, best = game(both).round([None] * 9, successive_halving.MOST_HELD, (1, 0))
    assert [first for first, _ in promises] == [-3.0, -2.0, -1.0, 0.0, -1.0, -2.0, -3.0, -4.0, -5.0]
    assert best[0].symbols[0, 0] == 3
    assert both.most <= 6, "the pair that is played, the one that is judged, and the best one"


def test_what_playing_raises_is_raised_while_others_judge():
    with pytest.raises(ValueError, match="no runs"):
        game(Overlapping(9, refused=4)).round([None] * 9, successive_halving.MOST_HELD, (1, 0))


def test_a_fit_has_one_thread(monkeypatch):
    """Several are slower on so few columns, and how they share a sum may decide how it rounds."""
    seen = []
    fit = LogisticRegression.fit
    monkeypatch.setattr(LogisticRegression, "fit", lambda *a, **k: seen.append(threads()) or fit(*a, **k))
    rng = np.random.default_rng(0)
    sides = [(np.zeros((50, 0), int), rng.normal(shift, 1.0, (50, 2))) for shift in (0.0, 1.0)]
    with threadpool_limits(2):
        LogisticScore(*sides)
        assert seen == [{1}]
        assert threads() == {2}


def test_blocks_of_one_thread_may_overlap():
    """Each by itself would put back what the other has set: too early, and for good."""
    one, two = one_thread(), one_thread()
    with threadpool_limits(2):
        one.__enter__()
        two.__enter__()
        one.__exit__(None, None, None)
        assert threads() == {1}
        two.__exit__(None, None, None)
        assert threads() == {2}


def threads():
    return {library["num_threads"] for library in threadpool_info()}
