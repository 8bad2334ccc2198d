"""What counts as neighbours in the audit of a function of data, said beside its verdict."""

from __future__ import annotations

from typing import Any

from privcheck.enclosure import rounded_down
from privcheck.mechanisms import Mechanism
from privcheck.privacy import ADD_REMOVE
from privcheck.results import Outcome
from privcheck.targets import Claim, Game, Given, StreamPair, Target, is_measurement


def relation_note(
    outcome: Outcome, policy: Target, claim: Claim, game: Game, streams: Any, pairs: list[StreamPair]
) -> tuple[str, ...]:
    """Return the note for a function of data or a mechanism; nothing for other targets.

    Without a claim it says only what a bound takes on the user's word.

    A claim about adding or removing one row is another claim: one row is replaced by removing it and adding another, so
    (epsilon, delta) under that relation is (2 epsilon, (1 + e^epsilon) delta) under replacement.

    Parameters
    ----------
    outcome : the verdict and the lower bound.
    policy : the target.
    claim, game : what is claimed, and of what.
    streams : as they were given.
    pairs : the candidates; they are the user's if there are `streams`, and may differ in one row or in several.
    """
    if not outcome.counted_runs or policy.mechanism is None or game.neighbours == "report":
        return ()
    words, said = on_your_word(policy, game, streams, pairs), taken_as_neighbours(policy, game, streams, pairs)
    if not claim.given:
        return words
    if knows_its_neighbours(policy.mechanism) or game.neighbours == ADD_REMOVE:
        return said
    if words == (ON_YOUR_WORD,):
        return (f"{ON_YOUR_WORD}; {_other_claim(outcome, claim)}, if they differ in one row that both have",)
    rows = game.relation.limit if streams is None else _differing(streams, pairs)[1]
    return said if words or rows > 1 else (f"{said[0]}. {_other_claim(outcome, claim)}",)


def taken_as_neighbours(policy: Target, game: Game, streams: Any, pairs: list[StreamPair]) -> tuple[str, ...]:
    """Return which inputs of a function of data or a mechanism count as neighbours; nothing for other targets.

    The parameters are those of `relation_note`.
    """
    if policy.mechanism is None or game.neighbours == "report":
        return ()
    words = on_your_word(policy, game, streams, pairs)
    if knows_its_neighbours(policy.mechanism):
        return words or _own_metric(policy.mechanism)
    if game.neighbours == ADD_REMOVE:
        said = f"neighbours here are data of which one has a row more (neighbours={ADD_REMOVE!r}), "
        said += "so the number of rows is private too; a claim about replacing one row is another claim"
        return ("; ".join((said, *words)),)
    unit = {"row": "one row", "reward": "one entry"}.get(game.neighbours, f"{game.relation.limit} rows")
    what = f"differ in {unit} (neighbours={game.neighbours!r})" if streams is None else _differing(streams, pairs)[0]
    return words or (f"neighbours here are data of the same size that {what}; nothing is added or removed",)


ON_YOUR_WORD = "whether the two inputs are neighbours is taken on your word"


def on_your_word(policy: Target, game: Game, streams: Any, pairs: list[StreamPair]) -> tuple[str, ...]:
    """Return what every bound takes on the user's word about inputs that were given; nothing for the others.

    The parameters are those of `relation_note`.
    """
    if streams is None or policy.mechanism is None or game.neighbours == "report":
        return ()
    if knows_its_neighbours(policy.mechanism) or any(isinstance(pair.first, Given) for pair in pairs):
        return (ON_YOUR_WORD,)
    if game.neighbours == ADD_REMOVE:
        return ()  # that one array has a row more was checked
    what, rows = _differing(streams, pairs)
    if rows <= game.relation.limit:
        return ()
    said = f"this holds provided that data which {what}, are neighbours: that is taken on your word"
    return (f"{said}; for a claim about one row, undo the other changes",)


def _differing(streams: Any, pairs: list[StreamPair]) -> tuple[str, int]:
    """Return how the inputs differ, in words, and in how many rows at most."""
    numbers = {len(pair.rounds) for pair in pairs}
    rows, most = max(numbers), "up to " if len(numbers) > 1 else ""
    given = "given" if not callable(streams) else "drawn by your function"
    return f"differ in {'one row' if rows == 1 else f'{most}{rows} rows'}, as the inputs {given} do", rows


def knows_its_neighbours(mechanism: Any) -> bool:
    """Tell whether a target is a mechanism of privcheck's or a measurement, whose neighbours it says itself."""
    return isinstance(mechanism, Mechanism) or is_measurement(mechanism)


def _own_metric(mechanism: Any) -> tuple[str, ...]:
    """Return the note for a mechanism or a measurement, whose metric may be another one than that of the relation."""
    if isinstance(mechanism, Mechanism):
        size = getattr(mechanism, "sensitivity", None)
        return () if size is None else (f"neighbours here are inputs that differ by its sensitivity, {size:g}",)
    metric = str(mechanism.input_metric)
    return (f"neighbours here are inputs at distance 1 in its input metric, {metric}, and so they are in the claim",)


def _other_claim(outcome: Outcome, claim: Claim) -> str:
    """Return what the same claim, about adding or removing one row, would mean here."""
    epsilon, lower = claim.epsilon, outcome.epsilon_lower
    if epsilon is None:
        other = f"mu of {2.0 * claim.mu:g}" if claim.mu is not None else "more"
        other = f"rho of {4.0 * claim.rho:g}" if claim.rho is not None else other
        return f"a claim about adding or removing one row allows {other} here"
    allows = f"a claim about adding or removing one row allows 2 epsilon = {2.0 * epsilon:g} here"
    if claim.delta:
        return f"{allows}, with (1 + e^epsilon) delta"
    if outcome.verdict != "violation" or lower is None:
        return allows
    if lower > 2.0 * epsilon:
        return f"{allows}, and the lower bound {rounded_down(lower)} is above that too"
    undecided = f"{allows}, which the lower bound {rounded_down(lower)} does not refute"
    return f"{undecided}: check which relation the claim is about, and audit that one with neighbours={ADD_REMOVE!r}"
