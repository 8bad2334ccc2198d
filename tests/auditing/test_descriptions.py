"""Shipped algorithms with parameters, named by what reports call them."""

import pytest

import privcheck
from privcheck.bandits import ALGORITHMS
from privcheck.bandits.base import split_description
from privcheck.errors import PrivcheckError


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name != "ucb"])
def test_what_describe_writes_is_read_back(name):
    cls = ALGORITHMS[name]
    spec = cls(
        arms=3,
        **({cls.budget_name(): 0.5} if cls.private else {}),
        **({"horizon": 64} if cls.declares("horizon") else {}),
        **({"features": 2} if cls.declares("features") else {}),
        **({"delta": 0.1} if cls.approximate else {}),
    )
    found, values = split_description(spec.describe())
    assert found == name
    assert ALGORITHMS[found](**values) == spec


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_the_claim_may_differ_from_what_the_algorithm_was_built_with():
    """Report Noisy Max as published is 2 epsilon-DP."""
    target = "rnm-ftnl-published(arms=3, epsilon=1)"
    assert privcheck.certify(target, epsilon=2.0, horizon=8).granted
    assert not privcheck.certify(target, epsilon=1.0, horizon=8).granted
    assert privcheck.audit(target, epsilon=2.0, horizon=4, runs=2000, error=1e-6).verdict == "consistent"


def test_simulations_take_parameters():
    options = {"environment": "c2", "horizon": 1000, "runs": 5}
    plain, named = (privcheck.simulate([name], epsilon=1.0, **options) for name in ("dp-imed", "dp-imed(ratio=1.5)"))
    spec = ALGORITHMS["dp-imed"](arms=5, epsilon=1.0, ratio=1.5)
    assert (named.results[0].regret == privcheck.simulate([spec], **options).results[0].regret).all()
    assert (named.results[0].regret != plain.results[0].regret).any()
    with pytest.raises(PrivcheckError, match="leave the number of arms out"):
        privcheck.simulate(["ucb(arms=3)"], **options)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("adap-ucb(2)", "name=value pairs"),
        ("adap-ucb(", "name=value pairs"),
        ("adap-ucb(**{})", "name=value pairs"),
        ("adap-ucb(beta=2)", "parameters of adap-ucb: arms, epsilon, alpha"),
        ("adap-ucb(alpha=-1)", "alpha"),
        ("no-such(alpha=1)", "one of"),
        ("adap-ucb(alpha=__import__('os'))", "alpha"),
    ],
)
def test_what_is_no_description_is_refused(target, message):
    with pytest.raises(PrivcheckError, match=message):
        privcheck.audit(target, epsilon=1.0, runs=100)


def test_arms_are_said_once():
    with pytest.raises(PrivcheckError, match="leave arms out"):
        privcheck.audit("adap-ucb(arms=3)", epsilon=1.0, arms=2, runs=100)
