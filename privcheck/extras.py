"""Installed packages: the extra that brings what a plain installation does not, and the folders that all are in."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from privcheck.errors import PrivcheckError, words

PACKAGES = {
    "claims": ("mpmath", "sympy"),
    "dask": ("distributed",),
    "plots": ("matplotlib",),
    "store": ("pyarrow",),
    "testing": ("hypothesis", "pytest"),
}
"""What the code imports, for each extra of the installation."""

INSTALLED = frozenset({"site-packages", "dist-packages"})
"""Names of the folders into which Python packages are installed."""


def is_installed(path: Path) -> bool:
    """Tell whether a file belongs to an installed package, by the folders that it is in.

    >>> is_installed(Path("/usr/lib/python3/dist-packages/numpy/__init__.py")), is_installed(Path("bandit.py"))
    (True, False)
    """
    return not INSTALLED.isdisjoint(path.parts)


def require_extra(extra: str, needed_by: str) -> None:
    """Refuse to start what needs packages that are not installed.

    Parameters
    ----------
    extra : a key of `PACKAGES`.
    needed_by : the argument or command that needs them, as in the error.

    Raises
    ------
    PrivcheckError
        With the command that installs them.

    Examples
    --------
    >>> require_extra("plots", "plot")
    """
    missing = [name for name in PACKAGES[extra] if importlib.util.find_spec(name) is None]
    if missing:
        expected = f"{' and '.join(PACKAGES[extra])} to be installed"
        hint = f"pip install 'privcheck[{extra}]'"
        raise PrivcheckError(needed_by, words(f"no package {missing[0]}"), expected, hint)
