"""The settings of a project: `[tool.privcheck]` in pyproject.toml, and the options in pytest's own configuration."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from privcheck.declared import Integer, Real, check
from privcheck.errors import PrivcheckError, words
from privcheck.targets import Settings
from privcheck.testing._running import current

INI = "privcheck_"
"""What the names of options in pytest's own configuration begin with."""

OTHER_WORDS = {"budget": "runs", "level": "error", "alpha": "error", "rounds": "horizon", "reports": "output"}
"""Names of settings under other words."""


class Folder:
    """A folder, relative to the top of the project."""

    text = "the name of a folder"

    def normalise(self, value: Any) -> str:
        """Return the name, if it is text."""
        if not isinstance(value, str):
            raise TypeError
        if not value.strip():
            raise ValueError
        return value


def _domains() -> dict[str, tuple[Any, str]]:
    options = {declared.name: declared.metadata for declared in Settings.options()}
    found = {}
    for name in ("epsilon", "arms", "horizon", "runs", "error", "seed"):
        domain = options[name]["domain"]
        found[name] = (getattr(domain, "inner", domain), options[name]["hint"])
    return found | {"output": (Folder(), "relative to the top of the project, as in 'privacy-reports'")}


def read_table(table: Mapping[str, Any], file: str) -> dict[str, Any]:
    """Return the settings in a table `[tool.privcheck]`, checked.

    Parameters
    ----------
    table : as read.
    file : where it stands.

    Raises
    ------
    PrivcheckError : an unknown key or a value out of range; the message names file and key.

    Examples
    --------
    >>> read_table({"epsilon": 1, "arms": 3}, "pyproject.toml")
    {'epsilon': 1.0, 'arms': 3}
    """
    return {name: _checked(name, value, f"{file}: [tool.privcheck] {name}") for name, value in table.items()}


def _checked(name: str, value: Any, place: str) -> Any:
    domains = _domains()
    if name not in domains:
        near = OTHER_WORDS.get(name) or next(iter(difflib.get_close_matches(name, domains, n=1)), "")
        hint = f"did you mean {near!r}?" if near else "remove it"
        raise PrivcheckError(place, value, f"one of the keys {', '.join(domains)}", hint)
    return check(place, value, *domains[name])


def _number(text: str, domain: Any) -> Any:
    """Return the number in a text of pytest's configuration, or the text as it is, which a domain then refuses."""
    if isinstance(domain, Integer | Real):
        with suppress(ValueError):
            return int(text)
        with suppress(ValueError):
            return float(text)
    return text


def _read(config: Any) -> dict[str, Any]:
    """Return the settings of a project; pytest's own configuration comes before the table."""
    found: dict[str, Any] = {}
    file = Path(config.rootpath) / "pyproject.toml"
    if file.is_file():
        try:
            table = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get("privcheck", {})
        except (OSError, ValueError) as error:
            raise PrivcheckError("pyproject.toml", words("a file that cannot be read"), "TOML", str(error)) from None
        if not isinstance(table, Mapping):
            raise PrivcheckError("pyproject.toml: tool.privcheck", table, "a table", "write [tool.privcheck]")
        found |= read_table(table, file.name)
    source = "pytest's command line" if config.inipath is None else config.inipath.name
    for name, (domain, _) in _domains().items():
        given = config.getini(f"{INI}{name}")
        if given not in (None, ""):
            place = f"{source}: {INI}{name}"
            found[name] = _checked(name, _number(given, domain), place)
    return found


_READ: WeakKeyDictionary[Any, dict[str, Any]] = WeakKeyDictionary()


def project(config: Any = None) -> dict[str, Any]:
    """Return the settings of the project whose tests are run, read once; none outside of pytest.

    Parameters
    ----------
    config : pytest's configuration; by default that of the running test.

    Examples
    --------
    >>> project()
    {}
    """
    config = config or current().config
    if config is None:
        return {}
    if config not in _READ:
        _READ[config] = _read(config)
    return _READ[config]


def setting(name: str, given: Any, default: Any = None) -> Any:
    """Return what was given, else the setting of the project, else the default."""
    return project().get(name, default) if given is None else given


def arms_of(target: Any, given: int | None) -> int | None:
    """Return the number of arms that was given or, for a policy that does not know its own, that of the project."""
    of_project = project().get("arms")
    if given is not None or of_project is None:
        return given
    from privcheck.targets import load

    try:
        loaded = load(target)
        return None if loaded.mechanism is not None else loaded.arms(of_project)
    except PrivcheckError:  # said by the assertion itself
        return None
