"""dpsprt: sequential probability ratio tests with differential privacy."""

from __future__ import annotations

from typing import Any

from audits.wild.implementation import Project, Wild

PACKAGE = Project("dpsprt", "1.2.0", "MIT", package="dpsprt")

SAMPLES = [1] * 12, [0] + [1] * 11


def stopping_time(data: Any, rng: Any) -> Any:
    """Return when the test stops and what it decides."""
    from dpsprt import DPSPRT

    test = DPSPRT(0.3, 0.7, 0.2, 0.2, 3.0, random_seed=int(rng.integers(2**32)))
    answers = [test.add_sample(x) for x in data if not test.has_stopped()]
    return len(answers), answers[-1][1]


def interval(data: Any, rng: Any) -> Any:
    """Return when a noisy query leaves an interval, and on which side."""
    from dpsprt import OutsideInterval

    monitor = OutsideInterval(lambda t: -1.0, lambda t: 1.0, 4.0, 2.0, 1.0, random_seed=int(rng.integers(2**32)))
    answers = [monitor.add_query(value) for value in data if monitor.is_active()]
    return len(answers), int(answers[-1][1])


AUDITS = (
    Wild("dpsprt-test", "`DPSPRT`", PACKAGE, stopping_time, 3.0, "one sample", pair=SAMPLES),
    Wild(
        "dpsprt-interval",
        "`OutsideInterval`",
        PACKAGE,
        interval,
        1.0,
        "every query by 1",
        pair=([0.0] * 6, [1.0] * 6),
    ),
)
