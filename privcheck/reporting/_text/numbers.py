"""Numbers and names as text: lower bounds are rounded down, so that no rounding claims more than was shown."""

from __future__ import annotations

import math
from collections.abc import Callable

from privcheck.accounting import Approximate, Concentrated, GaussianDP, Notion
from privcheck.enclosure import as_given, digits_down, digits_up, p_value_text, rounded_down, rounded_up
from privcheck.in_notebooks import in_cells
from privcheck.results import Estimate

NONE = "-"

p_value = p_value_text


def clean(text: str) -> str:
    r"""Return the text on one line, without characters that do not print: names come from users.

    >>> clean("my\nbandit\x00")
    'my bandit'
    """
    return in_cells("".join(character for character in " ".join(text.split()) if character.isprintable()))


def shorten(text: str, most: int) -> str:
    """Return the text cut to at most `most` characters; the parameters of a specification are cut first.

    >>> shorten("adap-ucb(arms=2, epsilon=1)", 12), shorten("adap-ucb", 12), shorten("a-long-name", 6)
    ('adap-ucb(…)', 'adap-ucb', 'a-lon…')
    """
    if len(text) <= most:
        return text
    name, parenthesis, _ = text.partition("(")
    if parenthesis and len(name) <= most:
        return f"{name}(…)" if len(name) + 3 <= most else name
    return text[: most - 1] + "…"


def at_least(value: float | None) -> str:
    """Return a lower bound, rounded down to three decimals.

    >>> at_least(1.7649), at_least(None), at_least(math.inf)
    ('1.764', '-', '∞')
    """
    return _bound(value, rounded_down)


def at_most(value: float | None) -> str:
    """Return an upper bound, rounded up to three decimals.

    >>> at_most(1.7641)
    '1.765'
    """
    return _bound(value, rounded_up)


def _bound(value: float | None, rounded: Callable[[float], str]) -> str:
    if value is None:
        return NONE
    return signed_infinity(value) if math.isinf(value) else rounded(value)


def digits_at_least(value: float | None, digits: int = 4) -> str:
    """Return a lower bound, rounded down to some significant digits.

    >>> digits_at_least(0.99996), digits_at_least(None), digits_at_least(math.inf)
    ('0.9999', '-', '∞')
    """
    return _bound(value, lambda finite: digits_down(finite, digits))


def digits_at_most(value: float | None, digits: int = 4) -> str:
    """Return an upper bound, rounded up to some significant digits.

    >>> digits_at_most(1.00001)
    '1.001'
    """
    return _bound(value, lambda finite: digits_up(finite, digits))


def signed_infinity(value: float) -> str:
    """Return the sign of infinity that a value has."""
    return "∞" if value > 0 else "-∞"


def exact(value: float | None) -> str:
    """Return a number to three decimals, or a dash for none.

    >>> exact(0.99520867), exact(math.inf), exact(None), exact(-0.0001)
    ('0.995', '∞', '-', '0.000')
    """
    if value is None:
        return NONE
    return signed_infinity(value) if math.isinf(value) else f"{value + 0.0:.3f}".replace("-0.000", "0.000")


def interval(estimate: Estimate) -> str:
    """Return the interval of an estimate of epsilon.

    >>> interval(Estimate(math.inf, 10.2177, math.inf))
    '[10.217, ∞]'
    """
    return f"[{at_least(estimate.low)}, {at_most(estimate.high)}]"


def probability(value: float) -> str:
    """Return a probability to three significant digits, of its distance from 1 where that is small.

    >>> [probability(p) for p in (0.0647917, 0.0, 1.0, 0.9999692, 3.07e-05)]
    ['0.0648', '0', '1', '0.999969', '3.07e-05']
    """
    return small(value, _digits_of_probability(value))


def _digits_of_probability(value: float) -> int:
    """Return how many significant digits `probability` writes: one of the distance from 1 where that is small."""
    return min(12, 1 + math.ceil(-math.log10(1.0 - value))) if 0.999 < value < 1.0 else 3


def small(value: float, digits: int = 3) -> str:
    """Return a number to some significant digits, as Python and JSON write it.

    >>> small(0.00019167, 2), small(1e-6), small(math.inf)
    ('0.00019', '1e-06', '∞')
    """
    return signed_infinity(value) if math.isinf(value) else f"{value:.{digits}g}"


def amount(value: float) -> str:
    """Return a number to four significant digits, or all of those before the point.

    >>> amount(48590.2), amount(1.23456), amount(-2114.3)
    ('48,590', '1.235', '-2,114')
    """
    return f"{value:,.0f}" if abs(value) >= 1000.0 else f"{value:.4g}"


