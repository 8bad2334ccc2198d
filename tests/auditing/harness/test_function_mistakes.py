"""Functions with mistakes that once made a correct mechanism a violation: refused, with the right cause."""

import copy
import functools

import numpy as np
import pytest
from scipy.stats import laplace

import privcheck
from privcheck.auditing._harness import checked_runs

from .refusals import OUTSIDE, PAIR, SHARED, STATE, refused

BALANCED = "runs whose noise balances out"
PLACE = "outputs that depend on the place of a run among the others"

# Functions f(data, rng, runs), each with noise of the right scale


def forgotten_size(data, rng, runs):
    return np.full(runs, data.sum() + rng.laplace())


def half_forgotten(data, rng, runs):
    noise = rng.laplace(size=runs)
    noise[::2] = noise[0]
    return data.sum() + noise


def common_part(data, rng, runs):
    return data.sum() + rng.laplace() + rng.laplace(size=runs)


def small_common_part(data, rng, runs):
    """A tenth of the noise: nothing shows in two runs, and the mean of a large call does not settle."""
    return data.sum() + 0.1 * rng.laplace() + rng.laplace(size=runs)


def common_scale(data, rng, runs):
    return data.sum() + rng.exponential() * rng.normal(size=runs)


def common_column(data, rng, runs):
    return data.sum() + np.column_stack([rng.laplace(size=(runs, 3)), np.full(runs, rng.laplace())])


def one_sign_for_all(data, rng, runs):
    """A discrete part is shared, and the real part is not."""
    return np.column_stack([np.full(runs, rng.integers(2)), data.sum() + rng.laplace(size=runs)])


def pool_of_noise(data, rng, runs):
    return data.sum() + np.resize(rng.laplace(size=40), runs)


def resampled_pool(data, rng, runs):
    return data.sum() + rng.choice(rng.laplace(size=40), runs)


def copies_the_generator(data, rng, runs):
    return np.array([data.sum() + copy.deepcopy(rng).laplace() for _ in range(runs)])


def jumps_the_generator(data, rng, runs):
    return np.array([data.sum() + np.random.Generator(rng.bit_generator.jumped()).laplace() for _ in range(runs)])


def seeds_alike(data, rng, runs):
    seed = int(rng.integers(1 << 60))
    return np.array([data.sum() + np.random.default_rng(seed).laplace() for _ in range(runs)])


def batched_cache(data, rng, runs):
    @functools.cache
    def noise(value):
        return rng.laplace()

    return np.array([data.sum() + noise(data.sum()) for _ in range(runs)])


def sorted_outputs(data, rng, runs):
    return np.sort(data.sum() + rng.laplace(size=runs))


def unique_outputs(data, rng, runs):
    """np.unique sorts."""
    return np.unique(data.sum() + rng.laplace(size=2 * runs))[:runs]


def running_index(data, rng, runs):
    return data.sum() + rng.laplace(size=runs) + np.arange(runs) / runs


def changed_input(data, rng, runs):
    out = np.empty(runs)
    for run in range(runs):
        data += rng.laplace(size=data.shape)
        out[run] = data.sum()
    return out


def chain(data, rng, runs):
    """A Markov chain with the right law in each run, which starts where the run before ended."""
    noise = rng.normal(size=runs)
    for run in range(1, runs):
        noise[run] = 0.8 * noise[run - 1] + 0.6 * noise[run]
    return data.sum() + noise


