"""Reading private values that hold draws of noise: which release that is, and which draws are its noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.arrays import Array, Integers
from privcheck.mechanisms import DiscreteLaplace, Gaussian, Laplace, NoisyMax, ScoresAfterWinner
from privcheck.private_values._leaks import own_place
from privcheck.private_values._noise.draws import Draws, Home, Known, Scores, summed
from privcheck.private_values._terms import Terms

if TYPE_CHECKING:
    from privcheck.private_values._private import Private

REUSED = (
    "the noise in this value was released before, with another value, and what is left is private without it: draw new "
    "noise for every release"
)
SHARED = (
    "each entry that is read needs a draw of its own, which is in no other entry: draw the noise of an array with "
    "size=, once for each entry"
)
NO_LAW = {
    "uniform": "uniform noise shows where a value is: add rng.laplace(0, scale), compare it with a private chance, or "
    "use np.where(rng.random(n) < p, x, 1 - x) for bits x",
    "exponential": "exponential noise loses without bound when it is read as a number: use rng.laplace(0, scale), or "
    "read only the argmax",
    "gumbel": "Gumbel noise loses without bound when it is read as a number: read only the argmax of scores with it",
    "geometric": "one geometric draw loses without bound: add the difference of two, or use "
    "privcheck.mechanisms.DiscreteLaplace",
}
IN_SELECT = "whether select() reads noise may depend on the context that it reads: read noised values in update()"
UNREAD = (
    "its noise was in a value that could not be read at the end of the update() that drew it: under contextual "
    "feedback draw noise in the update() that reads it"
)
COIN = (
    "the draw in it was read before, or beside other draws that were taken for the noise, so it is a public number: "
    "read a noised value before you read its noise"
)

FAR = 2.0**20  # scales of noise: the slack of the noise does not cover the rounding of larger public numbers
_MECHANISMS: dict[str, Callable[[float], Any]] = {
    "laplace": Laplace.with_scale, "normal": Gaussian.with_scale, "geometric": DiscreteLaplace.with_scale,
}  # fmt: skip


@dataclass(frozen=True)
class Noise:
    """The noise of one entry: a draw with its coefficient, and the law of their product."""

    row: int
    draw: int
    weight: float
    law: str
    scale: float
    partner: int = 0

    def is_far(self, value: Private) -> bool:
        """Tell whether the entry's public part is so large that its rounding would be charged."""
        return bool(abs(value._const.flat[self.row]) > FAR * self.scale)


@dataclass(frozen=True)
class Held:
    """What an array of private values consists of: its terms, and which of its entries hold what.

    Parameters
    ----------
    rows, features, weights : the terms, sorted by entry.
    data : the entries that depend on data.
    of_row : the draws of each entry that holds some, with their coefficients.
    rows_of : the entries of each draw.
    """

    rows: Integers
    features: Integers
    weights: Array
    data: set[int]
    of_row: dict[int, dict[int, float]]
    rows_of: dict[int, list[int]]

    @classmethod
    def of(cls, terms: Terms) -> Held:
        tidy = terms.tidy()
        rows, features, weights = tidy.rows, tidy.features, tidy.weights
        drawn = features < 0
        of_row: dict[int, dict[int, float]] = {}
        rows_of: dict[int, list[int]] = {}
        columns = (column[drawn].tolist() for column in (rows, features, weights))
        for row, number, weight in zip(*columns, strict=True):
            of_row.setdefault(row, {})[number] = weight
            rows_of.setdefault(number, []).append(row)
        return cls(rows, features, weights, set(np.unique(rows[~drawn]).tolist()), of_row, rows_of)

    @property
    def is_simple(self) -> bool:
        """Whether each entry holds at most one draw, and each draw is in one entry."""
        return all(len(found) == 1 for found in (*self.of_row.values(), *self.rows_of.values()))

    def noise(self, draws: Draws) -> list[Noise] | str:
        """Return the noise of every entry that depends on data, or why there is none."""
        if spent := [draws[number].spent or COIN for number in self.rows_of if not draws[number].fresh]:
            return spent[0]
        found = []
        for row in sorted(self.data):
            own = self.of_row.get(row)
            if own is None:
                return SHARED if self.of_row else ""
            alone = {number: weight for number, weight in own.items() if len(self.rows_of[number]) == 1}
            if not alone:
                return SHARED
            noise = _noise_of(row, alone, draws)
            if noise is None:
                return NO_LAW[draws[min(alone)].law]
            found.append(noise)
        return found


