"""Private bandits in the manner of nine public repositories: what their classes keep, and how, made private by a reader.

No line is theirs. The name of the repository stands above its programs. Neighbours differ in one reward in [0, 1]. The
comment below each class is its privacy argument; b is a noise scale.
"""

# ruff: noqa: N802, UP004, UP006, UP008, UP035, UP045, UP032, SIM118, C420, E501  as people write it

import logging
import math
from collections import defaultdict
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Dict, List, Optional

import numpy as np

LOGGER = logging.getLogger(__name__)

# SMPyBandits/SMPyBandits


class MPPolicy(object):
    def __init__(self, nbArms, lower=0.0, amplitude=1.0):
        assert nbArms > 0, "Error: the 'nbArms' parameter of a {} object cannot be <= 0.".format(self)
        self.nbArms = nbArms
        self.lower = lower
        self.amplitude = amplitude
        self.t = 0
        self.pulls = np.zeros(nbArms, dtype=int)
        self.rewards = np.zeros(nbArms)

    def getReward(self, arm, reward):
        self.t += 1
        self.pulls[arm] += 1
        reward = (reward - self.lower) / self.amplitude
        self.rewards[arm] += reward


class PhasedUCB(MPPolicy):
    # After two pulls of an arm its sum is published once and set to 0: b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        super(PhasedUCB, self).__init__(arms)
        self.rng, self.epsilon = rng, epsilon
        self.index = np.full(arms, np.inf)

    def computeIndex(self, arm):
        mean = (self.rewards[arm] + self.rng.laplace(0.0, 1.0 / self.epsilon)) / self.pulls[arm]
        return mean + math.sqrt(2 * math.log(self.t) / self.pulls[arm])

    def select(self):
        return int(np.argmax(self.index))

    def update(self, action, reward):
        self.getReward(action, reward)
        if self.pulls[action] == 2:
            self.index[action] = self.computeIndex(action)
            self.pulls[action], self.rewards[action] = 0, 0.0


class SlidingWindowUCB(MPPolicy):
    # A reward leaves the window of four steps after it was in one published sum: the window is emptied: b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0, tau=4):
        super(SlidingWindowUCB, self).__init__(arms)
        self.rng, self.epsilon, self.tau = rng, epsilon, int(tau)
        self.last_rewards = np.zeros(tau)
        self.last_choices = np.full(tau, -1)
        self.index = np.zeros(arms)

    def getReward(self, arm, reward):
        now = self.t % self.tau
        reward = (reward - self.lower) / self.amplitude
        self.last_choices[now] = arm
        self.last_rewards[now] = reward
        self.t += 1

    def select(self):
        return self.t % self.nbArms if self.t < self.tau else int(np.argmax(self.index))

    def update(self, action, reward):
        self.getReward(action, reward)
        if self.t % self.tau == 0:
            for arm in range(self.nbArms):
                pulls = np.count_nonzero(self.last_choices == arm)
                noisy = np.sum(self.last_rewards[self.last_choices == arm]) + self.rng.laplace(0.0, 1.0 / self.epsilon)
                self.index[arm] = noisy / max(pulls, 1)


class LocalExp3(MPPolicy):
    # Each reward is noised once, by itself, before anything else: b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0, gamma=0.1):
        super(LocalExp3, self).__init__(arms)
        self.rng, self.epsilon, self._gamma = rng, epsilon, gamma
        self.weights = np.full(arms, 1.0 / arms)

    @property
    def gamma(self):
        return self._gamma

    @property
    def trusts(self):
        trusts = ((1 - self.gamma) * self.weights) + (self.gamma / self.nbArms)
        if not np.all(np.isfinite(trusts)):
            trusts[~np.isfinite(trusts)] = 0
        return trusts / np.sum(trusts)

    def select(self):
        return int(self.rng.choice(self.nbArms, p=self.trusts))

    def update(self, action, reward):
        reward = reward + self.rng.laplace(0.0, 1.0 / self.epsilon)
        super(LocalExp3, self).getReward(action, reward)
        reward = np.clip(reward, 0, 1) / self.trusts[action]
        self.weights[action] *= np.exp(reward * (self.gamma / self.nbArms))
        self.weights /= np.sum(self.weights)


# fidelity/mabwiser


class BaseMAB:
    def __init__(self, rng, arms: List[int]):
        self.rng = rng
        self.arms = arms
        self.arm_to_expectation: Dict[int, float] = dict.fromkeys(self.arms, 0.0)

    def _parallel_fit(self, decisions: np.ndarray, rewards):
        for arm in self.arms:
            self._fit_arm(arm, decisions, rewards)


