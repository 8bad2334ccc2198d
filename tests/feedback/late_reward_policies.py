"""Policies whose rewards come two rounds late: a private one, and broken twins."""

from __future__ import annotations

from privcheck.mechanisms import Laplace


class Noisy:
    """Private: moves by each reward, released once, when it arrives."""

    delay = 2
    spends = 1.0

    def __init__(self, rng, epsilon=1.0):
        self.rng, self.next = rng, 0
        self.noise = Laplace(sensitivity=1.0, epsilon=self.spends * epsilon)

    def select(self):
        return self.next

    def update(self, t, reward):
        self.next = self.moved(reward)

    def moved(self, reward):
        return int(self.noise.release(reward, self.rng) > 0.5)


class Raw(Noisy):
    """Broken twin: moves by the reward itself."""

    def moved(self, reward):
        return int(reward > 0.5)


class Overspends(Noisy):
    """Broken twin: a quarter of the noise."""

    spends = 4.0


class ReleasesAgain(Noisy):
    """Broken twin: while later rewards are awaited, it releases each one again with fresh noise."""

    def __init__(self, rng, epsilon=1.0):
        super().__init__(rng, epsilon)
        self.kept = 0.0

    def moved(self, reward):
        self.kept = self.kept + reward
        return int(self.noise.release(self.kept, self.rng) > 0.5)


class PlaysByALaterReward(Noisy):
    """Broken twin: from round 9 on it plays by the reward before, as it is."""

    delay, kept = 0, 0

    def update(self, t, reward):
        self.next = [self.moved(reward), self.kept][t // 9]
        self.kept = 1 if reward > 0.5 else 0


class PlaysByALaterRewardThatComesLate(PlaysByALaterReward):
    """Broken twin: the same, two rounds late."""

    delay = (2, 2, 1)


class PlaysByARewardDueLater(PlaysByALaterReward):
    """Broken twin: plays by the reward of round 6 when that of round 7 comes, which is in round 9."""

    delay = 2

    def update(self, t, reward):
        self.next = [self.moved(reward), self.kept][t == 7]
        self.kept = 1 if reward > 0.5 else 0


class PlaysByNoLaterReward(PlaysByALaterReward):
    """Private: what it keeps is the noisy arm."""

    def update(self, t, reward):
        noisy = self.moved(reward)
        self.next, self.kept = [noisy, self.kept][t // 9], noisy


class PlaysNoArmInRoundThree(Noisy):
    """Plays arm 7 in its third round."""

    chosen = 0

    def select(self):
        self.chosen += 1
        return 7 if self.chosen == 3 else 0


class FailsInRoundThree(PlaysNoArmInRoundThree):
    """Raises an error when it is asked for the third time."""

    def select(self):
        assert super().select() == 0, "no arm"
        return 0
