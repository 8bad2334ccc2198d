"""The domains of counts, levels and claims."""

from __future__ import annotations

from privcheck.declared import Integer, Real, check

LEVEL = Real(0.0, 0.5, low_open=True)
"""Above one half a limit can exceed the estimate, and the conditional test rejects what is certain on both inputs."""

EPSILON = Real(0.0, 700.0)
DELTA = Real(0.0, 1.0, high_open=True)
RUNS = Integer(1)


def check_count(name: str, value: int, runs: int) -> int:
    """Return a count of an event in `runs` runs as an integer, or raise `PrivcheckError`.

    >>> check_count("more", 3.0, 10)
    3
    """
    return int(check(name, value, Integer(0, runs), "an event is counted at most once per run"))
