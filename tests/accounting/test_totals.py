"""Totals in every currency against sums by hand, for single data and for groups."""

from __future__ import annotations

import itertools
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcheck.accounting import BudgetFilter, ByDatum, Charge, GaussianDP, Ledger, Pure
from privcheck.accounting._charge import sum_up
from privcheck.accounting._currencies import ALL, EPSILON, MU, RHO
from privcheck.accounting._gaussian_profile import log_delta
from privcheck.accounting._totals import Totals
from privcheck.errors import PrivcheckError

CHARGES = st.sampled_from(
    [Charge(0.0), Charge(0.5), Charge(0.1), Charge(rho=0.125, mu=0.5), Charge(rho=0.3), Charge(0.4, rho=0.01, mu=0.1)]
)
DATA = st.one_of(st.integers(0, 8), st.integers(250, 260), st.tuples(st.integers(1, 3), st.integers(0, 1)))
BLOCKS = st.tuples(CHARGES, st.integers(0, 600), st.integers(0, 600)).map(
    lambda block: dict.fromkeys(range(*block[1:]), block[0])
)
RELEASES = st.lists(st.dictionaries(DATA, CHARGES, max_size=8) | BLOCKS, max_size=6)


def by_hand(charges, name):
    """Return the sum of charges in a currency, of which that of zCDP counts what mu implies."""
    if name == "mu":
        return math.sqrt(math.fsum(charge.mu**2 for charge in charges))
    if name == "rho":
        return math.fsum(min(charge.rho, charge.mu**2 / 2.0) for charge in charges)
    return math.fsum(getattr(charge, name) for charge in charges)


def jointly(totals, name):
    return math.fsum(map(math.sqrt, totals)) ** 2 if name == "rho" else math.fsum(totals)


def largest_of_a_group(releases, size, name):
    """Return the largest joint total by hand: of all releases, or of those of one datum and of several ones apart."""

    def top(parts):
        each = {datum: [one[datum] for one in parts if datum in one] for one in parts for datum in one}
        return sorted((by_hand(charges, name) for charges in each.values()), reverse=True)[:size]

    joint = jointly(top(releases), name)
    if size == 1 or name == "epsilon":
        return joint
    shared = jointly(top([one for one in releases if len(one) != 1]), name)
    alone = top([one for one in releases if len(one) == 1])
    apart = math.sqrt(shared**2 + sum(mu**2 for mu in alone)) if name == "mu" else shared + sum(alone)
    return min(joint, apart)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(releases=RELEASES, size=st.integers(1, 3))
def test_totals_are_the_sums_by_hand(releases, size):
    totals, known = Totals(size, ALL[:3]), {}
    for number, release in enumerate(releases):
        expected = totals.largest_with(ByDatum.of(release))
        totals.add(ByDatum.of(release))
        for datum, charge in release.items():
            known.setdefault(datum, []).append(charge)
        for name in ("epsilon", "rho", "mu"):
            sums = {datum: by_hand(charges, name) for datum, charges in known.items()}
            dearest = largest_of_a_group(releases[: number + 1], size, name)
            assert totals.largest(name) == pytest.approx(dearest, rel=1e-12, abs=0.0)
            assert totals.largest(name) >= dearest * (1.0 - 1e-15 * (name == "epsilon") - 4e-16)
            touched = max((sums[datum] for datum in release), default=0.0) if size == 1 else dearest
            assert expected[name] == pytest.approx(touched, rel=1e-12, abs=0.0)
    for name in ("epsilon", "rho", "mu"):
        sums = {datum: by_hand(charges, name) for datum, charges in known.items()}
        found = dict(totals.amounts(name))
        assert found.keys() == sums.keys()
        assert all(math.isclose(found[datum], total, rel_tol=1e-12) for datum, total in sums.items())
    assert len(totals) == len(known)
    each = dict(totals.each_with(ByDatum.of(dict.fromkeys(known, Charge(0.5)))))
    assert all(each[datum]["epsilon"] == sum_up(totals[datum].epsilon, 0.5) for datum in known)


@given(st.lists(st.lists(st.floats(0.0, 3.0), min_size=3, max_size=3), min_size=1, max_size=6))
def test_a_group_never_pays_less_than_its_releases_one_by_one(amounts):
    """Releases in which three data enter by mu: a Gaussian whose mean they move by the sum. Minkowski's inequality."""
    totals = Totals(3, ALL[:3])
    for release in amounts:
        totals.add(ByDatum.of({datum: Charge(rho=mu * mu / 2.0, mu=mu) for datum, mu in enumerate(release)}))
    exact = sum(sum(release) ** 2 for release in amounts)
    assert totals.largest("mu") ** 2 >= exact * (1.0 - 1e-14)
    assert totals.largest("rho") >= exact / 2.0 * (1.0 - 1e-14)
    if len(amounts) == 1:
        assert totals.largest("rho") == pytest.approx(exact / 2.0, rel=1e-9, abs=1e-300), "tight for one release"


