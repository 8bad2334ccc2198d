"""The candidate pairs of streams, or of inputs, of an audit."""

from __future__ import annotations

from functools import partial

from privcheck.auditing._search.given_inputs import drawn_pairs
from privcheck.auditing._search.mechanism_inputs import mechanism_pairs
from privcheck.auditing._search.random_pairs import RANDOM_PAIRS, random_pairs
from privcheck.auditing._search.stream_families import contextual_pairs, structured_pairs
from privcheck.auditing._search.user_streams import read_streams
from privcheck.auditing._search.varied_streams import VARIED_PAIRS, varied_pairs
from privcheck.errors import PrivcheckError, words
from privcheck.feedback import kind
from privcheck.privacy import refuse_adding
from privcheck.results import Outcome, Search
from privcheck.targets import RANDOM, Loaded, Runner, Settings, StreamPair


def candidate_pairs(target: Loaded, settings: Settings, arms: int) -> list[StreamPair]:
    """Return the candidate pairs: the user's own pair, or structured families for the kind of target, streams
    whose rounds differ, and random pairs.

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
    refuse_adding(settings.neighbours, "a policy, whose horizon is public")
    for option in ("encode", "law"):
        if (given := getattr(settings, option)) is not None:
            raise PrivcheckError(option, given, "None for a policy", "its outputs are its actions")
    horizon = settings.rounds(arms)
    own: list[StreamPair] = []
    if settings.streams is not None:
        read = partial(
            read_streams,
            arms=settings.contexts.columns(arms) if settings.contexts else arms,
            rewards=settings.rewards,
            relation=settings.relation,
            horizon=settings.horizon,
            contexts=settings.contexts,
        )
        drawn = callable(settings.streams)
        own = drawn_pairs(settings.streams, settings, read) if drawn else [read(settings.streams)]
        horizon = len(own[0].first)
        if any(len(pair.first) != horizon for pair in own):
            raise PrivcheckError("streams", words("streams of different lengths"), "equal ones in all pairs", "fix T")
    if horizon < kind(settings.feedback).least_rounds(arms):
        hint = "every arm must be played at least once: raise the horizon"
        raise PrivcheckError("horizon", horizon, f"at least the number of arms, {arms}", hint)
    if own:
        return own
    if settings.contexts:
        found = contextual_pairs(horizon, arms, settings.rewards, settings.contexts)
    else:
        found = structured_pairs(horizon, arms, settings.rewards, settings.neighbours)
    size = horizon, arms, settings.rewards
    varied = varied_pairs(VARIED_PAIRS, settings.seed, *size, settings.neighbours, settings.contexts)
    return found + varied + random_pairs(RANDOM_PAIRS, settings.seed, *size, settings.relation, settings.contexts)


def searched(pairs: list[StreamPair], played: list[StreamPair], outcome: Outcome, runner: Runner) -> Search:
    """Return how much of the candidates an audit looked at.

    Parameters
    ----------
    pairs : the candidates.
    played : those that the plan of the audit keeps.
    outcome : what their runs decided; pairs that the target refused are not counted.
    runner : plays the target.
    """
    ended = len(played) > 1 and outcome.screening_runs == 0
    families = dict.fromkeys(pair.family for pair in ([] if ended else played))
    random = any(pair.base == RANDOM for pair in played)
    return Search(
        pairs=len(pairs) - outcome.refused_pairs,
        screened=0 if ended else len(played) - outcome.refused_pairs,
        families=tuple(sorted(families)),
        missing=tuple(sorted({pair.family for pair in pairs}.difference(families))),
        equal_coins=runner.reproducible if random else None,
    )
