"""Simulations on disk: tidy CSV for other tools, and npz files from which the whole result can be read back."""

from __future__ import annotations

import csv
import io
import zipfile
import zlib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from privcheck.bandits import ALGORITHMS
from privcheck.environments import ENVIRONMENTS
from privcheck.errors import PrivcheckError, words
from privcheck.files import check_output, write_whole
from privcheck.oracles import ORACLES
from privcheck.results._own_policy import OwnPolicy, Remark
from privcheck.serialise import ILL_TYPED, read_json, revived, to_json, well_typed

if TYPE_CHECKING:
    from privcheck.results._simulation import Simulation

COLUMNS = ["policy", "run", "round", "regret"]
EXPECTED = "a file written by save_npz"


@dataclass(frozen=True)
class _Description:
    """What a file says beside its arrays; the fields with defaults came later."""

    environment: dict[str, Any]
    algorithms: tuple[dict[str, Any], ...]
    engines: tuple[str, ...]
    seed: int
    runs: int | None = None
    remarks: tuple[Remark, ...] = ()
    shuffle_arms: bool = False


def save_csv(simulation: Simulation, path: str | Path) -> None:
    """Write one row for each policy, run and checkpoint; see `Simulation.save_csv`."""
    target = check_output(path, "csv", (".csv",))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    rounds = simulation.checkpoints.tolist()
    for result in simulation.results:
        for run, row in enumerate(result.regret.tolist()):
            writer.writerows((result.policy, run, t, value) for t, value in zip(rounds, row, strict=True))
    write_whole(target, text.getvalue(), "csv")


def read_csv(path: str | Path) -> dict[str, Any]:
    """Return the arrays of a CSV file written by `save_csv`, exact to the last digit: see `Simulation.to_arrays`.

    Raises
    ------
    PrivcheckError : no such file, other columns, rows that are missing or are not numbers.
    """
    try:
        with Path(path).open(newline="", encoding="utf-8") as file:
            header, *rows = list(csv.reader(file)) or [[]]
        if header != COLUMNS:
            raise ValueError(f"its columns are {', '.join(header) or 'none'}")
        policies = list(dict.fromkeys(row[0] for row in rows))
        rounds = list(dict.fromkeys(int(row[2]) for row in rows))
        counts = {p: sum(row[0] == p for row in rows) // max(1, len(rounds)) for p in policies}
        expected = [(p, r, t) for p in policies for r in range(counts[p]) for t in rounds]
        if [(row[0], int(row[1]), int(row[2])) for row in rows] != expected:
            raise ValueError("rows are missing, duplicated or out of order")
        values = iter([float(row[3]) for row in rows])
        regret = np.full((len(policies), max(counts.values(), default=0), len(rounds)), np.nan)
        for block, count in zip(regret, counts.values(), strict=True):
            block[:count] = [[next(values) for _ in rounds] for _ in range(count)]
            if not np.isfinite(block[:count]).all():
                raise ValueError("a regret is not finite")
    except (OSError, ValueError, IndexError, csv.Error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PrivcheckError("csv", str(path), "a file written by save_csv", reason) from None
    return {"policy": np.array(policies), "round": np.array(rounds, np.int64), "regret": regret}


def save_npz(simulation: Simulation, path: str | Path) -> None:
    """Write everything, specs and environment included; see `Simulation.save_npz`."""
    target = check_output(path, "npz", (".npz",))
    description = {
        "environment": _described(simulation.environment, ENVIRONMENTS),
        "algorithms": [
            {"own": vars(result.algorithm)}
            if isinstance(result.algorithm, OwnPolicy)
            else _described(result.algorithm, ALGORITHMS)
            for result in simulation.results
        ],
        "engines": [result.engine for result in simulation.results],
        "seed": simulation.seed,
        "runs": simulation.runs,
        "remarks": [vars(remark) for remark in simulation.remarks],
        "shuffle_arms": simulation.shuffle_arms,
    }
    content = io.BytesIO()
    seconds = np.array([result.seconds for result in simulation.results])
    arrays = {"description": np.array(to_json(description)), "seconds": seconds} | simulation.to_arrays()
    np.savez_compressed(content, allow_pickle=False, **arrays)
    write_whole(target, content.getvalue(), "npz")


def read_npz(path: str | Path) -> Simulation:
    """Return the simulation in a file written by `save_npz`; see `Simulation.read_npz`."""
    from privcheck.results._simulation import PolicyResult, Simulation

    try:
        with np.load(io.BytesIO(Path(path).read_bytes()), allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in ("description", "policy", "round", "regret", "seconds")}
        found = read_json(str(arrays["description"]), _Description, EXPECTED)
        environment = _made(found.environment, ENVIRONMENTS)
        algorithms = [
            well_typed(revived(spec["own"], OwnPolicy)) if "own" in spec else _made(spec, ALGORITHMS)
            for spec in found.algorithms
        ]
        rounds, regret = arrays["round"], arrays["regret"]
        _check_arrays(rounds, regret, arrays["seconds"])
        runs = regret.shape[1] if found.runs is None else found.runs
        if runs < regret.shape[1]:
            raise ValueError("it has more runs than were asked for")
        results = tuple(
            PolicyResult(str(label), algorithm, rounds, values[~np.isnan(values[:, 0])], float(seconds), engine)
            for label, algorithm, values, seconds, engine in zip(
                arrays["policy"], algorithms, regret, arrays["seconds"], found.engines, strict=True
            )
        )
        return Simulation(
            environment, int(rounds[-1]), runs, found.seed, rounds, results, found.remarks, found.shuffle_arms
        )
    except (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error, *ILL_TYPED, PrivcheckError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise PrivcheckError("npz", str(path), EXPECTED, reason) from None


def _check_arrays(rounds: Any, regret: Any, seconds: Any) -> None:
    if not (rounds.dtype.kind == "i" and regret.dtype.kind == seconds.dtype.kind == "f"):
        raise ValueError("its arrays are not numbers")
    if not (rounds.ndim == 1 and regret.ndim == 3 and seconds.ndim == 1 and 0 not in regret.shape):
        raise ValueError("its arrays have other shapes")
    left_out = np.isnan(regret).all(axis=2)  # the last runs of a policy that has fewer than the others
    known = np.isfinite(regret).all(axis=2)
    if not (known | left_out).all() or not known[:, 0].all() or (np.diff(known.astype(int), axis=1) > 0).any():
        raise ValueError("a regret is not finite")
    if regret.shape[2] != len(rounds) or rounds[0] < 1 or (np.diff(rounds) < 1).any():
        raise ValueError("its arrays are not a regret at increasing rounds")


def _described(thing: Any, registry: Any) -> dict[str, Any]:
    if thing.id not in registry or registry[thing.id] is not type(thing):
        got = words(f"an object of {type(thing).__qualname__}")
        raise PrivcheckError(registry.kind, got, "one that is registered under an id", "npz files name it by its id")
    values = {f.name: getattr(thing, f.name) for f in fields(thing) if f.init}
    for name, value in values.items():
        for other in (ENVIRONMENTS, ORACLES):
            if getattr(value, "id", None) in other and type(value) is other[value.id]:
                values[name] = _described(value, other)
    return {"id": thing.id, "parameters": values}


def _made(description: dict[str, Any], registry: Any) -> Any:
    return registry[description["id"]](**description["parameters"])
