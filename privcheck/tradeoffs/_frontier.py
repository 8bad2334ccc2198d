"""`frontier`: regret against epsilon, with the theory's bounds, the claim, the audited and the certified epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from privcheck.auditing import audit
from privcheck.bandits import ALGORITHMS, Algorithm, ShippedId
from privcheck.bounds import THEOREMS, Bounds, BoundValue, trivial_bounds
from privcheck.certifying import certify
from privcheck.declared import POSITIVE, check
from privcheck.environments import Combinatorial, ContextualEnvironment, Environment
from privcheck.environments import environment as make_environment
from privcheck.errors import PrivcheckError, words
from privcheck.results import Frontier, FrontierBound, FrontierPoint
from privcheck.scheduling import scheduler_address
from privcheck.simulation import Policy, as_list, is_own, simulate
from privcheck.targets import DEFAULT_TIME_BUDGET, FrontierEffort, factory_parameters, load_factory

CONFIDENCE = 0.95
PAIRS = 24
"""Pairs of streams that each audit screens: an audit by itself screens more, and takes many times as long."""

GRID = 33
"""Budgets at which the theory is evaluated, besides those of the policies."""

QUANTITY_OF = "azize-basu-2022/thm3-tight"
"""A theorem on what the picture shows: the pseudo-regret of an epsilon-DP bandit on one instance."""


def frontier(
    policies: Policy | Sequence[Policy],
    environment: str | Environment | Sequence[float],
    *,
    epsilons: Sequence[float],
    horizon: int,
    runs: int = 200,
    audit_runs: int = 20_000,
    certificates: bool = True,
    seed: int = 0,
    jobs: int = 1,
    time_budget: float = DEFAULT_TIME_BUDGET,
    scheduler: str | None = None,
    store: str | Path | None = None,
) -> Frontier:
    r"""Simulate, audit and certify policies at several budgets, and return regret against epsilon.

    Parameters
    ----------
    policies : as in `privcheck.simulate`: shipped ids, and factories of your own. A policy that takes no epsilon is
        simulated once, as what is lost without privacy.
    environment : arms, as in `privcheck.simulate`.
    epsilons : the budgets, each > 0.
    horizon, runs, seed, jobs, time_budget : of the simulations; see `privcheck.simulate`.
    audit_runs : runs per side of each audit, at least 20; 0 for no audits. An audit screens 24 pairs of streams of 16
        rounds or, if that is more, what a shipped algorithm needs to make a release; a longer one by itself finds more.
    certificates : whether policies are certified.
    scheduler, store : who plays simulations and audits, and where their finished chunks are kept; see
        `privcheck.simulate`. Certificates are made in this process, and anew.

    Returns
    -------
    Frontier, with one point for each policy and budget, and the theory's bounds on a grid of budgets.

    Guarantee
    ---------
    Every audited lower bound holds with confidence 0.95 on its own, not all of them together. A certified upper bound
    covers the code that is certified, which for a shipped algorithm is its reference.

    Raises
    ------
    PrivcheckError : budgets that are not positive, an environment without arms, or what `privcheck.simulate` refuses.

    Examples
    --------
    >>> found = frontier(["adap-ucb", "ucb"], [0.9, 0.1], epsilons=[0.5, 2], horizon=2000, runs=20, audit_runs=0)
    >>> [(point.policy, point.epsilon, point.epsilon_upper) for point in found.points]
    [('adap-ucb', 0.5, 0.5), ('adap-ucb', 2.0, 2.0), ('ucb', None, None)]
    >>> found.bounds[0].lower_id
    'azize-basu-2022/thm3-tight'
    """
    place = make_environment(environment)
    if isinstance(place, Combinatorial | ContextualEnvironment):
        raise PrivcheckError("environment", words(place.id), "an environment with arms", "as in [0.75, 0.5] or 'c2'")
    budgets = _budgets(epsilons)
    effort = FrontierEffort(
        runs=runs, audit_runs=audit_runs, certificates=certificates, time_budget=time_budget, seed=seed
    )
    given = as_list(policies)
    for policy in given:
        if isinstance(policy, Algorithm):
            hint = f"its budget is fixed: give its id, as in '{policy.id}(alpha=2)'"
            raise PrivcheckError("policies", policy, "shipped ids and factories of your own", hint)
    points: list[FrontierPoint] = []
    remarks: list[str] = []
    with scheduler_address(scheduler) as address:
        by: dict[str, Any] = {"seed": seed, "jobs": jobs, "scheduler": address, "store": store}
        once = by | {"horizon": horizon, "runs": runs, "checkpoints": 1, "time_budget": time_budget}
        for policy in given:
            takes = _takes_epsilon(policy)
            for epsilon in budgets if takes else [None]:
                played = simulate(policy, place, epsilon=epsilon, **once)
                name = _name(policy)
                if not takes and is_own(policy):
                    remarks.append(f"{name}: no parameter epsilon, so it is simulated once, without a claim")
                remarks += [f"{name}, epsilon {epsilon}: {remark.text}" for remark in played.remarks]
                row = played.summary()[0]
                known: dict[str, Any] = {}
                if epsilon is not None:
                    known = _privacy(policy, place, epsilon, effort, by, remarks)
                values = {key: row[key] for key in ("mean", "se", "q05", "q95", "runs")}
                points.append(FrontierPoint(name, epsilon, **values, **known))
    names = tuple(getattr(place, "names", ()))
    bounds = _theory(place, budgets, int(horizon))
    return Frontier(place.id, place.means, names, int(horizon), seed, CONFIDENCE, tuple(points), bounds, tuple(remarks))


def _budgets(epsilons: Any) -> list[float]:
    try:
        found = [float(check("epsilons", each, POSITIVE, "budgets are positive")) for each in epsilons]
    except TypeError:
        found = []
    if not found:
        raise PrivcheckError("epsilons", epsilons, "at least one budget", "as in epsilons=[0.1, 0.3, 1, 3]")
    return sorted(set(found))


def _takes_epsilon(policy: Any) -> bool:
    if is_own(policy):
        return "epsilon" in factory_parameters(load_factory(policy)[1])
    shipped = ShippedId.read(policy) if isinstance(policy, str) else None
    if shipped is None or shipped.name not in ALGORITHMS:
        return False  # `simulate` says what is wrong with it
    if "epsilon" in shipped.given:
        raise PrivcheckError("policies", policy, "a policy without epsilon", "its budgets are those of `epsilons`")
    return shipped.algorithm.private and shipped.algorithm.declares("epsilon")


def _name(policy: Any) -> str:
    return load_factory(policy)[0] if is_own(policy) else str(policy)


def _privacy(
    policy: Any, place: Environment, epsilon: float, effort: FrontierEffort, by: dict[str, Any], remarks: list[str]
) -> dict[str, Any]:
    """Return what an audit and a certificate say of a policy, and remark where there is none."""
    found: dict[str, Any] = {}
    given: dict[str, Any] = {"epsilon": epsilon, "arms": place.arms}
    if not is_own(policy):
        given["feedback"] = ShippedId.read(policy).algorithm.feedback
    if effort.audit_runs:
        try:
            report = audit(policy, runs=effort.audit_runs, pairs=PAIRS, confidence=CONFIDENCE, **by, **given)
            found |= {"epsilon_lower": report.epsilon_lower, "verdict": report.verdict}
        except PrivcheckError as error:
            remarks.append(f"{_name(policy)}, epsilon {epsilon:g}: not audited: {error}")
    if effort.certificates:
        try:
            certificate = certify(policy, seed=by["seed"], **given)
            found["epsilon_upper"] = certificate.epsilon_upper
            if certificate.epsilon_upper is None:
                remarks.append(f"{_name(policy)}, epsilon {epsilon:g}: no certificate for all executions")
        except PrivcheckError as error:
            remarks.append(f"{_name(policy)}, epsilon {epsilon:g}: not certified: {error}")
    return found


def _theory(place: Environment, budgets: Sequence[float], horizon: int) -> tuple[FrontierBound, ...]:
    """Return the best bounds on the regret in this environment, on a grid a little wider than the budgets."""
    grid = np.unique(np.concatenate([np.geomspace(budgets[0] / 2, 2 * budgets[-1], GRID), budgets]))
    quantity = THEOREMS[QUANTITY_OF].quantity
    usable = [
        known
        for known in THEOREMS.values()
        if known.quantity == quantity and known.provenance not in ("unproven", "order-only")
    ]
    rows = []
    for epsilon in grid.tolist():
        instance = place.instance(epsilon, horizon)
        if instance is None:
            return ()
        values = Bounds((known.evaluate(instance) for known in usable), instance)
        lower = [(float(b.constant) * float(np.log(horizon)), b.id) for b in values if _counts(b, "lower")]  # type: ignore[arg-type]
        upper = [(float(b.value), b.id) for b in values if _counts(b, "upper") and values.vacuous(b) is None]  # type: ignore[arg-type]
        upper += [(float(of.value), of.id) for of in trivial_bounds(instance, [quantity]) if of.value is not None]
        low, high = max(lower, default=(None, None)), min(upper, default=(None, None))
        rows.append(FrontierBound(epsilon, *low, *high))
    return tuple(rows)


def _counts(bound: BoundValue, kind: str) -> bool:
    known = bound.constant if kind == "lower" else bound.value
    return bool(bound.kind == kind and bound.applies and known is not None and np.isfinite(known))
