"""Uniform draws that are compared with public and private chances: charges, laws and replays, against enumeration."""

from __future__ import annotations

import importlib.util
import itertools
import math
import sys
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck import certify
from privcheck.certifying import Session
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import Bernoulli
from privcheck.mechanisms.provenance import code_of
from privcheck.privacy import relation
from privcheck.private_values import LeakError
from privcheck.private_values._noise import coins
from privcheck.private_values._noise.draws import Draws

BANDITS = Path(__file__).with_name("coin_bandits.py")


@pytest.fixture(scope="module")
def random():
    """The module coin_programs.py, which is not in a package."""
    spec = importlib.util.spec_from_file_location("coin_programs", Path(__file__).with_name("coin_programs.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules["coin_programs"] = module
    spec.loader.exec_module(module)
    return module


def start(noise=0):
    session = Session(relation("row"), (0.0, 1.0), None, np.random.default_rng(noise), round=1)
    return session, session.generator(np.random.default_rng(1))


def paid(session):
    return {datum: round(charge.epsilon, 6) for datum, charge in session.ledger.paid.items() if charge.epsilon > 0.0}


# Random programs against enumeration


def test_no_random_program_loses_more_than_it_is_charged(random, evidence):
    found = [wrong for seed in range(evidence(300, 20_000)) if (wrong := random.unpaid(seed))]
    assert found == []


def test_the_random_programs_answer_much_and_are_charged_what_they_lose(random):
    pairs = [pair for seed in range(100) for pair in random.compared(seed).values() if pair[0] > 0.0]
    assert len(pairs) > 40
    assert sum(lost > charged * (1 - 1e-6) for charged, lost in pairs) > len(pairs) / 2


def draws_stay_fresh(monkeypatch):
    monkeypatch.setattr(Draws, "answer", lambda draws, numbers, why: None)


def half_a_charge(monkeypatch):
    charge = Bernoulli.charge
    monkeypatch.setattr(Bernoulli, "charge", lambda self, s: privcheck.accounting.Charge(charge(self, s).epsilon / 2))


def only_ones_are_charged(monkeypatch):
    def charge(self, s):
        return privcheck.accounting.Charge(math.log(min(self.low + s, self.high) / self.low))

    monkeypatch.setattr(Bernoulli, "charge", charge)


def any_number_is_a_bit(monkeypatch):
    monkeypatch.setattr(coins, "_mechanism", lambda chance: Bernoulli(0.4, 0.6))


@pytest.mark.parametrize("twin", [draws_stay_fresh, half_a_charge, only_ones_are_charged, any_number_is_a_bit])
def test_the_oracle_finds_a_broken_law(random, twin, monkeypatch):
    """Fixed programs: nothing is random but their seeds."""
    twin(monkeypatch)
    monkeypatch.setattr("privcheck.certifying._session.examined", lambda mechanism, *_: code_of(type(mechanism)))
    assert any(random.unpaid(seed) for seed in range(150))


# The mechanism


@pytest.mark.parametrize(("low", "high"), [(0.25, 0.75), (0.05, 0.5), (0.5, 0.9), (1e-6, 0.3), (0.4, 0.4)])
def test_the_charge_is_the_largest_log_ratio(low, high):
    grid = np.linspace(low, high, 301)
    one, two = np.meshgrid(grid, grid)
    for moved in (high - low, 0.3 * (high - low), 1e-3):
        near = np.abs(one - two) <= moved * (1 + 1e-9)
        worst = max(np.abs(np.log(one / two))[near].max(), np.abs(np.log1p(-one) - np.log1p(-two))[near].max())
        charged = Bernoulli(low, high).charge(moved).epsilon
        assert worst <= charged * (1.0 + 1e-9) + 1e-15
        if moved == high - low:
            assert charged <= worst * (1.0 + 1e-9) + 1e-9


@pytest.mark.chance(1e-8, "two binomial shares within 6 standard deviations", fresh=True)
def test_answers_have_their_chance_fast_and_exactly():
    """Within 6 standard deviations of 40,000 answers: wrong with probability below 1e-8, with a seed or not."""
    mechanism, q = Bernoulli(0.2, 0.8), 0.3
    found = mechanism.release_batch(q, np.random.default_rng(0), 40_000).mean()
    exact = np.mean([mechanism.draw(q, None, secure=True) for _ in range(40_000)])
    assert max(abs(found - q), abs(exact - q)) < 6.0 * math.sqrt(q * (1.0 - q) / 40_000)
    assert mechanism.draw(0.999, np.random.default_rng(0)) in (0, 1)
    assert math.exp(mechanism.log_ratio(1, 0.8, 0.0)) == pytest.approx(4.0)  # moved to the ends


@pytest.mark.parametrize("ends", [(0.0, 0.5), (0.5, 1.0), (0.6, 0.4), (-0.1, 0.5), (math.nan, 0.5)])
def test_ends_outside_are_refused(ends):
    with pytest.raises(PrivcheckError):
        Bernoulli(*ends)


def test_arrays_are_refused_because_two_answers_would_cost_more_than_one():
    """Each of both loses ln 3; the L1 change of 1 would be charged that once."""

    class Both:
        def __init__(self, rng):
            self.rng = rng

        def select(self):
            return 0

        def update(self, action, reward):
            chances = privcheck.zeros(2)
            chances[0], chances[1] = 0.25 + 0.5 * reward, 0.75 - 0.5 * reward
            self.answers = Bernoulli(0.25, 0.75).release(chances, self.rng)

    guarded = privcheck.guard(Both, epsilon=10.0, arms=2, noise="float")
    with pytest.raises(PrivcheckError, match="one number"):
        guarded.update(guarded.select(), 1.0)
    with pytest.raises(PrivcheckError, match="one number"):
        Bernoulli(0.25, 0.75).draw([0.3, 0.4], np.random.default_rng(0))


# Coins


def test_unread_coins_behave_like_numpys():
    """The same seed, and each operation on numpy's own arrays."""
    operations = [
        lambda c: ~c, lambda c: c & [True, False, True], lambda c: np.arange(3)[c], lambda c: c.sum(), lambda c: 1 - c,
        lambda c: c + c, lambda c: np.where(c, 1, 2), lambda c: np.flatnonzero(c), lambda c: [bool(x) for x in c],
        lambda c: c.astype(float), lambda c: np.logical_or(c, c), lambda c: c * np.arange(3.0), lambda c: np.any(c),
        lambda c: f"{c}", lambda c: len(c), lambda c: c[0], lambda c: np.stack([c, c]), lambda c: c == True,  # noqa: E712
        lambda c: isinstance(c, np.ndarray), lambda c: np.arange(3.0) * c, lambda c: c ^ c, lambda c: np.sum(c, axis=0),
        lambda c: c.mean(), lambda c: c.any(), lambda c: list(c), lambda c: c.dtype == bool, lambda c: c.shape,
    ]  # fmt: skip
    for operation in operations:
        _, rng = start()
        found, plain = operation(rng.random(3) < 0.5), operation(np.random.default_rng(1).random(3) < 0.5)
        assert type(found) is type(plain)
        assert np.array_equal(found, plain)
    scalars = [
        lambda c: not c, lambda c: int(c), lambda c: [4, 5][c], lambda c: c + 1, lambda c: c and 3, lambda c: c == True,  # noqa: E712
        lambda c: isinstance(c, bool), lambda c: {True: 1, False: 2}[c], lambda c: -c, lambda c: str(c), lambda c: 2**c,
        lambda c: c | False, lambda c: np.zeros(2)[int(c)], lambda c: max(c, 0), lambda c: float(c) * 2,
    ]  # fmt: skip
    for operation, chance in itertools.product(scalars, (0.1, 0.9)):
        _, rng = start()
        found, plain = operation(rng.random() < chance), operation(np.random.default_rng(1).random() < chance)
        assert (found.__class__, found) == (type(plain), plain)


def test_a_coin_that_was_read_hides_nothing():
    session, rng = start()
    x = session.source.scalar(0.7, 0.0, 1.0, 0) > 0.5
    coin = rng.random() < 0.75
    assert coin in (True, False)
    with pytest.raises(LeakError):
        float(np.where(coin, x, 1 - x))
    assert paid(session) == {}


def test_one_coin_for_several_entries_is_no_response():
    session, rng = start()
    x = (session.source.vector([0.7, 0.2, 0.4], 0.0, 1.0, 0) > 0.5) * 1
    answer = np.where(rng.random() < 0.75, x, 1 - x)
    with pytest.raises(LeakError):
        np.asarray(answer, float)
    assert paid(session) == {}


def test_a_chance_of_several_data_charges_each_by_what_it_can_move():
    session, rng = start()
    data = [session.source.scalar(0.5, 0.0, 1.0, datum) for datum in range(3)]
    rng.random() < 0.2 + 0.2 * sum(data)  # noqa: B015
    assert paid(session) == dict.fromkeys(range(3), round(math.log(2.0), 6))


@pytest.mark.chance(1e-8, "three binomial counts within 6 standard deviations")
def test_the_answer_has_its_chance():
    """Within 6 standard deviations of 2,000 answers: wrong with probability below 1e-8; fixed seeds."""
    session, rng = start()
    r = session.source.scalar(0.5, 0.0, 1.0, 0)
    counts = np.zeros(3)
    for _ in range(2000):
        x = (r > 0.4) * 1
        counts += [
            rng.random() < 0.1 + 0.4 * r,
            float(np.where(rng.random() < 0.7, x, 1 - x)),
            2 * rng.random() > 2 * (0.1 + 0.4 * r),
        ]
    chances = np.array([0.3, 0.7, 0.7])
    assert (np.abs(counts - 2000 * chances) < 6.0 * np.sqrt(2000 * chances * (1 - chances))).all()


# Bandits


def certified(name, **options):
    if name == "Winner":
        options |= {"feedback": "full", "arms": 4}
    return certify(f"{BANDITS}:{name}", **{"epsilon": 1.0, "arms": 2, "horizon": 9, "runs": 3} | options)


@pytest.mark.parametrize("name", ["Response", "Chance", "Winner", "Lists"])
def test_a_correct_bandit_is_certified_at_its_epsilon(name):
    certificate = certified(name)
    assert certificate.granted, str(certificate)
    assert certificate.ledger_epsilon == pytest.approx(1.0)
    assert certificate.replay.divergences == 0
    assert 0.01 < certificate.replay.largest_loss <= 1.0 + 1e-9


def test_the_other_coin_is_charged_its_logarithm_of_three():
    assert certified("Forced", epsilon=math.log(3.0)).granted
    assert not certified("Forced", epsilon=1.09).granted


def test_answering_twice_is_refused():
    certificate = certified("Twice")
    assert not certificate.granted
    assert "takes the reward of round 1 to 2" in certificate.refusals[0]


@pytest.mark.parametrize("name", ["Response", "Chance", "Forced"])
def test_a_replay_with_draws_that_do_not_give_the_answers_diverges(name, monkeypatch):
    """The broken twin of the draws that are chosen to give the recorded answers."""
    real = coins._Flip.value
    monkeypatch.setattr(coins._Flip, "value", lambda flip, holds: real(flip, not holds))
    assert certified(name, epsilon=2.0).replay.divergences > 0


# Uniform draws that meet a function of one datum


def test_a_function_of_a_datum_and_a_uniform_draw_is_one_of_the_datum():
    """Stochastic rounding: the draw is a public coin, and the rounded number is 0 or 1 with the sensitivity of both."""
    session, rng = start()
    with session.active():
        reward = session.reward(0.4, 0)
        rounded = np.floor(reward + rng.random())
        assert not rounded.is_public
        assert rounded.sensitivities("l1") == {1: pytest.approx(1.0)}
        assert session.ledger.releases == []
        float(rounded + rng.laplace(0.0, 2.0))
    assert paid(session) == {1: 0.5}


def test_a_tossed_draw_hides_nothing_any_more():
    """The same draw as the coin of randomised response: the answer stays private, and reading it is a leak."""
    session, rng = start()
    with session.active():
        bit, draw = session.reward(1.0, 0) > 0.5, rng.random()
        np.floor(session.reward(0.4, 0) + draw)
        with pytest.raises(LeakError):
            float(np.where(draw < 0.75, bit, 1 - bit))
    assert paid(session) == {}
    assert len(session.leaks) == 1


def test_a_draw_that_has_answered_is_not_tossed():
    session, rng = start()
    with session.active():
        chance, draw = privcheck.clip(session.reward(0.4, 0), 0.1, 0.9), rng.random()
        assert bool(draw < chance) in (True, False)
        with pytest.raises(LeakError):
            np.floor(session.reward(0.4, 0) + draw)


def test_a_draw_of_another_law_is_not_tossed():
    session, rng = start()
    with session.active(), pytest.raises(LeakError):
        np.floor(session.reward(0.4, 0) + rng.random() + rng.exponential())
