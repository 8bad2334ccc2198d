"""What a simulation of best-arm identification returns: when each run stopped, and what it recommended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privcheck.arrays import Array, Bools, ComparedByValue, Integers
from privcheck.bandits import BestArmAlgorithm
from privcheck.environments import Environment
from privcheck.inference import clopper_pearson
from privcheck.results._cited_papers import papers_of
from privcheck.serialise import to_json
from privcheck.tables import Result, Row


@dataclass(frozen=True, eq=False)
class StoppingResult(ComparedByValue):
    """The runs of one policy, each scored against every delta: results of different deltas are dependent.

    Parameters
    ----------
    policy : label, distinct within a simulation.
    algorithm : the spec that was run.
    deltas : the probabilities of error, shape (D,).
    stops : the round after which each run stopped at each delta, 0 if it did not within the horizon, and the arm that
        it recommended, -1 for none; shape (runs, D, 2).
    correct : whether each arm is a best one, shape (K,).
    horizon : the number of rounds after which a run was cut.
    seconds : wall-clock time of the runs, without compilation.
    engine : how it was run: "event" or "step".
    """

    policy: str
    algorithm: BestArmAlgorithm
    deltas: Array = field(repr=False)
    stops: Integers = field(repr=False)
    correct: Bools = field(repr=False)
    horizon: int
    seconds: float
    engine: str

    def times(self) -> Array:
        """Return the stopping times, infinite for runs that were cut, shape (runs, D)."""
        times = self.stops[:, :, 0].astype(np.float64)
        times[times == 0.0] = np.inf
        return times

    def summary(self) -> list[dict[str, Any]]:
        """Return one dict per delta with statistics of the stopping time, and the errors.

        `mean` and `se` are None if a run was cut, because its stopping time is unknown, and so is `se` of one run. A
        quantile is the smallest time within which the share of runs stopped, and infinite if fewer did. `error_rate` is
        the share of runs that recommended a wrong arm, with its 95 % Clopper-Pearson interval; `cut` is the share of
        runs that did not stop.
        """
        return [self._row(d) for d in range(len(self.deltas))]

    def _row(self, d: int) -> dict[str, Any]:
        times, runs = self.times()[:, d], len(self.stops)
        stopped = np.isfinite(times)
        wrong = int((stopped & ~self.correct[self.stops[:, d, 1]]).sum())
        q05, median, q95, q99 = np.quantile(times, (0.05, 0.5, 0.95, 0.99), method="inverted_cdf").tolist()
        low, high = clopper_pearson(wrong, runs, 0.025)
        return {
            "policy": self.policy,
            "delta": float(self.deltas[d]),
            "mean": float(times.mean()) if stopped.all() else None,
            "se": float(times.std(ddof=1) / np.sqrt(runs)) if stopped.all() and runs > 1 else None,
            "median": median,
            "q05": q05,
            "q95": q95,
            "q99": q99,
            "error_rate": wrong / runs,
            "error_low": low,
            "error_high": high,
            "cut": float(1.0 - stopped.mean()),
            "runs": runs,
            "horizon": self.horizon,
            "engine": self.engine,
            "seconds": self.seconds,
        }


@dataclass(frozen=True)
class Identification(Result):
    """The result of `identify`.

    Parameters
    ----------
    environment, horizon, runs, seed : what was run.
    results : one `StoppingResult` per policy, in the order given.
    remarks : what else has to be known, such as that chunks of a store were not believed.

    Examples
    --------
    >>> from privcheck.simulation._identify import identify
    >>> found = identify("dp-exact-tt", [0.9, 0.5], horizon=1e5, delta=[0.1, 0.01], runs=10, epsilon=1.0)
    >>> [(row["delta"], row["error_rate"], row["cut"]) for row in found.summary()]
    [(0.1, 0.0, 0.0), (0.01, 0.0, 0.0)]
    """

    environment: Environment
    horizon: int
    runs: int
    seed: int
    results: tuple[StoppingResult, ...]
    remarks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        played = ", ".join(result.policy for result in self.results)
        where = f"{self.environment.id}, {len(self.environment.means)} arms"
        return f"<Identification by {played} on {where}: {self.runs:,} runs of at most {self.horizon:,} rounds>"

    def tables(self) -> dict[str, Callable[[], list[Row]]]:
        """Return "summary", a row for every policy and delta, and "runs", for every run of these."""
        return {"summary": lambda: [*self.summary()], "runs": self._run_rows}

    def _run_rows(self) -> list[Row]:
        return [
            {
                "policy": result.policy,
                "delta": delta,
                "run": run,
                "stopped": last or None,
                "arm": arm if last else None,
            }
            for result in self.results
            for d, delta in enumerate(result.deltas.tolist())
            for run, (last, arm) in enumerate(result.stops[:, d].tolist())
        ]

    def citations(self) -> tuple[str, ...]:
        """Return the BibTeX keys of the papers that the policies come from."""
        return papers_of(result.algorithm.id for result in self.results)

    def summary(self) -> list[dict[str, Any]]:
        """Return one dict per policy and delta: see `StoppingResult.summary`."""
        return [row for result in self.results for row in result.summary()]

    def notes(self) -> list[str]:
        """Return what the numbers do not say: best arms that are equally good, and policies that never stopped."""
        best = [str(arm) for arm, correct in enumerate(self.results[0].correct) if correct]
        said = []
        if len(best) > 1:
            said.append(f"arms {', '.join(best)} are equally good: each counts as right, and runs need not stop")
        for result in self.results:
            never = result.deltas[(result.stops[:, :, 0] == 0).all(axis=0)].tolist()
            said += [f"no run of {result.policy} stopped at delta {d:g} within {self.horizon:,} rounds" for d in never]
        return [*said, *self.remarks]

    def to_arrays(self) -> dict[str, Any]:
        """Return all numbers as arrays, ready for `numpy.savez(path, **arrays)`.

        Returns
        -------
        "policy" : labels, shape (P,). "delta" : shape (D,). "stop" : the round after which a run stopped, 0 if it was
        cut, and "recommendation", -1 for none: shape (P, runs, D).
        """
        stops = np.stack([result.stops for result in self.results])
        return {
            "policy": np.array([result.policy for result in self.results]),
            "delta": np.stack([result.deltas for result in self.results])[0],
            "stop": stops[..., 0],
            "recommendation": stops[..., 1],
        }

    def to_json(self) -> str:
        """Return the summary as JSON text: {"schema_version", "results": [...], "notes": [...]} and what was run."""
        place = {"id": self.environment.id, "means": self.environment.means}
        setting = {"environment": place, "horizon": self.horizon, "runs": self.runs, "seed": self.seed}
        return to_json({"results": self.summary(), "notes": self.notes()} | setting)
