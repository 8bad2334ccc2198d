"""The domains of counts, levels and claims."""

from __future__ import annotations

from privcheck.declared import Integer, Real, check

LEVEL = Real(0.0, 1.0, low_open=True, high_open=True)
EPSILON = Real(0.0, 700.0)
DELTA = Real(0.0, 1.0, high_open=True)
RUNS = Integer(1)


def check_count(name: str, value: int, runs: int) -> int:
    """Return a count of an event in `runs` runs as an integer, or raise `PrivcheckError`.

    >>> check_count("more", 3.0, 10)
    3
    """
    return int(check(name, value, Integer(0, runs), "an event is counted at most once per run"))
