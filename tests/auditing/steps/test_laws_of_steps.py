"""The law of a step, on the user's word: it gives the loss between recorded inputs without runs, which test the law."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import privcheck
from privcheck.auditing._steps.reported_steps import OF_LAW
from privcheck.cli import main
from privcheck.errors import PrivcheckError
from privcheck.results import StepsReport

pytestmark = pytest.mark.long

SURE = {"epsilon": 1.0, "runs": 400, "pairs": 4, "error": 1e-7}


def noisy(value, scale, rng):
    return value + rng.laplace(0.0, scale)


def a_little_too_sharp(data, rng):
    """A loss of 1.25, which 400 runs do not tell from 1."""
    return noisy(float(np.sum(data)), 0.8, rng)


def correct(data, rng):
    return noisy(float(np.sum(data)), 1.0, rng)


def its_law(value, scale):
    return stats.laplace(value, scale)


def steps(target, law=its_law, **options):
    return privcheck.steps(target, law=law, **SURE | options)


@pytest.mark.chance(1e-7, "the test of a law that runs follow")
def test_a_law_shows_what_few_runs_do_not():
    found = steps(a_little_too_sharp)
    assert steps(a_little_too_sharp, law=None).suspicion is None
    assert (found.outcome, found.suspicion.kind) == ("suspicion", "law")
    assert found.suspicion.epsilon == pytest.approx(1.25, abs=1e-3)
    assert found.by_law.bound.epsilon_lower <= 1.25
    assert found.by_law.follows
    assert found.best.epsilon_lower < 1.25
    assert "by the given law" in found.suspicion.sentence
    assert "no bound for the target" in found.suspicion.sentence
    assert OF_LAW in found.provided
    assert StepsReport.from_json(found.to_json()) == found


@pytest.mark.nightly
@pytest.mark.chance(1e-7, "the test of a law that runs follow, and a count of outputs that are rare under it")
def test_an_unbounded_loss_that_no_run_shows_is_a_suspicion():
    found = steps(hardly_ever_telling, lambda value, scale: stats.uniform(value, scale))
    assert (found.suspicion.kind, found.suspicion.epsilon) == ("law", math.inf)
    assert "a loss of at least inf, by the given law" in found.suspicion.sentence
    assert StepsReport.from_json(found.to_json()) == found


def hardly_ever_telling(data, rng):
    """Outputs below the larger input have a probability of 1e-9 and tell the inputs apart."""
    return spread(float(np.sum(data)), 1e9, rng)


def spread(value, scale, rng):
    return value + rng.uniform(0.0, scale)


@pytest.mark.chance(1e-7, "the test of a law that runs follow")
def test_the_law_chooses_the_inputs():
    """Sums of 3 and 4 have squares 7 apart, and those of 0 and 1 are 1 apart."""
    found = steps(lambda data, rng: Kept(10.0, rng).noisy(float(np.sum(data)) ** 2), of_kept, pairs=40)
    assert found.best.function == "Kept.noisy"
    assert found.by_law.bound.epsilon_lower == pytest.approx(0.7, abs=1e-3)
    assert found.by_law.follows


class Kept:
    """Adds noise of a scale that it keeps."""

    def __init__(self, scale, rng):
        self.scale, self.rng = scale, rng

    def noisy(self, value):
        return value + self.rng.laplace(0.0, self.scale)


def of_kept(self, value):
    return stats.laplace(value, self.scale)


@pytest.mark.chance(1e-7, "the test of a law that runs follow, and of a call within the claim")
def test_the_correct_twin_is_not_suspected_by_its_law():
    found = steps(correct)
    assert (found.outcome, found.suspicion, found.by_law.follows) == ("isolated", None, True)
    assert found.by_law.bound.epsilon_lower == pytest.approx(1.0, abs=1e-3)
    assert OF_LAW not in found.provided


def test_a_step_that_only_its_law_keeps_within_the_claim_is_so_if_it_has_the_law():
    """The loss is 6.3 and the claim 6: 400 runs show less than that, and the law, of 5.9, is not rejected."""

    def louder(data, rng):
        return noisy(float(np.sum(data)), 1.0 / 6.3, rng)

    found = steps(louder, lambda value: stats.laplace(value, 1.0 / 5.9), epsilon=6.0, runs=400)
    assert (found.outcome, found.by_law.follows) == ("isolated", True)
    assert found.provided[-1] == OF_LAW


@pytest.mark.chance(1e-7, "the level at which a correct call is suspected by counts")
@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_a_wrong_law_is_rejected_and_casts_no_suspicion(factor):
    """By the narrow law the correct call has a loss of 2."""
    found = steps(correct, lambda value, scale: stats.laplace(value, factor * scale), runs=2000)
    assert (found.outcome, found.suspicion, found.by_law.follows) == ("another law", None, False)
    assert found.by_law.bound.epsilon_lower == pytest.approx(1.0 / factor, abs=1e-3)
    assert any("do not follow the given law" in note for note in found.notes)


def test_counts_refute_by_themselves_whatever_the_law_says():
    found = steps(lambda data, rng: noisy(float(np.sum(data)), 0.2, rng), lambda value: stats.norm(value), runs=2000)
    assert (found.outcome, found.suspicion.kind, found.by_law.follows) == ("suspicion", "step", False)
    assert found.suspicion.epsilon == found.best.epsilon_lower
    assert OF_LAW not in found.provided


def rejected(centre, rng, *, upside_down):
    while True:
        y = rng.uniform(-0.5, 1.5)
        if (rng.random() < np.exp(-abs(y - centre) / 2.0)) != upside_down:
            return y


class Meant:
    """The law that the sampler is meant to have, up to a factor."""

    normalised = False

    def __init__(self, centre):
        self.centre = centre

    def logpdf(self, x):
        return -np.abs(x - self.centre) / 2.0

    def support(self):
        return (-0.5, 1.5)


def upside_down(data, rng):
    return rejected(float(data[0]), rng, upside_down=True)


def right_way_round(data, rng):
    return rejected(float(data[0]), rng, upside_down=False)


@pytest.mark.chance(1e-7, "the test of a law that runs follow")
@pytest.mark.parametrize(("target", "outcome"), [(upside_down, "another law"), (right_way_round, "isolated")])
def test_a_sampler_is_tested_against_the_law_that_is_meant(target, outcome):
    """By counts, nothing speaks against a claim of 4."""
    found = steps(target, Meant, epsilon=4.0)
    assert found.outcome == outcome
    assert found.by_law.bound.epsilon_lower == pytest.approx(0.5, abs=1e-3)


def test_what_moves_with_an_earlier_release_has_no_law():
    """By the law of the second call, given what the first one released, the loss would be 10."""

    def by_release(data, rng):
        first = noisy(float(data[0]), 1.0, rng)
        return [first, louder(10.0 * (first > 0.5), rng)]

    found = steps(by_release, its_law)
    assert [step.function for step in found.steps] == ["noisy"]
    with pytest.raises(PrivcheckError, match="law: got a law of total, expected parameters of a step"):
        steps(by_release, lambda total: stats.laplace(total))


def louder(total, rng):
    return total + rng.laplace()


def two_steps(data, rng):
    return [noisy(float(data[0]), 4.0, rng), other(float(data[0]), 4.0, rng)]


def other(value, width, rng):
    return value + rng.normal(0.0, width)


def counted(value, rng):
    return "many" if value + rng.laplace() > 0.5 else "few"


@pytest.mark.parametrize(
    ("target", "law", "message"),
    [
        (correct, 3, "law: got 3, expected a function"),
        (correct, lambda: stats.laplace(), "law: got a function without parameters"),
        (correct, lambda *values: stats.laplace(), "law: got the parameters values, expected a function whose"),
        (correct, lambda value, /: stats.laplace(value), "law: got the parameters value, expected a function whose"),
        (correct, lambda values: stats.laplace(values), r"the steps are noisy\(value, scale, rng\)"),
        (correct, lambda value: 3, "law: got an object of type int, expected a law"),
        (correct, lambda value: 1 / 0, "law: got ZeroDivisionError"),
        (two_steps, lambda value: stats.laplace(value), "parameters of noisy at .* and of other at .*, expected those"),
        (lambda data, rng: counted(data[0], rng), its_law, "the steps are counted"),
        (lambda data, rng: counted(data[0], rng), lambda value: stats.norm(value), "expected the law of what the call"),
    ],
)
def test_what_is_no_law_of_a_step_is_refused(target, law, message):
    with pytest.raises(PrivcheckError, match=message):
        steps(target, law)


@pytest.mark.chance(1e-7, "the test of a law that runs follow")
def test_a_parameter_tells_which_step_a_law_is_of():
    found = steps(two_steps, lambda value, width: stats.norm(value, width))
    assert found.best.function == "other"
    assert found.by_law.follows
    assert found.by_law.bound.epsilon_lower > 0.0


def test_a_target_with_nothing_to_isolate_has_no_use_for_a_law():
    found = steps(lambda data, rng: noisy(0.0, 1.0, rng) + float(np.sum(data)))
    assert (found.outcome, found.by_law) == ("nothing to isolate", None)


def test_a_slow_call_needs_fewer_runs_with_a_law(monkeypatch):
    """At 20 ms a call, 1,600 of them take longer than is left of the time budget."""
    monkeypatch.setattr("privcheck.auditing._steps.played_alone.seconds_per_run", lambda *_: 0.02)
    without, found = (steps(a_little_too_sharp, law, runs=None, time_budget=30.0) for law in (None, its_law))
    assert without.best is None
    assert any("1,600 calls" in note for note in without.notes)
    assert found.best.runs < 200
    assert found.suspicion.epsilon == pytest.approx(1.25, abs=1e-3)


FILE = """
from scipy import stats


