"""Adaptive trees of releases with finitely many outcomes, under a budget filter, enumerated for two neighbours.

At every node a policy proposes releases in order, as a function of all outcomes so far; the first that the filter
accepts is made, and where none is the execution ends. Everything is public except the data, so the list of leaves with
their probabilities on both streams is the exact law of what an observer sees.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp
from scipy.stats import norm

from privcheck.accounting import Charge, ReleaseRefusedError


@dataclass(frozen=True)
class Answer:
    """Randomised response to the datum, which is 0 or 1: epsilon-DP, exactly."""

    epsilon: float

    @property
    def charge(self):
        return Charge(self.epsilon)

    def law(self, datum):
        kept = 1.0 / (1.0 + math.exp(-self.epsilon))
        return [kept, 1.0 - kept] if datum == 0 else [1.0 - kept, kept]


@dataclass(frozen=True)
class Rounded:
    """The datum with Gaussian noise, rounded to a grid: a post-processing of a mu-GDP release."""

    mu: float
    cells: int = 8

    @property
    def charge(self):
        return Charge(rho=self.mu * self.mu / 2.0, mu=self.mu)

    def law(self, datum):
        edges = np.linspace(-2.0, 2.0, self.cells - 1) + self.mu / 2.0
        cumulative = norm.cdf(edges - self.mu * datum)
        return np.diff(cumulative, prepend=0.0, append=1.0).tolist()


@dataclass(frozen=True)
class Told:
    """The datum itself with probability delta, and nothing otherwise."""

    delta: float

    @property
    def charge(self):
        return Charge(0.0, delta=self.delta)

    def law(self, datum):
        return [1.0 - self.delta, self.delta * (datum == 0), self.delta * (datum == 1)]


def both(release, touched, data):
    """Return the law of independent releases about each datum that is touched."""
    law = np.ones(1)
    for datum in touched:
        law = np.outer(law, release.law(data[datum])).ravel()
    return law


def leaves(budget_filter, proposals, one, two, depth, group_size=1):
    """Return the probabilities of all executions on two streams, and the number of releases that were refused.

    `proposals(history)` yields (release, data that it touches); a history is a tuple of outcomes.
    """
    found, refused = [], 0

    def go(history, ledger, p, q):
        nonlocal refused
        if len(history) < depth:
            for release, touched in proposals(history):
                charges = dict.fromkeys(touched, release.charge)
                try:
                    budget_filter.check(ledger, charges, "tree")
                except ReleaseRefusedError:
                    refused += 1
                    continue
                before = ledger.snapshot()
                before.record(1, "tree", 1.0, dict.fromkeys(touched, 1.0), charges, "tree")
                laws = both(release, touched, one), both(release, touched, two)
                for outcome, (here, there) in enumerate(zip(*laws, strict=True)):
                    go((*history, outcome), before.snapshot(), p * here, q * there)
                return
        found.append((p, q))

    go((), budget_filter.new_ledger(group_size), 1.0, 1.0)
    p, q = np.array(found).T
    assert abs(p.sum() - 1.0) < 1e-9
    assert abs(q.sum() - 1.0) < 1e-9
    return p, q, refused


def hockey_stick(p, q, epsilon):
    """Return the smallest delta for which two finite laws are (epsilon, delta)-indistinguishable."""
    return max(float(np.maximum(a - math.exp(epsilon) * b, 0.0).sum()) for a, b in ((p, q), (q, p)))


def largest_loss(p, q):
    """Return the largest |log-likelihood ratio|."""
    with np.errstate(divide="ignore", invalid="ignore"):
        losses = np.abs(np.log(p) - np.log(q))
    return float(np.nanmax(np.where((p == 0.0) & (q == 0.0), 0.0, losses)))


def renyi(p, q, order):
    """Return the larger Renyi divergence of the two directions."""
    kept = (p > 0.0) | (q > 0.0)
    p, q = p[kept], q[kept]
    with np.errstate(divide="ignore"):
        p, q = np.log(p), np.log(q)
    return max(float(logsumexp(order * a + (1.0 - order) * b)) / (order - 1.0) for a, b in ((p, q), (q, p)))
