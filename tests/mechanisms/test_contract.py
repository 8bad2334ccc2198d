"""The contract of every registered mechanism: metadata, validation, charge, exact loss, sampler, broken twins."""

import dataclasses
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privcheck.declared import declared_fields
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import COMPARISON_SLACK, MECHANISMS, NOISE_SLACK
from privcheck.mechanisms.base import Recorder, generator, recording

FIXED = settings(
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
FALSE_FAILURE = (
    2.5e-7  # probability that the sampler test below would fail for a correct sampler, over the choice of seed
)
DRAWS = 40_000
POSITIVE = st.floats(1e-3, 1e3)


def scaled_twin(mechanism, factor):
    """The same mechanism, but it draws its noise at `factor` times the scale that it should."""
    cls = type(mechanism)
    scale = property(lambda _: mechanism.scale * factor)
    return type(f"Scaled{cls.__name__}", (cls,), {"scale": scale})(**dataclasses.asdict(mechanism))


def test_every_registered_mechanism_has_test_data(cases, apart):
    shipped = {
        "laplace",
        "gaussian",
        "noisy-max",
        "discrete-laplace",
        "randomised-response",
        "binary-tree",
        "hybrid-tree",
    }
    assert shipped <= set(MECHANISMS) == {case.mechanism.id for case in cases.values()} | set(apart)
    assert all(Path(__file__).with_name(file).exists() for file in apart.values())
    with pytest.raises(PrivcheckError, match="did you mean 'laplace'"):
        MECHANISMS["laplase"]


def test_metadata_is_complete(case):
    mechanism = case.mechanism
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", mechanism.id)
    assert {"pure": "epsilon", "gaussian": "mu", "zcdp": "rho"}[mechanism.notion] == case.currency
    assert mechanism.sensitivity_norm in (
        "L1",
        "L2",
        "Frobenius",
        "L2 norms of items, summed",
        "range of score differences",
        "number of changed entries",
    )
    assert re.search(r"\(\d{4}\)", mechanism.source)
    names = [field.name for field in declared_fields(mechanism)]
    assert not case.scaled or names[:3] == [mechanism.sensitivity_name, case.currency, "given_scale"]
    assert names == [field.name for field in dataclasses.fields(mechanism)]
    for field in declared_fields(mechanism):
        assert field.metadata["doc"]
        assert field.metadata["typical"]
        assert re.search(rf"^    {field.name} : ", mechanism.__doc__, re.M), field.name


def test_the_guarantee_is_spelled_out_in_order(case):
    parts = ("Parameters", "Guarantee", "Notion:", "Neighbours:", "Released:", "What one datum can change:", "Noise:")
    positions = [case.mechanism.__doc__.index(part) for part in (*parts, "Ties:", "Raises", "Source:", ">>> ")]
    assert positions == sorted(positions)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, 0.0, -1.0, "1", True, 1j, [1.0]], ids=repr)
def test_every_number_is_validated(case, bad):
    for name in ("sensitivity", "budget") if case.scaled else ("budget",):
        with pytest.raises(PrivcheckError) as error:
            case.declare(**{name: bad})
        assert error.value.parameter == {"sensitivity": case.mechanism.sensitivity_name, "budget": case.currency}[name]
        assert error.value.value is bad
        assert error.value.expected
        assert error.value.hint
    if case.scaled:
        with pytest.raises(PrivcheckError, match="a finite number above 0"):
            case.with_scale(bad)
        with pytest.raises(PrivcheckError, match="given_scale"):
            case.mechanism(given_scale=bad, **case.options)


def test_every_further_parameter_is_validated(case):
    common = {case.currency: 1.0} | ({case.mechanism.sensitivity_name: 1} if case.scaled else {})
    for field in declared_fields(case.mechanism):
        if field.name not in (*common, "given_scale"):
            for bad in ("no such option", None, -1.0, math.nan):
                with pytest.raises(PrivcheckError, match=field.name):
                    case.mechanism(**common, **{**case.options, field.name: bad})
            for good in field.metadata["typical"]:
                case.mechanism(**common, **{**case.options, field.name: good})


