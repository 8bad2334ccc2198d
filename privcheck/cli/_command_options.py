"""The declared options of each command, in the order in which its help has them under their headings."""

from __future__ import annotations

from dataclasses import Field
from typing import Any

from privcheck.cli._declared_options import described
from privcheck.cli._described.contexts import ContextOptions
from privcheck.cli._described.environment import ArmsOptions, EnvironmentOptions
from privcheck.cli._described.instance import BoundsQuestions, InstanceOptions
from privcheck.cli._described.long_runs import Consent
from privcheck.cli._described.target import TargetOptions
from privcheck.declared import declared_fields
from privcheck.targets import (
    CertifySettings,
    FixSettings,
    FrontierSettings,
    Settings,
    SimulateSettings,
    StepsSettings,
    WatchSettings,
)


def asking(options: list[Field[Any]], after: str = "") -> list[Field[Any]]:
    """Return the options with `--yes`: last, or after an option."""
    place = next((place for place, each in enumerate(options, 1) if each.name == after), len(options))
    return [*options[:place], *declared_fields(Consent), *options[place:]]


DECLARED = {
    "audit": [
        *declared_fields(TargetOptions),
        *asking(described(Settings.options(), contexts=ContextOptions)),
    ],
    "certify": asking(described(CertifySettings.options(), contexts=ContextOptions)),
    "fix": described(FixSettings.options()),
    "steps": described(StepsSettings.options(), contexts=ContextOptions),
    "watch": [*declared_fields(TargetOptions), *described(WatchSettings.options(), contexts=ContextOptions)],
    "simulate": asking(described(SimulateSettings.options(), environment=EnvironmentOptions), after="time_budget"),
    "frontier": asking(described(FrontierSettings.options(), environment=ArmsOptions), after="time_budget"),
    "bounds": [*declared_fields(InstanceOptions), *declared_fields(BoundsQuestions)],
}
"""By the name of the command."""
