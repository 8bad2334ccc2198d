"""Noise that is made symmetric, added to sums of outer products: what it is charged, and certified in later rounds."""

from __future__ import annotations

import importlib.util
import itertools
import math
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.certifying._later_rounds import second_looks
from privcheck.private_values import PrivateSource, assumed, sample_of

FILE = Path(__file__).parent / "mirrored_policies.py"
_spec = importlib.util.spec_from_file_location("mirrored_policies", FILE)
policies = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(policies)

RIGHT = ["Averaged", "Upper", "Assigned", "Indexed"]
FEATURES = 2


def certified(name, **options):
    contexts = privcheck.Contexts(shape=(2, FEATURES), norm=1.0)
    given = {"mu": 1.0, "arms": 2, "horizon": 3, "runs": 1, "feedback": "contextual", "contexts": contexts}
    return privcheck.certify(f"{FILE}:{name}", **given | options)


@pytest.mark.parametrize("name", [*RIGHT, "WeakDiagonal"])
def test_mirrored_noise_is_certified(name):
    """After the third round the sums hold an outer product: second looks fill them before every round."""
    certificate = certified(name)
    assert certificate.granted, str(certificate)
    assert certificate.ledger_mu > 0.0


@pytest.mark.parametrize("name", ["NotMirrored", "TwiceBelow", "MirroredElsewhere", "OtherSums"])
def test_what_is_not_mirrored_with_itself_leaks(name):
    certificate = certified(name)
    assert not certificate.granted
    assert certificate.mu_upper is None
    if name == "TwiceBelow":  # given what was released, the choice is mostly the same for all data
        assert any("leaks or fails with other coins" in note for note in certificate.notes)
    else:
        assert [leak.line for leak in certificate.leaks] == [line("context @ self.published[-1]")]


def line(code):
    return next(n for n, text in enumerate(FILE.read_text(encoding="utf-8").splitlines(), 1) if code in text)


def test_sums_that_are_symmetric_in_one_run_and_not_in_another_are_not_taken_as_symmetric():
    """The rounds of the runs publish symmetric sums alone, so only second looks can see the others."""
    certificate = certified("NotAlways", runs=2, seed=2)
    assert certificate.is_inconclusive, str(certificate)
    assert certificate.leaks == []
    assert "was not seen with the private numbers" in certificate.notes[0]


def test_one_run_would_not_show_it(monkeypatch):
    """Broken twin: what the first run held stands for all."""
    monkeypatch.setattr(second_looks.Sample, "joined", lambda self, _: self)
    assert certified("NotAlways", runs=2, seed=2).granted


def charged(name, features, sigma):
    """Return what the guard charges a round."""
    contexts = privcheck.Contexts(shape=(2, features), norm=1.0)

    def build(rng):
        return getattr(policies, name)(rng, features=features, sigma=sigma)

    guarded = privcheck.guard(build, mu=1.0, arms=2, feedback="contextual", contexts=contexts)
    for _ in range(3):
        context = np.full((2, features), 0.5 / features)
        guarded.update(context, guarded.select(context), 1.0)
    first, second = (guarded.ledger.paid[number].mu for number in (1, 2))
    assert first == second
    return first


def covariance_root(name, features):
    """Return the matrix that makes the noise of independent standard normal draws."""
    policy = getattr(policies, name)(None, features=features)
    units = np.eye(features**2).reshape(-1, features, features)
    return np.array([policy.mirrored(unit).ravel() for unit in units]).T


def loss(name, features, sigma):
    """Return the mu of the noise by its covariance, for the worst of many pairs of rows: a lower bound."""
    inverse = np.linalg.pinv(sigma * covariance_root(name, features), rcond=1e-9)
    rng = np.random.default_rng(0)
    rows = [np.array(row) for row in itertools.product((-1.0, 0.0, 1.0), repeat=features) if any(row)]
    rows += list(rng.normal(size=(30, features)))
    products = [np.outer(row, row).ravel() / (row @ row) for row in rows]
    return max(float(np.linalg.norm(inverse @ (one - two))) for one, two in itertools.combinations(products, 2))


