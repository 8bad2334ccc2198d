"""Outputs of any type, exceptions among them: what leaks is found, what does not leak is not accused."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

import privcheck
from privcheck import PrivcheckError
from privcheck.targets import all_raised, outputs_of
from privcheck.targets._output_parts import Raised

PAIR = ([0.0, 1.0], [1.0, 1.0])
SHARE = math.e / (1.0 + math.e)
"""Randomised response with epsilon = 1 tells the truth with this probability."""


def audited(function, *, epsilon=1.0, streams=PAIR, **options):
    return privcheck.audit(function, epsilon=epsilon, streams=streams, **{"runs": 4000, "error": 1e-6} | options)


def told(data, rng, share=SHARE):
    """Return the first entry of the data with a probability, and otherwise its opposite."""
    return (data[0] == 1.0) == (rng.random() < share)


@dataclasses.dataclass
class Fitted:
    """An output with fields."""

    label: str
    score: float


def ragged(data, rng, share):
    return [rng.normal()] * (2 if told(data, rng, share) else 1)


def fails(data, rng, share):
    if told(data, rng, share):
        raise ValueError(f"the data are {data}")
    return 1.0


OUTPUTS = {
    "text": lambda data, rng, share: "yes" if told(data, rng, share) else "no",
    "None": lambda data, rng, share: None if told(data, rng, share) else 1,
    "NaN": lambda data, rng, share: math.nan if told(data, rng, share) else rng.normal(),
    "dict": lambda data, rng, share: {"best": "a" if told(data, rng, share) else "b", "score": rng.normal()},
    "keys": lambda data, rng, share: {"a" if told(data, rng, share) else "b": 1.0},
    "lists of numbers": ragged,
    "nested": lambda data, rng, share: [[1, 2], [3]] if told(data, rng, share) else [[1], [2, 3]],
    "int or float": lambda data, rng, share: 1 if told(data, rng, share) else 1.5,
    "dataclass": lambda data, rng, share: Fitted("a" if told(data, rng, share) else "b", 1.0),
    "set": lambda data, rng, share: {"a", "b"} if told(data, rng, share) else {"a"},
    "bytes": lambda data, rng, share: b"1" if told(data, rng, share) else b"0",
    "large": lambda data, rng, share: 2**90 if told(data, rng, share) else 2**91,
    "complex": lambda data, rng, share: 1j if told(data, rng, share) else 2j,
    "array of text": lambda data, rng, share: np.array(["x", "y" if told(data, rng, share) else "z"]),
    "exception": fails,
}


@pytest.mark.chance(2e-6, "a verdict at 1e-6, and bounds 5 standard errors from their limits")
@pytest.mark.parametrize("kind", OUTPUTS)
def test_outputs_of_every_type_are_read(kind):
    """Right: epsilon = 1 at the boundary. Twin: the truth with probability .9."""
    right = audited(lambda data, rng: OUTPUTS[kind](data, rng, SHARE))
    twin = audited(lambda data, rng: OUTPUTS[kind](data, rng, 0.9))
    assert right.verdict != "violation"
    assert 0.8 < right.epsilon_lower < 1.1
    assert twin.verdict == "violation"
    assert twin.epsilon_lower > 1.9


ALIKE_ON_EACH_INPUT = {
    "a key": ({"a": 1}, {"b": 1}),
    "a key of a text": ({"a": "x"}, {"b": "x"}),
    "the lengths of lists": ([[1, 2], [3]], [[1], [2, 3]]),
    "a text beside a number": (["x", 1], ["y", 1]),
    "the order of a symbol and a number": ([1, 2.0], [2.0, 1]),
    "the order of a text and a number": (["x", 2.0], [2.0, "x"]),
    "no time and nothing": (np.datetime64("NaT"), None),
    "a time difference": (np.timedelta64(1, "s"), np.timedelta64(2, "s")),
}


@pytest.mark.chance(1e-9, "two hundred runs on each input whose outputs are fixed, and a coin that hides 1 % of them")
@pytest.mark.parametrize("noise", [0.0, 0.01])
@pytest.mark.parametrize("kind", ALIKE_ON_EACH_INPUT)
def test_what_is_always_the_same_on_one_input_is_read_on_both(kind, noise):
    """A part that is one text in all training runs on the first input was not read at all, on neither of them."""
    one, other = ALIKE_ON_EACH_INPUT[kind]
    found = audited(lambda data, rng: one if (data[0] == 1.0) == (rng.random() >= noise) else other, runs=800)
    assert found.verdict == "violation"
    assert found.epsilon_lower > 2.0


FAR = {"infinite": math.inf, "as large as floats are": 1.7e308, "as small as floats are": 5e-324}


@pytest.mark.filterwarnings("error")
@pytest.mark.chance(1e-8, "a loss of 2.2 where 1 is claimed, in 480 runs")
@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("size", FAR)
def test_numbers_at_the_ends_of_the_floats_warn_of_nothing(size, beside):
    """A suite that takes warnings for errors saw numpy's, and no verdict."""

    def signed(data, rng):
        number = FAR[size] * (1.0 if told(data, rng, 0.9) else -1.0)
        return [number, rng.normal()] if beside else number

    assert audited(signed, runs=800).verdict == "violation"


