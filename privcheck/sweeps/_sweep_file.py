"""Sweeps in TOML files: which audits or simulations they consist of."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from privcheck.bounds import read_toml
from privcheck.declared import POSITIVE, Choice, Domain, Integer, OrNone, Real, Switch, check
from privcheck.errors import PrivcheckError, words
from privcheck.kernels import SEED
from privcheck.privacy import Contexts
from privcheck.sweeps._cell import AUDIT, KINDS, NAMED, SIMULATION, Cell
from privcheck.sweeps._environment_tables import made
from privcheck.targets import Settings

EXPECTED = "a TOML file that describes a sweep"
KEYS = ("kind", "targets", "environments", "epsilons", "horizons", "seeds", "options", "product", "data")
AXES = ("epsilon", "horizon", "seed")
MOST = 1_000_000
"""Cells of a sweep, at most."""


class _Seconds:
    """A number of seconds, or infinity for no limit."""

    text = "a number above 0, or inf"

    def normalise(self, value: Any) -> float:
        return math.inf if value == math.inf else POSITIVE.normalise(value)


SIMULATED: dict[str, tuple[Domain, Any]] = {
    "runs": (Integer(1), 1000),
    "checkpoints": (Integer(1), 200),
    "delta": (OrNone(Real(0.0, 1.0, high_open=True)), None),
    "rho": (OrNone(POSITIVE), None),
    "mu": (OrNone(POSITIVE), None),
    "feedback": (OrNone(Choice(("bandit", "full", "contextual", "semi-bandit"))), None),
    "time_budget": (_Seconds(), 60.0),
    "shuffle_arms": (Switch(), False),
}
"""The other options of `privcheck.simulate`, with their defaults; a test compares them with its signature."""

PLAYED = ("jobs", "scheduler", "store")
"""Options that say how runs are played: a sweep has its own."""

AUDITED = {declared.name: declared for declared in Settings.options() if declared.name not in (*AXES, *PLAYED)}


def read_cells(plan: str | Path | Mapping[str, Any]) -> list[Cell]:
    r"""Return the cells of a sweep: every combination of what a TOML file lists.

    The file has the keys `kind` ("audit" or "simulation"), `targets`, `environments` (of simulations), `epsilons`,
    `horizons`, `seeds` (a list, or {count = 20} for 0 to 19), a table `options` with what all cells have in common, a
    table `product` with a list of values for each other option that varies, and `data`, files that the targets read.
    Options are those of `privcheck.audit` or `privcheck.simulate`.

    Parameters
    ----------
    plan : the path of the file, or its content.

    Raises
    ------
    PrivcheckError : no such file, invalid TOML, an unknown or missing key, a value outside its domain, values listed
        twice, more than a million cells; the message names the file and the key.

    Examples
    --------
    >>> cells = read_cells({"kind": "audit", "targets": ["dp-se"], "epsilons": [0.5, 1], "seeds": {"count": 3}})
    >>> len(cells), cells[-1].epsilon, cells[-1].seed
    (6, 1.0, 2)
    """
    content = dict(plan) if isinstance(plan, Mapping) else read_toml(plan, EXPECTED)
    with naming(plan):
        return _cells(content)


@contextmanager
def naming(plan: str | Path | Mapping[str, Any]) -> Iterator[None]:
    """Let errors name the file of a sweep."""
    try:
        yield
    except PrivcheckError as error:
        where = "the sweep" if isinstance(plan, Mapping) else str(plan)
        raise PrivcheckError(f"{where}, {error.parameter}", error.value, error.expected, error.hint) from None


def _cells(content: dict[str, Any]) -> list[Cell]:
    for key in content:
        if key not in KEYS:
            raise PrivcheckError(key, words("an unknown key"), f"only {', '.join(KEYS)}", "options go into [options]")
    kind = content.get("kind")
    if kind is None:
        raise PrivcheckError("kind", words("nothing"), "'audit' or 'simulation'", 'add kind = "audit"')
    kind = check("kind", kind, Choice(KINDS))
    targets = _listed("targets", content.get("targets"), 'as in targets = ["adap-ucb", "my_bandit.py:MyBandit"]')
    for target in targets:
        if not isinstance(target, str):
            raise PrivcheckError("targets", target, "a list of texts", "shipped ids, or FILE.py:NAME")
    places = _environments(kind, content)
    epsilons = _numbers("epsilons", content.get("epsilons"), POSITIVE, [None])
    horizons = _numbers("horizons", content.get("horizons"), Integer(1), [None])
    if kind == SIMULATION and horizons == [None]:
        raise PrivcheckError("horizons", words("nothing"), "the numbers of rounds", "as in horizons = [1000, 10000]")
    seeds = _numbers("seeds", _seeds(content.get("seeds")), SEED, [0])
    data = _listed("data", content["data"], "paths of files") if "data" in content else []
    for path in data:
        if not isinstance(path, str):
            raise PrivcheckError("data", path, "a list of paths", "files that the targets read")
    combined = _combinations(kind, content)
    size = math.prod(map(len, (targets, places, epsilons, horizons, seeds, combined)))
    if size > MOST:
        raise PrivcheckError("product", words(f"{size:,} cells"), f"at most {MOST:,} cells", "make several sweeps")
    checked = [(given, _options(kind, given, epsilons[0])) for given in combined]
    return [
        Cell(kind, target, place, epsilon, horizon, seed, given, options, tuple(data))
        for target, place, (given, options), epsilon, horizon, seed in itertools.product(
            targets, places, checked, epsilons, horizons, seeds
        )
    ]


def _environments(kind: str, content: dict[str, Any]) -> list[Any]:
    if kind == AUDIT:
        if "environments" in content:
            hint = "an audit searches for its own streams: leave it out"
            raise PrivcheckError("environments", words("a list"), "no environments in a sweep of audits", hint)
        return [None]
    hint = 'as in environments = ["c2", [0.75, 0.5]]'
    places = _listed("environments", content.get("environments"), hint)
    for number, place in enumerate(places, 1):
        try:
            made(place)
        except PrivcheckError as error:
            name = f"environments, number {number}"
            raise PrivcheckError(f"{name}, {error.parameter}", error.value, error.expected, error.hint) from None
    return places


def _combinations(kind: str, content: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the other options of every combination of the values in `product`."""
    common, product = (_table(name, content.get(name, {})) for name in ("options", "product"))
    known = tuple(AUDITED if kind == AUDIT else SIMULATED)
    for table, names in (("options", common), ("product", product)):
        for name in names:
            if name in AXES:
                raise PrivcheckError(f"{table}.{name}", words("an option"), f"the list {name}s instead")
            if name == "jobs":
                raise PrivcheckError(f"{table}.jobs", words("an option"), "no such key", "give jobs to the sweep")
            if name not in known:
                raise PrivcheckError(f"{table}.{name}", words("an unknown option"), f"one of {', '.join(known)}")
    for name in product:
        if name in common:
            raise PrivcheckError(f"product.{name}", words("a value in options too"), "one of the two")
    lists = [_listed(f"product.{name}", values, "a list of values") for name, values in product.items()]
    return [common | dict(zip(product, values, strict=True)) for values in itertools.product(*lists)]


