"""No number of a report contradicts another: lower bounds, the log-ratio of the event, its interval, its probabilities.

The bounds and the intervals come from the same counts, so what is compared here holds for all counts, not only with
high probability.
"""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privcheck
from privcheck.auditing._confirmation.evidence import Chosen, CountedEvent, Evidence
from privcheck.auditing._confirmation.tally import usual_output
from privcheck.auditing._events.event import Event
from privcheck.auditing._search.successive_halving import Screening
from privcheck.auditing._verdict import judge
from privcheck.reporting._text.audit_facts import number_rows
from privcheck.targets import Claim, Game, Outputs, StreamPair

PAIR = StreamPair(np.zeros((2, 1)), np.array([[1.0], [0.0]]), "two rounds")


class Column:
    """A view of one symbol of each run: 1 in the event, -1 in its mirror image, 0 in neither."""

    def __init__(self, place):
        self.place = place

    def scores(self, score, outputs):
        return outputs.symbols[:, self.place].astype(float)

    def words(self, event, shown):
        return "one symbol"


@st.composite
def judged(draw):
    """The outcome of up to three counted events, the evidence and the claim."""
    runs, delta = draw(st.integers(20, 400)), draw(st.sampled_from([0.0, 0.0, 1e-5, 0.05]))
    sides, events = np.zeros((2, runs, 3), np.int8), []
    for place in range(draw(st.integers(1, 3))):
        two = delta == 0.0 and draw(st.booleans())
        for side in sides:
            inside = draw(st.integers(0, runs))
            side[:inside, place] = 1
            side[inside : inside + draw(st.integers(0, runs - inside)), place] = -1 if two else 0
        reverse = not two and draw(st.booleans())
        events.append(Event(Column(place), None, 1.0 if not reverse else 0.0, reverse, -1.0 if two else None))
    outputs = tuple(Outputs.of_symbols(side) for side in sides)
    share = draw(st.floats(0.1, 1.0)) / len(events)
    counted = [CountedEvent(event, share, event.counts(*outputs)) for event in events]
    confidence = draw(st.sampled_from([0.5, 0.9, 0.95, 0.999]))
    asked = Claim(epsilon=1.0, delta=delta, confidence=confidence)
    evidence = Evidence(counted, runs, delta)
    chosen = Chosen((), [(event, 1.0 / len(events)) for event in events], np.zeros(1), usual_output(outputs))
    tally = chosen.counter(outputs)
    return judge(PAIR, Screening(1, 0), evidence, chosen, tally, asked, Game()), evidence, asked


def agree(found, delta):
    """Assert that the numbers of an outcome or of a report agree."""
    estimate, lower, textbook = found.epsilon_estimate, found.epsilon_lower, found.epsilon_lower_clopper_pearson
    assert estimate.low <= estimate.value <= estimate.high
    for bound in (lower, textbook):
        assert bound == 0.0 or bound <= estimate.value
    if delta == 0.0:
        assert max(0.0, estimate.low) <= lower
    for witness in (found.witness, found.simplest):
        if witness is not None:
            for probability in (witness.probability_first, witness.probability_second):
                assert 0.0 <= probability.low <= probability.value <= probability.high <= 1.0
    witness = found.witness
    sides = witness.probability_first, witness.probability_second
    more, less = sides if witness.more_likely == "first" else sides[::-1]
    if witness.mirror is None:
        if more.value and less.value:
            assert abs(estimate.value) == pytest.approx(math.log(more.value / less.value))
            assert more.value >= less.value, "it is what was seen more often that is called more likely"
        assert lower == 0.0 or lower <= math.log(more.high / less.low if less.low else math.inf)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(case=judged())
def test_numbers_agree_for_all_counts(case):
    found, evidence, asked = case
    agree(found, asked.delta)
    if asked.delta == 0.0:
        ends = [evidence.limit(c.counts, asked.level * c.share / 2) for c in evidence.counted]
        assert found.epsilon_estimate.low in ends, "the interval begins where the bound would be at half its level"


def test_the_half_of_an_event_that_shows_more_is_printed_first():
    """Of 1,000 runs 8 and 10 are in the event, 6 and 60 in its mirror image, which carries the bound."""
    sides = np.zeros((2, 1000, 1), np.int8)
    for side, inside, mirrored in zip(sides, (8, 10), (6, 60), strict=True):
        side[:inside], side[inside : inside + mirrored] = 1, -1
    outputs = tuple(Outputs.of_symbols(side) for side in sides)
    event = Event(Column(0), None, 1.0, False, -1.0)
    counted = [CountedEvent(event, 1.0, event.counts(*outputs))]
    chosen, asked = Chosen((), [(event, 1.0)], np.zeros(1), usual_output(outputs)), Claim(epsilon=1.0)
    tally = chosen.counter(outputs)
    witness = judge(PAIR, Screening(1, 0), Evidence(counted, 1000, 0.0), chosen, tally, asked, Game()).witness
    assert (witness.probability_first.value, witness.probability_second.value) == (0.006, 0.06)
    assert witness.more_likely == "second"
    assert witness.mirror is not None


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("target", "options"),
    [
        ("adap-ucb", {"arms": 2, "horizon": 8, "epsilon": 1.0}),
        ("rnm-ftnl-published", {"arms": 3, "horizon": 4, "epsilon": 1.0}),
        (lambda data, rng, runs: data.sum() + rng.laplace(size=runs), {"streams": ([0.0], [1.0]), "epsilon": 1.0}),
        (
            lambda data, rng, runs: data.sum() + rng.normal(scale=3.73, size=runs),
            {"streams": ([0.0], [1.0]), "epsilon": 1.0, "delta": 1e-5},
        ),
    ],
    ids=["adap-ucb", "rnm-ftnl-published", "laplace", "gaussian"],
)
def test_numbers_agree_in_audits(target, options, seed):
    report = privcheck.audit(target, runs=2000, seed=seed, **options)
    agree(report, report.delta)
    facts = dict(number_rows(report))
    printed = facts["log-ratio of this event (95 %)"]
    value, low, high = (float(number) for number in re.findall(r"-?\d+\.\d+", printed.replace("inf", "1e9.0")))
    assert low <= value <= high
    assert float(facts["lower bound (95 %)"]) <= max(value, 0.0)
