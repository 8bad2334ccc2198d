"""Traces of outer products in sums of them, and values that are refused because they are no such sums."""

import numpy as np
import pytest

import privcheck
from privcheck.accounting import Approximate, ReleaseRefusedError
from privcheck.certifying import Session
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import Wishart
from privcheck.privacy import Contexts, relation
from privcheck.private_values import PrivateSource

SPACE = Contexts(shape=(3,), norm=1.0)
SHARES = {"gdp": 0.5}


def test_the_trace_is_the_square_of_the_norm():
    """A vector in a ball, a number in an interval and a decay; intervals count where they are shorter than the ball."""
    source, gram = PrivateSource(), privcheck.zeros((4, 4))
    for t in range(3):
        context = source.vector([0.6, 0.0, 0.8], -1.0, 1.0, data=t, l2_norm=1.0)
        row = np.stack([*context, source.scalar(0.5, low=-2.0, high=1.0, datum=t)])
        gram = 0.5 * gram + np.outer(row, row)
    gram = gram + np.eye(4)
    assert gram.sensitivities("outer") == pytest.approx({0: 5.0 / 4, 1: 5.0 / 2, 2: 5.0}, rel=1e-12)
    assert min(gram.sensitivities("outer").values()) >= 5.0 / 4
    short = source.vector([0.1, 0.1], -0.3, 0.4, data=9, l2_norm=1.0)
    assert np.outer(short, short).sensitivities("outer") == pytest.approx({9: 0.32}, rel=1e-12)
    scaled = short * np.array([1.0, -3.0])
    assert np.outer(scaled, scaled).sensitivities("outer") == pytest.approx({9: 0.16 * 10}, rel=1e-12)
    assert np.outer(row, row)[1:3, 1:3].sensitivities("outer") == pytest.approx({2: 1.0}, rel=1e-12)
    assert gram.sensitivities("frobenius")[2] > gram.sensitivities("outer")[2]


def row_and_entries():
    source = PrivateSource()
    return source, source.vector([0.6, 0.8], -1.0, 1.0, data=1, l2_norm=1.0)


def twice(source, row):
    """One datum enters by two rows."""
    other = source.vector([0.1, 0.2], -1.0, 1.0, data=1, l2_norm=1.0)
    return np.outer(row, row) + np.outer(other, other)


def with_a_public_entry(source, row):
    whole = np.stack([*row, source.scalar(1.0, low=1.0, high=1.0, datum=1)])
    return np.outer(whole, whole)


BROKEN = {
    "twice": twice,
    "public entry": with_a_public_entry,
    "negative": lambda _, row: -np.outer(row, row),
    "off the diagonal": lambda _, row: np.outer(row, row) * (1.0 - np.eye(2)),
    "only the diagonal": lambda _, row: np.outer(row, row) * np.eye(2),
    "coefficients": lambda _, row: np.outer(row, row) * (2.0 - np.eye(2)),
    "slightly other coefficients": lambda _, row: np.outer(row, row) * (1.0 + 1e-9 * np.eye(2)),
    "signs": lambda _, row: np.outer(row, row) * (2.0 * np.eye(2) - 1.0) * np.array([[1.0, 1.0], [-1.0, 1.0]]),
    "exchanged": lambda _, row: np.outer(row, row)[::-1],
    "not square": lambda _, row: np.outer(row, row)[:1],
    "linear": lambda _, row: np.stack([row, row]),
}


@pytest.mark.parametrize("name", list(BROKEN))
def test_other_values_are_refused(name):
    source, row = row_and_entries()
    assert np.outer(row, row).sensitivities("outer")[1] == pytest.approx(1.0)
    with pytest.raises(PrivcheckError, match="outer product"):
        BROKEN[name](source, row).sensitivities("outer")


def played(rounds, accountants=SHARES):
    """A session after some rounds, and the sum of the outer products of contexts and rewards."""
    budget, noise = Approximate(1.0, 1e-3), np.random.default_rng(0)
    session = Session(relation("context-reward"), (-1.0, 1.0), budget, noise, contexts=SPACE, accountants=accountants)
    gram = privcheck.zeros((4, 4))
    for session.round in range(1, rounds + 1):
        context, _, reward = session.contextual(np.array([0.6, 0.0, 0.8]), 0, 0.5, 2)
        row = np.stack([*context, reward])
        gram = gram + np.outer(row, row)
    return session, gram


def test_a_guarded_policy_releases_a_gram_matrix():
    mechanism = Wishart.exact(dimension=4, sensitivity=2.0, epsilon=0.5, delta=1e-4)
    session, gram = played(200)
    with session.active():
        noisy = mechanism.release(gram + np.eye(4), None)
    release = session.ledger.releases[0]
    assert noisy.shape == (4, 4)
    assert set(release.sensitivities) == set(range(1, 201))
    assert max(release.sensitivities.values()) == pytest.approx(2.0, rel=1e-12)
    assert release.charges[200].epsilon <= 0.5
    assert release.charges[200].delta == 1e-4
    with session.active(), pytest.raises(ReleaseRefusedError, match="budget"):
        [mechanism.release(gram, None) for _ in range(9)]


def test_what_does_not_fit_is_refused_before_noise_is_drawn():
    good = Wishart.exact(dimension=4, sensitivity=2.0, epsilon=0.5, delta=1e-4)
    few = Wishart(dimension=4, degrees=6, sensitivity=2.0, delta=1e-4)
    for mechanism, accountants, message in ((few, SHARES, "delta"), (good, None, "sets aside delta")):
        session, gram = played(2, accountants)
        before = session.noise.bit_generator.state
        with session.active(), pytest.raises(ReleaseRefusedError, match=message):
            mechanism.release(gram, None)
        assert session.noise.bit_generator.state == before
        assert not session.ledger.releases