def noisy(value, rng):
    return value + rng.laplace(0.0, SCALE)


def target(data, rng):
    return noisy(data.sum(), rng)


def law(value):
    return stats.laplace(value, SCALE)


def narrow(value):
    return stats.laplace(value, SCALE / 3)
"""


def test_statuses_and_words_of_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name, scale in (("broken.py", 0.8), ("fixed.py", 1.0)):
        (tmp_path / name).write_text(FILE.replace("SCALE", str(scale)))
    asked = ["--epsilon", "1", "--runs", "400", "--pairs", "4", "--error", "1e-7", "--html", "page.html", "--law"]
    cases = [
        ("broken.py", "broken.py:law", 3, "at least 1.249 by the given law"),
        ("fixed.py", "fixed.py:law", 0, "does not speak against"),
        ("fixed.py", "fixed.py:narrow", 3, "another law: what noisy returns does not follow the given law"),
        ("fixed.py", "fixed.py:none", 2, ""),
    ]
    for file, law, status, said in cases:
        with pytest.raises(SystemExit) as ended:
            main(["steps", f"{file}:target", *asked, law])
        assert ended.value.code == status, law
        assert said in " ".join(capsys.readouterr().out.split())
        assert status == 2 or "largest loss by the law" in (tmp_path / "page.html").read_text()


def test_infinite_losses_are_found_without_runs():
    found = steps(lambda data, rng: uniform(float(data[0]), rng), lambda value: stats.uniform(value, 1.0))
    assert math.isinf(found.by_law.bound.epsilon_lower) or found.by_law.bound.epsilon_lower > 100.0


def uniform(value, rng):
    return rng.uniform(value, value + 1.0)
