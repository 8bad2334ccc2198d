"""The last step of an audit: what is known beside its verdict, a certificate, the lines at fault and the exact loss.

None of it changes the verdict. After an interrupt no part is begun: whoever ends an audit wants its answer at once.
"""

from __future__ import annotations

import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from privcheck.auditing._exact.loss import exact_loss
from privcheck.auditing._judge import Judged
from privcheck.auditing._plan import Plan
from privcheck.auditing._play import Played
from privcheck.bandits import Algorithm
from privcheck.errors import PrivcheckError
from privcheck.feedback import FEEDBACKS
from privcheck.mechanisms import Mechanism
from privcheck.targets import ServiceRunner

if TYPE_CHECKING:
    from privcheck.results import Certificate, Fault, Outcome, Witness

Part = TypeVar("Part")

OTHER_PROGRAM = "the code of another program is not seen"

NO_FAULT = "no line was found at fault: {}"


@dataclass(frozen=True)
class Explained:
    """What is known beside a verdict.

    Parameters
    ----------
    certificate : an upper bound, for a policy that releases through privcheck's mechanisms.
    faults : the lines behind a violation.
    exact_loss : the true loss on the pair of the witness, where the law of the outputs is known.
    notes : all notes of the audit, those of the verdict first.
    """

    certificate: Certificate | None = None
    faults: list[Fault] = field(default_factory=list)
    exact_loss: float | None = None
    notes: tuple[str, ...] = ()


def explained(plan: Plan, played: Played, judged: Judged) -> Explained:
    """Return what is known beside the verdict."""
    outcome, notes = judged.outcome, list(judged.outcome.notes)
    interrupted = _interrupted(plan, played, outcome)

    def part(found: Callable[[], Part], otherwise: Part, note: str) -> Part:
        nonlocal interrupted
        try:
            if not interrupted:
                return found()
        except KeyboardInterrupt:  # what the runs have shown is not lost
            interrupted = True
        notes.append(note)
        return otherwise

    if interrupted and outcome.witness is None:
        return Explained(notes=tuple(notes))  # there is nothing to explain
    certificate = part(lambda: _certificate(plan, outcome), None, "interrupted before there was a certificate")
    none: tuple[list[Fault], str] = ([], "")
    from privcheck.auditing._faults.find import POSSIBLE

    missing = NO_FAULT.format("interrupted before it was looked for")
    faults, why = part(lambda: _faults(plan, outcome), none, missing)
    if why.startswith(POSSIBLE) and certificate is not None and (place := _refused_at(certificate)):
        why = f"{POSSIBLE}{place}: a guard with the claim as its budget refused a release there"
    if why:
        notes.append(why if why.startswith(POSSIBLE) else NO_FAULT.format(why))
    missing = "interrupted before the exact loss was known"
    exact = part(lambda: _exact_loss(plan, played, outcome.witness), None, missing)
    return Explained(certificate, faults, exact, tuple(notes))


def _interrupted(plan: Plan, played: Played, outcome: Outcome) -> bool:
    """Tell whether the user ended the runs: neither the clock nor `stop_after` did."""
    cut = outcome.stop_after is not None and plan.settings.effort.stop_after is None
    return cut and time.monotonic() <= played.extent.deadline


def _certificate(plan: Plan, outcome: Outcome) -> Certificate | None:
    """Return the upper bound on epsilon, where the policy releases through privcheck's mechanisms."""
    from privcheck.certifying import certified

    claim, policy = plan.settings.claim, plan.unguarded
    if outcome.witness is None or claim.budget is None or policy.feedback not in FEEDBACKS.guarded:
        return None
    runs = max(3, min(20, 2000 // plan.horizon))
    try:
        certificate = certified(policy, claim, plan.settings.game, plan.horizon, runs, plan.settings.effort.seed)
    except PrivcheckError:
        return None  # a policy that cannot take wrapped rewards can still be audited
    released = certificate.ledger.releases or certificate.refusals or certificate.replay.largest_loss > 0.0
    return _compared(plan, outcome, certificate) if released else None


def _refused_at(certificate: Certificate) -> str:
    """Return the line at which the guard refused a release first; nothing if it refused none, or at a line unknown."""
    places = (re.search(r" release at (\S+:\d+)", refusal) for refusal in certificate.refusals)
    return next((place[1] for place in places if place), "")


def _compared(plan: Plan, outcome: Outcome, certificate: Certificate) -> Certificate:
    """Return the certificate, withdrawn if the audit refuted the same claim, in its own notion, at level `error`.

    The budget is the claim. Under the guard it bounds every execution; without it, only those of a policy all of whose
    lines ran, on rewards fixed beforehand, and it says nothing of what is observed besides the actions.
    """
    claim, guarded = plan.settings.claim, plan.settings.execution.guarded
    whole = certificate.granted and plan.settings.game.observe == "actions"
    spoken_of = plan.adversary is None and (guarded or whole)
    promised = certificate.upper is not None or certificate.contradictions
    if outcome.verdict != "violation" or not (promised and spoken_of):
        return certificate
    return certificate.refuted_by_audit(claim.error, guarded=guarded)


def _faults(plan: Plan, outcome: Outcome) -> tuple[list[Fault], str]:
    """Return the lines behind a violation, or why none is known."""
    from privcheck.auditing._faults.find import find_faults

    if outcome.verdict != "violation":
        return [], ""
    if isinstance(plan.policy.runner, ServiceRunner):
        return [], OTHER_PROGRAM
    if plan.adversary is not None:
        return [], "rewards were chosen by an adversary, and guarded runs know streams only"
    witnesses = [found for found in (outcome.witness, outcome.simplest) if found]
    return find_faults(plan.unguarded, plan.settings.claim, plan.settings.game, witnesses)


def _exact_loss(plan: Plan, played: Played, witness: Witness | None) -> float | None:
    """Return the true loss on the pair of the witness, where the law of the outputs is known."""
    delta, game = plan.settings.claim.delta, plan.settings.game
    if witness is None:
        return None
    spec = plan.policy.spec or plan.policy.mechanism
    in_closed_form = delta == 0.0 and game.observe == "actions" and game.contexts is None
    shape = np.shape(played.candidates[0].first)
    alike = witness.first.size == witness.second.size == math.prod(shape)
    if in_closed_form and alike and isinstance(spec, Algorithm | Mechanism):
        found = exact_loss(spec, (witness.first.reshape(shape), witness.second.reshape(shape)))
        if found is not None:
            return (found.lower + found.upper) / 2.0
    return None if plan.law is None else plan.law.loss(played.candidates, witness, delta, played.by_law)
