"""The truths of docs/evidence/tightness.md, by routes that share no code with the script that prints them."""

import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import laplace, norm

from tests.benchmark_modules import loaded

REPOSITORY = Path(__file__).parents[3]


truths = loaded("true_losses")
HALF = np.array([1, 1, 1, 1, 1, 0, 0, 0, 0, 0])


def integral(density):
    """Integrate over the line by the trapezoidal rule; the corners of the densities here are integers, as its nodes."""
    x = np.arange(-12_000, 12_001) / 200.0
    return float(np.trapezoid(density(x), x))


def test_noisy_maxima():
    """Two counts in closed form: (2 + d) e^-d / 4 for a difference of d = 2; three and four on a grid."""
    assert truths.noisy_max([0, 0], [-1, 1]) == pytest.approx(math.log(0.5 / math.exp(-2.0)), rel=1e-12)
    for first, second in (([3, 1, 2], [2, 2, 3]), ([15, 14, 14, 14], [14, 15, 15, 15])):
        ratios = []
        for i in range(len(first)):
            p, q = (
                integral(
                    lambda x, side=side, i=i: (
                        laplace.pdf(x, side[i])
                        * math.prod(laplace.cdf(x, other) for j, other in enumerate(side) if j != i)
                    )
                )
                for side in (first, second)
            )
            ratios.append(abs(math.log(p / q)))
        assert truths.noisy_max(first, second) == pytest.approx(max(ratios), rel=1e-5)


def test_the_loss_of_a_noisy_maximum_approaches_two_from_below():
    found = [truths.noisy_max([0, n, n, n], [1, n - 1, n - 1, n - 1]) for n in (1, 4, 12)]
    assert found == sorted(found)
    assert found[0] < 1.9 < found[-1] < 2.0


def test_a_softmax_of_five():
    """1/5 against e^2 / (e^2 + 4 e^4)."""
    expected = math.log((1.0 + 4.0 * math.exp(2.0)) / 5.0)
    assert truths.gumbel_max([3] * 5, [2] + [4] * 4) == pytest.approx(expected, rel=1e-12)
    assert round(expected, 3) == 1.81


def test_the_first_answer_above_a_threshold():
    """Ten equal answers: their order does not matter, so an output's probability is one integral."""

    def chance(answer, index):
        def density(x):
            below = laplace.cdf(x - answer, scale=4.0 / 3.0)
            return laplace.pdf(x, scale=4.0) * below ** min(index, 10) * (1.0 - below if index < 10 else 1.0)

        return integral(density)

    expected = max(abs(math.log(chance(0.0, index) / chance(1.0, index))) for index in range(11))
    assert truths.first_above([0] * 10, [1] * 10) == pytest.approx(expected, rel=1e-4)
    assert round(expected, 3) == 0.25


def test_all_answers_above_a_threshold():
    """Five answers of 1 and five of 0, interchangeable among themselves: 36 kinds of outputs."""

    def chance(ones, i, zeros, j):
        """Probability that i given answers of 1 are above, the others not, and the same for j answers of 0."""

        def density(x):
            high, low = laplace.sf(x - 1.0, scale=2.0), laplace.sf(x, scale=2.0)
            return laplace.pdf(x, scale=2.0) * high**i * (1 - high) ** (ones - i) * low**j * (1 - low) ** (zeros - j)

        return integral(density)

    ratios = [math.log(chance(5, i, 5, j) / chance(5, j, 5, i)) for i in range(6) for j in range(6)]
    assert truths.bits_above(HALF, 1 - HALF) == pytest.approx(max(ratios), rel=1e-5)


def blocks_by_grid(table):
    """Probabilities of all choices, from the density of the held score on a grid; the order is that of `product`."""
    x = np.linspace(-50.0, 60.0, 110_001)
    step = x[1] - x[0]

    def following(held, arm, block, start):
        """Yield the probabilities once `arm` has been played for a block from `start`, the other's score being held."""
        length = max(1, start)
        score = laplace(table[start : start + length, arm].sum(), 1.0 / length)
        areas = np.concatenate(((held[1:] + held[:-1]) / 2.0 * step, [0.0]))
        stays = held * score.sf(x)
        swaps = score.pdf(x) * np.cumsum(areas[::-1])[::-1]
        for density, after in ((stays, arm), (swaps, 1 - arm)):
            if block == 4:
                yield np.trapezoid(density, x)
            else:
                yield from following(density, after, block + 1, start + length)

    first = laplace.pdf(x, table[0, 0])
    return np.array(list(following(first, 1, 1, 1)))


@pytest.mark.parametrize("seed", [0, 1])
def test_blocks_whose_sums_get_the_noise_of_means(seed):
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 2, (17, 2)).astype(float)
    second = first.copy()
    second[8] = 1.0 - second[8]
    chances = [blocks_by_grid(table) for table in (first, second)]
    assert [side.sum() for side in chances] == pytest.approx([1.0, 1.0], abs=1e-4)
    expected = np.abs(np.log(chances[0] / chances[1])).max()
    assert truths.blocks_of_sums(first, second) == pytest.approx(expected, rel=1e-3)


def test_the_gaussian_row_has_the_loss_one():
    """Balle and Wang 2018, theorem 8, at sensitivity 1."""
    sigma = loaded("tightness").SIGMA
    delta = norm.cdf(0.5 / sigma - sigma) - math.e * norm.cdf(-0.5 / sigma - sigma)
    assert delta == pytest.approx(1e-5, rel=1e-3)


def test_the_page_prints_these_truths():
    page = (REPOSITORY / "docs" / "evidence" / "tightness.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if line.startswith("| ")]
    printed = {row[0]: row[1] for row in rows[2:]}
    fixed = {
        "noisy-max-2": truths.noisy_max([0, 0], [-1, 1]),
        "exponential-5": truths.gumbel_max([3] * 5, [2] + [4] * 4),
        "sparse-vector-4": truths.first_above([0] * 10, [1] * 10),
        "sparse-vector-6": truths.bits_above(HALF, 1 - HALF),
    }
    assert {name: printed[name] for name in fixed} == {name: f"{truth:.3f}" for name, truth in fixed.items()}
    assert all(float(printed[f"noisy-max-{arms}-searched"]) < 2.0 for arms in (4, 5))
    assert re.search(r"Printed by `python benchmarks/tightness.py --seeds \d+", page)
