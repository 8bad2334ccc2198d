"""The auditors, how they are installed, and what their statements cover."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    """One way of a tool to bound epsilon.

    Parameters
    ----------
    name : as its driver calls it.
    given : what it has to be given that an audit has to find, besides the pair of inputs.
    covers : whether the stated confidence covers the search for the event.
    valid : whether it is a lower bound with that confidence, on every mechanism.
    slow : it takes minutes, so it is run with the first seed alone.

    """

    name: str
    given: str
    covers: str
    valid: bool
    slow: bool = False


@dataclass(frozen=True)
class Tool:
    """A published auditor: what to install from the package index, in an environment of its own, and its driver.

    A `large` one takes gigabytes, and is left out unless it is asked for.
    """

    name: str
    requirements: tuple[str, ...]
    driver: str
    methods: tuple[Method, ...]
    large: bool = False


RATIO = "the exact likelihood ratio"

TOOLS = [
    Tool(
        "jax_privacy 2.0.0",
        ("jax-privacy==2.0.0",),
        "jax_privacy_scores.py",
        (
            Method("split", RATIO, "yes: the threshold is chosen on one half", True),
            Method(
                "Bonferroni", RATIO, "no proof: divides by the thresholds left on a hull of the counted runs", False
            ),
            Method("Gaussian fit", RATIO, "no: assumes a Gaussian trade-off (at delta 1e-5)", False),
        ),
    ),
    Tool(
        "privacy-estimates 0.1.0.post1",
        ("privacy-estimates==0.1.0.post1",),
        "privacy_estimates_counts.py",
        (
            Method("Clopper-Pearson", f"{RATIO}, an event", "yes: our driver chooses the event on one half", True),
            Method("Jeffreys", f"{RATIO}, an event", "no: a credible interval", False),
            Method("joint beta", f"{RATIO}, an event", "no: a credible interval", False, slow=True),
        ),
    ),
    Tool(
        "PyStatDP 0.1.3.1",
        ("pystatdp==0.1.3.1",),
        "pystatdp_events.py",
        (Method("p-values", "", "no: a mean of p-values, direction taken from the counted runs", False, slow=True),),
    ),
    Tool(
        "opake-auditing 0.16.1",
        ("opake-auditing==0.16.1",),
        "opake_scores.py",
        (
            Method("order statistics", RATIO, "no: the threshold is chosen on the counted runs", False),
            Method("Gaussian fit", RATIO, "no: assumes a Gaussian trade-off (at delta 1e-5)", False, slow=True),
        ),
        large=True,
    ),
]

NOT_RUN = {
    "DP-Sniper, StatDP, Delta-Siege, dp_auditorium": "published as repositories only, not on the package index",
    "CheckDP": "a prover, not a statistical auditor; needs LLVM 9",
}
"""What is not in the table, and why."""
