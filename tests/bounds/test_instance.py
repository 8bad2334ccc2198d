"""Instances: validation, derived quantities, TOML files, the papers' named instances."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcheck.bounds import Instance, PrivcheckError, instance_names, named_instance


def test_fields_are_normalised():
    instance = Instance("bernoulli", means=np.array([0.75, 0.5]), epsilon=1, horizon=1e7)
    assert instance == Instance("bernoulli", (0.75, 0.5), 1.0, 10_000_000, 0.0, 3.1)
    assert type(instance.horizon) is int
    assert type(instance.epsilon) is float
    assert instance.means == (0.75, 0.5)
    assert Instance("gaussian", [3, -2], epsilon=1).horizon is None
    with pytest.raises(dataclasses.FrozenInstanceError):
        instance.epsilon = 2.0


@settings(derandomize=True, deadline=None)
@given(means=st.lists(st.floats(0, 1), min_size=2, max_size=6))
def test_gaps_are_measured_from_the_best_arm(means):
    instance = Instance("bernoulli", means, epsilon=1.0)
    best = np.max(means)
    assert instance.arms == len(means)
    assert instance.best_mean == best
    assert list(instance.gaps) == list(best - np.array(means))
    assert list(instance.suboptimal) == [(m, best - m) for m in means if m != best]


def test_ties_and_a_perfect_arm_are_allowed():
    assert Instance("bernoulli", (1.0, 1.0, 0.5), epsilon=1.0).suboptimal == ((0.5, 0.5),)
    assert Instance("bernoulli", (0.5, 0.5), epsilon=1.0).suboptimal == ()


GOOD = {
    "family": "bernoulli",
    "means": (0.75, 0.5),
    "epsilon": 1.0,
    "horizon": 100,
    "delta": 0.0,
    "alpha": 3.1,
    "risk": 0.01,
}
BAD = [
    ("family", "cauchy"),
    ("family", None),
    ("means", (0.5,)),
    ("means", ()),
    ("means", (0.5, math.nan)),
    ("means", (0.5, math.inf)),
    ("means", (0.5, 1.1)),
    ("means", (0.5, -0.1)),
    ("means", (0.5, "0.6")),
    ("means", (0.5, True)),
    ("means", "0.5,0.6"),
    ("means", 0.5),
    ("means", {0.5, 0.6}),
    ("means", [[0.5, 0.6], [0.1, 0.2]]),
    ("means", np.ones((2, 2)) / 2),
    ("epsilon", -1.0),
    ("epsilon", math.nan),
    ("epsilon", "1"),
    ("epsilon", True),
    ("horizon", 0),
    ("horizon", -5),
    ("horizon", 10.5),
    ("horizon", math.nan),
    ("horizon", math.inf),
    ("horizon", "1e7"),
    ("delta", 1.0),
    ("delta", -1e-9),
    ("delta", math.nan),
    ("alpha", 0.0),
    ("alpha", math.inf),
]


@pytest.mark.parametrize(("field", "value"), BAD)
def test_bad_fields_are_refused_by_name(field, value):
    with pytest.raises(PrivcheckError) as caught:
        Instance(**{**GOOD, field: value})
    assert caught.value.parameter == field
    assert caught.value.expected


def test_a_gaussian_mean_may_leave_the_unit_interval_and_the_error_says_so():
    assert Instance("gaussian", (-3.0, 7.0), epsilon=1.0).gaps == (10.0, 0.0)
    with pytest.raises(PrivcheckError) as caught:
        Instance("bernoulli", (-3.0, 7.0), epsilon=1.0)
    assert 'family="gaussian"' in caught.value.hint


def test_to_dict_is_json_ready():
    assert Instance(**GOOD).to_dict() == {**GOOD, "means": [0.75, 0.5]}


TOML = 'family = "bernoulli"\nmeans = [0.75, 0.5]\nepsilon = 1.0\nhorizon = 1e7\n'


def test_from_toml(tmp_path):
    path = tmp_path / "instance.toml"
    path.write_text(TOML)
    expected = Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=10**7)
    assert Instance.from_toml(path) == expected
    assert Instance.from_toml(str(path), epsilon=2.0, horizon=None) == dataclasses.replace(
        expected, epsilon=2.0, horizon=None
    )


@pytest.mark.parametrize(
    ("text", "parameter", "words"),
    [
        (TOML + "epsilonn = 2\n", "FILE", "unknown key 'epsilonn', expected only the keys family, means, epsilon"),
        (
            TOML.replace("epsilon = 1.0\n", ""),
            "epsilon",
            "got nothing, expected a number of at least 0, or infinity; add the key 'epsilon'",
        ),
        (
            TOML.replace("epsilon = 1.0", "epsilon = nan"),
            "epsilon",
            "got nan, expected a number of at least 0, or infinity",
        ),
        (TOML.replace("[0.75, 0.5]", "0.75"), "means", "got 0.75, expected a list of at least two finite numbers"),
        ("means = [0.75, ", "FILE", "invalid TOML"),
        ("family = 'bernoulli'\nfamily = 'gaussian'", "FILE", "invalid TOML"),
    ],
)
def test_a_bad_toml_file_gives_one_clear_line(tmp_path, text, parameter, words):
    path = tmp_path / "instance.toml"
    path.write_text(text)
    with pytest.raises(PrivcheckError) as caught:
        Instance.from_toml(path)
    assert caught.value.parameter == (str(path) if parameter == "FILE" else parameter)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(PrivcheckError, match=r"missing\.toml: got No such file or directory"):
        Instance.from_toml(tmp_path / "missing.toml")
    with pytest.raises(PrivcheckError, match="Is a directory"):
        Instance.from_toml(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b"family = '\xff'")
    with pytest.raises(PrivcheckError, match="invalid TOML"):
        Instance.from_toml(tmp_path / "latin.toml")


PAPER = {
    "c1": (0.75, 0.70, 0.70, 0.70, 0.70),
    "c2": (0.75, 0.625, 0.5, 0.375, 0.25),
    "c3": (0.75, 0.53125, 0.375, 0.28125, 0.25),
    "c4": (0.75, 0.71875, 0.625, 0.46875, 0.25),
    "fig3": (0.8, 0.1, 0.1, 0.1, 0.1),
}
OTHERS = {
    "hhmh-setting1": ((0.75, 0.625, 0.5, 0.375, 0.25), 10**6, None),
    "hhmh-setting2": ((0.5, 0.4, 0.4, 0.4, 0.4), 10**6, None),
    "ja25-mu1": ((0.95, 0.9, 0.9, 0.9, 0.5), None, 0.01),
    "ja25-mu2": ((0.75, 0.7, 0.7, 0.7, 0.7), None, 0.01),
}


@pytest.mark.parametrize("name", PAPER)
def test_named_instances(name):
    assert named_instance(name, epsilon=0.5) == Instance(
        "bernoulli", PAPER[name], epsilon=0.5, horizon=10**7, alpha=3.1
    )
    assert named_instance(name, epsilon=0.5, horizon=None).horizon is None


@pytest.mark.parametrize("name", OTHERS)
def test_named_instances_of_other_papers(name):
    means, horizon, risk = OTHERS[name]
    assert named_instance(name, epsilon=0.5) == Instance("bernoulli", means, 0.5, horizon, risk=risk)


def test_names():
    assert set(instance_names()) >= {*PAPER, *OTHERS}
    with pytest.raises(PrivcheckError, match="name: got 'c9', expected one of 'c1', 'c2'"):
        named_instance("c9", epsilon=1.0)
    with pytest.raises(PrivcheckError, match="unknown key 'budget'"):
        named_instance("c1", epsilon=1.0, budget=2.0)


LAWS = {"support": (0, 0.5, 1), "weights": ((0.1, 0.3, 0.6), (0.1, 0.7, 0.2)), "epsilon": 1.0}


def test_laws_given_by_weights(tmp_path):
    instance = Instance("bounded", **LAWS)
    assert instance.means == pytest.approx((0.75, 0.55))
    assert instance.t_inf(1) == pytest.approx(0.3)
    assert instance.d_epsilon_inf(1) <= instance.d_inf(1)
    assert instance.to_dict()["weights"] == [[0.1, 0.3, 0.6], [0.1, 0.7, 0.2]]
    assert Instance(**instance.to_dict()) == instance
    path = tmp_path / "laws.toml"
    path.write_text(
        'family = "finite"\nsupport = [0, 0.5, 1]\nweights = [[0.1, 0.3, 0.6], [0.1, 0.7, 0.2]]\nepsilon = 1\n'
    )
    assert Instance.from_toml(path) == Instance("finite", **LAWS)


@pytest.mark.parametrize(
    ("arguments", "parameter"),
    [
        (LAWS | {"family": "bounded", "weights": None}, "weights"),
        (LAWS | {"family": "bounded", "support": None}, "support"),
        (LAWS | {"family": "bounded", "support": (0, 1)}, "atoms and weights"),
        (LAWS | {"family": "bounded", "weights": ((0.5, 0.5, 0.5), (1, 0, 0))}, "weights"),
        (LAWS | {"family": "bounded", "weights": ((1, 0, 0),)}, "weights"),
        (LAWS | {"family": "bounded", "means": (0.75, 0.5)}, "means"),
        (LAWS | {"family": "bernoulli", "means": (0.75, 0.5)}, "weights"),
        ({"family": "bernoulli", "epsilon": 1.0}, "means"),
        ({"family": "bernoulli", "means": (0.75, 0.5)}, "epsilon"),
        ({"family": "bernoulli", "means": (0.75, 0.5), "epsilon": 1.0, "variance": 2.0}, "variance"),
        ({"family": "gaussian", "means": (0.75, 0.5), "epsilon": 1.0, "variance": 0.0}, "variance"),
        ({"family": "exponential", "means": (0.75, 0.0), "epsilon": 1.0}, "means"),
        ({"family": "poisson", "means": (0.75, -1.0), "epsilon": 1.0}, "means"),
        ({"family": "two-point", "means": (0.75, -1.5), "epsilon": 1.0}, "means"),
    ],
)
def test_laws_that_do_not_fit_their_family_are_refused(arguments, parameter):
    with pytest.raises(PrivcheckError) as caught:
        Instance(**arguments)
    assert caught.value.parameter == parameter


@pytest.mark.parametrize(
    ("family", "means", "unit", "better"),
    [
        ("bernoulli", (1.0, 0.5), True, False),
        ("two-point", (0.5, 0.0), False, True),
        ("two-point", (1.0, 0.0), False, False),
        ("gaussian", (1.0, 0.0), False, True),
        ("exponential", (1.0, 0.5), False, True),
        ("poisson", (1.0, 0.5), False, True),
    ],
)
def test_what_the_family_allows(family, means, unit, better):
    instance = Instance(family, means, epsilon=1.0)
    assert (instance.unit_rewards, instance.better_law_exists) == (unit, better)
    assert math.isinf(instance.d_inf(1)) == math.isinf(instance.t_inf(1)) == (not better)


def test_the_variance_scales_gaussian_distances():
    narrow, wide = (Instance("gaussian", (1.0, 0.0), epsilon=0.3, variance=v) for v in (1.0, 4.0))
    half = Instance("gaussian", (0.5, 0.0), epsilon=0.3)
    assert wide.d_inf(1) == half.d_inf(1) == narrow.d_inf(1) / 4
    assert wide.t_inf(1) == half.t_inf(1)
    assert wide.d_epsilon_inf(1) == pytest.approx(half.d_epsilon_inf(1), rel=1e-12)
    with pytest.raises(PrivcheckError, match="arm: got 2"):
        narrow.d_inf(2)


def test_weights_follow_the_support_whatever_its_order():
    """The support is sorted; each probability stays with its point."""
    plain = Instance("bounded", support=(0.0, 0.5, 1.0), weights=((0.1, 0.0, 0.9), (0.3, 0.5, 0.2)), epsilon=1.0)
    mixed = Instance("bounded", support=(1.0, 0.0, 0.5), weights=((0.9, 0.1, 0.0), (0.2, 0.3, 0.5)), epsilon=1.0)
    assert mixed == plain
    assert mixed.means == pytest.approx((0.9, 0.45))
