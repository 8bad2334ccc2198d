"""The simulators, how they are installed, and what they play."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tool:
    """A published simulator: what to install from the package index, its driver, and what the driver plays.

    Parameters
    ----------
    name : package and version.
    requirements : what to install in its own environment; the first is the package.
    driver : a file in `drivers/`.
    plays : for each of the driver's algorithms, the shipped algorithm with which it is compared.
    pinned : why other packages are held back, or an empty text.
    remark : what is known about its differences, or an empty text.

    """

    name: str
    requirements: tuple[str, ...]
    driver: str
    plays: dict[str, str]
    pinned: str = ""
    remark: str = ""


TOOLS = [
    Tool(
        "SMPyBandits 0.9.7",
        ("SMPyBandits==0.9.7", "numpy<1.27", "scipy<1.12", "pandas<2.3", "numba<0.61"),
        "smpybandits_policies.py",
        {"ucb": "ucb", "kl-ucb": "kl-ucb", "thompson": "thompson"},
        "it cannot be imported with numpy 2 and a current scipy (`scipy.special.btdtri` is gone), so numpy 1.26 and "
        "scipy 1.11 are installed; it imports numba's `jit` from a place where it no longer is, and is redirected",
    ),
    Tool(
        "rlberry 0.6.0",
        ("rlberry==0.6.0", "gymnasium<1"),
        "rlberry_agents.py",
        {"ucb": "ucb", "thompson": "thompson"},
        "the last release with bandits (0.7 and rlberry-scool 0.7.3 have none); it cannot be imported with gymnasium "
        "1, so 0.29 is installed; the confidence of its index is set to 1/t^4, which makes it UCB1; it has no KL-UCB",
        "thompson: the same algorithm, after one pull of each arm; the mean of 800 runs of this driver, with seeds 0 "
        "to 799, is 32.7 ± 0.9. The first 40 of them have no run in the tail of the regret: their mean is 26.6, and "
        "the standard error from these runs alone, 1.2, is half of the true one, 2.4",
    ),
    Tool(
        "MABWiser 2.7.4",
        ("mabwiser==2.7.4",),
        "mabwiser_policies.py",
        {"ucb": "ucb", "thompson": "thompson"},
        "UCB1 with alpha = 1; it has no KL-UCB and no loop for online play, so the loop is ours",
    ),
    Tool(
        "coba 8.1.0",
        ("coba==8.1.0",),
        "coba_learners.py",
        {"ucb": "ucb", "ucb-tuned": "ucb"},
        "its index policy is UCB1-Tuned, another algorithm; the row `ucb` is that learner with its radius replaced by "
        "that of UCB1 (its mean omits the first reward of every arm); no KL-UCB, no Thompson sampling",
    ),
]

LOOP = "per-step Python loop"
"""The plain-Python references of privcheck, one `select` and `update` a round."""