@settings(FIXED, max_examples=10)
@given(data=st.data())
def test_typical_draws_are_accepted(scaled_case, data):
    def draw(field):
        low, high = field.metadata["typical"]
        return data.draw((st.integers if isinstance(low, int) else st.floats)(low, high))

    drawn = {f.name: draw(f) for f in declared_fields(scaled_case.mechanism)[:3]}
    budget = drawn[scaled_case.currency]
    sensitivity = drawn[scaled_case.mechanism.sensitivity_name]
    assert scaled_case.loss(scaled_case.declare(sensitivity, budget), sensitivity) == budget
    assert scaled_case.with_scale(drawn["given_scale"]).scale == drawn["given_scale"]


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"sensitivity": 1},
        {"budget": 1.0},
        {"sensitivity": 1, "given_scale": 1.0},
        {"budget": 1.0, "given_scale": 1.0},
        {"sensitivity": 1e-200, "budget": 1e200},
        {"sensitivity": 1e200, "budget": 1e-200},
        {"given_scale": 1e-310},
    ],
    ids=repr,
)
def test_incomplete_contradictory_or_degenerate_declarations_are_refused(scaled_case, arguments):
    names = {"budget": scaled_case.currency, "sensitivity": scaled_case.mechanism.sensitivity_name}
    named = {names.get(name, name): value for name, value in arguments.items()}
    with pytest.raises(PrivcheckError):
        scaled_case.mechanism(**named, **scaled_case.options)


def test_mechanisms_are_frozen(case):
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(case.declare(), case.currency, 2.0)


@FIXED
@given(data=st.data(), budget=POSITIVE, share=st.floats(1e-6, 1.0))
def test_the_declared_budget_is_charged_exactly_and_covers_the_float_slack(scaled_case, data, budget, share):
    sensitivity = data.draw(scaled_case.sensitivities)
    mechanism = scaled_case.declare(sensitivity, budget)
    moved = sensitivity * scaled_case.together(mechanism)
    assert mechanism.scale == pytest.approx(moved * (1 + NOISE_SLACK) / scaled_case.ratio(budget), rel=1e-15)
    assert moved * (1 + COMPARISON_SLACK) / mechanism.scale < scaled_case.ratio(budget)
    assert scaled_case.loss(mechanism, sensitivity) == budget
    if isinstance(sensitivity, int):
        above = sensitivity + 1
    else:
        assert scaled_case.loss(mechanism, sensitivity * (1 + COMPARISON_SLACK)) == budget
        exact, partial = share * moved / mechanism.scale, scaled_case.loss(mechanism, sensitivity * share)
        largest = min(scaled_case.ratio(budget), exact * (1 + NOISE_SLACK) * (1 + 2e-9))
        assert exact <= scaled_case.ratio(partial) <= largest
        above = sensitivity * (1 + 2 * COMPARISON_SLACK)
    with pytest.raises(PrivcheckError) as error:
        mechanism.loss(above)
    assert repr(sensitivity) in str(error.value)
    assert repr(above) in str(error.value)


def test_a_given_scale_charges_sensitivity_over_scale(scaled_case):
    mechanism = scaled_case.with_scale(4.0)
    charged = scaled_case.ratio(scaled_case.loss(mechanism, 3.0))
    assert charged == pytest.approx(0.75 * scaled_case.together(mechanism), rel=1e-15)
    assert mechanism.loss(0.0) == scaled_case.declare().loss(0.0) == 0.0
    for bad in (-1.0, math.nan, math.inf, "1", None):
        with pytest.raises(PrivcheckError, match="sensitivity"):
            mechanism.loss(bad)


@FIXED
@given(scale=st.floats(0.1, 10.0), data=st.data())
def test_the_worst_pair_attains_the_loss_and_a_broken_twin_exceeds_it(case, scale, data):
    sensitivity, mechanism = data.draw(case.sensitivities), case.with_scale(scale)
    worst, loss = case.worst_loss(mechanism, sensitivity), case.loss(mechanism, sensitivity)
    assert worst == pytest.approx(loss, abs=1e-6)
    assert worst <= loss + 1e-9
    assert case.worst_loss(scaled_twin(mechanism, 0.5), sensitivity) > 1.9 * loss


@FIXED
@given(data=st.data(), budget=st.floats(0.1, 10.0))
def test_the_worst_pair_stays_within_the_declared_budget(case, data, budget):
    sensitivity = data.draw(case.sensitivities)
    mechanism = case.declare(sensitivity, budget)
    assert case.worst_loss(mechanism, sensitivity) <= budget
    assert case.worst_loss(scaled_twin(mechanism, 0.5), sensitivity) > budget