@pytest.mark.filterwarnings("error")
@pytest.mark.chance(1e-8, "a loss of 2.2 where 1 is claimed, in 480 runs")
def test_infinite_numbers_and_missing_ones_warn_of_nothing():
    found = audited(lambda data, rng: math.inf if told(data, rng, 0.9) else math.nan, runs=800)
    assert found.verdict == "violation"


@pytest.mark.chance(1e-9, "a claim of 1 where the loss is 0")
def test_a_function_that_raises_on_one_neighbour_only_violates_any_claim():
    def picky(data, rng):
        if sum(data) > 1.0:
            raise ValueError("too much")
        return rng.laplace()

    report = audited(picky)
    assert report.verdict == "violation"
    assert "some runs raised the exception ValueError" in " ".join(report.notes)
    assert "the exception ValueError (100 % vs 0 %)" in audited(picky, streams=PAIR[::-1]).witness.event
    assert "too much" not in report.to_json()
    assert audited(lambda data, rng: rng.laplace()).verdict == "consistent"


def test_the_text_of_an_exception_is_not_observed():
    """The text names the data; the class is the same on both neighbours."""

    def talks(data, rng):
        if rng.random() < 0.5:
            raise RuntimeError(str(data))
        return 0

    assert audited(talks).epsilon_lower == 0.0


def test_an_exception_in_every_run_is_bad_input():
    def broken(data, rng):
        raise ValueError("no data")

    with pytest.raises(PrivcheckError, match=r"ValueError: no data .* in every run"):
        audited(broken)


WHOLES = {
    "text": lambda number: f"{number:.6f}",
    "JSON": lambda number: json.dumps({"sum": number}),
    "a text in a list": lambda number: [1, f"{number:.6f}", 2.5],
    "integers beyond 2^62": lambda number: int((number + 100.0) * 2.0**60),
}
"""Ways in which a number is put out that are compared as wholes."""


@pytest.mark.chance(1e-9, "texts with six decimals, of which next to none occurs twice")
@pytest.mark.parametrize("options", [{}, {"sequential": True}])
@pytest.mark.parametrize("kind", WHOLES)
def test_a_claim_is_not_called_consistent_if_hardly_any_text_occurs_twice(kind, options):
    """The loss is 4 where 1 is claimed, and nothing of it is seen: such an audit acquitted nobody."""
    report = audited(lambda data, rng: WHOLES[kind](4.0 * data[0] + rng.laplace()), runs=1000, **options)
    assert report.verdict == "inconclusive"
    assert any("compared as wholes" in note for note in report.notes)


@pytest.mark.chance(1e-9, "losses of 1 where 3 is claimed")
@pytest.mark.parametrize("runs", [1000, 4000])
def test_texts_that_occur_often_can_be_called_consistent(runs):
    def shown(data, rng):
        return f"about {data[0] + rng.geometric(0.632) - rng.geometric(0.632):.0f} of {rng.integers(8)}"

    assert audited(shown, epsilon=3.0, runs=runs, error=1e-3).verdict == "consistent"


def test_errors_of_privcheck_are_bad_input():
    def misuses(data, rng):
        return privcheck.mechanisms.Laplace(sensitivity=1.0, epsilon=-1.0).release(data[0], rng)

    with pytest.raises(PrivcheckError, match="epsilon: got -1"):
        audited(misuses)


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_random_inputs_that_are_refused_in_every_run_are_left_out():
    """A function of zeros and ones asserts that it is given them: it is right, and is not accused for the others."""

    def binary(data, rng):
        assert set(data) <= {0.0, 1.0}
        return float(sum(data) + rng.laplace())

    report = audited(binary, streams=None, runs=2000)
    assert report.verdict == "consistent"
    (note,) = (note for note in report.notes if "raised an error on" in note)
    assert "random pairs (the exception AssertionError), which were left out" in note


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_encode_reads_what_has_no_parts():
    class Model:
        def __init__(self, weight):
            self.weight = weight

    def fit(data, rng):
        return Model(float(sum(data) + rng.laplace(0, 0.5)))

    with pytest.raises(PrivcheckError, match=r"an object of type Model.* give encode="):
        audited(fit)
    report = audited(fit, encode=lambda model: model.weight)
    assert report.verdict == "violation"
    assert audited(fit, encode=lambda model: model.weight, epsilon=2.0).verdict == "consistent"


def test_encode_is_checked():
    with pytest.raises(PrivcheckError, match=r"encode: got .*AttributeError"):
        audited(lambda data, rng: 1.0, encode=lambda model: model.weight)
    with pytest.raises(PrivcheckError, match="encode: got 3, expected a function"):
        audited(lambda data, rng: 1.0, encode=3)
    with pytest.raises(PrivcheckError, match="encode"):
        audited(lambda data, rng, runs: rng.random(runs), encode=abs)
    with pytest.raises(PrivcheckError, match="encode"):
        privcheck.audit("adap-ucb", epsilon=1.0, encode=abs)


