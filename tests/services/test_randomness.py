"""Code in this process whose random numbers come from global generators, or from the operating system."""

from __future__ import annotations

import random
import secrets
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

import privcheck
from privcheck.generators import global_generators_kept, global_generators_seeded

STREAMS = (np.zeros((3, 2)), np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]))
PAIR = (np.zeros(2), np.array([0.0, 1.0]))
DRAWN = secrets.SystemRandom()


class Noisy:
    """Publishes its last reward with noise in [-2, 2]; it is given no Generator."""

    scale = 2.0

    def __init__(self, epsilon=1.0):
        self.noisy, self.epsilon = 0.0, epsilon

    def select(self):
        return int(self.noisy > 0.5)

    def update(self, action, reward):
        self.noisy = reward + self.scale * (self.uniform() - self.uniform())


class FromNumpy(Noisy):
    uniform = staticmethod(lambda: np.random.random())  # noqa: NPY002


class FromPython(Noisy):
    uniform = staticmethod(lambda: random.random())


class FromSecrets(Noisy):
    uniform = staticmethod(DRAWN.random)


class Leaky(FromSecrets):
    scale = 0.01


class AlwaysTheSame(Noisy):
    """Seeds numpy's generator with one number in every run."""

    def __init__(self):
        super().__init__()
        np.random.seed(0)  # noqa: NPY002

    uniform = staticmethod(FromNumpy.uniform)


def audited(target, **options):
    given = {"epsilon": 1.0, "arms": 2, "streams": STREAMS, "runs": 600, "error": 1e-7}
    return privcheck.audit(target, **given | options)


@pytest.mark.chance(1e-7, "one verdict on a true claim at this error")
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("target", [FromNumpy, FromPython])
def test_global_generators_are_seeded_and_put_back(target, jobs):
    random.seed(7)
    np.random.seed(7)  # noqa: NPY002
    expected = random.Random(7).random(), np.random.RandomState(7).random()
    report = audited(target, randomness="seeded", jobs=jobs)
    assert (random.random(), np.random.random()) == expected  # noqa: NPY002
    assert report.randomness == "seeded"
    assert report.verdict != "violation"
    assert report.epsilon_estimate == audited(target, randomness="seeded").epsilon_estimate


def test_the_seeds_of_two_calls_are_different_and_those_of_one_are_not():
    drawn = {}
    with global_generators_kept():
        for key in (0, 1, 0):
            with global_generators_seeded(np.random.SeedSequence(5, spawn_key=(key,))):
                drawn.setdefault(key, []).append((random.random(), float(np.random.random())))  # noqa: NPY002
    assert drawn[0][0] == drawn[0][1]
    assert drawn[0][0][0] != drawn[1][0][0]
    assert drawn[0][0][1] != drawn[1][0][1]


def in_threads(data, rng, runs):
    return data.sum() + np.random.laplace(size=runs)  # noqa: NPY002


def test_global_generators_belong_to_one_thread():
    """A function of many runs is played in threads, which would share them."""
    options = {"arms": None, "streams": PAIR, "runs": 120_000}
    assert audited(in_threads, **options).randomness == "seeded"
    with pytest.raises(privcheck.PolicyError, match="jobs: got a target that draws from a global generator"):
        audited(in_threads, jobs=2, **options)


def in_a_thread(call):
    """Return what a call in a thread of its own returns, or the error that it raises."""
    with ThreadPoolExecutor(1) as threads:
        future = threads.submit(call)
    return future.exception() or future.result()


OUTSIDE = "target: got draws from {} in a run outside of the main thread, by the target or by another thread"


def seeded_block(draw):
    with global_generators_seeded(np.random.SeedSequence(5)):
        draw()


@pytest.mark.parametrize(("draw", "name"), [(np.random.random, "np.random"), (random.random, "random")])
def test_draws_in_a_thread_of_the_user_are_not_said_to_be_of_several_workers(draw, name):
    assert str(in_a_thread(lambda: seeded_block(draw))).startswith(OUTSIDE.format(name))


def test_a_thread_of_the_user_may_play_what_draws_from_its_own_generator():
    assert in_a_thread(lambda: seeded_block(np.random.default_rng(1).random)) is None


def test_draws_of_another_thread_are_not_said_to_be_those_of_the_target():
    error = in_a_thread(lambda: seeded_block(lambda: in_a_thread(random.random)))
    assert str(error).startswith(OUTSIDE.format("random"))


@pytest.mark.parametrize("call", ["audit", "simulate"])
def test_calls_in_a_thread_of_the_user_say_so_too(call):
    if call == "audit":
        error = in_a_thread(lambda: audited(FromNumpy, randomness="seeded", jobs=1))
    else:
        error = in_a_thread(
            lambda: privcheck.simulate({"own": FromNumpy}, [0.75, 0.5], horizon=8, runs=64, epsilon=1.0)
        )
    assert isinstance(error, privcheck.PolicyError)
    assert str(error).startswith(OUTSIDE.format("np.random"))
    assert "jobs" not in str(error)


