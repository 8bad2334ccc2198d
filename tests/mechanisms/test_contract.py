"""The contract of every registered mechanism: metadata, validation, charge, exact loss, sampler, broken twins."""

import dataclasses
import math
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bounds.domains import declared_fields
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import COMPARISON_SLACK, MECHANISMS, NOISE_SLACK
from privcheck.mechanisms.base import generator

FIXED = settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
FALSE_FAILURE = (
    1e-6  # probability that the sampler test below would fail for a correct sampler, over the choice of seed
)
DRAWS = 100_000
POSITIVE = st.floats(1e-3, 1e3)


def scaled_twin(mechanism, factor):
    """The same mechanism, but it draws its noise at `factor` times the scale that it should."""
    cls = type(mechanism)
    scale = property(lambda _: mechanism.scale * factor)
    return type(f"Scaled{cls.__name__}", (cls,), {"scale": scale})(**dataclasses.asdict(mechanism))


def test_the_registry_has_the_shipped_mechanisms():
    assert {"laplace", "noisy-max"} <= set(MECHANISMS)
    with pytest.raises(PrivcheckError, match="did you mean 'laplace'"):
        MECHANISMS["laplase"]


def test_metadata_is_complete(mechanism_class):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", mechanism_class.id)
    assert mechanism_class.notion == "pure"
    assert mechanism_class.sensitivity_norm in ("L1", "range of score differences")
    assert re.search(r"\(\d{4}\)", mechanism_class.source)
    names = [field.name for field in declared_fields(mechanism_class)]
    assert names[:3] == ["sensitivity", "epsilon", "given_scale"]
    assert names == [field.name for field in dataclasses.fields(mechanism_class)]
    for field in declared_fields(mechanism_class):
        assert field.metadata["doc"]
        assert field.metadata["typical"]
        assert re.search(rf"^    {field.name} : ", mechanism_class.__doc__, re.M), field.name


def test_the_guarantee_is_spelled_out_in_order(mechanism_class):
    parts = ("Parameters", "Guarantee", "Notion:", "Neighbours:", "Released:", "What one datum can change:", "Noise:")
    positions = [mechanism_class.__doc__.index(part) for part in (*parts, "Ties:", "Raises", "Source:", ">>> ")]
    assert positions == sorted(positions)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 0.0, -1.0, "1", True, 1j, [1.0]], ids=repr)
def test_every_number_is_validated(mechanism_class, bad):
    for name in ("sensitivity", "epsilon"):
        with pytest.raises(PrivcheckError) as error:
            mechanism_class(**{"sensitivity": 1.0, "epsilon": 1.0, name: bad})
        assert error.value.parameter == name
        assert error.value.value is bad
        assert error.value.expected
        assert error.value.hint
    with pytest.raises(PrivcheckError, match="a finite number above 0"):
        mechanism_class.with_scale(bad)
    with pytest.raises(PrivcheckError, match="given_scale"):
        mechanism_class(given_scale=bad)


def test_every_choice_is_validated(mechanism_class):
    for field in declared_fields(mechanism_class)[3:]:
        for bad in ("no such option", None, 1.0):
            with pytest.raises(PrivcheckError, match=field.name):
                mechanism_class(sensitivity=1.0, epsilon=1.0, **{field.name: bad})
        for good in field.metadata["typical"]:
            mechanism_class(sensitivity=1.0, epsilon=1.0, **{field.name: good})


@settings(FIXED, max_examples=10)
@given(data=st.data())
def test_typical_draws_are_accepted(mechanism_class, data):
    drawn = {f.name: data.draw(st.floats(*f.metadata["typical"])) for f in declared_fields(mechanism_class)[:3]}
    declared = mechanism_class(sensitivity=drawn["sensitivity"], epsilon=drawn["epsilon"])
    assert declared.loss(drawn["sensitivity"]) == drawn["epsilon"]
    given_scale = mechanism_class.with_scale(drawn["given_scale"])
    assert given_scale.scale == drawn["given_scale"]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"sensitivity": 1.0},
        {"epsilon": 1.0},
        {"sensitivity": 1.0, "given_scale": 1.0},
        {"epsilon": 1.0, "given_scale": 1.0},
        {"sensitivity": 1e-200, "epsilon": 1e200},
        {"sensitivity": 1e200, "epsilon": 1e-200},
        {"given_scale": 1e-310},
    ],
    ids=repr,
)
def test_incomplete_contradictory_or_degenerate_declarations_are_refused(mechanism_class, arguments):
    with pytest.raises(PrivcheckError):
        mechanism_class(**arguments)


def test_mechanisms_are_frozen(mechanism_class):
    with pytest.raises(dataclasses.FrozenInstanceError):
        mechanism_class(sensitivity=1.0, epsilon=1.0).epsilon = 2.0


@FIXED
@given(sensitivity=POSITIVE, epsilon=POSITIVE, share=st.floats(1e-6, 1.0))
def test_the_declared_budget_is_charged_exactly_and_covers_the_float_slack(
    mechanism_class, sensitivity, epsilon, share
):
    mechanism = mechanism_class(sensitivity=sensitivity, epsilon=epsilon)
    assert mechanism.scale == sensitivity * (1 + NOISE_SLACK) / epsilon
    slack = sensitivity * (1 + COMPARISON_SLACK)
    assert mechanism.loss(slack) == mechanism.loss(sensitivity * share) == epsilon
    assert slack / mechanism.scale < epsilon
    with pytest.raises(PrivcheckError) as error:
        mechanism.loss(sensitivity * (1 + 2 * COMPARISON_SLACK))
    assert repr(sensitivity) in str(error.value)
    assert repr(sensitivity * (1 + 2 * COMPARISON_SLACK)) in str(error.value)


