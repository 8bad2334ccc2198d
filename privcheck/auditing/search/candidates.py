"""Which pairs of streams, or of inputs, an audit looks at."""

from __future__ import annotations

from typing import Any

from privcheck.auditing.search.mechanism_inputs import mechanism_pairs
from privcheck.auditing.search.stream_families import contextual_pairs, structured_pairs
from privcheck.auditing.search.user_streams import read_streams
from privcheck.errors import PrivcheckError
from privcheck.targets.mechanism import MechanismRunner
from privcheck.targets.settings import DEFAULT_HORIZON, Settings
from privcheck.targets.stream_pair import StreamPair


def candidate_pairs(target: Any, settings: Settings, arms: int, streams: Any) -> list[StreamPair]:
    """Return the candidate pairs: the user's one, or the structured family for the kind of target.

    Parameters
    ----------
    target : what is audited, as `loaded` returns it.
    settings : of the audit.
    arms : K.
    streams : the user's pair, or None.
    """
    if isinstance(target, MechanismRunner):
        return mechanism_pairs(target.mechanism, settings, streams)
    if settings.neighbours == "report":
        hint = "'report' is for a local randomiser f(data, rng); 'row' protects one round of a policy"
        raise PrivcheckError("neighbours", "report", "another neighbour relation for a policy", hint)
    horizon = settings.horizon or max(DEFAULT_HORIZON, 2 * arms)
    pair = None
    if streams is not None:
        columns = settings.contexts.columns(arms) if settings.contexts else arms
        pair = read_streams(
            streams,
            arms=columns,
            rewards=settings.rewards,
            relation=settings.relation,
            horizon=settings.horizon,
            contexts=settings.contexts,
        )
        horizon = len(pair.first)
    if horizon < arms and settings.feedback in ("bandit", "full"):
        hint = "every arm must be played at least once: raise the horizon"
        raise PrivcheckError("horizon", horizon, f"at least the number of arms, {arms}", hint)
    if pair is not None:
        return [pair]
    if settings.contexts:
        return contextual_pairs(horizon, arms, settings.rewards, settings.contexts)
    return structured_pairs(horizon, arms, settings.rewards, settings.neighbours)
