"""rlberry's agents, whose `fit` is the loop; the confidence 1/t^4 makes its index of bounded rewards that of UCB1."""

from common import run
from rlberry.agents.bandits import IndexAgent, TSAgent, makeBetaPrior, makeBoundedUCBIndex
from rlberry.envs.bandits import BernoulliBandit


def of(agent, rule):
    def play(means, horizon, seed):
        player = agent((BernoulliBandit, {"p": means}), rule, seeder=seed)
        player.fit(budget=horizon)
        return [player.tracker.n_pulls(arm) for arm in player.arms]

    return play


run({
    "ucb": of(IndexAgent, makeBoundedUCBIndex(0.0, 1.0, delta=lambda t: float(t) ** -4)[0]),
    "thompson": of(TSAgent, makeBetaPrior()[0]),
})  # fmt: skip
