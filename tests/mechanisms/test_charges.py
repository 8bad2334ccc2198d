"""A mechanism defines `charge` or `loss`, and a session charges what it defines."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

from privcheck.accounting import NOTHING, Charge, ReleaseRefusedError
from privcheck.certifying import Session
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import MECHANISMS, DiscreteLaplace, Laplace, NoisyMax, RandomisedResponse
from privcheck.mechanisms.base import Mechanism
from privcheck.privacy import relation


class Own(Mechanism):
    """What a user's own mechanism needs besides its charge."""

    notion: ClassVar[str] = "pure"
    sensitivity_norm: ClassVar[str] = "L1"
    scale = 2.0

    def draw(self, value, rng, *, secure=False):
        return float(value) + rng.laplace(0.0, self.scale)


class DefinesCharge(Own):
    def charge(self, sensitivity):
        return Charge(sensitivity / self.scale)


class DefinesLoss(Own):
    def loss(self, sensitivity):
        return sensitivity / self.scale


class DefinesBoth(Own):
    def charge(self, sensitivity):
        return Charge(self.loss(sensitivity))

    def loss(self, sensitivity):
        return sensitivity / self.scale


class StaticLoss(Own):
    loss = staticmethod(lambda sensitivity: sensitivity / 2.0)


class LossFromElsewhere:
    """No mechanism itself: mixed into one."""

    def loss(self, sensitivity):
        return sensitivity / 2.0


class MixedIn(LossFromElsewhere, DefinesCharge):
    scale = 8.0


@dataclass(frozen=True)
class TwiceTheLoss(Laplace):
    def loss(self, sensitivity):
        return 2.0 * super().loss(sensitivity)


@dataclass(frozen=True)
class TwiceTheCharge(Laplace):
    def charge(self, sensitivity):
        return super().charge(sensitivity) + super().charge(sensitivity)


@dataclass(frozen=True)
class FourTimes(TwiceTheLoss):
    def charge(self, sensitivity):
        return super().charge(sensitivity) + super().charge(sensitivity)


@dataclass(frozen=True)
class EightTimes(FourTimes):
    def loss(self, sensitivity):
        return 2.0 * super().loss(sensitivity)


@dataclass(frozen=True)
class WithoutEither(TwiceTheLoss):
    pass


@dataclass(frozen=True, slots=True)
class WithSlots(Laplace):
    def loss(self, sensitivity):
        return 0.5 * sensitivity


def charged(mechanism):
    """Return what a session charges for one reward in [0, 1] that the mechanism releases, and its ledger."""
    session = Session(relation("row"), (0.0, 1.0), 10.0, np.random.default_rng(0))
    session.round = 1
    reward = session.reward(0.5, 0)
    with session.active():
        mechanism.release(reward, None)
    return session.ledger.releases[0].charges


