"""The page of the comparison, in Markdown."""

from __future__ import annotations

from typing import Any

from mechanisms import Case
from tools import NOT_RUN, Tool

Results = dict[Case, dict[tuple[str, str], dict[str, Any]]]

INTRODUCTION = """# Auditors side by side

Lower bounds on epsilon at confidence 0.95 by privcheck and by other published auditors, all given the same number of
runs per stream of the same mechanism on the same pair of inputs. Each cell has the mean over seeds and the median
seconds.

- Seconds of privcheck include playing the runs and learning the score. Those of the others cover learning, if there is
  any, and bounding.
- A tool that needs a score is given the exact likelihood ratio, which no user has. A tool that learns its own score is
  given the outputs, and every run that it uses for learning or choosing is one of the stated number.
- None of the others takes an interactive learner or searches for its streams, so there is no row for bandits.
- [One run with canaries](rivals-one-run.md) and [sequential audits](rivals-sequential.md) have pages of their own.
- With few seeds small differences are noise: the quick methods with a valid confidence are compared [over twenty
  seeds](rivals-seeds.md), too. Seconds depend on what else the machine does.
"""

OWN = (
    "privcheck",
    "audit",
    "the pair",
    "yes: learning, choosing, weighing and counting on four folds, with the level shared among the events",
    True,
)


OF_SEEDS = """# Auditors with a valid confidence, over many seeds

Lower bounds on epsilon at confidence 0.95, all from the same number of runs per stream of the same mechanism on the
same pair of inputs: mean and standard deviation over seeds. An asterisk marks a mean above the truth. What each tool is
given, which methods are left out, and how long they take, is on the page of [all methods](rivals.md).
"""


def page(results: Results, tools: list[Tool], where: str, failed: dict[str, str], *, spread: bool = False) -> str:
    """Return the page.

    Parameters
    ----------
    results : for each mechanism, what each method found.
    tools : those that ran.
    where : command, date and versions.
    failed : tools that could not be installed, and why.
    spread : whether to show standard deviations in place of seconds, and the table alone.

    """
    methods = [OWN] + [
        (tool.name, m.name, ", ".join(filter(None, ["the pair", m.given])), m.covers, m.valid)
        for tool in tools
        for m in tool.methods
    ]
    head = ["tool", *(f"{case.name} (truth {case.truth:.3f})" for case in results), "bound with this confidence?"]
    if any(tool.repository for tool in tools):
        where += (
            ". A tool with a commit in its name ran from its checkout in DIR, cloned under the name of its repository"
        )
    introduction = OF_SEEDS if spread else INTRODUCTION
    lines = [introduction, "Printed by " + where + ".\n", "| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for tool, name, _, _, valid in methods:
        cells = [cell(case, found.get((tool, name)), spread=spread) for case, found in results.items()]
        lines.append("| " + " | ".join([f"{tool}, {name}", *cells, "yes" if valid else "no"]) + " |")
    if spread:
        return "\n".join(lines) + "\n"
    lines += ["", "An asterisk marks a mean above the truth, a dagger a method that was run with one seed.\n"]
    lines += ["## Does the stated confidence cover the search for the event?\n"]
    lines += [f"- {tool}, {name}: {covers}. Given: {given}." for tool, name, given, covers, _ in methods]
    if any(tool.repository for tool in tools):
        lines += ["", "## What our drivers change in code that is published only as a repository\n"]
    lines += [f"- {tool.name} (`{tool.repository}`): {tool.changed}." for tool in tools if tool.repository]
    lines += ["", "## Where another valid method has a larger bound\n", *_behind(results, methods), ""]
    lines += ["## Not in the table\n", *(f"- {tool}: {why}." for tool, why in (NOT_RUN | failed).items())]
    return "\n".join(lines) + "\n"


def cell(case: Case, found: dict[str, Any] | None, *, spread: bool) -> str:
    """Return a bound, with the seconds that it took or the spread over seeds, as a cell of the table."""
    if found is None:
        return ""
    if found["lower"] is None:
        return found["error"].replace("|", "/")[:60] or "only for delta = 0"
    above = "*" if found["lower"] > case.truth + 1e-9 else ""
    shown = f"{found['lower']:.3f}{above}"
    if spread:
        return shown if found["deviation"] is None else f"{shown} ± {found['deviation']:.3f}"
    return f"{shown}{'†' if found['seeds'] == 1 else ''}, {found['seconds']:.2g} s"


def _behind(results: Results, methods: list[tuple[str, str, str, str, bool]]) -> list[str]:
    """Return a line for each mechanism on which another valid method has a larger bound."""
    lines = []
    for case, found in results.items():
        own = found["privcheck", "audit"]["lower"]
        for tool, name, _, _, valid in methods:
            lower = found.get((tool, name), {}).get("lower")
            if valid and lower is not None and lower > own:
                lines.append(f"- {case.name}: {tool}, {name}, has {lower:.3f} against {own:.3f}.")
    return lines or [
        "Nowhere: among the methods whose confidence holds, privcheck has the largest bound on every mechanism."
    ]
