"""No printed bound claims more than was computed: lower ends are rounded down, upper ends up."""

import io
import re
from dataclasses import replace
from decimal import FloatOperation, Inexact, localcontext

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console

from privcheck.accounting import Plan
from privcheck.bandits import ALGORITHMS
from privcheck.bounds import evaluate, named_instance
from privcheck.enclosure import digits_down, digits_up, rounded_down, rounded_up
from privcheck.environments import Bernoulli
from privcheck.mechanisms import Gaussian, Laplace, planned
from privcheck.reporting._kinds import frontier, plan
from privcheck.reporting._kinds.identification import details
from privcheck.reporting._terminal.simulation_tables import comparison_table
from privcheck.reporting._text.audit_sentences import claim
from privcheck.reporting._text.both_bounds import certified_text
from privcheck.reporting._text.numbers import amounts, p_value, probability_interval
from privcheck.reporting._text.watch_sentences import evidence, sentence
from privcheck.results import (
    Comparison,
    Difference,
    Estimate,
    Frontier,
    FrontierPoint,
    Identification,
    StoppingResult,
)
from tests.example_results import CERTIFIED, VIOLATION, WATCHED

SLACK = 1e-9
NUMBER = r"-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?"

PROBABILITIES = st.floats(0.0, 1.0).filter(lambda p: p == 0.0 or p > 1e-290)


def printed(shown):
    console = Console(width=200, file=io.StringIO())
    console.print(shown)
    return console.file.getvalue()


def read(text):
    return [float(number.replace(",", "")) for number in re.findall(NUMBER, text)]


@given(PROBABILITIES, PROBABILITIES)
@example(0.06479, 0.06471)
@example(0.00096, 0.99996926)
@example(0.0, 0.9994)
def test_the_interval_of_a_probability_holds_what_was_computed(one, two):
    low, high = sorted((one, two))
    ends = read(probability_interval(Estimate(low, low, high)))
    assert ends[0] <= low * (1.0 + SLACK)
    assert ends[1] >= high * (1.0 - SLACK)
    assert ends == pytest.approx([low, high], rel=0.011, abs=1e-300)


@given(st.floats(-1e7, 1e7), st.floats(-1e7, 1e7))
@example(123_453.4, 123_453.4)
@example(0.12346, 0.12344)
def test_the_interval_of_a_regret_holds_what_was_computed(one, two):
    low, high = sorted((one, two))
    ends = read(amounts(low, high))
    slack = SLACK * (1.0 + max(abs(low), abs(high)))
    assert ends[0] <= low + slack
    assert ends[1] >= high - slack


def test_intervals_of_a_comparison_in_a_terminal_hold_what_was_computed():
    found = Difference(123_456.0, 123_453.0, 123_459.0)
    table = comparison_table([Comparison("a", "b", found, found, found, found, 0.01, 0.01, 0.5)])
    difference, interval = (next(iter(table.columns[place].cells)) for place in (2, 3))
    assert read(interval)[0] <= 123_453.0 <= read(difference)[0] <= 123_459.0 <= read(interval)[1]


def test_the_interval_of_an_error_rate_in_a_terminal_holds_what_was_computed():
    """No error in 11 runs: up to 0.2849, which is not 0.28."""
    stops, policy = np.array([[[90, 0]]] * 11), ALGORITHMS["dp-exact-tt"](arms=2, epsilon=1.0, delta=0.1)
    runs = StoppingResult("one", policy, np.array([0.1]), stops, np.array([True, False]), 100, 0.0, "step")
    found = Identification(Bernoulli((0.9, 0.5)), 100, 11, 0, (runs,))
    (row,), (_, answered, *_) = found.summary(), details(found).renderables
    low, high = read(next(iter(answered.columns[3].cells)))
    assert low <= row["error_low"] < row["error_high"] <= high


@given(st.floats(1e-290, 1e6))
@example(0.9996)
def test_bounds_as_text(value):
    assert float(rounded_down(value)) <= value + 1e-12 * (1.0 + value)
    assert float(rounded_up(value)) >= value - 1e-12 * (1.0 + value)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 8))
@example(1_234_561.0, 6)  # its last digit is above the point
@example(5e-324, 3)
@example(0.1 + 0.2, 6)
def test_bounds_of_some_digits_as_text(value, digits):
    down, up = digits_down(value, digits), digits_up(value, digits)
    slack = SLACK * 10.0 ** (1 - digits) * abs(value)
    assert float(down) <= value + slack
    assert float(up) >= value - slack
    if abs(value) < 1e308:
        assert float(up) - float(down) <= 1.01 * 10.0 ** (1 - digits) * abs(value) + 1e-323