@pytest.mark.parametrize(
    ("mechanism", "epsilon"),
    [
        (DefinesCharge(), 0.5),
        (DefinesLoss(), 0.5),
        (DefinesBoth(), 0.5),
        (StaticLoss(), 0.5),
        (MixedIn(), 0.5),
        (Laplace.with_scale(2.0), 0.5),
        (WithSlots.with_scale(2.0), 0.5),
        (TwiceTheLoss.with_scale(2.0), 1.0),
        (TwiceTheCharge.with_scale(2.0), 1.0),
        (WithoutEither.with_scale(2.0), 1.0),
        (FourTimes.with_scale(2.0), 2.0),
        (EightTimes.with_scale(2.0), 4.0),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_last_definition_is_what_is_charged(mechanism, epsilon):
    assert mechanism.charge(1.0).epsilon == epsilon
    assert mechanism.loss(1.0) == mechanism.loss(sensitivity=1.0) == epsilon
    assert charged(mechanism) == {1: mechanism.charge(1.0)}


def test_a_mechanism_that_defines_neither_charges_nothing_by_mistake():
    for method in (Own().charge, Own().loss):
        with pytest.raises(NotImplementedError):
            method(1.0)


@pytest.mark.parametrize("name", sorted(MECHANISMS))
def test_shipped_mechanisms_define_charge_and_have_loss_from_it(name):
    owners = [cls for cls in MECHANISMS[name].__mro__ if "charge" in vars(cls)]
    assert all(vars(cls)["loss"].__module__ == "privcheck.mechanisms.base" for cls in owners)
    assert not any("loss" in vars(cls) for cls in MECHANISMS[name].__mro__ if cls not in owners)


def test_what_the_shipped_mechanisms_charge():
    assert Laplace(sensitivity=1.0, epsilon=0.3).charge(1.0) == Charge(0.3)
    assert Laplace(sensitivity=1.0, epsilon=0.3).charge(0.5) == Charge(0.15 * (1.0 + 1e-9))
    assert NoisyMax.with_scale(4.0).charge(1.0) == Charge(0.25)
    assert DiscreteLaplace(sensitivity=2, epsilon=0.3).charge(2.0) == Charge(0.3)
    assert RandomisedResponse(categories=2, epsilon=0.3).charge() == Charge(0.3)
    assert RandomisedResponse(categories=2, epsilon=0.3).loss() == 0.3
    for mechanism in (Laplace.with_scale(1.0), RandomisedResponse(categories=2, epsilon=0.3)):
        assert mechanism.charge(0.0) == NOTHING
    with pytest.raises(PrivcheckError, match="loss: got inf, expected a finite number of at least 0"):
        Laplace.with_scale(1e-300).charge(1e300)


class ReturnsAFloat(Own):
    def charge(self, sensitivity):
        return 0.5


class ReturnsNone(Own):
    def charge(self, sensitivity):
        return None


class PaysBack(Own):
    def charge(self, sensitivity):
        return Charge(-0.5)


class PaysBackUnchecked(Own):
    def charge(self, sensitivity):
        return Charge.total(-0.5)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        (
            ReturnsAFloat,
            "charge: got 0.5 in a release at .*, expected a Charge; return Charge.epsilon. from",
        ),
        (ReturnsNone, "charge: got None in a release at .*, expected a Charge"),
        (PaysBack, "loss: got -0.5 in a release at .*, expected a finite number of at least 0"),
        (PaysBackUnchecked, "loss: got -0.5 in a release at .*, expected a finite number of at least 0"),
    ],
)
@pytest.mark.parametrize("budget", [1.0, None])
def test_what_is_no_charge_is_refused_before_noise_is_drawn(kind, message, budget):
    noise = np.random.default_rng(0)
    before = noise.bit_generator.state
    session = Session(relation("row"), (0.0, 1.0), budget, noise)
    reward = session.reward(0.5, 0)
    with session.active(), pytest.raises(ReleaseRefusedError, match=message) as caught:
        kind().release(reward, None)
    assert session.refusals == [caught.value]
    assert (session.ledger.releases, session.ledger.paid, noise.bit_generator.state) == ([], {}, before)


def test_a_loss_that_is_not_wired_would_not_be_charged(monkeypatch):
    """Without the rule an overriding `loss` changes what is shown, but not what is charged."""
    monkeypatch.setattr("privcheck.mechanisms.base._complete", lambda cls: None)

    @dataclass(frozen=True)
    class Unwired(Laplace):
        def loss(self, sensitivity):
            return 2.0 * super().loss(sensitivity)

    assert Unwired.with_scale(2.0).loss(1.0) == 1.0
    assert charged(Unwired.with_scale(2.0)) == {1: Charge(0.5)}


def test_what_is_added_shows_the_signature_of_what_was_defined():
    assert str(inspect.signature(Laplace.loss)) == "(self, sensitivity: 'float') -> 'float'"
    assert str(inspect.signature(RandomisedResponse.loss)) == "(self, sensitivity: 'float' = 1.0) -> 'float'"
