"""Shipped ids are audited where their privacy shows, unless another setting is asked for."""

from __future__ import annotations

from typing import Any

from privcheck.targets import Loaded, Settings

PLACED = ("arms", "horizon", "rewards", "observe", "neighbours", "streams", "contexts", "encode", "law", "guarded")
"""Options that make another setting: with any of them, the target's own is left alone."""


def in_own_setting(loaded: Loaded, options: dict[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the options of an audit in the setting that the target declares, and a note that says so.

    Parameters
    ----------
    loaded : the target.
    options : those of the audit, with their defaults.
    """
    setting = loaded.audit_setting
    usual = {declared.name: declared.default for declared in Settings.options()}
    if setting is None or any(_differs(options[name], usual[name]) for name in PLACED):
        return options, ()
    runs = setting.runs if options["runs"] is options["time_budget"] is None else options["runs"]
    fits = options["epsilon"] == setting.epsilon or setting.epsilon is None
    found = "" if fits else f", which was found for epsilon = {setting.epsilon:g}"
    note = (
        f"audited in the setting in which its privacy shows, {setting.words}{found}: with any of arms, horizon, "
        "rewards, observe, neighbours or streams it is audited where you say"
    )
    return options | setting.options | {"runs": runs}, (note,)


def _differs(value: Any, usual: Any) -> bool:
    return value is not usual and not (isinstance(value, type(usual)) and value == usual)
