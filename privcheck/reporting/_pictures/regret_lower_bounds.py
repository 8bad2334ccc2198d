"""The asymptotic lower-bound lines of a regret figure, from the theory floor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from privcheck.bounds import theorem_name
from privcheck.declared import Choice, check
from privcheck.errors import PrivcheckError

if TYPE_CHECKING:
    from privcheck.results import Simulation

DEFAULT_LINES = ("azize-basu-2022/thm3-tight",)

LABEL = "any $\\varepsilon$-DP policy; asymptotic rate, not a bound at t"


def asymptotic_rates(simulation: Simulation, lines: Sequence[str] | None) -> list[tuple[str, float]]:
    """Return (label, constant) of every line constant * ln t: one per theorem and budget of a bandit-feedback policy.

    Parameters
    ----------
    simulation : its environment and the budgets of its policies.
    lines : ids of theorems; None for the default, where its constant can be evaluated.

    Raises
    ------
    PrivcheckError : an id that was asked for and has no constant on this instance.

    Examples
    --------
    >>> from privcheck.simulation._simulate import simulate
    >>> asymptotic_rates(simulate("ucb", [0.75, 0.5], horizon=10, runs=1), None)
    []
    """
    wanted = DEFAULT_LINES if lines is None else tuple(lines)
    specs = [result.algorithm for result in simulation.results]
    budgets = sorted({spec.epsilon for spec in specs if spec.feedback == "bandit" and _is_pure(spec) and spec.epsilon})
    rates = []
    for epsilon in budgets:
        for theorem in wanted:
            constant = _constant(theorem, simulation, epsilon)
            if constant is not None:
                budget = f", $\\varepsilon$ = {epsilon:g}" if len(budgets) > 1 else ""
                rates.append((f"{theorem_name(theorem)}{budget}\n({LABEL})", constant))
            elif lines is not None:
                raise PrivcheckError("lines", theorem, "a bound that applies to this instance", "see bounds.evaluate")
    return rates


def _is_pure(spec: Any) -> bool:
    """Return whether a policy is epsilon-DP with delta = 0, as lower bounds assume; local privacy implies it."""
    relaxed = getattr(spec, "approximate", False) or any(getattr(spec, name, None) for name in ("delta", "rho", "mu"))
    return spec.private and not relaxed


def _constant(theorem: str, simulation: Simulation, epsilon: float) -> float | None:
    from privcheck.bounds import THEOREMS

    asymptotic = [name for name, known in THEOREMS.items() if known.asymptotic and known.kind == "lower"]
    check("lines", theorem, Choice(asymptotic))
    instance = simulation.environment.instance(epsilon, simulation.horizon)
    return None if instance is None else THEOREMS[theorem].evaluate(instance).constant
