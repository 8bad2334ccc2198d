"""A score learned by logistic regression, for outputs with many parts."""

from __future__ import annotations

import numpy as np

from privcheck.arrays import Array, Symbols
from privcheck.auditing._scoring.prefix import distinct_rows
from privcheck.scheduling import one_thread

MOST_TRAINING_RUNS = 100_000
"""Training runs per stream that the regression uses if outputs contain numbers, to bound its time; of discrete outputs
it uses all, as counts.
"""

MOST_COLUMNS = 256
"""Indicator columns for symbols, to bound the time and memory of the fit; columns beyond them are left out."""


class LogisticScore:
    """The log-odds of a logistic regression on indicators of the symbols and on x, |x| and x^2 of the numbers.

    Each number is centred at its median, scaled by its interquartile range and clipped to [-8, 8], so that heavy tails
    do not dominate the fit; for x^2 it is clipped to [-3, 3]. A missing number counts as 0 and has an indicator.

    Parameters
    ----------
    first, second : (symbols, numbers) of the training runs on each stream, shapes (n, D) and (n, E).

    """

    def __init__(self, first: tuple[Symbols, Array], second: tuple[Symbols, Array]):
        from sklearn.linear_model import LogisticRegression  # slow to import, and seldom needed

        if first[1].shape[1]:
            first, second = ((s[:MOST_TRAINING_RUNS], x[:MOST_TRAINING_RUNS]) for s, x in (first, second))
        symbols = np.concatenate([first[0], second[0]])
        numbers = np.concatenate([first[1], second[1]])
        self.levels = _levels(symbols)
        finite = np.where(np.isfinite(numbers), numbers, np.nan)
        quartiles, seen = np.zeros((3, finite.shape[1])), ~np.isnan(finite).all(axis=0)
        if seen.any():
            with np.errstate(all="ignore"):
                quartiles[:, seen] = np.nan_to_num(np.nanquantile(finite[:, seen], (0.25, 0.5, 0.75), axis=0))
        self.centre, spread = quartiles[1], quartiles[2] - quartiles[0]
        self.spread = np.where(spread > 0.0, spread, 1.0)
        self.gaps = np.flatnonzero(np.isnan(numbers).any(axis=0))
        label = np.repeat([1, 0], [len(first[0]), len(second[0])])
        features, weight = self._features(symbols, numbers), None
        if not numbers.shape[1]:  # discrete outputs have few distinct rows
            kept, row = distinct_rows(symbols)
            counts = np.stack([np.bincount(row[label == side], minlength=len(kept)) for side in (1, 0)])
            features, weight = np.tile(features[kept], (2, 1)), counts.ravel().astype(float)
            label = np.repeat([1, 0], len(kept))
        self.weights, self.intercept = np.zeros(0), 0.0
        if features.shape[1]:
            with one_thread():
                model = LogisticRegression(max_iter=200).fit(features, label, sample_weight=weight)
            self.weights, self.intercept = model.coef_[0], float(model.intercept_[0])

    def _features(self, symbols: Symbols, numbers: Array) -> Array:
        indicators = [symbols[:, column] == level for column, level in self.levels]
        x = (numbers - self.centre) / self.spread
        missing = np.isnan(x)
        x = np.clip(np.where(missing, 0.0, x), -8.0, 8.0)
        parts = [np.stack(indicators, 1).astype(float)] if indicators else []
        if x.shape[1]:
            parts += [x, np.abs(x), np.clip(x, -3.0, 3.0) ** 2, missing[:, self.gaps].astype(float)]
        return np.concatenate(parts, axis=1) if parts else np.zeros((len(symbols), 0))

    def __call__(self, values: tuple[Symbols, Array]) -> Array:
        """Return the log-odds of the first stream, shape (n,)."""
        if values[1].shape[1]:
            return self._log_odds(self._features(*values))
        kept, row = distinct_rows(values[0])
        return self._log_odds(self._features(values[0][kept], values[1][kept]))[row]

    def _log_odds(self, features: Array) -> Array:
        """Return the log-odds of rows, added up column by column: a matrix product may round equal rows differently,
        and runs with the same output would then fall on both sides of a threshold.
        """
        total = np.full(len(features), self.intercept)
        for column, weight in enumerate(self.weights):
            total += weight * features[:, column]
        return total


def _levels(symbols: Symbols) -> list[tuple[int, int]]:
    """Return (column, symbol) for every indicator: one for all but one of the symbols of a column."""
    found: list[tuple[int, int]] = []
    for column in range(symbols.shape[1]):
        levels = np.unique(symbols[:, column])[1:]
        if len(levels) > 32 or len(found) + len(levels) > MOST_COLUMNS:
            continue
        found += [(column, int(level)) for level in levels]
    return found