def probability_interval(estimate: Estimate) -> str:
    """Return the interval of a probability, its ends rounded outwards.

    >>> probability_interval(Estimate(0.0, 0.0, 3.07e-05)), probability_interval(Estimate(0.02, 0.012345, 0.99996))
    ('[0, 3.07e-05]', '[0.0123, 0.99996]')
    """
    return f"[{probability_at_least(estimate.low)}, {probability_at_most(estimate.high)}]"


def probability_at_least(value: float) -> str:
    """Return a lower limit of a probability, rounded down where `probability` rounds.

    >>> probability_at_least(0.0647), probability_at_least(0.06479), probability_at_least(0.99996926)
    ('0.0647', '0.0647', '0.999969')
    """
    return digits_down(value + 0.0, _digits_of_probability(value))


def probability_at_most(value: float) -> str:
    """Return an upper limit of a probability, rounded up where `probability` rounds.

    >>> probability_at_most(0.0647), probability_at_most(0.06471), probability_at_most(0.99996926)
    ('0.0647', '0.0648', '0.99997')
    """
    return digits_up(value + 0.0, _digits_of_probability(value))


def amounts(low: float, high: float) -> str:
    """Return an interval, its ends as `amount` writes them and rounded outwards.

    >>> amounts(1.23456, 48590.2), amounts(-2114.3, -0.0)
    ('[1.234, 48,591]', '[-2,115, 0]')
    """
    return f"[{amount_at_least(low)}, {amount_at_most(high)}]"


def amount_at_least(value: float) -> str:
    """Return a lower bound as `amount` writes it, rounded down.

    >>> amount_at_least(48590.8), amount_at_least(0.99996), amount_at_least(1.2345)
    ('48,590', '0.9999', '1.234')
    """
    return amount(float(digits_down(value + 0.0, _digits_of_amount(value))))


def amount_at_most(value: float) -> str:
    """Return an upper bound as `amount` writes it, rounded up.

    >>> amount_at_most(48590.2), amount_at_most(1.2345)
    ('48,591', '1.235')
    """
    return amount(float(digits_up(value + 0.0, _digits_of_amount(value))))


def _digits_of_amount(value: float) -> int:
    """Return how many significant digits `amount` writes."""
    return len(str(int(abs(value)))) if 1000.0 <= abs(value) < math.inf else 4


def percent(share: float) -> str:
    """Return a share in per cent.

    >>> percent(0.95), percent(0.999), percent(1 - 1e-12)
    ('95 %', '99.9 %', '99.9999999999 %')
    """
    return f"{100 * share:.15g} %"


def given(value: float | None) -> str:
    """Return a number that somebody gave, with the digits that it has; a dash for none.

    >>> given(1.23456789), given(None)
    ('1.23456789', '-')
    """
    return NONE if value is None else as_given(value)


def claim_text(epsilon: float | None, delta: float) -> str:
    """Return the claim in a few characters.

    >>> claim_text(1.0, 0.0), claim_text(0.5, 1e-5), claim_text(None, 0.0)
    ('1', '0.5, delta 1e-05', '-')
    """
    if epsilon is None:
        return NONE
    return f"{as_given(epsilon)}, delta {as_given(delta)}" if delta else as_given(epsilon)


def in_unit(shown: str, unit: str) -> str:
    """Return a shown number with what it is of, unless that is epsilon.

    >>> in_unit("0.5", "rho"), in_unit("0.5", "epsilon"), in_unit(NONE, "rho")
    ('rho 0.5', '0.5', '-')
    """
    return shown if unit == "epsilon" or shown == NONE else f"{unit} {shown}"


def at_delta(delta: float) -> str:
    """Return at which delta an epsilon is, with a blank in front; nothing for pure DP.

    >>> at_delta(1e-6), at_delta(0.0)
    (' at delta = 1e-06', '')
    """
    return f" at delta = {as_given(delta)}" if delta else ""


def budget_text(budget: Notion | None) -> str:
    """Return a budget with the names of its numbers.

    >>> budget_text(Approximate(1.0, 1e-6)), budget_text(Concentrated(0.1)), budget_text(None)
    ('epsilon = 1, delta = 1e-06', 'rho = 0.1', 'none')
    """
    if budget is None:
        return "none"
    if isinstance(budget, Concentrated):
        return f"rho = {as_given(budget.rho)}"
    if isinstance(budget, GaussianDP):
        return f"mu = {as_given(budget.mu)}"
    delta = f", delta = {as_given(budget.delta)}" if isinstance(budget, Approximate) else ""
    return f"epsilon = {as_given(budget.epsilon)}{delta}"


def seconds(value: float) -> str:
    """Return a duration.

    >>> seconds(0.1234), seconds(75.2)
    ('0.12 s', '75 s')
    """
    return f"{value:.2f} s" if value < 10 else f"{value:,.0f} s"
