"""The regret of certified patches, beside that of the original: which of them still learn, and which learns best."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from privcheck.arrays import Array
from privcheck.errors import PrivcheckError
from privcheck.fixing._environments import Place, places_for
from privcheck.fixing._look import Setting, apart, computing
from privcheck.fixing._patched_file import as_file
from privcheck.fixing._source_text import SourceText
from privcheck.results import PlaceRegret, PolicyRegret
from privcheck.simulation import simulate
from privcheck.targets import Location

ROUNDS = 2000
"""Rounds of a run, if no number is given."""

FIRST, BATCH, FEWEST, MOST = 2, 6, 32, 256
"""Runs of the first batch and of later ones; the fewest and the most runs in an environment."""

STOPS = 0.25
"""How much the regret of the last third, as a share of the uniform policy's, may rise over the original's."""

LEARNS = 0.5
"""A policy whose regret of the last third is below this share of the uniform policy's has learned."""

BESIDE = "adap-ucb"
"""The shipped algorithm that is measured beside the patches."""


class Priced(NamedTuple):
    """The regret of the original and of each patch, None where it could not be measured, and what else was played.

    It is settled if the best patches differ by two standard errors, and none of them is as close to one that stops
    learning. Otherwise `tied` has the places of those among which it is not settled which one is best.
    """

    original: PolicyRegret | None
    patches: list[PolicyRegret | None]
    stops: list[str]
    others: tuple[PolicyRegret, ...]
    is_settled: bool = True
    tied: frozenset[int] = frozenset()


class Meter:
    """Regrets of the original and of patches, run by run, at two thirds of the rounds and at the end."""

    def __init__(
        self, source: SourceText, class_name: str, texts: Sequence[str], setting: Setting, rounds: int, seconds: float
    ) -> None:
        self.source, self.class_name, self.texts, self.setting = source, class_name, [source.text, *texts], setting
        self.rounds, self.seconds, self.started = rounds, seconds, computing()
        self.places = places_for(source.text, class_name, setting)
        self.runs: list[Array | None] = [np.empty((0, len(self.places), 2)) for _ in self.texts]
        self.batches = self.imports = 0

    @property
    def spent(self) -> float:
        """CPU seconds of runs: those of importing the file do not count."""
        return computing() - self.started - self.imports * self.setting.importing

    def play(self, which: Sequence[int], runs: int) -> None:
        """Play as many more runs of some of the texts; all of them see the same rewards."""
        for number in which:
            left = math.ceil(max(10.0, 2.0 * self.seconds) + self.setting.importing)
            seed, before = self.setting.seed + self.batches, self.runs[number]
            with as_file(self.source, self.texts[number]) as file:
                work = partial(_regrets, file, self.class_name, self.setting, self.places, self.rounds, runs, seed)
                found = apart(work, left, None)
            self.imports += 1
            failed = before is None or found is None or isinstance(found, PrivcheckError)
            self.runs[number] = None if failed else np.concatenate([before, found])
        self.batches += 1

    def played(self, number: int) -> int:
        runs = self.runs[number]
        return 0 if runs is None else len(runs)

    def shares(self, number: int, count: int | None = None) -> Array:
        """Return the regret of runs as shares of the uniform policy's: shape (runs, places, 2), all and last third."""
        runs = self.runs[number]
        assert runs is not None
        runs = runs[:count]
        gaps = np.array([place.gap for place in self.places])
        late = runs[:, :, 1] - runs[:, :, 0]
        third = self.rounds - late_from(self.rounds)
        return np.stack([runs[:, :, 1] / (gaps * self.rounds), late / (gaps * third)], axis=2)

    def rise(self, number: int) -> tuple[float, float, int]:
        """Return by how much the share of the last third rises over the original's in the environment where it rises
        most, the standard error, and the environment.
        """
        count = min(self.played(0), self.played(number))
        differences = (self.shares(number, count) - self.shares(0, count))[:, :, 1]
        means = differences.mean(axis=0)
        worst = int(np.argmax(means))
        return float(means[worst]), _error(differences[:, worst]), worst

    def difference(self, one: int, two: int) -> tuple[float, float]:
        """Return the mean difference of the regrets of two texts, as shares, and its standard error."""
        count = min(self.played(one), self.played(two))
        found = (self.shares(one, count) - self.shares(two, count))[:, :, 0].mean(axis=1)
        return float(found.mean()), _error(found)


