"""Every bad input is refused before anything runs, by one line that says what, got, expected, what to do."""

import math

import pytest

from privcheck.bandits import ALGORITHMS
from privcheck.errors import PrivcheckError
from privcheck.simulation import _simulate as module
from privcheck.simulation import simulate

GOOD = {"policies": "adap-ucb", "environment": "c2", "horizon": 100, "runs": 2, "epsilon": 1.0}

CASES = [
    *[({"horizon": bad}, "horizon") for bad in (0, 4, -1, 10.5, math.nan, math.inf, 1e16, "100", None, True)],
    *[({"runs": bad}, "runs") for bad in (0, -5, 1.5, math.nan, math.inf, "10", None)],
    *[({"jobs": bad}, "jobs") for bad in (0, -1, 1.5, None)],
    *[({"seed": bad}, "seed") for bad in (-1, 0.5, None, "x")],
    *[({"checkpoints": bad}, "checkpoints") for bad in (0, -1, math.nan, [], [0, 5], [1.5], [10**15], "5")],
    *[({"epsilon": bad}, "epsilon") for bad in (0, -1, math.nan, math.inf, "1")],
    ({"epsilon": None}, "epsilon"),
    ({"policies": "adap"}, "algorithm"),
    ({"policies": ["ucb", "nonsense"]}, "algorithm"),
    *[({"policies": bad}, "policies") for bad in ([], (), None, 3, [None], [ALGORITHMS["ucb"]], {"ucb": 1})],
    ({"policies": ALGORITHMS["ucb"](arms=3)}, "policies"),
    ({"policies": ["ucb", ALGORITHMS["adap-ucb"](arms=6, epsilon=1.0)]}, "policies"),
    ({"environment": "c9"}, "environment"),
    ({"environment": [0.5]}, "means"),
    ({"environment": [0.5, math.nan]}, "means"),
    ({"environment": None}, "means"),
]


@pytest.mark.parametrize(("changes", "parameter"), CASES)
def test_bad_input_is_refused_before_anything_runs(changes, parameter, monkeypatch):
    monkeypatch.setattr(module, "AllRuns", lambda *_, **__: pytest.fail("ran"))
    with pytest.raises(PrivcheckError) as caught:
        simulate(**(GOOD | changes))
    assert caught.value.parameter == parameter
    assert caught.value.expected
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "parameter"),
    [({"arms": 1}, "arms"), ({"arms": 0}, "arms"), ({"epsilon": 0}, "epsilon"), ({"alpha": 0}, "alpha"),
     ({"alpha": -1}, "alpha"), ({"alpha": math.nan}, "alpha")],
)  # fmt: skip
def test_specs_are_checked_where_they_are_made(changes, parameter):
    with pytest.raises(PrivcheckError) as caught:
        ALGORITHMS["adap-ucb"](**({"arms": 5, "epsilon": 1.0} | changes))
    assert caught.value.parameter == parameter


def test_the_messages_say_what_to_do():
    with pytest.raises(PrivcheckError, match="adap-ucb is private: give its budget"):
        simulate("adap-ucb", "c2", horizon=100)
    with pytest.raises(PrivcheckError, match=r"ucb\(arms=3\) on an environment with 5 arms, expected arms=5"):
        simulate(ALGORITHMS["ucb"](arms=3), "c2", horizon=100)
    with pytest.raises(PrivcheckError, match="did you mean 'adap-ucb'"):
        simulate("adap-ubc", "c2", horizon=100)
    with pytest.raises(PrivcheckError, match=r"horizon: got 4, expected an integer in \[5, .*played once"):
        simulate("ucb", "c2", horizon=4)


def test_the_good_input_is_good():
    assert simulate(**GOOD).summary()[0]["horizon"] == 100
    assert simulate("ucb", "c2", horizon=5, runs=1).results[0].regret[0, -1] == pytest.approx(1.25)
