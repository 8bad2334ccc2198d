"""Several releases of the same data: charged what one change of a datum moves in all of them, never less."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import privcheck
from privcheck.certifying import Session
from privcheck.mechanisms import Gaussian, Laplace
from privcheck.privacy import relation
from privcheck.private_values import PrivateSource
from privcheck.private_values._curves import several_releases
from privcheck.private_values._features import FeatureTable


def session_of(group="row"):
    return Session(relation(group), (0.0, 1.0), None, np.random.default_rng(0))


def numbers(session, datum, count=2, low=0.0, high=1.0):
    return [session.source.scalar(low, low, high, datum=datum) for _ in range(count)]


def released(session, law, *values):
    mechanism = (Laplace if law == "laplace" else Gaussian).with_scale(1.0)
    with session.active():
        for value in values:
            mechanism.release(value, None)
    return session.ledger.total.epsilon if law == "laplace" else session.ledger.total.mu


@pytest.mark.parametrize(("law", "alone"), [("laplace", 4.0), ("normal", math.sqrt(8.0))])
def test_a_sum_and_a_difference_of_two_numbers_cost_no_more_than_both_at_once(law, alone):
    session = session_of()
    x, y = numbers(session, 1)
    assert released(session, law, x + y, x - y) == pytest.approx(2.0, rel=1e-7)
    apart = session_of()
    x, y = numbers(apart, 1)
    z, w = numbers(apart, 2)
    assert released(apart, law, x + y, z - w) == pytest.approx(2.0, rel=1e-7), "other data have nothing in common"
    again = session_of()
    x, y = numbers(again, 1)
    assert released(again, law, x + y, x + y) == pytest.approx(alone, rel=1e-12), "the same change is the worst in both"


def test_a_number_and_its_mask_cost_what_one_change_of_the_number_moves():
    """|change of r + m| + |change of r - m|: 2 from 0 to 1, and 2 just across the threshold."""
    session = session_of()
    (r,) = numbers(session, 1, 1)
    m = (r > 0.5) * 1.0
    assert released(session, "laplace", r + m, r - m) == pytest.approx(2.0, rel=1e-7)
    assert [release.sensitivities[1] for release in session.ledger.releases] == pytest.approx([2.0, 1.0])


def test_rho_and_mu_of_laplace_noise_stay_what_each_release_costs_alone():
    """Releases with losses of 0.6 and 0.4 of one change can have a larger rho than charges of 1 and 0."""
    session = session_of()
    x, y = numbers(session, 1)
    released(session, "laplace", x + y, x - y)
    one, two = (release.charges[1] for release in session.ledger.releases)
    assert two.epsilon < 1e-6
    assert (two.rho, two.mu) == (one.rho, one.mu)


SHAPES = [
    lambda x, y: x, lambda x, y: y, lambda x, y: x + y, lambda x, y: x - y, lambda x, y: (x > 0.5) * 1.0,
    lambda x, y: (x > 0.5) * x, lambda x, y: np.minimum(np.maximum(x - 0.25, 0.0), 0.5) if isinstance(x, float) else
    privcheck.clip(x - 0.25, 0.0, 0.5), lambda x, y: (y <= 0.25) * 1.0, lambda x, y: (x > 0.5) * 1.0 - y,
]  # fmt: skip
GRID = [*itertools.product((0.0, 0.25, 0.5, 0.5 + 1e-12, 0.75, 1.0), (0.0, 0.25, 0.25 + 1e-12, 1.0))]


def worst(chosen, law):
    """Return the largest loss of releases (weights of shapes, scale) over pairs of points, by enumeration."""
    found = 0.0
    points = [[sum(w * SHAPES[k](*map(float, p)) for k, w in parts) / b for parts, b in chosen] for p in GRID]
    for one, two in itertools.combinations(np.array(points), 2):
        found = max(found, float(np.abs(one - two).sum() if law == "laplace" else np.linalg.norm(one - two)))
    return found


@pytest.mark.parametrize("seed", range(24))
def test_no_run_of_adaptive_releases_is_charged_too_little(seed, monkeypatch):
    """Each release is chosen from what was drawn before; features are forgotten, and blocks are full, in between."""
    rng, law = np.random.default_rng(seed), ("laplace", "normal")[seed % 2]
    monkeypatch.setattr(several_releases, "_MOST_ENTRIES", most := int(rng.choice([2, 4, 8, 32])))
    session, chosen, out = session_of(), [], 0.0
    x, y = numbers(session, 7)
    mechanism = Laplace if law == "laplace" else Gaussian
    with session.active():
        for _ in range(6):
            draw = np.random.default_rng([seed, int(abs(out) * 1e6) % 2**31])
            parts = [(int(k), float(draw.choice([1.0, -1.0, 0.5]))) for k in draw.integers(len(SHAPES), size=2)]
            scale = float(draw.choice([0.5, 1.0, 2.0]))
            value = sum(w * SHAPES[k](x, y) for k, w in parts)
            if not getattr(value, "is_public", True):
                out = mechanism.with_scale(scale).release(value, None)
                chosen.append((parts, scale))
            del value
            session.source.forget()
    total = session.ledger.total.epsilon if law == "laplace" else session.ledger.total.mu
    least = worst(chosen, law)
    assert total >= least * (1.0 - 1e-9)
    if most == 32:
        assert total <= least * 1.01


@pytest.mark.parametrize("broken", [False, True])
def test_mu_of_a_group_is_not_lowered_by_what_one_datum_makes_smaller(broken, monkeypatch):
    """x + y, and x - y + 2 z: of two data, the change with x - y at 2 costs 4 in the second release alone."""
    if broken:
        joint = type(session_of().several)
        real = joint.__init__
        monkeypatch.setattr(joint, "__init__", lambda self, _, source: real(self, 1, source))
    session = session_of("group:2")
    x, y = numbers(session, 1)
    (z,) = numbers(session, 2, 1)
    total = released(session, "normal", x + y, x - y + 2.0 * z)
    assert (total >= 4.0 * (1.0 - 1e-9)) is not broken


@pytest.mark.parametrize("broken", ["", "rounding", "paid"])
def test_what_rounding_adds_and_what_was_paid_are_counted(broken, monkeypatch):
    session = session_of()
    x, y = numbers(session, 1)
    real = several_releases._with

    def other(before, new, norm, loss):
        if broken == "rounding":
            new = new._replace(rounding=0.0)
        if broken == "paid" and before is not None:
            before = before._replace(paid=2.0 * before.paid)
        return real(before, new, norm, loss)

    monkeypatch.setattr(several_releases, "_with", other)
    shift = 2.0**40
    total = released(session, "laplace", x + y + shift, x - y + shift, x + shift)
    added = 6.0 * 2.0**-53 * 2.0**41  # what rounding may move in the three releases, roughly
    assert (total >= 3.0 + added / 4.0) is not bool(broken)


def test_only_noise_whose_loss_is_a_norm_over_a_scale_is_bounded_together():
    class Other(Laplace):
        """Might draw in another way."""

    session = session_of()
    x, y = numbers(session, 1)
    with session.active():
        for value in (x + y, x - y):
            Other.with_scale(1.0).release(value, None)
    assert session.ledger.total.epsilon == pytest.approx(4.0, rel=1e-9)


class SumAndDifference:
    """Two releases of each reward, which have different worst changes."""

    def __init__(self, rng):
        self.rng = rng

    def select(self):
        return 0

    def update(self, action, reward):
        high = (reward > 0.5) * 1.0
        for value in (reward + high, reward - high):
            float(value + self.rng.laplace(0.0, 1.0))


def test_a_guard_with_a_ledger_file_charges_what_a_guard_in_memory_does(tmp_path):
    found = []
    for place in ({}, {"ledger": tmp_path / "one.db", "scope": "one"}):
        policy = privcheck.guard(SumAndDifference, arms=1, epsilon=10.0, **place)
        policy.update(policy.select(), 0.3)
        found.append(policy.ledger.total.epsilon)
    assert found == [pytest.approx(2.0, rel=1e-7)] * 2


@pytest.mark.parametrize("law", ["laplace", "normal"])
@pytest.mark.parametrize("loss", [1e-3, 1e-10, 1e-12])
def test_coefficients_over_scales_that_underflow_are_not_charged_jointly(law, loss):
    """A coefficient over a scale of 1e-318 has few digits; times numbers of 1e308 that is not negligible."""
    largest, weight = 1e308, 2.0**-20
    while (scale := largest * weight / loss) > 1e307:
        weight /= 2.0
    session = session_of()
    x, y = numbers(session, 1, high=largest)
    x, y = weight * x, weight * y
    mechanism = Laplace if law == "laplace" else Gaussian
    with session.active():
        for value in (x + y, x - y, x):
            mechanism.with_scale(scale).release(value, None)
    one = largest * weight / scale
    if law == "laplace":
        assert session.ledger.total.epsilon >= 3.0 * one * (1.0 - 2e-9)
    else:
        assert session.ledger.total.mu >= math.sqrt(5.0) * one * (1.0 - 2e-9)


@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda source: source.scalar(0.5, -1.0, 1.0, datum=1), lambda source: source.scalar(0.5, -2.0, 1.0, datum=1)),
        (
            lambda source: source.scalar(0.5, 0.0, 1.0, datum=1),
            lambda source: source.scalar(0.5, 0.0, 2.0**61, datum=1),
        ),
        (
            lambda source: source.scalar(0.5, 0.0, 1.0, datum=3),
            lambda source: source.scalar(0.5, 0.0, 1.0, datum="row"),
        ),
        (lambda source: source.scalar(1.0, 0.0, 2.0, datum=1), lambda source: source.action(1, 3, datum=1)),
    ],
)
def test_features_that_differ_have_another_history(one, other, broken, monkeypatch):
    """Python's `hash` is the same for -1 and -2, for 1 and 2^61, and for numbers of some data."""
    if broken:
        real = FeatureTable._go_on
        monkeypatch.setattr(FeatureTable, "_go_on", lambda self, said: real(self, hash(said[:3])))
    histories = []
    for made in (one, one, other):
        source = PrivateSource()
        source.features.history = b"an environment"
        made(source)
        histories.append(source.features.history)
    assert histories[0] == histories[1]
    assert (histories[0] != histories[2]) is not broken
