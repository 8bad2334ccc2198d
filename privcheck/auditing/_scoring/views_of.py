"""The views of a target's outputs."""

from __future__ import annotations

from functools import partial

from privcheck.auditing._scoring.output_views import output_views
from privcheck.auditing._scoring.policy_views import policy_views
from privcheck.auditing._scoring.view import ViewMaker
from privcheck.feedback import kind
from privcheck.targets import Target


def views_of(target: Target) -> ViewMaker:
    """Return the function that makes the views of a target's runs."""
    if target.feedback == "mechanism":
        return output_views
    return partial(policy_views, arms=target.arms, feedback=kind(target.feedback))
