"""Instances in TOML files, with one key per declared field."""

from __future__ import annotations

import tomllib
from dataclasses import MISSING
from pathlib import Path
from typing import Any, TypeVar

from privcheck.declared import Declared, OrNone, declared_fields
from privcheck.errors import PrivcheckError, words

T = TypeVar("T", bound=Declared)


def from_toml(cls: type[T], path: str | Path, overrides: dict[str, Any]) -> T:
    """Build a declared dataclass from the keys of a TOML file; `overrides` replace them or add to them.

    Raises
    ------
    PrivcheckError : no such file, invalid TOML, an unknown or missing key, a value outside its range.

    Examples
    --------
    >>> from privcheck.bounds._instance import Instance
    >>> from pathlib import Path
    >>> from privcheck import bounds
    >>> from_toml(Instance, Path(bounds.__file__).parent / "_instances" / "c2.toml", {"epsilon": 1.0}).arms
    5
    """
    known = {declared.name: declared for declared in declared_fields(cls)}
    expected = f"only the keys {', '.join(known)}"
    values = {**read_toml(path), **overrides}
    for key in values:
        if key not in known:
            raise PrivcheckError(str(path), words(f"the unknown key {key!r}"), expected)
    for name, declared in known.items():
        domain = declared.metadata["domain"]
        required = declared.default is MISSING or (declared.default is None and not isinstance(domain, OrNone))
        if name not in values and required:
            raise PrivcheckError(name, words("nothing"), domain.text, f"add the key {name!r} to {path}")
    return cls(**values)


def read_toml(path: str | Path, expected: str = "a TOML file that describes an instance") -> dict[str, Any]:
    """Return the keys and values of a TOML file, or refuse it with a one-line message that says what is expected."""
    try:
        with Path(path).open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise PrivcheckError(
            str(path), words(error.strerror or "an unreadable file"), expected, "check the path"
        ) from None
    except RecursionError:
        raise PrivcheckError(str(path), words("tables or lists nested too deeply"), expected, "flatten it") from None
    except ValueError as error:
        raise PrivcheckError(str(path), words(f"invalid TOML ({error})"), expected, "see toml.io") from None
