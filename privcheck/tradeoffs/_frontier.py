"""`frontier`: regret against epsilon, with the theory's bounds, the claim, the audited and the certified epsilon."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from privcheck.auditing import audit
from privcheck.bandits import ALGORITHMS, Algorithm, ShippedId
from privcheck.bounds import THEOREMS, Bounds, BoundValue, trivial_bounds
from privcheck.certifying import certify
from privcheck.declared import POSITIVE, Switch, check
from privcheck.environments import Combinatorial, ContextualEnvironment, Environment
from privcheck.environments import environment as make_environment
from privcheck.errors import PrivcheckError, words
from privcheck.progress import progress
from privcheck.results import Certificate, Frontier, FrontierBound, FrontierPoint
from privcheck.scheduling import scheduler_address
from privcheck.simulation import Policies, is_own, simulate, with_labels
from privcheck.targets import DEFAULT_TIME_BUDGET, Claim, FrontierEffort, factory_parameters, load_factory

CONFIDENCE = 0.95
PAIRS = 24
"""Pairs of streams that each audit screens: an audit by itself screens more, and takes many times as long."""

GRID = 33
"""Budgets at which the theory is evaluated, besides those of the policies."""

QUANTITY_OF = "azize-basu-2022/thm3-tight"
"""A theorem on what the picture shows: the pseudo-regret of an epsilon-DP bandit on one instance."""


def frontier(
    policies: Policies,
    environment: str | Environment | Sequence[float],
    *,
    epsilons: Sequence[float] | None = None,
    horizon: int,
    runs: int = 200,
    audit_runs: int = 20_000,
    certificates: bool = True,
    seed: int = 0,
    jobs: int = 1,
    time_budget: float = DEFAULT_TIME_BUDGET,
    scheduler: str | None = None,
    store: str | Path | None = None,
    delta: float = 0.0,
    rho: Sequence[float] | None = None,
    mu: Sequence[float] | None = None,
    shuffle_arms: bool = False,
) -> Frontier:
    r"""Simulate, audit and certify policies at several budgets, and return regret against epsilon, rho or mu.

    Parameters
    ----------
    policies : as in `privcheck.simulate`: shipped ids, and factories of your own, or a mapping from labels to these. A
        policy that takes no such budget is simulated once, as what is lost without privacy.
    environment : arms, as in `privcheck.simulate`.
    epsilons : the budgets, each > 0.
    horizon, runs, seed, jobs, time_budget : of the simulations; see `privcheck.simulate`.
    audit_runs : runs per side of each audit, at least 20; 0 for no audits. An audit screens 24 pairs of streams of 16
        rounds or, if that is more, what a shipped algorithm needs to make a release; a longer one by itself finds more.
    certificates : whether policies are certified.
    scheduler, store : who plays simulations and audits, and where their finished chunks are kept; see
        `privcheck.simulate`. Certificates are made in this process, and anew.
    delta : of every budget in epsilon, in [0, 1): a policy receives it in its simulation, audit and certificate.
    rho, mu : budgets in zCDP or in Gaussian DP, each > 0, in place of `epsilons`; most shipped
        algorithms take epsilon.
    shuffle_arms : whether the simulations put the arms in a random order in every run; see `privcheck.simulate`.

    Returns
    -------
    Frontier, with one point for each policy and budget, and for budgets in pure DP the theory's bounds on a grid.

    Guarantee
    ---------
    Every audited lower bound holds with confidence 0.95 on its own, not all of them together. A certified upper bound
    covers the code that is certified, which for a shipped algorithm is its reference. All three parts of a point build
    the policy with the same budget; one that takes the horizon receives that of its streams, which a remark says.

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
    budgets = _budgets(epsilons, delta, rho, mu)
    effort = FrontierEffort(
        runs=runs, audit_runs=audit_runs, certificates=certificates, time_budget=time_budget, seed=seed
    )
    labels, given = with_labels(policies)
    own_names = _names(given)
    called = own_names if labels is None else labels
    for policy in given:
        if isinstance(policy, Algorithm):
            hint = f"its budget is fixed: give its id, as in '{policy.id}(alpha=2)'"
            raise PrivcheckError("policies", policy, "shipped ids and factories of your own", hint)
    points: list[FrontierPoint] = []
    remarks: list[str] = []
    with scheduler_address(scheduler) as address, ExitStack() as going_on:
        by: dict[str, Any] = {"seed": seed, "jobs": jobs, "scheduler": address, "store": store}
        once = by | {"horizon": horizon, "runs": runs, "checkpoints": 1, "time_budget": time_budget}
        once["shuffle_arms"] = shuffle_arms = check("shuffle_arms", shuffle_arms, Switch(), "True or False")
        unit = budgets[0].unit
        taking = [_takes(policy, unit) for policy in given]
        number = sum(len(budgets) if takes else 1 for takes in taking)
        advance = going_on.enter_context(progress("simulating, auditing and certifying", number, counted=True))
        for policy, name, takes in zip(given, called, taking, strict=True):
            if not takes and is_own(policy):
                remarks.append(f"{name}: no parameter {unit}, so it is simulated once, without a claim")
            if takes and is_own(policy) and "horizon" in factory_parameters(load_factory(policy)[1]):
                remarks.append(
                    f"{name}: it is built for {int(horizon)} rounds where it is simulated, and for fewer else"
                )
            remarks += _of_another_notion(policy, name, budgets[0], together=len(given) > 1) if takes else []
            for budget in budgets if takes else [None]:
                told: dict[str, Any] = {} if budget is None else budget.told
                played = simulate(policy, place, **told, **once)
                at = name if budget is None else f"{name}, {budget.words}"
                remarks += [f"{at}: {remark.text}" for remark in played.remarks]
                row = played.summary()[0]
                known = {} if budget is None else _privacy(policy, place, budget, at, effort, by, remarks)
                values = {key: row[key] for key in ("mean", "se", "q05", "q95", "runs")}
                points.append(FrontierPoint(name, told.get("epsilon"), **values, **known))
                advance(1)
    names = tuple(getattr(place, "names", ()))
    pure = [budget.amount for budget in budgets if budget.unit == "epsilon" and not budget.delta]
    bounds = _theory(place, pure, int(horizon)) if pure else ()
    if pure:
        with_budget = {point.policy for point in points if point.budget is not None}
        own = [name for policy, name in zip(given, called, strict=True) if is_own(policy) and name in with_budget]
        remarks += _missing_theory(place, bounds, own)
    return Frontier(
        place.id,
        place.means,
        names,
        int(horizon),
        seed,
        CONFIDENCE,
        tuple(points),
        bounds,
        tuple(remarks),
        shuffle_arms,
        () if labels is None else tuple(zip(labels, own_names, strict=True)),
    )


