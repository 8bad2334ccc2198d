"""Several normal draws in one number: replays charge what their joint law loses; draws that hide nothing are found."""

import numpy as np
import pytest

import privcheck


def explored(target, **options):
    given = {"rho": 1.0, "runs": 4, "horizon": 3, "primitives": ["numpy"]}
    return privcheck.certify(target, **given | ({"arms": 2} if isinstance(target, type) else {}) | options)


def notes_of(found):
    """Leave out what other modules of the suite hold: tuples of cases, and fields, with numpy's functions in them."""
    return [note for note in found.notes if "keeps a function that was replaced" not in note]


def matrix(data):
    return np.array([[data[0], data[1]], [data[1], data[2]]])


def symmetric(data, rng):
    """Release a symmetric matrix: entries off the diagonal have half of the variance, and are there twice."""
    noise = rng.normal(0.0, 1.0, (2, 2))
    return matrix(data) + (noise + noise.T) / 2.0


def lower_first(data, rng):
    noise = rng.normal(0.0, 1.0, (2, 2))
    return (matrix(data) + noise / 2.0) + noise.T / 2.0


def antisymmetric(data, rng):
    """The broken twin: nothing is left of the noise of the diagonal."""
    noise = rng.normal(0.0, 1.0, (2, 2))
    return matrix(data) + (noise - noise.T) / 2.0


def uneven(data, rng):
    """The broken twin: the two entries off the diagonal differ by what is hidden."""
    noise = rng.normal(0.0, 1.0, (2, 2))
    return np.array([[data[0], data[1]], [0.0, data[2]]]) + (noise + noise.T) / 2.0


@pytest.mark.parametrize("target", [symmetric, lower_first])
def test_noise_that_is_made_symmetric_is_charged(target):
    found = explored(target)
    assert not found.has_findings, found
    assert (found.undeclared, found.replay.divergences) == ([], 0)
    assert found.ledger_rho == pytest.approx(1.0)  # 1 / (2 / 2), off the diagonal
    assert explored(target, rho=0.99).refusals


def test_symmetric_noise_that_hides_nothing_is_found():
    assert "in several numbers" in explored(uneven).replay.first_divergence.reason
    assert explored(antisymmetric).replay.divergences


class Batches:
    """Contextual: sums of outer products, times 1 or -1, are released every second round, and forgotten."""

    sign = 1.0

    def __init__(self, rng, arms=2):
        self.rng, self.round, self.noisy, self.sum = rng, 0, np.zeros((2, 2)), np.zeros((2, 2))

    def select(self, context):
        return int(context @ self.noisy @ context > 0.0)

    def update(self, context, action, reward):
        self.sum += (2.0 * reward - 1.0) * np.outer(context, context)
        self.round += 1
        if self.round % 2 == 0:
            noise = self.rng.normal(0.0, 2.0, (2, 2))
            self.noisy = self.noisy + self.sum + (noise + self.sign * noise.T) / 2.0
            self.sum = np.zeros((2, 2))


class Kept(Batches):
    """The broken twin: it keeps what it released, so that a datum is released again and again."""

    def update(self, context, action, reward):
        kept = self.sum.copy()
        super().update(context, action, reward)
        self.sum = kept + (2.0 * reward - 1.0) * np.outer(context, context)


class Antisymmetric(Batches):
    """The broken twin: nothing is left of the noise in the form that is compared with 0."""

    sign = -1.0


CONTEXTUAL = {
    "feedback": "contextual",
    "neighbours": "context-reward",
    "contexts": privcheck.Contexts(shape=(2,), norm=1.0),
    "horizon": 5,
    "rho": 0.51,
}


def test_a_contextual_policy_with_symmetric_noise_is_charged_for_every_release():
    found = explored(Batches, **CONTEXTUAL)
    assert not found.has_findings, found
    assert (found.undeclared, notes_of(found)) == ([], [])
    assert 0.26 < found.ledger_rho <= 0.5 + 1e-9  # 2 apart at most, in the Frobenius norm
    assert explored(Kept, **CONTEXTUAL).refusals
    assert explored(Antisymmetric, **CONTEXTUAL).replay.divergences


