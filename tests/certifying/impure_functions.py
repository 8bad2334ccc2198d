"""Bandits whose `privcheck.feature` function tells what it was given by way of the process, in eight ways, and twins.

The feature is declared to lie in [0, 1]; four of them are added up and released with noise for a sensitivity of 1. Each
of the bandits plays by the raw reward, which its function left in a place that is no state of the policy's code.
"""

# ruff: noqa: T201  that these tell something is what they are for

import array
import asyncio
import contextvars
import fractions
import inspect
import logging
import sys
import threading
import warnings

import numpy as np

import privcheck
from privcheck.mechanisms import Laplace


class Telling:
    """Releases the sum of `scaled` rewards in blocks of four."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon, self.t = rng, arms, epsilon, 0
        self.total, self.released = 0.0, 0.0
        self.prepare()

    def prepare(self):
        pass

    def told(self):
        return 0

    def select(self):
        return self.told() if self.t >= self.arms else self.t

    def update(self, action, reward):
        self.t += 1
        self.total += privcheck.feature(self.scaled, reward, 0.0, 1.0)
        if self.t % 4 == 0:
            self.released = Laplace(sensitivity=1.0, epsilon=self.epsilon).release(self.total, self.rng)
            self.total = 0.0


class Warns(Telling):
    def prepare(self):
        globals().get("__warningregistry__", {}).clear()

    def scaled(self, r):
        if r > 0.5:
            warnings.warn("large", stacklevel=1)
        return r

    def told(self):
        return int(any("large" in str(key) for key in globals().get("__warningregistry__", {})))


class WarnsByAHelper(Warns):
    def scaled(self, r):
        return self.checked(r)

    def checked(self, r):
        tell = warnings.warn
        return r if r < 0.5 else tell("large", stacklevel=1) or r


class Prints(Telling):
    def scaled(self, r):
        print(r)
        return r


class WritesToOutput(Telling):
    def scaled(self, r):
        sys.stdout.write(f"{r}\n")
        return r


class WritesToErrors(Telling):
    def scaled(self, r):
        from sys import stderr

        stderr.write(f"{r}\n")
        return r


class Recording(logging.Handler):
    def emit(self, record):
        self.last = record.args[0]


LOG = logging.getLogger("privcheck.tests.telling")
LOG.propagate = False
LOG.setLevel(logging.INFO)


class LogsToAHandler(Telling):
    """The handler belongs to a logger, which is not looked into."""

    def prepare(self):
        LOG.handlers[:] = [Recording()]

    def scaled(self, r):
        LOG.info("%s", r)
        return r

    def told(self):
        return int(getattr(LOG.handlers[0], "last", 0.0) > 0.5)


class Logs(Telling):
    """What it logs goes nowhere."""

    def scaled(self, r):
        LOG.info("asked")
        return r


class ReadsFrames(Telling):
    def scaled(self, r):
        frame = sys._getframe()
        while frame is not None and "action" not in frame.f_locals:
            frame = frame.f_back
        if frame is not None:
            frame.f_locals["self"].t += 100 * (r > 0.5)
        return r


class Inspects(Telling):
    def scaled(self, r):
        for each in inspect.stack():
            if "action" in each.frame.f_locals:
                each.frame.f_locals["self"].t += 100 * (r > 0.5)
        return r


class ReadsTracebacks(Telling):
    def scaled(self, r):
        try:
            raise ValueError
        except ValueError as error:
            return float(len(error.__traceback__.tb_frame.f_back.f_locals))


class FramesOfGenerators(Telling):
    def scaled(self, r):
        def frames():
            yield running.gi_frame.f_back.f_back.f_locals.get("number", 0.0)

        running = frames()
        return next(running)


class UnraisableError(Telling):
    """An error that nobody can catch goes to a hook."""

    def prepare(self):
        self.heard = []
        sys.unraisablehook = self.heard.append

    def scaled(self, r):
        class Fails:
            def __del__(self):
                assert r < 0.5

        Fails()
        return r


class UnraisableInAGenerator(Telling):
    def scaled(self, r):
        def fails():
            try:
                yield
            finally:
                assert r < 0.5

        next(fails())
        return r


class StartsAThread(Telling):
    def scaled(self, r):
        thread = threading.Thread(target=self.keep, args=(r,))
        thread.start()
        return r

    def keep(self, r):
        self.last = r


class RunsALoop(Telling):
    def scaled(self, r):
        asyncio.run(self.keep(r))
        return r

    async def keep(self, r):
        asyncio.get_running_loop().last = r


class SizeOfASet(Telling):
    def prepare(self):
        self.seen = {1, 2}

    def scaled(self, r):
        if r > 0.5:
            self.seen.update(range(3, 1000))
            for entry in range(3, 1000):
                self.seen.discard(entry)
        return r

    def told(self):
        return int(sys.getsizeof(self.seen) > 1000)


class SizeOfADictionary(Telling):
    def prepare(self):
        self.seen = {1: 1}

    def scaled(self, r):
        if r > 0.5:
            self.seen.update(dict.fromkeys(range(3, 1000)))
            for key in range(3, 1000):
                del self.seen[key]
        return r

    def told(self):
        return int(sys.getsizeof(self.seen) > 1000)


class SizeOfAList(Telling):
    def prepare(self):
        self.seen = [1, 2]

    def scaled(self, r):
        if r > 0.5:
            self.seen.append(r)
            self.seen.pop()
        return r

    def told(self):
        return int(sys.getsizeof(self.seen) > 100)


class SizeOfAnObject(Telling):
    def scaled(self, r):
        if r > 0.5:
            for number in range(1000):
                self.__dict__[f"a{number}"] = r
            for number in range(1000):
                del self.__dict__[f"a{number}"]
        return r

    def told(self):
        return int(sys.getsizeof(self.__dict__) > 2000)


class SizeOfABuffer(Telling):
    def prepare(self):
        self.seen = array.array("d", [1.0, 2.0])

    def scaled(self, r):
        if r > 0.5:
            self.seen.extend(self.seen)
            del self.seen[2:]
        return r

    def told(self):
        return int(sys.getsizeof(self.seen) > 100)


class OrderOfASet(Telling):
    """A set that once was larger has its entries in another order."""

    def prepare(self):
        self.seen = {8, 1}

    def scaled(self, r):
        if r > 0.5:
            self.seen.update(range(100, 200))
            self.seen.difference_update(range(100, 200))
        return r

    def told(self):
        return int(next(iter(self.seen)) == 1)


class AsksForSizes(Telling):
    def scaled(self, r):
        return sys.getsizeof(self.__dict__) / 1e6


class AttributeOfNumpy(Telling):
    def scaled(self, r):
        np.median.told = r
        return r


class AttributeByAnotherName(Telling):
    def scaled(self, r):
        module = np.linalg
        if r > 0.5:
            module.told = r
        return r

    def told(self):
        return int(getattr(np.linalg, "told", 0.0) > 0.5)


class AttributeInADictionary(Telling):
    def scaled(self, r):
        function = np.linalg.norm
        if r > 0.5:
            function.__dict__["told"] = r
        return r

    def told(self):
        return int(np.linalg.norm.__dict__.get("told", 0.0) > 0.5)


class AttributeOfAClass(Telling):
    def prepare(self):
        self.half = fractions.Fraction(1, 2)

    def scaled(self, r):
        if r > 0.5:
            type(self.half).told = r
        return r

    def told(self):
        return int(getattr(fractions.Fraction, "told", 0.0) > 0.5)


SETTING = contextvars.ContextVar("SETTING", default=0.0)


class ContextVariable(Telling):
    def scaled(self, r):
        if r > 0.5:
            SETTING.set(r)
        return r

    def told(self):
        return int(SETTING.get() > 0.5)
