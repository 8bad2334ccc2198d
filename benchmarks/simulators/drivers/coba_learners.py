"""coba's sequential evaluator; its only index policy is UCB1-Tuned, so it also plays that with the radius of UCB1."""

import math

from coba.environments import LambdaSimulation
from coba.evaluators import SequentialCB
from coba.learners import BanditUCBLearner
from common import run


class UCB1(BanditUCBLearner):
    def _Avg_R_UCB(self, action):  # noqa: N802
        return math.sqrt(2.0 * math.log(self._t) / self._s[action])


def of(learner):
    def play(means, horizon, seed):
        arms = list(range(len(means)))
        place = LambdaSimulation(
            horizon,
            lambda _round, _rng: None,
            lambda _round, _context, _rng: arms,
            lambda _round, _context, arm, rng: float(rng.random() < means[arm]),
            seed=seed,
        )
        pulls = [0] * len(arms)
        for row in SequentialCB(record=["action"], seed=seed).evaluate(place, learner(seed)):
            pulls[int(row["action"])] += 1
        return pulls

    return play


run({"ucb": of(UCB1), "ucb-tuned": of(BanditUCBLearner)})
