"""`privcheck.primitive`: the declaration of a noise primitive of third-party code."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any, Protocol

from privcheck.accounting import Charge
from privcheck.certifying._primitives.measured_distance import METRICS
from privcheck.declared import Real
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms import Mechanism

OWN = "self."
"""What a private input that is an attribute of the method's object begins with."""


class Law(Protocol):
    """What a release costs: a metric of its inputs, and the charge of two inputs at a distance.

    Two laws are equal if they charge the same; those of the same call on two neighbours have to be.
    """

    @property
    def metric(self) -> str:
        """One of the metrics of `privcheck.primitive`."""

    def charge(self, sensitivity: float) -> Charge:
        """Return the charge of inputs at this distance."""


@dataclass(frozen=True)
class Call:
    """One call of a primitive.

    Parameters
    ----------
    name : the dotted name of the primitive.
    owner : the object whose method it is; None for a function.
    arguments : what was passed, by the name of the parameter, with defaults; by position where names are unknown.
    value : the private input.
    """

    name: str
    owner: Any
    arguments: Mapping[str | int, Any]
    value: Any


Declares = Callable[[Call], Any]


@dataclass(frozen=True)
class Primitive:
    """A declared noise primitive; made by `privcheck.primitive`, whose parameters it has as fields."""

    name: str
    value: str | int
    sensitivity: float | str | Declares | None = None
    law: Mechanism | Law | Declares | None = None
    metric: str | Callable[[Any, Any], float] | None = None

    @property
    def library(self) -> str:
        """The top-level package that has the primitive."""
        return self.name.partition(".")[0]

    def resolve(self) -> tuple[Any, str, Any]:
        """Import the primitive's module; return what holds the primitive, its name there, and the primitive.

        Raises
        ------
        PrivcheckError : no such module, or nothing of this name in it.
        """
        parts = self.name.split(".")
        for end in range(len(parts) - 1, 0, -1):
            try:
                holder: Any = importlib.import_module(".".join(parts[:end]))
            except ImportError as error:
                if isinstance(error, ModuleNotFoundError) and ".".join(parts[:end]).startswith(error.name or "?"):
                    continue
                raise self._missing(f"{self.library} fails to import: {error}", "repair the installation") from None
            for name in parts[end:-1]:
                holder = getattr(holder, name, None)
            found = inspect.getattr_static(holder, parts[-1], None)
            if isinstance(holder, ModuleType):
                found = getattr(holder, parts[-1], None)
            if found is None:
                raise self._missing(f"{holder!r:.60} has no {parts[-1]!r}", "check the spelling and the version")
            return holder, parts[-1], found
        raise self._missing(f"{self.library} is not installed", f"pip install {self.library}")

    def _missing(self, found: str, hint: str) -> PrivcheckError:
        return PrivcheckError("primitive", words(f"{self.name}, but {found}"), "a primitive that can be imported", hint)

    def call(self, function: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """Return a call with these arguments, bound to the parameters of the function."""
        given = args if owner is None else (owner, *args)
        arguments: dict[str | int, Any] = dict(enumerate(args)) | kwargs
        if isinstance(function, FunctionType):
            bound = inspect.signature(function).bind(*given, **kwargs)
            bound.apply_defaults()
            arguments = _by_name(bound)
            if owner is not None:
                arguments.pop(next(iter(arguments)))
        if isinstance(self.value, str) and self.value.startswith(OWN):
            return Call(self.name, owner, arguments, getattr(owner, self.value.removeprefix(OWN)))
        names: list[str | int] = list(arguments)
        key = names[self.value] if isinstance(self.value, int) and self.value < len(names) else self.value
        if key not in arguments:
            expected = f"an argument {self.value!r}, the private input that is declared"
            raise PrivcheckError("primitive", words(f"a call of {self.name} with {names}"), expected)
        value = arguments.pop(key)
        return Call(self.name, owner, arguments, value)

    def declared(self, call: Call) -> float | None:
        """Return the sensitivity that is declared for a call; None if none is."""
        found: Any = self.sensitivity
        if isinstance(found, str):
            if found not in call.arguments and not hasattr(call.owner, found):
                given = words(f"{found!r}, for a call of {self.name} with {[*call.arguments]}")
                expected = "the name of another argument than the private one, or of an attribute of the object"
                raise PrivcheckError("sensitivity", given, expected)
            found = call.arguments.get(found, getattr(call.owner, found, None))
        elif callable(found):
            found = found(call)
        return None if found is None else float(found)

    def law_of(self, call: Call) -> Any:
        """Return the law of a call; None if it is not known."""
        return self.law(call) if callable(self.law) and not isinstance(self.law, Mechanism) else self.law


def _by_name(bound: inspect.BoundArguments) -> dict[str | int, Any]:
    """Return arguments by the names of their parameters; those in `*args` by their position."""
    found: dict[str | int, Any] = {}
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            found |= dict(enumerate(value, len(found)))
        else:
            found |= value if kind is inspect.Parameter.VAR_KEYWORD else {name: value}
    return found


def primitive(
    name: str,
    *,
    value: str | int,
    sensitivity: float | str | Declares | None = None,
    law: Mechanism | Law | Declares | None = None,
    metric: str | Callable[[Any, Any], float] | None = None,
) -> Primitive:
    """Declare a function or method of third-party code that adds noise to a private value.

    `privcheck.certify(target, primitives=[...])` then records its private inputs on one stream, forces its recorded
    outputs on a neighbouring stream, and compares the two inputs of every call. Nothing is patched before that.

    Parameters
    ----------
    name : the dotted name, as in "opendp.mod.Measurement.__call__": a Python function or method, or a compiled function
        of a module. Aliases of it (`from library import name`) are found too.
    value : the private input: the name of a parameter, or its position, where `self` does not count; or an attribute of
        the method's object, as in "self.utility".
    sensitivity : what the code says that one datum changes of the input at most: a number, the name of an argument or
        of an attribute of the method's object, or a function of the `Call`; None if it says nothing.
    law : what a call costs: a mechanism of `privcheck.mechanisms`, an object with `metric` and `charge(distance)`, or a
        function of the `Call` that returns one of these; None if it is not known: then only sensitivities are measured.
    metric : how far apart two inputs are, if the law does not say so: "L1", "L2", "Linf", "symmetric" (elements of two
        lists that the other lacks), "changes" (places where two lists differ), "discrete", or a function of two inputs.
        "L1" without a law.

    Returns
    -------
    Primitive

    Raises
    ------
    PrivcheckError : a name without a dot, a negative sensitivity, an unknown metric.

    Source: Cebere, Erb, Desfontaines, Bellet and Fitzsimons 2026, Privacy in Theory, Bugs in Practice (the method).

    Examples
    --------
    >>> from privcheck.mechanisms import Laplace
    >>> def noisy(call):
    ...     return Laplace.with_scale(call.arguments["scale"])
    >>> primitive("library.noise.add_laplace", value="total", sensitivity="bound", law=noisy).library
    'library'
    """
    if not isinstance(name, str) or "." not in name or not all(part.isidentifier() for part in name.split(".")):
        raise PrivcheckError("name", name, "a dotted name", "as in 'opendp.mod.Measurement.__call__'")
    if not isinstance(value, str | int) or isinstance(value, bool) or (isinstance(value, int) and value < 0):
        raise PrivcheckError("value", value, "the name or position of a parameter", "0 is the first one after self")
    if isinstance(sensitivity, int | float):
        Real(0.0).normalise(sensitivity) if sensitivity >= 0.0 else _negative(sensitivity)
    if isinstance(metric, str) and metric not in METRICS:
        raise PrivcheckError("metric", metric, f"one of {', '.join(METRICS)}, or a function of two inputs")
    if law is not None and not callable(law) and not isinstance(law, Mechanism) and not hasattr(law, "charge"):
        raise PrivcheckError("law", law, "a mechanism, a law, or a function of the call that returns one")
    return Primitive(name, value, sensitivity, law, metric)


def _negative(sensitivity: float) -> None:
    raise PrivcheckError("sensitivity", sensitivity, "at least 0", "it is the largest change that one datum makes")
