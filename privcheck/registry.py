"""Registries that find what the library ships by importing one package, so that adding a class touches one file."""

from __future__ import annotations

import difflib
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import Any, Generic, TypeVar

from privcheck.errors import PrivcheckError

T = TypeVar("T")

_made: list[Registry[Any]] = []


class Registry(Generic[T]):
    """The registered classes of one kind, by id.

    Parameters
    ----------
    kind : what is registered, in the singular, for messages.
    package : the package whose modules register themselves when imported; imported on first look-up.
    hint : what to do about an unknown id, in words.

    Examples
    --------
    >>> from privcheck.mechanisms import MECHANISMS
    >>> "laplace" in MECHANISMS
    True

    """

    def __init__(self, kind: str, package: str, hint: str = "`privcheck list` shows them") -> None:
        self.kind, self._hint = kind, hint
        self._package = package
        self._entries: dict[str, type[T]] = {}
        self._loaded = False
        _made.append(self)

    def register(self, name: str, entry: type[T]) -> None:
        """Add a class under its id; a second class with the same id is a mistake in the library."""
        if self._entries.get(name, entry).__qualname__ != entry.__qualname__:
            raise PrivcheckError(f"{self.kind} id", name, "an id that is not taken", "rename the class's id")
        self._entries[name] = entry

    def __getitem__(self, name: str) -> type[T]:
        self._load()
        if name in self._entries:
            return self._entries[name]
        near = difflib.get_close_matches(name.lower().replace("_", "-"), self._entries, n=1)
        hint = f"did you mean {near[0]!r}?" if near else self._hint
        raise PrivcheckError(self.kind, name, f"one of {', '.join(sorted(self._entries))}", hint)

    def __contains__(self, name: object) -> bool:
        self._load()
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        self._load()
        return iter(sorted(self._entries))

    def __len__(self) -> int:
        self._load()
        return len(self._entries)

    def summaries(self) -> list[dict[str, str]]:
        """Return `[{"id", "summary"}]`, the summary being the first line of the class's docstring."""
        return [{"id": name, "summary": summary(self._entries[name])} for name in self]

    def _load(self) -> None:
        """Import every module of the package; threads that look up at the same time wait for one another's imports."""
        if not self._loaded:
            package = importlib.import_module(self._package)
            for module in pkgutil.iter_modules(package.__path__):
                importlib.import_module(f"{self._package}.{module.name}")
            self._loaded = True


def load_registries() -> None:
    """Load every registry that there is, so that the threads of a worker find all classes."""
    for registry in _made:  # loading one may add another
        registry._load()


def summary(entry: object) -> str:
    """Return the first line of an object's docstring, without its full stop."""
    return (inspect.getdoc(entry) or "").partition("\n")[0].rstrip(".")
