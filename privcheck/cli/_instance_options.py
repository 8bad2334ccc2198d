"""The instance of `privcheck bounds`, from its options or a file."""

from __future__ import annotations

from typing import Any

from privcheck.cli._options import numbers
from privcheck.errors import PrivcheckError

SOURCES = {
    "means": "--means 0.75,0.5",
    "weights": "--weights '0.1,0.9; 0.5,0.5' with --support 0,1",
    "vectors": "--vectors '1,0; 0,1' with --theta 0.5,0.25",
    "base_arms": "--base-arms 6 with --size 2 and --gap 0.1",
    "dimension": "--dimension 5 with --horizon 1e6, --delta 0.1 and --alpha 0.01",
}
SEMI_BANDIT = {"base_arms": "arms", "size": "size", "gap": "gap"}


def described_instance(
    file: str | None,
    name: str | None,
    flags: dict[str, Any],
    epsilon: float | None,
    horizon: float | None,
) -> Any:
    """Return an instance from a TOML file, a name or options; other options complete a file or a name.

    Raises
    ------
    PrivcheckError : no source of the arms or more than one, options that do not belong to the setting.

    Examples
    --------
    >>> described_instance(None, "c2", {}, epsilon=1.0, horizon=None).arms
    5
    """
    from privcheck.bounds import named_instance
    from privcheck.declared import Integer, check

    given = {key: value for key, value in flags.items() if value is not None}
    rounds = None if horizon is None else check("horizon", horizon, Integer(1), "the number of rounds T")
    sources = [source for source in (file, name, *(given.get(key) for key in SOURCES)) if source is not None]
    if len(sources) != 1:
        hint = "give FILE.toml, --means 0.75,0.5, --instance c2, --vectors, --base-arms or --dimension"
        got = " and ".join(str(source) for source in sources) or None
        raise PrivcheckError("instance", got, "one source of the arms", hint)
    common = {key: value for key, value in (("epsilon", epsilon), ("horizon", rounds)) if value is not None}
    if file is not None:
        return _from_file(file, given | common)
    if epsilon is None:
        raise PrivcheckError("epsilon", None, "a privacy budget", "give --epsilon 1")
    if name is not None:
        return named_instance(name, **given, **common)
    return _from_flags(given, common)


def _from_flags(given: dict[str, Any], common: dict[str, Any]) -> Any:
    from privcheck.bounds import ContextualInstance, Instance, LinearInstance, SemiBanditInstance

    if "vectors" in given:
        if "theta" not in given:
            raise PrivcheckError("theta", None, "the parameter of the rewards", SOURCES["vectors"])
        vectors, theta = _rows(given.pop("vectors"), "vectors"), numbers(given.pop("theta"), "theta")
        return _build(LinearInstance, {"vectors": vectors, "theta": theta} | common, given)
    if "base_arms" in given:
        values = {field: given.pop(flag) for flag, field in SEMI_BANDIT.items() if flag in given}
        for flag, field in SEMI_BANDIT.items():
            if field not in values:
                raise PrivcheckError(flag, None, "a number", SOURCES["base_arms"])
        return _build(SemiBanditInstance, values | common, given)
    if "dimension" in given:
        for key in ("horizon", "delta", "alpha"):
            if key not in given | common:
                raise PrivcheckError(key, None, "a number", SOURCES["dimension"])
        return _build(ContextualInstance, common, given)
    for key in ("means", "support"):
        if key in given:
            given[key] = numbers(given[key], key)
    if "weights" in given:
        given["weights"] = _rows(given["weights"], "weights")
    return _build(Instance, common, {"family": "bernoulli"} | given)


def _build(cls: type, values: dict[str, Any], given: dict[str, Any]) -> Any:
    known = _names(cls)
    for key, value in given.items():
        if key not in known:
            setting = getattr(cls, "setting", cls.__name__)
            raise PrivcheckError(key, value, f"an option of {setting}", "leave this option out")
    return cls(**values, **given)


def _from_file(file: str, changes: dict[str, Any]) -> Any:
    """Read a file as the setting that shares most of its keys; on a tie, as a bandit with independent arms."""
    from privcheck.bounds import Instance, read_toml, settings

    keys = set(read_toml(file))
    candidates = [Instance, *(getattr(settings, name) for name in settings.__all__)]
    return max(candidates, key=lambda cls: len(keys & _names(cls))).from_toml(file, **changes)


def _names(cls: Any) -> set[str]:
    from privcheck.declared import declared_fields

    return {declared.name for declared in declared_fields(cls)}


def _rows(text: str, parameter: str) -> tuple[tuple[float, ...], ...]:
    """Read rows separated by semicolons, of numbers separated by commas.

    >>> _rows("1,0; 0,1", "vectors")
    ((1.0, 0.0), (0.0, 1.0))
    """
    return tuple(numbers(row, parameter) for row in text.split(";"))
