"""The instances of the papers' experiments by name, one TOML file each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from privcheck.bounds._instance import Instance
from privcheck.declared import Choice, check

_FOLDER = Path(__file__).parent


def instance_names() -> tuple[str, ...]:
    """Return the names that `named_instance` accepts, sorted.

    >>> instance_names()
    ('c1', 'c2', 'c3', 'c4', 'fig3', 'hhmh-setting1', 'hhmh-setting2', 'ja25-mu1', 'ja25-mu2')
    """
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.toml")))


def named_instance(name: str, *, epsilon: float, **overrides: Any) -> Instance:
    """Return an instance from one of the papers, with the privacy budget `epsilon`.

    Parameters
    ----------
    name : one of `instance_names()`: C1 to C4 and Figure 3 of Azize & Basu 2022, the settings of Hu et
        al., the vectors of Jourdan & Azize 2025.
    epsilon : privacy budget, above 0.
    overrides : other fields of `Instance`, in place of the paper's, such as `horizon`.

    Raises
    ------
    PrivcheckError : an unknown name or field, a value outside its range.

    Examples
    --------
    >>> named_instance("c2", epsilon=1.0).means
    (0.75, 0.625, 0.5, 0.375, 0.25)
    """
    check("name", name, Choice(instance_names()))
    return Instance.from_toml(_FOLDER / f"{name}.toml", epsilon=epsilon, **overrides)
