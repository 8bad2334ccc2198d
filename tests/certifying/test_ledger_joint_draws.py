"""Releases of programs under a log: charged as without it, and enough after draws that are not known again."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext

import numpy as np
import pytest

from privcheck.certifying import Session
from privcheck.certifying._charging.joint_charges import Charged, JointCharges
from privcheck.certifying._recorded.draw_log import DrawLog, Interrupted
from privcheck.certifying._recorded.events import Event
from privcheck.journal import START
from privcheck.mechanisms import Laplace
from privcheck.privacy import relation
from privcheck.private_values._curves.several_releases import SeveralReleases
from privcheck.private_values._features import FeatureTable
from tests.benchmark_modules import loaded

for needed in ("written_tables", "random_releases", "exact_norms"):
    loaded(needed)
releases, oracle = sys.modules["random_releases"], sys.modules["exact_norms"]


class Lines:
    """A journal of draws alone."""

    def __init__(self):
        self.kept = []

    def append(self, entry):
        self.kept.append(entry._replace(number=len(self.kept) + 1))
        return self.kept[-1]

    def commit(self):
        pass

    def head(self):
        return len(self.kept), START


def charged(case, monkeypatch, known=()):
    """Return what a program is charged under a log that has these draws already, and all draws."""
    lines = Lines()
    lines.kept += known
    log = DrawLog(lines, "000000000000")
    event = Event("update")
    event.entry = object()
    log.begin(event, list(known), live=True)
    real = Session

    def logged(*arguments):
        session = real(*arguments)
        session.log = log.of(session)
        return session

    with monkeypatch.context() as patch:
        patch.setattr(releases, "Session", logged)
        found = releases.charged(case)
    return found, lines.kept


def checked(seed, number, monkeypatch):
    """Compare a program in memory, under a log, and played again from each of its draws on; return the draws."""
    case = releases.case(seed, number)
    memory = releases.charged(case)
    found, draws = charged(case, monkeypatch)
    assert (found.refused, found.loss) == (memory.refused, memory.loss)
    said = [entry.said["charges"] for entry in draws]
    for count in range(len(draws) + 1):
        again, every = charged(case, monkeypatch, draws[:count])
        assert again.loss == memory.loss
        assert [entry.said["charges"] for entry in every] == said
    return draws


@pytest.mark.evidence
@pytest.mark.parametrize("seed", range(4))
def test_programs_are_charged_alike_with_a_log_and_when_it_is_played_again_from_any_draw(seed, evidence, monkeypatch):
    """Sessions without a log are those of `certify` and of guards in memory."""
    every = [entry for number in range(evidence(5, 500)) for entry in checked(seed, number, monkeypatch)]
    assert any("joint" in entry.said for entry in every)


def strangers(entry, chance):
    """Return a draw that is not known again, as one of another version or of a worker that forgot at another time."""
    said = entry.said
    if "joint" in said and chance < 0.5:
        said["joint"] = ["of something else", *said["joint"][1:]]
    return entry._replace(body=json.dumps(said))


def check_enough(seed, numbers, monkeypatch):
    """Continue programs after draws of which some are not known again; no datum is charged less than it loses."""
    rng = np.random.default_rng(seed)
    for number in numbers:
        case = releases.case(seed, number)
        try:
            least = oracle.exact(case).loss
        except oracle.TooLargeError:
            continue
        _, draws = charged(case, monkeypatch)
        for count in range(1, len(draws)):
            for known in ([*draws[:count]], _alone(case, count, monkeypatch)):
                found, every = charged(case, monkeypatch, [strangers(entry, rng.random()) for entry in known])
                assert not found.refused
                assert found.loss >= least * (1.0 - 1e-9) - 1e-12
                stands = [entry.said["charges"] for entry in known]
                assert [entry.said["charges"] for entry in every[:count]] == stands


def _alone(case, count, monkeypatch):
    """Return the first draws as an older version recorded them."""
    with monkeypatch.context() as patch:
        patch.setattr(JointCharges, "of", lambda self, mechanism, value, alone, *_: Charged(alone))
        _, draws = charged(case, patch)
    assert not any("joint" in entry.said for entry in draws)
    return draws[:count]


@pytest.mark.evidence
@pytest.mark.parametrize("seed", range(4))
def test_no_program_is_charged_too_little_after_draws_that_are_not_known_again(seed, evidence, monkeypatch):
    check_enough(seed, range(evidence(5, 500)), monkeypatch)


def under_log(known, *values):
    """Return what functions of two numbers of a datum are charged under a log with these draws, and all draws."""
    lines = Lines()
    lines.kept += known
    log = DrawLog(lines, "000000000000")
    event = Event("update")
    event.entry = object()
    log.begin(event, list(known), live=True)
    session = Session(relation("row"), (0.0, 1.0), 40.0, None)
    session.log = log.of(session)
    with session.active():
        x, y = (session.source.scalar(0.0, 0.0, 1.0, datum=1) for _ in range(2))
        for value in values:
            Laplace.with_scale(1.0).release(value(x, y), None)
    return session.ledger.epsilon, lines.kept


def total(x, y):
    return x + y


def difference(x, y):
    return x - y


def first_square(x, y):
    return x * x + x


def second_square(x, y):
    return y * y + x


def less_second_square(x, y):
    return y * y - x


def test_a_draw_says_what_it_is_known_again_by_if_its_datum_has_several_numbers():
    charge, (one, two) = under_log([], total, difference)
    assert charge == pytest.approx(2.0, rel=1e-7)
    assert len(one.said["joint"]) == 3
    assert len(two.body) - len(json.dumps({name: said for name, said in two.said.items() if name != "joint"})) < 80


@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize(
    ("before", "now"),
    [
        ([total], [difference, total]),
        ([first_square], [second_square, less_second_square]),
    ],
)
def test_what_other_code_releases_is_not_taken_for_what_was_released(before, now, broken, monkeypatch):
    """The first release of both costs 2 alone. Of what was released, and then of what is new, one change moves 4."""
    if broken:
        monkeypatch.setattr(FeatureTable, "_go_on", lambda self, said: None)
        if before == [total]:
            monkeypatch.setattr(SeveralReleases, "identity", staticmethod(lambda parts, table: "any"))
    _, draws = under_log([], *before)
    charge, _ = under_log(draws, *now)
    assert (charge >= 4.0 * (1.0 - 1e-9)) is not broken


@pytest.mark.parametrize("broken", [False, True])
def test_releases_before_one_that_is_not_known_again_are_dropped(broken, monkeypatch):
    """x + y, twice x - y: one change moves 4; without the first x - y, the second seems to be paid with x + y."""
    if broken:
        monkeypatch.setattr(SeveralReleases, "drop", lambda self, data: None)
    _, (one, two) = under_log([], total, difference)
    charge, _ = under_log([one, strangers(two, 0.0)], total, difference, difference)
    assert (charge >= 4.0 * (1.0 - 1e-9)) is not broken


def test_other_charges_than_those_recorded_are_refused():
    """What a release costs alone is compared, whatever it is charged."""
    _, draws = under_log([], total, difference)
    with pytest.raises(Interrupted) as stopped:
        under_log(draws, total, lambda x, y: 2.0 * (x - y))
    assert "costs more or less than was recorded" in str(stopped.value.__cause__)


@pytest.mark.parametrize("broken", [False, True])
def test_what_is_paid_twice_is_noticed(broken, monkeypatch):
    if broken:
        keep = SeveralReleases.keep

        def twice(self, blocks, losses):
            keep(self, blocks, {datum: 2.0 * loss for datum, loss in losses.items()})

        monkeypatch.setattr(SeveralReleases, "keep", twice)
    with pytest.raises(AssertionError) if broken else nullcontext():
        check_enough(0, (7, 12, 19, 24), monkeypatch)
