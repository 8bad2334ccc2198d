"""Policies that try to get past the guard: what they see is the same whatever the data, and what they release is paid.

Noninterference: with every release drawn for zeros in place of the private value, everything that a guarded policy can
get hold of has to be the same, bit for bit, on streams that differ in every round.
"""

from __future__ import annotations

import copy
import pickle
import warnings
from contextlib import nullcontext

import numpy as np
import pytest

from privcheck import Contexts, PolicyError, PrivcheckError, ReleaseRefusedError, certify, guard
from privcheck.certifying import Session, drive_guarded
from privcheck.certifying import _session as sessions
from privcheck.certifying._charging import one_release
from privcheck.mechanisms import Laplace
from privcheck.privacy import relation
from privcheck.private_values import REVEAL, Private
from privcheck.private_values import _entries as entries
from privcheck.private_values import _products as products
from privcheck.private_values._refused_operations import Refusals

CONTEXTS = Contexts(shape=(2, 2), norm=1.0)
JOINT = {"feedback": "contextual", "neighbours": "context-reward", "contexts": CONTEXTS}
ROUNDS = 6
SPIES = (
    "ReadsInEveryWay", "SortsObjects", "CarriesItInAnError", "WatchesFloats", "DrawsParametersFromData",
    "ReleasesUntilSatisfied", "SharesItsCoins", "CatchesRefusals", "KeepsForALaterEpoch", "PicksByReleases",
    "PicksAgain", "ReleasesACopy", "HidesItInAProduct", "AddsAndSubtractsMuch", "ReleasesBesideMuch",
)  # fmt: skip
STREAMS = (np.zeros, np.ones, lambda shape: np.full(shape, 0.5), lambda shape: np.full(shape, 1e-250),
           lambda shape: np.random.default_rng(3).random(shape))  # fmt: skip


def observed(build, rewards):
    """Return all that a guarded policy gets hold of, its releases being those of zeros."""
    real = sessions._hidden

    def of_zeros(mechanism, value):
        hidden = np.asarray(real(mechanism, value))
        assert np.isfinite(hidden).all()
        return np.zeros_like(hidden)[()]

    session = Session(relation("row"), (0.0, 1.0), 1.0, np.random.default_rng(1))
    policy = build(np.random.default_rng(2))
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setattr(sessions, "_hidden", of_zeros)
        execution = drive_guarded(policy, rewards((ROUNDS, 2)), session, "bandit")
    ledger = [str(release) for release in session.ledger.releases]
    said = [str(found) for found in (*session.leaks, *session.refusals)]
    return [execution, said, ledger, *policy.seen]


def differing(one, two):
    """Return the first pair of observations that are not the same."""
    pairs = [(a, b) for a, b in zip(one, two, strict=False) if repr(a) != repr(b)]
    return pairs[:1] or ([] if len(one) == len(two) else [(len(one), len(two))])


@pytest.mark.parametrize("name", SPIES)
def test_a_guarded_policy_sees_the_same_whatever_the_data(name, zoo):
    first, *others = (observed(getattr(zoo, name), rewards) for rewards in STREAMS)
    assert first[1] or first[3:]
    assert [differing(first, other) for other in others] == [[]] * len(others)


def floats_pass(patch):
    patch.setattr(Refusals, "__float__", lambda self: self.reveal(REVEAL))


def texts_show_values(patch):
    patch.setattr(Private, "__repr__", lambda self: f"Private({self.reveal(REVEAL)})")


def refusals_depend_on_data(patch):
    def check(value, exact, *_):
        if value.reveal(REVEAL) > 0.9:
            raise PrivcheckError("value", 1.0, "less")
        return exact

    patch.setattr(one_release, "with_rounding", check)


def products_are_numpys(patch):
    for module in (entries, products):
        patch.setattr(module, "quiet", nullcontext)


