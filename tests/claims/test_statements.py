"""The statements: entered a second time as plain functions, accounted for, and the committed run beside the page."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest

import privcheck.claims
from privcheck.claims import CLAIMS, Relation, findings_from_json, replay
from privcheck.claims._arithmetic import FLOATS
from privcheck.claims._expression import evaluate
from privcheck.reporting import markdown
from privcheck.reporting._pages.page_claims import render_claims

DOCS = Path(__file__).parents[2] / "docs"
RUN = Path(privcheck.claims.__file__).parent / "claims.json"


def kl(p, q):
    return (p * math.log(p / q) if p else 0.0) + ((1 - p) * math.log((1 - p) / (1 - q)) if p < 1 else 0.0)


def binomial(n, p, inside):
    return sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1) if inside(k))


def pair(x):
    """Tail of the difference of two standard Laplace variables, from its density (1 + |t|) exp(-|t|)/4."""
    return math.exp(-x) * (0.5 + x / 4) if x >= 0 else 1 - math.exp(x) * (0.5 - x / 4)


def laplace(x):
    return math.exp(x) / 2 if x < 0 else 1 - math.exp(-x) / 2


AGAIN = {
    "hu-2021/fact15": (
        {"n": 5, "mean": 0.3, "a": 1.2},
        lambda n, mean, a: (binomial(n, mean, lambda k: abs(k - n * mean) >= a), 2 * math.exp(-2 * a * a / n)),
    ),
    "hu-2021/fact17b": (
        {"n": 5, "mu": 0.37, "lambda": 0.11},
        lambda n, mu, **rest: (
            binomial(n, mu, lambda k: k / n >= mu - rest["lambda"]),
            math.exp(-n * kl(mu - rest["lambda"], mu)),
        ),
    ),
    "hu-2021/fact18": (
        {"alpha": 2, "beta": 3, "y": 0.3},
        lambda alpha, beta, y: (12 * (y**2 / 2 - 2 * y**3 / 3 + y**4 / 4), 1 - binomial(4, y, lambda k: k <= 1)),
    ),
    "hu-2021/thm8": (
        {"epoch": 2, "ahead": 1, "epsilon": 0.7},
        lambda epoch, ahead, epsilon: (pair(epsilon * ahead), math.exp(epsilon) * pair(epsilon * (ahead + 2))),
    ),
    "hu-2021/thm9-tuning": (
        {"size": 7, "smallest": 0.3},
        lambda size, smallest: (math.ceil(math.log2(8 * math.log(size) / smallest)) + 1, 1),
    ),
    "hu-2021/eq24": (
        {"d": 3, "p": 0.25},
        lambda d, p: (
            sum(2**q for q in range(d + 2)) + p * sum(2**q for q in range(d + 1, d + 3)),
            sum(2**q for q in range(d + 1)) + p * sum(2**q for q in range(d + 3)),
        ),
    ),
    "azize-basu-2022/eq12": (
        {"p": 0.2, "epsilon": 1.3},
        lambda p, epsilon: (
            math.log(1 + p * math.expm1(epsilon)) - math.log(1 + p * math.expm1(-epsilon)),
            6 * epsilon * p,
        ),
    ),
    "azize-basu-2022/eq15": (
        {"p": 0.1, "T": 3, "epsilon": 0.9},
        lambda p, T, epsilon: (
            math.exp(6 * epsilon * T * p) * (1 - math.exp(2 * T * p * math.expm1(-epsilon))) / -math.expm1(-epsilon)
            + math.expm1(2 * T * p * math.expm1(epsilon)) / math.expm1(epsilon),
            (math.exp(6 * epsilon * T * p) + 1) * 2 * T * p,
        ),
    ),
    "azize-basu-2022/eq10": (
        {"p": 0.3, "epsilon": 0.8, "delta": 0.2},
        lambda p, epsilon, delta: (0, delta / (math.exp(-epsilon) - 1) * (1 - p + p * math.exp(-epsilon) - 1)),
    ),
    "azize-basu-2022/thm2": (
        {"K": 4, "T": 9, "epsilon": 0.05},
        lambda K, T, epsilon: (max(math.sqrt(T * (K - 1)) / 27, (K - 1) / epsilon / 131), T),
    ),
    "azize-basu-2022/eq33c": (
        {"Delta": 0.4, "epsilon": 0.3},
        lambda Delta, epsilon: ((2 + 4 * Delta / epsilon) / Delta**2, 4 / Delta / min(epsilon, 2 * Delta)),
    ),
    "azize-basu-2022/thm7-choice": (
        {"Delta": 0.4, "epsilon": 0.3, "alpha": 4.0, "T": 10**4},
        lambda Delta, epsilon, alpha, T: (
            Delta
            - 2 * math.sqrt(alpha * math.log(T) / 2 / 2048)  # 4 alpha log(T)/(0.4 * 0.3) = 1228
            - 2 * alpha * math.log(T) / epsilon / 2048,
            0,
        ),
    ),
    "azize-basu-2022/lem3a": (
        {"n": 3, "mu": 0.4, "epsilon": 0.7, "delta": 0.3},
        lambda n, mu, epsilon, delta: (
            sum(
                binomial(n, mu, lambda j, k=k: j == k)
                * (
                    1
                    - laplace(n * epsilon * (mu - k / n + math.sqrt(math.log(1 / delta) / 2 / n)) + math.log(1 / delta))
                )
                for k in range(n + 1)
            ),
            1.5 * delta,
        ),
    ),
    "azize-basu-2022/lem4a": (
        {"n": 3, "mu": 0.6, "epsilon": 0.7, "delta": 0.3, "alpha": 0.2},
        lambda n, mu, epsilon, delta, alpha: (
            sum(
                binomial(n, mu, lambda j, k=k: j == k)
                * laplace(n * epsilon * (mu - alpha - k / n) - math.log(1 / delta))
                for k in range(n + 1)
            ),
            math.exp(-n * kl(mu - alpha, mu)) + delta / 2,
        ),
    ),
    "azize-basu-2022/thm11-count": (
        {"t": 7, "alpha": 3.5},
        lambda t, alpha: (sum(phi ** (1 - alpha) for phi in (4, 5, 6, 7)), 2 ** (alpha - 2) / t ** (alpha - 2)),
    ),
}


@pytest.mark.parametrize("name", AGAIN)
def test_a_second_entry_of_the_statement_agrees(name):
    point, again = AGAIN[name]
    says = CLAIMS[name].readings[0].says
    assert isinstance(says, Relation)
    found = [
        evaluate(side, FLOATS, {of: float(value) for of, value in point.items()}) for side in (says.left, says.right)
    ]
    assert found == pytest.approx(list(again(**point)), rel=1e-9)


def test_the_steps_about_theorem_5_against_linear_algebra():
    """Two arms (1, 0) and (x, y), pulled N_1 and N_2 times; numpy inverts the matrix."""
    import numpy as np

    first, second = np.array([1.0, 0.0]), np.array([0.6, 0.9])

    def gram_matrix(pulls):
        return sum(number * np.outer(arm, arm) for number, arm in zip(pulls, (first, second), strict=True))

    at = {"x": 0.6, "y": 0.9, "N_1": 3.0, "N_2": 5.0}
    seen = np.linalg.solve(gram_matrix((3, 5)), second - first)
    bilinear, rho = (CLAIMS[f"azize-basu-2022/thm5-{name}"].readings[0].says for name in ("bilinear", "rho"))
    assert evaluate(bilinear.left, FLOATS, at) == pytest.approx(abs(first @ seen))
    assert evaluate(bilinear.right, FLOATS, at) == pytest.approx(abs(first @ (second - first)) / at["N_1"])
    inverse = np.linalg.inv(gram_matrix((1e12, 1.0)))  # its direction is that of H, the cluster point
    difference = second - first
    pulls = (1e7, 10.0)
    weights = [difference @ matrix @ difference for matrix in (np.linalg.inv(gram_matrix(pulls)), inverse)]
    played = sum(n * abs(arm @ inverse @ difference) for n, arm in zip(pulls, (first, second), strict=True))
    assert evaluate(rho.left, FLOATS, at) == pytest.approx(weights[0] / weights[1] * played, rel=1e-4)
    both = [abs(arm @ (second - first)) / (arm @ arm) for arm in (first, second)]
    assert evaluate(rho.right, FLOATS, at) == pytest.approx(sum(both))


def test_the_refutation_of_privacy_against_the_mechanism():
    """Two actions, two rounds, epsilon 1: the loss of the reported maximum by integration over the noise."""
    from scipy.integrate import quad

    def second_wins(lead):
        density = lambda t: 0.5 * math.exp(-abs(t))  # noqa: E731
        return quad(lambda t: density(t) * (1 - laplace(lead + t)), -40, 40, points=[-lead, 0])[0]

    assert second_wins(0) > math.exp(1) * second_wins(2) * 1.3


def test_claims_carry_no_verdict_and_failures_say_what_follows():
    for found in findings_from_json(RUN):
        claim = CLAIMS[found.id]
        assert (found.quote, found.place) == (claim.quote, claim.place), "run privcheck claims --json once more"
        assert not found.wrong or claim.consequence
        assert found.status != "suspicious"
        assert not re.search("refuted|proven", " ".join(reading.name for reading in claim.readings))


def test_every_refutation_of_the_committed_run_replays():
    findings = findings_from_json(RUN)
    assert [found.id for found in findings] == list(CLAIMS)
    for found in findings:
        confirmed = replay(found, CLAIMS[found.id])
        assert all(confirmed)
        assert bool(confirmed) == found.wrong


def test_the_pages_are_what_the_committed_run_gives():
    findings = findings_from_json(RUN)
    page = markdown(findings)
    assert (DOCS / "evidence" / "claims.md").read_text(encoding="utf-8") == page
    pages = {paper: markdown(findings, paper) for paper in dict.fromkeys(of.paper for of in findings)}
    for paper, content in pages.items():
        assert (DOCS / "evidence" / f"{paper}.md").read_text(encoding="utf-8") == content
    assert all(f"\n### {name.partition('/')[2]}\n" in pages[name.partition("/")[0]] for name in CLAIMS)
    html = render_claims(findings)
    assert all(name in html for name in CLAIMS)
    assert json.loads(RUN.read_text(encoding="utf-8"))["schema_version"]


def test_the_run_is_of_the_claims_as_they_are_now():
    for found in findings_from_json(RUN):
        assert found.fingerprint == CLAIMS[found.id].fingerprint, "run privcheck claims --json once more"