@pytest.mark.parametrize("feedback", ["bandit", "semi-bandit", "full"])
def test_two_draws_in_one_number_under_other_feedback(feedback):
    class Sums:
        def __init__(self, rng, arms=2):
            self.rng, self.arms, self.sums = rng, arms, np.zeros(arms)

        def select(self):
            best = int(np.argmax(self.sums))
            return (best,) if feedback == "semi-bandit" else best

        def update(self, action, reward):
            gained = np.zeros(self.arms)
            gained[slice(None) if feedback == "full" else list(action) if feedback == "semi-bandit" else action] = (
                reward
            )
            self.sums = self.sums + (
                gained + self.rng.normal(0.0, 1.0, self.arms) + self.rng.normal(0.0, 1.0, self.arms)
            )

    found = explored(Sums, feedback=feedback)
    assert not found.has_findings, found
    assert found.undeclared == []
    assert found.ledger_rho == pytest.approx(0.5 if feedback == "full" else 0.25)  # one number or two, over 2 (1 + 1)


def mixed(factors):
    """Return a mechanism that adds sums of shared draws to its rows, and the rho that its joint law loses at most."""

    def release(data, rng):
        draws = [rng.normal(0.0, 1.0 + 0.3 * k) for k in range(factors.shape[1])]
        return [
            float(data[i] + sum(float(factor) * draw for factor, draw in zip(row, draws, strict=True) if factor))
            for i, row in enumerate(factors)
        ]

    scaled = factors * (1.0 + 0.3 * np.arange(factors.shape[1]))
    return release, float(0.5 * np.diag(np.linalg.inv(scaled @ scaled.T)).max())


@pytest.mark.parametrize("number", range(8))
def test_sums_of_shared_draws_cost_what_their_joint_law_loses(number):
    """The oracle is the covariance of all outputs: 0.5 d' C^-1 d for a datum that moves them by d."""
    rng = np.random.default_rng(number)
    factors = rng.integers(-2, 3, (3, rng.integers(3, 6))).astype(float)
    factors[:, :3] += 3.0 * np.eye(3) * (number % 2)
    if np.linalg.matrix_rank(factors) < 3:
        factors[:, :3] += 5.0 * np.eye(3)
    release, rho = mixed(factors)
    found = explored(release, rho=rho * (1.0 + 1e-9))
    assert not found.has_findings, found
    assert found.undeclared == []
    assert found.ledger_rho == pytest.approx(rho)


def test_fewer_draws_than_numbers_are_found():
    """Two draws in three numbers: one combination of these has no noise."""
    release, _ = mixed(np.array([[1.0, 2.0], [2.0, -1.0], [1.0, 1.0]]) @ np.eye(2, 3))
    with np.errstate(all="ignore"):
        assert explored(release).replay.divergences


def test_a_prefix_sum_of_draws_that_are_made_ahead():
    def prefixes(data, rng):
        nodes = [rng.normal(0.0, 1.0) for _ in range(3)]
        return [float(data[: k + 1].sum() + sum(nodes[: k + 1])) for k in range(3)]

    found = explored(prefixes)
    assert not found.has_findings, found
    assert found.ledger_rho == pytest.approx(0.5)  # the differences of the sums are the rows, with a draw each


# Laplace noise: its sums are no Laplace noise


def test_laplace_noise_that_is_made_symmetric_is_charged():
    def symmetric_laplace(data, rng):
        noise = rng.laplace(0.0, 2.0, (2, 2))
        return matrix(data) + (noise + noise.T) / 2.0

    found = explored(symmetric_laplace, rho=None, epsilon=1.0)
    assert not found.has_findings, found
    assert (found.undeclared, notes_of(found)) == ([], [])
    assert found.ledger_epsilon == pytest.approx(1.0)
    assert explored(symmetric_laplace, rho=None, epsilon=0.99).refusals


def test_a_number_that_is_protected_by_a_draw_that_was_given_away_is_not_passed_over():
    """What is not charged is said: each number has noise, of which the second draw was made known for the first."""

    def chained(data, rng):
        one, two = rng.laplace(0.0, 4.0), rng.laplace(0.0, 4.0)
        return round(float(data[0] + one + two)), float(data[1] + two) > 100.0, float(data[2] + one) > 100.0

    found = explored(chained, rho=None, epsilon=1.0)
    assert not found.has_findings, found
    (note,) = notes_of(found)
    assert "test_sums_of_normal_draws.py:" in note
    assert "is not charged" in note