@pytest.mark.parametrize(
    ("hole", "name"),
    [
        (floats_pass, "ReadsInEveryWay"),
        (texts_show_values, "CarriesItInAnError"),
        (refusals_depend_on_data, "PicksByReleases"),
        (products_are_numpys, "WatchesFloats"),
    ],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_hole_in_the_guard_is_noticed(hole, name, zoo, monkeypatch):
    hole(monkeypatch)
    first, *others = (observed(getattr(zoo, name), rewards) for rewards in STREAMS)
    assert any(differing(first, other) for other in others)


def test_a_sum_that_may_overflow_is_refused_whatever_it_is(monkeypatch):
    """Without the check it is refused on those streams alone on which it overflows."""

    def refused(reward):
        session = Session(relation("row"), (0.0, 1.0), 1.0, np.random.default_rng(1))
        total = 0.0
        for t in range(5):
            session.round = t + 1
            total = total + session.reward(reward, 0) * 1e308
        try:
            with session.active():
                Laplace(sensitivity=1e308, epsilon=1.0).release(total, None)
        except ReleaseRefusedError as error:
            return str(error)

    assert refused(0.0) == refused(1.0)
    assert "rounding them may add inf" in refused(0.0)
    monkeypatch.setattr(one_release, "with_rounding", lambda value, exact, *_: exact)
    assert refused(0.0) is None
    assert refused(1.0) is not None


PAID = {
    "KeepsForALaterEpoch": "takes the reward of round 1 to 2",
    "PicksAgain": "takes the reward of round 1 to 2",
    "ReleasesACopy": "takes the reward of round 1 to 2",
    "HidesItInAProduct": "takes the reward of round 1 to 1.5",
    "ReleasesBesideMuch": "rounding them may add 4.44e-07 to a sensitivity of 1",
}


@pytest.mark.parametrize("name", PAID)
def test_what_is_released_again_or_cannot_be_charged_is_refused_at_its_line(name, place, marked, zoo):
    getattr(zoo, name).everything = []
    certificate = certify(place(name), epsilon=1.0, arms=2, horizon=8)
    assert not certificate.granted
    (refusal,) = certificate.refusals
    assert PAID[name] in refusal
    assert certificate.leaks == []
    assert f"hostile.py:{marked(name)}" in refusal


@pytest.mark.parametrize("name", ["PicksByReleases", "SharesItsCoins"])
def test_what_is_paid_once_is_certified(name, place):
    certificate = certify(place(name), epsilon=1.0, arms=2, horizon=8)
    assert (certificate.granted, certificate.ledger.epsilon) == (True, 1.0)


def test_what_the_next_run_finds_is_bounded_and_not_granted(place):
    """The guard of the next run refuses it; code alone would show it. It was granted."""
    certificate = certify(place("SharedByAllRuns"), epsilon=1.0, arms=2, horizon=8)
    assert (certificate.granted, certificate.epsilon_upper, certificate.ledger.epsilon) == (False, 1.0, 1.0)
    assert "SharedByAllRuns.everything" in certificate.notes[0]


def test_rounding_of_the_code_alone_contradicts_its_certificate(place):
    """The bound holds under the guard, which rounds once; the code alone moves a release by 16 instead of 0.2."""
    certificate = certify(place("AddsAndSubtractsMuch"), epsilon=1.0, arms=2, horizon=8)
    assert (certificate.coverage, certificate.granted) == ("all-executions-under-guard", False)
    assert "moves by 16" in certificate.contradictions[0]


def test_rounding_on_the_way_amplifies_nothing():
    """In floats, (0 + 7.9 + 1e17) - 1e17 and (0.2 + 7.9 + 1e17) - 1e17 are 16 apart."""
    assert ((0.2 + 7.9 + 1e17) - 1e17) - ((0.0 + 7.9 + 1e17) - 1e17) == 16.0
    found = []
    for reward in (0.0, 0.2):
        session = Session(relation("row"), (0.0, 0.2), 1.0, np.random.default_rng(1))
        value = (session.reward(reward, 0) + 7.9 + 1e17) - 1e17
        found.append(value.reveal(REVEAL))
        assert value.sensitivities("l1") == {0: 0.2}
    assert found[1] - found[0] == 0.2


# Contextual


def of_other_rounds(build, changed, monkeypatch):
    """Return actions and ledger of a contextual run whose round 3 has another context, its releases those of zeros."""
    monkeypatch.setattr(sessions, "_hidden", lambda mechanism, value: np.zeros(value.shape))
    rng = np.random.default_rng(7)
    table = CONTEXTS.join(rng.random((ROUNDS, 2)), CONTEXTS.draw(rng, ROUNDS))
    table[2] = CONTEXTS.join(changed, np.outer(changed - 0.5, [1.0, -0.5]))
    session = Session(relation("context-reward"), (0.0, 1.0), 1.0, np.random.default_rng(1), CONTEXTS)
    actions = drive_guarded(build(np.random.default_rng(2)), table, session, "contextual").actions
    return [*actions[:2], *actions[3:]], [str(release) for release in session.ledger.releases]


@pytest.mark.parametrize("name", [
    "EpsilonGreedy", "Blocks", "CachesInSelect", "SumsByArm", "SumsByArmSeparately", "StoresContexts", "CountsArms",
    "BranchesOnTheAction", "KeepsTheContext", "KeepsANumber", "ScalesTheChosenRow", "KeepsItInAClosure",
])  # fmt: skip
def test_the_other_rounds_see_the_same_whatever_the_context(name, zoo, monkeypatch):
    """Also of policies that would leak without the guard."""
    one, two = (of_other_rounds(getattr(zoo, name), np.array(rewards), monkeypatch) for rewards in ([0, 1], [1, 0]))
    assert one == two


def joint(name, place, **options):
    return certify(place(name), **{"epsilon": 1.0, "arms": 2, "horizon": 8, "runs": 6} | JOINT | options)


def test_a_chosen_row_that_is_changed_leaves_the_context_as_it_was(zoo):
    session = Session(relation("context-reward"), (0.0, 1.0), 1.0, np.random.default_rng(1), CONTEXTS)
    context, action, _ = session.contextual(np.full((2, 2), 0.5), 1, 1.0, 2)
    row = context[action]
    row *= 1000.0
    assert row.reveal(REVEAL).tolist() == [500.0, 500.0]
    assert context.reveal(REVEAL).tolist() == [[0.5, 0.5], [0.5, 0.5]]


SIDE_OF_OTHER_CONTEXTS = "row = context[action] * 1.0 if isinstance(context, np.ndarray) else context[action]"
"""Its other side never runs: a side of a choice counts by itself, as it could leak by itself."""


def test_what_a_closure_keeps_of_a_context_is_shown_by_replay(place):
    certificate = joint("KeepsItInAClosure", place)
    assert (certificate.granted, certificate.coverage) == (False, "explored")
    assert certificate.replay.divergences > 0
    right = joint("ScalesTheChosenRow", place)
    assert right.coverage == "all-executions-under-guard"
    assert right.replay.divergences == 0
    assert [line.text for line in right.unreached] == [SIDE_OF_OTHER_CONTEXTS]


def test_an_action_that_is_no_arm_is_refused_in_its_own_round(zoo):
    policy = guard(zoo.StopsAtSomeContexts(np.random.default_rng(0)), epsilon=1.0, **JOINT)
    with pytest.raises(PolicyError, match=r"an arm in 0, \.\.\., 1"):
        policy.select(np.array([[0.5, 0.0], [0.0, 0.0]]))


# Outside of the policy


def test_two_guards_do_not_share_private_values(zoo):
    zoo.SharedByAllRuns.everything = []
    first, second = (guard(zoo.SharedByAllRuns(np.random.default_rng(0)), epsilon=1.0) for _ in range(2))
    first.update(first.select(), 1.0)
    assert first.spent == 1.0
    with pytest.raises(ReleaseRefusedError, match="a private value of another run"):
        second.update(second.select(), 1.0)
    assert second.spent == 0.0


@pytest.mark.parametrize("fork", [copy.copy, copy.deepcopy, pickle.dumps], ids=lambda fork: fork.__name__)
def test_a_guarded_policy_is_not_copied(fork, zoo):
    """A copy would have a budget of its own for the rewards that both hold."""
    policy = guard(zoo.KeepsForALaterEpoch(np.random.default_rng(0)), epsilon=1.0)
    policy.update(policy.select(), 1.0)
    with pytest.raises(PrivcheckError, match="would spend the same budget again"):
        fork(policy)
