"""SMPyBandits' own loop of one repetition, `delayed_play`, with its Bernoulli problem and its policies."""

import contextlib
import sys

import numba
from common import run

sys.modules["numba.decorators"] = numba  # where SMPyBandits looks for `jit`; without it KL-UCB runs uncompiled
with contextlib.redirect_stdout(sys.stderr):
    from SMPyBandits.Arms import Bernoulli
    from SMPyBandits.Environment import MAB
    from SMPyBandits.Environment.Evaluator import delayed_play
    from SMPyBandits.Policies import UCB, Thompson, klUCB


def of(policy):
    def play(means, horizon, seed):
        problem = MAB({"arm_type": Bernoulli, "params": means})
        return delayed_play(problem, policy(len(means)), horizon, seed=seed, repeatId=1).pulls

    return play


run({"ucb": of(UCB), "kl-ucb": of(klUCB), "thompson": of(Thompson)})
