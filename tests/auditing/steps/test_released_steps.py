"""A step that the target is said to release: values that are forced on it refute that, or its loss is the target's."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

import privcheck
from privcheck.auditing._steps.reported_steps import ONE_TO_ONE
from privcheck.cli import main
from privcheck.errors import PrivcheckError
from privcheck.reporting import details
from privcheck.results import StepsReport

pytestmark = pytest.mark.long

QUICK = {"epsilon": 1.0, "runs": 1000, "pairs": 4}


def noisy(value, rng):
    """A loss of 4 where the value moves by 1."""
    return value + rng.laplace(0.0, 0.25)


def total(data):
    return float(np.sum(data))


def model(data, rng):
    """What is released is a function of the noisy sum that is one-to-one; the rest is public."""
    return SimpleNamespace(coef_=0.5 * noisy(total(data), rng) - 1.0, steps=3)


def in_a_dict(data, rng):
    return {"coef_": [noisy(total(data), rng)], "exact": total(data)}


def in_a_list(data, rng):
    return [3.0, noisy(total(data), rng)]


def alone(data, rng):
    return noisy(total(data), rng)


def around(value, rng):
    """A function around the call, which draws too by calling it."""
    return 2.0 * noisy(value, rng)


def nested(data, rng):
    return around(total(data), rng)


RELEASED = [(model, "coef_"), (in_a_dict, "coef_"), (in_a_list, "1"), (alone, "output"), (nested, "output")]


def steps(target, released, **options):
    return privcheck.steps(target, released=released, **QUICK | options)


@pytest.mark.parametrize(("target", "released"), RELEASED)
def test_a_step_that_is_released_bounds_the_target(target, released):
    found = steps(target, released)
    assert (found.outcome, found.released, found.is_released) == ("suspicion", released, True)
    assert "if the call is released, that is a bound for the target" in found.suspicion.sentence
    assert "no bound" not in found.suspicion.sentence
    assert found.provided[-1] == ONE_TO_ONE
    assert found.suspicion.epsilon == steps(target, None, encode=lambda _: 0.0).suspicion.epsilon
    assert StepsReport.from_json(found.to_json()) == found


def one_bit(data, rng):
    """Told apart with a loss of 1: randomised response of a bit of the noisy sum."""
    bit = noisy(total(data), rng) > 2.0
    return int(bit == (rng.random() < np.e / (1.0 + np.e)))


def rounded(data, rng):
    return int(noisy(total(data), rng) > 2.0)


def with_later_noise(data, rng):
    return noisy(total(data), rng) + rng.laplace(0.0, 10.0)


def more(value, rng):
    return value + rng.laplace(0.0, 10.0)


def with_later_noise_of_a_function(data, rng):
    return more(noisy(total(data), rng), rng)


def constant_noise(rng):
    return rng.laplace(0.0, 10.0)


def with_noise_added_afterwards(data, rng):
    value = noisy(total(data), rng)
    return value + constant_noise(rng)


def with_noise_of_another_generator(data, rng):
    return noisy(total(data), rng) + np.random.default_rng().laplace(0.0, 10.0)


def with_noise_drawn_before(data, rng):
    """Within the claim, by noise that is drawn before and never released."""
    return noisy(total(data) + constant_noise(rng), rng)


def moved_by_data(data, rng):
    """The step's loss is 4, and that of the output 0: data take back what the step tells."""
    return noisy(total(data), rng) - total(data)


def without_it(data, rng):
    noisy(total(data), rng)
    return 1.0


HIDDEN = [
    (one_bit, "differs between runs"),
    (rounded, "it is the same for two different values of noisy"),
    (with_later_noise, "differs between runs"),
    (with_later_noise_of_a_function, "differs between runs"),
    (with_noise_added_afterwards, "differs between runs"),
    (with_noise_drawn_before, "draws before noisy, which would have to be released"),
    (without_it, "it is the same for two different values of noisy"),
]


