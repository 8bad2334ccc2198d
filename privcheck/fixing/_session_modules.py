"""Which modules of a session a program must not see: those that its own folder may have under the same names."""

from __future__ import annotations

import sys
from types import ModuleType

from privcheck.reached_state import is_of_privcheck, is_own_file

KEPT = ("__main__", "__mp_main__", "numpy", "scipy")
"""What stays wherever it stands: privcheck computes with these packages, and they cannot be loaded twice."""


def forget_own_modules() -> None:
    """Drop the modules of this process that neither Python, nor an installed package, nor privcheck has.

    A fork inherits what the session imported. A module of another folder with the name of a neighbour of the program
    would stand in for that neighbour, and the answer would be about other code. Only for a process of its own.
    """
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in KEPT and _is_own(module):
            del sys.modules[name]


def _is_own(module: ModuleType | None) -> bool:
    """Return whether a module comes from a file of the user's, or from a folder of theirs without one."""
    try:
        file = getattr(module, "__file__", None)
        places = [file] if isinstance(file, str) else [str(place) for place in getattr(module, "__path__", ())]
    except Exception:  # a module may answer with whatever it likes
        return True
    return any(is_own_file(place) and not is_of_privcheck(place) for place in places)