class WiserUCB(BaseMAB):
    # Four rewards are fitted together and forgotten; an arm's sum is published once: b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0, alpha: Optional[float] = 0.05):
        super().__init__(rng, list(range(arms)))
        self.alpha, self.epsilon = alpha, epsilon
        self.total_count = 0
        self.arm_to_count = dict.fromkeys(self.arms, 0)
        self.decisions, self.rewards = [], []

    def select(self):
        return max(self.arms, key=self.arm_to_expectation.get) if self.total_count else len(self.decisions) % 2

    def update(self, action, reward):
        self.decisions.append(action)
        self.rewards.append(reward)
        if len(self.decisions) == 4:
            self.total_count += len(self.decisions)
            self._parallel_fit(np.asarray(self.decisions), np.asarray(self.rewards))
            self.decisions, self.rewards = [], []

    def _fit_arm(self, arm: int, decisions: np.ndarray, rewards):
        arm_rewards = rewards[decisions == arm]
        if arm_rewards.size:
            self.arm_to_count[arm] += arm_rewards.size
            arm_sum = arm_rewards.sum() + self.rng.laplace(scale=1 / self.epsilon)
            self.arm_to_expectation[arm] = self._get_ucb(
                arm_sum / arm_rewards.size, self.alpha, self.total_count, self.arm_to_count[arm]
            )

    @staticmethod
    def _get_ucb(arm_mean, alpha, total_count, arm_count):
        return arm_mean + alpha * math.sqrt((2 * math.log(total_count)) / arm_count)


class WiserGreedy(BaseMAB):
    # The mean of an arm's three rewards is published once: b = 1 / (3 epsilon).
    def __init__(self, rng, arms=2, epsilon=1.0):
        super().__init__(rng, [*range(arms)])
        self.epsilon = epsilon
        self.arm_to_sum = {arm: 0 for arm in self.arms}
        self.arm_to_count = {arm: 0 for arm in self.arms}

    def select(self):
        best = max(self.arm_to_expectation.values())
        return next(arm for arm, value in self.arm_to_expectation.items() if value == best)

    def update(self, action, reward):
        self.arm_to_sum[action] += reward
        self.arm_to_count[action] += 1
        if self.arm_to_count[action] % 3 == 0:
            mean = self.arm_to_sum[action] / 3
            self.arm_to_expectation[action] = mean + self.rng.laplace(0, 1 / (3 * self.epsilon))
            self.arm_to_sum[action] = 0


# bgalbraith/bandits


class EpsilonGreedyChoice(object):
    def __init__(self, epsilon):
        self.epsilon = epsilon

    def choose(self, agent):
        if agent.rng.random() < self.epsilon:
            return int(agent.rng.choice(len(agent.published)))
        action = np.argmax(agent.published)
        check = np.where(agent.published == agent.published[action])[0]
        return int(check[0] if len(check) == 1 else agent.rng.choice(check))


class IncrementalAgent(object):
    # The running mean of four rewards gives each the weight 1/4, and is published once: b = 1 / (4 epsilon).
    def __init__(self, rng, arms=2, epsilon=1.0, prior=0):
        self.rng, self.epsilon = rng, epsilon
        self.policy = EpsilonGreedyChoice(0.1)
        self.value_estimates = prior * np.ones(arms)
        self.action_attempts = np.zeros(arms)
        self.published = prior * np.ones(arms)
        self.last_action = None

    def select(self):
        action = self.policy.choose(self)
        self.last_action = action
        return action

    def update(self, action, reward):
        self.action_attempts[self.last_action] += 1
        n = self.action_attempts[self.last_action]
        q = self.value_estimates[self.last_action]
        self.value_estimates[self.last_action] += (1 / n) * (reward - q)
        if n == 4:
            noise = self.rng.laplace(0, 1 / (4 * self.epsilon))
            self.published[action] = self.value_estimates[action] + noise
            self.value_estimates[action] = 0
            self.action_attempts[action] = 0


