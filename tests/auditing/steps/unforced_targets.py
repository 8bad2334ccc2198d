"""Targets that are exactly 1-DP for one entry in [0, 1] replaced, whose coins or hand-overs are hard to see.

Most release y = x + Laplace(1), and 10 [y > 1/2] + Laplace(1) after it; they differ in where the first noise comes from
and in what keeps y.
"""

# ruff: noqa: NPY002

import copy
import functools
import random
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy import stats


def noisy(value, rng):
    return value + rng.laplace()


def jumps(value, rng):
    return noisy(10.0 * (value > 0.5), rng)


def global_of_numpy(data, rng):
    first = float(data[0]) + np.random.laplace()
    return [first, jumps(first, rng)]


def signed(uniform):
    return np.log(2.0 * uniform) if uniform < 0.5 else -np.log(2.0 - 2.0 * uniform)


def global_of_python(data, rng):
    first = float(data[0]) + signed(random.random())
    return [first, jumps(first, rng)]


def raw_bits(data, rng):
    """Nothing sees what is drawn from the bits themselves."""
    first = float(data[0]) + signed(rng.bit_generator.random_raw() / 2.0**64)
    return [first, jumps(first, rng)]


def by_scipy(data, rng):
    first = float(data[0]) + stats.laplace.rvs()
    return [first, jumps(first, rng)]


def old_state(data, rng):
    legacy = np.random.RandomState(int(rng.integers(2**31)))
    first = float(data[0]) + legacy.laplace()
    return [first, jumps(first, rng)]


def state_of(rng):
    return np.random.RandomState(int(rng.integers(2**31)))


def old_state_of_a_helper(data, rng):
    first = float(data[0]) + state_of(rng).laplace()
    return [first, jumps(first, rng)]


def seed_of(rng):
    return int(rng.integers(2**31))


def seed_of_a_helper(data, rng):
    first = float(data[0]) + np.random.default_rng(seed_of(rng)).laplace()
    return [first, jumps(first, rng)]


class Seeded:
    def __init__(self, rng):
        self.seed = int(rng.integers(2**31))

    def first(self, value):
        return value + np.random.RandomState(self.seed).laplace()


def seed_in_an_attribute(data, rng):
    first = Seeded(rng).first(float(data[0]))
    return [first, jumps(first, rng)]


def own_child(data, rng):
    child = np.random.default_rng(rng.bit_generator.seed_seq.spawn(1)[0])
    first = float(data[0]) + child.laplace()
    return [first, jumps(first, rng)]


def same_bits(data, rng):
    plain = np.random.Generator(rng.bit_generator)
    first = float(data[0]) + plain.laplace()
    return [first, jumps(first, rng)]


def copied(data, rng):
    other = copy.deepcopy(rng)
    rng.random()
    first = float(data[0]) + other.laplace()
    return [first, jumps(first, rng)]


def from_the_system(data, rng):
    first = float(data[0]) + np.random.default_rng().laplace()
    return [first, jumps(first, rng)]


def in_a_thread(data, rng):
    kept = []
    thread = threading.Thread(target=lambda: kept.append(noisy(float(data[0]), rng)))
    thread.start()
    thread.join()
    return [kept[0], jumps(kept[0], rng)]


def in_a_pool(data, rng):
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(noisy, float(data[0]), rng).result()
    return [first, jumps(first, rng)]


STATE = {"shown": 0.0}


def keep_in_a_global(value, rng):
    STATE["shown"] = value + rng.laplace()


def through_a_global(data, rng):
    keep_in_a_global(float(data[0]), rng)
    return [STATE["shown"], jumps(STATE["shown"], rng)]


class Shared:
    shown = 0.0

    @classmethod
    def first(cls, value, rng):
        cls.shown = value + rng.laplace()


def through_a_class(data, rng):
    Shared.first(float(data[0]), rng)
    return [Shared.shown, jumps(Shared.shown, rng)]


@functools.cache
def memory():
    return []


def remember(value, rng):
    memory().append(value + rng.laplace())


def through_a_cache(data, rng):
    remember(float(data[0]), rng)
    return [memory()[-1], jumps(memory()[-1], rng)]


def lazily(data, rng):
    """On one neighbour a helper draws, on the other the target itself."""
    first = noisy(0.0, rng) if data[0] == 0.0 else float(data[0]) + rng.laplace()
    return [first, noisy(10.0 * (first > 0.5), rng)]


def noise(rng):
    return rng.laplace()


def with_noise(value, before, rng):
    return value + (before if value == 0.0 else rng.laplace())