@dataclass(frozen=True)
class _Budget:
    """One budget: an amount in its unit, and the delta of epsilon."""

    unit: str
    amount: float
    delta: float

    @property
    def told(self) -> dict[str, float]:
        """What simulation, audit and certificate have in common."""
        return {self.unit: self.amount} | ({"delta": self.delta} if self.unit == "epsilon" else {})

    @property
    def words(self) -> str:
        """The budget as remarks name it."""
        return f"{self.unit} {self.amount:g}" + (f", delta {self.delta:g}" if self.delta else "")


def _budgets(epsilons: Any, delta: float, rho: Any, mu: Any) -> list[_Budget]:
    """Return the budgets in order, or refuse a mixture of notions."""
    given = {"epsilons": epsilons, "rho": rho, "mu": mu}
    named = [name for name, amounts in given.items() if amounts is not None]
    if len(named) > 1:
        raise PrivcheckError("budget", words(" and ".join(named)), "budgets in one notion", "make several frontiers")
    name = named[0] if named else "epsilons"
    try:
        found = [float(check(name, each, POSITIVE, "budgets are positive")) for each in given[name]]
    except TypeError:
        found = []
    if not found:
        raise PrivcheckError(name, given[name], "at least one budget", "as in epsilons=[0.1, 0.3, 1, 3]")
    unit = name.removesuffix("s")
    level = Claim(**{unit: found[0], "delta": delta}).delta
    return [_Budget(unit, amount, level) for amount in sorted(set(found))]


def _takes(policy: Any, unit: str) -> bool:
    """Tell whether a policy is built with a budget in this unit."""
    if is_own(policy):
        return unit in factory_parameters(load_factory(policy)[1])
    shipped = ShippedId.read(policy) if isinstance(policy, str) else None
    if shipped is None or shipped.name not in ALGORITHMS:
        return False  # `simulate` says what is wrong with it
    budget = shipped.algorithm.budget_name()
    if budget in shipped.given:
        raise PrivcheckError("policies", policy, f"a policy without {budget}", "its budgets are those of the frontier")
    if budget is not None and unit not in (("epsilon",) if budget == "epsilon" else ("rho", "mu")):
        hint = "it takes epsilons" if budget == "epsilon" else "it takes rho or mu"
        raise PrivcheckError("policies", policy, f"policies with budgets in {unit}", hint)
    return budget is not None