SOME = st.dictionaries(st.integers(0, 4), st.floats(0.0, 3.0), min_size=1, max_size=3)


@settings(derandomize=True)
@given(releases=st.lists(SOME | st.integers(0, 4).map(lambda datum: {datum: 1.0}), max_size=8), size=st.integers(2, 3))
def test_no_group_pays_less_than_its_releases_where_some_charge_one_datum(releases, size):
    totals = Totals(size, ALL[:3])
    for release in releases:
        owed = ByDatum.of({datum: Charge(rho=mu * mu / 2.0, mu=mu) for datum, mu in release.items()})
        before = totals.largest_with(owed)
        totals.add(owed)
        assert before == {name: totals.largest(name) for name in before}
    again, read = Totals(size, ALL[:3]), Ledger(size, paid=dict(totals))
    again.unpack(totals.packed())
    exact = max(
        sum(sum(release.get(datum, 0.0) for datum in group) ** 2 for release in releases)
        for group in itertools.combinations(range(5), size)
    )
    for found in (totals, again, totals.copy(), read.sums):
        assert found.largest("mu") ** 2 >= exact * (1.0 - 1e-14)
        assert found.largest("rho") >= exact / 2.0 * (1.0 - 1e-14)
    if all(len(release) == 1 for release in releases):
        assert totals.largest("mu") ** 2 == pytest.approx(exact, rel=1e-9, abs=1e-300), "no release has two of them"


def test_a_group_whose_data_are_released_apart_pays_the_root_of_the_sum_of_squares():
    """Wrong if the second release held the other datum too, as the last one does."""
    totals, charge = Totals(2, ALL[:3]), Charge(rho=0.5, mu=1.0)
    for datum in (1, 2, 3):
        totals.add(ByDatum.of({datum: charge}))
    assert totals.largest("mu") == pytest.approx(math.sqrt(2.0), rel=1e-14)
    assert totals.largest("rho") == pytest.approx(1.0, rel=1e-14)
    totals.add(ByDatum.of({1: charge, 2: charge}))
    assert totals.largest("mu") == pytest.approx(math.sqrt(2.0 + 2.0**2), rel=1e-14)
    assert totals.largest("rho") == pytest.approx(1.0 + 2.0, rel=1e-14)


def test_totals_that_were_written_without_parts_join_as_they_did():
    totals, again = Totals(2, ALL[:3]), Totals(2, ALL[:3])
    for datum in (1, 2):
        totals.add(ByDatum.of({datum: Charge(mu=1.0)}))
    again.unpack(totals.packed()[:5])
    assert again.largest("mu") == pytest.approx(2.0, rel=1e-14)
    again.add(ByDatum.of({3: Charge(mu=5.0)}))
    assert again.largest("mu") == pytest.approx(math.sqrt(2.0**2 + 5.0**2), rel=1e-14)


def test_a_ledger_that_is_read_joins_groups_by_its_releases_if_they_are_all():
    ledger = Ledger(2)
    for number in (1, 2):
        ledger.record(number, "gaussian", 1.0, {number: 1.0}, {number: Charge(mu=1.0)}, "bandit.py:7")
    read = Ledger(2, releases=list(ledger.releases), paid=dict(ledger.paid))
    assert read.total == ledger.total
    assert Ledger(2, releases=ledger.releases[:1], paid=dict(ledger.paid)).total.mu == pytest.approx(2.0, rel=1e-14)


def renyi(p, q, order):
    return math.log(sum(a**order * b ** (1.0 - order) for a, b in zip(p, q, strict=True))) / (order - 1.0)


@pytest.mark.parametrize("seed", range(40))
def test_the_rule_for_groups_of_data_in_zcdp(seed):
    """Random laws P, R, Q: the smallest rho of (P, Q), over a grid of orders, against those of (P, R) and (R, Q)."""
    rng = np.random.default_rng(seed)
    p, r, q = (rng.dirichlet([0.7] * 3) * 0.94 + 0.02 for _ in range(3))
    orders = [1.0 + 2.0**power for power in np.linspace(-8.0, 6.0, 57)]

    def rho(one, two):
        return max(renyi(one, two, order) / order for order in orders)

    fine = 1.02  # the supremum between two orders of the grid is larger by less
    assert rho(p, q) <= RHO.joint([rho(p, r) * fine, rho(r, q) * fine])
    broken = rho(p, r) + rho(r, q)
    assert RHO.joint([rho(p, r), rho(r, q)]) >= broken


