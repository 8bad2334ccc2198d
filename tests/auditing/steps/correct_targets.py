"""Targets that are exactly 1-DP for one entry in [0, 1] replaced: what one step hands to another has been released.

Each hands it on in another way, and none of them is by the second step less private than by the first.
"""

import contextlib
import functools
import threading

import numpy as np


def noisy(value, rng):
    return value + rng.laplace()


def jumps(value, rng):
    """The step that moves by 10 with what was released before."""
    return noisy(10.0 * (value > 0.5), rng)


class Keeper:
    """Keeps a private total beside the one that is shown."""

    def __init__(self, rng):
        self.rng, self.total, self.shown = rng, 0.0, 0.0

    def absorb(self, x):
        self.total += x
        self.shown = self.total + self.rng.laplace()


def private_state(data, rng):
    keeper = Keeper(rng)
    keeper.absorb(float(data[0]))
    return keeper.shown


class Threshold:
    def __init__(self, rng):
        self.rng, self.fired = rng, False

    def ask(self, value):
        if value + self.rng.laplace() > 0.5:
            self.fired = True


def changed_on_one_neighbour(data, rng):
    threshold = Threshold(rng)
    threshold.ask(float(data[0]))
    return jumps(threshold.fired, rng)


class Locked:
    def __init__(self, rng):
        self.rng, self.kept, self.lock = rng, 0.0, threading.Lock()

    def first(self, value):
        with self.lock:
            self.kept = value + self.rng.laplace()


def with_a_lock(data, rng):
    locked = Locked(rng)
    locked.first(float(data[0]))
    return [locked.kept, jumps(locked.kept, rng)]


class Optimiser:
    def __init__(self, parameters, rng):
        self.parameters, self.rng = parameters, rng

    def step(self, gradient):
        self.parameters[0] += gradient + self.rng.laplace(size=1)


def shared_array(data, rng):
    weights = np.zeros(1)
    Optimiser([weights], rng).step(float(data[0]))
    return [float(weights[0]), jumps(weights[0], rng)]


def step_all(parameters, gradient, rng):
    for each in parameters:
        each += gradient + rng.laplace(size=1)


def list_of_arrays(data, rng):
    weights = np.zeros(1)
    step_all([weights], float(data[0]), rng)
    return [float(weights[0]), jumps(weights[0], rng)]


class FoundError(Exception):
    pass


class Raises:
    def __init__(self, rng):
        self.rng, self.kept = rng, 0.0

    def first(self, value):
        self.kept = value + self.rng.laplace()
        raise FoundError


def raising(data, rng):
    raises = Raises(rng)
    with contextlib.suppress(FoundError):
        raises.first(float(data[0]))
    return [raises.kept, jumps(raises.kept, rng)]


class Log:
    def __init__(self):
        self.last = 0.0

    def add(self, value):
        self.last = value


def emitting(value, rng, emit):
    emit(value + rng.laplace())


def bound_method(data, rng):
    log = Log()
    emitting(float(data[0]), rng, log.add)
    return [log.last, jumps(log.last, rng)]


def method_of_a_list(data, rng):
    out = []
    emitting(float(data[0]), rng, out.append)
    return [out[0], jumps(out[0], rng)]


def closure(data, rng):
    out = []
    emitting(float(data[0]), rng, lambda value: out.append(value))
    return [out[0], jumps(out[0], rng)]


def captured_number(data, rng):
    last = 0.0

    def emit(value):
        nonlocal last
        last = value

    emitting(float(data[0]), rng, emit)
    return [last, jumps(last, rng)]


class Shown(list):
    last = 0.0


def into(shown, value, rng):
    shown.last = value + rng.laplace()


def subclass_of_list(data, rng):
    shown = Shown()
    into(shown, float(data[0]), rng)
    return [shown.last, jumps(shown.last, rng)]


class Slots:
    __slots__ = ("__dict__", "last")


def slots(data, rng):
    shown = Slots()
    shown.last = 0.0
    into(shown, float(data[0]), rng)
    return [shown.last, jumps(shown.last, rng)]


class Store:
    def __init__(self, data):
        self.raw, self.shown = data.copy(), 0.0


class Mixes:
    """Keeps data beside what is released, in one attribute."""

    def __init__(self, data, rng):
        self.rng, self.store = rng, Store(data)

    def first(self):
        self.store.shown = float(self.store.raw[0]) + self.rng.laplace()

    def both(self):
        """Return the data beside what is released."""
        return self.store.raw.copy(), float(self.store.raw[0]) + self.rng.laplace()

    def counted(self):
        """Keep a private total, which never leaves, beside what is released."""
        self.store.total = float(self.store.raw.sum())
        self.store.shown = self.store.total + self.rng.laplace()


def data_beside_a_release(data, rng):
    mixes = Mixes(data, rng)
    mixes.first()
    return [mixes.store.shown, noisy(10.0 * float(np.abs(mixes.store.raw - data).sum()), rng)]  # of 0 in every run


def data_returned_with_a_release(data, rng):
    raw, shown = Mixes(data, rng).both()
    return [shown, noisy(10.0 * float(np.abs(raw - data).sum()), rng)]


def total_beside_a_release(data, rng):
    mixes = Mixes(data, rng)
    mixes.counted()
    return [mixes.store.shown, noisy(10.0 * float(mixes.store.total - data.sum()), rng)]


def appended(history, value, rng):
    history.append((value, value + rng.laplace()))


def data_in_a_history(data, rng):
    history = []
    appended(history, float(data[0]), rng)
    raw, shown = history[0]
    return [shown, noisy(10.0 * abs(raw - float(data[0])), rng)]


def replaced_attribute(data, rng):
    """The array of the caller stays as it is, and another takes its place in the optimiser."""
    optimiser = Rebinding(np.zeros(1), rng)
    optimiser.step(float(data[0]))
    return [float(optimiser.weights[0]), jumps(optimiser.weights[0], rng)]


class Rebinding:
    def __init__(self, weights, rng):
        self.weights, self.rng = weights, rng

    def step(self, gradient):
        self.weights = self.weights + gradient + self.rng.laplace(size=1)


def noised(function):
    @functools.wraps(function)
    def call(*args, rng):
        return function(*args) + rng.laplace(0.0, 2.0)

    return call


@noised
def total(data=(0.0,)):
    return float(np.sum(data))


def decorated(data, rng):
    return total(data, rng=rng)


FIRST_STEPS = {
    private_state: "absorb",
    changed_on_one_neighbour: "ask",
    with_a_lock: "first",
    shared_array: "step",
    list_of_arrays: "step_all",
    raising: "first",
    bound_method: "emitting",
    method_of_a_list: "emitting",
    closure: "emitting",
    captured_number: "emitting",
    subclass_of_list: "into",
    slots: "into",
    data_beside_a_release: "first",
    data_returned_with_a_release: "both",
    total_beside_a_release: "counted",
    data_in_a_history: "appended",
    replaced_attribute: "step",
}
"""The only step of each; whatever else moves, moves with what was released."""

UNFORCED = (with_a_lock, raising, subclass_of_list, data_returned_with_a_release, total_beside_a_release)
"""Those whose first step cannot be left as in another run; after it nothing is played."""