def antithetic(data, rng, runs):
    noise = rng.laplace(size=(runs + 1) // 2)
    return data.sum() + np.concatenate([noise, -noise])[:runs]


def stratified(data, rng, runs):
    return data.sum() + laplace.ppf((rng.permutation(runs) + rng.random(runs)) / runs)


def rotated_lattice(data, rng, runs):
    points = (rng.permutation(runs) / runs + rng.random()) % 1.0
    return data.sum() + laplace.ppf(points)


def standardised(data, rng, runs):
    noise = rng.laplace(size=runs)
    return data.sum() + (noise - noise.mean()) / noise.std()


def unseeded(data, rng, runs):
    return data.sum() + np.random.default_rng().laplace(size=runs)


FUNCTIONS = {
    forgotten_size: ["the same output in all runs of a call", SHARED],
    half_forgotten: ["share their noise", SHARED],
    common_part: ["share their noise", SHARED],
    small_common_part: ["share their noise", SHARED],
    common_scale: ["share their noise", SHARED],
    common_column: ["share their noise: part 4 of the outputs", SHARED],
    one_sign_for_all: ["share their noise: part 1 of the outputs", SHARED],
    pool_of_noise: ["share their noise", SHARED],
    resampled_pool: ["share their noise", SHARED],
    copies_the_generator: ["the same output in all runs of a call", SHARED],
    jumps_the_generator: ["the same output in all runs of a call", SHARED],
    seeds_alike: ["the same output in all runs of a call", SHARED],
    batched_cache: ["the same output in all runs of a call", SHARED],
    sorted_outputs: [PLACE, "sorted outputs"],
    unique_outputs: [PLACE, "sorted outputs"],
    running_index: [PLACE, "a running index"],
    changed_input: ["share their noise"],
    chain: ["runs"],
    antithetic: [BALANCED, "antithetic"],
    stratified: [BALANCED, "stratified"],
    rotated_lattice: [BALANCED, "quasi-random"],
    standardised: [BALANCED],
    unseeded: [OUTSIDE],
}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_functions_of_many_runs(function):
    refused(function, FUNCTIONS[function], streams=PAIR, runs=100_000)


# Functions f(data, rng). Each is made anew for a test, so that it keeps nothing from another.


def with_function_attribute():
    def noisy(data, rng):
        noisy.sum = 0.9 * noisy.sum + rng.laplace()
        return data.sum() + noisy.sum

    noisy.sum = 0.0
    return noisy


def with_cache():
    @functools.lru_cache
    def noise(value):
        return current[0].laplace()

    current = []

    def noisy(data, rng):
        current[:] = [rng]
        return data.sum() + noise(float(data.sum()))

    return noisy


def with_list():
    drawn = []

    def noisy(data, rng):
        drawn.append(rng.laplace())
        return data.sum() + drawn[len(drawn) // 2]

    return noisy


ONE_RUN = {
    with_function_attribute: ["different", STATE, "the attribute sum of noisy"],
    with_cache: ["other draws from the Generator when the same runs are played again", STATE, "the cache of noise"],
    with_list: ["different", STATE, "the variable drawn of noisy"],
}


@pytest.mark.parametrize("make", ONE_RUN, ids=lambda make: make.__name__)
def test_functions_of_one_run(make):
    refused(make(), ONE_RUN[make], streams=PAIR, runs=400)


FIXED = np.random.default_rng(0).laplace(size=10)


def kept_from_the_first_run():
    def noisy(data, rng, drawn=[]):  # noqa: B006
        drawn.append(rng.laplace())
        return data.sum() + drawn[0]

    return noisy


FIXED_NOISE = {
    "seeded anew": (lambda: lambda data, rng: data.sum() + np.random.default_rng(0).laplace(), ["a fixed seed"]),
    "a table": (lambda: lambda data, rng: data.sum() + FIXED[3], ["a fixed seed"]),
    "the first": (lambda: functools.partial(kept_from_the_first_run()), ["a fixed seed", STATE]),
}


@pytest.mark.parametrize("name", FIXED_NOISE)
def test_noise_that_is_the_same_in_every_run_is_a_leak(name):
    """Whoever knows it subtracts it: no mistake of the harness, and the report says what it may be."""
    make, causes = FIXED_NOISE[name]
    noisy = make()
    report = privcheck.audit(lambda data, rng: noisy(data, rng), epsilon=1.0, streams=PAIR, runs=400)
    assert report.verdict == "violation"
    for cause in causes:
        assert cause in " ".join(report.notes)


def changing(after):
    """Return a function that ignores its data, and answers otherwise from a call on."""
    calls = [0]

    def function(data, rng):
        calls[0] += 1
        return int(calls[0] > after)

    return function


def audited_while_it_changes(after):
    return privcheck.audit(changing(after), epsilon=1.0, runs=2000, horizon=2, pairs=4).verdict


@pytest.mark.parametrize("after", [3600, 3900, 4200])
def test_what_changes_while_runs_are_counted_is_no_violation(after, monkeypatch):
    """The check before the audit cannot see it; the same runs, played once more before a claim is refuted, do."""
    with pytest.raises(privcheck.PolicyError, match="from the same Generator state"):
        audited_while_it_changes(after)
    monkeypatch.setattr(checked_runs._Check, "again", lambda self: None)
    assert audited_while_it_changes(after) == "violation"


def noise_that_grows(after):
    """Return a function that leaks in its first calls, and keeps the claim from then on."""
    calls = [0]

    def function(data, rng):
        calls[0] += 1
        return float(np.sum(data) + rng.laplace(scale=0.02 if calls[0] < after else 1.0))

    return function


@pytest.mark.chance(1e-7, "one verdict on a true claim at this error")
def test_what_changed_before_runs_were_counted_is_not_consistent(monkeypatch):
    """The check saw the first calls, and all counted runs are of another law: what a process shows first is a leak."""
    options = {"epsilon": 1.0, "runs": 4000, "error": 1e-7}
    with pytest.raises(privcheck.PolicyError, match="from the same Generator state"):
        privcheck.audit(noise_that_grows(1000), **options)
    monkeypatch.setattr(checked_runs._Check, "again", lambda self: None)
    assert privcheck.audit(noise_that_grows(1000), **options).verdict == "consistent"


def test_a_leak_is_a_violation_although_its_runs_are_played_again(monkeypatch):
    played = []
    again = checked_runs._Check.again
    monkeypatch.setattr(checked_runs._Check, "again", lambda self: played.append(again(self)))
    leak = lambda data, rng: float(np.sum(data) + 0.1 * rng.laplace())  # noqa: E731
    assert privcheck.audit(leak, epsilon=1.0, runs=2000, horizon=2, pairs=4).verdict == "violation"
    assert played == [None]
