"""The certificate of a run: the only place where one is put together from what its executions showed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

from privcheck.accounting import (
    Approximate,
    BudgetFilter,
    Concentrated,
    GaussianDP,
    Ledger,
    Notion,
    Pure,
    convert,
    shown,
    spent,
)
from privcheck.mechanisms import MechanismCode
from privcheck.private_values import Leak
from privcheck.results import EXPLORED, UNDER_GUARD, Certificate, PrimitiveUse, ReplayResult, UnreachedLine
from privcheck.targets import Claim, Game, Target


class Seen(TypedDict, total=False):
    """Fields of a certificate that only one way of running a target fills in."""

    accountant: str | None
    contradictions: tuple[str, ...]
    leaks: list[Leak]
    mechanisms: list[MechanismCode]
    primitive_uses: list[PrimitiveUse]
    primitives: list[str]
    rests_on: dict[str, list[str]]
    uncounted: list[str]
    undeclared: list[str]
    unreached: list[UnreachedLine]


def build_certificate(
    target: Target,
    claim: Claim,
    game: Game,
    length: int,
    seed: int,
    *,
    by: BudgetFilter | None,
    ledger: Ledger,
    replay: ReplayResult,
    executions: int,
    refusals: Sequence[str],
    notes: Sequence[str],
    holds: bool = False,
    complete: bool = False,
    **seen: Unpack[Seen],
) -> Certificate:
    """Return the certificate of a target.

    Parameters
    ----------
    target, claim, game : what was run, its budget, and on which streams.
    length, seed : T, and the seed of all randomness.
    by : the filter of the budget; None without a budget.
    ledger : that of the execution with the largest loss, as it was recorded.
    replay, executions, refusals, notes : as in the certificate.
    holds : whether the budget bounds the loss of every execution, not only of those that were explored.
    complete : as in the certificate.
    seen : the other fields of the certificate.
    """
    budget = claim.budget
    read = ledger if by is None else shown(by, ledger)
    amount = ledger.epsilon if by is None else spent(by, ledger).amount
    fields: dict[str, Any] = {"leaks": [], **seen}
    return Certificate(
        target=target.name,
        coverage=UNDER_GUARD if holds else EXPLORED,
        epsilon_claimed=claim.epsilon,
        delta=claim.delta if claim.epsilon is not None else 0.0,
        ledger_epsilon=amount if isinstance(budget, Pure | Approximate) else read.epsilon,
        ledger_rho=amount if isinstance(budget, Concentrated) else read.total.rho,
        ledger_mu=amount if isinstance(budget, GaussianDP) else read.total.mu,
        replay=replay,
        ledger=read.without_pairs(),
        refusals=list(refusals),
        executions=executions,
        neighbours=game.neighbours,
        rewards=game.rewards,
        observe="actions",
        feedback=target.feedback,
        horizon=length,
        arms=target.arms,
        seed=seed,
        contexts=game.contexts,
        notes=list(notes),
        budget=budget,
        shares={} if by is None else by.shares,
        complete=complete,
        **_upper_bounds(budget if holds else None),
        **fields,
    )


def _upper_bounds(budget: Notion | None) -> dict[str, Any]:
    """Return the upper bounds that a budget implies at its own delta; all are None without one."""
    pure = budget.epsilon if isinstance(budget, Pure) else None
    gaussian = convert(budget, GaussianDP) if isinstance(budget, Pure | GaussianDP) else None
    concentrated = convert(budget, Concentrated) if isinstance(budget, Pure | GaussianDP | Concentrated) else None
    return {
        "epsilon_upper": budget.epsilon if isinstance(budget, Approximate) else pure,
        "rho_upper": None if concentrated is None else concentrated.rho,
        "mu_upper": None if gaussian is None else gaussian.mu,
    }
