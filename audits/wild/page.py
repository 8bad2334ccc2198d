"""The page about public implementations, in Markdown, and one line for the terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from audits.wild.implementation import SEEN_BY, Fault, Wild
from audits.wild.record import Record

COMMAND = """python -m audits.wild --repositories DIR --python NAME=PATH \\
    --json audits/wild/found.json --markdown docs/evidence/wild.md"""

INTRODUCTION = f"""# Public implementations, audited

{{counted}} implementations of differential privacy, from {{sources}} packages and repositories that others
wrote and published, each audited through glue of at most five lines (what sets it up, such as its parameters, is not
counted). {{kept}} of them keep their claims as far as such an audit can see{{inconclusive}}.
{{faults}} do not: for each an argument of its own, which uses nothing of privcheck, shows it, and the audits refute
{{refuted}} of them as well (shown by the argument alone: {{alone}}). All software has faults, this toolkit too. A
fault is set out here, with a change that we would suggest, once its maintainers have been told of it:
{{withheld}} of the {{faults}} are not on this page yet. `.github/SECURITY.md` in the repository says how faults are
disclosed. Thanks are due to the authors, who published their code.

```
{COMMAND}
```

in a checkout of privcheck audits what is installed beside it and what is checked out under DIR, says how to get the
rest, and writes this page. All of the audits below, one after the other, took {{minutes}} minutes of processor time.
The declarations, the glue and the arguments are in `audits/wild`.

- *Lower bound*: epsilon is larger than this, at confidence 0.95. *Resolution*: the largest lower bound that so many
  runs could have shown at the level of the verdict, 1e-3.
- "Consistent" means that this audit, with these inputs and this many runs, found nothing. It is no proof.
- Each bound is above the truth with probability up to .05, so that a few among so many may be. An audit is
  "inconclusive" if its bound is above the claim and the claim is not refuted, or if too few pairs were searched.
- Each claim is about the neighbours in its column; under other relations it may be another number.
- Where inputs are given, the audit did not search for them. All randomness is seeded where the code allows it; PyDP,
  diffprivlib, OpenDP and what is played apart draw from the system, so that their numbers vary.
- SmartNoise, Tumult Core and PipelineDP are played apart, through `privcheck.from_python`: install each in an
  environment of its own, and add `--python NAME=PATH` with its interpreter, once for each. The command says which
  names there are.
- All faults were noticed by readers of the code; each says what suffices to see it without reading. Each suggested
  change was tried on a copy: with it the same audit is consistent with the claim.
- All this is about the versions that are named, and says nothing of later ones. Whoever maintains one of these and
  finds a sentence wrong is asked to say so: it will be corrected.
- The noise is audited as real numbers. Attacks on floating-point numbers are out of scope.
"""


def line(wild: Wild, found: Mapping[str, Any]) -> str:
    """Return one line about an audit, for the terminal."""
    mark = "" if wild.as_expected(found["verdict"]) else f"   EXPECTED: {wild.expected}"
    seconds = f"{found['cpu_seconds']:.0f} s"
    return f"{wild.id:28} {found['verdict']:12} claim {wild.claim:18} at least {_number(found)}  {seconds:>6}{mark}"


def page(declared: Mapping[str, Wild], record: Record) -> str:
    """Return the page, with a row for each declared audit that the record has."""
    shown = {name: wild for name, wild in declared.items() if name in record}
    faults = {name: wild for name, wild in shown.items() if wild.fault is not None}
    parts = [_introduction(shown, record), "## Claims that do not hold\n"]
    parts += [_fault(wild, record[name]) for name, wild in faults.items() if _of(wild).is_published]
    kept = {name: wild for name, wild in shown.items() if wild.fault is None}
    parts.append("## Claims with which the audit is consistent\n")
    parts.append("| implementation | what | claim | neighbours | inputs | lower bound | resolution | runs |")
    parts.append("|---|---|---|---|---|---|---|---|")
    parts += [_row(wild, record[name]) for name, wild in kept.items()]
    remarks = [f"- {wild.what}: {wild.remark}." for wild in kept.values() if wild.remark]
    if remarks:
        parts += ["", *remarks]
    return "\n".join(parts) + "\n"


def _introduction(shown: Mapping[str, Wild], record: Record) -> str:
    """Return the head of the page, with its numbers."""
    faults = [name for name, wild in shown.items() if wild.fault is not None]
    refuted = sum(record[name]["verdict"] == "violation" for name in faults)
    unclear = sum(record[name]["verdict"] == "inconclusive" for name in shown if name not in faults)
    return INTRODUCTION.format(
        counted=len(shown),
        sources=len({wild.project.source for wild in shown.values()}),
        kept=len(shown) - len(faults),
        inconclusive=f" ({unclear} of these audits inconclusive)" if unclear else "",
        faults=len(faults),
        refuted=refuted,
        alone=len(faults) - refuted,
        withheld=sum(not _of(shown[name]).is_published for name in faults),
        minutes=math.ceil(sum(record[name]["cpu_seconds"] for name in shown) / 60),
    )


def _of(wild: Wild) -> Fault:
    assert wild.fault is not None
    return wild.fault


def _row(wild: Wild, found: Mapping[str, Any]) -> str:
    """Return a row of the table."""
    inputs = "searched" if wild.pair is None else "given"
    verdict = "" if found["verdict"] == "consistent" else f" ({found['verdict']})"
    cells = (
        wild.project.source,
        wild.what,
        wild.claim,
        wild.relation,
        inputs,
        f"{_number(found)}{verdict}",
        f"{found['resolution']:.1f}",
        f"{found['runs']:,}",
    )
    return f"| {' | '.join(cells)} |"


def _fault(wild: Wild, found: Mapping[str, Any]) -> str:
    """Return what its maintainers need to know about a fault."""
    fault = _of(wild)
    assert fault.seen_by in SEEN_BY
    audited = f"{_number(found)} with {found['runs']:,} runs ({found['verdict']})"
    replay = f"{wild.replay} --runs {found['runs']} --seed {found['seed']}"
    return f"""### {wild.project.source}: {wild.what}

Claimed: epsilon {wild.claim}, for {wild.relation}. Lower bound of the audit: {audited}.
{fault.seen_by[0].upper()}{fault.seen_by[1:]}.

- Cause: {fault.cause}
- Effect: {fault.effect}
- Suggested change: {fault.remedy}
- Second argument: {found["argument"]["because"]}.
- Replay: `{replay}`. {fault.upstream[0].upper()}{fault.upstream[1:]}.
"""


def _number(found: Mapping[str, Any]) -> str:
    return f"{found['epsilon_lower']:.2f}"
