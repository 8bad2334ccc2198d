"""The base class of the instances of all settings.

>>> from privcheck.bounds import SemiBanditInstance
>>> SemiBanditInstance(arms=6, size=2, epsilon=1.0, gap=0.1).horizon is None
True
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar, Self

from privcheck.bounds._toml_file import from_toml
from privcheck.declared import Declared
from privcheck.errors import PrivcheckError


class Setting(Declared):
    """Base of an instance: declared fields, among them `horizon`, which can be read from a TOML file."""

    setting: ClassVar[str]
    horizon: int | None

    @property
    def rounds(self) -> int:
        """Horizon T, for theorems whose conditions require one.

        Raises
        ------
        PrivcheckError : the instance has no horizon.
        """
        if self.horizon is None:
            raise PrivcheckError("horizon", None, "a number of rounds", "give the instance a horizon")
        return self.horizon

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-ready values, in the order of their declaration."""
        return {name: _plain(value) for name, value in asdict(self).items()}  # type: ignore[call-overload]

    @classmethod
    def from_toml(cls, path: str | Path, **overrides: Any) -> Self:
        """Read an instance from a TOML file whose keys are the fields of this class.

        Parameters
        ----------
        path : the file.
        overrides : fields that replace those of the file or add to them.

        Raises
        ------
        PrivcheckError : no such file, invalid TOML, an unknown or missing key, a value outside its range.
        """
        return from_toml(cls, path, overrides)


def _plain(value: Any) -> Any:
    return [_plain(entry) for entry in value] if isinstance(value, tuple) else value
