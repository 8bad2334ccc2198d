"""Profiles of hypothesis settings: for development, for continuous integration, and for long runs."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, Phase, settings

from privcheck.declared import Choice, check

PROFILES: dict[str, dict[str, Any]] = {
    "dev": {"max_examples": 25, "stateful_step_count": 20, "derandomize": False},
    "ci": {"max_examples": 100, "stateful_step_count": 50, "derandomize": True, "print_blob": True},
    "deep": {"max_examples": 2000, "stateful_step_count": 200, "derandomize": False},
}
"""The settings of each profile; "ci" draws the same examples in every run."""

PHASES = [phase for phase in Phase if phase is not Phase.explain]
"""Explaining traces every line, which makes shrinking many times slower, and names lines of privcheck."""


def load_profile(name: str) -> None:
    """Load a profile of hypothesis settings: "dev", "ci" or "deep".

    They are registered as privcheck-dev, privcheck-ci and privcheck-deep, next to your own profiles, without deadlines:
    the speed of a policy is not part of a privacy test.

    Parameters
    ----------
    name : "dev", "ci" or "deep".

    Raises
    ------
    PrivcheckError : another name.

    Source: hypothesis' settings profiles.

    Examples
    --------
    >>> from hypothesis import settings
    >>> before = settings.get_current_profile_name()
    >>> load_profile("ci")
    >>> settings().max_examples, settings.get_current_profile_name()
    (100, 'privcheck-ci')
    >>> settings.load_profile(before)
    """
    chosen = check("profile", name, Choice(tuple(PROFILES)), "'ci' draws the same examples in every run")
    for each, values in PROFILES.items():
        settings.register_profile(
            f"privcheck-{each}",
            settings.get_profile("default"),
            deadline=None,
            phases=PHASES,
            suppress_health_check=[HealthCheck.too_slow],
            **values,
        )
    settings.load_profile(f"privcheck-{chosen}")