def _noise_of(row: int, alone: dict[int, float], draws: Draws) -> Noise | None:
    """Return the noise of an entry: the Laplace draw or difference of the largest scale, or a normal draw."""
    found = [
        Noise(row, number, weight, draws[number].law, abs(weight) * draws[number].scale)
        for number, weight in sorted(alone.items(), reverse=True)
        if draws[number].law in ("laplace", "normal")
    ]
    laplace = [noise for noise in found if noise.law == "laplace"] + _differences(row, alone, draws)
    whole = [noise for noise in laplace if noise.law == "geometric"]
    for candidates in ([noise for noise in laplace if noise.law == "laplace"], whole, found):
        if candidates:
            return max(candidates, key=lambda noise: noise.scale)
    return None


def _differences(row: int, alone: dict[int, float], draws: Draws) -> list[Noise]:
    """Return the pairs of an entry whose difference has a Laplace law: exponential, or geometric with weights 1, -1."""
    found = []
    waiting: dict[tuple[str, float, float], int] = {}
    for number, weight in sorted(alone.items(), reverse=True):
        draw = draws[number]
        if draw.law not in ("exponential", "geometric") or (draw.law == "geometric" and abs(weight) != 1.0):
            continue
        partner = waiting.pop((draw.law, draw.scale, -weight), None)
        if partner is None:
            waiting[draw.law, draw.scale, weight] = number
            continue
        law = "laplace" if draw.law == "exponential" else "geometric"
        found.append(Noise(row, partner, -weight, law, abs(weight) * draw.scale, number))
    return found


def publish(value: Private) -> str | None:
    r"""Release a private value, so that it is public from then on; None if that was done, otherwise why it cannot be.

    What is read is, entry by entry, y = c f + sum_j k_j z_j + (public):

    1. An array in which no datum is involved: its draws become coins, public numbers from then on.
    2. An entry that depends on data needs a fresh draw z that is in no other entry. Its noise k z is Laplace noise of
       scale |k| b, and the entry is released by the Laplace mechanism: charged first, and only then drawn. All other
       draws of the array become coins first. From then on z means (y - c f - (public)) / k wherever it stands.
    3. Where entries hold several draws, share them, or lie beside public numbers of many scales, it is first tried to
       release the entries in which these draws met data for the first time; if that makes the array public, no other.
    4. Of draws that decided a noisy maximum of Laplace noise, all scores are released first, given the winner.

    Of threads that read noise at once, one does first: another one finds public what the first has released.
    """
    if value.source is None:
        return None
    with value.source.turns:
        return _publish(value)


def _publish(value: Private) -> str | None:
    value.settle()
    if value.is_public:
        return None
    assert value.source is not None
    draws, held = value.source.draws, Held.of(value.terms)
    if not held.of_row:
        return REUSED if value.reused else ""
    if value.source.reading:
        return IN_SELECT
    if scores := next((found for number in held.rows_of if (found := draws[number].scores) is not None), None):
        _release_scores(scores)
        return _publish(value)
    spent = [draws[number].spent for number in held.rows_of if draws[number].spent]
    if spent:
        return spent[0]
    if held.data:
        noise = held.noise(draws)
        is_plain = not isinstance(noise, str) and held.is_simple and not any(one.is_far(value) for one in noise)
        if not is_plain and _published_homes(value, held):
            return _publish(value)
        if isinstance(noise, str):
            return noise
        _flip_others(value, held, noise)
        _release(value, noise)
        value.settle()
    draws.flip(held.rows_of)
    value.settle()
    return None if value.is_public else COIN


def toss(value: Private) -> None:
    """Turn the draws of a value into coins if all of them are fresh and uniform.

    So a function of a datum and such draws, like the rounding of x + U, is with the coins fixed a function of the datum
    alone. Uniform draws are the noise of no release of a number, so nothing is lost.
    """
    if not value.holds_draws or value.source is None or value.source.reading:
        return
    value.settle()
    draws = value.source.draws
    held = [number for number in set(value.terms.tidy().features.tolist()) if number < 0]
    if all(draws[number].law == "uniform" and draws[number].fresh for number in held):
        draws.flip(sorted(held, reverse=True))
        value.settle()


