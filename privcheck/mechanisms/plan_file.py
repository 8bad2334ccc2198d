"""Plans in TOML files: one table for each kind of release, and the delta of all together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from privcheck.accounting import DELTA, DELTA_HINT, Plan, PlannedRelease
from privcheck.declared import Integer, check, declared_fields
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import MECHANISMS, Mechanism
from privcheck.mechanisms.calibration import BUDGETS, check_parameters, take_sensitivity
from privcheck.mechanisms.planned import planned
from privcheck.mechanisms.scaled import ScaledMechanism

EXPECTED = "a TOML file that describes a plan"
HINT = 'for example mechanism = "laplace", scale = 10.0, count = 100'


def read_plan(path: str | Path, *, needs_delta: bool = True) -> tuple[Plan, float]:
    r"""Return the plan that a TOML file describes, and its delta; 0 if it has none and needs none.

    The file has a number `delta` and tables `[[release]]` with the keys `mechanism` (an id), `scale` or the budget of
    one release (`epsilon`, `mu` or `rho`, whichever the mechanism has), `sensitivity` (1 by default; a mechanism that
    chooses by scores has `score_range` in its place, without a default), `count` (1 by default) and the other
    parameters of the mechanism, such as `horizon`.

    Raises
    ------
    PrivcheckError : no such file, invalid TOML, an unknown or missing key, an unknown mechanism, a value of the wrong
        type or outside its range; the message names the release.

    Examples
    --------
    >>> import tempfile
    >>> text = 'delta = 1e-6\n[[release]]\nmechanism = "laplace"\nscale = 10.0\ncount = 100'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "plan.toml").write_text(text)
    ...     plan, delta = read_plan(Path(folder, "plan.toml"))
    >>> round(plan.at_delta(delta).epsilon, 2)
    4.69
    """
    from privcheck.bounds import read_toml  # here, since it loads every theorem

    content = read_toml(path, EXPECTED)
    for key in content:
        if key not in ("delta", "release"):
            raise PrivcheckError(str(path), words(f"the unknown key {key!r}"), "only delta and [[release]]", HINT)
    if needs_delta and "delta" not in content:
        raise PrivcheckError(f"{path}, delta", words("nothing"), DELTA.text, "delta = 0 allows only pure privacy")
    delta = check(f"{path}, delta", content.get("delta", 0.0), DELTA, DELTA_HINT)
    tables = content.get("release")
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        found = words("none") if tables is None else tables
        if isinstance(tables, dict):
            found = words("one table [release]")
        raise PrivcheckError(f"{path}, release", found, "tables [[release]], with two brackets", HINT)
    return Plan(_release(f"{path}, release {number}", table) for number, table in enumerate(tables, 1)), delta


def _release(place: str, table: dict[str, Any]) -> PlannedRelease:
    try:
        name = table.get("mechanism")
        if not isinstance(name, str):
            got = words("nothing") if name is None else name
            raise PrivcheckError("mechanism", got, "the id of a mechanism", "`privcheck list` shows them")
        count = check("count", table.get("count", 1), Integer(1, 2**53), "how often it is released")
        cls = MECHANISMS[name]
        parameters = {key: value for key, value in table.items() if key not in ("mechanism", "count")}
        sensitivity = take_sensitivity(cls, parameters)
        return planned(_mechanism(cls, sensitivity, parameters), sensitivity, count)
    except PrivcheckError as error:
        raise PrivcheckError(f"{place}, {error.parameter}", error.value, error.expected, error.hint) from None


def _mechanism(cls: type[Mechanism], sensitivity: float, parameters: dict[str, Any]) -> Mechanism:
    """Return a mechanism with the scale or the budget among these parameters."""
    declared = {field.name for field in declared_fields(cls)} - {cls.sensitivity_name, "given_scale"}
    budgets = [name for name in BUDGETS if name in declared]
    noise = ["scale", *budgets] if issubclass(cls, ScaledMechanism) else budgets
    given = [name for name in ("scale", *BUDGETS) if name in parameters and name not in declared - set(noise)]
    if noise and (len(given) != 1 or given[0] not in noise):
        got = words(" and ".join(given) or "nothing")
        raise PrivcheckError("noise", got, " or ".join(noise), f"exactly one of these for {cls.id}")
    if "delta" in parameters and "delta" not in declared:
        hint = "the delta of all releases together stands above the tables"
        raise PrivcheckError("delta", parameters["delta"], f"none of {cls.id}, which sets no probability aside", hint)
    others = {name: value for name, value in parameters.items() if name not in noise}
    check_parameters(cls, declared - set(noise), others, "see the mechanism's page in the reference")
    if given == ["scale"]:
        return cls.with_scale(parameters["scale"], **others)  # type: ignore[attr-defined, no-any-return]
    name = cls.sensitivity_name
    own = {name: sensitivity} if any(field.name == name for field in declared_fields(cls)) else {}
    return cls(**own, **parameters)
