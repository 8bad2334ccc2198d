"""What compositions cost by every accountant, against dp-accounting, OpenDP and closed forms.

`python benchmarks/composition.py`; dp-accounting is part of the extra `oracles`.
"""

from __future__ import annotations

import math
import statistics
import time
from fractions import Fraction
from typing import Any

import dp_accounting
import opendp.prelude as dp
from dp_accounting import rdp
from dp_accounting.pld import privacy_loss_distribution as pld
from rich.console import Console
from rich.table import Table
from scipy.optimize import brentq

from privcheck.accounting import Account, Plan, epsilon_of
from privcheck.mechanisms import Gaussian, Laplace, Mechanism, RandomisedResponse, planned

DELTA = 1e-6
COMPOSITIONS: tuple[tuple[Mechanism, int], ...] = (
    (Gaussian.with_scale(4.0), 20),
    (Gaussian.with_scale(1.0), 20),
    (Laplace.with_scale(4.0), 20),
    (Laplace.with_scale(10.0), 20),
    (Laplace.with_scale(10.0), 100),
    (RandomisedResponse(2, 0.1), 20),
    (RandomisedResponse(2, 0.5), 20),
    (RandomisedResponse(3, 0.5), 20),
)
COLUMNS = ("exact", "pure", "zcdp", "gdp", "rdp", "pld", "best", "dp-acc. RDP", "dp-acc. PLD", "OpenDP")


def main() -> None:
    """Print the epsilon of each composition at delta = 1e-6, and the time of a composition of 24."""
    table = Table("composition", title=f"epsilon at delta = {DELTA:g}; PLD from the lower to the upper end")
    for column in COLUMNS:
        table.add_column(column, justify="right")
    for mechanism, count in COMPOSITIONS:
        account = Plan([planned(mechanism, 1.0, count)]).at_delta(DELTA)
        table.add_row(f"{count} x {described(mechanism)}", *row(mechanism, count, account))
    Console(width=190).print(table)
    print(f"composition of 24 releases by privacy-loss distributions: {milliseconds():.1f} ms CPU (median of 5)")
    published = 4.0 * math.sqrt(27) * math.log(4.0 / 0.1)
    calibrated = Gaussian.calibrate(epsilon=1.0, delta=0.1, releases=27).scale
    print(f"Gaussian tree of Shariff and Sheffet 2018, (1, 0.1), 27 levels: published / calibrated = {published:.4f} / "
          f"{calibrated:.4f} = {published / calibrated:.3f}")  # fmt: skip


def described(mechanism: Mechanism) -> str:
    if isinstance(mechanism, RandomisedResponse):
        return f"randomised response, K = {mechanism.categories}, epsilon = {mechanism.epsilon:g}"
    return f"{mechanism.id}, scale {mechanism.scale:g}"


def row(mechanism: Mechanism, count: int, account: Account) -> list[str]:
    bounds = [f"{account.bounds[name]:.6f}" for name in ("pure", "zcdp", "gdp", "rdp")]
    ends = f"{account.lower:.5f} .. {account.bounds['pld']:.5f}"
    exact = exact_epsilon(mechanism, count)
    found = "-" if exact is None else f"{exact:.6f}"
    theirs = [f"{rdp_of_dp_accounting(mechanism, count):.6f}", pld_of_dp_accounting(mechanism, count)]
    return [found, *bounds, ends, account.best, *theirs, epsilon_of_opendp(mechanism, count)]


def exact_epsilon(mechanism: Mechanism, count: int) -> float | None:
    """Return the closed form for Gaussian noise and for binary randomised response (Kairouz et al. 2015)."""
    if isinstance(mechanism, Gaussian):
        return epsilon_of(math.sqrt(count) / mechanism.scale, DELTA)
    if not isinstance(mechanism, RandomisedResponse) or mechanism.categories > 2:
        return None
    keep = Fraction(1.0 / (1.0 + math.exp(-mechanism.epsilon)))

    def excess(epsilon: float) -> float:
        factor, total = Fraction(math.exp(epsilon)), Fraction(0)
        for kept in range(count + 1):
            first = keep**kept * (1 - keep) ** (count - kept)
            total += math.comb(count, kept) * max(
                Fraction(0), first - factor * keep ** (count - kept) * (1 - keep) ** kept
            )
        return float(total) - DELTA

    return float(brentq(excess, 0.0, count * mechanism.epsilon))


def rdp_of_dp_accounting(mechanism: Mechanism, count: int) -> float:
    relation = dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE
    if isinstance(mechanism, RandomisedResponse):
        relation = dp_accounting.NeighboringRelation.REPLACE_ONE
        event: Any = dp_accounting.RandomizedResponseDpEvent(noise_parameter(mechanism), mechanism.categories)
    elif isinstance(mechanism, Gaussian):
        event = dp_accounting.GaussianDpEvent(mechanism.scale)
    else:
        event = dp_accounting.LaplaceDpEvent(mechanism.scale)
    accountant = rdp.RdpAccountant(neighboring_relation=relation)
    for _ in range(count):
        accountant.compose(event)
    return float(accountant.get_epsilon(DELTA))


def noise_parameter(mechanism: RandomisedResponse) -> float:
    """Return the probability with which dp-accounting's randomised response draws a category at random."""
    others = mechanism.categories - 1
    keep = 1.0 / (1.0 + others * math.exp(-mechanism.epsilon))
    return (1.0 - keep) * mechanism.categories / others


def pld_of_dp_accounting(mechanism: Mechanism, count: int) -> str:
    """Return both ends, composed by `self_compose`: its accountant ignores the count of randomised response."""
    ends = []
    for pessimistic in (False, True):
        options: dict[str, Any] = {"pessimistic_estimate": pessimistic, "value_discretization_interval": 1e-4}
        if isinstance(mechanism, RandomisedResponse):
            one = pld.from_randomized_response(noise_parameter(mechanism), mechanism.categories, **options)
        else:
            make = pld.from_gaussian_mechanism if isinstance(mechanism, Gaussian) else pld.from_laplace_mechanism
            one = make(mechanism.scale, use_connect_dots=pessimistic, **options)
        ends.append(one.self_compose(count).get_epsilon_for_delta(DELTA))
    return f"{ends[0]:.5f} .. {ends[1]:.5f}"


def epsilon_of_opendp(mechanism: Mechanism, count: int) -> str:
    """Return OpenDP's map of the composition: a sum of epsilons, or of rhos and then its conversion."""
    dp.enable_features("contrib")
    if isinstance(mechanism, RandomisedResponse):
        return f"{count * mechanism.epsilon:.6f}"
    atom = dp.atom_domain(T=float, nan=False)
    if isinstance(mechanism, Laplace):
        one = dp.m.make_laplace(atom, dp.absolute_distance(T=float), scale=mechanism.scale)
        return f"{dp.c.make_composition([one] * count).map(1.0):.6f}"
    one = dp.m.make_gaussian(atom, dp.absolute_distance(T=float), scale=mechanism.scale)
    total = dp.c.make_zCDP_to_approxDP(dp.c.make_composition([one] * count))
    return f"{total.map(1.0).epsilon(delta=DELTA):.6f}"


def milliseconds() -> float:
    def once() -> float:
        start = time.process_time()
        releases = [planned(Gaussian.with_scale(4.0), count=12), planned(Laplace.with_scale(4.0), count=12)]
        Plan(releases)._losses  # noqa: B018
        return 1e3 * (time.process_time() - start)

    return statistics.median(once() for _ in range(5))


if __name__ == "__main__":
    main()
