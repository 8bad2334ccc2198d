"""The same noise in several releases: they differ by raw data, or are averaged until the noise is small."""

from __future__ import annotations

import math

from audits.wild.implementation import Shown


def two_sends_with_the_same_noise() -> Shown:
    """Count the draws that the third and fourth message need: 1 + ceil(log2(number of messages))."""
    draws = [1 + math.ceil(math.log2(number)) for number in (1, 2, 3, 4)]
    shared = draws[2] == draws[3]
    because = (
        f"the messages 1 to 4 need {', '.join(map(str, draws))} draws of noise in all, so that no new one separates "
        "the third message from the fourth: the fourth minus the third is the fourth reward times its features"
    )
    return Shown(1.0, math.inf if shared else 0.0, because)


def fresh_noise_for_every_prefix() -> Shown:
    """Add up the losses of T sums, each with Laplace noise of scale log2(T) / eps of its own.

    An item in the first round is in all T sums. At an output at or above all sums of the larger stream, each ratio of
    densities is exp(eps / log2(T)).
    """
    horizon, epsilon = 8, 1.0
    strings = [f"{number:b}" for number in range(1, horizon + 1)]
    first_ones = {string.index("1") for string in strings}
    least = horizon * epsilon / math.log2(horizon)
    because = (
        f"the first 1 of a number in binary is always at place {', '.join(map(str, first_ones))} when read from "
        f"the left, so all of the {horizon} sums have one fresh draw of scale log2({horizon}) / eps; an item of "
        f"the first round "
        f"loses {horizon} / log2({horizon}) = {least:.3f}"
    )
    return Shown(epsilon, least if first_ones == {0} else 0.0, because)
