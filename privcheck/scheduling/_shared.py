"""An argument that many calls have in common, which a worker elsewhere receives once."""

from __future__ import annotations

import io
import pickle
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

S = TypeVar("S")


@dataclass(frozen=True, eq=False)
class Shared(Generic[S]):
    """Holds the argument.

    Parameters
    ----------
    value : the argument.
    name : names it among all others.
    """

    value: S
    name: str = field(default_factory=lambda: uuid.uuid4().hex)


def pickled_apart(value: Any) -> tuple[bytes, dict[str, Shared[Any]]]:
    """Return a value pickled without what is shared in it, and this by name.

    >>> held = Shared([1, 2])
    >>> content, apart = pickled_apart(("a", held))
    >>> loaded_together(content, lambda name: apart[name].value)[1].value
    [1, 2]
    """
    import cloudpickle

    apart: dict[str, Shared[Any]] = {}

    class Pickler(cloudpickle.Pickler):  # type: ignore[misc]
        def persistent_id(self, held: Any) -> str | None:
            if not isinstance(held, Shared):
                return None
            apart[held.name] = held
            return held.name

    content = io.BytesIO()
    Pickler(content).dump(value)
    return content.getvalue(), apart


def loaded_together(content: bytes, shared: Callable[[str], Any]) -> Any:
    """Return a value that was pickled apart, with what `shared` returns for the name of each part."""

    class Unpickler(pickle.Unpickler):
        def persistent_load(self, name: str) -> Shared[Any]:
            return Shared(shared(name), name)

    return Unpickler(io.BytesIO(content)).load()