def _flip_others(value: Private, held: Held, noise: list[Noise]) -> None:
    """Turn the draws of a value into coins, except those that were taken for the noise."""
    assert value.source is not None
    chosen = {part for one in noise for part in (one.draw, one.partner)}
    value.source.draws.flip(number for number in held.rows_of if number not in chosen)
    value.settle()


def _published_homes(value: Private, held: Held) -> bool:
    """Release the entries in which the draws of a value met data first, if the value depends on no data after that."""
    assert value.source is not None
    draws = value.source.draws
    found: dict[tuple[int, int], Home] = {}
    for number in sorted(held.rows_of, reverse=True):
        if (home := draws[number].home) is not None:
            found.setdefault((id(home.terms), home.row), home)
    if not found:
        return False
    homes = _joined(value, list(found.values()))
    homes.settle()
    inner = Held.of(homes.terms)
    noise = inner.noise(draws)
    if isinstance(noise, str) or not _cancels(held, inner, noise):
        return False
    _flip_others(homes, inner, noise)
    _release(homes, noise)
    return True


def _joined(value: Private, homes: list[Home]) -> Private:
    """Return the entries of homes as one array."""
    columns: list[tuple[Integers, Integers, Array]] = []
    for row, home in enumerate(homes):
        one = home.terms.row(home.row)
        columns.append((np.full(one.count, row), one.features, one.weights))
    rows, features, weights = (np.concatenate(column) for column in zip(*columns, strict=True))
    const = np.array([home.const for home in homes])
    return value.make(value.source, const, Terms.of(rows, features, weights))


def _cancels(held: Held, homes: Held, noise: list[Noise]) -> bool:
    """Return whether a value depends on no data once its draws stand for the released homes minus their data."""
    of_data = held.features >= 0
    columns = [(held.rows[of_data], held.features[of_data], held.weights[of_data])]
    for one in noise:
        own = (homes.rows == one.row) & (homes.features >= 0)
        for row in held.rows_of.get(one.draw, ()):
            factor = held.of_row[row][one.draw] / one.weight
            columns.append((np.full(own.sum(), row), homes.features[own], -factor * homes.weights[own]))
    rows, features, weights = (np.concatenate(column) for column in zip(*columns, strict=True))
    return summed(rows, features, weights).count == 0


def _release(value: Private, noise: list[Noise]) -> None:
    """Release the entries with this noise, entries of one law together, and say what their draws have become."""
    kinds = [(one.law, one.scale if one.law == "geometric" else 0.0) for one in noise]
    for kind in dict.fromkeys(kinds):
        _release_together(value, [one for one, own in zip(noise, kinds, strict=True) if own == kind])


def _release_together(value: Private, noise: list[Noise]) -> None:
    source = value.source
    assert source is not None
    tidy, consts = value.terms.tidy(), value._const.ravel()
    rows, features, weights = tidy.rows, tidy.features, tidy.weights
    scales = np.array([one.scale for one in noise])
    same = bool((scales == scales[0]).all())
    scale, factors = (float(scales[0]), np.ones(scales.size)) if same else (1.0, scales)
    exact_const = np.array([consts[one.row] for one in noise])
    parts, columns = [], []
    for place, one in enumerate(noise):
        own = (rows == one.row) & (features >= 0)
        parts.append((features[own], weights[own]))
        columns.append((np.full(own.sum(), place), features[own], weights[own] / factors[place]))
    numbers = (np.concatenate(column) for column in zip(*columns, strict=True))
    exact = value.make(source, exact_const / factors, Terms.of(*numbers))
    home = next((h for one in noise if (h := source.draws[one.draw].home) is not None), None)
    output = source.release(_MECHANISMS[noise[0].law](scale), exact, home.location if home else own_place())
    released = np.asarray(output, np.float64) * factors
    for one, y, const, (own_features, own_weights) in zip(noise, released.tolist(), exact_const, parts, strict=True):
        if one.partner:
            source.draws.spend([one.partner], COIN)
            own_features = np.append(own_features, one.partner)
            own_weights = np.append(own_weights, -one.weight)
        with np.errstate(under="ignore"):
            known = Known(float((y - const) / one.weight), own_features, -own_weights / one.weight)
        source.draws.know(one.draw, known)


