"""Hypothesis strategies for reward tables and neighbouring pairs, which shrink to the shortest, simplest pair."""

from __future__ import annotations

import operator
from functools import partial

import numpy as np
from hypothesis import strategies as st

from privcheck.arrays import Table
from privcheck.declared import Integer, check
from privcheck.errors import PrivcheckError
from privcheck.privacy import Contexts, check_contexts, check_rewards, refuse_adding
from privcheck.privacy import relation as relation_of
from privcheck.testing._instance_strategies import contexts as contexts_of

Row = tuple[float, ...]
Rounds = list[tuple[Row, Row]]
"""The rows of both tables, round by round."""


INNER = 1000
"""Evenly spaced values inside the range of rewards, drawn in addition to its ends."""


def rewards_of(rewards: tuple[float, float]) -> st.SearchStrategy[float]:
    """Return a strategy of single rewards, half of them at an end of the range, where worst cases are.

    One choice per reward: hypothesis can remove a round from a failing table when it consists of few choices.
    """
    low, high = check_rewards(rewards)
    inside = np.linspace(low, high, INNER + 2)[1:-1].tolist()
    return st.sampled_from([low, high, *inside, *[low, high] * (INNER // 2)])


def _rows(arms: int, rewards: tuple[float, float]) -> st.SearchStrategy[Row]:
    """Return a strategy of rounds, some of them one choice long: lowest rewards only."""
    full = st.tuples(*[rewards_of(rewards)] * arms)
    return st.one_of(st.just((check_rewards(rewards)[0],) * arms), full, full, full)


def reward_tables(
    *, arms: int = 2, min_rounds: int = 1, max_rounds: int = 16, rewards: tuple[float, float] = (0.0, 1.0)
) -> st.SearchStrategy[Table]:
    """Return a strategy of reward tables of shape (T, K), which shrinks to few rounds and the lowest reward.

    Parameters
    ----------
    arms : K, at least 1.
    min_rounds, max_rounds : range of T, 1 <= min_rounds <= max_rounds.
    rewards : declared (lowest, highest) reward.

    Raises
    ------
    PrivcheckError : bad input.

    Source: the reward table of a bandit, as in Azize and Basu (2022), Section 2.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(reward_tables(arms=3), lambda table: table.sum() > 0).tolist()
    [[0.0, 0.0, 1.0]]
    """
    shortest, longest = _lengths(min_rounds, max_rounds)
    row = _rows(check("arms", arms, Integer(1)), rewards)
    return st.lists(row, min_size=shortest, max_size=longest).map(_table)


def neighbouring_tables(
    relation: str = "row",
    *,
    arms: int = 2,
    min_rounds: int = 1,
    max_rounds: int = 16,
    rewards: tuple[float, float] = (0.0, 1.0),
    contexts: Contexts | None = None,
) -> st.SearchStrategy[tuple[Table, Table]]:
    """Return a strategy of pairs of neighbouring tables, of shape (T, K) each, plus columns for contexts if any.

    A failing pair shrinks to the fewest rounds, one differing entry, and the lowest reward everywhere else.

    Parameters
    ----------
    relation : "row", "reward", "group:k", "report" or, with `contexts`, "context-reward".
    arms : K, at least 1.
    min_rounds, max_rounds : range of T, 1 <= min_rounds <= max_rounds; a "report" is one row, all of which may change.
    rewards : declared (lowest, highest) reward.
    contexts : what contexts look like.

    Raises
    ------
    PrivcheckError : bad input.

    Source: event-level neighbours, Dwork, Naor, Pitassi and Rothblum (2010).

    Examples
    --------
    >>> from hypothesis import find
    >>> first, second = find(neighbouring_tables(arms=2), lambda pair: len(pair[0]) >= 3)
    >>> first.tolist(), int((first != second).sum())
    ([[0.0, 0.0], [0.0, 0.0], [0.0, 0.0]], 1)
    """
    related = relation_of(relation)
    refuse_adding(related, "tables of equal length", "draw a table and remove one of its rows")
    check_contexts("contextual" if related.name == "context-reward" else "bandit", related.name, contexts)
    shortest, longest = _lengths(min_rounds, max_rounds)
    if related.name == "report":
        if shortest > 1:
            raise PrivcheckError(
                "min_rounds", shortest, "1 for 'report'", "a report is one row, all of which may change"
            )
        longest = 1
    same = _same_round(check("arms", arms, Integer(1)), rewards, contexts)
    changed = _changed_round(arms, rewards, contexts, whole=related.unit == "row")
    most = min(related.limit, longest) if related.unit == "row" else 1

    later = same if most == 1 else st.one_of(same, same, changed)

    @st.composite
    def pairs(draw: st.DrawFn) -> tuple[Table, Table]:
        """Draw the rounds before the first change, that change, and the rounds after it: lists shrink well."""
        before: Rounds = draw(st.lists(same, max_size=longest - 1))
        change = draw(changed)
        left, missing = longest - 1 - len(before), max(0, shortest - 1 - len(before))
        after, changes = [], 1
        for first, second in draw(st.lists(later, min_size=missing, max_size=left)):
            changes += first != second
            after.append((first, second if changes <= most else first))
        found = [*before, change, *after]
        return _table([one for one, _ in found]), _table([two for _, two in found])

    return pairs()


def _same_round(
    arms: int, rewards: tuple[float, float], contexts: Contexts | None
) -> st.SearchStrategy[tuple[Row, Row]]:
    if contexts is None:
        return _rows(arms, rewards).map(lambda row: (row, row))
    return st.tuples(_rows(arms, rewards), _flat(contexts)).map(lambda parts: (parts[0] + parts[1],) * 2)


def _changed_round(
    arms: int, rewards: tuple[float, float], contexts: Contexts | None, *, whole: bool
) -> st.SearchStrategy[tuple[Row, Row]]:
    """Draw one entry that is sure to change, and for the others whether they do, "no" being what they shrink to."""
    row, reward, seen = _rows(arms, rewards), rewards_of(rewards), _flat(contexts)
    other_reward, places = st.none() | reward, st.integers(0, arms - (contexts is None))

    @st.composite
    def rounds(draw: st.DrawFn) -> tuple[Row, Row]:
        first, sure = draw(row), draw(places)
        second = list(first)
        for arm in range(arms):
            if arm == sure:
                second[arm] = draw(reward.filter(partial(operator.ne, first[arm])))
            elif whole:
                other = draw(other_reward)
                second[arm] = first[arm] if other is None else other
        context = other_context = draw(seen)
        if sure == arms:
            other_context = draw(seen.filter(partial(operator.ne, context)))
        elif contexts is not None and draw(st.booleans()):
            other_context = draw(seen)
        return (*first, *context), (*second, *other_context)

    return rounds()


def _flat(contexts: Contexts | None) -> st.SearchStrategy[Row]:
    if contexts is None:
        return st.just(())
    return contexts_of(contexts).map(lambda context: tuple(context.ravel().tolist()))


def _lengths(min_rounds: int, max_rounds: int) -> tuple[int, int]:
    longest = check("max_rounds", max_rounds, Integer(1))
    shortest = check("min_rounds", min_rounds, Integer(1))
    if shortest > longest:
        hint = "max_rounds must be at least min_rounds"
        raise PrivcheckError("min_rounds", shortest, f"an integer in [1, {longest}]", hint)
    return shortest, longest


def _table(rows: list[Row]) -> Table:
    return np.array(rows, np.float64)
