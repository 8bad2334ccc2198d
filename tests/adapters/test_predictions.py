"""Predictions of every format are read as coba's SafeLearner reads them, and nonsense is refused."""

import numpy as np
import pytest

from privcheck.adapters._predictions import read
from privcheck.errors import PolicyError

WORDS, TUPLES = ["a", "b"], [(1.0, 0.0), (0.0, 1.0)]
NUMBERS = [float(0), float(1)]
"""Objects of their own, as coba and the adapter make them: a literal 0.0 of this file is another one."""

FORMATS = [
    lambda a: a[1],
    lambda a: (a[1], 0.25),
    lambda a: [a[1], 0.25],
    lambda a: (a[1], 0.25, {"more": 1}),
    lambda a: (a[1], {"more": 1}),
    lambda a: [0.0, 1.0],
    lambda a: (0, 1),
    lambda a: ([0.0, 1.0], {"more": 1}),
    lambda a: {"action": a[1]},
    lambda a: {"action_prob": (a[1], 0.25)},
    lambda a: {"pmf": [0.0, 1.0]},
    lambda a: ({"pmf": [0.0, 1.0]}, {"more": 1}),
]


@pytest.mark.parametrize("actions", [WORDS, NUMBERS, TUPLES], ids=["words", "numbers", "features"])
@pytest.mark.parametrize("number", range(len(FORMATS)))
def test_as_coba_reads_it(coba, actions, number):
    class Learner:
        def predict(self, context, given):
            return FORMATS[number](given)

    action, probability, information = coba.SafeLearner(Learner()).predict(None, actions)
    place, ours, also = read(FORMATS[number](actions), actions, np.random.default_rng(0))
    assert (actions[place], ours, dict(also)) == (action, probability, dict(information))
    assert place == 1


def test_what_equals_an_action_is_one():
    rng = np.random.default_rng(0)
    assert read(np.int64(1), NUMBERS, rng) == (1, None, {})
    assert read("".join(["b"]), WORDS, rng) == (1, None, {})


@pytest.mark.parametrize(
    "prediction", ["c", None, ("c", 0.5), [0.4, 0.4], [1.5, -0.5], {"pmf": [1.0]}, {"other": 1}, object()]
)
def test_nonsense_is_refused(prediction):
    with pytest.raises(PolicyError, match="prediction: got "):
        read(prediction, WORDS, np.random.default_rng(0))


def test_an_arm_of_probability_zero_is_never_drawn():
    rng = np.random.default_rng(0)
    drawn = {read([0.0, 0.5, 0.0, 0.5, 0.0], list("abcde"), rng)[0] for _ in range(2000)}
    assert drawn == {1, 3}
