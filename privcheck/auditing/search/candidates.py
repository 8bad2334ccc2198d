"""The candidate pairs of streams, or of inputs, of an audit."""

from __future__ import annotations

from privcheck.auditing.search.mechanism_inputs import mechanism_pairs
from privcheck.auditing.search.stream_families import contextual_pairs, structured_pairs
from privcheck.auditing.search.user_streams import read_streams
from privcheck.errors import PrivcheckError
from privcheck.feedback import kind
from privcheck.targets.settings import DEFAULT_HORIZON, Settings
from privcheck.targets.stream_pair import StreamPair
from privcheck.targets.target import Loaded


def candidate_pairs(target: Loaded, settings: Settings, arms: int) -> list[StreamPair]:
    """Return the candidate pairs: the user's own pair, or the structured family for the kind of target.

    Parameters
    ----------
    target : what is audited.
    settings : the settings of the audit.
    arms : K.
    """
    if target.mechanism is not None:
        return mechanism_pairs(target.mechanism, settings)
    if settings.neighbours == "report":
        hint = "'report' is for a local randomiser f(data, rng); 'row' protects one round of a policy"
        raise PrivcheckError("neighbours", "report", "another neighbour relation for a policy", hint)
    horizon = settings.horizon or max(DEFAULT_HORIZON, 2 * arms)
    pair = None
    if settings.streams is not None:
        columns = settings.contexts.columns(arms) if settings.contexts else arms
        pair = read_streams(
            settings.streams,
            arms=columns,
            rewards=settings.rewards,
            relation=settings.relation,
            horizon=settings.horizon,
            contexts=settings.contexts,
        )
        horizon = len(pair.first)
    if horizon < kind(settings.feedback).least_rounds(arms):
        hint = "every arm must be played at least once: raise the horizon"
        raise PrivcheckError("horizon", horizon, f"at least the number of arms, {arms}", hint)
    if pair is not None:
        return [pair]
    if settings.contexts:
        return contextual_pairs(horizon, arms, settings.rewards, settings.contexts)
    return structured_pairs(horizon, arms, settings.rewards, settings.neighbours)
