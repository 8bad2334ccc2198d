"""Classes derived from shipped ones that draw as these do: they are charged for the noise that they draw."""

from __future__ import annotations

import math

import numpy as np
import pytest

from privcheck import certify
from privcheck.accounting import Charge
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import BinaryTree, Gaussian, Laplace, NoisyMax, provenance
from privcheck.mechanisms.provenance import examined


@pytest.fixture(autouse=True)
def untested(monkeypatch):
    """Nothing has been used before."""
    monkeypatch.setattr(provenance, "_TESTED", type(provenance._TESTED)())


class InL2(Laplace):
    sensitivity_norm = "L2"


class InEntries(Laplace):
    sensitivity_norm = "number of changed entries"


class NormalInEntries(Gaussian):
    sensitivity_norm = "number of changed entries"


class SmallForOthers(Laplace):
    """Right for the first parameters with which it is used."""

    def charge(self, sensitivity):
        return Charge(super().charge(sensitivity).epsilon / (1.0 if self.epsilon == 1.0 else 10.0))


class SmallForSmall(Laplace):
    """Right for the largest sensitivity alone."""

    def charge(self, sensitivity):
        return Charge(super().charge(sensitivity).epsilon / (1.0 if sensitivity > 0.9 else 10.0))


class FewerNodes(BinaryTree):
    statistics_per_datum = 1

    def charge(self, sensitivity):
        return Charge(super().charge(sensitivity).epsilon / 3.0)


class NoRounding(BinaryTree):
    def rounding(self, sizes):
        return 0.0


class SmallChoice(NoisyMax):
    def charge(self, sensitivity):
        return Charge(super().charge(sensitivity).epsilon / 2.0)


def built(cls, **options):
    budget = "mu" if issubclass(cls, Gaussian) else "epsilon"
    return cls(**{budget: 1.0, cls.sensitivity_name: 1.0, **options})


@pytest.mark.parametrize(
    ("cls", "first", "then", "shape", "every", "said"),
    [
        (InL2, {}, {}, (3,), (1.0,), "whose sensitivity is in L1"),
        (InEntries, {}, {}, (3,), (1.0,), "whose sensitivity is in L1"),
        (NormalInEntries, {}, {}, (), (1.0,), "whose sensitivity is in L2"),
        (SmallForOthers, {}, {"epsilon": 0.5}, (), (1.0,), r"but charges Charge\(epsilon=0.05"),
        (SmallForSmall, {}, {}, (), (1.0, 0.5), r"but charges Charge\(epsilon=0.05"),
        (FewerNodes, {"horizon": 8}, {"horizon": 8}, (8,), (1.0,), "in place of"),
        (NoRounding, {"horizon": 8}, {"horizon": 8}, (8,), (1.0,), "states another rounding"),
        (SmallChoice, {}, {}, (3,), (1.0,), r"but charges Charge\(epsilon=0.5\)"),
    ],
)
def test_a_charge_below_that_of_the_noise_is_refused(cls, first, then, shape, every, said):
    if first != then:
        assert examined(built(cls, **first), shape, 1.0).standing == "tested"
    with pytest.raises(PrivcheckError, match=rf"{cls.__name__} \(test_derived_charge.py\), which draws as .*{said}"):
        examined(built(cls, **then), shape, 1.0, every)


class Draws(Laplace):
    """Draws in its own way, as its base does."""

    def draw(self, value, rng, *, secure=False):
        return super().draw(value, rng, secure=secure)


class DrawsInL2(Draws):
    sensitivity_norm = "L2"


class DrawsInEntries(Draws):
    sensitivity_norm = "number of changed entries"


@pytest.mark.parametrize("cls", [DrawsInL2, DrawsInEntries])
def test_the_test_of_draws_moves_values_as_far_as_the_norm_allows(cls):
    with pytest.raises(PrivcheckError, match=rf"{cls.__name__} .*whose log_ratio exceeds its charge"):
        examined(built(cls), (3,), 1.0)
    assert examined(built(Draws), (3,), 1.0).standing == "tested"


def test_an_object_with_a_method_of_its_own_is_refused():
    """The class is tested, and this object draws nothing."""

    class Own(Laplace):
        pass

    assert examined(built(Own), (), 1.0).standing == "tested"
    mechanism = built(Own)
    object.__setattr__(mechanism, "draw", lambda value, rng, secure=False: value)
    with pytest.raises(PrivcheckError, match="a Own with its own `draw`"):
        examined(mechanism, (), 1.0)


class Declares(Laplace):
    """Declares more than it is built with: it draws noise for that."""

    declared_sensitivity = 99.0


class DeclaresNormal(Gaussian):
    declared_sensitivity = 99.0


class MoreNoise(Laplace):
    @property
    def scale(self):
        return 2.0 * super().scale


class MoreCharge(Laplace):
    def charge(self, sensitivity):
        return Charge(2.0 * super().charge(sensitivity).epsilon)


@pytest.mark.parametrize("cls", [Declares, DeclaresNormal, MoreNoise, MoreCharge])
def test_a_charge_that_covers_the_noise_passes(cls):
    assert examined(built(cls), (2,), 1.0, (1.0, 0.5)).standing == "tested"


@pytest.mark.chance(
    1e-6, "the mean of 20,000 magnitudes of Laplace noise, within 7 standard errors, and as much beyond"
)
def test_a_larger_declaration_is_charged_less_because_its_noise_is_larger():
    """Measured, not computed: the mean of |noise| is the scale."""
    mechanism = built(Declares)
    drawn = np.abs([mechanism.draw(0.0, np.random.default_rng(seed)) for seed in range(20_000)])
    assert abs(drawn.mean() - 99.0) < 7.0 * 99.0 / math.sqrt(20_000)
    assert mechanism.charge(1.0).epsilon == pytest.approx(1.0 / 99.0)


class Releasing:
    kind = Laplace

    def __init__(self, rng):
        self.rng = rng

    def select(self):
        return 0

    def update(self, action, reward):
        self.kind(sensitivity=1.0, epsilon=1.0).release(reward, self.rng)


class ReleasingInEntries(Releasing):
    kind = InEntries


class ReleasingMore(Releasing):
    kind = Declares


def test_certificates():
    options = {"epsilon": 1.0, "arms": 2, "horizon": 4, "runs": 2}
    broken = certify(ReleasingInEntries, rewards=(0.0, 10.0), **options)
    assert broken.upper is None
    assert "InEntries (test_derived_charge.py), which draws as Laplace does" in broken.refusals[0]
    larger = certify(ReleasingMore, **options)
    assert larger.granted
    assert larger.ledger_epsilon == pytest.approx(1.0 / 99.0)