def drawn_on_the_neighbour(data, rng):
    """A call takes noise that was drawn before on one neighbour, and draws on the other."""
    first = with_noise(float(data[0]), noise(rng), rng)
    return [first, jumps(first, rng)]


class Perturbed:
    """Objective perturbation, with the noise and the loss kept beside the minimiser."""

    def __init__(self, rng):
        self.rng = rng

    def fit(self, data):
        self.noise_ = self.rng.laplace(0.0, 1.0)
        self.coef_ = (data.sum() - self.noise_) / len(data)
        self.loss_ = float(np.square(data - self.coef_).sum())
        return self


def objective(data, rng):
    return Perturbed(rng).fit(data).coef_


class Loses:
    """Returns the loss of the step before it, which nobody sees."""

    def __init__(self, rng):
        self.rng, self.weight = rng, 0.0

    def step(self, data):
        loss = float(np.square(data - self.weight).sum())
        self.weight = float(data.sum()) + self.rng.laplace()
        return loss


def returns_a_loss(data, rng):
    model = Loses(rng)
    model.step(data)
    return model.weight


def both(value, rng):
    return value, value + rng.laplace()


def returned_beside_the_data(data, rng):
    return both(float(data[0]), rng)[1]


def noise_returned(value, rng):
    drawn = rng.laplace()
    return value + drawn, drawn


def returned_beside_its_noise(data, rng):
    return noise_returned(float(data[0]), rng)[0]


class Tree:
    """Keeps exact sums and the noise of each node."""

    def __init__(self, rng):
        self.rng, self.exact, self.noises = rng, 0.0, []

    def add(self, x):
        self.exact += x
        self.noises.append(self.rng.laplace())
        self.shown = self.exact + self.noises[-1]


def tree(data, rng):
    nodes = Tree(rng)
    nodes.add(float(data[0]))
    return nodes.shown


def tree_of_which_a_bit_is_shown(data, rng):
    nodes = Tree(rng)
    nodes.add(float(data[0]))
    return int(nodes.shown > 0.5)


class Above:
    """A sparse vector with a private count; its noise is a tenth of what is needed."""

    def __init__(self, rng):
        self.rng, self.count, self.is_done = rng, 0.0, False

    def ask(self, value):
        self.count += value
        self.is_done = bool(value + self.rng.laplace(0.0, 0.1) > 0.9)
        return self.is_done


def sparse(data, rng):
    return int(Above(rng).ask(float(data[0])))


WAITS = {"for": None}


def waiting(value, rng):
    while WAITS["for"] is None:
        pass
    return value, value + rng.laplace()


def waits_alone(data, rng):
    WAITS["for"] = 1
    try:
        return waiting(float(data[0]), rng)[1]
    finally:
        WAITS["for"] = None


class Own:
    """A Generator of its own for the noise, and the given one for a coin."""

    def __init__(self, rng):
        self.own, self.rng = np.random.default_rng(int(rng.integers(2**31))), rng

    def release(self, value):
        sign = 1.0 if self.rng.random() < 0.5 else -1.0
        return value + sign * abs(self.own.laplace())


def noise_of_another_generator(data, rng):
    return Own(rng).release(float(data[0]))


class OwnState(Own):
    def __init__(self, rng):
        self.own, self.rng = np.random.RandomState(int(rng.integers(2**31))), rng


def noise_of_an_old_state(data, rng):
    return OwnState(rng).release(float(data[0]))


def by_scipy_with_a_coin(value, rng, law=stats.laplace):
    sign = 1.0 if rng.random() < 0.5 else -1.0
    return value + sign * abs(law.rvs())


def noise_of_scipy(data, rng):
    return by_scipy_with_a_coin(float(data[0]), rng)


OF_OTHER_COINS = (
    global_of_numpy,
    global_of_python,
    raw_bits,
    by_scipy,
    old_state,
    old_state_of_a_helper,
    seed_of_a_helper,
    seed_in_an_attribute,
    own_child,
    same_bits,
    copied,
    from_the_system,
    in_a_thread,
    in_a_pool,
    through_a_global,
    through_a_class,
    through_a_cache,
    noise_of_another_generator,
    noise_of_an_old_state,
    noise_of_scipy,
)
"""Those whose first noise, or whose release, is not seen where it is handed on."""

PRIVATE_BESIDE = (
    objective,
    returns_a_loss,
    returned_beside_the_data,
    returned_beside_its_noise,
    tree,
)
"""Those whose call makes something private beside what it releases."""
