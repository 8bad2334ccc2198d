"""The candidate pairs of streams, or of inputs, of an audit."""

from __future__ import annotations

from functools import partial

from privcheck.auditing._search.given_inputs import drawn_pairs
from privcheck.auditing._search.mechanism_inputs import mechanism_pairs
from privcheck.auditing._search.palette import key_of
from privcheck.auditing._search.random_pairs import RANDOM_PAIRS, random_pairs
from privcheck.auditing._search.stream_families import contextual_pairs, structured_pairs
from privcheck.auditing._search.user_streams import read_streams
from privcheck.auditing._search.values_in_code import pairs_in_code
from privcheck.auditing._search.varied_streams import VARIED_PAIRS, varied_pairs
from privcheck.errors import PrivcheckError, words
from privcheck.feedback import kind
from privcheck.privacy import refuse_adding
from privcheck.results import Outcome, Search
from privcheck.targets import DRAWN, RANDOM, Effort, Game, Given, Loaded, Runner, StreamPair


def candidate_pairs(target: Loaded, game: Game, effort: Effort, arms: int) -> list[StreamPair]:
    """Return the candidate pairs: the user's own pair, or structured families for the kind of target, streams
    whose rounds differ, and random pairs.

    Parameters
    ----------
    target : what is audited.
    game : the kind of data and of neighbours.
    effort : streams that are given, how many are drawn, and the seed.
    arms : K.
    """
    if target.mechanism is not None:
        return mechanism_pairs(target.mechanism, game, effort)
    refuse_adding(game.neighbours, "a policy, whose horizon is public", policy=True)
    for option, usual in (("encode", None), ("law", None), ("messages", False)):
        if (given := getattr(game, option)) != usual:
            raise PrivcheckError(option, given, f"{usual} for a policy", "its outputs are its actions")
    horizon = game.rounds(arms)
    own: list[StreamPair] = []
    if effort.streams is not None:
        read = partial(
            read_streams,
            arms=game.contexts.columns(arms) if game.contexts else arms,
            rewards=game.rewards,
            relation=game.relation,
            horizon=game.horizon,
            contexts=game.contexts,
        )
        drawn = callable(effort.streams)
        own = drawn_pairs(effort.streams, effort, read) if drawn else [read(effort.streams)]
        horizon = len(own[0].first)
        if any(len(pair.first) != horizon for pair in own):
            raise PrivcheckError("streams", words("streams of different lengths"), "equal ones in all pairs", "fix T")
    if horizon < kind(game.feedback).least_rounds(arms):
        hint = "every arm must be played at least once: raise the horizon"
        raise PrivcheckError("horizon", horizon, f"at least the number of arms, {arms}", hint)
    if own:
        return own
    size, later = (horizon, arms, game.rewards), not _shows_the_last_round(game)
    if game.contexts:
        found = contextual_pairs(*size, game.contexts, shown_later=later)
    else:
        found = structured_pairs(*size, game.neighbours, shown_later=later)
    varied = varied_pairs(VARIED_PAIRS, effort.seed, *size, game.neighbours, game.contexts, shown_later=later)
    found += varied + random_pairs(RANDOM_PAIRS, effort.seed, *size, game.relation, game.contexts, shown_later=later)
    if effort.read_code:
        found += pairs_in_code(target.code, game, horizon, arms, effort.seed, shown_later=later)
    return found


def _shows_the_last_round(game: Game) -> bool:
    """Tell whether something is output after the last reward: a recommendation, or what is released."""
    return kind(game.feedback).length(1) > 1 or game.observe == "releases"


def _screened(pairs: list[StreamPair], played: list[StreamPair]) -> int:
    """Return how many candidates are played, or equal one that is: a user's function may draw a pair many times."""
    if not all(pair.base == DRAWN and not isinstance(pair.first, Given) for pair in pairs):
        return len(played)
    found = {key_of(pair) for pair in played}
    return sum(key_of(pair) in found for pair in pairs)


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
        screened=0 if ended else _screened(pairs, played) - outcome.refused_pairs,
        families=tuple(sorted(families)),
        missing=tuple(sorted({pair.family for pair in pairs}.difference(families))),
        equal_coins=runner.reproducible if random else None,
    )
