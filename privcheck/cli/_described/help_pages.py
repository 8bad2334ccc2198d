"""Help that reads like documentation: examples printed verbatim, options under headings, named values."""

from __future__ import annotations

import inspect
from typing import Any

from typer.core import TyperCommand, TyperGroup

from privcheck.cli._command_options import DECLARED
from privcheck.cli._declared_options import LISTS, OUTPUT
from privcheck.targets import CLAIM, EFFORT

Sections = dict[str, tuple[str, ...]]

_FOUND = ("annotate", "sarif")
_OUTPUT = ("json", "html", "csv", "npz", "plot", "picture", "log_regret")


def _headings(command: str, output: tuple[str, ...], renamed: dict[str, str] | None = None) -> Sections:
    """Return the headings of a command's declared options, and which stand under them; at the end what it writes."""
    found: Sections = {}
    for each in DECLARED[command]:
        heading = each.metadata["heading"]
        heading = (renamed or {}).get(heading, heading)
        found[heading] = (*found.get(heading, ()), each.name)
    return found | {OUTPUT: (*found.get(OUTPUT, ()), *output)}


SHORT = {CLAIM: "The budget", EFFORT: "Effort"}
"""Headings where nothing is claimed and nothing tested."""

SECTIONS: dict[str, Sections] = {
    "audit": _headings("audit", (*_OUTPUT, *_FOUND)),
    "certify": _headings("certify", (*_OUTPUT, *_FOUND), SHORT),
    "bounds": _headings("bounds", _OUTPUT),
    "claims": {
        "Which claims": ("paper", "status", "fault", "listed"),
        "Effort": ("effort", "seed"),
        "Output": ("markdown", "replay", *_OUTPUT),
    },
    "simulate": _headings("simulate", ("compare", *_OUTPUT), SHORT),
    "frontier": _headings("frontier", _OUTPUT, SHORT),
    "account": {"Privacy": ("delta", "epsilon"), "Output": _OUTPUT},
    "report": {"All audits together": ("level",), "Output": ("pages", "review", "latex", *_OUTPUT)},
    "compare": {"Output": ("annotate", *_OUTPUT)},
    "sweep": {"Results": ("store", *_OUTPUT), "Effort": ("jobs", "retry")},
}  # fmt: skip
"""The headings of each command's options, and the options under them; all others go under "Other options"."""

VALUES = {
    "target": "TARGET", "policies": "POLICY...", "file": "FILE.toml", "json": "FILE", "html": "FILE",
    "csv": "FILE", "npz": "FILE", "plot": "FILE", "folder": "DIR", "picture": "NAME", "paper": "PAPER",
    "effort": "TIME", "markdown": "FILE", "replay": "FILE", "store": "DIR", "old": "OLD", "new": "NEW",
    "sarif": "FILE", "status": "STATUS", "fault": "FAULT",
}  # fmt: skip
"""Placeholders for the values of options and arguments that are not declared."""


class DocumentedCommand(TyperCommand):
    """A command whose help has its options under headings."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        for parameter in self.params:
            parameter.metavar = VALUES.get(str(parameter.name), parameter.metavar)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse a list that is given twice; of other options the last one counts, as is usual."""
        given = [str(parameter.name) for parameter in self.make_parser(ctx).parse_args(args=[*args])[2]]
        for name in LISTS:
            if given.count(name) > 1:
                ctx.fail(f"--{name}: got {given.count(name)} lists, expected one, with commas between its entries")
        return super().parse_args(ctx, args)

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