@pytest.mark.chance(1e-7, "one verdict on a true claim at this error", fresh=True)
def test_secrets_are_audited_as_independent():
    """The leaky twin has a loss of ln 400 or so; the other's noise hides a reward but for one run in eight."""
    leaky, private = (audited(target, randomness="independent") for target in (Leaky, FromSecrets))
    assert leaky.verdict == "violation"
    assert private.verdict != "violation"
    assert (leaky.randomness, private.randomness) == ("independent", "independent")


def test_what_cannot_be_seeded_is_told_how_to_be_audited():
    with pytest.raises(privcheck.PolicyError, match=r"different actions in round \d.*say randomness='independent'"):
        audited(FromSecrets, randomness="seeded")
    with pytest.raises(privcheck.PrivcheckError, match="from the operating system randomness='independent'"):
        audited(FromSecrets)


def test_one_seed_for_all_runs_hides_nothing():
    """The noise is the same in every run: a violation, and a note that says why."""
    report = audited(AlwaysTheSame, randomness="seeded")
    assert report.verdict == "violation"
    assert "a fixed seed" in " ".join(report.notes)


def of_the_data_alone(data):
    return float(data.sum()) + 4.0 * (DRAWN.random() - DRAWN.random())


def test_a_function_of_the_data_alone():
    options = {"arms": None, "streams": PAIR}
    assert audited(of_the_data_alone, randomness="independent", **options).epsilon_lower is not None
    with pytest.raises(privcheck.PrivcheckError, match="randomness: got of_the_data_alone"):
        audited(of_the_data_alone, **options)


@pytest.mark.parametrize("asked", ["secret", 1, True])
def test_other_words_are_refused(asked):
    with pytest.raises(privcheck.PrivcheckError, match="randomness: got"):
        audited(FromNumpy, randomness=asked)


# Memory between runs


KEPT = {}


class Remembers(FromSecrets):
    """Adds most of what the last run published; without seeds, only its outputs can show it."""

    weight = 0.9

    def update(self, action, reward):
        super().update(action, reward)
        self.noisy += self.weight * KEPT.get("last", 0.0)
        KEPT["last"] = self.noisy


class Stale(FromSecrets):
    """Uses the same noise in three successive runs."""

    def __init__(self):
        super().__init__()
        KEPT["run"] = KEPT.get("run", 0) + 1
        if KEPT["run"] % 3 == 0 or "noise" not in KEPT:
            KEPT["noise"] = [4.0 * (DRAWN.random() - DRAWN.random()) for _ in range(3)]
        self.round = 0

    def update(self, action, reward):
        self.noisy = reward + KEPT["noise"][self.round]
        self.round += 1


@pytest.mark.parametrize("target", [Remembers, Stale])
def test_memory_is_refused_without_seeds(target):
    KEPT.clear()
    with pytest.raises(privcheck.PolicyError, match="expected runs that are independent"):
        audited(target, randomness="independent", runs=2000)


def mechanism(kind, amount):
    """A sum with Laplace noise for a claim of 1, to which something is added."""
    state = {"last": 0.0, "mean": 0.5, "run": 0}

    def noisy(data):
        x = float(np.sum(data))
        state["run"] += 1
        added = {
            "nothing": 0.0,
            "last input": amount * state["last"],
            "mean of inputs": amount * state["mean"],
            "waves": amount * np.sin(state["run"] / 1500.0),
            "line": amount * state["run"] / 12_000.0,
        }[kind]
        state["last"], state["mean"] = x, 0.9 * state["mean"] + 0.1 * x
        return x + added + DRAWN.expovariate(1.0) - DRAWN.expovariate(1.0)

    return noisy


def audited_mechanism(kind, amount, **options):
    given = {"epsilon": 1.0, "streams": ([0.0], [1.0]), "runs": 2500, "randomness": "independent", "error": 1e-7}
    return privcheck.audit(mechanism(kind, amount), **given | options)


@pytest.mark.chance(1.2e-6, "a verdict on a true claim, and refusals at 1e-6", fresh=True)
@pytest.mark.parametrize(("kind", "amount"), [("nothing", 0.0), ("waves", 3.0), ("line", 3.0)])
def test_a_drift_is_no_difference_between_the_inputs(kind, amount):
    assert audited_mechanism(kind, amount).verdict != "violation"


@pytest.mark.chance(1e-6, "power: bets win 1e20 and more, measured", fresh=True)
@pytest.mark.parametrize(("kind", "amount"), [("last input", 0.9), ("mean of inputs", 2.0)])
def test_outputs_that_follow_earlier_inputs_are_refused(kind, amount):
    """In turns of fifty runs, carry-over was called a violation of up to 2.3."""
    with pytest.raises(privcheck.PolicyError, match=r"outputs that follow earlier inputs|depend on the runs before"):
        audited_mechanism(kind, amount)


