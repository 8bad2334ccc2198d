"""One module for each project, with its audits in `AUDITS`."""

from __future__ import annotations

import importlib
import pkgutil

from audits.wild.implementation import Wild


def everything() -> tuple[Wild, ...]:
    """Return all declared audits, in the order of their modules' names.

    >>> len(everything()) >= 25
    True
    """
    modules = (importlib.import_module(found.name) for found in pkgutil.iter_modules(__path__, f"{__name__}."))
    return tuple(wild for module in modules for wild in module.AUDITS)