class GradientAgent(object):
    # The reward is noised once when it is observed; preferences and baseline are computed from that: b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0, alpha=0.1):
        self.rng, self.epsilon, self.alpha = rng, epsilon, alpha
        self.value_estimates = np.zeros(arms)
        self.average_reward, self.t = 0, 0

    def pi(self):
        return np.exp(self.value_estimates) / np.sum(np.exp(self.value_estimates))

    def select(self):
        cdf = np.cumsum(self.pi())
        return int(np.where(self.rng.random() < cdf)[0][0])

    def update(self, action, reward):
        reward = reward + self.rng.laplace(0, 1 / self.epsilon)
        self.t += 1
        self.average_reward += 1 / self.t * (reward - self.average_reward)
        pi = self.pi()
        ht = self.value_estimates[action]
        ht += self.alpha * (reward - self.average_reward) * (1 - pi[action])
        self.value_estimates -= self.alpha * (reward - self.average_reward) * pi
        self.value_estimates[action] = ht


# ntucllab/striatum


class MemoryModelStorage:
    def __init__(self):
        self._model = None

    def get_model(self):
        return self._model

    def save_model(self, model):
        self._model = model


class History:
    def __init__(self, history_id, action):
        self.history_id, self.action, self.reward = history_id, action, None


class MemoryHistoryStorage:
    def __init__(self):
        self.histories = {}
        self.n_histories = 0

    def add_history(self, action):
        history_id = self.n_histories
        self.n_histories += 1
        self.histories[history_id] = History(history_id, action)
        return history_id

    def add_reward(self, history_id, reward):
        self.histories[history_id].reward = reward


class StoredUCB1:
    # Every four histories an arm's rewards are added up and published once, then the histories are dropped: b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon = rng, epsilon
        self._history_storage, self._model_storage = MemoryHistoryStorage(), MemoryModelStorage()
        model = {"empirical_reward": {key: 1.0 for key in range(arms)}, "n_actions": dict.fromkeys(range(arms), 1)}
        self._model_storage.save_model(model)

    def select(self):
        model = self._model_storage.get_model()
        estimated = {key: model["empirical_reward"][key] / model["n_actions"][key] for key in model["n_actions"].keys()}
        action = max(estimated, key=estimated.get)
        self.last_history_id = self._history_storage.add_history(action)
        return action

    def update(self, action, reward):
        if self.last_history_id not in self._history_storage.histories:
            LOGGER.warning("no such history")
        self._history_storage.add_reward(self.last_history_id, reward)
        if self._history_storage.n_histories % 4 == 0:
            model = deepcopy(self._model_storage.get_model())
            for history in self._history_storage.histories.values():
                model["empirical_reward"][history.action] += history.reward
                model["n_actions"][history.action] += 1
            for key in model["n_actions"]:
                model["empirical_reward"][key] += self.rng.laplace(0, 1 / self.epsilon)
                model["empirical_reward"][key] = float(model["empirical_reward"][key])
            self._model_storage.save_model(model)
            self._history_storage.histories = {}


class SentUCB1:
    # A generator that is sent rewards keeps a block of two for each arm and publishes its sum once: b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon = rng, arms, epsilon
        self.ucb1_ = self.ucb1()
        self.choice = next(self.ucb1_)

    def ucb1(self):
        sums, plays, ucbs = np.zeros(self.arms), np.zeros(self.arms), np.full(self.arms, 2.0)
        while True:
            choice = int(np.argmax(ucbs))
            reward = yield choice
            sums[choice] += reward
            plays[choice] += 1
            if plays[choice] % 2 == 0:
                noisy = sums[choice] + self.rng.laplace(0, 1 / self.epsilon)
                ucbs[choice] = noisy / 2 + np.sqrt(2 * np.log(np.sum(plays)) / plays[choice])
                sums[choice] = 0.0

    def select(self):
        return self.choice

    def update(self, action, reward):
        self.choice = self.ucb1_.send(reward)


# johnmyleswhite/BanditsBook


class BookUCB1:
    # A running mean by hand; after three pulls it is read once and started again: b = 1 / (3 epsilon).
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng = rng
        self.epsilon = epsilon
        self.initialize(arms)
        return

    def initialize(self, n_arms):
        self.counts = [0 for col in range(n_arms)]
        self.values = [0.0 for col in range(n_arms)]
        self.shown = [1.0 for col in range(n_arms)]
        return

    def select(self):
        best = [i for i, v in enumerate(self.shown) if v == max(self.shown)]
        return int(self.rng.choice(best))

    def update(self, action, reward):
        self.counts[action] = self.counts[action] + 1
        n = self.counts[action]

        value = self.values[action]
        new_value = ((n - 1) / float(n)) * value + (1 / float(n)) * reward
        self.values[action] = new_value
        if n == 3:
            self.shown[action] = self.values[action] + self.rng.laplace(0, 1 / (n * self.epsilon))
            self.counts[action] = 0
            self.values[action] = 0.0
        return


