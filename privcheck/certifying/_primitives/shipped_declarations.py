"""The declarations that come with privcheck: noise of numpy, `random` and scipy, OpenDP, diffprivlib."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from privcheck.accounting import Charge
from privcheck.certifying._primitives.declaration import Call, Primitive, primitive
from privcheck.certifying._primitives.diffprivlib_declarations import DIFFPRIVLIB
from privcheck.errors import PrivcheckError, words

NOISE = ("numpy", "random", "scipy")
"""Sets of functions that draw noise, to which the caller adds its private value."""

UP = 1.0 + 2.0**-40
"""Factor by which a measured distance grows before OpenDP's map takes it, which rounds in steps of its own type."""


@dataclass(frozen=True)
class MapLaw:
    """What an OpenDP measurement costs: its map says it.

    Parameters
    ----------
    description : of the measurement, with what its map says of distance 1.
    metric : the metric of `privcheck.primitive` that is its input metric, or None.
    measurement : the measurement.
    """

    description: str
    metric: str | None
    measurement: Any = field(compare=False, repr=False)

    def charge(self, sensitivity: float) -> Charge:
        """Return what the map says of inputs at this distance."""
        measure = str(self.measurement.output_measure)
        given = self._largest(sensitivity)
        if measure.startswith("MaxDivergence"):
            return Charge(float(given))
        if measure.startswith("ZeroConcentrated"):
            return Charge(rho=float(given))
        epsilon, delta = given if isinstance(given, tuple) else (math.inf, 0.0)
        return Charge(float(epsilon), delta=float(delta))

    def _largest(self, distance: float) -> Any:
        """Return what the map says; it takes integers, floats, or both."""
        whole = math.ceil(distance)
        tries: list[float] = [whole, float(whole)] if distance == whole else [distance * UP, whole]
        for number, given in enumerate(tries):
            try:
                return self.measurement.map(given)
            except Exception:  # OpenDP's own errors, and those of converting to its type
                if number == len(tries) - 1:
                    raise
        raise AssertionError


OPENDP_METRICS = {
    "AbsoluteDistance": "L1",
    "L1Distance": "L1",
    "L2Distance": "L2",
    "LInfDistance": "Linf",
    "SymmetricDistance": "symmetric",
    "ChangeOneDistance": "changes",
    "HammingDistance": "changes",
    "DiscreteDistance": "discrete",
}


def opendp_law(call: Call) -> MapLaw:
    """Return the law of a call of an OpenDP measurement."""
    measurement = call.owner if call.owner is not None else next(iter(call.arguments.values()))
    kind = str(measurement.input_metric).partition("(")[0].partition("<")[0]
    try:
        at_one = measurement.map(1)
    except Exception:  # a map of floats alone
        at_one = measurement.map(1.0)
    measure = str(measurement.output_measure)
    known = measure.startswith(("MaxDivergence", "ZeroConcentrated")) or isinstance(at_one, tuple)
    metric = OPENDP_METRICS.get(kind) if known else None
    return MapLaw(f"{measure} map({kind} 1) = {at_one}", metric, measurement)


OPENDP = primitive("opendp.core.measurement_invoke", value="arg", law=opendp_law)


SHIPPED: dict[str, tuple[Primitive, ...]] = {
    "numpy": (),
    "random": (),
    "scipy": (),
    "opendp": (OPENDP,),
    "diffprivlib": DIFFPRIVLIB,
}
"""The sets by name. Those in `NOISE` replace functions that draw noise, and have no calls with a private input."""


def declared(given: Iterable[Any]) -> tuple[list[str], list[Primitive]]:
    """Return the sets of noise functions and the primitives that `primitives=` asks for.

    Parameters
    ----------
    given : names of shipped sets, places of declarations (file.py:NAME), and what `privcheck.primitive` returned.

    Raises
    ------
    PrivcheckError : an unknown name, or something that is no declaration.

    Examples
    --------
    >>> declared(["numpy"]), len(declared(["opendp"])[1])
    ((['numpy'], []), 1)
    """
    noise, found = list[str](), list[Primitive]()
    for one in given:
        for item in _placed(one):
            if isinstance(item, Primitive):
                found.append(item)
            elif item in NOISE:
                noise.append(item)
            elif isinstance(item, str) and item in SHIPPED:
                found += SHIPPED[item]
            else:
                near = difflib.get_close_matches(item.lower(), SHIPPED, n=1) if isinstance(item, str) else []
                hint = 'declare one: privcheck.primitive("library.module.function", value=0)'
                hint = f"did you mean {near[0]!r}?" if near else hint
                expected = f"{', '.join(SHIPPED)}, a declaration, or its place as file.py:NAME"
                raise PrivcheckError("primitives", item, expected, hint)
    return noise, found


def _placed(one: Any) -> list[Any]:
    """Return the declarations at a place; anything else stays what it is."""
    if not isinstance(one, str) or ":" not in one:
        return [one]
    from privcheck.targets import Location

    module, _, name = one.rpartition(":")
    found: Any = Location(module, name).load()
    listed = list(found) if isinstance(found, list | tuple) else [found]
    if not listed or not all(isinstance(item, Primitive) for item in listed):
        raise PrivcheckError("primitives", words(f"{one}, which is no declaration"), "what privcheck.primitive returns")
    return listed
