"""Contextual policies whose `select` keeps the context beyond its end, each in another way: not to be guarded."""

from __future__ import annotations

import atexit
import contextlib
import csv
import gc
import locale
import os
import signal
import sys
import threading
import tracemalloc
import weakref
from collections.abc import Sized

import numpy as np

from privcheck.errors import PolicyError

KEPT = {}
FILE = "kept.txt"


class Keeper:
    """Plays arm 1 once it has kept a context above 0.5; its `keep` is what differs."""

    def __init__(self, rng, arms):
        self.arms, self.rounds = arms, 0

    def select(self, context):
        if KEPT.get("x", 0.0) > 0.5:
            return 1
        self.keep(float(context[0]))
        return 0

    def update(self, context, action, reward):
        self.rounds += 1


def suspended(generator):
    """Leave a generator in a circle, which is given up later."""
    next(generator)
    circle = [generator]
    circle.append(circle)


class Finally(Keeper):
    def keep(self, x):
        def ends():
            try:
                yield 1
            finally:
                KEPT["x"] = x

        suspended(ends())


class With(Keeper):
    def keep(self, x):
        def ends():
            with contextlib.closing(Closed(x)):
                yield 1

        suspended(ends())


class Closed:
    """An iterator that is closed with the generator that hands over to it."""

    def __init__(self, x):
        self.x = x

    def __iter__(self):
        return self

    def __next__(self):
        return 1

    def close(self):
        KEPT["x"] = self.x


class YieldFrom(Keeper):
    def keep(self, x):
        def ends():
            yield from Closed(x)

        suspended(ends())


class Once:
    def __await__(self):
        yield 1


class Coroutine(Keeper):
    def keep(self, x):
        async def ends():
            await Once()
            KEPT["x"] = x

        task = ends()
        task.send(None)
        circle = [task]
        circle.append(circle)


class MadeDestructor(Keeper):
    def keep(self, x):
        circle = type("Gone", (), {"__del__": lambda gone: KEPT.update(x=x)})()
        circle.circle = circle


class InnerDestructor(Keeper):
    def keep(self, x):
        class Gone:
            def __del__(self):
                KEPT["x"] = x

        circle = Gone()
        circle.circle = circle


class Plain:
    """Nothing but attributes."""


class WeakReference(Keeper):
    def keep(self, x):
        gone, other = Plain(), Plain()
        gone.circle, other.circle = gone, other
        other.weak = weakref.ref(gone, lambda _: KEPT.update(x=x))


class Timer(Keeper):
    def keep(self, x):
        threading.Timer(0.01, KEPT.__setitem__, ("x", x)).start()


class Signal(Keeper):
    def keep(self, x):
        signal.signal(signal.SIGALRM, lambda *_: KEPT.update(x=x))
        signal.setitimer(signal.ITIMER_REAL, 0.01)


class Profiler(Keeper):
    def keep(self, x):
        sys.setprofile(lambda *_: KEPT.update(x=x))


class OfTheCollector(Keeper):
    def keep(self, x):
        gc.callbacks.append(lambda *_: KEPT.update(x=x))


class AtTheEnd(Keeper):
    def keep(self, x):
        atexit.register(KEPT.__setitem__, "x", x)


class File(Keeper):
    def keep(self, x):
        with open(FILE, "a") as file:  # noqa: PTH123
            file.write(f"{x}\n")


class Shows(Keeper):
    def keep(self, x):
        print(x)  # noqa: T201


class Removes(Keeper):
    def keep(self, x):
        if x > 0.5:
            os.remove(FILE)  # noqa: PTH107


class OfMemory(Keeper):
    def keep(self, x):
        if x > 0.5:
            tracemalloc.start()


class OfCallers(Keeper):
    """Leaves it in the variables of whoever calls the guard."""

    def keep(self, x):
        frame = sys._getframe()
        while frame.f_back is not None:
            frame = frame.f_back
        frame.f_globals["x"] = x


class OfClasses(Keeper):
    """Makes a class, which its base knows of until garbage is collected."""

    def keep(self, x):
        type("Seen", (Keeper,), {"x": x})
        KEPT["x"] = max(getattr(cls, "x", 0.0) for cls in Keeper.__subclasses__())


