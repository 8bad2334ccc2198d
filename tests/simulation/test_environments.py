"""The environments: the papers' numbers, validation, and the law of the reward tables."""

import math

import numpy as np
import pytest

from privcheck.bounds import instance_names, named_instance
from privcheck.environments import ENVIRONMENTS, Bernoulli, environment
from privcheck.errors import PrivcheckError

PUBLISHED = ["c1", "c2", "c3", "c4", "ab22-figure3", "hhmh-setting1", "hhmh-setting2"]


@pytest.mark.parametrize("name", ["c1", "c2", "c3", "c4"])
def test_the_theory_floor_has_the_same_instances(name):
    assert name in instance_names()
    assert environment(name).means == named_instance(name, epsilon=1.0).means


def test_the_other_published_instances():
    assert environment("ab22-figure3").means == named_instance("fig3", epsilon=1.0).means == (0.8, 0.1, 0.1, 0.1, 0.1)
    assert environment("hhmh-setting1").means == (0.75, 0.625, 0.5, 0.375, 0.25)
    assert environment("hhmh-setting2").means == (0.5, 0.4, 0.4, 0.4, 0.4)
    with pytest.raises(PrivcheckError, match=r"means: got .*, expected no such parameter of C2"):
        ENVIRONMENTS["c2"](means=(0.5, 0.4))


def test_summaries_name_the_means():
    summaries = {row["id"]: row["summary"] for row in ENVIRONMENTS.summaries()}
    assert {"bernoulli", "c1", "c2", "c3", "c4", "ab22-figure3", "hhmh-setting1", "hhmh-setting2"} <= set(summaries)
    for name, summary in summaries.items():
        assert summary
        assert "\n" not in summary
        if name in PUBLISHED:
            numbers = [float(word) for word in summary.partition("means ")[2].split(", ")]
            assert tuple(numbers) == environment(name).means


def test_means_may_be_any_sequence_of_numbers():
    place = Bernoulli((0.25, 1.0))
    assert environment([0.25, 1]) == environment(np.array([0.25, 1.0])) == environment(place) == place
    assert environment(place) is place
    assert place.gaps().tolist() == [0.75, 0.0]
    assert all(type(mean) is float for mean in environment(np.array([0, 1])).means)


@pytest.mark.parametrize(
    "means",
    [(), (0.5,), (0.5, 1.1), (-0.1, 0.5), (0.5, math.nan), (0.5, math.inf), (0.5, "0.4"), (0.5, None), (True, False),
     [[0.5, 0.4]], np.zeros((2, 2)), 0.5, None, {0.5, 0.4}, {0.1: 1, 0.2: 2}, b"ab", (0.5,) * 128],
)  # fmt: skip
def test_bad_means(means):
    with pytest.raises(PrivcheckError) as caught:
        environment(means)
    assert caught.value.parameter == "means"
    assert caught.value.expected == "a list of 2 to 127 numbers in [0, 1]"


def test_unknown_names():
    with pytest.raises(
        PrivcheckError, match=r"environment: got 'c22', expected one of ab22-figure3, .*c4.*did you mean 'c2'"
    ):
        environment("c22")
    with pytest.raises(PrivcheckError, match="build it with its means"):
        environment("bernoulli")


@pytest.mark.chance(2e-6, "two means and a correlation within 5 standard errors, 6e-7 each")
def test_tables_have_the_declared_law():
    """Every mean of 40,000 draws within 5 standard errors, arms uncorrelated; arms of mean 0 and 1 are constant."""
    table = Bernoulli((0.3, 0.6, 0.0, 1.0)).table(np.random.default_rng(0), 40_000)
    assert table.dtype == np.float64
    assert set(np.unique(table)) == {0.0, 1.0}
    assert abs(table.mean(axis=0) - [0.3, 0.6, 0, 1]).max() < 5 * 0.5 / 200
    assert abs(np.corrcoef(table[:, 0], table[:, 1])[0, 1]) < 5 / 200
    assert (table[:, 2] == 0).all()
    assert (table[:, 3] == 1).all()
