"""MABWiser's policies, played online: `predict`, then `partial_fit` with one reward. Every arm is played once first."""

import numpy as np
from common import run
from mabwiser.mab import MAB, LearningPolicy


def of(policy):
    def play(means, horizon, seed):
        rng = np.random.default_rng(seed)
        arms = list(range(len(means)))
        player = MAB(arms, policy, seed=seed)
        player.fit(arms, [int(rng.random() < mean) for mean in means])
        pulls = [1] * len(arms)
        for _ in range(horizon - len(arms)):
            arm = player.predict()
            player.partial_fit([arm], [int(rng.random() < means[arm])])
            pulls[arm] += 1
        return pulls

    return play


run({"ucb": of(LearningPolicy.UCB1(alpha=1.0)), "thompson": of(LearningPolicy.ThompsonSampling())})
