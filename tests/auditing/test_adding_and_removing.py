"""`neighbours="add-remove"`: one row more in one of two data sets, found, drawn, checked, shrunk, and shown."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import privcheck
from privcheck import PrivcheckError
from privcheck.auditing._search.mutations import variants
from privcheck.auditing._search.stream_families import adding_pairs
from privcheck.privacy import relation, removed_row
from privcheck.reporting._pictures.witness_excerpt import text_streams
from privcheck.reporting._text.repeating import repeat_audit

RELATED = relation("add-remove")


def histogram(scale):
    """Return a histogram of data in [0, 1] with Laplace noise, as libraries calibrate it to added or removed rows.

    One row more moves one count by 1; one row replaced moves two counts, by 2 together.
    """

    def noisy(data, rng, runs):
        return np.histogram(data, bins=2, range=(0.0, 1.0))[0] + rng.laplace(scale=scale, size=(runs, 2))

    return noisy


def audited(target, **options):
    return privcheck.audit(
        target,
        **{"epsilon": 1.0, "runs": 20_000, "neighbours": "add-remove", "error": 1e-6, "confidence": 1.0 - 1e-6}
        | options,
    )


@pytest.mark.chance(3e-6, "one verdict and two bounds at 1e-6")
def test_a_histogram_is_right_under_one_relation_and_wrong_under_the_other():
    """Laplace noise of scale 1 is at the boundary under add-remove, and costs 2 if one replaces."""
    report = audited(histogram(1.0))
    assert report.verdict != "violation"
    assert 0.7 < report.epsilon_lower < 1.05
    assert any("neighbours='add-remove'" in note for note in report.notes)
    replaced = audited(histogram(1.0), neighbours="row")
    assert replaced.verdict == "violation"
    assert 1.6 < replaced.epsilon_lower < 2.05
    assert any("audit that one with neighbours='add-remove'" in note for note in replaced.notes)


@pytest.mark.chance(1e-6, "one bound at 1e-6")
def test_too_little_noise_is_found_and_the_witness_has_one_row_more():
    report = audited(histogram(0.5))
    assert report.verdict == "violation"
    assert 1.2 < report.epsilon_lower < 2.05
    witness = report.simplest or report.witness
    assert abs(len(witness.first) - len(witness.second)) == 1
    assert "only" in witness.streams
    assert (report.neighbours, report.horizon) == ("add-remove", 4)
    assert "neighbours='add-remove'" in str(repeat_audit(report).python)


@pytest.mark.chance(0.0, "one output is the data themselves")
@pytest.mark.parametrize("options", [{"horizon": 1}, {"horizon": 1, "arms": 2}, {"streams": ([1.0], [])}])
def test_a_data_set_may_have_no_row(options):
    """The witness of an empty one was a traceback."""
    report = audited(lambda data, rng: float(np.sum(data)), runs=400, **options)
    assert report.verdict == "violation"
    assert sorted(map(len, (report.witness.first, report.witness.second))) == [0, 1]
    assert report.witness.first.shape[1] == report.witness.second.shape[1] == options.get("arms", 1)


@pytest.mark.chance(0.0, "the outputs are the number of rows")
def test_the_number_of_rows_is_private():
    """A function that tells it is right if rows are replaced, and wrong if they are added."""

    def counts(data, rng):
        return len(data)

    assert audited(counts, runs=2000).verdict == "violation"
    assert audited(counts, runs=2000, neighbours="row").verdict != "violation"


def test_bandits_refuse_it():
    for call in (privcheck.audit, privcheck.certify):
        with pytest.raises(PrivcheckError, match="got 'add-remove', expected a relation that replaces data"):
            call("adap-ucb", epsilon=1.0, neighbours="add-remove")
    with pytest.raises(PrivcheckError, match="add-remove"):
        privcheck.guard(lambda rng: None, epsilon=1.0, arms=2, neighbours="add-remove")


@pytest.mark.chance(1e-6, "one verdict on a true claim at this error")
def test_inputs_given_are_checked():
    target = histogram(1.0)
    report = audited(target, streams=([0.2, 0.7], [0.7]), runs=2000)
    assert report.verdict == "consistent"
    for streams in (([0.2, 0.7], [0.2, 0.8]), ([0.2, 0.7], [0.8]), ([0.2], [0.2, 0.7, 0.7])):
        with pytest.raises(PrivcheckError, match="one row more"):
            audited(target, streams=streams)
    with pytest.raises(PrivcheckError, match="neighbours='add-remove' has one row more"):
        audited(target, streams=([0.2, 0.7], [0.7]), neighbours="row")


def longest_common(first, second):
    """Return the length of the longest common subsequence by trying all of them: the oracle for short sequences."""
    for size in range(min(len(first), len(second)), 0, -1):
        if set(itertools.combinations(first, size)) & set(itertools.combinations(second, size)):
            return size
    return 0


def test_the_distance_is_that_of_insertions_and_deletions():
    rng = np.random.default_rng(0)
    for _ in range(300):
        one, two = (rng.integers(0, 3, rng.integers(0, 6)).tolist() for _ in range(2))
        tables = [np.array(side, float).reshape(-1, 1) for side in (one, two)]
        assert RELATED.distance(*tables) == len(one) + len(two) - 2 * longest_common(one, two)
        assert (removed_row(*tables) is not None) == (RELATED.distance(*tables) == 1)


def test_pairs_of_the_search_are_neighbours():
    rng = np.random.default_rng(0)
    drawn = [RELATED.draw(rng, rows, 2, (-1.0, 2.0)) for rows in (1, 2, 5) for _ in range(40)]
    listed = adding_pairs(4, 2, (-1.0, 2.0))
    assert {pair.change for pair in listed} == {"a row removed", "a row added"}
    varied = [variant for pair in listed[:20] for variant in variants(pair, [pair.first[0]])]
    assert len(varied) > 40
    for first, second in [*drawn, *((pair.first, pair.second) for pair in [*listed, *varied])]:
        assert RELATED.distance(first, second) == 1
        RELATED.check(first, second)


def test_shrinking_ends_with_one_row():
    first = np.array([[1.0], [0.5], [1.0], [0.0]])
    pair = first, np.delete(first, 1, axis=0)
    steps = 0
    while (simpler := next(RELATED.shrink(*pair), None)) is not None:
        RELATED.check(*simpler)
        pair, steps = simpler, steps + 1
        assert steps < 50
    assert [len(side) for side in pair] == [1, 0]


def test_sensitivities_of_blocks_refuse_it():
    with pytest.raises(PrivcheckError, match="add-remove"):
        privcheck.privacy.block_sum_sensitivity("add-remove", 3)


def test_the_missing_row_is_a_gap():
    report = audited(histogram(0.5), streams=([0.0, 1.0, 0.0], [0.0, 0.0]), runs=4000)
    lines = text_streams(report).splitlines()
    assert lines[1].endswith(".#.")
    assert lines[2].endswith(". .")
    assert report.plot(picture="witness") is not None
    again = privcheck.AuditReport.from_json(report.to_json())
    assert text_streams(again) == text_streams(report)


@pytest.mark.chance(0.0, "no verdict is looked at")
@pytest.mark.parametrize(
    ("streams", "options"),
    [
        (([0.0, 1.0], [1.0]), {}),
        (([1.0], []), {}),
        (([0.0], [1.0, 1.0]), {"neighbours": "report"}),
        (([{"ill": True}], [{"ill": False}]), {"neighbours": "row"}),
    ],
)
def test_inputs_that_no_file_holds_are_not_said_to_be_saved(streams, options):
    """numpy.save takes no arrays of two lengths, and no records: the command that repeats the audit named a file."""
    report = audited(lambda data, rng: float(len(data) + rng.laplace()), streams=streams, runs=60, **options)
    comment = repeat_audit(report).command.comment
    assert comment.endswith("a pair of inputs other than arrays of one shape can be given in Python only")
    one_shape = audited(
        lambda data, rng: float(len(data) + rng.laplace()), streams=([0.0], [1.0]), runs=60, neighbours="report"
    )
    assert repeat_audit(one_shape).command.comment.endswith("pair.npy: the two streams, saved by numpy.save")
