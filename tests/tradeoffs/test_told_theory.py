"""What a frontier says where the theory has nothing for a reader, and in which words."""

import pytest

from privcheck.environments import Beta, Gaussian, TruncatedGaussian
from privcheck.reporting._pages.page_frontier import render_frontier
from privcheck.tradeoffs import frontier

QUICK = {"epsilons": [1.0], "horizon": 50, "runs": 2, "audit_runs": 0, "certificates": False}
MEANS = [0.9, 0.1]


class First:
    """Plays the first arm for ever."""

    def __init__(self, rng, epsilon):
        pass

    def select(self):
        return 0

    def update(self, action, reward):
        pass


@pytest.mark.parametrize(
    "place",
    [TruncatedGaussian(MEANS, 0.2), Beta(MEANS, 4.0), Gaussian(MEANS, 0.2, outside="clip")],
    ids=lambda place: place.id,
)
def test_why_there_is_no_theory_is_told(place):
    found = frontier("adap-ucb", place, **QUICK)
    (remark,) = found.remarks
    assert found.bounds == ()
    assert remark.startswith(f"theory: none is shown, because no shipped theorem covers the rewards of {place.id};")
    page = render_frontier(found)
    assert remark in page
    assert "rate times ln T" not in page, "explains a number that is not there"


def test_with_a_theory_nothing_is_missing():
    found = frontier("adap-ucb", MEANS, **QUICK)
    assert found.bounds
    assert found.remarks == ()
    assert "rate times ln T" in render_frontier(found)


def test_a_policy_that_no_upper_bound_is_about_is_named():
    long = QUICK | {"horizon": 100_000, "runs": 1}
    found = frontier([First, "adap-kl-ucb"], MEANS, **long)
    assert {bound.upper_id for bound in found.bounds if bound.epsilon == 1.0} == {"azize-basu-2022/thm8-explicit"}
    assert [remark for remark in found.remarks if remark.startswith("theory")] == [
        "theory: no upper bound is about First; those shown hold only for the algorithms that they name"
    ]
    trivial = frontier(First, MEANS, **QUICK)
    assert {bound.upper_id for bound in trivial.bounds} == {"trivial/horizon-times-gap"}, "holds for every policy"
    assert trivial.remarks == ()