@pytest.mark.parametrize("features", [2, 3])
@pytest.mark.parametrize(
    ("name", "factor"),
    [("Upper", 1.0), ("Assigned", 1.0), ("Indexed", 1.0), ("WeakDiagonal", 1.0), ("StrongDiagonal", 1.0),
     ("Averaged", math.sqrt(2.0))],
)  # fmt: skip
def test_the_charge_is_that_of_the_covariance(name, factor, features):
    """Of two normal draws in an entry one is taken for the noise, which costs up to sqrt(2) times as much."""
    exact, charge = loss(name, features, 7.0), charged(name, features, 7.0)
    assert charge >= exact * (1.0 - 1e-9)
    assert charge == pytest.approx(factor * exact, rel=1e-6)


@pytest.mark.parametrize("name", ["NotMirrored", "TwiceBelow"])
def test_the_oracle_finds_no_bound_where_noise_is_missing(name):
    """Directions without noise are left out of the inverse: they have to be none in the right ones."""
    assert without_noise(name) > 0.1
    assert all(without_noise(right) < 1e-9 for right in (*RIGHT, "WeakDiagonal", "StrongDiagonal"))


def without_noise(name):
    """Return how far an outer product can move in directions in which there is no noise."""
    spread = covariance_root(name, FEATURES)
    moved = np.array([1.0, 0.0, 0.0, 0.0]) - np.full(4, 0.5)
    return float(np.linalg.norm(moved - spread @ np.linalg.pinv(spread, rcond=1e-9) @ moved))


def matrix(symmetric):
    source = PrivateSource()
    sums = privcheck.zeros((2, 2))
    for datum in range(2):
        row = source.vector([0.6, 0.0], -1.0, 1.0, data=datum, l2_norm=1.0)
        other = row if symmetric else source.vector([0.1, 0.0], -1.0, 1.0, data=datum, l2_norm=1.0)
        sums += np.outer(row, other)
    return sums


@pytest.mark.parametrize(
    ("sample", "holds", "equal"),
    [
        (matrix(True), np.zeros((2, 2)), True),
        (matrix(False), np.zeros((2, 2)), False),
        (matrix(True), np.array([[0.0, 1.0], [2.0, 0.0]]), False),
        (matrix(True), np.zeros((2, 3)), False),
    ],
    ids=["symmetric", "not symmetric", "other numbers", "another shape"],
)
def test_a_place_that_held_a_symmetric_matrix_is_filled_with_one(sample, holds, equal):
    found = sample_of(sample)
    filled = assumed(found, holds.copy(), PrivateSource())
    assert not any(filled[place].is_public for place in np.ndindex(2, 2))
    assert (filled[0, 1] - filled[1, 0]).is_public is equal
    assert not (filled[0, 0] - filled[1, 1]).is_public
    assert not (filled[0, 0] - filled[0, 1]).is_public


@pytest.mark.parametrize(("one", "two"), list(itertools.product([True, False], repeat=2)))
def test_a_matrix_is_symmetric_if_it_was_after_every_run(one, two):
    assert sample_of(matrix(one)).joined(sample_of(matrix(two))).symmetric is (one and two)


def test_batches_of_matrices_are_mirrored_each():
    source, sums = PrivateSource(), privcheck.zeros((2, 2, 2))
    row = source.vector([0.6, 0.0], -1.0, 1.0, data=0, l2_norm=1.0)
    sums[0] += np.outer(row, row)
    sums[1] += 3.0 * np.outer(row, row)
    filled = assumed(sample_of(sums), np.zeros((2, 2, 2)), PrivateSource())
    assert all((filled[k, 0, 1] - filled[k, 1, 0]).is_public for k in range(2))
    assert not (filled[0, 0, 1] - filled[1, 0, 1]).is_public
