"""No printed bound claims more than was computed: lower ends are rounded down, upper ends up."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from privcheck.bandits import ALGORITHMS
from privcheck.enclosure import digits_up, rounded_down, rounded_up
from privcheck.environments import Bernoulli
from privcheck.reporting._kinds.identification import details
from privcheck.reporting._terminal.simulation_tables import comparison_table
from privcheck.reporting._text.both_bounds import certified_text
from privcheck.reporting._text.numbers import amounts, probability_interval
from privcheck.results import Comparison, Difference, Estimate, Identification, StoppingResult
from tests.example_results import CERTIFIED, VIOLATION

SLACK = 1e-9
NUMBER = r"-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?"

PROBABILITIES = st.floats(0.0, 1.0).filter(lambda p: p == 0.0 or p > 1e-290)


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
    assert float(digits_up(value)) >= value * (1.0 - SLACK)


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
