"""Releases that undeclared coins move on equal data, too: replays with equal coins do not show what they cost."""

import numpy as np
import pytest

import privcheck


def explored(target, **options):
    given = {"epsilon": 1.0, "runs": 2, "horizon": 3, "primitives": ["numpy"]}
    return privcheck.certify(target, **given | ({"arms": 2} if isinstance(target, type) else {}) | options)


class Answers:
    """Local privacy: each reward becomes a randomised answer, by coins that are not declared."""

    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.keep = rng, np.exp(epsilon) / (1.0 + np.exp(epsilon))
        self.sums, self.pulls = np.zeros(arms), np.ones(arms)

    def answer(self, reward):
        bit = self.rng.random() < reward
        return float(bit if self.rng.random() < self.keep else not bit)

    def select(self):
        return int(np.argmax(self.sums + self.rng.normal(0.0, 1e-6, size=len(self.sums))))

    def update(self, action, reward):
        self.sums[action] += self.answer(reward)
        self.pulls[action] += 1.0


class Thompson(Answers):
    """What is sampled from are answers alone."""

    def select(self):
        return int(np.argmax(self.rng.normal(self.sums / self.pulls, 1.0 / np.sqrt(self.pulls))))


class Quantiles(Answers):
    """Laplace noise by the inverse of its distribution function."""

    def answer(self, reward):
        uniform = self.rng.random() - 0.5
        return reward - np.sign(uniform) * np.log(1.0 - 2.0 * abs(uniform))


class Beside(Answers):
    """A broken twin: it also publishes what it was paid, with half the noise."""

    def update(self, action, reward):
        super().update(action, reward)
        self.published = float(reward + self.rng.laplace(0.0, 0.5))


class Exploring(Answers):
    """A broken twin: its coins choose actions, and protect nothing."""

    def select(self):
        return int(self.rng.integers(2)) if self.rng.random() < 0.5 else super().select()

    def answer(self, reward):
        return float(reward + self.rng.laplace(0.0, 0.5))


class Coins(Answers):
    """A broken twin: coins move the answers by too little to protect them."""

    def answer(self, reward):
        return reward + 0.001 * self.rng.random()

    def select(self):
        return int(np.argmax(self.sums + self.rng.laplace(0.0, 1.0, size=len(self.sums))))


class Published(Answers):
    """Arms are chosen by answers for half of the budget; every reward is published for the other half."""

    scale = 2.0

    def __init__(self, rng, arms=2):
        super().__init__(rng, arms, 0.5)

    def answer(self, reward):
        return super().answer(reward) - 0.5

    def select(self):
        return int(np.argmax(self.sums))

    def update(self, action, reward):
        super().update(action, reward)
        self.published = float(reward + self.rng.laplace(0.0, self.scale))


class PublishedLoudly(Published):
    """The broken twin: with a quarter of the noise."""

    scale = 0.5


@pytest.mark.parametrize(("bandit", "loss"), [(Published, 0.5), (PublishedLoudly, 2.0)])
def test_nothing_is_charged_after_coins_led_to_another_action(bandit, loss):
    """The two runs then receive other rewards, of rounds that do not differ."""
    found = explored(bandit, horizon=6)
    assert any("Generator.random" in why for why in found.undeclared)
    assert found.ledger_epsilon == pytest.approx(loss)
    assert bool(found.refusals) == (loss > 1.0)
    assert found.is_inconclusive == (loss <= 1.0)


@pytest.mark.parametrize("bandit", [Answers, Thompson, Quantiles])
def test_what_coins_may_protect_is_no_finding(bandit):
    """Ties, and Thompson sampling, of answers that are private before any of this noise."""
    found = explored(bandit)
    assert found.is_inconclusive, found
    assert found.refusals == []
    assert any("Generator.random" in why for why in found.undeclared)
    assert any("not charged" in note for note in found.notes)


def test_a_release_beside_them_is_refused_at_its_line():
    found = explored(Beside)
    assert not found.is_inconclusive
    (refusal,) = found.refusals
    line = Beside.update.__code__.co_firstlineno + 2
    assert f"test_moved_by_coins.py:{line}" in refusal
    assert "2" in refusal


@pytest.mark.parametrize("bandit", [Exploring, Coins])
def test_coins_that_protect_nothing_take_nothing_back(bandit):
    found = explored(bandit)
    assert found.refusals
    assert not found.is_inconclusive
    assert found.undeclared == []


class Batches:
    """Arms are chosen by answers; sums of what was paid are released every second round, and forgotten."""

    forgets = True

    def __init__(self, rng, arms=2):
        self.rng, self.round, self.sum, self.answers = rng, 0, np.zeros(2), np.zeros(arms)

    def choice(self):
        return int(np.argmax(self.answers))

    def learn(self, action, reward, value):
        uniform = self.rng.random() - 0.5
        self.answers[action] += reward - np.sign(uniform) * np.log(1.0 - 2.0 * abs(uniform))
        self.sum = self.sum + value
        self.round += 1
        if self.round % 2 == 0:
            self.published = [float(one) for one in self.sum + self.rng.normal(0.0, 2.0, 2)]
            self.sum = self.sum * (not self.forgets)


class Semi(Batches):
    """Plays a set of one arm."""

    def select(self):
        return (self.choice(),)

    def update(self, action, reward):
        self.learn(action[0], reward[0], np.eye(2)[0] * reward[0])


class Contextual(Batches):
    """Is shown contexts, which its choice does not depend on."""

    def select(self, context):
        return self.choice()

    def update(self, context, action, reward):
        self.learn(action, reward, reward * context)


OF_CONTEXTS = {"neighbours": "context-reward", "contexts": privcheck.Contexts(shape=(2,), norm=1.0)}


@pytest.mark.parametrize(
    ("bandit", "most", "options"),
    [(Semi, 0.125, {"feedback": "semi-bandit"}), (Contextual, 0.5, {"feedback": "contextual"} | OF_CONTEXTS)],
)
def test_what_is_forgotten_is_charged_once_after_other_actions_too(bandit, most, options):
    """One datum moves the sum by 1, or by 2: a further release would be of rounds that do not differ."""
    given = {"epsilon": None, "rho": 2.0, "horizon": 8, "runs": 3} | options
    found = explored(bandit, **given)
    assert any("Generator.random" in why for why in found.undeclared)
    assert 0.05 < found.ledger_rho <= most + 1e-9
    assert not found.has_findings, found

    class Keeps(bandit):
        forgets = False

    assert explored(Keeps, **given).ledger_rho > found.ledger_rho
