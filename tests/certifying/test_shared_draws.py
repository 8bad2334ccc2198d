"""Products of a matrix with numbers that have noise of their own: released where noise and data met, one by one."""

import numpy as np
import pytest

from privcheck.certifying import Session
from privcheck.privacy import relation
from privcheck.private_values import LeakError

ROWS = [0.0, 0.0, 1.0, -1.0, 0.6, 0.8, 0.3]


def start(noise):
    session = Session(relation("row"), (0.0, 1.0), None, np.random.default_rng(noise), round=1)
    return session, session.generator(np.random.default_rng(1))


def paid(session, count):
    return np.array([session.ledger.paid[j].epsilon if j in session.ledger.paid else 0.0 for j in range(count)])


def drawn(rng):
    """Return X of full rank, B and the scales of a case: what is read is X (B f + z), for data f and noise z."""
    while True:
        size = int(rng.integers(2, 5))
        x = rng.choice(ROWS, (size, size))
        if abs(np.linalg.det(x)) > 0.05:
            return (
                x,
                rng.choice([0.0, 1.0, -1.0, 0.5, 2.0], (size, int(rng.integers(1, 4)))),
                rng.choice([1.0, 2.0], size),
            )


def noised(session, noise, b, scales):
    rewards = [session.source.scalar(0.5, 0.0, 1.0, datum) for datum in range(b.shape[1])]
    return [
        sum(k * r for k, r in zip(row, rewards, strict=True)) + noise.laplace(0.0, s)
        for row, s in zip(b, scales, strict=True)
    ]


@pytest.mark.parametrize("seed", [seed for seed in range(300) if seed not in (67, 105, 252)])
def test_a_product_that_is_read_costs_what_its_numbers_cost(seed):
    """X has an inverse, so that whoever sees the product sees the numbers: each datum loses the sum of |B| / scale.

    Left out are three of 300 in which a number that was read first had taken its noise from elsewhere, or held no
    datum: what is left is then raw, and refused.
    """
    rng = np.random.default_rng(seed)
    x, b, scales = drawn(rng)
    session, noise = start(seed)
    numbers = noised(session, noise, b, scales)
    product = [sum(k * u for k, u in zip(row, numbers, strict=True)) for row in x]
    order = rng.permutation(len(product))
    shown = np.zeros(len(product))
    if rng.random() < 0.5:
        _ = np.argmax(np.stack(product)) if rng.random() < 0.5 else np.stack(product)[0] > 0.0
    for place in order:
        shown[place] = float(product[place])
    exact = (np.abs(b) / scales[:, None]).sum(axis=0)
    spent = paid(session, b.shape[1])
    assert (spent >= exact * (1.0 - 1e-9)).all(), (spent, exact)
    np.testing.assert_allclose(np.linalg.solve(x, shown), [float(u) for u in numbers], atol=1e-9)
    assert (paid(session, b.shape[1]) == spent).all()  # the numbers are known by then


TRIANGULAR, OTHERS = np.array([[1.0, 0.0], [0.6, 0.8]]), np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])


@pytest.mark.parametrize("x", [TRIANGULAR, OTHERS, np.array([[1.0, 1.0], [1.0, -1.0]])])
@pytest.mark.parametrize("row", [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
def test_the_largest_of_linear_scores_is_released_by_their_numbers(x, row):
    session, noise = start(3)
    reward = session.source.scalar(0.5, 0.0, 1.0, 0)
    numbers = np.array(row) * reward + noise.laplace(0.0, 1.5, 2)
    assert int(np.argmax(x @ numbers)) in range(len(x))
    assert paid(session, 1) == pytest.approx(sum(row) / 1.5)


def test_a_datum_that_no_noise_covers_is_a_leak():
    session, noise = start(3)
    one, two = (session.source.scalar(0.5, 0.0, 1.0, datum) for datum in (0, 1))
    covered = one + noise.laplace(0.0, 1.0)
    beside = 0.6 * covered + 0.1 * two
    with pytest.raises(LeakError):
        float(np.argmax(np.stack([covered, beside])))


def test_a_draw_that_covers_two_data_is_spent_once():
    """The second number holds the same draw alone: with both, the first datum would be raw."""
    session, noise = start(3)
    one, two = (session.source.scalar(0.5, 0.0, 1.0, datum) for datum in (0, 1))
    draw = noise.laplace(0.0, 1.0)
    with pytest.raises(LeakError):
        float(np.argmax(np.stack([one + draw, two + draw])))