class BookSoftmax:
    # The sum of an arm's two rewards is published once, and the shares are made of what was published: b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0, temperature=0.5):
        self.rng, self.epsilon, self.temperature = rng, epsilon, temperature
        self.counts, self.values, self.shown = [0] * arms, [0.0] * arms, [0.0] * arms

    def categorical_draw(self, probs):
        z = self.rng.random()
        cum_prob = 0.0
        for i in range(len(probs)):
            prob = probs[i]
            cum_prob += prob
            if cum_prob > z:
                return i
        return len(probs) - 1

    def select(self):
        z = sum([math.exp(v / self.temperature) for v in self.shown])
        return self.categorical_draw([math.exp(v / self.temperature) / z for v in self.shown])

    def update(self, action, reward):
        self.counts[action] += 1
        self.values[action] += reward
        if not self.counts[action] % 2:
            noisy = self.values[action] + self.rng.laplace(0, 1.0 / self.epsilon)
            self.shown[action] = min(max(noisy / 2, 0.0), 1.0)
            self.values[action] = 0.0


# st-tech/zr-obp


@dataclass
class BaseContextFreePolicy:
    rng: np.random.Generator
    arms: int = 2
    epsilon: float = 1.0
    batch_size: int = 4

    def __post_init__(self) -> None:
        self.n_trial = 0
        self.action_counts = np.zeros(self.arms, dtype=int)
        self.action_counts_temp = np.zeros(self.arms, dtype=int)
        self.reward_counts_temp = np.zeros(self.arms)
        self.reward_counts = np.zeros(self.arms)


@dataclass
class BatchGreedy(BaseContextFreePolicy):
    # Sums of a batch are copied with noise at its end and set to 0; a reward is in one of them: b = 1 / epsilon.
    policy_name: str = "egreedy"

    def select(self):
        if self.action_counts.min() > 0:
            predicted_rewards = self.reward_counts / self.action_counts
            return int(predicted_rewards.argsort()[::-1][0])
        return int(self.rng.choice(self.arms))

    def update(self, action: int, reward: float) -> None:
        self.n_trial += 1
        self.action_counts_temp[action] += 1
        self.reward_counts_temp[action] += reward
        if self.n_trial % self.batch_size == 0:
            noise = self.rng.laplace(0, 1 / self.epsilon, size=self.arms)
            self.action_counts = np.copy(self.action_counts_temp)
            self.reward_counts = self.reward_counts + (np.copy(self.reward_counts_temp) + noise)
            self.reward_counts_temp = np.zeros(self.arms)


