"""The views of a target's outputs."""

from __future__ import annotations

from functools import partial

from privcheck.auditing.scoring.output_views import output_views
from privcheck.auditing.scoring.policy_views import policy_views
from privcheck.auditing.scoring.view import ViewMaker
from privcheck.feedback import kind
from privcheck.targets.target import Target


def views_of(target: Target) -> ViewMaker:
    """Return the function that makes the views of a target's runs."""
    if target.feedback == "mechanism":
        return output_views
    return partial(policy_views, arms=target.arms, feedback=kind(target.feedback))
