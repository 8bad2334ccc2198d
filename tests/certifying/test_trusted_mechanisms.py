"""Mechanisms of users' own, and shipped ones that were changed: named, tested or refused, never trusted in silence."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from privcheck import Certificate, ReleaseRefusedError, certify
from privcheck.accounting import Charge
from privcheck.certifying import Session
from privcheck.mechanisms import (
    MECHANISMS,
    BinaryTree,
    DiscreteLaplace,
    Gaussian,
    Laplace,
    Mechanism,
    NoisyMax,
    RandomisedResponse,
    ScaledMechanism,
    Wishart,
    provenance,
)
from privcheck.mechanisms.provenance import SHIPPED, TESTED, UNTESTED, MechanismCode, code_of, examined
from privcheck.privacy import relation
from privcheck.reporting._text.certificate_facts import certificate_rows
from privcheck.reporting._text.certificate_sentences import certificate_sentence, coverage


class SmallScale(Laplace):
    @property
    def scale(self):
        return super().scale / 10.0


class SmallCharge(Laplace):
    def charge(self, sensitivity):
        return Charge(super().charge(sensitivity).epsilon / 10.0)


class SmallLoss(Laplace):
    def loss(self, sensitivity):
        return 0.01


class NoNoise(Laplace):
    def draw(self, value, rng, *, secure=False):
        return value


class HalfNoise(Laplace):
    def noise(self, shape, rng):
        return super().noise(shape, rng) / 2.0


class NoNoiseForCounts(DiscreteLaplace):
    def draw(self, value, rng, *, secure=False):
        return value


class RealWinner(NoisyMax):
    def draw(self, value, rng, *, secure=False):
        return int(np.argmax(value))


class TrueAnswers(RandomisedResponse):
    def draw(self, value, rng, *, secure=False):
        return value


class SmallNormalScale(Gaussian):
    @property
    def scale(self):
        return super().scale / 10.0


class SmallNormalCharge(Gaussian):
    def charge(self, sensitivity):
        charge = super().charge(sensitivity)
        return Charge(mu=charge.mu / 10.0, rho=charge.rho)


class SmallRho(Gaussian):
    def charge(self, sensitivity):
        return Charge(rho=super().charge(sensitivity).rho / 20.0)


class SmallDelta(Gaussian):
    def charge(self, sensitivity):
        return Charge(0.5, delta=1e-6)


class SmallRhoOfLaplace(Laplace):
    def charge(self, sensitivity):
        return Charge(super().charge(sensitivity).epsilon, rho=1e-6)


class SmallWishart(Wishart):
    def noise(self, shape, rng):
        return super().noise(shape, rng) / 2.0


class NoWishart(Wishart):
    def draw(self, value, rng, *, secure=False):
        return np.asarray(value) + np.eye(2) / 1000.0


class NoNormalNoise(Gaussian):
    def draw(self, value, rng, *, secure=False):
        return value


class HalfNormalNoise(Gaussian):
    def noise(self, shape, rng):
        return super().noise(shape, rng) / 2.0


class LaplaceForNormal(Gaussian):
    """Laplace noise where normal noise is declared."""

    def noise(self, shape, rng):
        return rng.laplace(0.0, self.scale / 5.0, shape)


OPTIONS = {
    "binary-tree": {"horizon": 4}, "factorised-stream": {"horizon": 4}, "gaussian-tree": {"horizon": 4},
    "k-ary-tree": {"horizon": 4}, "symmetric-gaussian-tree": {"horizon": 4}, "randomised-response": {"categories": 3},
    "above-threshold": {"answers": 1}, "one-bit": {"radius": 1.0}, "subset-selection": {"categories": 5, "size": 2},
    "wishart": {"dimension": 2, "delta": 0.1},
}  # fmt: skip
ONE_NUMBER = ("discrete-laplace", "randomised-response", "laplace", "staircase", "one-bit", "subset-selection")
SHAPES = dict.fromkeys(ONE_NUMBER, ()) | {"symmetric-gaussian": (2, 2), "symmetric-gaussian-tree": (4, 2, 2)}
SHAPES |= {"wishart": (2, 2)}


BROKEN = (
    (SmallNormalScale, (), {}), (SmallNormalScale, (2, 2), {}), (SmallNormalCharge, (), {}), (SmallRho, (), {}),
    (SmallDelta, (), {}), (SmallRhoOfLaplace, (), {}), (NoNormalNoise, (), {}), (HalfNormalNoise, (), {}),
    (LaplaceForNormal, (), {}), (SmallWishart, (2, 2), OPTIONS["wishart"]), (NoWishart, (2, 2), OPTIONS["wishart"]),
    (SmallScale, (), {}), (SmallCharge, (3,), {}), (SmallLoss, (), {}), (NoNoise, (), {}), (NoNoise, (2, 2), {}),
    (HalfNoise, (), {}), (NoNoiseForCounts, (), {}), (RealWinner, (3,), {}), (TrueAnswers, (), {"categories": 2}),
)  # fmt: skip


def built(cls, budget=1.0, sensitivity=1, **options):
    if issubclass(cls, Wishart):
        return cls(degrees=math.ceil(30 / budget) + 8, sensitivity=sensitivity, **options)
    if cls.sensitivity_name in cls.__dataclass_fields__:
        options[cls.sensitivity_name] = sensitivity
    currency = cls.currency.name if issubclass(cls, ScaledMechanism) else "epsilon"
    return cls(**{currency: budget}, **options)


@pytest.fixture(autouse=True)
def untested(monkeypatch):
    """Nothing has been used before."""
    monkeypatch.setattr(provenance, "_TESTED", type(provenance._TESTED)())


@pytest.mark.parametrize(("cls", "shape", "options"), BROKEN)
def test_a_class_whose_draws_or_charge_do_not_fit_is_refused_at_its_first_use(cls, shape, options):
    with pytest.raises(
        Exception, match=rf"{cls.__name__} \(test_trusted_mechanisms.py\), (whose (log_ratio|draws)|which draws as)"
    ):
        examined(built(cls, **options), shape, 1.0)


@pytest.mark.parametrize("identity", list(MECHANISMS))
@pytest.mark.parametrize("budget", [0.3, 1.0, 6.0])
def test_a_class_that_changes_nothing_passes(identity, budget):
    """For each, the probability to fail is at most 1e-6 (`provenance.FALSE_ALARM`); the seed is fixed."""
    shipped = MECHANISMS[identity]
    options, shape = OPTIONS.get(identity, {}), SHAPES.get(identity, (4,))
    own = type("Own", (shipped,), {})
    assert examined(built(own, budget, 2, **options), shape, 1.0).standing == TESTED
    assert examined(built(shipped, budget, 2, **options), shape, 1.0).standing == SHIPPED


def test_a_class_passes_whose_charge_is_true_in_every_currency():
    """For each, the probability to fail is at most 1e-6 (`provenance.FALSE_ALARM`); the seed is fixed."""

    class OnlyRho(Gaussian):
        def charge(self, sensitivity):
            return Charge(rho=super().charge(sensitivity).rho)

    class WithDelta(Gaussian):
        def charge(self, sensitivity):
            return Charge(1.0, delta=0.13)

    for own in (OnlyRho, WithDelta):
        assert examined(built(own), (2,), 1.0).standing == TESTED


def test_a_class_without_a_law_is_named_as_untested():
    class Lawless(Laplace):
        def log_ratio(self, *values):
            raise NotImplementedError

    assert examined(built(Lawless), (), 1.0) == MechanismCode(
        "Lawless", __name__, "test_trusted_mechanisms.py", UNTESTED
    )


def test_the_test_takes_nothing_from_the_noise_and_is_made_once(monkeypatch):
    class Made(Laplace):
        """Of a shipped mechanism, to which the session would otherwise hand its noise."""

        def draw(self, value, rng, *, secure=False):
            return Laplace.with_scale(self.scale).release(value, rng)

    released = []
    for kind in (Laplace, Made, Made):
        session = Session(relation("row"), (0.0, 1.0), 1.0, np.random.default_rng(0), round=1)
        with session.active():
            released.append(built(kind).release(session.reward(0.5, 0), None))
    assert released[0] == released[1] == released[2]
    monkeypatch.setattr(provenance, "_tested", lambda *_: pytest.fail("tested again"))
    assert examined(built(Made), (), 1.0).standing == TESTED


CHANGES = {
    "scale": property(lambda self: 1e-9), "charge": lambda self, sensitivity: Charge(0.0), "loss": lambda self, s: 0.0,
    "draw": lambda self, value, rng, secure=False: value, "noise": lambda self, shape, rng: np.zeros(shape),
    "integers": property(lambda self: None), "__getattribute__": lambda self, name: object.__getattribute__(self, name),
    "sensitivity_norm": "range of score differences",
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("cls", [Laplace, BinaryTree, Mechanism])
def test_a_shipped_class_that_was_patched_is_refused(name, cls, monkeypatch):
    mechanism = BinaryTree(horizon=4, sensitivity=1.0, epsilon=1.0) if cls is BinaryTree else built(Laplace)
    assert examined(mechanism, (4,), 1.0).standing == SHIPPED
    monkeypatch.setattr(cls, name, CHANGES[name], raising=False)
    with pytest.raises(Exception, match=rf"{cls.__name__}, of which `{name}` was replaced"):
        examined(mechanism, (4,), 1.0)
    monkeypatch.undo()
    assert examined(mechanism, (4,), 1.0).standing == SHIPPED


@pytest.mark.parametrize(
    ("name", "value"),
    [("given_scale", 1e-9), ("draw", lambda *_: 0.0), ("charge", None), ("epsilon", -1.0), ("more", 1)],
)
def test_an_object_that_was_changed_after_it_was_built_is_refused(name, value):
    mechanism = built(Laplace)
    object.__setattr__(mechanism, name, value)
    session = Session(relation("row"), (0.0, 1.0), 1.0, np.random.default_rng(0), round=1)
    with session.active(), pytest.raises(ReleaseRefusedError):
        mechanism.release(session.reward(0.5, 0), None)
    assert session.ledger.epsilon == 0.0


def test_parameters_that_fit_each_other_are_charged_as_they_are():
    """Scale and charge are computed when something is released, so another epsilon is another mechanism."""
    mechanism = built(Laplace)
    object.__setattr__(mechanism, "epsilon", 0.5)
    assert examined(mechanism, (), 1.0).standing == SHIPPED
    assert (mechanism.loss(1.0), mechanism.scale) == (0.5, Laplace(sensitivity=1.0, epsilon=0.5).scale)


class Own(Laplace):
    """Nothing but a name."""


class Releasing:
    kind: type[Mechanism] = Laplace

    def __init__(self, rng):
        self.rng = rng

    def select(self):
        return 0

    def update(self, action, reward):
        self.kind(sensitivity=1.0, epsilon=1.0).release(reward, self.rng)


class ReleasingOwn(Releasing):
    kind = Own


class ReleasingBroken(Releasing):
    kind = NoNoise


def certificate(policy):
    return certify(policy, epsilon=1.0, arms=2, horizon=4, runs=2)


def test_a_certificate_names_its_mechanisms():
    plain = certificate(Releasing)
    assert plain.mechanisms == [code_of(Laplace)]
    assert plain.mechanisms[0] == MechanismCode("Laplace", "privcheck.mechanisms.laplace", "laplace.py", SHIPPED)
    assert (plain.granted, plain.trusted, plain.provided) == (True, [], "")
    assert "provided" not in str(plain) + certificate_sentence(plain)
    assert ("mechanisms", "Laplace (laplace.py)") in certificate_rows(plain)
    assert any("Laplace (laplace.py) of privcheck" in item for item in coverage(plain))


class Drawing(Releasing):
    """Draws its noise from its Generator in every other round."""

    def __init__(self, rng, arms=2):
        super().__init__(rng)
        self.rounds = 0

    def update(self, action, reward):
        self.rounds += 1
        if self.rounds % 2:
            float(reward + self.rng.laplace(0.0, 1.0))
        else:
            self.release(reward)

    def release(self, reward):
        float(reward + self.rng.laplace(0.0, 2.0))


class Both(Drawing):
    def release(self, reward):
        Laplace(sensitivity=1.0, epsilon=1.0).release(reward, self.rng)


@pytest.mark.parametrize(
    ("policy", "named", "taken"),
    [
        (Drawing, "Laplace (drawn with numpy)", "It takes Laplace (drawn with numpy) to be as private as documented"),
        (Both, "Laplace (drawn with numpy), Laplace (laplace.py)", "It takes Laplace (drawn with numpy), Laplace (lap"),
    ],
)
def test_noise_of_numpy_is_not_called_by_the_file_of_a_mechanism(policy, named, taken):
    found = certificate(policy)
    assert found.granted
    assert ("mechanisms", named) in certificate_rows(found)
    assert any(item.startswith(taken) for item in coverage(found))
    assert Certificate.from_json(found.to_json()).mechanisms == found.mechanisms


def test_the_plain_statement_is_withheld_for_classes_of_others():
    own = certificate(ReleasingOwn)
    says = "provided that Own (test_trusted_mechanisms.py) is as private as it says"
    assert own.granted
    assert f"certified, {says}" in str(own)
    assert certificate_sentence(own).startswith(f"certified, {says}: epsilon is at most 1.000")
    assert any(
        "It takes Own (test_trusted_mechanisms.py) to be as private as it charges" in item for item in coverage(own)
    )
    two = replace(own, mechanisms=[*own.mechanisms, MechanismCode("Other", "m", "other.py", UNTESTED)])
    assert "Own (test_trusted_mechanisms.py) and Other (other.py) are as private as they say" in str(two)
    assert any("not even tested" in item for item in coverage(two))


def test_a_broken_class_is_not_certified():
    broken = certificate(ReleasingBroken)
    assert not broken.granted
    assert (
        "NoNoise (test_trusted_mechanisms.py), whose draws do not have the law of its log_ratio" in broken.refusals[0]
    )


def test_json_has_the_mechanisms_and_older_files_are_read():
    own = certificate(ReleasingOwn)
    text = own.to_json()
    (written,) = json.loads(text)["mechanisms"]
    assert written == {
        "name": "Own", "module": __name__, "file": "test_trusted_mechanisms.py", "standing": "tested",
        "drawn_with": "",
    }  # fmt: skip
    assert Certificate.from_json(text).mechanisms == own.mechanisms
    older = json.loads(text)
    del older["mechanisms"]
    assert Certificate.from_json(json.dumps(older)).mechanisms == []
