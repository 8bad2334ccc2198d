"""Which events are counted with what share of the level, and how counts of thresholds are smoothed."""

import numpy as np
import pytest
from scipy.stats import binom, norm

from privcheck.auditing._events.event import Event
from privcheck.auditing._events.event_selection import Candidate
from privcheck.auditing._events.level_allocation import weigh
from privcheck.auditing._events.smoothing import FIT_LEVEL, smoothed
from privcheck.inference import conditional_binomial_lower
from privcheck.targets import Outputs

LEVEL = 0.05


class Number:
    """Reads the only number of an output."""

    name = "output"

    def scores(self, score, outputs):
        return outputs.numbers[:, 0]


def threshold(value, promise):
    return Candidate(Event(Number(), None, value, False), promise)


def three_valued(shares, runs, rng):
    return Outputs.of_numbers(rng.choice([0.0, 1.0, 2.0], p=shares, size=(runs, 1)))


@pytest.mark.chance(1e-9, "shares more than ten standard errors apart")
@pytest.mark.parametrize("promised", [(9.0, 0.1), (0.1, 9.0)])
@pytest.mark.parametrize("better", [1.0, 2.0])
def test_the_better_event_is_counted_whatever_was_promised(better, promised):
    """Log-ratios .2 and 1.4, or 1.1 and .2; 10,000 weighing runs tell them apart by more than ten standard errors."""
    laws = {1.0: ((0.25, 0.65, 0.1), (0.7, 0.22, 0.08)), 2.0: ((0.3, 0.3, 0.4), (0.42, 0.48, 0.1))}[better]
    rng = np.random.default_rng(1)
    sides = three_valued(laws[0], 10_000, rng), three_valued(laws[1], 10_000, rng)
    candidates = [threshold(1.0, promised[0]), threshold(2.0, promised[1])]
    weighed = weigh(candidates, sides, 60_000, LEVEL, 0.0)
    assert max(weighed, key=lambda entry: entry[1])[0].threshold == better


def test_shares_add_up_to_one():
    rng = np.random.default_rng(2)
    for seed in range(20):
        laws = rng.dirichlet(np.ones(3), size=2)
        draws = np.random.default_rng(seed)
        sides = three_valued(laws[0], 500, draws), three_valued(laws[1], 500, draws)
        weighed = weigh([threshold(1.0, 1.0), threshold(2.0, 1.0)], sides, 3000, LEVEL, 0.0)
        assert sum(share for _, share in weighed) == pytest.approx(1.0, abs=1e-12)
        assert len({event.threshold for event, _ in weighed}) == len(weighed)


@pytest.mark.parametrize("seed", range(8))
def test_a_bet_on_a_rare_event_that_showed_nothing_costs_little(seed):
    """An event of probability 1e-4 may get a share, but the frequent one keeps a limit within 0.006 of the whole."""
    rng = np.random.default_rng(seed)
    sides = tuple(three_valued((p, 0.9999 - p, 0.0001), 10_000, rng) for p in (0.4, 0.6))
    weighed = weigh([threshold(2.0, 9.0), threshold(1.0, 0.2)], sides, 60_000, LEVEL, 0.0)
    share = {event.threshold: share for event, share in weighed}[1.0]
    whole, part = (conditional_binomial_lower(36_000, 24_000, LEVEL * weight) for weight in (1.0, share))
    assert whole - 0.006 < part <= whole


@pytest.mark.chance(
    2e-6, "a count of refused fits, against its binomial quantile, and three means within 5.5 standard errors"
)
def test_smoothed_counts_recover_normal_tails():
    """Laws N(0, 1) and N(1/2, 1), whose log-odds are a straight line in the score: tails within 6 % in the mean.

    The raw counts of the farthest tail, about 9 of 20,000, have a standard error of 33 %, smoothed ones of 4 %.
    """
    runs, repetitions = 20_000, 30
    rng, shares = np.random.default_rng(4), []
    for _ in range(repetitions):
        samples = rng.normal(0.5, size=runs), rng.normal(size=runs)
        values, place = np.unique(np.concatenate(samples), return_inverse=True)
        first, second = (
            np.bincount(part, minlength=len(values)).astype(float) for part in (place[:runs], place[runs:])
        )
        fit = smoothed(values, first, second, 1)
        if fit is not None:
            tails = [fit.starts >= float(fit.starts[np.searchsorted(fit.starts, at)]) for at in (1.5, 2.5, 3.3)]
            starts = [float(fit.starts[tail][0]) for tail in tails]
            truths = [norm.sf(start, 0.5) / norm.sf(start) for start in starts]
            found = [fit.first[tail].sum() / fit.second[tail].sum() for tail in tails]
            shares.append(np.divide(found, truths))
    assert repetitions - len(shares) <= binom.isf(1e-6, repetitions, FIT_LEVEL)
    assert np.mean(shares, axis=0) == pytest.approx(1.0, abs=0.06)
    assert np.std(shares, axis=0).max() < 0.1


def test_counts_that_no_polynomial_fits_are_left_alone():
    """The log-odds jump up and down twenty times."""
    values = np.arange(200.0)
    first = np.where((values // 10) % 2, 900.0, 100.0)
    assert smoothed(values, first, 1000.0 - first, 3) is None
    assert smoothed(values, np.full(200, 500.0), np.full(200, 500.0), 1) is not None


def test_events_that_no_weighing_run_showed_are_weighed_all_the_same():
    rng = np.random.default_rng(3)
    sides = tuple(three_valued((1.0, 0.0, 0.0), 10, rng) for _ in range(2))
    weighed = weigh([threshold(1.0, 1.0), threshold(2.0, 0.5)], sides, 90, LEVEL, 0.0)
    assert sum(share for _, share in weighed) == pytest.approx(1.0, abs=1e-12)


def test_the_safest_event_is_always_counted():
    """Both events have log-ratio 1; of 20,000 runs 24 are in the rare one, which by luck looks better at times."""
    more, less = (0.5, 0.4988, 0.0012), (0.816, 0.18356, 0.00044)
    for seed in range(200):
        rng = np.random.default_rng(seed)
        sides = three_valued(more, 20_000, rng), three_valued(less, 20_000, rng)
        weighed = weigh([threshold(2.0, 9.0), threshold(1.0, 1.0)], sides, 750_000, LEVEL, 0.0)
        assert 1.0 in {event.threshold for event, _ in weighed}


def test_the_safest_event_is_that_at_the_level_of_the_limit():
    """A rare event was seen 20 times on one stream and never on the other; at level 1e-6 that shows nothing."""
    frequent, rare = np.array([5000, 4980, 20]), np.array([8180, 1820, 0])
    sides = tuple(Outputs.of_numbers(np.repeat([0.0, 1.0, 2.0], counts)[:, None]) for counts in (frequent, rare))
    candidates = [threshold(2.0, 9.0), threshold(1.0, 1.0)]
    weighed = weigh(candidates, sides, 75_000, 1e-6, 0.0)
    assert 1.0 in {event.threshold for event, _ in weighed}
