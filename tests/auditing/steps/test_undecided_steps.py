"""A step whose runs do not tell is not said to keep the claim."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

import privcheck
from privcheck.auditing._steps import find_steps, played_alone
from privcheck.auditing._steps.find_steps import UNTRIED
from privcheck.auditing._verdict import ended_early
from privcheck.cli._statuses import status_of_steps
from privcheck.reporting._text.steps_sentences import mark, sentence

PAIR = (np.array([0.0]), np.array([1.0]))


def loud(value, rng):
    return value + rng.laplace(0.0, 0.05)


def exact(value, rng):
    return value + rng.laplace(0.0, 1.0)


def leaking(data, rng):
    return loud(float(data[0]), rng)


def right(data, rng):
    return exact(float(data[0]), rng)


def looked(target, **options):
    return privcheck.steps(target, **{"epsilon": 1.0, "streams": PAIR, "runs": 2000} | options)


def is_open(found):
    again = privcheck.StepsReport.from_json(found.to_json())
    assert again.undecided == found.undecided
    assert sentence(found).startswith("undecided: ")
    return (found.outcome, found.suspicion, status_of_steps(found), mark(found)) == ("undecided", None, 3, "?")


def test_runs_that_could_not_show_the_claim_decide_nothing():
    """The loss is 20 and the claim 8: 400 runs show less than that, whatever the call does."""
    found = looked(leaking, epsilon=8.0, runs=400)
    assert is_open(found)
    assert "could have shown" in found.undecided


def one_bit(value, rng):
    return int(value > 0.5) ^ int(rng.random() < 1e-9)


def told(data, rng):
    return one_bit(float(data[0]), rng)


def test_what_runs_could_have_shown_is_no_upper_limit():
    """Each bit is seen on one input alone: the bound is ln 2 above what one of the two events shows."""
    found = looked(told, epsilon=6.0, runs=1000, confidence=0.999)
    assert is_open(found)
    one, both = float(re.search(r"shown ([0-9.]+) from one event alone", found.undecided)[1]), found.best.epsilon_lower
    assert one + math.log(2.0) == pytest.approx(both, abs=0.01)


def test_runs_that_were_not_counted_decide_nothing(monkeypatch):
    played = played_alone.played

    def cut(plan, started):
        return replace(played(plan, started), outcome=ended_early(plan.settings.claim))

    monkeypatch.setattr(played_alone, "played", cut)
    found = looked(leaking)
    assert is_open(found)
    assert "none of its runs was counted" in sentence(found)
    assert is_open(looked(leaking, epsilon=None)), "nothing is measured either"


def test_a_step_above_the_claim_that_was_not_tried_with_other_coins_is_open(monkeypatch):
    monkeypatch.setattr(find_steps, "moves_with_other_coins", lambda *_: None)
    found = looked(leaking)
    assert is_open(found)
    assert found.best.epsilon_lower > 1.0
    assert found.undecided == UNTRIED


def test_a_bound_above_the_claim_below_the_level_is_open(monkeypatch):
    played = played_alone.played

    def almost(plan, started):
        found = played(plan, started)
        return replace(found, outcome=replace(found.outcome, verdict="inconclusive", epsilon_lower=1.1))

    monkeypatch.setattr(played_alone, "played", almost)
    found = looked(right)
    assert is_open(found)
    assert "above the claim" in found.undecided


@pytest.mark.chance(1e-7, "the level of the suspicion: the call is within its claim")
def test_a_step_within_the_claim_is_isolated():
    found = looked(right, error=1e-7)
    assert (found.outcome, found.undecided, status_of_steps(found)) == ("isolated", None, 0)
    assert '"undecided"' not in found.to_json()