def test_a_given_scale_charges_sensitivity_over_scale(mechanism_class):
    assert mechanism_class.with_scale(4.0).loss(3.0) == 0.75
    assert mechanism_class.with_scale(4.0).loss(0.0) == 0.0
    assert mechanism_class(sensitivity=1.0, epsilon=1.0).loss(0.0) == 0.0
    for bad in (-1.0, math.nan, math.inf, "1", None):
        with pytest.raises(PrivcheckError, match="sensitivity"):
            mechanism_class.with_scale(4.0).loss(bad)


@FIXED
@given(scale=st.floats(0.1, 10.0), sensitivity=st.floats(0.1, 10.0))
def test_the_worst_pair_attains_the_loss_and_a_broken_twin_exceeds_it(mechanism_class, case, scale, sensitivity):
    mechanism = mechanism_class.with_scale(scale)
    assert mechanism.loss(sensitivity) == pytest.approx(sensitivity / scale, rel=1e-12)
    worst = case.worst_loss(mechanism, sensitivity)
    assert worst == pytest.approx(mechanism.loss(sensitivity), abs=1e-6)
    assert worst <= mechanism.loss(sensitivity) + 1e-9
    assert case.worst_loss(scaled_twin(mechanism, 0.5), sensitivity) > 1.9 * mechanism.loss(sensitivity)


@FIXED
@given(seed=st.integers(0, 2**32), scale=st.floats(0.1, 10.0), sensitivity=st.floats(0.01, 10.0))
def test_no_pair_exceeds_the_loss(mechanism_class, case, seed, scale, sensitivity):
    mechanism = mechanism_class.with_scale(scale)
    output, value, other = case.change(np.random.default_rng(seed), sensitivity)
    ratio = mechanism.log_ratio(output, value, other)
    assert abs(ratio) <= mechanism.loss(sensitivity) * (1 + 1e-9) + 1e-9
    assert mechanism.log_ratio(output, other, value) == -ratio
    assert mechanism.log_ratio(output, value, value) == 0.0


@FIXED
@given(scale=st.floats(0.01, 100.0), sensitivity=st.floats(0.01, 100.0))
def test_the_loss_map_agrees_with_opendp(mechanism_class, case, scale, sensitivity):
    charged = mechanism_class.with_scale(scale).loss(sensitivity)
    assert case.opendp_map(scale, sensitivity) == pytest.approx(charged, rel=1e-12)
    declared = mechanism_class(sensitivity=sensitivity, epsilon=charged)
    assert case.opendp_map(declared.scale, sensitivity) <= declared.epsilon


@pytest.mark.parametrize(("seed", "scale"), [(0, 0.3), (1, 1.0), (2, 4.0)])
def test_the_sampler_follows_its_law_and_a_broken_twin_does_not(mechanism_class, case, seed, scale):
    mechanism = mechanism_class.with_scale(scale)
    draws = mechanism.release_batch(case.value, np.random.default_rng(seed), DRAWS)
    assert case.p_value(mechanism, draws) >= FALSE_FAILURE
    for factor in (0.5, 1.2):
        broken = scaled_twin(mechanism, factor).release_batch(case.value, np.random.default_rng(seed), DRAWS)
        assert case.p_value(mechanism, broken) < FALSE_FAILURE


def test_a_single_release_is_the_batch_draw_for_draw(mechanism_class, case):
    mechanism = mechanism_class(sensitivity=1.0, epsilon=1.0)
    one_by_one, together = np.random.default_rng(5), np.random.default_rng(5)
    singles = [mechanism.release(case.value, one_by_one) for _ in range(20)]
    np.testing.assert_array_equal(singles, mechanism.release_batch(case.value, together, 20))
    assert one_by_one.random() == together.random()


def test_bad_values_are_refused(mechanism_class, case):
    mechanism, rng = mechanism_class(sensitivity=1.0, epsilon=1.0), np.random.default_rng(0)
    for bad in case.bad_values:
        with pytest.raises(PrivcheckError):
            mechanism.release(bad, rng)
        with pytest.raises(PrivcheckError):
            mechanism.release_batch(bad, rng, 2)
        with pytest.raises(PrivcheckError):
            mechanism.log_ratio(0, bad, bad)
    for bad in (0, -1, 1.5, "2", None):
        with pytest.raises(PrivcheckError, match="runs"):
            mechanism.release_batch(case.value, rng, bad)


def test_randomness_comes_from_a_generator_only(mechanism_class, case):
    mechanism = mechanism_class(sensitivity=1.0, epsilon=1.0)
    for bad in (None, 0, np.random, "rng"):
        with pytest.raises(PrivcheckError, match=r"numpy\.random\.Generator"):
            mechanism.release(case.value, bad)
        with pytest.raises(PrivcheckError, match=r"numpy\.random\.Generator"):
            mechanism.release_batch(case.value, bad, 2)
        with pytest.raises(PrivcheckError, match="default_rng"):
            generator(bad)
