"""What a result that is read has to satisfy beyond the types of its fields, so that no part of it is impossible."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from privcheck.arrays import Table
from privcheck.errors import PrivcheckError
from privcheck.privacy import ROW, check_rewards, relation
from privcheck.results._verdicts import ROUNDING, check_levels
from privcheck.serialise import Make, well_typed

if TYPE_CHECKING:
    from privcheck.results._audit_report import AuditReport, Estimate, Resolution, Witness
    from privcheck.results._certificate import Certificate
    from privcheck.results._fix_result import Fix, FixPatch, PolicyRegret
    from privcheck.results._from_numbers.law_bound import LawBound
    from privcheck.results._from_numbers.sample_bound import SampleBound
    from privcheck.results._primitive_use import PrimitiveUse
    from privcheck.results._replay_result import Divergence, ReplayResult
    from privcheck.results._steps_report import StepBound, StepsReport

Hook = Callable[[dict[str, Any], Make], Any]
R = TypeVar("R")

SIDES = ("first", "second")


def _not_negative(found: Any, *names: str) -> None:
    """Refuse numbers below 0; None is none."""
    for name in names:
        number = getattr(found, name)
        if number is not None and number < 0:
            raise ValueError(f"{name} is {number}")


def _setting(found: AuditReport | Certificate | StepsReport | Fix) -> None:
    """Refuse a range of rewards, a neighbour relation, a number of arms or rounds that there cannot be."""
    _not_negative(found, "arms", "horizon")
    try:
        check_rewards(found.rewards)
        relation(getattr(found, "neighbours", ROW))  # patches have none
    except PrivcheckError as error:
        raise ValueError(str(error)) from None


def _estimate(found: Estimate) -> None:
    if not found.low <= found.high:
        raise ValueError(f"an interval is [{found.low}, {found.high}]")


def _resolution(found: Resolution) -> None:
    if found.mass is not None and not found.mass > 0.0:
        raise ValueError(f"mass is {found.mass}")


def _probabilities(found: Witness | StepBound | SampleBound) -> None:
    for each in (found.probability_first, found.probability_second):
        if each is not None and not all(-ROUNDING <= p <= 1.0 + ROUNDING for p in (each.low, each.value, each.high)):
            raise ValueError(f"a probability is {each.value}, in [{each.low}, {each.high}]")


def _side(name: str, side: str | None) -> None:
    if side is not None and side not in SIDES:
        raise ValueError(f"{name} is {side[:40]!r}")


def _tables(first: Table, second: Table) -> None:
    """Refuse two tables of which one is not the other with a changed entry, or without a row."""
    if not (first.size or second.size):
        return  # the inputs are Python objects
    columns = {each.shape[1:] for each in (first, second) if each.size}
    if len(columns) != 1 or abs(len(first) - len(second)) > 1:
        raise ValueError(f"two streams are of shapes {first.shape} and {second.shape}")
    if np.array_equal(first, second):
        raise ValueError("two streams are equal")


def _witness(found: Witness) -> None:
    _probabilities(found)
    _side("more_likely", found.more_likely)
    _tables(found.first, found.second)
    length = max(len(found.first), len(found.second))
    if length and not (found.rounds and all(1 <= each <= length for each in found.rounds)):
        raise ValueError(f"rounds are {found.rounds}, of {length}")


def _divergence(found: Divergence) -> None:
    _tables(found.first, found.second)


def _replay(found: ReplayResult) -> None:
    _not_negative(found, "divergences", "largest_loss")
    if found.divergences > found.replays or bool(found.divergences) != (found.first_divergence is not None):
        raise ValueError(f"divergences are {found.divergences} of {found.replays}")


def _use(found: PrimitiveUse) -> None:
    if found.excess is not None and None in (found.measured, found.declared):
        raise ValueError(f"excess is {found.excess}, of a sensitivity that is not known")


def _sampled(found: SampleBound) -> None:
    _probabilities(found)
    _side("likelier", found.likelier)
    _not_negative(found, "epsilon", "epsilon_lower", "delta_lower")


def _by_laws(found: LawBound) -> None:
    """The verdict follows from the two lower limits, which are rounded apart."""
    _not_negative(found, "epsilon", "delta_lower", "delta_upper")
    above = found.epsilon is not None and found.epsilon_lower > found.epsilon + ROUNDING * max(1.0, found.epsilon)
    if above and found.verdict != "violation" and (found.delta_lower or 0.0) > found.delta + ROUNDING:
        raise ValueError(f"verdict is {found.verdict!r}, but epsilon_lower is {found.epsilon_lower}")
    if found.epsilon_upper is not None and found.epsilon_upper < found.epsilon_lower - ROUNDING:
        raise ValueError(f"epsilon_upper is {found.epsilon_upper}, and epsilon_lower {found.epsilon_lower}")


def _step(found: StepBound) -> None:
    _probabilities(found)
    _side("more_likely", found.more_likely)
    _not_negative(found, "runs")


def _steps(found: StepsReport) -> None:
    _setting(found)
    check_levels(confidence=found.confidence, error=found.error)
    _not_negative(found, "pairs", "runs", "seconds", "epsilon_claimed", "delta")
    if found.delta >= 1.0:
        raise ValueError(f"delta is {found.delta}")
    claim, above = found.epsilon_claimed, found.suspicion
    if above is not None and (found.best is None or claim is None or above.epsilon <= claim):
        raise ValueError(f"suspicion is of {above.epsilon}, and epsilon_claimed {claim}")


def _patch(found: FixPatch) -> None:
    check_levels(audit_confidence=found.audit_confidence)


def _regret(found: PolicyRegret) -> None:
    _not_negative(found, "runs")
    if not found.places:
        raise ValueError("places are none")


def _checked(check: Callable[[R], None]) -> Hook:
    def hook(content: dict[str, Any], make: Make) -> Any:
        found = well_typed(make(content))
        check(found)
        return found

    return hook


def check_audit(found: AuditReport) -> None:
    """Refuse an audit of which a number is none that an audit has."""
    _setting(found)
    _not_negative(found, "seconds", "screened_pairs", "screening_runs", "e_value")
    _not_negative(found, "epsilon_claimed", "rho", "mu", "epsilon_lower", "delta_lower", "exact_loss")
    if found.e_value is not None and found.p_value is not None:
        least = 1.0 if found.e_value <= 1.0 else 1.0 / found.e_value
        if abs(found.p_value - least) > ROUNDING * least:
            raise ValueError(f"p_value is {found.p_value}, and e_value {found.e_value}")


def check_certificate(found: Certificate) -> None:
    """Refuse a certificate of which a number is none that a certificate has."""
    _setting(found)
    _not_negative(found, "executions", "ledger_epsilon", "ledger_rho", "ledger_mu")


CHECKS: dict[str, Hook] = {
    "Estimate": _checked(_estimate),
    "Resolution": _checked(_resolution),
    "Witness": _checked(_witness),
    "Divergence": _checked(_divergence),
    "ReplayResult": _checked(_replay),
    "PrimitiveUse": _checked(_use),
    "SampleBound": _checked(_sampled),
    "LawBound": _checked(_by_laws),
    "StepBound": _checked(_step),
    "StepsReport": _checked(_steps),
    "Fix": _checked(_setting),
    "FixPatch": _checked(_patch),
    "PolicyRegret": _checked(_regret),
}
"""What is checked as it is read, by the names of classes: these read themselves, so that they are not imported here."""