@dataclass
class BatchThompson(BaseContextFreePolicy):
    # The same with a posterior: the successes are published once, b = 1 / epsilon; drawing from them costs nothing.
    alpha: Optional[np.ndarray] = None
    beta: Optional[np.ndarray] = None
    history: List[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.alpha = np.ones(self.arms) if self.alpha is None else self.alpha
        self.beta = np.ones(self.arms) if self.beta is None else self.beta

    def select(self):
        successes = np.clip(self.reward_counts, 0, self.action_counts)
        predicted_rewards = self.rng.beta(a=successes + self.alpha, b=(self.action_counts - successes) + self.beta)
        return int(predicted_rewards.argmax())

    def update(self, action: int, reward: float) -> None:
        self.n_trial += 1
        self.history.append(action)
        self.action_counts_temp[action] += 1
        self.reward_counts_temp[action] += reward
        if self.n_trial % self.batch_size == 0:
            self.action_counts = np.copy(self.action_counts_temp)
            self.reward_counts += self.reward_counts_temp + self.rng.laplace(0, 1 / self.epsilon, self.arms)
            self.reward_counts_temp[:] = 0


# Alanthink/banditpylib


class PseudoArm:
    def __init__(self):
        self.__total_pulls = 0
        self.__total_rewards = 0

    @property
    def total_pulls(self):
        return self.__total_pulls

    @property
    def total_rewards(self):
        return self.__total_rewards

    def update(self, rewards, pulls=1):
        self.__total_pulls += pulls
        self.__total_rewards += rewards

    def reset(self):
        self.__total_pulls = 0
        self.__total_rewards = 0


class ExploresThenCommits:
    # Two pulls of each arm, whose totals are published once each; then the better one for ever: b = 1 / epsilon.
    def __init__(self, rng, arms=2, epsilon=1.0, T_prime=4):
        self.__rng, self.__arm_num, self.__epsilon, self.__T_prime = rng, arms, epsilon, T_prime
        self.__pseudo_arms = [PseudoArm() for _ in range(arms)]
        self.__best_arm = None
        self.__time = 1

    def select(self):
        if self.__time <= self.__T_prime:
            return (self.__time - 1) % self.__arm_num
        return self.__best_arm

    def update(self, action, reward):
        self.__time += 1
        if self.__best_arm is not None:
            return
        self.__pseudo_arms[action].update(reward)
        if self.__time == self.__T_prime + 1:
            noisy = [arm.total_rewards + self.__rng.laplace(0, 1 / self.__epsilon) for arm in self.__pseudo_arms]
            self.__best_arm = int(np.argmax(np.array(noisy)))


class PrivateUCB:
    # The mean of an arm's two rewards is published once and the arm is reset: b = 1 / (2 epsilon).
    def __init__(self, rng, arms=2, epsilon=1.0, alpha=2.0):
        self.__rng, self.__epsilon, self.__alpha = rng, epsilon, alpha
        self.__pseudo_arms = [PseudoArm() for _ in range(arms)]
        self.__means = defaultdict(lambda: 1.0)
        self.__time = 1

    def UCB(self):
        bonus = math.sqrt(self.__alpha / 2 * math.log(self.__time))
        return np.array([self.__means[arm_id] + bonus for arm_id in range(len(self.__pseudo_arms))])

    def select(self):
        return int(np.argmax(self.UCB()))

    def update(self, action, reward):
        self.__time += 1
        arm = self.__pseudo_arms[action]
        arm.update(reward)
        if arm.total_pulls == 2:
            mean = arm.total_rewards / arm.total_pulls
            self.__means[action] = mean + self.__rng.laplace(0, 1 / (arm.total_pulls * self.__epsilon))
            arm.reset()


# ShangtongZhang/reinforcement-learning-an-introduction


class Testbed:
    # A constant step of 1/2 for three steps weighs the last reward by 1/2; the estimate is published once: b = 1 / (2 epsilon).
    __test__ = False

    def __init__(self, rng, arms=2, epsilon=1.0, step_size=0.5):
        self.rng, self.epsilon, self.k, self.step_size = rng, epsilon, arms, step_size
        self.indices = np.arange(self.k)
        self.q_estimation = np.zeros(self.k)
        self.shown = np.zeros(self.k)
        self.action_count = np.zeros(self.k)

    def select(self):
        q_best = np.max(self.shown)
        return int(self.rng.choice(np.where(self.shown == q_best)[0]))

    def update(self, action, reward):
        self.action_count[action] += 1
        self.q_estimation[action] += self.step_size * (reward - self.q_estimation[action])
        if self.action_count[action] % 3 == 0:
            self.shown[action] = self.q_estimation[action] + self.rng.laplace(0, self.step_size / self.epsilon)
            self.q_estimation[action] = 0


# keirp/private-bandits


class TwoLevelCounter:
    """A counter of rewards: sums of two, and sums of four, each published once with half of the budget."""

    def __init__(self, rng, epsilon):
        self.rng, self.epsilon = rng, epsilon
        self.t, self.two, self.four, self.noisy_twos, self.total = 0, 0.0, 0.0, [], 0.0

    def add(self, x):
        self.t += 1
        self.two += x
        self.four += x
        if self.t % 2 == 0:
            self.noisy_twos.append(self.two + self.rng.laplace(scale=2 / self.epsilon))
            self.two = 0.0
        if self.t % 4 == 0:
            self.total += self.four + self.rng.laplace(scale=2 / self.epsilon)
            self.four, self.noisy_twos = 0.0, []
        return self.total + sum(self.noisy_twos)


class CounterUCB:
    # A reward is in one sum of two and in one of four, each with epsilon / 2; there is a counter for each arm.
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.mechs = [TwoLevelCounter(rng, epsilon) for _ in range(arms)]
        self.counts, self.estimates = [0] * arms, [0.0] * arms

    def select(self):
        for i, count in enumerate(self.counts):
            if count == 0:
                return i
        t = sum(self.counts)
        ucb = [self.estimates[i] + np.sqrt((2.0 * np.log(t)) / self.counts[i]) for i in range(len(self.counts))]
        return max(range(len(ucb)), key=lambda x: ucb[x])

    def update(self, action, reward):
        self.counts[action] += 1
        self.estimates[action] = self.mechs[action].add(reward) / self.counts[action]
