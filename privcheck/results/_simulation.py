"""What a simulation returns: the regret of every run at the checkpoints, its summary, and its figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck import presenting
from privcheck.arrays import Array, ComparedByValue, Integers
from privcheck.bandits import Algorithm
from privcheck.environments import Environment
from privcheck.results._cited_papers import papers_of
from privcheck.results._own_policy import OwnPolicy, Remark
from privcheck.serialise import to_json
from privcheck.tables import Result, Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from privcheck.results._comparison import Comparison

STATISTICS = ("mean", "se", "median", "q05", "q95", "q99")


@dataclass(frozen=True, eq=False)
class PolicyResult(ComparedByValue):
    """The runs of one policy.

    Parameters
    ----------
    policy : label, distinct within a simulation.
    algorithm : the spec that was run; an `OwnPolicy` if it is not shipped.
    checkpoints : rounds, shape (C,).
    regret : pseudo-regret of every run at the checkpoints, shape (runs, C).
    seconds : wall-clock time of the runs, without compilation.
    engine : how it was run: "event", one episode at a time, "step", one round at a time, or "python".
    """

    policy: str
    algorithm: Algorithm | OwnPolicy
    checkpoints: Integers = field(repr=False)
    regret: Array = field(repr=False)
    seconds: float
    engine: str

    @property
    def labelled(self) -> bool:
        """Whether the label is one that a user chose: others begin with what they stand for."""
        algorithm = self.algorithm
        return not self.policy.startswith(algorithm.name if isinstance(algorithm, OwnPolicy) else algorithm.id)

    def summary(self) -> dict[str, Any]:
        """Return statistics of the final pseudo-regret; `se`, the standard error of the mean, is None for one run."""
        final = {name: float(values[-1]) for name, values in self.curves().items()}
        return {
            "policy": self.policy,
            **final,
            "se": final["se"] if len(self.regret) > 1 else None,
            "runs": len(self.regret),
            "horizon": int(self.checkpoints[-1]),
            "engine": self.engine,
            "seconds": self.seconds,
        }

    def curves(self) -> dict[str, Array]:
        """Return statistics of the pseudo-regret at the checkpoints, each of shape (C,); `se` is NaN for one run."""
        runs = len(self.regret)
        q05, median, q95, q99 = np.quantile(self.regret, (0.05, 0.5, 0.95, 0.99), axis=0)
        spread = self.regret.std(axis=0, ddof=1) if runs > 1 else np.full(len(self.checkpoints), np.nan)
        values = (self.regret.mean(axis=0), spread / np.sqrt(runs), median, q05, q95, q99)
        return dict(zip(STATISTICS, values, strict=True))


@dataclass(frozen=True, eq=False)
class Simulation(ComparedByValue, Result):
    """The result of `simulate`.

    Parameters
    ----------
    environment, horizon, runs, seed : what was run.
    checkpoints : rounds at which the regret was kept, shape (C,).
    results : one `PolicyResult` per policy, in the order given.
    remarks : policies with fewer runs than `runs`, and policies that were left out.
    shuffle_arms : whether the arms were in a random order in every run.

    Examples
    --------
    >>> from privcheck.simulation._simulate import simulate
    >>> simulation = simulate("adap-ucb", [0.75, 0.5], horizon=1000, runs=10, checkpoints=4, epsilon=1.0)
    >>> {name: array.shape for name, array in simulation.to_arrays().items()}
    {'policy': (1,), 'round': (4,), 'regret': (1, 10, 4)}
    >>> list(simulation.summary()[0])
    ['policy', 'mean', 'se', 'median', 'q05', 'q95', 'q99', 'runs', 'horizon', 'engine', 'seconds']
    """

    environment: Environment
    horizon: int
    runs: int
    seed: int
    checkpoints: Integers = field(repr=False)
    results: tuple[PolicyResult, ...]
    remarks: tuple[Remark, ...] = ()
    shuffle_arms: bool = False

    def __repr__(self) -> str:
        played = ", ".join(result.policy for result in self.results)
        where = f"{self.environment.id}, {self.environment.arms} arms"
        return f"<Simulation of {played} on {where}: {self.runs:,} runs of {self.horizon:,} rounds>"

    def _repr_html_(self) -> str:
        return presenting.notebook(self)

    def tables(self) -> dict[str, Callable[[], list[Row]]]:
        """Return "summary", a row for every policy; "curves", for every checkpoint; and "runs", for every run of it."""
        return {"summary": lambda: [*self.summary()], "curves": self._curve_rows, "runs": self._run_rows}

    def _curve_rows(self) -> list[Row]:
        return [
            {"policy": result.policy, "round": int(t)} | {name: float(of[c]) for name, of in curves.items()}
            for result, curves in ((result, result.curves()) for result in self.results)
            for c, t in enumerate(self.checkpoints)
        ]

    def _run_rows(self) -> list[Row]:
        rounds = self.checkpoints.tolist()
        return [
            {"policy": result.policy, "run": run, "round": t, "regret": regret}
            for result in self.results
            for run, path in enumerate(result.regret.tolist())
            for t, regret in zip(rounds, path, strict=True)
        ]

    def citations(self) -> tuple[str, ...]:
        """Return the BibTeX keys of the papers that the policies come from."""
        return papers_of(str(getattr(result.algorithm, "id", "")) for result in self.results)

    def _writers(self, table: str | None) -> dict[str, Callable[[Path], None]]:
        return super()._writers(table) | {".npz": self.save_npz}

    def to_arrays(self) -> dict[str, Any]:
        """Return all numbers as arrays, ready for `numpy.savez(path, **arrays)`.

        Returns
        -------
        "policy" : labels, shape (P,). "round" : checkpoints, shape (C,). "regret" : pseudo-regret, shape (P, runs, C);
        NaN in place of the last runs of a policy that has fewer than the others.
        """
        most = max(len(result.regret) for result in self.results)
        regret = np.full((len(self.results), most, len(self.checkpoints)), np.nan)
        for rows, result in zip(regret, self.results, strict=True):
            rows[: len(result.regret)] = result.regret
        return {
            "policy": np.array([result.policy for result in self.results]),
            "round": self.checkpoints.copy(),
            "regret": regret,
        }

    def summary(self) -> list[dict[str, Any]]:
        """Return one dict per policy with the mean, standard error and quantiles of the final pseudo-regret."""
        return [result.summary() for result in self.results]

    def curves(self) -> dict[str, Array]:
        """Return the mean, standard error, median and quantiles at every checkpoint, each of shape (P, C)."""
        curves = [result.curves() for result in self.results]
        return {name: np.stack([curve[name] for curve in curves]) for name in STATISTICS}

    def compare(self, *, baseline: str | None = None, confidence: float = 0.95) -> list[Comparison]:
        """Compare the final regret of pairs of policies: see `privcheck.results._comparison.compare`."""
        from privcheck.results._comparison import compare

        return compare(self, baseline=baseline, confidence=confidence)

    def to_json(self, *, compare: bool = False) -> str:
        """Return the summary as JSON text: {"schema_version", "results": [...]}, and "comparisons" if asked for.

        "environment" has the id and the means of the arms, and their names if they come from a log; of a contextual
        environment it has the parameters, and no means;
        "horizon", "runs" and "seed" are those of the call; "algorithms" has each policy with its parameters.
        "remarks" names policies that have fewer runs or none, and "shuffle_arms" is there if it was asked for,
        "labels", of what they stand for, if labels were given.
        """
        place: dict[str, Any] = {"id": self.environment.id, "means": self.environment.means}
        place |= getattr(self.environment, "described", {})
        if names := getattr(self.environment, "names", ()):
            place["names"] = names
        setting = {"environment": place, "horizon": self.horizon, "runs": self.runs, "seed": self.seed}
        setting["algorithms"] = [_with_parameters(each.algorithm) for each in self.results]
        if self.remarks:
            setting["remarks"] = [vars(remark) for remark in self.remarks]
        if self.shuffle_arms:
            setting["shuffle_arms"] = True
        if labels := {each.policy: each.algorithm.describe() for each in self.results if each.labelled}:
            setting["labels"] = labels
        return to_json({"results": self.summary()} | setting | ({"comparisons": self.compare()} if compare else {}))

    def save_html(self, path: str | Path) -> None:
        """Write one self-contained page with the regret of every policy, its curves, and all comparisons."""
        presenting.save_page(self, path)

    def save_csv(self, path: str | Path) -> None:
        """Write a tidy table with columns policy, run (from 0), round and regret to `path`, which ends in .csv."""
        from privcheck.results._simulation_files import save_csv

        save_csv(self, path)

    def save_npz(self, path: str | Path) -> None:
        """Write arrays, specs, environment and seed to `path`, which ends in .npz, for `read_npz`.

        Raises
        ------
        PrivcheckError : a path that cannot be written, an algorithm or environment that is not registered.
        """
        from privcheck.results._simulation_files import save_npz

        save_npz(self, path)

    @staticmethod
    def read_npz(path: str | Path) -> Simulation:
        """Return the simulation that `save_npz` wrote, equal in every number.

        Raises
        ------
        PrivcheckError : a file that is not such a simulation, or that names an unknown algorithm.
        """
        from privcheck.results._simulation_files import read_npz

        return read_npz(path)

    def plot(
        self, path: str | Path | None = None, *, lines: Sequence[str] | None = None, log_regret: bool = False
    ) -> Figure:
        """Draw regret against rounds: means, with a band from the 5 % to the 95 % quantile.

        Parameters
        ----------
        path : where to save it, ending in .png, .svg or .pdf; None to save nothing.
        lines : ids of asymptotic lower bounds, drawn as constant * ln t for every budget in the simulation. None draws
            Azize and Basu's bound if it can be evaluated; () draws none.
        log_regret : whether the regret axis is logarithmic, as the axis of rounds is.

        Returns
        -------
        The matplotlib Figure.

        Raises
        ------
        PrivcheckError : a path that cannot be saved to, an id for which `bounds` has no constant.

        Examples
        --------
        >>> from privcheck.simulation._simulate import simulate
        >>> figure = simulate("ucb", [0.75, 0.5], horizon=1000, runs=10).plot()
        >>> figure.axes[0].get_xlabel()
        'round t'
        """
        return presenting.plot(self, path, lines=lines, log_regret=log_regret)


def _with_parameters(algorithm: Algorithm | OwnPolicy) -> str:
    return algorithm.with_parameters() if isinstance(algorithm, OwnPolicy) else algorithm.describe()
