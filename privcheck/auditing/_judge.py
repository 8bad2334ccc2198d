"""The third step of an audit: the verdict, by all that was played and by a given law, and the notes on it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from privcheck.auditing._law_of_outputs import judged_by_law
from privcheck.auditing._plan import Plan
from privcheck.auditing._play import Played
from privcheck.auditing._relation_note import relation_note
from privcheck.auditing._search.candidates import searched
from privcheck.auditing._untold_note import untold_note
from privcheck.auditing._verdict import conclude
from privcheck.results import LawEvidence, Outcome, Search


@dataclass(frozen=True)
class Judged:
    """The verdict and what it rests on.

    Parameters
    ----------
    by_runs : the outcome by the runs alone, with its notes.
    outcome : the same after what a given law says; its notes begin with those of `by_runs`.
    search : how much of the candidates was looked at.
    by_law : what the law says, and whether the verdict rests on it; None without a law.
    """

    by_runs: Outcome
    outcome: Outcome
    search: Search
    by_law: LawEvidence | None


def judged(plan: Plan, played: Played) -> Judged:
    """Return the verdict on what was played."""
    claim, game, effort = plan.settings.claim, plan.settings.game, plan.settings.effort
    search = searched(played.candidates, played.extent.pairs, played.outcome, plan.policy.runner)
    by_runs = conclude(played.outcome, search)
    notes = by_runs.notes
    if by_runs.verdict == "violation":
        notes += played.hints
    notes += relation_note(by_runs, plan.policy, claim, game, effort.streams, played.candidates[0])
    notes += untold_note(plan.unguarded.runner, claim.epsilon)
    by_runs = replace(by_runs, notes=notes)
    outcome, by_law = by_runs, played.by_law
    if by_law is not None:
        outcome, by_law = judged_by_law(by_runs, by_law)
    return Judged(by_runs, outcome, search, by_law)