def _error(values: Array) -> float:
    return float(values.std(ddof=1) / math.sqrt(len(values))) if len(values) > 1 else math.inf


def priced(
    source: SourceText, class_name: str, texts: Sequence[str], setting: Setting, *, rounds: int, seconds: float
) -> Priced:
    """Return the regret of the original and of patches, measured until the best ones differ by two standard errors.

    Parameters
    ----------
    source, class_name : the original.
    texts : the patches.
    setting : the budget, the arms, the range of rewards and the seed.
    rounds : of a run.
    seconds : CPU seconds after which no more runs are begun.
    """
    meter = Meter(source, class_name, texts, setting, rounds, seconds)
    every = list(range(len(meter.texts)))
    meter.play(every, FIRST)
    while meter.spent < seconds and meter.played(0) < MOST and (still := _undecided(meter)):
        meter.play([0, *still], BATCH)
    return Priced(
        _regret(meter, 0, "original"),
        [_regret(meter, number, f"patch {number}") for number in every[1:]],
        [_stops(meter, number) for number in every[1:]],
        others(meter.places, setting, rounds),
        not _undecided(meter),
        frozenset(number - 1 for number in _may_be_best(meter)),
    )


def _undecided(meter: Meter) -> list[int]:
    """Return the patches of which more runs would tell more, without the original: those that may be the best."""
    known = [number for number in range(1, len(meter.texts)) if meter.runs[number] is not None]
    if meter.runs[0] is None or not known:
        return []
    if meter.played(0) < FEWEST:
        return [number for number in known if meter.played(number) == meter.played(0)]
    return _may_be_best(meter)


def _may_be_best(meter: Meter) -> list[int]:
    """Return the patches among which runs so far do not settle which one is best, or whether it learns."""
    known = [number for number in range(1, len(meter.texts)) if meter.runs[number] is not None]
    if meter.runs[0] is None or not known:
        return []
    known = [number for number in known if meter.played(number) == meter.played(0)]
    rises = {number: meter.rise(number) for number in known}
    learning = [number for number in known if rises[number][0] <= STOPS]
    doubtful = [number for number in known if abs(rises[number][0] - STOPS) < 2.0 * rises[number][1]]
    if not learning:
        return doubtful
    best = min(learning, key=lambda number: float(meter.shares(number)[:, :, 0].mean()))
    close = []
    for number in dict.fromkeys([*learning, *doubtful]):
        if number != best:
            mean, error = meter.difference(number, best)
            if mean < 2.0 * error:
                close.append(number)
    if not close and best not in doubtful:
        return []
    return [best, *close]


def _stops(meter: Meter, number: int) -> str:
    """Return that a patch stops learning, in words; an empty text if it does not."""
    if meter.runs[0] is None:
        return "the regret of the original could not be measured"
    if meter.runs[number] is None:
        return "its regret could not be measured"
    rise, _, worst = meter.rise(number)
    if rise <= STOPS:
        return ""
    count = min(meter.played(0), meter.played(number))
    now, before = (float(meter.shares(each, count)[:, worst, 1].mean()) for each in (number, 0))
    place = meter.places[worst].told(*meter.setting.rewards)
    return (
        f"it stops learning: in the last third of the rounds its regret is {now:.2f} of the uniform policy's "
        f"(original {before:.2f}) with {place}"
    )


def _regret(meter: Meter, number: int, name: str) -> PolicyRegret | None:
    runs = meter.runs[number]
    if runs is None or not len(runs):
        return None
    width = meter.setting.rewards[1] - meter.setting.rewards[0]
    shares = meter.shares(number)
    found = [
        PlaceRegret(
            place.told(*meter.setting.rewards),
            width * float(runs[:, each, 1].mean()),
            width * _error(runs[:, each, 1]),
            *(float(shares[:, each, part].mean()) for part in (0, 1)),
        )
        for each, place in enumerate(meter.places)
    ]
    return PolicyRegret(name, len(runs), tuple(found))


