"""The verdict on a function of data comes with its neighbour relation, and with what add/remove would mean."""

import numpy as np
import opendp.prelude as dp
import pytest

import privcheck
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import Laplace

PAIR = (np.array([0.0, 0.0]), np.array([1.0, 0.0]))


def centred_sum(scale):
    """Data in [-1, 1]: replacing a row moves the sum by 2, adding or removing one by 1."""
    return lambda data, rng, runs: (2.0 * data - 1.0).sum() + rng.laplace(scale=scale, size=runs)


def audited(target, **options):
    report = privcheck.audit(target, **({"epsilon": 1.0, "streams": PAIR, "runs": 4000, "error": 1e-6} | options))
    return report.verdict, " ".join(report.notes)


def test_a_sum_whose_claim_is_about_adding_or_removing():
    """Noise of scale 1 is right under add/remove, with epsilon 1; under replacement it costs 2."""
    verdict, notes = audited(centred_sum(1.0), runs=20_000)
    assert verdict == "violation"
    assert "neighbours here are data of the same size that differ in one row, as the inputs given do" in notes
    assert "nothing is added or removed" in notes
    assert "a claim about adding or removing one row allows 2 epsilon = 2 here" in notes
    assert "does not refute: check which relation the claim is about" in notes


def test_a_sum_that_is_wrong_under_both():
    verdict, notes = audited(centred_sum(0.4), runs=20_000)
    assert verdict == "violation"
    assert "is above that too" in notes


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
@pytest.mark.parametrize("runs", [4000, 20])
def test_without_a_violation_the_relation_is_named_too(runs):
    verdict, notes = audited(centred_sum(2.0), runs=runs)
    assert verdict == ("consistent" if runs > 20 else "inconclusive")
    assert notes.endswith("a claim about adding or removing one row allows 2 epsilon = 2 here")


def test_relations_of_a_search_are_named():
    for name, words in {"row": "one row", "reward": "one entry", "group:2": "2 rows"}.items():
        notes = audited(centred_sum(9.0), streams=None, neighbours=name, horizon=3, runs=40)[1]
        assert f"differ in {words} (neighbours='{name}')" in notes
        assert ("adding or removing" in notes) == (name != "group:2")


def test_delta_grows_too():
    assert "allows 2 epsilon = 2 here, with (1 + e^epsilon) delta" in audited(centred_sum(9.0), delta=0.1)[1]


def test_inputs_that_differ_in_two_rows_are_named_so():
    """They may be the answers of queries, of which one datum moves two: only the user knows."""
    two = (np.zeros(2), np.ones(2))
    for streams, whose in ((two, "given do"), (lambda rng: two, "drawn by your function do")):
        notes = audited(centred_sum(9.0), streams=streams)[1]
        assert f"this holds provided that data which differ in 2 rows, as the inputs {whose}, are neighbours" in notes
        assert "for a claim about one row, undo the other changes" in notes
    notes = audited(centred_sum(9.0), streams=two, neighbours="group:2")[1]
    assert "neighbours here are data of the same size that differ in 2 rows, as the inputs given do" in notes


@pytest.mark.parametrize("seed", range(3))
def test_of_inputs_that_are_drawn_the_most_rows_are_named(seed):
    """The first draw alone was described: a violation on three rows was said to be about one."""
    rows = np.roll([1, 3, 2], seed).tolist()
    drawn = iter(rows * 2)

    def draw(rng):
        return np.zeros(4), np.repeat([1.0, 0.0], [(number := next(drawn)), 4 - number])

    notes = audited(centred_sum(9.0), streams=draw, pairs=6)[1]
    assert (
        "this holds provided that data which differ in up to 3 rows, as the inputs drawn by your function do" in notes
    )


ON_YOUR_WORD = "whether the two inputs are neighbours is taken on your word"


@pytest.fixture(autouse=True)
def contrib():
    dp.enable_features("contrib")


def number_of(data, rng):
    return len(data) + rng.laplace()


@pytest.mark.parametrize("claimed", [1.0, None])
@pytest.mark.parametrize("relation", ["row", "reward", "group:2", "add-remove"])
def test_objects_are_neighbours_on_the_users_word_under_every_relation(relation, claimed):
    """Under add-remove the note said of four records against none that one of them has a row more."""
    streams = (["a", "b", "c", "d"], [])
    notes = audited(number_of, streams=streams, neighbours=relation, epsilon=claimed, runs=40)[1]
    assert ON_YOUR_WORD in notes
    assert ("one has a row more" in notes) == (relation == "add-remove" and claimed is not None)


def test_a_bound_without_a_claim_rests_on_the_users_word_too():
    three = (np.zeros(3), np.ones(3))
    assert (
        "this holds provided that data which differ in 3 rows"
        in audited(centred_sum(9.0), streams=three, epsilon=None, runs=40)[1]
    )
    assert audited(centred_sum(9.0), epsilon=None, runs=40)[1] == ""


@pytest.mark.parametrize("epsilon", [1.0, None])
def test_inputs_of_a_mechanism_are_neighbours_on_the_users_word(epsilon):
    """Noise for a sensitivity of 1 was said to break its claim, on two numbers that are five apart."""
    noise = Laplace(sensitivity=1.0, epsilon=1.0)
    assert ON_YOUR_WORD in audited(noise, streams=(0.0, 5.0), epsilon=epsilon)[1]
    measurement = dp.space_of(int) >> dp.m.then_laplace(1.0)
    assert ON_YOUR_WORD in audited(measurement, streams=(0, 5), epsilon=epsilon, runs=40)[1]


@pytest.mark.chance(0.0, "refused before a run, or the note does not depend on the verdict")
def test_a_mechanism_is_audited_at_its_own_sensitivity():
    """The relation that was asked for was printed beside a loss that is not about it."""
    noise = Laplace(sensitivity=1.0, epsilon=1.0)
    assert "neighbours here are inputs that differ by its sensitivity, 1" in audited(noise, streams=None, runs=40)[1]
    for relation in ("group:2", "report", "add-remove"):
        with pytest.raises(PrivcheckError, match="its neighbours are inputs that differ by its sensitivity"):
            audited(noise, streams=None, neighbours=relation, runs=40)
    pair = np.ones(1), np.ones(2)
    assert audited(noise, streams=pair, neighbours="add-remove", runs=40)[0] is not None


@pytest.mark.chance(0.0, "the note does not depend on the verdict")
def test_a_measurement_is_audited_in_its_own_metric():
    """One row more or less costs it 1, and one that is replaced 2: "consistent" was said of rows."""
    space = dp.vector_domain(dp.atom_domain(bounds=(-1, 1), T=int)), dp.symmetric_distance()
    measurement = space >> dp.t.then_sum() >> dp.m.then_laplace(1.0)
    assert (measurement.map(1), measurement.map(2)) == (1.0, 2.0)
    notes = audited(measurement, streams=None, rewards=(-1, 1), runs=40)[1]
    assert "neighbours here are inputs at distance 1 in its input metric, SymmetricDistance()" in notes


@pytest.mark.parametrize(
    ("target", "options"),
    [
        (centred_sum(9.0), {"epsilon": None}),
        (lambda value, rng: value + rng.laplace(scale=9.0), {"streams": None, "neighbours": "report"}),
        ("ucb", {"streams": None, "arms": 2, "horizon": 2}),
    ],
)
def test_other_targets_have_no_such_note(target, options):
    """Their inputs are no data with rows, or there is no claim to misread."""
    assert "neighbours here" not in audited(target, runs=40, **options)[1]
