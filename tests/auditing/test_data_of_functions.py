"""What an audit of a function says of the data that it was given, and of the parts of what it returns."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest

import privcheck
from privcheck import PrivcheckError
from privcheck.auditing._input_differences import differences
from privcheck.auditing._scoring.output_views import output_views
from privcheck.auditing._values_note import values_note
from privcheck.targets import Game, Given, StreamPair
from privcheck.targets._output_parts import outputs_of

PAIR = (np.array([0.0, 0.0]), np.array([1.0, 0.0]))


def clipped(data, rng):
    return float(np.clip(data, 0, 100).sum() + rng.laplace())


def unclipped(data, rng):
    return float(data.sum() + rng.laplace(scale=100.0))


def note_on(function, verdict="consistent", streams=None, **game):
    return values_note(verdict, SimpleNamespace(mechanism=function), Game(**game), streams, StreamPair(*PAIR))


def test_a_verdict_names_the_values_that_it_is_about():
    """A clip at 100 never acts on values from 0 to 1, whatever noise it needs; without a clip, 100 is any number."""
    (note,) = note_on(clipped)
    assert "2 rows, each a number from 0 to 1; arms=K gives rows of K columns" in note
    assert "rewards=(LOW, HIGH)" in note
    assert note.endswith("names 100: a limit there never acted")
    (wide,) = note_on(clipped, rewards=(0.0, 200.0), arms=3)
    assert "each 3 numbers from 0 to 200" in wide
    assert "never acted" not in wide
    (plain,) = note_on(unclipped)
    assert "never acted" not in plain


@pytest.mark.parametrize("changes", [{"verdict": "violation"}, {"verdict": None}, {"streams": PAIR}])
def test_no_values_are_named_where_the_data_were_given_or_the_witness_shows_them(changes):
    assert note_on(clipped, **changes) == ()


def second_column(data, rng):
    return data[:, 1].sum() + rng.laplace()


@pytest.mark.parametrize(
    "tried",
    [
        lambda: privcheck.audit(second_column, epsilon=1.0, runs=400),
        lambda: privcheck.certify(second_column, epsilon=1.0, primitives="numpy"),
    ],
)
def test_a_function_that_raises_is_told_what_it_was_given(tried):
    with pytest.raises(
        PrivcheckError, match=r"given an array of shape \(\d+,\) with values from 0 to 1: arms=K"
    ) as caught:
        tried()
    assert "\n" not in str(caught.value)


def of_frame(frame, rng):
    return float(frame["age"].sum() + rng.laplace())


def test_a_certificate_of_code_that_takes_frames_says_how_to_make_one():
    with pytest.raises(PrivcheckError, match=r"f\(pandas.DataFrame\(data, columns="):
        privcheck.certify(of_frame, epsilon=1.0, primitives="numpy")

    def of_array(data, rng):
        return of_frame(pd.DataFrame({"age": data}), rng)

    assert privcheck.certify(of_array, epsilon=1.0, primitives="numpy", runs=4).ledger_epsilon == pytest.approx(1.0)


@pytest.mark.parametrize("library", [pd, pl])
def test_places_in_frames_close_their_brackets(library):
    one, two = (
        library.DataFrame({"name": [name, "bob"], "age": [age, 1.0]}) for name, age in (("ann", 3.0), ("eve", 4.0))
    )
    said = differences(one, two)
    assert said.startswith("column 'name', row 0, character 1 is 'a' vs 'e'")
    assert said.count("[") == said.count("]")


FRAME = {"age": [1.5, 2.5], "ill": [1, 0]}


@pytest.mark.parametrize(
    ("output", "symbols", "numbers"),
    [
        ({"mean": 0.5, "best": "a"}, ["['best']"], ["['mean']"]),
        ({"a": {"b": [1.0, 2.0]}}, [], ["['a']['b'][0]", "['a']['b'][1]"]),
        (pd.DataFrame(FRAME), ["['ill'][0]", "['ill'][1]"], ["['age'][0]", "['age'][1]"]),
        (pl.DataFrame(FRAME), ["['ill'][0]", "['ill'][1]"], ["['age'][0]", "['age'][1]"]),
        (pd.Series([1.5, 2.5], index=["x", "y"]), [], ["['x']", "['y']"]),
        (pd.DataFrame([[1.5, 2.5]], columns=["a", "a"]), [], ["['a'][0]", "[('a', 1)][0]"]),
        (pd.DataFrame({"a": [1.5]}, index=["z"]), ["['index'][0]"], ["['a'][0]"]),
        (pl.Series([1.5, 2.5]), [], []),
        ([1.5, 2.5], [], []),
    ],
)
def test_parts_of_outputs_have_their_places(output, symbols, numbers):
    assert outputs_of([output, output]).places == (symbols, numbers)


def test_places_of_several_structures_or_of_missing_numbers_are_not_known():
    assert outputs_of([{"a": 1.0}, {"b": 1.0}]).places == ([], [])
    for missing in (
        [{"a": float("nan"), "n": 1}, {"a": 1.0, "n": 2}],
        [{"a": 1.0, "n": 1}, {"a": float("nan"), "n": 2}],
    ):
        assert outputs_of(missing).places == ([], ["['a']"])


def test_every_part_is_read_under_its_own_name():
    """The values of each part say which one it is: a name that belonged to another part would show here."""
    outputs = outputs_of([{"n": k % 5, "x": 10.0 + k, "deep": {"m": 100 + k % 7, "y": [20.0 + k]}} for k in range(40)])
    first = {"output['x']": 10, "output['deep']['y'][0]": 20, "output['n']": 0, "output['deep']['m']": 100}
    views = output_views(StreamPair(*PAIR), (outputs, outputs), thorough=True)
    plain = {view.name: view for view in views if getattr(view, "plain", False) and view.name.startswith("output")}
    assert {name: view.read(outputs)[0] for name, view in plain.items()} == first


def one_key_leaks(data, rng):
    return {"noise": float(rng.laplace()), "ill": int(data.sum() > 0.5), "name": "x"}


def test_an_event_names_the_key():
    found = privcheck.audit(one_key_leaks, epsilon=1.0, streams=PAIR, runs=400)
    assert found.witness.event.startswith("output['ill'] is ")
    assert json.loads(found.to_json())["witness"]["event"] == found.witness.event


def test_inputs_are_described_by_what_they_are():
    assert StreamPair.hint_on(Given(pd.DataFrame(FRAME))) == "it was given an object of type DataFrame"
