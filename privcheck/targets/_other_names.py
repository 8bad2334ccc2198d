"""What to do about code whose methods have other names than `select` and `update`."""

from __future__ import annotations

import inspect
from typing import Any

BY_ADAPTER = {
    "from_mabwiser": ("a MAB of MABWiser", {"predict": (), "partial_fit": ("decisions", "rewards")}),
    "from_coba": ("a learner of coba", {"predict": ("context", "actions"), "learn": ("context", "action", "reward")}),
}
"""The adapters, what each is for, and the methods of that with their first parameters."""


def what_to_do(found: Any, otherwise: str) -> str:
    """Return the hint on a class, or an object, that has no method of the name that is asked for.

    Parameters
    ----------
    found : the class or object.
    otherwise : the hint if it has no public method at all.

    >>> class Fitted:
    ...     def partial_fit(self, decisions, rewards, contexts=None): ...
    ...     def predict(self, contexts=None): ...
    >>> what_to_do(Fitted, "").startswith("it has the methods of a MAB of MABWiser: give privcheck.adapters.from_mabw")
    True
    >>> class Model:
    ...     def partial_fit(self, x, y): ...
    >>> what_to_do(Model(), "").startswith("it has partial_fit(); rename what differs, or wrap it in")
    True
    """
    for adapter, (what, methods) in BY_ADAPTER.items():
        if all(_begins(getattr(found, name, None), parameters) for name, parameters in methods.items()):
            told = f"it has the methods of {what}: give privcheck.adapters.{adapter}"
            return f"{told}(f{', actions' * (adapter == 'from_coba')}), with f(seed) that returns a new one"
    own = found if isinstance(found, type) else type(found)
    names = [name for name, value in vars(own).items() if callable(value) and not name.startswith("_")]
    has = ", ".join(f"{name}()" for name in names)
    wrap = "wrap it in a class that calls them: 'Code with other names' in docs/audit.md has one"
    return f"it has {has}; rename what differs, or {wrap}" if has else otherwise


def _begins(method: Any, parameters: tuple[str, ...]) -> bool:
    """Tell whether a method's parameters after `self` begin with these names."""
    try:
        names = [name for name in inspect.signature(method).parameters if name != "self"]
    except (TypeError, ValueError):
        return False
    return tuple(names[: len(parameters)]) == parameters