def _options(kind: str, given: dict[str, Any], epsilon: float | None) -> dict[str, Any]:
    """Return all options with their defaults, checked alone and with each other."""
    if kind == SIMULATION:
        return {
            name: check(name, given[name], domain) if name in given else default
            for name, (domain, default) in SIMULATED.items()
        }
    for name in NAMED:
        if callable(given.get(name)):
            hint = "its source is part of what a result is kept under: write it to a file, and name it"
            raise PrivcheckError(name, words("a function"), "FILE.py:NAME, or package.module:NAME", hint)
    settings = Settings.of(epsilon=epsilon, **arguments(given))
    return {name: given.get(name) if name == "contexts" else settings.value(name) for name in AUDITED}


def arguments(given: dict[str, Any]) -> dict[str, Any]:
    """Return options of a file as Python takes them: contexts are a table with the arguments of `privcheck.Contexts`.

    >>> arguments({"contexts": {"shape": [2, 3], "norm": 1.0}})["contexts"].shape
    (2, 3)
    """
    found = dict(given)
    contexts = found.get("contexts")
    if contexts is not None:
        if not isinstance(contexts, dict):
            raise PrivcheckError("contexts", contexts, "a table", "as in contexts = {shape = [2, 3], norm = 1.0}")
        shape = contexts.get("shape")
        try:
            found["contexts"] = Contexts(**contexts | {"shape": tuple(shape) if isinstance(shape, list) else shape})
        except TypeError as error:
            raise PrivcheckError("contexts", contexts, "shape, low, high and norm", str(error)) from None
    return found


def _seeds(given: Any) -> Any:
    if not isinstance(given, dict):
        return given
    if set(given) - {"count", "first"} or "count" not in given:
        raise PrivcheckError("seeds", given, "a list, or count with first", "as in seeds = {count = 20, first = 0}")
    first = check("seeds.first", given.get("first", 0), SEED)
    return list(range(first, first + check("seeds.count", given["count"], Integer(1, MOST))))


def _numbers(name: str, given: Any, domain: Domain, default: list[Any]) -> list[Any]:
    if given is None:
        return default
    return _once(name, [check(name, value, domain) for value in _listed(name, given, f"as in {name} = [1, 10]")])


def _listed(name: str, given: Any, hint: str) -> list[Any]:
    if not isinstance(given, list | tuple) or not given:
        got = words("nothing") if given is None else given
        raise PrivcheckError(name, got, "a list with one value or more", hint)
    return _once(name, list(given))


def _once(name: str, values: list[Any]) -> list[Any]:
    seen = set()
    for value in values:
        known = value if isinstance(value, int | float) else repr(value)
        if known in seen:
            raise PrivcheckError(name, value, "every value once", "equal cells have equal results")
        seen.add(known)
    return values


def _table(name: str, given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        raise PrivcheckError(name, given, f"a table [{name}]", "with one option a line")
    return dict(given)


def count_words(amounts: Iterable[tuple[int, str]]) -> str:
    """Return numbers with what they count, those above 0.

    >>> count_words([(3, "done"), (0, "failed"), (1200, "new")])
    '3 done, 1,200 new'
    """
    return ", ".join(f"{amount:,} {what}" for amount, what in amounts if amount)
