"""Contextual policies: the right one is certified for joint differential privacy, each broken twin is caught."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck import (
    BudgetExceededError,
    Contexts,
    LeakError,
    PolicyError,
    PrivcheckError,
    ReleaseRefusedError,
    certify,
    guard,
)
from privcheck.certifying import Session, drive_guarded
from privcheck.certifying._context_isolation import throw_away
from privcheck.mechanisms import Laplace
from privcheck.privacy import relation

CONTEXTS = Contexts(shape=(2, 2), norm=1.0)
JOINT = {"feedback": "contextual", "neighbours": "context-reward", "contexts": CONTEXTS}
RIGHT = [
    "EpsilonGreedy", "Blocks", "CachesInSelect", "SumsByArm", "SumsByArmSeparately", "CountsByIndicator",
    "TalliesInZeros",
]  # fmt: skip
LEAKS = {
    "UnnoisedUntilTheRelease": "function",
    "StoresContexts": "function",
    "BranchesOnTheAction": "comparison",
    "CountsArms": "function",
    "KeepsTheContext": "kept",
    "KeepsACopyInAList": "kept",
}
STEERED = ("UnnoisedUntilTheRelease", "StoresContexts", "BranchesOnTheAction", "CountsArms", "KeepsTheContext")
"""Those of them whose actions in other rounds change, so that replay sees it too."""


def certified(place, name, **options):
    return certify(place(name), **{"epsilon": 1.0, "arms": 2, "horizon": 8, "runs": 6} | JOINT | options)


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("seed", [0, 1])
def test_what_is_right_is_certified(name, seed, place):
    certificate = certified(place, name, seed=seed)
    assert (certificate.leaks, certificate.refusals, certificate.notes) == ([], [], [])
    assert (certificate.granted, certificate.coverage, certificate.epsilon_upper) == (
        True,
        "all-executions-under-guard",
        1.0,
    )
    assert certificate.ledger_epsilon == pytest.approx(1.0, rel=1e-8)
    assert certificate.replay.divergences == 0
    assert 0.1 < certificate.replay.largest_loss <= 1.0 + 1e-9
    assert str(certificate).endswith("(joint differential privacy)")
    assert certificate.contexts == CONTEXTS


@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_is_found_at_its_line(name, place, marked):
    certificate = certified(place, name)
    assert (certificate.granted, certificate.coverage, certificate.epsilon_upper) == (False, "explored", None)
    assert {(leak.file, leak.line, leak.kind) for leak in certificate.leaks} == {
        (place(name).rpartition(":")[0], marked(name), LEAKS[name])
    }
    assert certificate.leaks[0].code.endswith(f"# here: {name}")
    if name in STEERED:
        assert certificate.replay.divergences > 0


def test_a_release_for_each_arm_is_refused_with_what_to_write(place):
    (refusal,) = certified(place, "TakesArmsForDisjoint").refusals
    assert refusal.endswith(
        "; 1 was charged before, also by the same line in the same round, and each release is charged in full: to "
        "release a sum for each arm, keep the sums of all arms in one array, made with privcheck.zeros, and release it "
        "once"
    )


def test_a_release_of_a_later_round_is_told_apart_from_one_for_each_arm(zoo):
    refusals = certify(zoo.RunningMeanAgain, epsilon=1.0, arms=2, horizon=8, runs=2).refusals
    assert refusals
    for refusal in refusals:
        assert "release less often or with more noise" in refusal
        assert "each arm" not in refusal


def test_the_relation_of_contextual_feedback_needs_no_name():
    """There is one; another that is asked for is refused, as before."""
    few = {"rho": 0.5, "arms": 2, "feedback": "contextual", "contexts": Contexts(shape=(2,), norm=1.0)}
    advised = partial(ClipsAsAdvised, batch=2)
    certificate = certify(advised, horizon=4, runs=1, **few)
    assert certificate.neighbours == "context-reward"
    assert certificate.ledger.what == "context and reward"
    guarded = guard(advised, **few)
    guarded.update(np.zeros(2), guarded.select(np.zeros(2)), 1.0)
    for call in (guard, partial(certify, horizon=4, runs=1)):
        with pytest.raises(PrivcheckError, match="expected 'context-reward' for feedback='contextual'"):
            call(advised, neighbours="row", **few)


class ClipsByHand:
    """Clips the context by its norm, which the guard does not read, and releases after 50 rounds."""

    def __init__(self, rng, batch=50):
        self.rng, self.batch, self.n, self.b = rng, batch, 0, np.zeros(2)
        self.sums = privcheck.zeros(2)

    def select(self, context):
        return int(context @ self.b > 0.0)

    def update(self, context, action, reward):
        self.n += 1
        self.sums += reward * self.clip(context)
        if self.n == self.batch:
            self.b = self.b + self.sums + self.rng.normal(0.0, 4.0, 2)
            self.sums, self.n = privcheck.zeros(2), 0

    def clip(self, context):
        return context / max(1.0, np.linalg.norm(context))


class ClipsAsAdvised(ClipsByHand):
    """The same with the line that is advised in place of its own."""

    def clip(self, context):
        return privcheck.clip_norm(context, 1.0)


ONE_VECTOR = {"rho": 0.5, "arms": 2, "runs": 2} | JOINT | {"contexts": Contexts(shape=(2,), norm=1.0)}


def test_a_clip_by_hand_is_refused_with_the_clip_to_write():
    found = certify(ClipsByHand, horizon=4, **ONE_VECTOR)
    (leak,) = found.leaks
    assert leak.hint.endswith(": return privcheck.clip_norm(context, 1.0)")
    advised = certify(partial(ClipsAsAdvised, batch=2), horizon=4, **ONE_VECTOR)
    assert advised.granted, advised.notes


def test_noise_that_was_not_reached_is_not_said_to_be_missing():
    (note,) = certify(ClipsByHand, horizon=4, **ONE_VECTOR).notes
    line = next(n for n, text in enumerate(Path(__file__).read_text().splitlines(), 1) if "rng.normal(0.0, 4" in text)
    assert note == (
        f"nothing was released: test_contextual.py:{line}, which draws noise or releases, never ran in the 4 rounds "
        "played; once the leak is fixed, --horizon 51 reaches it"
    )


def test_noise_that_is_nowhere_is_said_to_be_missing(place):
    found = certified(place, "CountsArms")
    assert not any("never ran" in note for note in found.notes)


def test_a_leak_of_the_action_says_what_to_do(place):
    (leak,) = certified(place, "BranchesOnTheAction").leaks
    assert "context[action]" in leak.hint
    assert "privcheck.one_hot(action, arms)" in leak.hint


def test_what_select_keeps_as_a_number_is_shown_by_replay(place):
    certificate = certified(place, "KeepsANumber")
    assert (certificate.granted, certificate.leaks) == (False, [])
    assert certificate.replay.divergences > 0


def test_a_policy_that_needs_what_select_set_is_told_why_it_fails(place):
    with pytest.raises(PolicyError, match="throw-away copy: what it sets does not reach update"):
        certified(place, "NeedsWhatItKept")


def test_a_policy_that_cannot_be_copied_is_explored_and_a_note_says_so(place):
    certificate = certified(place, "CannotBeCopied")
    assert (certificate.granted, certificate.coverage, certificate.leaks) == (False, "explored", [])
    assert "cannot be copied" in certificate.notes[0]


def test_releases_in_select_are_refused_by_the_filter_and_charged_each_time_without_one(place, marked):
    """With a filter, whether it refuses later would depend on what select() has read of a private context."""
    certificate = certified(place, "ReleasesInSelect")
    assert not certificate.granted
    (refusal,) = certificate.refusals
    assert f"contextual_zoo.py:{marked('ReleasesInSelect')}" in refusal
    assert "inside select()" in refusal
    recorded = certified(place, "ReleasesInSelect", epsilon=None)
    assert recorded.refusals == []
    assert 1.0 <= recorded.ledger_epsilon <= 2.0


def test_every_datum_is_charged_for_each_release_that_it_could_have_entered(place, marked):
    certificate = certified(place, "TakesArmsForDisjoint")
    (refusal,) = certificate.refusals
    assert f"contextual_zoo.py:{marked('TakesArmsForDisjoint')}" in refusal
    assert "the context and reward of round 1 to 2, expected at most epsilon = 1 per datum" in refusal
    recorded = certify(place("TakesArmsForDisjoint"), arms=2, horizon=4, runs=2, **JOINT)
    assert recorded.ledger_epsilon == pytest.approx(2.0)
    for release in recorded.ledger.releases:
        assert release.losses.keys() == {release.round}
    in_one = certify(place("SumsByArm"), arms=2, horizon=4, runs=2, **JOINT).ledger
    assert [set(release.sensitivities.values()) for release in in_one.releases] == [{2.0}] * 4


@pytest.mark.parametrize(
    ("name", "sentences"),
    [
        ("KeepsTheContext", ["the contexts differ as well", "the context that `select` was given was kept"]),
        ("SumsByArm", ["under its guard (joint differential privacy)", "contexts of shape (2, 2)", "norm at most 1."]),
    ],
)
def test_the_page_says_what_is_joint_and_draws_rewards_only(name, sentences, place, tmp_path):
    certificate = certified(place, name)
    certificate.save_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert [sentence for sentence in sentences if sentence not in page] == []
    assert json.loads(certificate.to_json())["contexts"] == {"shape": [2, 2], "low": -1.0, "high": 1.0, "norm": 1.0}


# The throw-away copy


class Draws:
    def __init__(self, rng):
        self.rng, self.coins, self.drawn = rng, [rng, np.random.default_rng(5)], []

    def select(self, context):
        self.drawn.append(self.rng.random())
        return int(self.rng.random(2)[0] < 0.5)

    def update(self, context, action, reward):
        self.after = self.rng.random()


def session_of(budget=1.0, contexts=CONTEXTS):
    noise = np.random.default_rng(7)
    return Session(relation("context-reward"), (0.0, 1.0), budget, noise, contexts)


def test_select_on_a_copy_keeps_nothing_and_throws_fresh_coins():
    policy, rng = Draws(np.random.default_rng(3)), np.random.default_rng(0)
    table = CONTEXTS.join(rng.random((60, 2)), CONTEXTS.draw(rng, 60))
    actions = drive_guarded(policy, table, session_of(), "contextual").actions
    assert policy.drawn == []
    assert 10 < sum(actions) < 50
    again = np.random.default_rng(3)
    assert policy.after == [again.random() for _ in range(60)][-1]


def test_generators_of_copies_are_independent_and_shared_as_before():
    policy = Draws(np.random.default_rng(3))
    one, two = throw_away(policy), throw_away(policy)
    assert one.rng is one.coins[0]
    draws = [policy.rng.random(), one.rng.random(), two.rng.random(), one.coins[1].random(), two.coins[1].random()]
    assert len(set(draws)) == 5


def test_the_context_that_select_reads_is_read_only(place):
    class Writes(Draws):
        def select(self, context):
            context[0, 0] = 0.0
            return 0

    with pytest.raises(PolicyError, match="read-only"):
        certify(Writes, arms=2, horizon=4, **JOINT)


# A service


def serve(policy, rounds=12, **options):
    rng = np.random.default_rng(2)
    guarded = guard(policy, epsilon=1.0, noise="float", rng=np.random.default_rng(1), **JOINT | options)
    for context, reward in zip(CONTEXTS.draw(rng, rounds), rng.random(rounds), strict=True):
        guarded.update(context, guarded.select(context), reward)
    return guarded


@pytest.mark.parametrize("name", RIGHT)
def test_a_service_runs_what_is_right(name, zoo):
    guarded = serve(getattr(zoo, name)(np.random.default_rng(0)))
    assert guarded.spent == pytest.approx(1.0, rel=1e-8)
    assert guarded.spent <= 1.0


@pytest.mark.parametrize("name", [name for name, kind in LEAKS.items() if kind != "kept"])
def test_a_service_stops_at_a_leak(name, zoo, marked):
    with pytest.raises(LeakError, match=rf"contextual_zoo.py:{marked(name)}"):
        serve(getattr(zoo, name)(np.random.default_rng(0)))


def test_a_service_keeps_nothing_of_a_context(zoo):
    guarded = serve(zoo.KeepsTheContext(np.random.default_rng(0)))
    assert not guarded._policy.seen.any()


def test_a_service_stops_before_it_overspends_and_before_it_releases_in_select(zoo):
    with pytest.raises(BudgetExceededError, match="the context and reward of round 1"):
        serve(zoo.TakesArmsForDisjoint(np.random.default_rng(0)))
    with pytest.raises(ReleaseRefusedError, match=r"inside select\(\)"):
        serve(zoo.ReleasesInSelect(np.random.default_rng(0)))


def test_bad_calls_of_a_service_are_refused_without_showing_the_context(zoo):
    policy = zoo.Blocks(np.random.default_rng(0))
    guarded = guard(policy, epsilon=1.0, **JOINT)
    legal = np.zeros((2, 2))
    for call, message in [
        (lambda: guarded.select(), r"select\(\): got 0 arguments for feedback='contextual', expected \(context\)"),
        (lambda: guarded.update(1, 0.5), r"expected \(context, action, reward\)"),
        (lambda: guarded.select(np.zeros(4)), r"context: got shape \(4,\), expected shape \(2, 2\)"),
        (lambda: guarded.select(legal + 1.375), "an entry outside the range"),
        (lambda: guarded.select(legal + np.nan), "an entry outside the range"),
        (lambda: guarded.select(legal + 0.875), "a vector with a larger norm, expected a norm of at most 1"),
        (lambda: guarded.select(object()), "context: got a value that is not numeric"),
        (lambda: guarded.update(legal, 2, 0.5), r"action: got 2, expected an integer in \[0, 1\]"),
        (lambda: guarded.update(legal, 0, 1.375), "outside the declared range"),
    ]:
        with pytest.raises(PrivcheckError, match=message) as caught:
            call()
        assert "375" not in str(caught.value)
    assert guarded.spent == 0.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"contexts": None}, "contexts: got None"),
        ({"neighbours": "row"}, "'context-reward' for feedback='contextual'"),
        ({"feedback": "bandit"}, "it needs feedback='contextual'"),
        ({"contexts": Contexts(shape=(2,))}, "arms: got None"),
        ({"contexts": Contexts(shape=(3, 2)), "arms": 2}, r"contexts shape: got \(3, 2\)"),
    ],
)
def test_what_does_not_go_together_is_refused(options, message, zoo):
    with pytest.raises(PrivcheckError, match=message):
        guard(zoo.Blocks(np.random.default_rng(0)), epsilon=1.0, **JOINT | options)


def test_a_service_needs_a_policy_that_can_be_copied(zoo):
    with pytest.raises(PrivcheckError, match=r"copy\.deepcopy cannot copy"):
        guard(zoo.CannotBeCopied(np.random.default_rng(0)), epsilon=1.0, **JOINT)


def test_shipped_bandits_are_not_contextual():
    with pytest.raises(PrivcheckError, match="feedback: got 'contextual', expected 'bandit'"):
        certify("adap-ucb", epsilon=1.0, arms=2, **JOINT)


def test_one_vector_for_all_arms(place):
    class Vector:
        """Releases reward * context, which moves by at most 2 in L2 and 2 sqrt(2) in L1."""

        def __init__(self, rng, arms, epsilon):
            self.rng, self.epsilon, self.theta = rng, epsilon, np.zeros(arms)

        def select(self, context):
            return int(context @ self.theta > 0.0)

        def update(self, context, action, reward):
            noise = Laplace(sensitivity=2.0 * np.sqrt(2.0), epsilon=self.epsilon)
            self.theta = self.theta + noise.release(reward * context, self.rng)

    joint = JOINT | {"contexts": Contexts(shape=2, norm=1.0)}
    certificate = certify(Vector, epsilon=1.0, arms=2, horizon=8, **joint)
    assert (certificate.granted, certificate.replay.divergences) == (True, 0)
    guarded = guard(Vector(np.random.default_rng(0), 2, 1.0), epsilon=1.0, arms=2, **joint)
    context = np.array([0.6, 0.8])
    guarded.update(context, guarded.select(context), 1.0)
    assert guarded.spent == 1.0
