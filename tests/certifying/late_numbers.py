"""Policies that choose a number by a reward in the last round that runs, and keep it where a later round reads it."""

import collections
import dataclasses
import functools
import queue

import numpy as np

from privcheck.mechanisms import Laplace

ROUNDS = 6
ARM, TABLE = 0, {"arm": 0}


class Base:
    def __init__(self, rng):
        self.rng, self.t, self.total = rng, 0, 0.0
        self.start()

    def start(self):
        self.arm = 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.total += reward
        if self.t % 2 == 0:
            self.noisy = Laplace(sensitivity=1.0, epsilon=1.0).release(self.total, self.rng)
            self.total = 0.0
        if self.t >= ROUNDS:
            self.keep(1 if reward > 0.5 else 0)

    def keep(self, number):
        self.arm = number


class Attribute(Base):
    pass


class Counted(Base):
    def keep(self, number):
        self.arm = 1 - number


class Clipped(Base):
    def keep(self, number):
        self.arm = np.clip(2 * number, 0, 1)


class SecondAttribute(Base):
    def start(self):
        self.arm, self.next = 0, 0

    def select(self):
        self.arm = self.next
        return self.arm

    def keep(self, number):
        self.next = number


class Chain(Base):
    def start(self):
        self.arms = {"first": 0, "second": 0, "third": 0}

    def select(self):
        arms = self.arms
        arms["first"], arms["second"] = arms["second"], arms["third"]
        return arms["first"]

    def keep(self, number):
        self.arms["third"] = number


class InAList(Base):
    def start(self):
        self.arms = [0, 0]

    def select(self):
        return self.arms[1]

    def keep(self, number):
        self.arms[1] = number


class Appended(Base):
    def start(self):
        self.arms = [0]

    def select(self):
        return self.arms[-1]

    def keep(self, number):
        self.arms.append(number)


class Waiting(Base):
    def start(self):
        self.arms = [0] * 5

    def select(self):
        return self.arms.pop(0)

    def update(self, action, reward):
        super().update(action, reward)
        if self.t < ROUNDS:
            self.arms.append(0)

    def keep(self, number):
        self.arms.append(number)


class Summed(Base):
    def start(self):
        self.arms = []

    def select(self):
        return sum(self.arms) % 2

    def keep(self, number):
        self.arms.append(number)


class InADeque(Base):
    def start(self):
        self.arms = collections.deque([0, 0], maxlen=2)

    def select(self):
        return self.arms[0]

    def keep(self, number):
        self.arms.append(number)


class InADictionary(Base):
    def start(self):
        self.memory = {"arm": 0, "others": 1}

    def select(self):
        return self.memory["arm"]

    def keep(self, number):
        self.memory["arm"] = number


class NewKey(Base):
    def start(self):
        self.memory = {}

    def select(self):
        return self.memory.get("arm", 0)

    def keep(self, number):
        self.memory["arm"] = number


class InATuple(Base):
    def start(self):
        self.pair = (0, 1)

    def select(self):
        return self.pair[0]

    def keep(self, number):
        self.pair = (number, 1)


class InAnArray(Base):
    def start(self):
        self.arms = np.zeros(2)

    def select(self):
        return int(self.arms[1])

    def keep(self, number):
        self.arms[1] = number


class Global(Base):
    def select(self):
        return ARM

    def keep(self, number):
        global ARM
        ARM = number


class GlobalTable(Base):
    def select(self):
        return TABLE["arm"]

    def keep(self, number):
        TABLE["arm"] = number


class OfTheClass(Base):
    chosen = 0

    def select(self):
        return self.chosen

    def keep(self, number):
        type(self).chosen = number


class Helper:
    def __init__(self):
        self.choice = 0

    def best(self):
        return self.choice


class OfAHelper(Base):
    def start(self):
        self.helper = Helper()

    def select(self):
        return self.helper.best()

    def keep(self, number):
        self.helper.choice = number


class Slots:
    __slots__ = ("choice",)


class InASlot(Base):
    def start(self):
        self.helper = Slots()
        self.helper.choice = 0

    def select(self):
        return self.helper.choice

    def keep(self, number):
        self.helper.choice = number


@dataclasses.dataclass(frozen=True)
class Record:
    choice: int = 0


class InARecord(Base):
    def start(self):
        self.record = Record()

    def select(self):
        return self.record.choice

    def keep(self, number):
        self.record = Record(number)


class Default(Base):
    def select(self):
        return self.chosen()

    def chosen(self, memory=[0]):  # noqa: B006
        return memory[0]

    def keep(self, number):
        self.chosen.__func__.__defaults__[0][0] = number


class Closed(Base):
    def start(self):
        arm = 0

        def put(number):
            nonlocal arm
            arm = number

        self.put, self.get = put, lambda: arm

    def select(self):
        return self.get()

    def keep(self, number):
        self.put(number)


class FunctionAttribute(Base):
    def start(self):
        chosen.arm = 0

    def select(self):
        return chosen()

    def keep(self, number):
        chosen.arm = number


def chosen():
    return chosen.arm