@pytest.mark.chance(0.0, "no random numbers")
def test_adding_rho_itself_over_a_group_would_be_too_little():
    """Three Gaussians one standard deviation apart: 1/2 and 1/2 make 2."""
    assert RHO.joint([0.5, 0.5]) == pytest.approx(2.0, rel=1e-14)
    assert RHO.joint([0.5, 0.5]) >= 2.0 * (1.0 - 1e-15)
    assert MU.joint([1.0, 1.0]) == pytest.approx(2.0, rel=1e-14)
    assert RHO.joint([0.5]) == RHO.joint([0.5, 0.0]) == 0.5


@pytest.mark.parametrize(("one", "two"), list(itertools.product([0.3, 1.0, 2.0], repeat=2)))
def test_the_rule_for_groups_of_data_in_gaussian_privacy(one, two):
    """Randomised response of two bits about two data, both changed: its curve stays below that of the sum."""
    joint = MU.joint([Charge(one).mu, Charge(two).mu])
    kept = [1.0 / (1.0 + math.exp(-epsilon)) for epsilon in (one, two)]
    p = np.outer([kept[0], 1.0 - kept[0]], [kept[1], 1.0 - kept[1]]).ravel()
    for epsilon in np.linspace(0.0, 4.0, 9).tolist():
        delta = float(np.maximum(p - math.exp(epsilon) * p[::-1], 0.0).sum())
        assert delta <= math.exp(log_delta(epsilon, joint))


def test_what_is_not_kept_is_implied_by_the_rest():
    pure, gaussian = Totals(1, (EPSILON,)), Totals(1, (EPSILON, MU))
    for totals in (pure, gaussian):
        totals.add(ByDatum.of({1: Charge(0.5)}))
        totals.add(ByDatum.of({1: Charge(0.25)}))
    assert pure[1] == Charge(0.75)
    assert gaussian[1].mu == (Charge(0.5) + Charge(0.25)).mu < pure[1].mu
    gaussian.add(ByDatum.of({1: Charge(rho=0.5, mu=1.0)}))
    assert gaussian[1].rho == pytest.approx(gaussian[1].mu ** 2 / 2.0)
    assert gaussian[1].epsilon == math.inf


@pytest.mark.parametrize(("budget", "most"), [(Pure(1.0), 10.0), (GaussianDP(1.0), 19.0)])
def test_a_datum_takes_eight_bytes_for_each_currency(budget, most):
    """14 MiB for a million rounds of a pure budget, at most."""
    ledger, block = BudgetFilter(budget).new_ledger(), 500
    tracemalloc.start()
    for start in range(0, 100_000, block):
        release = ByDatum(((Charge(0.5), range(start, start + block)),))
        ledger.record(start, "laplace", 1.0, release.map(lambda _: 1.0), release, "bandit.py:7")
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert grown < most * 100_000 + 250_000
    assert len(ledger.paid) == 100_000


def test_a_charge_below_the_last_digit_of_a_total_is_not_forgotten():
    totals = Totals()
    for release in ({1: Charge(1.0)}, *[dict.fromkeys((1, *range(3, 40)), Charge(1e-17))] * 5):
        totals.add(ByDatum.of(release))
    assert totals.amount(1, "epsilon") > 1.0
    assert EPSILON.joint([1.0, 1e-17]) > 1.0


def test_a_delta_is_never_dropped():
    """A ledger that does not add up delta would later say that nothing was set aside."""
    ledger, charge = BudgetFilter(Pure(1.0)).new_ledger(), Charge(0.5, delta=0.1)
    with pytest.raises(PrivcheckError, match="0 where delta is not added up"):
        ledger.record(1, "laplace", 1.0, {1: 1.0, 2: 1.0}, {2: Charge(0.5), 1: charge}, "bandit.py:7")
    assert (ledger.releases, dict(ledger.paid)) == ([], {})


def test_the_smallest_floats_are_rounded_up_too():
    """Where a factor of 1 + 2^-50 changes nothing: the sums would stand still, or be 0."""
    tiny = 5e-324
    once = ByDatum.of(dict.fromkeys([*range(20), (3, 0)], Charge(mu=tiny)))
    totals = Totals()
    for _ in range(4):
        totals.add(once)
    assert min(totals.amount(datum, "mu") for datum in (0, (3, 0))) >= 2.0 * tiny
    assert (Charge(mu=tiny) + Charge(mu=tiny)).mu > tiny
    assert RHO.of(Charge(mu=1e-200)) > 0.0 == RHO.of(Charge(mu=0.0))
    assert RHO.joint([tiny, tiny]) >= 4.0 * tiny