class Registers(Keeper):
    """Tells an abstract class of Python of its own, which is not undone."""

    def keep(self, x):
        if x > 0.5:
            Sized.register(Keeper)


class OfTheLocale(Keeper):
    def keep(self, x):
        if x > 0.5:
            locale.setlocale(locale.LC_NUMERIC, "C.UTF-8")


class OfDialects(Keeper):
    def keep(self, x):
        csv.field_size_limit(int(1000.0 * x))


class OfProcessors(Keeper):
    def keep(self, x):
        if x > 0.5:
            os.sched_setaffinity(0, {0})


LOCK = threading.Lock()


class Locks(Keeper):
    """Takes a lock and does not give it back."""

    def keep(self, x):
        if x > 0.5:
            LOCK.acquire(blocking=False)


class OfItsClass(Keeper):
    lock = threading.Lock()

    def keep(self, x):
        if x > 0.5:
            self.lock.__enter__()


REFUSED = [
    Finally, With, YieldFrom, Coroutine, MadeDestructor, InnerDestructor, WeakReference, Timer, Signal, Profiler,
    OfTheCollector, AtTheEnd, File, Shows, Removes, OfMemory, OfCallers, OfClasses,
    Locks, OfItsClass, OfTheLocale, OfDialects, *([OfProcessors] if hasattr(os, "sched_setaffinity") else []),
]  # fmt: skip


class Counted(Keeper):
    """Plays what is counted outside of the policy, in what `select` may change."""

    def select(self, context):
        found = min(self.count(), 1)
        if context[0] > 0.5:
            self.spawn()
        return found


class OfSeeds(Counted):
    seeds = np.random.SeedSequence(7)

    def count(self):
        return self.seeds.n_children_spawned

    def spawn(self):
        self.seeds.spawn(3)


class OfGenerators(OfSeeds):
    coins = np.random.default_rng(seeds := np.random.SeedSequence(7))

    def spawn(self):
        self.coins.spawn(3)


class OfBits(Counted):
    bits = np.random.PCG64(7)

    def count(self):
        return self.bits.spawn(1)[0].seed_seq.spawn_key[-1]

    def spawn(self):
        self.bits.spawn(3)


COUNTED = [OfSeeds, OfGenerators, OfBits]


class Told(Exception):
    """Keeps what it holds when it is shown."""

    def __str__(self):
        KEPT["x"] = self.x
        return "no arm"


class Shown:
    """Keeps what it holds when a debugger or an error shows it."""

    def __init__(self, x):
        self.x = x

    def __repr__(self):
        KEPT["x"] = self.x
        return "shown"


class Text(str):
    __slots__ = ("x",)

    def __format__(self, how):
        KEPT["x"] = self.x
        return "text"

    def isprintable(self):
        KEPT["x"] = self.x
        return True


class OfOurs(PolicyError):
    def __str__(self):
        KEPT["x"] = self.x
        return "ours"


class RaisesItsOwn(Keeper):
    def keep(self, x):
        error = Told()
        error.x = x
        raise error


class RaisesFromItsOwn(Keeper):
    def keep(self, x):
        error = Told()
        error.x = x
        raise ValueError("no arm") from error


class RaisesWithItsOwn(Keeper):
    def keep(self, x):
        raise ValueError(Shown(x))


class HoldsItsOwn(Keeper):
    def keep(self, x):
        held = Shown(x)
        raise ValueError(type(held))


class RaisesOurs(Keeper):
    def keep(self, x):
        error, text = PolicyError("a", "b", "c", "d"), Text("a")
        text.x = x
        error.parameter = error.value = error.expected = error.hint = text
        raise error


class RaisesAnotherOfOurs(Keeper):
    def keep(self, x):
        error = OfOurs("a", "b", "c")
        error.x = x
        raise error


class Leaves(Keeper):
    def keep(self, x):
        raise SystemExit(Shown(x))


RAISING = [
    RaisesItsOwn, RaisesFromItsOwn, RaisesWithItsOwn, HoldsItsOwn, RaisesOurs, RaisesAnotherOfOurs, Leaves,
]  # fmt: skip
