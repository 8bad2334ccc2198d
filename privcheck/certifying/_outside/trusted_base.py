"""What a certificate rests on besides privcheck and the mechanisms: functions, modules of others, and state outside."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from privcheck.certifying._session import Session
from privcheck.reached_state import Kept

FUNCTIONS, MODULES = "functions of one number", "modules of others that are called"
UNKNOWN = "{} is a function of its number: it uses {}, which privcheck does not know"
GLOBALS, UNSEEN = "globals that are read, and put back", "taken not to change"


def trusted_base(
    policy: Any, sessions: Iterable[Session], outside: Iterable[str] = (), *, contextual: bool
) -> dict[str, list[str]]:
    """Return what the bound rests on, by kind; kinds of which there is nothing are left out.

    Parameters
    ----------
    policy : a policy as it was built.
    sessions : guarded runs.
    outside : files and the like that were read when the policy was loaded or built.
    contextual : whether `select` receives contexts, which it could keep outside of the policy.
    """
    functions, unknown = dict[str, Kept | None](), dict[str, dict[str, None]]()
    for session in sessions:
        functions |= session.source.functions
        for name, uses in session.source.unknown.items():
            unknown.setdefault(name, {}).update(dict.fromkeys(uses))
    reached = [kept for kept in functions.values() if kept is not None]
    if contextual:
        reached.append(Kept([policy]))
    walks = [kept.walk for kept in reached]
    unseen = [
        f"{kept.place(value)} ({type(value).__name__})" for kept in reached for value in (*kept.trusted, *kept.unknown)
    ]
    found = {
        FUNCTIONS: sorted(UNKNOWN.format(name, " and ".join(uses)) for name, uses in unknown.items()),
        MODULES: sorted({name for walk in walks for name in walk.foreign if name.partition(".")[0] != "privcheck"}),
        GLOBALS: sorted({name for walk in walks for name in walk.names}),
        UNSEEN: sorted({*unseen, *outside}),
    }
    return {kind: names for kind, names in found.items() if names}