class InAGenerator(Base):
    def start(self):
        self.arms = self.every()
        next(self.arms)

    def every(self):
        arm = 0
        while True:
            told = yield arm
            if told is not None:
                arm = told

    def select(self):
        return self.arms.send(None)

    def keep(self, number):
        self.arms.send(number)


class Compared(Base):
    def select(self):
        return 1 if self.arm > 0 else 0


class Converted(Base):
    def start(self):
        self.arm = 0.0

    def select(self):
        return int(self.arm)

    def keep(self, number):
        self.arm = float(number)


class Counts(Base):
    """A loop of which the number of turns is private."""

    def select(self):
        found = 0
        for _ in range(self.arm):
            found = 1
        return found


class Indexed(Base):
    def select(self):
        return [0, 1][self.arm]


class Twice(Base):
    """The number of one datum is compared; that of two cannot be."""

    def start(self):
        self.arm, self.sum, self.count, self.before = 0, 0.0, 0, 0.0

    def select(self):
        self.count = self.count + (1 if self.sum > 0.5 else 0)
        return 0

    def update(self, action, reward):
        super().update(action, reward)
        self.before = reward

    def keep(self, number):
        self.sum = number + self.before


class Later(Base):
    """Read four rounds after the horizon: the line has run, with a public number."""

    def start(self):
        self.arm, self.arms = 0, [0] * 16

    def select(self):
        return self.arms[self.t % 16]

    def keep(self, number):
        self.arms[(self.t + 12) % 16] = number


class OutOfReach(Base):
    """What keeps the numbers is not looked into, and gives them back one after the other, later than this is played."""

    def start(self):
        self.arms = queue.SimpleQueue()
        for _ in range(2 * ROUNDS + 2):
            self.arms.put(0)

    def select(self):
        return self.arms.get()

    def update(self, action, reward):
        super().update(action, reward)
        if self.t < ROUNDS:
            self.arms.put(0)

    def keep(self, number):
        self.arms.put(number)


class InACache(Base):
    def start(self):
        self.kept = functools.lru_cache(maxsize=None)(lambda key: self.latest)
        self.latest = 0
        for key in range(ROUNDS):
            self.kept(key)

    def select(self):
        return self.kept(min(self.t, 2 * ROUNDS + 2) % (ROUNDS + 1) if self.t > 2 * ROUNDS else self.t % ROUNDS)

    def keep(self, number):
        self.latest = number
        self.kept(ROUNDS)
        self.latest = 0


class Right:
    """Counts rewards above 1/2 and publishes the count of two rounds once; the last round is in the middle of two."""

    def __init__(self, rng):
        self.rng, self.t, self.arm = rng, 0, 0
        self.start()

    def start(self):
        self.count = 0.0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.keep(1 if reward > 0.5 else 0)
        if self.t % 2 == 0:
            self.arm = int(self.told() + self.rng.laplace(0, 1.0) > 1.0)
            self.start()

    def keep(self, number):
        self.count += number

    def told(self):
        return self.count


class RightList(Right):
    def start(self):
        self.kept = []

    def keep(self, number):
        self.kept.append(number)

    def told(self):
        return sum(self.kept)


class RightPair(Right):
    """A list with a public number of rounds and a private count, as some write it."""

    def start(self):
        self.pair = [0, 0.0]

    def keep(self, number):
        self.pair[0] += 1
        self.pair[1] += number

    def told(self):
        return self.pair[1] if self.pair[0] == 2 else 0.0


class RightDictionary(Right):
    def start(self):
        self.kept = {"rounds": 0, "count": 0.0}

    def keep(self, number):
        self.kept["rounds"] += 1
        self.kept["count"] += number

    def told(self):
        return self.kept["count"] if self.kept["rounds"] == 2 else 0.0


class RightRecord(Right):
    def start(self):
        self.record = Record(0)

    def keep(self, number):
        self.record = Record(self.record.choice + number)

    def told(self):
        return self.record.choice


class RightArray(Right):
    def start(self):
        self.table = np.zeros((2, 2))

    def keep(self, number):
        self.table[0, 0] += 1
        self.table[1, self.arm] += number

    def told(self):
        return self.table[1].sum() if self.table[0, 0] == 2 else 0.0


class RightLast(Right):
    """Keeps the last number, and adds it up one round later."""

    def start(self):
        self.count, self.last = 0.0, 0

    def keep(self, number):
        self.count, self.last = self.count + self.last, number

    def told(self):
        return self.count + self.last


class RightQueue(Right):
    def start(self):
        self.waiting = collections.deque()

    def keep(self, number):
        self.waiting.append(number)

    def told(self):
        return self.waiting.popleft() + self.waiting.popleft()


class RightHelper(Right):
    def start(self):
        self.helper = Helper()

    def keep(self, number):
        self.helper.choice += number

    def told(self):
        return self.helper.best()


class RightGenerator(Right):
    def start(self):
        self.sums = self.added()
        next(self.sums)

    def added(self):
        total = 0.0
        while True:
            total = total + (yield total)

    def keep(self, number):
        self.count = self.sums.send(number)

    def told(self):
        return self.count
