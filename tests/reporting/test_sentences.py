"""Verdicts in words, and numbers that never claim more than was shown."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import privcheck
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import Laplace
from privcheck.mechanisms.provenance import code_of
from privcheck.reporting import clean
from privcheck.reporting._pictures.witness_excerpt import text_streams, view
from privcheck.reporting._text.audit_facts import number_rows
from privcheck.reporting._text.audit_sentences import as_expected, headline, meaning, resolution, verdict_sentence
from privcheck.reporting._text.both_bounds import certified_text, contradiction, of_one_object, sandwich
from privcheck.reporting._text.numbers import (
    at_least,
    at_most,
    probability,
    shorten,
)
from privcheck.reporting._text.repeating import repeat_audit
from privcheck.reporting._text.witness_sentences import rounds_text
from privcheck.results import AuditReport, UnreachedLine
from tests.example_results import CERTIFIED, VIOLATION

SENTENCES = {
    "violation": "violation: the claim epsilon = 1 is refuted at level 0.001; epsilon is at least 1.764 "
    "(95 % confidence)",
    "consistent": "consistent: the claim epsilon = 1 is not refuted at level 0.001 by 200,000 runs per stream, which "
    "could have shown a lower bound of up to 9.762 and events of probability 0.0002 or more; epsilon is at least 0.959 "
    "(95 % confidence)",
    "unclaimed": "no claim: no claim was given to test; epsilon is at least 9.211 (95 % confidence)",
    "coarse": "inconclusive: the claim epsilon = 8, delta = 1e-05 is not refuted at level 0.001, but 100,000 runs "
    "per stream could have shown a lower bound of up to 4.200, too little to refute it; at delta = 1e-05, epsilon is "
    "at least 0.000 (95 % confidence)",
    "early": "inconclusive: the claim epsilon = 1 was not tested because the audit ended early; there is no lower "
    "bound",
    "unbounded": "violation: the claim epsilon = 1 is refuted at level 0.001; epsilon is at least ∞ (95 % confidence)",
}


@pytest.mark.parametrize("name", SENTENCES)
def test_verdict_sentence(reports, name):
    assert verdict_sentence(reports[name]) == SENTENCES[name]


def test_early_end_without_claim(reports):
    report = replace(reports["early"], verdict=None, epsilon_claimed=None)
    assert verdict_sentence(report) == "no claim: the audit ended early; there is no lower bound"


def test_private_is_never_a_verdict(reports):
    for report in reports.values():
        said = " ".join([verdict_sentence(report), *meaning(report)])
        assert "private" not in said.lower()


def test_every_verdict_says_what_it_means(reports):
    assert (
        len({tuple(meaning(reports[name])) for name in ("violation", "consistent", "unclaimed", "coarse", "early")})
        == 5
    )
    assert "not proved" in " ".join(meaning(reports["consistent"]))


@pytest.mark.parametrize("value", [0.3, 1.001, 1.7649999, 0.9591271, 12.0, 1e-9])
def test_rounding_never_claims_more(value):
    assert value - 1e-3 < float(at_least(value)) <= value + 1e-9
    assert value - 1e-9 <= float(at_most(value)) < value + 1e-3


def test_thousandths_stay_as_they_are():
    for thousandths in range(3000):
        assert at_least(thousandths / 1000) == at_most(thousandths / 1000) == f"{thousandths / 1000:.3f}"


def test_probabilities_near_one_are_not_one():
    for power in range(2, 9):
        assert float(probability(1 - 3 * 10.0**-power)) == pytest.approx(
            1 - 3 * 10.0**-power, abs=10.0 ** -(power + 0.3)
        )
    assert probability(1 - 3e-8) != "1"
    assert probability(1.0) == "1"


def test_names_fit(reports):
    for most in range(2, 60):
        assert len(shorten(reports["consistent"].target, most)) <= most
    assert clean(reports["early"].target).isprintable()


def repeat_call(report):
    return str(repeat_audit(report).python)


def test_repeat_call_names_what_is_unusual(reports):
    report = replace(
        reports["violation"], delta=1e-6, rewards=(-1.0, 1.0), neighbours="reward", confidence=0.9, error=0.01, seed=7
    )
    call = repeat_call(report)
    for part in ("delta=1e-06", "rewards=(-1.0, 1.0)", "neighbours='reward'", "confidence=0.9", "error=0.01", "seed=7"):
        assert part in call


@pytest.mark.parametrize(
    ("target", "start"),
    [
        ("adap-ucb(arms=2, epsilon=1, alpha=3.1)", "privcheck.audit('adap-ucb(arms=2, epsilon=1, alpha=3.1)', eps"),
        ("bandits/mine.py:Mine", "privcheck.audit('bandits/mine.py:Mine', epsilon=1.0"),
    ],
)
def test_repeat_call_has_the_target_where_it_was_text(reports, target, start):
    call = repeat_call(replace(reports["violation"], target=target))
    assert call.startswith(start)
    assert "#" not in call


@pytest.mark.parametrize("target", ["Mine", "<lambda>", "ucb", "mine(arms=2)"])
def test_repeat_call_says_what_the_target_was_called_where_it_was_none(reports, target):
    call = repeat_call(replace(reports["violation"], target=target))
    assert call.startswith("privcheck.audit(target, epsilon=1.0")
    assert call.endswith(f"seed=0)  # target: {target}")


def test_repeat_call_runs_and_gives_the_same_report():
    contexts = privcheck.Contexts(shape=(2,), norm=1.5)
    report = privcheck.audit(
        f"{__file__}:Contextual", pairs=3,
        epsilon=1.0, arms=2, horizon=3, runs=200, time_budget=500.0, feedback="contextual",
        neighbours="context-reward", contexts=contexts,
    )  # fmt: skip
    call = repeat_call(report)
    assert "contexts=privcheck.Contexts(shape=(2,), low=-1.0, high=1.0, norm=1.5)" in call
    assert "time_budget" not in call
    again = eval(call, {"privcheck": privcheck})
    assert replace(again, seconds=0.0, time_budget=500.0).to_json() == replace(report, seconds=0.0).to_json()
    assert AuditReport.from_json(report.to_json()).contexts == contexts
    searched = dict(number_rows(report))["searched"]
    assert searched.endswith("; rewards in [0, 1], contexts in [-1, 1] and L2 norms of at most 1.5")


def test_repeat_call_has_the_users_own_streams():
    pair = np.array([[0.0, 0.5]] * 3), np.array([[1.0, 0.5]] + [[0.0, 0.5]] * 2)
    report = privcheck.audit("rnm-ftnl(arms=2, epsilon=1)", streams=pair, runs=200)
    call = repeat_call(report)
    assert "streams=([[0.0, 0.5], [0.0, 0.5], [0.0, 0.5]], [[1.0, 0.5], [0.0, 0.5], [0.0, 0.5]])" in call
    again = eval(call, {"privcheck": privcheck})
    assert replace(again, seconds=0.0).to_json() == replace(report, seconds=0.0).to_json()
    long = np.zeros((30, 2)), np.ones((30, 2)) * (np.arange(30) == 4)[:, None]
    call = repeat_call(privcheck.audit("rnm-ftnl(arms=2, epsilon=1)", streams=long, runs=200))
    assert call.endswith("streams=pair)  # pair: the two streams of the witness")


class Contextual:
    """Plays arm 0."""

    def __init__(self, rng):
        pass

    def select(self, context):
        return 0

    def update(self, context, action, reward):
        pass


def test_headline_and_expectations(reports):
    some = [reports[name] for name in ("violation", "unbounded", "consistent", "unclaimed", "early")]
    assert headline(some) == "5 audits: 2 violations, 1 consistent, 1 inconclusive, 1 without a claim"
    expected = ["violation", "consistent", "consistent", None, "inconclusive"]
    assert as_expected(some, expected) == [True, False, True, None, True]
    assert headline(some, expected).endswith("; 3 of 4 as expected")
    with pytest.raises(PrivcheckError, match="one for each of the 5 reports"):
        as_expected(some, ["violation"])


@pytest.mark.parametrize(
    ("rounds", "said"),
    [
        ((3,), "round 3"),
        ((3, 4, 5), "rounds 3-5"),
        ((3, 7, 9), "rounds 3, 7 and 9"),
        (tuple(range(1, 21, 2)), "rounds 1, 3, 5, 7, 9, 11 and 4 more"),
    ],
)
def test_rounds(reports, rounds, said):
    assert rounds_text(replace(reports["violation"].witness, rounds=rounds)) == said


@pytest.mark.parametrize("most", [1, 7, 100, 499])
def test_views_contain_the_changed_round(reports, most):
    shown = view(reports["long"].witness, most, 5)
    assert shown.stop - shown.start == most
    assert shown.changed == (497,)
    assert len(shown.arms) == 5
    assert shown.omitted == f"rounds {shown.start + 1}-{shown.stop} of 500, 5 of 40 arms"


def test_long_streams_as_text(reports):
    lines = text_streams(reports["long"]).splitlines()
    assert max(len(line) for line in lines) <= 98
    assert "round 498" in lines[0]
    place = lines[0].index("v")
    assert [line[place] for line in lines[1:25]] == ["."] * 12 + ["5"] * 12
    assert lines[-1].strip() == "shown: rounds 437-500 of 500, 12 of 40 arms"


def test_infinite_limits():
    assert (at_least(math.inf), at_least(-math.inf)) == ("∞", "-∞")


def test_bounds_on_different_builds_are_not_joined():
    """A certificate with unreached lines covers the guarded policy, and the audit played the one without a guard."""
    line = UnreachedLine("bandit.py", 9, "self.total += reward")
    certificate = replace(CERTIFIED.certificate, complete=False, unreached=[line])
    apart = replace(CERTIFIED, certificate=certificate)
    assert not of_one_object(apart)
    assert sandwich(apart).startswith("Without its guard, epsilon is at least")
    assert "true epsilon" not in sandwich(apart)
    assert contradiction(replace(apart, epsilon_lower=1.5, verdict="violation")) is None
    assert sandwich(replace(apart, guarded=True)) == sandwich(CERTIFIED)


def test_both_bounds_stand_with_the_data_that_they_take_as_declared():
    """On rewards of another size the same code loses ten times as much: the range is a part of the answer."""
    narrow = replace(CERTIFIED, rewards=(0.0, 0.1), certificate=replace(CERTIFIED.certificate, rewards=(0.0, 0.1)))
    assert "(certified, under the guard, provided that rewards lie in [0, 0.1])" in sandwich(narrow)
    assert dict(number_rows(narrow))["searched"].endswith("; rewards in [0, 0.1]")
    function = replace(narrow, feedback="mechanism")  # whose notes have what its data were
    assert "rewards" not in dict(number_rows(function))["searched"]
    own = replace(code_of(Laplace), name="Mine", standing="untested")
    trusting = replace(narrow, certificate=replace(narrow.certificate, mechanisms=[own]))
    assert "provided that rewards lie in [0, 0.1], and that Mine" in sandwich(trusting)


def test_what_a_certificate_does_not_charge_is_not_between_its_bounds():
    """In one run of ten thousand `released` held raw rewards, and the true epsilon was said to be at most 1."""
    both = replace(CERTIFIED, observe="releases")
    assert not of_one_object(both)
    assert "true epsilon" not in sandwich(both)
    assert sandwich(both).startswith("Of all that is released, epsilon is at least 0.959 (95 % confidence). Of the act")
    assert sandwich(both).endswith("what else an attribute `released` holds is not certified.")
    assert certified_text(both).endswith("policy, of its actions and of what is charged")
    assert contradiction(replace(both, epsilon_lower=1.5, verdict="violation")) is None


def test_a_resolution_below_the_bound_is_said_to_be_that_of_one_event(reports):
    """The level of the verdict is stricter than that of the bound, and the bound may count a mirror image, too."""
    report = reports["violation"]
    above = replace(report, epsilon_lower=2.3, resolution=replace(report.resolution, epsilon=0.759, mass=None))
    assert resolution(above) == "a lower bound of up to 0.759 at this level from one event alone"
    assert "alone" not in resolution(replace(above, epsilon_lower=0.7))
    assert "alone" not in resolution(replace(above, epsilon_lower=None))


def test_an_audit_that_was_cut_short_says_so_and_not_that_its_runs_were_too_few():
    """1,750 counted runs would have refuted a larger loss: bets that were cut short have no resolution."""
    cut = replace(VIOLATION, epsilon_claimed=3.0, verdict="inconclusive", resolution=None, stop_after=1750)
    assert "but the audit was cut short after 1,750 counted runs per stream" in verdict_sentence(cut)
    assert "too few" not in verdict_sentence(cut)
    assert meaning(cut)[0].startswith("The audit was cut short")


def test_a_search_that_was_cut_short_is_not_said_to_have_begun_with_nothing():
    cut = replace(VIOLATION, verdict="inconclusive", epsilon_lower=None, stop_after=0, screened_pairs=0)
    assert dict(number_rows(cut))["searched"].startswith(
        "cut short; how far the search came is not recorded; neighbour"
    )