def test_the_code_of_an_output_depends_on_nothing_else():
    """Otherwise an event would mean something else in the runs that count it."""
    values = ["a", None, math.nan, {"k": 1}, [1.0, [2]], Raised("ValueError"), 3, 2.5]
    together = outputs_of(values)
    for place, value in enumerate(values):
        alone = outputs_of([value])
        width, numbers = alone.symbols.shape[1], alone.numbers.shape[1]
        assert (together.symbols[place, :width] == alone.symbols[0]).all()
        np.testing.assert_array_equal(together.numbers[place, :numbers], alone.numbers[0])
    assert len(
        {(*row.tolist(), *map(repr, numbers)) for row, numbers in zip(together.symbols, together.numbers, strict=True)}
    ) == len(values)


def test_a_text_about_an_exception_is_no_exception():
    assert not all_raised(outputs_of(["the exception ValueError"]))
    assert all_raised(outputs_of([Raised("ValueError")]))


def test_an_output_that_contains_itself_is_refused():
    loop = []
    loop.append(loop)
    with pytest.raises(PrivcheckError, match="contains itself"):
        outputs_of([loop])


class Listed(list):
    """A list whose receiver can read more than its entries."""


class Real(float):
    """A number with attributes."""


def hidden(output, data):
    output.secret = float(np.sum(data))
    return output


def masked(data, rng):
    return np.ma.array([rng.laplace(), np.sum(data)], mask=[False, True])


HIDING = {
    "a list": lambda data, rng: hidden(Listed([rng.laplace()]), data),
    "a number": lambda data, rng: hidden(Real(rng.laplace()), data),
    "a dataclass": lambda data, rng: hidden(Fitted("a", rng.laplace()), data),
    "within a dict": lambda data, rng: {"a": [hidden(Real(rng.laplace()), data)]},
    "a masked array": masked,
}


@pytest.mark.parametrize("name", HIDING)
def test_attributes_that_are_not_read_are_no_part_that_may_be_left_out(name):
    """Whoever receives the object reads them, and the leak was called consistent."""
    with pytest.raises(PrivcheckError, match=r"with the attribute .* give encode="):
        audited(HIDING[name])


def test_collections_of_a_class_without_attributes_are_read():
    plain = [Listed([1.0, 2.0]), Real(1.5), Fitted("a", 1.0), np.ma.getdata(np.zeros(2))]
    assert [len(outputs_of([output, output])) for output in plain] == [2] * 4


class Redacted(str):
    """A text that shows nothing of itself where it is displayed; whoever receives it has it."""

    __slots__ = ()

    def __repr__(self):
        return "<redacted>"


class Rounded(float):
    """A number that is converted to less than it is."""

    __slots__ = ()

    def __float__(self):
        return 0.0


def frame(values=(1.0,), **options):
    return pd.DataFrame({"n": list(values)}, **options)


def with_attribute(what, value):
    found = frame()
    setattr(found if what == "attrs" else getattr(found, what), "attrs" if what == "attrs" else "name", value)
    return found


READ_IN_FULL = {
    "a text with its own repr": (Redacted("a"), Redacted("b")),
    "a key with its own repr": ({Redacted("a"): 1.0}, {Redacted("b"): 1.0}),
    "a number with its own conversion": (Rounded(1.0), Rounded(2.0)),
    "the name of a field": tuple(np.zeros(1, [(name, float)]) for name in "ab"),
    "the name of a column": (pd.Series([1.0], name="a"), pd.Series([1.0], name="b")),
    "rows counted from elsewhere": (frame([1.0] * 4).tail(2), frame([1.0] * 5).tail(2)),
    "the name of an index": (with_attribute("index", "a"), with_attribute("index", "b")),
    "the name of the columns": (with_attribute("columns", "a"), with_attribute("columns", "b")),
    "what is said beside a frame": (with_attribute("attrs", {"a": 1}), with_attribute("attrs", {"a": 2})),
    "categories without a row": tuple(pd.DataFrame({"n": pd.Categorical(["x"], ["x", other])}) for other in "yz"),
    "the name of a column of polars": (pl.Series("a", [1.0]), pl.Series("b", [1.0])),
    "values of an enumeration without a row": tuple(
        pl.Series("n", ["x"], dtype=pl.Enum(["x", other])) for other in "yz"
    ),
}


@pytest.mark.parametrize("kind", READ_IN_FULL)
def test_nothing_that_a_receiver_can_read_is_left_out(kind):
    """A leak through any of these was called consistent."""
    one, two = READ_IN_FULL[kind]
    found = outputs_of([one, two])
    assert found.differs(found[[1, 0]]).any()


class Beside(float):
    """A number with an attribute that stands in no dictionary."""

    __slots__ = ("secret",)


@dataclasses.dataclass
class Labelled(Fitted):
    __slots__ = ("secret",)


def test_attributes_in_slots_are_no_part_that_may_be_left_out():
    for output in (Beside(1.0), Labelled("a", 1.0)):
        assert len(outputs_of([output])) == 1
        with pytest.raises(PrivcheckError, match=r"with the attribute secret.* give encode="):
            outputs_of([hidden(output, [1.0])])
