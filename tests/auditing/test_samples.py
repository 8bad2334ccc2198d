"""`privcheck.bound_from_samples`: coverage, order, kinds of outputs, and bad input."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

import privcheck
from privcheck import PrivcheckError
from privcheck.targets import outputs_of
from privcheck.testing import assert_law


def laplace(seed, runs=2000, epsilon=1.0):
    rng = np.random.default_rng(seed)
    return rng.laplace(1.0, 1.0 / epsilon, runs), rng.laplace(0.0, 1.0 / epsilon, runs)


@pytest.mark.chance(1e-6, "a count of wrong bounds, against its binomial quantile")
@pytest.mark.parametrize("arrange", [lambda sample: sample, np.sort])
def test_the_truth_is_rarely_exceeded_in_whatever_order_samples_come(arrange):
    """300 pairs of samples, confidence .95."""
    bounds = [privcheck.bound_from_samples(*map(arrange, laplace(seed, 600))).epsilon_lower for seed in range(300)]
    assert sum(bound > 1.0 for bound in bounds) <= stats.binom.isf(1e-6, 300, 0.05)
    assert np.median(bounds) > 0.7


@pytest.mark.chance(1e-9, "bounds far from their limits")
def test_sorted_samples_are_shuffled(monkeypatch):
    """The twin learns on the smallest outputs and counts the largest."""
    from privcheck.auditing import _samples as samples

    first, second = map(np.sort, laplace(0))
    assert privcheck.bound_from_samples(first, second).epsilon_lower > 0.8
    monkeypatch.setattr(samples, "_shuffled", lambda outputs, _: outputs)
    assert privcheck.bound_from_samples(first, second).epsilon_lower < 0.5


@pytest.mark.chance(3e-6, "two bounds and a verdict at 1e-6")
def test_bounds_are_near_the_truth():
    levels = {"error": 1e-6, "confidence": 1.0 - 1e-6}
    found = privcheck.bound_from_samples(*laplace(0, 100_000), epsilon=0.8, **levels)
    assert found.verdict == "violation"
    assert 0.84 < found.epsilon_lower < 1.0
    assert found.delta_lower > 0.0
    rng = np.random.default_rng(1)
    gaussian = rng.normal(0.268, size=100_000), rng.normal(size=100_000)
    approximate = privcheck.bound_from_samples(*gaussian, delta=1e-5, epsilon=1.0, **levels)
    assert 0.25 < approximate.epsilon_lower < 1.0
    assert approximate.verdict == "not refuted"


def told(seed, share, runs=16_000):
    rng = np.random.default_rng(seed)
    return ["yes" if x < share else None for x in rng.random(runs)]


@pytest.mark.chance(1e-6, "one bound at this level")
def test_strings_and_missing_outputs_are_symbols():
    found = privcheck.bound_from_samples(told(0, 0.73), told(1, 0.27), epsilon=0.5, confidence=1.0 - 1e-6)
    assert found.verdict == "violation"
    assert "'yes'" in found.event or "None" in found.event
    assert 0.8 < found.epsilon_lower < 1.0


def test_an_event_does_not_depend_on_values_that_only_counted_outputs_have():
    """Strings have the same numbers whatever else is in the sample."""
    alone, among = outputs_of(["b"]), outputs_of(["a", "b"])
    assert alone.symbols[0, 0] == among.symbols[1, 0] != among.symbols[0, 0]
    assert len(set(outputs_of(list(map(str, range(1000)))).symbols[:, 0].tolist())) == 1000


@pytest.mark.chance(
    2e-6,
    "a claim of 0.05 where the loss is 0, refuted at level 1e-6 by at most 5e-7 for each of three events",
)
@pytest.mark.parametrize(
    "make",
    [
        lambda rng, shift: rng.laplace(shift, size=(3000, 3)),
        lambda rng, shift: np.rint(rng.laplace(shift, size=3000)).astype(int),
        lambda rng, shift: [(int(x > 0), float(x)) for x in rng.laplace(shift, size=3000)],
        lambda rng, shift: [[int(x > 0)] * (1 + (x > 1)) for x in rng.laplace(shift, size=3000)],
        lambda rng, shift: rng.laplace(shift, size=3000) > 0,
    ],
)
def test_outputs_of_every_kind(make):
    rng = np.random.default_rng(7)
    assert privcheck.bound_from_samples(make(rng, 1.0), make(rng, 0.0)).epsilon_lower > 0.3
    assert (
        privcheck.bound_from_samples(make(rng, 0.0), make(rng, 0.0), epsilon=0.05, error=1e-6).verdict == "not refuted"
    )


def test_the_result_in_words_and_as_json():
    found = privcheck.bound_from_samples(*laplace(0), epsilon=0.2)
    assert str(found).startswith("Epsilon is at least 0.")
    assert "the claim epsilon = 0.2 is refuted at level 0.001" in str(found)
    assert "(99.9999999999 % confidence)" in str(privcheck.bound_from_samples(*laplace(0), confidence=1.0 - 1e-12))
    assert "Provided that each output is that of a run of its own, independent of all others" in str(found)
    assert "that both samples come from the same code and were recorded alike" in str(found)
    assert "that the two inputs are neighbours and were chosen before these runs." in str(found)
    assert json.loads(found.to_json())["verdict"] == "violation"
    assert privcheck.bound_from_samples(*laplace(0)).verdict is None


@pytest.mark.parametrize(
    ("first", "second", "options", "named"),
    [
        ([1.0] * 30, [1.0] * 29, {}, "second: got 29 outputs, expected as many"),
        ([1.0] * 19, [1.0] * 19, {}, "at least 20"),
        ([], [], {}, "first"),
        ([np.nan] * 30, [1.0] * 30, {}, "NaN"),
        ([1.0] * 30, ["a"] * 30, {}, "second: got outputs of another kind"),
        ([1.0] * 30, ["a", 1.0] * 15, {}, "second: got outputs of different types"),
        ([object()] * 30, [1] * 30, {}, "first: got an object of type object"),
        (3, 4, {}, "first: got int"),
        ([1.0] * 30, [1.0] * 30, {"delta": 1.0}, "delta"),
        ([1.0] * 30, [1.0] * 30, {"epsilon": -1}, "epsilon"),
        ([1.0] * 30, [1.0] * 30, {"confidence": 1.0}, "confidence"),
        ([1.0] * 30, [1.0] * 30, {"error": 0.0}, "error"),
    ],
)
def test_bad_input_is_refused_in_one_line(first, second, options, named):
    with pytest.raises(PrivcheckError) as raised:
        privcheck.bound_from_samples(first, second, **options)
    assert named in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.chance(0.0, "no random numbers")
@pytest.mark.parametrize("kind", ["U", "S", "pairs"])
def test_strings_of_numpy_and_of_a_list_are_the_same(kind):
    names = ["win", "loss"] * 500
    stored = [(np.str_(name), 1) for name in names] if kind == "pairs" else np.array(names, kind)
    listed = [(n, 1) for n in names] if kind == "pairs" else [n.encode() if kind == "S" else n for n in names]
    assert privcheck.bound_from_samples(stored, listed, epsilon=0.1).verdict == "not refuted"


@pytest.mark.chance(0.0, "no random numbers")
def test_rows_of_strings_are_outputs():
    rows = np.array(["win", "loss", "win"] * 500).reshape(-1, 3)
    assert privcheck.bound_from_samples(rows, rows.tolist(), epsilon=0.1).verdict == "not refuted"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (np.full(100, 0.1, np.float32), np.full(100, 0.1)),
        (["1", "2"] * 50, [1, 2] * 50),
        (["a"] * 100, [b"a"] * 100),
        ([()] * 100, [()] * 100),
        (np.zeros((100, 0)), np.zeros((100, 0))),
    ],
)
def test_samples_that_are_stored_differently_or_cannot_be_read_are_refused(first, second):
    with pytest.raises(PrivcheckError):
        privcheck.bound_from_samples(first, second, epsilon=0.1)


@pytest.mark.chance(1e-9, "a bound of 3 where the loss is 1, in 300 counted outputs")
@pytest.mark.parametrize("shown", [lambda output: output, lambda output: (1, [output])])
def test_the_order_in_which_keys_were_written_tells_nothing(shown):
    """Two files of one program, of which one was written with sorted keys, were called a violation of any claim."""
    first, second = ([{"a": 1, "b": number} for number in sample] for sample in laplace(0, 500))
    other = [shown({"b": output["b"], "a": 1}) for output in second]
    first, second = ([shown(output) for output in sample] for sample in (first, second))
    with pytest.raises(PrivcheckError, match="the same keys in another order"):
        privcheck.bound_from_samples(first, other, epsilon=3.0)
    assert privcheck.bound_from_samples(first, second, epsilon=3.0).verdict == "not refuted"
    mixed = [*second[:250], *other[:250]]
    assert privcheck.bound_from_samples(mixed, mixed[::-1], epsilon=3.0).verdict == "not refuted"


@pytest.mark.chance(0.0, "refused for every noise")
@pytest.mark.parametrize("name", ["first", "second"])
@pytest.mark.parametrize(("repeated", "times"), [(np.repeat, 2), (np.tile, 8)])
def test_runs_that_are_there_several_times_are_refused(name, repeated, times):
    """Of 500 runs that were there 8 times each, 17 of 30 refuted a claim that held."""
    one, two = laplace(0, 80)
    samples = {"first": np.tile(one, times), "second": np.tile(two, times)} | {name: repeated(one, times)}
    other = {"first": "second", "second": "first"}[name]
    samples[other] = laplace(1, 80 * times)[0]
    with pytest.raises(
        PrivcheckError, match=rf"^{name}: got every output {times} times, or a multiple of that, expected"
    ):
        privcheck.bound_from_samples(**samples)


@pytest.mark.chance(1e-7, "refusals of fixed seeds, of which each has a probability below 1e-9")
def test_independent_outputs_that_are_often_equal_are_taken():
    for seed in range(0, 40, 5):
        rng = np.random.default_rng(seed)
        few = rng.integers(0, 2 + seed, (2, 40 + 2 * seed))
        rare = rng.random((2, 2000)) < 0.001
        for first, second in (few, rare, np.round(rng.laplace(size=(2, 200))), np.zeros((2, 40))):
            assert privcheck.bound_from_samples(first, second).runs == len(first)


MASKED = np.ma.array(np.arange(50.0), mask=np.arange(50) % 2)


@pytest.mark.parametrize(("first", "second"), [(MASKED, np.arange(50.0)), (np.arange(50.0), list(MASKED[:, None]))])
def test_what_a_mask_hides_is_no_output(first, second):
    with pytest.raises(PrivcheckError, match="got a masked array, expected an array without a mask"):
        privcheck.bound_from_samples(first, second)


@pytest.mark.parametrize(("scores", "included"), [(MASKED, np.arange(50) % 3 == 0), (np.arange(50.0), MASKED > 20.0)])
def test_what_a_mask_hides_is_no_score_and_no_coin(scores, included):
    with pytest.raises(PrivcheckError, match="got a masked array, expected an array without a mask"):
        privcheck.one_run(scores, included)


def test_samples_under_a_mask_are_not_tested_against_a_law():
    with pytest.raises(PrivcheckError, match="samples: got a masked array"):
        assert_law(MASKED, stats.norm(25.0, 15.0))