def winner(scores: Private) -> int | None:
    r"""Release the index of the largest of K noised scores; None if they have to be read as numbers instead.

    It is a noisy maximum if each score holds one fresh draw of its own, all of one law and one effective scale, and
    none of the others: Laplace, or with positive coefficients Gumbel or exponential. Its charge is the range of the
    score differences over the scale. Where the release of all scores costs no datum more than that, they are released.
    None of the draws is noise after a noisy maximum. Reading one releases all scores, in full, if the noise is Laplace.
    """
    if scores.source is None:
        return None
    with scores.source.turns:
        return _winner(scores)


def _winner(scores: Private) -> int | None:
    scores.settle()
    if scores.ndim != 1 or scores.is_public or scores.source is None:
        return None
    draws, held = scores.source.draws, Held.of(scores.terms)
    if not held.data or not held.is_simple or len(held.of_row) < scores.size:
        return None
    if not all(draws[number].fresh for number in held.rows_of):
        return None
    found = {
        (draws[number].law, abs(weight) * draws[number].scale, draws[number].law == "laplace" or weight > 0.0)
        for own in held.of_row.values()
        for number, weight in own.items()
    }
    if len(found) != 1:
        return None
    ((law, scale, fits),) = found
    if not fits or law not in ("laplace", "gumbel", "exponential"):
        return None
    of_data = held.features >= 0
    columns = (column[of_data] for column in (held.rows, held.features, held.weights))
    exact = scores.make(scores.source, scores._const.copy(), Terms.of(*columns))
    if law == "laplace":
        whole, alone = (exact.sensitivities(norm) for norm in ("l1", "range"))
        if all(whole[datum] <= alone[datum] * (1.0 + 1e-12) for datum in whole):
            return None
    location = next((h.location for number in held.rows_of if (h := draws[number].home) is not None), own_place())
    index = int(scores.source.release(NoisyMax.with_scale(scale, noise=law), exact, location))
    draws.spend(held.rows_of, SELECTED)
    if law == "laplace":
        own = (next(iter(held.of_row[row].items())) for row in range(scores.size))
        draws.keep_scores(Scores(exact, tuple(own), scale, index))
    if scores.source.on_winner is not None:
        scores.source.on_winner(held, index)
    return index


def _release_scores(scores: Scores) -> None:
    """Release noisy scores whose largest was released before, and say what their draws have become."""
    exact, source = scores.exact, scores.exact.source
    assert source is not None
    mechanism = ScoresAfterWinner.with_scale(scores.scale, winner=scores.winner)
    released = np.asarray(source.release(mechanism, exact, own_place()), np.float64).tolist()
    tidy, consts = exact.terms.tidy(), exact._const.tolist()
    for row, ((number, weight), y) in enumerate(zip(scores.noise, released, strict=True)):
        if number in source.draws:
            own = tidy.rows == row
            with np.errstate(under="ignore"):
                known = Known((y - consts[row]) / weight, tidy.features[own], -tidy.weights[own] / weight)
            source.draws.know(number, known)


SELECTED = (
    "its one-sided noise decided a noisy maximum, of which only the winner can be released: draw Laplace noise for the "
    "values, and spend budget on them"
)


def standard(law: str, scale: float, rng: np.random.Generator) -> float:
    """Return one draw of a law of noise: a public coin.

    >>> standard("laplace", 2.0, np.random.default_rng(0)) == np.random.default_rng(0).laplace(0.0, 2.0)
    True
    """
    if law == "normal":
        return float(rng.normal(0.0, scale))
    if law == "uniform":
        return float(rng.random())
    if law == "geometric":
        return float(rng.geometric(-math.expm1(-1.0 / scale)))
    drawn: Any = {"laplace": rng.laplace, "gumbel": rng.gumbel}.get(law)
    return float(rng.exponential(scale) if drawn is None else drawn(0.0, scale))