def _of_another_notion(policy: Any, name: str, budget: _Budget, *, together: bool) -> list[str]:
    """Return what a shipped algorithm's budget says, where that is more than the axis does: others stand beside it."""
    if is_own(policy) or budget.unit != "epsilon":
        return []
    algorithm = ShippedId.read(policy).algorithm
    if algorithm.local:
        theory = "" if budget.delta else ", and the theory's bounds are those of central privacy"
        return [f"{name}: its epsilon is local, of each report by itself, which is the stronger promise{theory}"]
    if budget.delta and together and not algorithm.approximate:
        return [f"{name}: it is private in pure epsilon, which is the stronger promise, and is audited for delta, too"]
    return []


def _names(policies: Sequence[Any]) -> list[str]:
    """Return the names of policies; one that several policies of one's own have, with numbers, as in `simulate`."""
    names = [load_factory(policy)[0] if is_own(policy) else str(policy) for policy in policies]
    own = [name for name, policy in zip(names, policies, strict=True) if is_own(policy)]
    return [
        f"{name} #{names[: place + 1].count(name)}" if own.count(name) > 1 else name for place, name in enumerate(names)
    ]


def _privacy(
    policy: Any,
    place: Environment,
    budget: _Budget,
    at: str,
    effort: FrontierEffort,
    by: dict[str, Any],
    remarks: list[str],
) -> dict[str, Any]:
    """Return what an audit and a certificate say of a policy, and remark where there is none."""
    in_epsilon = budget.unit == "epsilon"
    lower, upper = ("epsilon_lower", "epsilon_upper") if in_epsilon else ("claim_lower", "claim_upper")
    found: dict[str, Any] = {"delta": budget.delta} if in_epsilon else dict(budget.told)
    given: dict[str, Any] = {**budget.told, "arms": place.arms}
    if not is_own(policy):
        given["feedback"] = ShippedId.read(policy).algorithm.feedback
    if effort.audit_runs:
        try:
            report = audit(policy, runs=effort.audit_runs, pairs=PAIRS, confidence=CONFIDENCE, **by, **given)
            found |= {lower: getattr(report, lower), "verdict": report.verdict, "p_value": report.p_value}
        except PrivcheckError as error:
            remarks.append(f"{at}: not audited: {error}")
    if effort.certificates:
        try:
            certificate = certify(policy, seed=by["seed"], **given)
            if certificate.granted and found.get("verdict") == "violation":
                certificate = certificate.refuted_by_audit(report.error, guarded=False)
                remarks.append(f"{at}: not certified: {certificate.refutation}")
            found[upper] = getattr(certificate, f"{budget.unit}_upper") if certificate.granted else None
            remarks += [f"{at}: {remark}" for remark in _of_certificate(certificate)]
        except PrivcheckError as error:
            remarks.append(f"{at}: not certified: {error}")
    return found


def _of_certificate(certificate: Certificate) -> Iterator[str]:
    """Yield why there is no certified bound, or what it rests on.

    A row speaks of the policy as it is simulated, without a guard: a bound that only the guard keeps is none of it.
    """
    if not certificate.granted:
        if certificate.upper is None:
            yield "no certificate for all executions"
        elif certificate.unreached:
            never = (
                f"{len(certificate.unreached)} lines that matter"
                if certificate.unreached[1:]
                else "a line that matters"
            )
            yield f"not certified: {never} for privacy never ran: {certificate.unreached[0]}"
        elif certificate.refutation is None:
            yield "not certified: something speaks against it without its guard"
        return
    if told := [*filter(None, [certificate.provided]), *certificate.later_rounds]:
        yield f"certified, and this rests on: {'; '.join(told)}"


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


def _missing_theory(place: Environment, bounds: Sequence[FrontierBound], own: Sequence[str]) -> list[str]:
    """Return what the theory does not say: of these rewards, or of the policies of a user."""
    if not bounds:
        return [
            f"theory: none is shown, because no shipped theorem covers the rewards of {place.id}; environments with "
            "Bernoulli rewards, or with finitely many rewards (finite-support, two-point), have bounds"
        ]
    if own and any(bound.upper_id in THEOREMS for bound in bounds):
        listed = ", ".join(dict.fromkeys(own))
        return [f"theory: no upper bound is about {listed}; those shown hold only for the algorithms that they name"]
    return []


def _counts(bound: BoundValue, kind: str) -> bool:
    known = bound.constant if kind == "lower" else bound.value
    return bool(bound.kind == kind and bound.applies and known is not None and np.isfinite(known))