@FIXED
@given(seed=st.integers(0, 2**32), scale=st.floats(0.1, 10.0), data=st.data())
def test_no_pair_exceeds_the_loss(case, seed, scale, data):
    sensitivity, mechanism = data.draw(case.sensitivities), case.with_scale(scale)
    output, value, other = case.change(np.random.default_rng(seed), sensitivity)
    ratio, largest = mechanism.log_ratio(output, value, other), mechanism.loss(sensitivity)
    if case.largest_ratio is not None:
        largest = case.largest_ratio(mechanism, sensitivity, output, value, other)
    assert abs(ratio) <= largest * (1 + 1e-9) + 1e-9 < math.inf
    assert mechanism.log_ratio(output, other, value) == -ratio
    assert mechanism.log_ratio(output, value, value) == 0.0
    difference = mechanism.log_density(output, value) - mechanism.log_density(output, other)
    assert ratio == pytest.approx(difference, rel=1e-9, abs=1e-9)


@FIXED
@given(scale=st.floats(0.01, 100.0), data=st.data())
def test_the_loss_map_agrees_with_opendp(case, scale, data):
    if case.opendp_map is None:
        return
    sensitivity = data.draw(case.sensitivities)
    charged = case.loss(case.with_scale(scale), sensitivity)
    assert case.opendp_map(scale, sensitivity) == pytest.approx(charged, rel=1e-12)
    declared = case.declare(sensitivity, charged)
    assert case.opendp_map(declared.scale, sensitivity) <= charged


@pytest.mark.chance(2.5e-7, "the case's tests, together at this level by Bonferroni")
@pytest.mark.parametrize(("seed", "scale"), [(0, 0.3), (1, 1.0), (2, 4.0)])
def test_the_sampler_follows_its_law_and_a_broken_twin_does_not(case, seed, scale):
    mechanism = case.with_scale(scale)
    draws = mechanism.release_batch(case.value, np.random.default_rng(seed), DRAWS)
    assert case.p_value(mechanism, draws) >= FALSE_FAILURE
    for factor in (0.5, 1.2 if scale < 4.0 else 1.5):  # a local report at scale 4, epsilon = 1 / 4, shows no less
        broken = scaled_twin(mechanism, factor).release_batch(case.value, np.random.default_rng(seed), DRAWS)
        assert case.p_value(mechanism, broken) < FALSE_FAILURE


def test_a_single_release_is_the_batch_draw_for_draw(case):
    mechanism = case.declare()
    one_by_one, together = np.random.default_rng(5), np.random.default_rng(5)
    singles = [mechanism.release(case.value, one_by_one) for _ in range(20)]
    np.testing.assert_array_equal(singles, mechanism.release_batch(case.value, together, 20))
    assert one_by_one.random() == together.random()


def test_a_recorder_answers_in_place_of_the_mechanism(case):
    class Tape(Recorder):
        def release(self, mechanism, value, *, secure):
            return mechanism, value, secure

    mechanism = case.declare()
    with recording(Tape()):
        assert mechanism.release("anything", None) == (mechanism, "anything", False)
    expected = mechanism.draw(case.value, np.random.default_rng(0))
    np.testing.assert_array_equal(mechanism.release(case.value, np.random.default_rng(0)), expected)


def test_bad_values_are_refused(case):
    mechanism, rng = case.declare(), np.random.default_rng(0)
    for bad in case.bad_values:
        with pytest.raises(PrivcheckError):
            mechanism.release(bad, rng)
        with pytest.raises(PrivcheckError):
            mechanism.release_batch(bad, rng, 2)
        with pytest.raises(PrivcheckError):
            mechanism.log_ratio(0, bad, bad)
        with pytest.raises(PrivcheckError):
            mechanism.log_density(0, bad)
    for bad in (0, -1, 1.5, "2", None):
        with pytest.raises(PrivcheckError, match="runs"):
            mechanism.release_batch(case.value, rng, bad)


def test_randomness_comes_from_a_generator_only(case):
    mechanism = case.declare()
    for bad in (None, 0, np.random, "rng"):
        with pytest.raises(PrivcheckError, match=r"numpy\.random\.Generator"):
            mechanism.release(case.value, bad)
        with pytest.raises(PrivcheckError, match=r"numpy\.random\.Generator"):
            mechanism.release_batch(case.value, bad, 2)
        with pytest.raises(PrivcheckError, match="default_rng"):
            generator(bad)
