"""The environments: reward models, and the instances of the papers' experiments."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from privcheck.environments.base import ENVIRONMENTS, Environment
from privcheck.environments.bernoulli import Bernoulli
from privcheck.environments.bounded import Beta, TruncatedGaussian
from privcheck.environments.combinatorial_arms import (
    Combinatorial,
    CoverageArms,
    SemiBandit,
    ShortestPathArms,
    SpanningTreeArms,
    TopKArms,
)
from privcheck.environments.decision_set_environment import ContextualEnvironment
from privcheck.environments.finite import FiniteSupport, TwoPoint
from privcheck.environments.gaussian import Gaussian
from privcheck.environments.linear_contexts import LinearContexts
from privcheck.environments.logged import LoggedFeedback
from privcheck.environments.logged_contexts import LoggedContexts
from privcheck.environments.resampled_log import Replay
from privcheck.environments.reward_table import RewardTable
from privcheck.errors import PrivcheckError, words

__all__ = [
    "ENVIRONMENTS", "Bernoulli", "Beta", "Combinatorial", "ContextualEnvironment", "CoverageArms", "Environment",
    "FiniteSupport", "Gaussian", "LinearContexts", "LoggedContexts", "LoggedFeedback", "Replay", "RewardTable",
    "SemiBandit", "ShortestPathArms", "SpanningTreeArms", "TopKArms", "TruncatedGaussian", "TwoPoint", "environment",
]  # fmt: skip


def environment(description: Any) -> Environment:
    """Return an environment from the id of a named instance, a sequence of Bernoulli means, or an environment.

    Parameters
    ----------
    description : one of `ENVIRONMENTS`, such as "c2"; means in [0, 1], shape (K,); or an `Environment`, returned as is.

    Raises
    ------
    PrivcheckError : an unknown id, or means that are not a list of at least two numbers in [0, 1].

    Examples
    --------
    >>> environment("hhmh-setting2").means
    (0.5, 0.4, 0.4, 0.4, 0.4)
    >>> environment([0.75, 0.5])
    Bernoulli(means=(0.75, 0.5))
    """
    if isinstance(description, Environment):
        return description
    if hasattr(description, "columns"):
        hint = "a log is one: privcheck.environments.Replay.from_frame(frame, action=..., reward=...)"
        raise PrivcheckError("environment", words("a data frame"), "an environment", hint)
    if not isinstance(description, str):
        return Bernoulli(description)
    found = ENVIRONMENTS[description]
    required = [f.name for f in fields(found) if f.init and f.default is MISSING]  # type: ignore[arg-type]
    if required:
        hint = f"build it with its {' and '.join(required)}, as in {found.__name__}(...), or give Bernoulli means"
        raise PrivcheckError("environment", description, "a named instance or a list of means", hint)
    return found()
