"""Candidate pairs of inputs of a one-shot mechanism."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np

from privcheck.auditing._search.given_inputs import drawn_pairs, given_pair
from privcheck.auditing._search.random_pairs import RANDOM_PAIRS, SEED_KEY, random_pairs
from privcheck.auditing._search.stream_families import MOST_PAIRS, adding_pairs, structured_pairs
from privcheck.auditing._search.values_in_code import pairs_in_code
from privcheck.auditing._search.varied_streams import VARIED_PAIRS, varied_pairs
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import Mechanism
from privcheck.privacy import ADD_REMOVE
from privcheck.targets import RANDOM, Effort, Game, StreamPair, is_measurement

DEFAULT_ROWS = 4
"""Rows of the data of a mechanism that is audited without a horizon; `audit` documents the number."""

NUMBER = "numbers that differ by the sensitivity"
"""The base of the pairs of a shipped mechanism of a number."""

REPORTS = 32
"""Values inside the range that are compared with its ends."""

MOST_START = 9
"""Random inputs of a measurement begin at whole numbers below this."""

PAIRS_PER_ENTRY = 10
"""Random pairs for each entry of a mechanism's data, up to `RANDOM_PAIRS`: enough to move each entry several times from
several values.
"""


def mechanism_pairs(target: Any, game: Game, effort: Effort) -> list[StreamPair]:
    """Return the pairs of inputs on which a one-shot mechanism is audited.

    These are the user's own pair, if there is one; for an OpenDP measurement, pairs at distance 1 in its input metric;
    for a shipped mechanism of a number, two numbers that differ by its sensitivity; under "report", pairs of values in
    the declared range; otherwise the structured families of tables with `horizon` rows and `arms` columns, or of
    one-dimensional data without `arms`. The last two are joined by random pairs: `RANDOM_PAIRS` of tables, fewer of
    data with few entries, which leave less to chance, and `PAIRS_PER_ENTRY` for each entry of a measurement's input.
    A shipped mechanism of a number needs none: its noise does not depend on the number.
    """
    if callable(effort.streams):
        return drawn_pairs(effort.streams, effort, lambda drawn: given_pair(drawn, game))
    if effort.streams is not None:
        return [given_pair(effort.streams, game)]
    rows = _rows(game)
    read = _in_code(target, game, effort, rows)
    if is_measurement(target):
        return _measurement_pairs(target, game, effort.seed)
    if isinstance(target, Mechanism):
        size = getattr(target, "sensitivity", None)
        if game.neighbours != "row":
            hint = "its neighbours are inputs that differ by its sensitivity: for others give streams=(x, x')"
            raise PrivcheckError("neighbours", game.neighbours, "the default for a mechanism of privcheck's", hint)
        if target.sensitivity_norm not in ("L1", "L2") or size is None or game.arms:
            hint = "give streams=(x, x'), two neighbouring inputs"
            raise PrivcheckError("streams", None, f"a pair of inputs of {target.id}", hint)
        ends = ((0.0, size), (size, 0.0))
        return [StreamPair(np.array(a), np.array(b), f"{a:g} and {b:g}", NUMBER) for a, b in ends]
    if game.neighbours == "report":
        return _reports(game.arms, game.rewards) + _random(game, effort.seed, rows) + read
    columns = game.arms or 1
    if game.neighbours == ADD_REMOVE:
        pairs = adding_pairs(rows, columns, game.rewards)
    else:
        pairs = structured_pairs(rows, columns, game.rewards, game.neighbours, shown_later=False)
        number = min(VARIED_PAIRS, PAIRS_PER_ENTRY * rows * columns)
        pairs += varied_pairs(number, effort.seed, rows, columns, game.rewards, game.neighbours, shown_later=False)
    if not game.arms:
        pairs = [replace(pair, first=pair.first[:, 0], second=pair.second[:, 0]) for pair in pairs]
    return pairs + _random(game, effort.seed, rows) + read


def _rows(game: Game) -> int:
    """Return how many rows the inputs have; refuse numbers of rows in which no two inputs are such neighbours."""
    if game.neighbours == "report":
        if (game.horizon or 1) > 1:
            hint = "a report is one row of `arms` values; several rows that may all change are neighbours='group:k'"
            raise PrivcheckError("horizon", game.horizon, "1, or none, for neighbours='report'", hint)
        return 1
    return game.rounds(1) if game.horizon else max(DEFAULT_ROWS, game.relation.limit)


def _random(game: Game, seed: int, rows: int) -> list[StreamPair]:
    """Return random pairs of inputs."""
    columns = game.arms or 1
    number = min(RANDOM_PAIRS, PAIRS_PER_ENTRY * rows * columns)
    options = rows, columns, game.rewards, game.relation
    return _as_inputs(random_pairs(number, seed, *options, shown_later=False), game)


def _in_code(target: Any, game: Game, effort: Effort, rows: int) -> list[StreamPair]:
    """Return pairs of values that the code of the target names, if it is to be read."""
    found = pairs_in_code(target, game, rows, game.arms or 1, effort.seed) if effort.read_code else []
    return _as_inputs(found, game)


def _as_inputs(pairs: list[StreamPair], game: Game) -> list[StreamPair]:
    """Return tables as they are, as data of one dimension without `arms`, and as single rows under "report"."""
    report = game.neighbours == "report"
    if not game.arms:
        pairs = [replace(pair, first=pair.first[:, 0], second=pair.second[:, 0]) for pair in pairs]
    if report:
        pairs = [replace(pair, first=pair.first[0], second=pair.second[0]) for pair in pairs]
    return [replace(pair, label=_two(pair.first, pair.second)) for pair in pairs] if report else pairs


def _two(first: Any, second: Any) -> str:
    return f"{np.array(first).tolist()} and {np.array(second).tolist()}"


def _reports(arms: int | None, rewards: tuple[float, float]) -> list[StreamPair]:
    low, high = rewards
    if arms is None:
        values = [np.array(value) for value in (low, (low + high) / 2, high)]
    else:
        one = np.eye(arms, dtype=bool)
        rows = [np.full(arms, low), np.full(arms, high), *np.where(one, high, low), *np.where(one, low, high)]
        values = list({row.tobytes(): row for row in rows}.values())
    pairs = [
        StreamPair(a, b, _two(a, b), "values at the ends of the range and between")
        for a, b in itertools.permutations(values, 2)
    ]
    pairs = pairs[:MOST_PAIRS]
    if arms is None:
        ends, inside = (np.array(low), np.array(high)), np.linspace(low, high, REPORTS + 2)[1:-1]
        between = [
            pair for value in inside for end in ends for pair in ((end, np.array(value)), (np.array(value), end))
        ]
        pairs += [StreamPair(a, b, _two(a, b), RANDOM, "values inside the range") for a, b in between]
    return pairs


def _measurement_pairs(measurement: Any, game: Game, seed: int) -> list[StreamPair]:
    arms = game.arms
    metric, domain = str(measurement.input_metric), str(measurement.input_domain)
    whole = "f64" not in domain and "f32" not in domain
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(SEED_KEY,))))
    found: list[tuple[Any, Any]]
    drawn: list[tuple[Any, Any]] = []
    if metric.startswith("DiscreteDistance") and "bool" in domain:
        found = [(False, True), (True, False)]
    elif metric.startswith("AbsoluteDistance"):
        found = [(0, 1), (1, 0)]
        starts = rng.integers(MOST_START, size=PAIRS_PER_ENTRY).tolist()
        drawn = [(start, start + int(rng.choice((-1, 1)))) for start in starts]
    elif metric.startswith(("L1Distance", "L2Distance", "LInfDistance")) and domain.startswith("VectorDomain"):
        size = arms or _size(domain) or 2
        base = np.zeros(size, int)
        one = np.eye(size, dtype=int)
        moves = [one[0], -one[0]]
        if "monotonic" in metric:  # all entries move the same way
            moves += [1 - one[0], one[0] - 1]
        elif metric.startswith("LInf"):
            moves = [np.where(one[0], sign, -sign) for sign in (1, -1)]
        starts = [base + handicap * one[arm] for handicap in range(4) for arm in range(min(size, 2))]
        found = [(start, start + move) for start in starts for move in moves]
        for start in rng.integers(MOST_START, size=(min(RANDOM_PAIRS, PAIRS_PER_ENTRY * size), size)):
            step = one[rng.integers(size)]
            if metric.startswith("LInf"):
                step = rng.integers(2, size=size) if "monotonic" in metric else rng.choice((-1, 1), size=size)
            drawn.append((start, start + step * rng.choice((-1, 1))))
    elif metric.startswith(("SymmetricDistance", "InsertDeleteDistance")) and "size=" not in domain:
        rows, arms = game.horizon or DEFAULT_ROWS, 1
        found = [(p.first[:, 0], p.second[:, 0]) for p in adding_pairs(rows, arms, game.rewards)]
    else:
        hint = f"its input metric is {metric}: give streams=(x, x'), two inputs at distance 1 in it"
        raise PrivcheckError("streams", None, "a pair of inputs of the measurement", hint)
    kind = bool if "bool" in domain else int if whole else float
    return [
        StreamPair(np.array(a, kind), np.array(b, kind), _two(a, b), base)
        for base, pairs in (("inputs at distance 1 in its metric", found), (RANDOM, drawn))
        for a, b in pairs
        if not np.array_equal(a, b)
    ]


def _size(domain: str) -> int | None:
    _, found, rest = domain.partition("size=")
    return int(rest.rstrip(")")) if found else None
