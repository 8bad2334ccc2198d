"""What a version of privcheck shows to users, written down: names, parameters, members, commands with options, and ids.

`PYTHONPATH=CHECKOUT python -P tests/released/public_surface.py FILE` writes that of the privcheck in CHECKOUT.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
import sys
from pathlib import Path
from typing import Any

KINDS = ("algorithms", "mechanisms", "environments", "theorems")


def public_modules() -> dict[str, Any]:
    """Return the modules that state an `__all__`, by name, without those that begin with an underscore."""
    import privcheck

    found = {"privcheck": privcheck}
    for module in pkgutil.walk_packages(privcheck.__path__, "privcheck."):
        if not any(part.startswith("_") for part in module.name.split(".")):
            found[module.name] = importlib.import_module(module.name)
    return {name: module for name, module in found.items() if hasattr(module, "__all__")}


def parameters_of(thing: Any) -> list[str]:
    """Return the names of the parameters of a function or a class; none where Python does not know them."""
    if not (inspect.isfunction(thing) or inspect.isclass(thing)):
        return []
    try:
        signature = inspect.signature(thing)
    except ValueError:
        return []
    return [name for name, given in signature.parameters.items() if given.kind not in (2, 4)]


def shown_by(thing: Any) -> dict[str, list[str]]:
    """Return the parameters and, of a class, the public members of a name."""
    members = [name for name in dir(thing) if not name.startswith("_")] if inspect.isclass(thing) else []
    return {"parameters": parameters_of(thing), "members": members}


def commands() -> dict[str, list[str]]:
    """Return the arguments and options of every command."""
    import typer

    from privcheck import cli

    application: Any = getattr(cli, "app", None) or importlib.import_module("privcheck.cli._application").app
    found: dict[str, list[str]] = {}

    def walk(command: Any, path: str) -> None:
        for name, below in getattr(command, "commands", {}).items():
            walk(below, f"{path} {name}".strip())
        found[path] = sorted(
            option
            for given in command.params
            for option in (
                [given.name] if given.param_type_name == "argument" else [*given.opts, *given.secondary_opts]
            )
        )

    walk(typer.main.get_command(application), "")
    return found


def ids() -> dict[str, list[str]]:
    """Return the ids of everything that `privcheck list` names."""
    from privcheck.bandits import ALGORITHMS
    from privcheck.bounds import THEOREMS
    from privcheck.environments import ENVIRONMENTS
    from privcheck.mechanisms import MECHANISMS

    return dict(zip(KINDS, map(sorted, (ALGORITHMS, MECHANISMS, ENVIRONMENTS, THEOREMS)), strict=True))


def surface() -> dict[str, Any]:
    """Return all of it."""
    import privcheck

    modules = public_modules()
    names = {
        name: {member: shown_by(getattr(module, member)) for member in sorted(module.__all__)}
        for name, module in modules.items()
    }
    return {"version": privcheck.__version__, "names": names, "commands": commands(), "ids": ids()}


def gone(before: dict[str, Any], now: dict[str, Any]) -> dict[str, list[str]]:
    """Return what is in one surface and not in the other: modules, names, parameters, members, options and ids.

    A name that has moved to another public module counts as gone from its own one, and is compared where it is now.
    """
    homes = {member: shown for members in now["names"].values() for member, shown in members.items()}
    lost: dict[str, list[str]] = {kind: [] for kind in ("modules", "names", "parameters", "members", "options", "ids")}
    for module, members in before["names"].items():
        if module not in now["names"]:
            lost["modules"].append(module)
        for member, shown in members.items():
            here = now["names"].get(module, {})
            if member not in here:
                lost["names"].append(f"{module}.{member}")
            there = here.get(member) or homes.get(member) or shown
            for kind in ("parameters", "members"):
                lost[kind] += [f"{module}.{member}.{part}" for part in shown[kind] if part not in there[kind]]
    for command, options in before["commands"].items():
        lost["options"] += [
            f"{command} {option}" for option in options if option not in now["commands"].get(command, ())
        ]
    for kind, known in before["ids"].items():
        lost["ids"] += sorted(set(known) - set(now["ids"][kind]))
    return lost


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(surface(), separators=(",", ":")) + "\n", encoding="utf-8")
