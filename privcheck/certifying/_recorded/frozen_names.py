"""Objects that a snapshot only names, because a policy may ask whether it meets the very same one: marks, and NaNs."""

from __future__ import annotations

import copyreg
import sys
from importlib import import_module
from operator import attrgetter
from typing import Any

from privcheck.reached_state import own_modules

MADE_BY_CODE = 1 << 9
"""The flag of classes that a program has made, as nearly all that are not Python's own."""

NAN = "nan "
"""Begins the names of NaNs that are in no module: each equals nothing, but is found again as the same object."""


class Names:
    """Names of marks and NaNs for one snapshot.

    Examples
    --------
    >>> import dataclasses, math
    >>> names, own = Names(), float("nan")
    >>> names.of(dataclasses.MISSING), names.of(math.nan), names.of([]), names.of(own) == names.of(own)
    ('dataclasses:MISSING', 'math:nan', None, True)
    >>> named("dataclasses:MISSING", {}) is dataclasses.MISSING
    True
    """

    def __init__(self) -> None:
        self._places: dict[int, tuple[str, Any]] = {}
        self._known = set[str]()

    def of(self, value: Any) -> str | None:
        """Return the name of a mark, an object that holds nothing and is in a module, or of a NaN; None of others."""
        kind = type(value)
        if kind is float:
            if value == value:  # a number
                return None
            new = f"{NAN}{len(self._places)}", value
            return self._in("math", "numpy", *self._own()).setdefault(id(value), new)[0]
        if _holds_nothing(value):
            return self._in(kind.__module__, *self._own()).get(id(value), (None, None))[0]
        return None

    def _own(self) -> list[str]:
        return [] if self._known else sorted(own_modules())

    def _in(self, *modules: str) -> dict[int, tuple[str, Any]]:
        """Return where marks and NaNs are: globals of these and earlier modules, and attributes of classes there."""
        for module in modules:
            if module not in self._known:
                self._known.add(module)
                for name, held in [*getattr(sys.modules.get(module), "__dict__", {}).items()]:
                    self._keep(f"{module}:{name}", held)
                    if isinstance(held, type) and held.__module__ == module:
                        for attribute, part in [*vars(held).items()]:
                            self._keep(f"{module}:{name}.{attribute}", part)
        return self._places

    def _keep(self, place: str, held: Any) -> None:
        if held != held if type(held) is float else _holds_nothing(held):
            self._places.setdefault(id(held), (place, held))


def named(name: str, found: dict[str, Any]) -> Any:
    """Return the object with a name; `found` has the NaNs that were met before."""
    if name.startswith(NAN):
        return found.setdefault(name, float("nan"))
    module, _, place = name.partition(":")
    return attrgetter(place)(import_module(module))


def _holds_nothing(value: Any) -> bool:
    kind: Any = type(value)
    if not kind.__flags__ & MADE_BY_CODE or isinstance(value, type) or getattr(value, "__dict__", None):
        return False
    if kind.__reduce_ex__ is not object.__reduce_ex__ or kind.__reduce__ is not object.__reduce__:
        return False
    try:
        make, given, *rest = value.__reduce_ex__(4)
    except Exception:
        return False
    return make is copyreg.__newobj__ and given == (kind,) and not any(rest)  # type: ignore[attr-defined]