def others(places: Sequence[Place], setting: Setting, rounds: int) -> tuple[PolicyRegret, ...]:
    """Return the regret of the uniform policy, which is computed, and of a shipped algorithm with the same budget."""
    low, high = setting.rewards
    width = high - low
    uniform = [PlaceRegret(place.told(low, high), width * place.gap * rounds, 0.0, 1.0, 1.0) for place in places]
    shipped = []
    for place in places:
        found = simulate(
            [BESIDE], place.chances, horizon=rounds, runs=FEWEST, seed=setting.seed, epsilon=setting.epsilon,
            checkpoints=[late_from(rounds)], shuffle_arms=True,
        )  # fmt: skip
        regret = found.results[0].regret
        last = regret[:, -1]
        late = (last - regret[:, 0]).mean() / (place.gap * (rounds - late_from(rounds)))
        shares = float(last.mean()) / (place.gap * rounds), float(late)
        shipped.append(PlaceRegret(place.told(low, high), width * float(last.mean()), width * _error(last), *shares))
    return PolicyRegret("uniform", 0, tuple(uniform)), PolicyRegret(BESIDE, FEWEST, tuple(shipped))


def late_from(rounds: int) -> int:
    """Return the round after which the last third begins."""
    return rounds - max(1, rounds // 3)


def about_price(price: Priced) -> list[str]:
    """Return why regret tells little here, in sentences: it was not measured, not often enough, or nothing learns."""
    if price.original is None:
        return ["the regret of the original could not be measured, so whether patches learn is not known"]
    told = []
    fewest = min(each.runs for each in (price.original, *price.patches) if each is not None)
    if fewest < FEWEST:
        told.append(
            f"the time for regret was over after {fewest} runs in an environment, fewer than {FEWEST}: which patch is "
            "best, and whether it learns, is not settled; a larger time budget plays more"
        )
    elif not price.is_settled:
        more = "" if price.original.runs >= MOST else "; a larger time budget plays more"
        told.append(
            f"after {price.original.runs} runs in an environment it is not settled which patch is best, or whether it "
            f"learns: two standard errors are more than what is between them, so fewer lines come first{more}"
        )
    if all(place.late >= LEARNS for place in price.original.places):
        told.append(
            "the original does not learn in these environments at this budget, so a patch that does not learn either "
            "is not found out; a class that takes epsilon for something else, such as a rate of exploration, needs "
            "another name for that parameter"
        )
    return told


def ratio(patch: PolicyRegret | None, original: PolicyRegret | None) -> float | None:
    """Return the regret of a patch over the original's, in the environments in which that learns; None if in none."""
    if patch is None or original is None:
        return None
    pairs = [(one.mean, two.mean) for one, two in zip(patch.places, original.places, strict=True) if two.late < LEARNS]
    below = sum(two for _, two in pairs)
    return sum(one for one, _ in pairs) / below if below > 0.0 else None


def _regrets(
    file: Path, class_name: str, setting: Setting, places: Sequence[Place], rounds: int, runs: int, seed: int
) -> Array | None:
    """Return the regret of runs on the unit interval, shape (runs, places, 2); None for a program that fails."""
    found: list[Any] = []
    try:
        factory = _on_unit_interval(Location(str(file), class_name).load(), *setting.rewards)
        for place in places:
            simulation = simulate(
                [factory], place.chances, horizon=rounds, runs=runs, seed=seed, epsilon=setting.epsilon,
                checkpoints=[late_from(rounds)], shuffle_arms=True, time_budget=math.inf,
            )  # fmt: skip
            found.append(simulation.results[0].regret)
    except PrivcheckError:
        return None
    return np.stack(found, axis=1)


def _on_unit_interval(cls: Any, low: float, high: float) -> Any:
    """Return a class that receives rewards of [0, 1] and tells them to a bandit in its range, under the same name."""
    if (low, high) == (0.0, 1.0):
        return cls

    def update(self: Any, action: int, reward: float) -> None:
        cls.update(self, action, (1.0 - reward) * low + reward * high)  # the ends exactly, for code that checks them

    return type(cls.__name__, (cls,), {"update": update, "__module__": cls.__module__})
