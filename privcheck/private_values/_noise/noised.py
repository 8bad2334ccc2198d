"""Reading private values that hold draws of noise: which release that is, and which draws are its noise."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.mechanisms import DiscreteLaplace, Gaussian, Laplace, NoisyMax, ScoresAfterWinner
from privcheck.private_values._leaks import own_place
from privcheck.private_values._noise.draws import Home, Known, Scores
from privcheck.private_values._noise.held_draws import COIN, Held, Noise, cancels, joined, released_in_turn
from privcheck.private_values._terms import Terms

if TYPE_CHECKING:
    from privcheck.private_values._private import Private

REUSED = (
    "the noise in this value was released before, with another value, and what is left is private without it: draw new "
    "noise for every release"
)
IN_SELECT = "whether select() reads noise may depend on the context that it reads: read noised values in update()"
UNREAD = (
    "its noise was in a value that could not be read at the end of the update() that drew it: under contextual "
    "feedback draw noise in the update() that reads it"
)
_MECHANISMS: dict[str, Callable[[float], Any]] = {
    "laplace": Laplace.with_scale, "normal": Gaussian.with_scale, "geometric": DiscreteLaplace.with_scale,
}  # fmt: skip


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
    homes = joined(value, list(found.values()))
    homes.settle()
    inner = Held.of(homes.terms)
    noise = inner.noise(draws)
    if not isinstance(noise, str) and cancels(held, inner, noise):
        _flip_others(homes, inner, noise)
        _release(homes, noise)
        return True
    in_turn = released_in_turn(held, inner, draws)
    for row in in_turn:
        one = joined(value, [[*found.values()][row]])
        one.settle()
        alone = Held.of(one.terms)
        if isinstance(noise := alone.noise(draws), str):
            break
        _flip_others(one, alone, noise)
        _release(one, noise)
    return bool(in_turn)


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