@pytest.mark.chance(1e-6, "a verdict on a claim that holds given all earlier runs, at level 1e-7", fresh=True)
def test_coins_make_weak_memory_harmless(monkeypatch):
    """Were it not refused, carry-over would be no violation: the inputs before are independent of a run's own."""
    from privcheck.auditing import _play as auditing

    monkeypatch.setattr(auditing, "check_runs", lambda *_: SimpleNamespace(hints=(), again=lambda: None))
    monkeypatch.setattr(auditing, "refuse_earlier_inputs", lambda _: None)
    for amount in (0.1, 0.9):
        assert audited_mechanism("last input", amount).verdict != "violation"


def test_a_fresh_coin_decides_about_each_run():
    played = []

    def noted(data):
        played.append(float(np.sum(data)))
        return played[-1] + DRAWN.random()

    audited(noted, arms=None, streams=([0.0], [1.0]), randomness="independent", runs=600)
    inputs = np.array(played[-1200:])
    alike = (inputs[1:] == inputs[:-1]).mean()
    assert 0.4 < alike < 0.6
    assert abs(np.corrcoef(inputs[1:], inputs[:-1])[0, 1]) < 0.2


def slow(data, rng, runs):
    import time

    time.sleep(0.6 if runs > 1 else 0.0)
    return data.sum() + rng.laplace(size=runs)


def test_the_time_limit_holds_within_a_batch():
    """A call of six runs or fewer that takes 0.6 s: the usual limit of 10 s would let it pass."""
    options = {"arms": None, "streams": PAIR, "runs": 20}
    with pytest.raises(privcheck.PolicyError, match=r"at most 0.02 seconds for each run"):
        audited(slow, time_limit=0.02, **options)


# One arm: a sequential test


class SequentialTest:
    """Stops when the sum of the rewards, with noise, is large; one arm, and its recommendation says nothing."""

    noise = 4.0

    def __init__(self, rng):
        self.rng, self.total, self.stopped = rng, 0.0, False

    def select(self):
        return 0

    def update(self, action, reward):
        self.total += reward
        self.stopped = bool(self.total + self.rng.laplace(0.0, self.noise) > 1.5)

    def recommend(self):
        return 0


class LeakyTest(SequentialTest):
    noise = 0.1


@pytest.mark.chance(1e-9, "a claim of twice the loss, refuted at level 1e-7")
def test_one_arm_is_a_sequential_test():
    """Four noisy comparisons of scale 4 lose at most 1, against a claim of 2; with scale 0.1 they lose 40."""
    options = {"arms": 1, "horizon": 4, "streams": None, "feedback": "identification", "epsilon": 2.0, "pairs": 8}
    assert audited(LeakyTest, **options).verdict == "violation"
    report = audited(SequentialTest, **options)
    assert report.verdict != "violation"
    assert report.arms == 1


def test_the_refusal_of_no_arms_says_when_one_is_enough():
    with pytest.raises(privcheck.PrivcheckError, match=r"arms: got 0, .* two arms or more; one is for identification"):
        audited(SequentialTest, arms=0)


@pytest.mark.parametrize("feedback", ["bandit", "full", "semi-bandit"])
def test_a_bandit_needs_two_arms(feedback):
    with pytest.raises(privcheck.PrivcheckError, match=r"arms: got 1, expected .*a bandit needs two arms or more"):
        audited(SequentialTest, arms=1, feedback=feedback)


@pytest.mark.chance(0.0, "outputs that are always the same")
@pytest.mark.parametrize("output", [3, "always", None])
def test_outputs_that_are_always_the_same_have_a_verdict(output):
    found = privcheck.audit(lambda data: output, epsilon=1.0, horizon=2, pairs=4, runs=600, randomness="independent")
    assert found.verdict != "violation"
    assert found.epsilon_lower == 0.0


KEEPS = """
import json, random, sys
noise, kept = random.Random(), {{}}
for line in sys.stdin:
    data = json.loads(line)["data"]
    answer = sum(data) + {scale} * (noise.expovariate(1.0) - noise.expovariate(1.0))
    print(json.dumps({{"output": kept.setdefault(str(data), answer)}}), flush=True)
"""


@pytest.mark.chance(1e-7, "the same real numbers in two processes, or a claim of 1 where the loss is infinite")
def test_a_command_that_keeps_its_answers_is_refused(tmp_path):
    """What keeps its noise was called a violation of 7.3 at truth 1; what never has any is one."""
    for name, scale in {"kept": 1.0, "none": 0.0}.items():
        (tmp_path / f"{name}.py").write_text(KEEPS.format(scale=scale))
    options = {"epsilon": 1.0, "streams": ([0.0, 0.0], [1.0, 0.0]), "runs": 400}

    def audit(name):
        words = [sys.executable, str(tmp_path / f"{name}.py")]
        return privcheck.audit(privcheck.from_command(words, mechanism=True), **options)

    with pytest.raises(privcheck.PrivcheckError, match="share their noise: one output in all runs on an input, and"):
        audit("kept")
    assert audit("none").verdict == "violation"
