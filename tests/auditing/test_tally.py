"""Counts of runs that add up: however the runs are cut, in whatever order they are added, and wherever they are played.

What the counts are compared with is the definition: the arrays of all runs, held at once.
"""

import itertools
import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privcheck
from privcheck.auditing._confirmation import fresh_runs, shares_of_runs
from privcheck.auditing._confirmation.e_process import Bets
from privcheck.auditing._confirmation.evidence import Chosen, evidence_of, settle
from privcheck.auditing._confirmation.shares_of_runs import Folds
from privcheck.auditing._confirmation.tally import TALLY_FORM, Counter, Tally
from privcheck.auditing._events.event import Event
from privcheck.auditing._scoring import sequences
from privcheck.auditing._scoring.output_views import output_views
from privcheck.auditing._scoring.prefix import PrefixScore
from privcheck.auditing._scoring.view import NumberView, SequenceView
from privcheck.auditing._search.successive_halving import Screening
from privcheck.auditing._verdict import judge, judge_anytime
from privcheck.inference import SequentialTest
from privcheck.inference._betting import end_of_block
from privcheck.inference._tradeoff import tradeoff_region
from privcheck.targets import Claim, Game, MechanismRunner, Outputs, Sides, StreamPair
from privcheck.targets._runners import KernelRunner

RUNS = 400
PAIR = StreamPair(np.zeros((3, 2)), np.ones((3, 2)), "all rounds")
ASKED = Claim(epsilon=0.5)


def played(seed: int = 0, runs: int = RUNS) -> Sides:
    """Three symbols, of which the first two leak, and a number that leaks in both tails."""
    rng = np.random.default_rng(seed)
    first, second = (
        Outputs(
            (rng.random((runs, 3)) < [0.5 + leak, 0.4 - leak, 0.3]).astype(np.int8),
            rng.laplace(leak, size=(runs, 1)),
            names={-(2**62) - seed: "raised ValueError"},
        )
        for leak in (0.2, 0.0)
    )
    return first, second


def chosen_events() -> Chosen:
    """A sequence event, its opposite, and a two-tailed one of a number."""
    training = played(1)
    symbols = SequenceView("actions", 0, lambda outputs: outputs.symbols, lambda row: f"begins {list(row)}")
    number = NumberView(
        "number", lambda outputs: outputs.numbers[:, 0], lambda _, __: lambda values: values, plain=True
    )
    score, value = PrefixScore(*(side.symbols for side in training)), number.learn(*training)
    events = [
        (Event(symbols, score, 0.3, False), 0.5),
        (Event(symbols, score, -0.3, True), 0.2),
        (Event(number, value, 0.8, False, -0.4), 0.3),
    ]
    parts = Folds(slice(0, 0), slice(0, 0), slice(0, 0), slice(0, RUNS))
    usual = Outputs(np.array([[1, 0, 0]], np.int8), np.array([[np.nan]]))
    return Chosen(parts, events, np.array([-1.0, -0.2, 0.1, 0.7]), usual, for_delta=events[1][0])


CHOSEN = chosen_events()
ALL = played()


def in_parts(cuts: list[int]) -> list[Tally]:
    """The tallies of the runs between the cuts."""
    places = itertools.pairwise([0, *sorted(cuts), RUNS])
    return [CHOSEN.counter((ALL[0][a:b], ALL[1][a:b]), a) for a, b in places if a < b]


def reports(tally: Tally) -> tuple:
    """Both outcomes that an audit can have, of all runs and of runs that were cut short."""
    whole = judge(PAIR, Screening(1, 0), evidence_of(CHOSEN, tally, 0.05, 0.0), CHOSEN, tally, ASKED, Game())
    read = Bets.on(CHOSEN, ASKED, tally).read(tally, 0.05)
    return whole, judge_anytime(PAIR, Screening(1, 0), read, tally, ASKED, "cut", 0.05, RUNS)


def written(outcomes: tuple) -> list[str]:
    """Outcomes as text, to the last bit."""
    return [repr(outcome) for outcome in outcomes]


@pytest.fixture(scope="module")
def of_all_runs() -> list[str]:
    """The outcomes of all runs at once."""
    return written(reports(CHOSEN.counter(ALL)))


@settings(derandomize=True, deadline=None, max_examples=60)
@given(st.data())
def test_any_parts_in_any_order_and_grouping_give_the_same_outcome(of_all_runs, data):
    parts = in_parts(data.draw(st.lists(st.integers(0, RUNS), max_size=12)))
    parts = data.draw(st.permutations(parts))
    while len(parts) > 1:
        number = data.draw(st.integers(2, len(parts)))
        parts = [Tally.total(parts[:number]), *parts[number:]]
    assert written(reports(parts[0])) == of_all_runs


def test_counts_are_those_of_all_runs_at_once():
    tally = Tally.total(in_parts([7, 130, 131]))
    for (event, _), counts in zip(CHOSEN.events, tally.counts, strict=False):
        assert counts == event.counts(*ALL)
    assert tally.counts[3] == CHOSEN.for_delta.counts(*ALL)
    scores = [CHOSEN.events[0][0].view.scores(CHOSEN.events[0][0].score, side) for side in ALL]
    region = tradeoff_region(*scores, CHOSEN.thresholds, 0.05)
    assert np.array_equal(tally.at_least, [region.more, region.less])
    assert tally.usual == 0, "the usual number is missing, and none of these is"
    assert tally.names == ALL[0].names


