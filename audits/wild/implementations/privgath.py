"""sethneel/PrivGath: the private counter of its bandits."""

from __future__ import annotations

from typing import Any

import numpy as np

from audits.wild.arguments.reused_noise import fresh_noise_for_every_prefix
from audits.wild.implementation import Fault, Project, Wild

REPOSITORY = Project("PrivGath", "abc108a", "none stated", owner="sethneel", needs=("matplotlib",))


def counter(data: Any, rng: Any) -> Any:
    """Release the sum of every prefix with the noise of the counter."""
    from bandits import private_counter

    means = np.array(private_counter(1, len(data), 1.0)[0])
    return np.cumsum(data) + means * np.arange(1, len(data) + 1)


AUDITS = (
    Wild(
        "privgath-counter",
        "`private_counter`",
        REPOSITORY,
        counter,
        1.0,
        "one item of the stream",
        options={"horizon": 8},
        expected="violation",
        fault=Fault(
            "the default search sees it",
            "`get_min_dex` searches the lowest set bit from the left of a string whose first digit is the highest.",
            "Only one node of the tree ever holds noise, and it is drawn again for every prefix: an item of the first "
            "round pays for all T sums, T / log2(T) times epsilon.",
            "Search from the right: `binary_string[::-1].index('1')`, and read the prefix in that order. Then an item "
            "is in up to floor(log2(T)) + 1 nodes: take so many digits, and divide epsilon by that number.",
            "not reported upstream yet",
            fresh_noise_for_every_prefix,
        ),
    ),
)
