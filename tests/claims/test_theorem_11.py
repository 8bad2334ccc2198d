"""Theorem 11 of Azize and Basu: false as it is printed, true in the repaired form, on indices whose law is exact."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from privcheck.bounds import THEOREMS, Instance, evaluate
from privcheck.claims import CLAIMS, kept_findings
from privcheck.claims._arithmetic import FLOATS
from privcheck.claims._expression import evaluate as value_of

ROOT = Path(__file__).parents[2]
FAULTS = {finding.id: finding for finding in kept_findings()}
STARRED = ("explicit", "derived")
"""Only bounds of these provenances are marked as the best ones."""


def pulls(horizon, last_failure, high, *, failing):
    """Play Algorithm 1 with two arms; return how often arm 2 is played.

    The index of arm 1 is low in rounds up to `last_failure` if `failing`, and 7/10 otherwise; that of arm 2 is 1 if it
    is computed from a number of rewards in `high`, and 55/100 otherwise. mu* is 6/10.
    """
    played, block, t = [1, 1], [1, 1], 3
    while t <= horizon:
        first = 0.5 if failing and t <= last_failure else 0.7
        second = 1.0 if block[1] in high else 0.55
        arm = int(second > first)
        length = min(played[arm], horizon - t + 1)
        block[arm] = played[arm]
        played[arm] += length
        t += length
    return played[1]


def expected(horizon, last_failure, high, alpha):
    chance = 1.5 * last_failure**-alpha
    both = [pulls(horizon, last_failure, high, failing=failing) for failing in (True, False)]
    return chance * both[0] + (1 - chance) * both[1]


@pytest.mark.parametrize("horizon", [3, 4, 5, 6, 8, 9, 10, 50, 1000])
def test_the_exact_law_of_the_claim_is_that_of_the_algorithm(horizon):
    high = {2**j for j in range(12)} - {2}
    says = CLAIMS["azize-basu-2022/thm11"].readings[0].says
    found = value_of(says.left, FLOATS, {"T": float(horizon), "alpha": 3.5})
    assert found == pytest.approx(expected(horizon, 6, high, 3.5))


def bounds_of(horizon, level, high, alpha):
    """Return the printed and the repaired bound for 2^level."""
    bad = [2**j in high for j in range(level, 40) if 2 ** (j + 1) < horizon]
    first = 2**level in high
    return (
        2 ** (level + 1) + first * horizon + alpha / (alpha - 3),
        2 ** (level + 1) + sum(bad) * horizon + 3 / (alpha - 3),
    )


def test_the_repaired_bound_holds_where_the_printed_one_fails():
    rng, printed_fails = np.random.default_rng(11), 0
    for _ in range(400):
        alpha, horizon = float(rng.uniform(3.2, 5)), int(rng.integers(3, 200_000))
        high = {2**j for j in range(18) if rng.random() < 0.95}
        mean = expected(horizon, int(rng.integers(3, 12)), high, alpha)
        for level in range(16):
            if 2**level < horizon:
                printed, repaired = bounds_of(horizon, level, high, alpha)
                assert mean <= repaired + 1e-9
                printed_fails += mean > printed
    assert printed_fails > 20


def test_the_numbers_of_the_repaired_theorems_stay():
    """What the repair adds for AdaP-KLUCB and AdaP-UCB is less than the printed constant terms."""
    for horizon in (3, 10, 1e3, 1e9):
        assert 1.5 / (1 - 1 / horizon) <= 2.5
        assert 1.5 * np.log2(horizon) * horizon**-2.0 < 1
        powers = sum(horizon ** -(2.0**i) for i in range(12))
        assert horizon * powers <= 1 / (1 - 1 / horizon) + 1e-12
    assert evaluate(Instance("bernoulli", (0.75, 0.25), epsilon=1.0, horizon=2.0)).of(
        "azize-basu-2022/thm8-explicit"
    ).value == pytest.approx(1.0)


# No starred bound's proof cites a claim that fails


def failing(theorem):
    """Return the claims that fail on a part of what the bound covers; a range that is not printed is one."""
    return [name for name in theorem.claims if FAULTS[name].grave or FAULTS[name].fault == "range"]


def headings(page):
    found = re.findall(r"^#+ (.*)$", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found}


def unproven(theorem):
    """Return whether a bound that may be starred has a proof that cites a claim that fails, and no other one."""
    if theorem.provenance not in STARRED or not failing(theorem):
        return False
    page, _, heading = theorem.instead.partition("#")
    return not page or heading not in headings(page)


def test_no_starred_bound_rests_on_a_claim_that_fails():
    assert [name for name, theorem in THEOREMS.items() if unproven(theorem)] == []
    assert [name for name, theorem in THEOREMS.items() if theorem.provenance == "derived" and failing(theorem)] == []
    for name in ("thm7-corrected", "thm8-explicit"):
        source = THEOREMS[f"azize-basu-2022/{name}"]
        assert "repaired-proofs" in source.evaluation.__doc__
        assert "azize-basu-2022/thm11" not in source.claims


def test_another_proof_is_named_only_where_one_is_needed():
    needed = {name for name, theorem in THEOREMS.items() if theorem.provenance in STARRED and failing(theorem)}
    assert {name for name, theorem in THEOREMS.items() if theorem.instead} == needed


def test_a_starred_bound_that_rests_on_a_false_claim_is_noticed():
    import dataclasses

    sound = THEOREMS["azize-basu-2022/thm8-explicit"]
    assert unproven(dataclasses.replace(sound, claims=("azize-basu-2022/thm11",)))
    assert unproven(dataclasses.replace(THEOREMS["azize-basu-2022/thm12"], instead=""))
    assert unproven(dataclasses.replace(THEOREMS["azize-basu-2022/thm12"], instead="docs/evidence/claims.md#nowhere"))


# The steps of the repaired proof that the paper leaves out


def inner_sum(t, alpha):
    """The sum of f^(1 - alpha) over the integers in [t/2, t], of which there are floor(t/2) + 1."""
    terms = np.arange((t + 1) // 2, t + 1, dtype=float)
    assert len(terms) == t // 2 + 1
    return np.sum(terms ** (1 - alpha))


@pytest.mark.parametrize("alpha", [3.0001, 3.5, 5.0, 12.0])
def test_the_term_that_the_paper_drops_is_within_its_bound_from_three_rounds_on(alpha):
    assert inner_sum(2, alpha) > 1  # (2/2)^(2 - alpha)
    for t in range(3, 400):
        share = 2 / t + (1 - 2 ** (2 - alpha)) / (alpha - 2)
        whole = inner_sum(t, alpha) / (t / 2) ** (2 - alpha)
        assert whole <= share * (1 + 1e-12)
        assert (share if t >= 4 else whole) <= 1


@pytest.mark.parametrize("alpha", [3.05, 4.0, 9.0])
@pytest.mark.parametrize("arms", [2, 3, 10])
def test_the_rounds_that_fail_are_as_few_as_the_paper_says(alpha, arms):
    assert 1.5 * sum(inner_sum(t, alpha) for t in range(arms + 1, 2000)) <= 3 / (alpha - 3)
