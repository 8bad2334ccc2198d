"""The auditors, how they are installed, and what their statements cover."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Method:
    """One way of a tool to bound epsilon.

    Parameters
    ----------
    name : as its driver calls it.
    given : what the method is given besides the pair of inputs, though an audit has to find it.
    covers : whether the stated confidence covers the search for the event.
    valid : whether the result is a lower bound with that confidence for every mechanism.
    slow : whether it takes minutes, so that it is run with the first seed only.

    """

    name: str
    given: str
    covers: str
    valid: bool
    slow: bool = False


@dataclass(frozen=True)
class Tool:
    """A published auditor.

    Parameters
    ----------
    name : the tool's name and version.
    requirements : what to install from the package index, in its own environment.
    driver : the file that runs it.
    methods : the methods that it offers.
    large : whether it takes more than a gigabyte, so that it is only run on request.
    repository : owner and name of the repository, for a tool on no package index; its version is the commit.
    source : the folder of the checkout from which Python imports.
    changed : what the driver changes in the tool's code so that it runs.

    """

    name: str
    requirements: tuple[str, ...]
    driver: str
    methods: tuple[Method, ...]
    large: bool = False
    repository: str = ""
    source: str = "."
    changed: str = ""


RATIO = "the exact likelihood ratio"
MEAN_OF_P_VALUES = "no: a mean of p-values, with the direction taken from the counted runs"
DIVIDED = "yes: our driver divides the level among the epsilons and directions that it tests"

TOOLS = [
    Tool(
        "jax_privacy 2.0.0",
        ("jax-privacy==2.0.0",),
        "jax_privacy_scores.py",
        (
            Method("split", RATIO, "yes: the threshold is chosen on one half", True),
            Method(
                "Bonferroni",
                RATIO,
                "no proof: the divisor is the number of thresholds left on a hull of the counted runs",
                False,
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
        "statdp_events.py",
        (Method("p-values", "", MEAN_OF_P_VALUES, False, slow=True),),
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
    Tool(
        "DP-Sniper",
        ("torch==2.9.1", "scikit-learn", "tensorboard"),
        "dp_sniper_search.py",
        (
            Method(
                "c = 0.01",
                "the tail mass c",
                "yes: separate runs for learning, the threshold, the order of the pair and the count",
                True,
            ),
            Method(
                "c = 0.1",
                "the tail mass c",
                "yes: separate runs for learning, the threshold, the order of the pair and the count",
                True,
            ),
        ),
        large=True,
        repository="eth-sri/dp-sniper",
        changed="its worker processes are replaced by function calls, and its training batches are smaller",
    ),
    Tool(
        "StatDP",
        ("numba", "tqdm"),
        "statdp_events.py",
        (Method("p-values", "", MEAN_OF_P_VALUES, False, slow=True),),
        repository="cmla-psu/statdp",
        changed="nothing; it needs numpy below 1.24 or above 2",
    ),
    Tool(
        "Delta-Siege",
        ("scikit-learn", "scipy", "tqdm"),
        "delta_siege_trial.py",
        (
            Method("at delta", "", "yes: separate runs for learning, the threshold, the direction and the count", True),
            Method("along the Gaussian curve", "", "no: assumes a Gaussian trade-off", False),
        ),
        repository="eth-sri/Delta-Siege",
        changed="libraries of mechanisms and optimisers that it imports are replaced by stubs, its trial is not saved, "
        "and the level of the Gaussian mechanism is ours",
    ),
    Tool(
        "dp_auditorium",
        ("tensorflow-cpu==2.15.1", "numpy<2", "scipy", "absl-py", "typing-extensions"),
        "dp_auditorium_testers.py",
        (
            Method("hockey-stick", "", DIVIDED, True, slow=True),
            Method("histogram", "", DIVIDED, True),
            Method("MMD", "", DIVIDED, True, slow=True),
        ),
        large=True,
        repository="google/differential-privacy",
        source="python/dp_auditorium",
        changed="its optimiser of data sets (Vizier), which it imports everywhere, is replaced by a stub",
    ),
]

NOT_RUN = {
    "dp_auditorium, Renyi": "with order 2 and the outputs of its network bounded by 2, its error term is above 1.6 at "
    "100,000 runs, and no divergence of that order here is above 1.1, so it refutes nothing",
    "CheckDP": "a prover, not a statistical auditor; needs LLVM 9",
}
"""What is not in the table, and why."""
