"""Help that reads like documentation: examples printed verbatim, options under headings, named values."""

from __future__ import annotations

import inspect
from typing import Any

from typer.core import TyperCommand, TyperGroup

from privcheck.targets import CLAIM, EFFORT, CertifySettings, Settings

Sections = dict[str, tuple[str, ...]]

_FOUND = ("annotate", "sarif")
_OUTPUT = ("json", "html", "csv", "npz", "plot", "picture", "log_regret")


def _headings(settings: type[Settings], renamed: dict[str, str] | None = None) -> Sections:
    """Return the headings of declared options, and which stand under them; contexts are two on the command line."""
    found: Sections = {}
    for declared in settings.options():
        heading = declared.metadata["heading"]
        heading = (renamed or {}).get(heading, heading)
        names = ("contexts", "context_norm") if declared.name == "contexts" else (declared.name,)
        found[heading] = found.get(heading, ()) + names
    return found


def _with_yes(sections: Sections, heading: str) -> Sections:
    """Return the headings with `--yes`, which no declaration has, under one of them."""
    return sections | {heading: (*sections[heading], "yes")}


SECTIONS: dict[str, Sections] = {
    "audit": {"Played by another program": ("command", "url", "python", "timeout", "mechanism")}
    | _with_yes(_headings(Settings), EFFORT)
    | {"Output": (*_OUTPUT, *_FOUND)},
    "certify": _with_yes(_headings(CertifySettings, {CLAIM: "The budget", EFFORT: "Effort"}), "Effort")
    | {"Output": (*_OUTPUT, *_FOUND)},
    "bounds": {
        "Privacy and horizon": ("epsilon", "delta", "horizon"),
        "Independent arms": ("family", "means", "instance", "support", "weights", "variance", "alpha", "risk"),
        "Linear bandits": ("vectors", "theta"),
        "Semi-bandits": ("base_arms", "size", "gap", "smooth_inf", "smooth_one"),
        "Contextual linear bandits (also --gap and --alpha)": (
            "dimension", "noise", "action_norm", "parameter_norm", "mean_bound", "reward_bound", "sigma",
        ),
        "Output": ("everything", "curve", "explain", "claimed", *_OUTPUT),
    },
    "claims": {
        "Which claims": ("paper", "status", "listed"),
        "Effort": ("effort", "seed"),
        "Output": ("markdown", "replay", *_OUTPUT),
    },
    "simulate": {
        "What is played": (
            "epsilon", "delta", "horizon", "means", "environment", "settings", "feedback", "shuffle_arms",
        ),
        "Logged feedback": ("log", "action", "reward", "propensity", "reward_range"),
        "Effort": ("runs", "time_budget", "yes", "checkpoints", "seed", "jobs", "scheduler", "store"),
        "Output": ("compare", *_OUTPUT),
    },
    "frontier": {
        "What is played": ("epsilons", "horizon", "means", "environment", "settings"),
        "Logged feedback": ("log", "action", "reward", "propensity", "reward_range"),
        "Effort": ("runs", "audit_runs", "certificates", "time_budget", "seed", "jobs", "scheduler", "store"),
        "Output": _OUTPUT,
    },
    "account": {"Privacy": ("delta", "epsilon"), "Output": _OUTPUT},
    "report": {"All audits together": ("level",), "Output": ("pages", *_OUTPUT)},
    "compare": {"Output": ("annotate", *_OUTPUT)},
    "sweep": {"Results": ("store", *_OUTPUT), "Effort": ("jobs", "retry")},
}  # fmt: skip
"""The headings of each command's options, and the options under them; all others go under "Other options"."""

VALUES = {
    "target": "TARGET", "policies": "POLICY...", "file": "FILE.toml", "reward_range": "LOW,HIGH",
    "family": "FAMILY", "means": "NUMBERS", "instance": "NAME",
    "support": "NUMBERS", "weights": "ROWS", "vectors": "ROWS", "theta": "NUMBERS", "noise": "KIND", "curve": "AXIS",
    "environment": "NAME", "settings": "NAME=VALUE", "log": "FILE.csv", "action": "COLUMN", "reward": "COLUMN",
    "propensity": "COLUMN", "json": "FILE", "html": "FILE", "csv": "FILE", "npz": "FILE", "plot": "FILE",
    "folder": "DIR", "picture": "NAME", "paper": "PAPER", "effort": "TIME", "markdown": "FILE", "replay": "FILE",
    "store": "DIR", "old": "OLD", "new": "NEW", "command": "COMMAND", "url": "URL", "python": "PATH", "sarif": "FILE",
    "epsilons": "NUMBERS", "feedback": "KIND", "status": "STATUS", "claimed": "REGRET",
}  # fmt: skip
"""Placeholders for the values of options and arguments."""


class DocumentedCommand(TyperCommand):
    """A command whose help has its options under headings."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for parameter in self.params:
            parameter.metavar = VALUES.get(str(parameter.name), parameter.metavar)

    def format_help_text(self, _: Any, formatter: Any) -> None:
        """Write the description; an indented paragraph keeps its lines."""
        _write_paragraphs(self.help, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options, under the headings of `SECTIONS`."""
        records = {parameter: parameter.get_help_record(ctx) for parameter in self.get_params(ctx)}
        left = {str(parameter.name): record for parameter, record in records.items() if record is not None}
        arguments = [str(parameter.name) for parameter in records if parameter.param_type_name == "argument"]
        sections = {"Arguments": arguments, **SECTIONS.get(str(self.name), {})}
        for heading, names in [*sections.items(), ("Other options" if len(sections) > 1 else "Options", list(left))]:
            found = [left.pop(name) for name in names if name in left]
            if found:
                with formatter.section(heading):
                    formatter.write_dl(found)


class DocumentedGroup(TyperGroup):
    """The group of commands, described in the same way."""

    def format_help_text(self, _: Any, formatter: Any) -> None:
        """Write the description; an indented paragraph keeps its lines."""
        _write_paragraphs(self.help, formatter)


def _write_paragraphs(text: str | None, formatter: Any) -> None:
    for paragraph in inspect.cleandoc(text or "").split("\n\n"):
        formatter.write_paragraph()
        with formatter.indentation():
            if paragraph.startswith(" "):
                formatter.write("".join(f"  {line}\n" for line in paragraph.split("\n")))
            else:
                formatter.write_text(paragraph)