def test_a_context_of_decimals_that_a_target_has_set_changes_no_digit():
    with localcontext() as context:
        context.prec, context.traps[FloatOperation], context.traps[Inexact] = 2, True, True
        assert (digits_down(1.7409176), digits_up(1.7409176)) == ("1.74091", "1.74092")


def test_an_account_rounds_every_bound_outwards():
    """Of the accountants no epsilon is shown below what was computed, and what is needed at least not above it."""
    releases = Plan([planned(Laplace.with_scale(10.0), 1.0, 3), planned(Gaussian.with_scale(7.3), 1.0, 7)])
    for asked_delta, found in ((False, releases.at_delta(1e-6)), (True, releases.at_epsilon(1.0))):
        lines = printed(plan.details(releases, found, asked_delta=asked_delta)).splitlines()
        for name, bound in found.bounds.items():
            shown = next(line.partition(name)[2].split()[0] for line in lines if line[2:].lstrip().startswith(name))
            if shown != "no":
                assert bound <= float(shown) <= 1.00001 * bound, name
        (least,) = (line.split()[-1] for line in lines if "need at least" in line)
        assert 0.99999 * found.lower <= float(least) <= found.lower


def test_a_frontier_rounds_both_bounds_outwards():
    point = FrontierPoint("p", 1.23456789, 1.0, 0.1, 1.0, 1.0, 2, 0.999996, "consistent", 1.2345678)
    found = Frontier("bernoulli", (0.9, 0.1), (), 100, 0, 0.95, (point,), ())
    for text in (printed(frontier.details(found)), frontier.page(found)):
        assert all(number in text for number in ("1.23456789", "0.9999", "1.235"))
        assert "1.000" not in text


def test_tables_round_bounds_outwards_and_what_was_given_not_at_all():
    report = replace(VIOLATION, epsilon_lower=0.999996, confidence=0.99999, epsilon_claimed=1.0000002, p_value=0.0)
    columns = ["epsilon_lower", "confidence", "epsilon_claimed", "p_value"]
    row = report.to_latex(columns=columns).splitlines()[4]
    assert row == r"$0.9999$ & $0.99999$ & $1.0000002$ & $< 10^{-300}$ \\"


def test_bounds_of_theorems_are_rounded_to_their_own_side():
    instance = named_instance("c2", epsilon=0.7, horizon=123_456)
    values = [value for value in evaluate(instance) if value.applies]
    numbers = [(value, value.constant if value.asymptotic else value.value) for value in values]
    for value, number in ((value, number) for value, number in numbers if number is not None):
        shown = float(value.number_text.split()[0])
        assert shown <= number * (1.0 + 1e-9) if value.kind == "lower" else shown >= number * (1.0 - 1e-9)


@pytest.mark.chance(0.0, "no random numbers")
def test_p_values_are_rounded_up_and_are_the_same_in_a_terminal_and_on_a_page():
    found = Difference(1.0, 0.5, 1.5)
    pair = Comparison("a", "b", found, found, found, found, 0.0501, 0.0, 0.5)
    table = comparison_table([pair], confidence=0.9999)
    shown = [*table.columns[4].cells]
    assert (shown[0], shown[4]) == ("0.051", "< 1e-300") == (p_value(pair.p_mean, 2), p_value(pair.p_order, 2))
    assert table.columns[3].header == "99.99 % interval"


def test_a_watch_below_what_is_needed_does_not_show_as_much():
    night = replace(WATCHED.nights[0], e_value=3333.3)
    found = replace(WATCHED, error=0.0003, nights=(night,), alarms=())
    assert sentence(found).endswith("evidence 3,333, 3,334 needed")
    assert evidence(999.96) == "999.9"


def test_a_claim_is_shown_with_the_digits_that_it_has():
    report = replace(VIOLATION, epsilon_claimed=1.0000002, delta=1.23456789e-7)
    assert report.claim_words == claim(report) == "epsilon = 1.0000002, delta = 1.23456789e-07"


def test_reports_in_one_line_round_bounds_outwards():
    report = replace(VIOLATION, verdict="consistent", epsilon_lower=0.9996)
    assert "epsilon >= 0.999 at" in str(report)
    certificate = CERTIFIED.certificate
    for upper, told in (
        ({"epsilon_upper": 1.0000004}, "epsilon <= 1.00001 on"),
        ({"epsilon_upper": 1.0}, "epsilon <= 1 on"),
    ):
        changed = replace(certificate, **upper)
        assert told in str(changed)
        of_both = replace(CERTIFIED, certificate=changed)
        assert certified_text(of_both).startswith(told.replace("epsilon <=", "\u2264").removesuffix(" on"))
