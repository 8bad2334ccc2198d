"""The square-root factorisation: dense matrix algebra, errors, charges of each datum, adaptive streams."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import optimize, special, stats
from scipy.stats import norm

from privcheck.accounting import GaussianDP, ReleaseRefusedError
from privcheck.certifying import Session
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import FactorisedStream, Gaussian
from privcheck.mechanisms.base import Recorder, recording
from privcheck.privacy import relation

MU = optimize.brentq(lambda mu: norm.cdf(-1 / mu + mu / 2) - math.e * norm.cdf(-1 / mu - mu / 2) - 1e-6, 0.1, 1.0)
"""The largest mu at which a Gaussian mechanism is (1, 1e-6)-private, from its exact delta."""
TABLE = {64: 9.4, 1024: 13.1, 16384: 16.9}


def dense(size, bandwidth=None):
    """The encoder as a matrix: the series of (1 - z)^(-1/2) by binomial coefficients."""
    lags = np.subtract.outer(np.arange(size), np.arange(size))
    kept = (lags >= 0) & (lags < (bandwidth or size))
    return np.where(kept, special.binom(2.0 * abs(lags), abs(lags)) / 4.0 ** abs(lags), 0.0)


@pytest.mark.parametrize("horizon", TABLE)
def test_the_errors_of_the_prefix_sums_are_those_of_the_table(horizon):
    mechanism = FactorisedStream(horizon=horizon, sensitivity=1.0, mu=MU)
    assert math.sqrt(mechanism.variances(horizon).mean()) == pytest.approx(TABLE[horizon], abs=0.05)


@pytest.mark.parametrize("bandwidth", [0, 1, 2, 7, 39, 40, 100])
def test_the_coefficients_are_those_of_matrix_algebra(bandwidth):
    mechanism = FactorisedStream(horizon=40, sensitivity=2.0, mu=0.5, bandwidth=bandwidth)
    sums, encoder = np.tril(np.ones((40, 40))), dense(40, bandwidth)
    decoder = sums @ np.linalg.inv(encoder)
    np.testing.assert_allclose(mechanism.decoder, decoder[:, 0], rtol=1e-12)
    assert mechanism.column_norm == pytest.approx(np.linalg.norm(encoder, axis=0).max(), rel=1e-14)
    np.testing.assert_allclose(mechanism.variances(40), (decoder**2).sum(axis=1) * mechanism.scale**2, rtol=1e-12)
    items = np.random.default_rng(0).normal(size=(40, 3))
    np.testing.assert_allclose(mechanism.rows(items), encoder @ items, atol=1e-13)
    if bandwidth in (0, 40, 100):
        np.testing.assert_allclose(encoder @ encoder, sums, atol=1e-12)
        assert mechanism == FactorisedStream(horizon=40, sensitivity=2.0, mu=0.5, bandwidth=bandwidth)


@pytest.mark.chance(
    1e-6,
    "a studentised mean of 500 squared errors within 6 standard errors: 2e-9, and at most 500 times that for skewness",
)
@pytest.mark.parametrize("bandwidth", [0, 5])
def test_the_errors_of_drawn_prefix_sums_agree_with_the_formula(bandwidth):
    """Within 6 standard errors over 500 runs."""
    mechanism = FactorisedStream(horizon=64, sensitivity=1.0, mu=MU, bandwidth=bandwidth)
    items = np.random.default_rng(1).random(64)
    squares = (mechanism.release_batch(items, np.random.default_rng(2), 500) - np.cumsum(items)) ** 2
    by_run, expected = squares.mean(axis=1), mechanism.variances(64).mean()
    assert abs(by_run.mean() - expected) < 6 * by_run.std() / math.sqrt(500)
    assert abs(by_run.mean() - 0.6 * expected) > 6 * by_run.std() / math.sqrt(500)


@pytest.mark.parametrize("shape", [(60,), (30, 2)])
@pytest.mark.parametrize("bandwidth", [0, 1, 4])
def test_streaming_is_the_batch(shape, bandwidth):
    """The stream divides step by step and the batch by a Fourier transform, so they differ by rounding."""
    mechanism = FactorisedStream(horizon=64, sensitivity=1.0, mu=1.0, bandwidth=bandwidth)
    items = np.random.default_rng(0).normal(size=shape)
    one, two = np.random.default_rng(1), np.random.default_rng(1)
    stream = mechanism.start(one)
    streamed = [stream.add(item) for item in items]
    np.testing.assert_allclose(streamed, mechanism.release_batch(items, two, 1)[0], atol=1e-11)
    assert one.random() == two.random()


def test_a_recorder_sees_each_row_as_one_gaussian_release():
    class Tape(Recorder):
        def __init__(self):
            self.seen = []

        def release(self, mechanism, value, *, secure):
            self.seen.append((mechanism, value))
            return value

    tape, mechanism = Tape(), FactorisedStream(horizon=12, sensitivity=1.0, mu=1.0, bandwidth=4)
    stream, items = mechanism.start(np.random.default_rng(0)), np.random.default_rng(1).random(12)
    with recording(tape):
        totals = [stream.add(item) for item in items]
    assert {seen for seen, _ in tape.seen} == {Gaussian.with_scale(mechanism.scale)}
    np.testing.assert_allclose([value for _, value in tape.seen], dense(12, 4) @ items, rtol=1e-14)
    np.testing.assert_allclose(totals, np.cumsum(items), rtol=1e-12)


def guarded(budget, mechanism, rounds):
    """Release the prefix sums of rewards in [0, 2] under a guard, and return its session."""
    session = Session(relation("row"), (0.0, 2.0), budget, np.random.default_rng(0))
    stream = mechanism.start(np.random.default_rng(0))
    for number in range(1, rounds + 1):
        session.round = number
        reward = session.reward(1.0, 0)
        with session.active():
            assert isinstance(stream.add(reward), float)
    return session


@pytest.mark.parametrize("bandwidth", [0, 3])
def test_the_ledger_charges_every_datum_the_norm_of_its_column(bandwidth):
    mechanism = FactorisedStream(horizon=12, sensitivity=2.0, mu=0.7, bandwidth=bandwidth)
    session = guarded(GaussianDP(0.7), mechanism, 12)
    assert session.leaks == []
    columns = 2.0 * np.linalg.norm(dense(12, bandwidth), axis=0) / mechanism.scale
    charged = [session.ledger.paid[number].mu for number in range(1, 13)]
    np.testing.assert_allclose(charged, columns, rtol=2e-9)
    assert (np.array(charged) >= columns * (1.0 - 1e-15)).all()
    assert max(charged) == charged[0] == pytest.approx(0.7, rel=1e-8)
    assert math.isinf(session.ledger.paid[1].epsilon)


def test_too_little_noise_is_refused_before_the_last_rows():
    """The broken twin takes the first coefficient for the norm of the column."""
    broken = FactorisedStream.with_scale(2.0 / 0.7, horizon=12)
    with pytest.raises(ReleaseRefusedError, match="budget"):
        guarded(GaussianDP(0.7), broken, 12)
    assert broken.charge(2.0).mu > 1.2 * 0.7


def test_a_stream_beyond_its_horizon_is_refused_and_changes_nothing():
    mechanism = FactorisedStream(horizon=2, sensitivity=2.0, mu=0.7)
    stream = mechanism.start(np.random.default_rng(0))
    for bad in (math.nan, "1", None, [[1.0], [1.0, 2.0]]):
        with pytest.raises(PrivcheckError):
            stream.add(bad)
    stream.add([1.0, 2.0])
    with pytest.raises(PrivcheckError, match="shape"):
        stream.add(1.0)
    stream.add([1.0, 2.0])
    with pytest.raises(PrivcheckError, match="at most the horizon 2; declare a longer horizon"):
        stream.add([1.0, 2.0])
    assert stream.step == 2
    with pytest.raises(PrivcheckError, match="length of the stream"):
        mechanism.release([1.0, 2.0, 3.0], np.random.default_rng(0))
    with pytest.raises(ReleaseRefusedError, match="at most the horizon 2"):
        guarded(GaussianDP(0.7), mechanism, 3)


@pytest.mark.chance(
    1e-7,
    "a normal mean and a chi-square variance with 1499 degrees of freedom within 6 standard errors",
)
def test_an_adaptively_chosen_stream_learns_no_more_than_a_fixed_one():
    """The loss is N(mu^2 / 2, mu^2) whatever rule chooses the items: its mean and variance within 6 standard errors.

    A rule that sees earlier noise and a twin with half of the noise: four times the mean loss.
    """
    declared, runs = FactorisedStream(horizon=6, sensitivity=1.0, mu=1.0), 1500
    for factor in (1.0, 0.5):
        mechanism = FactorisedStream.with_scale(factor * declared.scale, horizon=6)
        rng, losses = np.random.default_rng(7), []
        for _ in range(runs):
            stream, items, outputs = mechanism.start(rng), [1.0], []
            for _ in range(6):
                outputs.append(stream.add(items[-1]))
                items.append(float(np.sign(outputs[-1]) * min(abs(stream.noisy), 3.0)))
            real = np.array(items[:6])
            losses.append(mechanism.log_ratio(np.array(outputs), real, real - np.eye(6)[0]))
        mean, variance = np.mean(losses), np.var(losses)
        as_declared = abs(mean - 0.5) < 6 / math.sqrt(runs) and abs(variance - 1.0) < 6 * math.sqrt(2 / runs)
        assert as_declared == (factor == 1.0)


@pytest.mark.parametrize("bandwidth", [0, 5])
def test_rounding_of_the_rows_is_within_its_bound(bandwidth):
    mechanism = FactorisedStream(horizon=30, sensitivity=1.0, mu=1.0, bandwidth=bandwidth)
    rng = np.random.default_rng(0)
    for _ in range(5):
        items = rng.normal(size=30) * 10.0 ** rng.integers(-8, 8, 30)
        weights = [Fraction(c) for c in mechanism.coefficients]
        exact = [sum(c * Fraction(x) for c, x in zip(weights, items[t::-1], strict=False)) for t in range(30)]
        errors = [float(Fraction(row) - true) for row, true in zip(mechanism.rows(items), exact, strict=True)]
        assert 0.0 < 2 * np.linalg.norm(errors) <= mechanism.rounding(np.abs(items))


@pytest.mark.chance(2e-9, "two Kolmogorov tests", fresh=True)
def test_secure_releases_follow_the_law_and_half_the_scale_does_not():
    """OpenDP takes no seed: a correct sampler fails here with probability 2e-9 in each run."""
    mechanism = FactorisedStream(horizon=6, sensitivity=1.0, mu=1.0)
    items = np.zeros((6, 150))
    stream = mechanism.start(secure=True)
    for outputs in (np.array([stream.add(item) for item in items]), mechanism.release(items, None, secure=True)):
        noise = (dense(6) @ np.diff(outputs, axis=0, prepend=0.0)).ravel() / mechanism.scale
        assert stats.kstest(noise, stats.norm.cdf).pvalue >= 1e-9
        assert stats.kstest(noise / 2, stats.norm.cdf).pvalue < 1e-9


def test_nobody_can_change_the_coefficients_that_the_charge_is_for():
    """They are shared by all mechanisms of this length, and `column_norm` is kept beside them."""
    shared = FactorisedStream(horizon=4, sensitivity=1.0, mu=1.0).coefficients
    with pytest.raises(ValueError, match="WRITEABLE"):
        shared.flags.writeable = True
    assert not shared.flags.writeable
