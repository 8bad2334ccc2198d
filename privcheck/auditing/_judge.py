"""The third step of an audit: the verdict, by all that was played and by a given law, and the notes on it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from privcheck.auditing._harness.law_of_batches import batch_note
from privcheck.auditing._law_verdict import judged_by_law
from privcheck.auditing._observed_note import with_observed
from privcheck.auditing._plan import Plan
from privcheck.auditing._play import Played
from privcheck.auditing._relation_note import relation_note
from privcheck.auditing._search.candidates import searched
from privcheck.auditing._search.left_out import notes_of
from privcheck.auditing._steps.beside_audits import with_step
from privcheck.auditing._untold_note import untold_note
from privcheck.auditing._values_note import range_note, values_note
from privcheck.auditing._verdict import LONGER, NO_LIMIT, conclude
from privcheck.results import Outcome, Search, Suspicion


@dataclass(frozen=True)
class Judged:
    """The verdict and what it rests on.

    Parameters
    ----------
    outcome : what the search and the counted runs decided, those of the events of a given law among them, with notes.
    search : how much of the candidates was looked at.
    """

    outcome: Outcome
    search: Search


def judged(plan: Plan, played: Played, step: Suspicion | None = None) -> Judged:
    """Return the verdict on what was played, and on what a step alone shows."""
    claim, game, effort = plan.settings.claim, plan.settings.game, plan.settings.effort
    search = searched(played.every, played.extent.pairs, played.outcome, plan.policy.runner)
    needed = played.extent.needed
    remedy = NO_LIMIT if effort.pairs else LONGER if needed is None else needed.remedy
    outcome = conclude(played.outcome, search, notes_of(plan.candidates) + played.failing, remedy)
    if played.by_law is not None:
        outcome = judged_by_law(outcome, played.by_law, played.candidates[0], claim)
    outcome = with_step(outcome, step)
    notes = outcome.notes
    if outcome.verdict == "violation":
        notes += played.hints
    elif needed is not None and needed.short and outcome.counted_runs:
        notes += (needed.too_many_pairs,)
    notes += relation_note(outcome, plan.policy, claim, game, effort.streams, played.candidates)
    if outcome.counted_runs:
        notes += range_note(plan.policy, game, effort.streams, played.candidates)
    notes += values_note(outcome.verdict, plan.policy, game, effort.streams, played.candidates[0])
    if outcome.counted_runs:
        notes += batch_note(plan.policy.runner)
    notes += untold_note(plan.unguarded.runner, claim.epsilon)
    outcome = with_observed(replace(outcome, notes=notes), plan.policy, game, released=played.released)
    return Judged(outcome, search)
