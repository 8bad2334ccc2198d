"""The ledger adds up, names the worst datum, and says why."""

from __future__ import annotations

import math

import pytest

from privcheck.accounting import Charge, Ledger
from privcheck.errors import PrivcheckError


def charge(ledger, losses, round_number=1, location="bandit.py:7"):
    charges = {datum: Charge(loss) for datum, loss in losses.items()}
    return ledger.record(round_number, "laplace", 1.0, losses, charges, location)


def test_an_empty_ledger():
    ledger = Ledger()
    assert (ledger.epsilon, ledger.worst_datum, ledger.of(3)) == (0, None, [])
    assert ledger.why() == "nothing was released"


def test_totals_add_up_per_datum_and_not_across_data():
    ledger = Ledger()
    charge(ledger, {1: 0.5, 2: 0.5}, 2)
    charge(ledger, {3: 0.75}, 3)
    charge(ledger, {2: 0.125, 3: 0.0}, 4)
    assert dict(ledger.totals) == {1: 0.5, 2: 0.625, 3: 0.75}
    assert (ledger.epsilon, ledger.worst_datum) == (0.75, 3)
    assert [release.number for release in ledger.of(2)] == [0, 2]
    assert [release.round for release in ledger.of(3)] == [3]


def test_a_release_is_kept_as_it_was():
    """What the caller does with its mappings later changes nothing."""
    ledger, sensitivities, charges = Ledger(), {1: 2.0}, {1: Charge(0.5)}
    release = ledger.record(5, "noisy-max", 4.0, sensitivities, charges, "bandit.py:9")
    sensitivities[1], charges[1] = 99.0, Charge(99.0)
    assert (release.sensitivities, release.charges) == ({1: 2.0}, {1: Charge(0.5)})
    assert (release.number, release.round, release.mechanism, release.scale) == (0, 5, "noisy-max", 4.0)
    assert ledger.releases == [release]


@pytest.mark.parametrize(("size", "epsilon"), [(1, 0.9), (2, 1.4), (3, 1.6), (4, 1.6)])
def test_a_group_pays_what_its_dearest_members_pay(size, epsilon):
    ledger = Ledger(group_size=size)
    charge(ledger, {1: 0.2, 2: 0.5})
    charge(ledger, {3: 0.9})
    assert ledger.epsilon == pytest.approx(epsilon, rel=1e-15)
    assert ledger.worst_datum == 3


def test_why_names_datum_rounds_and_places():
    ledger = Ledger()
    charge(ledger, {4: 0.5}, 5, "bandit.py:7")
    assert ledger.why() == "the reward of round 4 is released once, after rounds 5 (bandit.py:7), for a total of 0.5"
    charge(ledger, {4: 0.25, 5: 0.25}, 8, "bandit.py:9")
    charge(ledger, {4: 0.25}, 9, "bandit.py:9")
    assert ledger.why() == (
        "the reward of round 4 is released 3 times, after rounds 5, 8, 9 (bandit.py:7, bandit.py:9), for a total of 1"
    )


def test_why_names_the_arm_and_shortens_long_lists():
    ledger = Ledger()
    for round_number in range(1, 21):
        charge(ledger, {(2, 1): 0.1}, round_number)
    why = ledger.why()
    assert why.startswith(
        "the reward of arm 1 in round 2 is released 20 times, after rounds 1, 2, 3, 4, 5, 6, 7, 8, ..."
    )
    assert why.endswith("for a total of 2")


def test_losses_and_totals_are_the_epsilons_and_copies():
    ledger = Ledger()
    release = charge(ledger, {1: 0.5, 2: 0.0})
    charge(ledger, {1: 0.25})
    assert (release.losses, dict(ledger.totals)) == ({1: 0.5, 2: 0.0}, {1: 0.75, 2: 0.0})
    assert ledger.paid == {1: Charge(0.5) + Charge(0.25), 2: Charge(0.0)}
    release.losses[1] = ledger.totals[1] = 99.0
    assert (release.losses[1], ledger.totals[1], ledger.totals[3]) == (0.5, 0.75, 0.0)


@pytest.mark.parametrize(
    ("charged", "parameter"),
    [
        (0.25, "charge"),
        (None, "charge"),
        *((Charge.total(epsilon), "loss") for epsilon in (math.nan, math.inf, -math.inf, -0.1)),
        *((Charge.total(math.inf, 1.0, bound), "loss") for bound in (math.nan, -0.1)),
        *((Charge.total(0.1, delta=delta), "delta") for delta in (math.nan, -0.1, 1.0)),
    ],
)
def test_what_does_not_add_up_is_refused_whole(charged, parameter):
    """A number is no charge, and a total without a check may be no bound."""
    ledger = Ledger()
    charge(ledger, {1: 0.5})
    with pytest.raises(PrivcheckError) as caught:
        ledger.record(2, "laplace", 1.0, {1: 1.0, 2: 1.0}, {1: Charge(0.25), 2: charged}, "bandit.py:7")
    assert caught.value.parameter == parameter
    assert dict(ledger.totals) == {1: 0.5}
    assert len(ledger.releases) == 1


@pytest.mark.parametrize("loss", [math.nan, math.inf, -math.inf, -0.1])
def test_a_charge_that_does_not_add_up_is_refused_whole(loss):
    ledger = Ledger()
    charge(ledger, {1: 0.5})
    with pytest.raises(PrivcheckError) as caught:
        charge(ledger, {1: 0.25, 2: loss})
    assert caught.value.parameter == "loss"
    assert dict(ledger.totals) == {1: 0.5}
    assert len(ledger.releases) == 1
