"""The packages that putting claims to the test needs beyond those of the rest."""

from __future__ import annotations

import importlib.util

from privcheck.errors import PrivcheckError, words

NEEDED = ("mpmath", "sympy")


def check_requirements(needed: tuple[str, ...] = NEEDED) -> None:
    """Refuse to start without the packages of the extra `claims`.

    >>> check_requirements(("no_such_package",))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: claims: got no package no_such_package, expected mpmath and sympy; ...
    """
    missing = [name for name in needed if importlib.util.find_spec(name) is None]
    if missing:
        raise PrivcheckError(
            "claims", words(f"no package {missing[0]}"), "mpmath and sympy", "pip install 'privcheck[claims]'"
        )