@pytest.mark.parametrize(("target", "why"), HIDDEN)
def test_a_step_that_is_hidden_bounds_nothing(target, why):
    found = steps(target, "output")
    assert (found.outcome, found.is_released) == ("suspicion", False)
    assert "that is no bound for the target" in found.suspicion.sentence
    assert why in found.suspicion.sentence
    assert ONE_TO_ONE not in found.provided
    assert "of which this says nothing yet" in details(found).renderables[0].plain


def test_a_step_that_data_take_back_is_not_suspected():
    found = steps(moved_by_data, "output")
    assert (found.outcome, found.is_released) == ("undecided", None)


def test_noise_without_a_seed_hides_a_step():
    found = privcheck.steps(with_noise_of_another_generator, released="output", **QUICK)
    assert found.is_released is False


def test_the_wrong_part_is_no_release():
    assert steps(model, "steps").is_released is False
    assert steps(in_a_list, "0").is_released is False
    assert steps(in_a_list, "output").is_released is True


def mended(data, rng):
    return SimpleNamespace(coef_=quiet(total(data), rng))


def quiet(value, rng):
    return value + rng.laplace()


@pytest.mark.chance(1e-7, "the level at which a correct call is suspected")
def test_the_mended_twin_has_nothing_to_release():
    found = steps(mended, "coef_", error=1e-7)
    assert (found.outcome, found.released, found.is_released) == ("isolated", "coef_", None)


def test_values_of_few_kinds_are_told_apart_if_their_outputs_are():
    def largest(data, rng):
        return {"arm": named(choice(np.bincount((3 * data).astype(int).clip(0, 2), minlength=3), rng))}

    assert steps(largest, "arm").is_released is True
    found = steps(lambda data, rng: {"arm": choice(np.zeros(3) + 9.0 * data[:3], rng) > 0}, "arm")
    assert found.is_released is False


def choice(counts, rng):
    return int(np.argmax(counts + rng.laplace(0.0, 0.5, len(counts))))


def named(arm):
    return "abc"[arm]


def test_the_released_part_is_encoded():
    found = steps(model, "coef_", encode=lambda value: round(value, 12))
    assert found.is_released is True
    assert steps(model, "coef_", encode=lambda value: value > 0.0).is_released is False


class Policy:
    def __init__(self, rng):
        self.rng = rng

    def select(self):
        return 0

    def update(self, action, reward):
        pass


@pytest.mark.parametrize(
    ("target", "released", "options", "message"),
    [
        (Policy, "coef_", {"arms": 2}, "released: got 'coef_', expected None for a policy"),
        (model, 3, {}, "released: got 3, expected the name of a part of what the target returns"),
        (model, "", {}, "released: got '', expected the name"),
        (model, "weights", {}, "released: got 'weights', AttributeError.*expected an attribute, a key or a place"),
        (in_a_dict, "weights", {}, "released: got 'weights', KeyError"),
        (in_a_list, "7", {}, "released: got '7', IndexError"),
    ],
)
def test_what_releases_nothing_is_refused(target, released, options, message):
    with pytest.raises(PrivcheckError, match=message):
        steps(target, released, **options)


FILE = """
def noisy(value, rng):
    return value + rng.laplace(0.0, 0.25)


def bare(data, rng):
    return {"mean": noisy(data.sum(), rng)}


def sign(data, rng):
    return {"mean": bool(noisy(data.sum(), rng) > 2.0)}
"""


def test_the_command_says_what_is_released(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FILE)
    for name, said in (("bare", "does not hold if the call is released"), ("sign", "this says nothing yet")):
        with pytest.raises(SystemExit) as ended:
            main(["steps", f"mine.py:{name}", "--epsilon", "1", "--runs", "1000", "--pairs", "4", "--released", "mean",
                  "--json", "found.json"])  # fmt: skip
        assert ended.value.code == 3
        assert said in " ".join(capsys.readouterr().out.split())
        assert json.loads((tmp_path / "found.json").read_text())["is_released"] is (name == "bare")