def test_bets_on_counts_are_bets_on_runs():
    """The same pairs one at a time, as a sequential test takes them."""
    tally, events = Tally.total(in_parts([1, 2, 64, 65, 66, 300])), [event for event, _ in CHOSEN.events]
    test = SequentialTest(ASKED.epsilon, 0.0, len(events), mirrored=True)
    pairs = [tuple(event.codes(side) for side in ALL)[:: -1 if event.reverse else 1] for event in events]
    test.update(*(np.stack([pair[place] for pair in pairs], 1) for place in (0, 1)))
    bets = Bets.on(CHOSEN, ASKED, tally).test
    assert (bets.pairs, bets.e_value, bets.largest_e_value) == (RUNS, test.e_value, test.largest_e_value)
    assert bets.lower_bound(0.05) == test.lower_bound(0.05) > 0.0
    bets.update(np.zeros((5, 3)), np.zeros((5, 3)))
    test.update(np.zeros((5, 3)), np.zeros((5, 3)))
    assert (bets.pairs, bets.e_value) == (RUNS + 5, test.e_value)


def test_a_part_that_is_said_to_come_elsewhere_is_bet_on_elsewhere():
    """The broken twin: the place of a part matters, since bets change from block to block."""
    halves = [(side[: RUNS // 2], side[RUNS // 2 :]) for side in ALL]
    parts = [CHOSEN.counter((halves[0][i], halves[1][i]), 0) for i in (0, 1)]
    wrong, right = Tally.total(parts), CHOSEN.counter(ALL)
    assert wrong.counts == right.counts
    assert wrong.lengths.sum() == right.lengths.sum() == RUNS
    assert (
        wrong.lengths.tolist()
        != right.lengths.tolist()
        == [min(end_of_block(start), RUNS) - start for start in starts()]
    )


def starts() -> list[int]:
    found = [0]
    while end_of_block(found[-1]) < RUNS:
        found.append(end_of_block(found[-1]))
    return found


def test_too_many_sequences_are_forgotten_in_any_order(monkeypatch):
    monkeypatch.setattr(sequences, "MOST_SEQUENCES", 5)
    whole = CHOSEN.counter(ALL)
    assert len(np.unique(np.concatenate([side.symbols for side in ALL]), axis=0)) > 5
    for cuts in ([], [3], [3, 6, 9, 200]):
        parts = in_parts(cuts)
        for order in (parts, parts[::-1]):
            assert Tally.total(order).sequences[0] is whole.sequences[0] is None
    assert "of more than" in reports(whole)[0].witness.event


def test_a_tally_is_kept_in_a_store_to_the_last_bit():
    tally = CHOSEN.counter(ALL)
    again = TALLY_FORM.result(TALLY_FORM.arrays(tally))
    assert written(reports(again)) == written(reports(tally))
    assert again.names == tally.names


def test_counters_do_not_look_at_hidden_rounds():
    usual = Outputs.of_symbols(np.array([[0, 0, 0]]))
    runs = Outputs.of_symbols(np.array([[0, 1, 0], [0, 0, 0], [1, 0, 0]]))
    event = Event(SequenceView("actions", 0, lambda o: o.symbols, str), lambda rows: rows[:, 0] * 1.0, 0.5, False)
    for hidden, same in (((), 2), ((1,), 4)):
        assert Counter((event,), 1, event, np.array([0.5]), usual, hidden)((runs, runs)).usual == same


# Chunks that are asked for at a time


def leaky(data, rng):
    """A function of one run at a time, whose chunks worker processes or this one play."""
    return int(rng.random() < 0.5 + 0.1 * float(np.sum(data)))


def without_seeds(data):
    return leaky(data, np.random.default_rng())


@pytest.mark.parametrize(
    ("target", "options"),
    [
        ("adap-ucb", {"runs": 10_000, "arms": 2, "horizon": 4, "pairs": 20}),
        ("adap-ucb", {"runs": 10_000, "arms": 2, "horizon": 4, "pairs": 20, "jobs": 2}),
        (leaky, {"runs": 4000, "streams": ([0.0], [1.0])}),
    ],
)
def test_few_chunks_at_a_time_give_the_same_report(monkeypatch, target, options):
    monkeypatch.setattr(KernelRunner, "chunk_runs", 500)
    monkeypatch.setattr(MechanismRunner, "chunk_runs", 500)
    whole = privcheck.audit(target, epsilon=1.0, **options).to_dict()
    asked = list[int]()
    requests = fresh_runs.FreshRuns._requests
    monkeypatch.setattr(fresh_runs, "CHUNKS_TOGETHER", 1)
    monkeypatch.setattr(
        fresh_runs.FreshRuns, "_requests", lambda self, *both: asked.append(both[0]) or requests(self, *both)
    )
    again = privcheck.audit(target, epsilon=1.0, **options).to_dict()
    assert len(asked) > 3
    assert asked == sorted(set(asked))
    assert {**whole, "seconds": 0.0, "created": ""} == {**again, "seconds": 0.0, "created": ""}


def test_few_chunks_at_a_time_count_all_runs_without_seeds(monkeypatch):
    monkeypatch.setattr(fresh_runs, "CHUNKS_TOGETHER", 1)
    report = privcheck.audit(
        without_seeds, epsilon=1.0, runs=1000, streams=([0.0], [1.0]), randomness="independent", error=1e-6
    )
    assert report.counted_runs == 1000 - shares_of_runs.folds(1000, easy=True).counting.start


# Large audits

LARGE = """
import resource, privcheck
from privcheck.auditing._confirmation import fresh_runs, shares_of_runs
from privcheck.targets._runners import KernelRunner
shares_of_runs.MOST_DIVIDED = 20_000
KernelRunner.chunk_runs = 5000
for runs in (100_000, 1_000_000):
    report = privcheck.audit("adap-ucb", epsilon=1.0, arms=2, horizon=16, runs=runs, pairs=4)
    print(report.counted_runs, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
"""Audits of many times more runs than they divide: 20,000 in place of 10 million, so that they take seconds.

Each prints its counted runs, and the peak memory of the process until then in KiB.
"""

AS_SHIPPED = """
import resource, numpy, privcheck
streams = numpy.zeros((16, 2)), numpy.eye(16, 2)[[0] + 15 * [2]]
for runs in (10**7, 10**8):
    report = privcheck.audit("ucb", streams=streams, runs=runs, jobs=2)
    print(report.counted_runs, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def counted_and_peak(script: str) -> list[list[int]]:
    """Return what the audits of a script print."""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=900, check=True)
    return [[int(number) for number in line.split()] for line in done.stdout.splitlines()]


def test_memory_does_not_grow_with_the_counted_runs():
    """The actions of so many runs more would take 29 MB, a tenth of what the process has."""
    few, many = counted_and_peak(LARGE)
    assert many[0] - few[0] == 900_000
    assert many[1] < 1.05 * few[1]


@pytest.mark.nightly
def test_ten_times_the_runs_that_are_divided_need_no_more_memory():
    few, many = counted_and_peak(AS_SHIPPED)
    assert many[0] - few[0] == 9 * 10**7
    assert many[1] < 1.05 * few[1]


def test_only_the_first_ten_million_runs_are_divided():
    assert shares_of_runs.folds(10**9) == shares_of_runs.folds(10**7)._replace(counting=slice(4 * 10**6, 10**9))
    assert shares_of_runs.folds(10**7).counting == slice(4 * 10**6, 10**7)
    assert shares_of_runs.probe(10**9) == shares_of_runs.probe(10**7)


def test_workers_count_the_same(monkeypatch):
    """Of a kernel in threads, of functions that are called once for many runs, and of one that is called for each."""
    monkeypatch.setattr("privcheck.targets._mechanism.MechanismRunner.chunk_runs", 3000)

    def noisy(data, rng, runs):
        return data.sum() + rng.laplace(size=(runs, 2))

    for target, options in (
        ("rnm-ftnl-published", {"arms": 3, "horizon": 4, "runs": 120_000, "pairs": 4}),
        (noisy, {"streams": ([0.0], [1.0]), "runs": 20_000}),
    ):
        found = [json.loads(privcheck.audit(target, epsilon=1.0, **options, jobs=jobs).to_json()) for jobs in (1, 2)]
        assert found[0] | {"seconds": 0} == found[1] | {"seconds": 0}
        assert found[0]["counted_runs"] > 0


# What is looked at before runs are counted


def test_no_event_depends_on_the_length_of_counted_outputs():
    rng, runs = np.random.default_rng(0), 1000
    numbers = np.stack([rng.laplace(1.0, size=runs), rng.laplace(0.0, size=runs)])
    longer = np.stack([numbers, np.full((2, runs), np.nan)], axis=2)
    longer[0, -1, 1] = 1.0
    found = []
    for values in (numbers[:, :, None], longer):
        sides = Outputs.of_numbers(values[0]), Outputs.of_numbers(values[1])
        chosen = settle(PAIR, sides, runs, 0.05, 0.0, output_views)
        found.append([(event.view.name, event.threshold, share) for event, share in chosen.events])
    assert found[0] == found[1]


def test_exceptions_before_the_counted_runs_are_told(monkeypatch):
    """Here the counting fold begins with a chunk, and only a run before it raises."""
    monkeypatch.setattr("privcheck.targets._mechanism.MechanismRunner.chunk_runs", 50)

    def seldom_raises(data, rng):
        if rng.random() < 0.0005:
            raise ValueError
        return int(np.sum(data) + rng.laplace(0, 1.0))

    report = privcheck.audit(seldom_raises, epsilon=0.5, streams=([0.0, 0.0], [0.0, 1.0]), runs=1000, horizon=2)
    assert any("some runs raised the exception ValueError" in note for note in report.notes)
