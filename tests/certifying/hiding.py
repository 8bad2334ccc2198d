"""Policies that catch what they should not, or fail after a leak: used like zoo.py."""

from privcheck.mechanisms import BinaryTree, Laplace


class Hider:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self.arm, self.t, self.total = 0, 0, 0.0

    def select(self):
        return self.arm

    def once(self):
        return Laplace(sensitivity=1.0, epsilon=self.epsilon)


class HidesTheLeak(Hider):
    """Catches whatever a raw comparison raises."""

    def update(self, action, reward):
        try:
            try:
                self.arm = (0, 1)[reward > 0.5]  # here: HidesTheLeak
            except Exception as error:
                raise RuntimeError("again") from error
        except Exception:
            self.arm = int(self.once().release(reward, self.rng) > 0.5)


class HidesTheRefusal(Hider):
    def update(self, action, reward):
        self.total += reward
        try:
            self.arm = int(self.once().release(self.total, self.rng) > 0.5)  # here: HidesTheRefusal
        except Exception:
            self.arm = 0


class FailsAfterTheLeak(Hider):
    """A leak in update leaves it half-built: the next select raises."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.plan = [0]

    def select(self):
        return self.plan[self.t]

    def update(self, action, reward):
        self.t += 1
        self.plan.append(int(reward > 0.5))  # here: FailsAfterTheLeak


class OverlongTree(Hider):
    """Feeds a tree more items than it was declared for."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, arms, epsilon)
        self.stream = BinaryTree(horizon=7, sensitivity=1.0, epsilon=epsilon).start(rng)

    def update(self, action, reward):
        self.arm = int(self.stream.add(reward) > 3.0)


class LogsRawRewards(Hider):
    """Steers by releases only, but writes the raw rewards down on the side."""

    def update(self, action, reward):
        self.arm = int(self.once().release(reward, self.rng) > 0.5)
        self.log = f"{reward}"  # here: LogsRawRewards


class LeaksTwice(Hider):
    """One leak in update, another in select."""

    def select(self):
        return int(self.total > 3.0) if self.t == 5 else 0  # here: LeaksTwice

    def update(self, action, reward):
        self.t += 1
        self.total += reward
        if self.t == 2:
            print(f"{reward:.1f}")  # noqa: T201 - and here
