"""The order in which base arms are returned is observed: it may tell what the set does not."""

import itertools

import numpy as np
import pytest

import privcheck
from privcheck.feedback import kind

SEMI = kind("semi-bandit")


def symbol_of(chosen, arms):
    played = []
    policy = type("Same", (), {"select": lambda self: chosen, "update": lambda *_: None})()
    SEMI.play(policy, iter(np.zeros((1, arms))), arms, played)
    return played[0]


@pytest.mark.parametrize("arms", [2, 4, 7])
def test_every_order_has_a_symbol_and_words_of_its_own(arms):
    orders = [order for size in range(arms + 1) for order in itertools.permutations(range(arms), min(size, 4))]
    symbols = {order: symbol_of(order, arms) for order in orders}
    assert len(set(symbols.values())) == len(symbols)
    for order, symbol in symbols.items():
        ascending = tuple(sorted(order)) == order
        listed = ", ".join(map(str, order))
        assert SEMI.word(symbol, arms) == (f"{{{listed}}}" if ascending else f"({listed})")
        assert [arm for arm in range(arms) if SEMI.pulled(np.array([symbol]), arm)[0]] == sorted(order)
        assert not ascending or symbol == sum(1 << arm for arm in order)


def test_orders_of_many_arms_fit_into_a_symbol():
    symbol = symbol_of(tuple(range(59, -1, -1)), 60)
    assert 0 < symbol < 2**62
    assert "in another order" in SEMI.word(symbol_of((*range(1, 60), 0), 60), 60)


def test_a_set_has_no_order():
    assert symbol_of({2, 0, 1}, 3) == symbol_of(frozenset((1, 2, 0)), 3) == 7


class NoisyOrder:
    """Plays both arms, the one with the larger noisy outcome of the last round first."""

    scale = 2.0

    def __init__(self, rng):
        self.rng, self.order = rng, (0, 1)

    def select(self):
        return self.order

    def update(self, arms, outcomes):
        noisy = np.asarray(outcomes) + self.rng.laplace(scale=self.scale, size=2)
        self.order = tuple(arms[place] for place in np.argsort(-noisy))


class RawOrder(NoisyOrder):
    scale = 1e-9


OPTIONS = {"epsilon": 1.0, "feedback": "semi-bandit", "arms": 2, "horizon": 3, "runs": 3000, "error": 1e-6}


@pytest.mark.chance(1e-6, "the verdict of a true claim at this level")
def test_an_order_that_leaks_is_found_and_a_private_one_is_not_accused():
    assert privcheck.audit(RawOrder, **OPTIONS).verdict == "violation"
    assert privcheck.audit(NoisyOrder, **OPTIONS).verdict != "violation"


class NothingAtTimes:
    """Plays no arm in every second round, as an oracle may that finds none worth its price."""

    def __init__(self, rng):
        self.rng, self.t, self.sum = rng, 0, 0.0

    def select(self):
        self.t += 1
        return () if self.t % 2 else (0, 1)

    def update(self, arms, outcomes):
        self.sum += float(sum(outcomes) + self.rng.laplace(scale=2.0)) if arms else 0.0


def test_a_set_may_be_empty(tmp_path):
    options = {"epsilon": 1.0, "feedback": "semi-bandit", "arms": 2}
    assert privcheck.certify(NothingAtTimes, **options, horizon=4, runs=2).granted
    kept = {"ledger": tmp_path / "budget.db", "head": tmp_path / "heads.db", "scope": "sets"}
    for place in ({"noise": "float"}, kept, kept):
        guarded = privcheck.guard(NothingAtTimes, **options, **place)
        for _ in range(4):
            arms = guarded.select()
            guarded.update(arms, np.ones(len(arms)))
        assert guarded.spent == pytest.approx(1.0)
    fresh = privcheck.guard(NothingAtTimes, **options, noise="float")
    assert fresh.select() == ()
    with pytest.raises(privcheck.PrivcheckError, match="one reward for each base arm"):
        fresh.update((), [1.0])
