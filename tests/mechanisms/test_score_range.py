"""Mechanisms that choose by scores declare a range: what textbooks call the sensitivity may be half of it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from privcheck.auditing._exact import exact_loss
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import (
    MECHANISMS,
    AboveThreshold,
    ExponentialMechanism,
    Laplace,
    NoisyMax,
    PermuteAndFlip,
    planned,
)
from privcheck.mechanisms.plan_file import read_plan

OPTIONS = {AboveThreshold: {"answers": 1}}
CHOOSING = [ExponentialMechanism, PermuteAndFlip, NoisyMax, AboveThreshold]
HINT = r"give score_range.*: 2 s if each moves by at most s, s if besides all move in the same direction"


def test_these_are_all_mechanisms_that_declare_a_range():
    by_norm = {cls for cls in map(MECHANISMS.__getitem__, MECHANISMS) if "range of score" in cls.sensitivity_norm}
    assert by_norm == {cls for cls in map(MECHANISMS.__getitem__, MECHANISMS) if cls.sensitivity_name == "score_range"}
    assert by_norm == set(CHOOSING)


@pytest.mark.parametrize("cls", CHOOSING, ids=lambda cls: cls.id)
@pytest.mark.parametrize("way", ["build", "calibrate", "with_scale"])
def test_the_bare_keyword_is_refused_at_once(cls, way):
    """What was given, what was expected, and what to do; the textbook's number is never taken for the range."""
    build, given = {
        "build": (cls, {"epsilon": 1.0}),
        "calibrate": (cls.calibrate, {"epsilon": 1.0}),
        "with_scale": (cls.with_scale, {"scale": 1.0}),
    }[way]
    with pytest.raises(PrivcheckError, match=f"sensitivity: got 1.0, expected no such parameter.*score_range.*{HINT}"):
        build(**given, sensitivity=1.0, **OPTIONS.get(cls, {}))


@pytest.mark.parametrize("cls", CHOOSING, ids=lambda cls: cls.id)
def test_a_range_has_no_default(cls):
    options = OPTIONS.get(cls, {})
    with pytest.raises(PrivcheckError, match=f"score_range: got nothing, expected a finite number above 0.*{HINT}"):
        cls.calibrate(epsilon=1.0, **options)
    with pytest.raises(PrivcheckError, match=f"score_range: got nothing.*{HINT}"):
        planned(cls.with_scale(1.0, **options))
    assert planned(cls.with_scale(1.0, **options), 2.0).charge.epsilon == 2.0
    assert planned(cls(score_range=2.0, epsilon=0.5, **options)).charge.epsilon == 0.5
    for stated in (1.0, None):
        with pytest.raises(PrivcheckError, match=r"sensitivity: got .*no such parameter"):
            cls.calibrate(epsilon=1.0, score_range=2.0, sensitivity=stated, **options)
    assert cls.calibrate(epsilon=1.0, score_range=2.0, **options) == cls(score_range=2.0, epsilon=1.0, **options)


def test_others_have_no_range():
    with pytest.raises(PrivcheckError, match="score_range"):
        Laplace(score_range=1.0, epsilon=1.0)
    with pytest.raises(PrivcheckError, match="score_range"):
        Laplace.calibrate(epsilon=1.0, score_range=1.0)
    assert Laplace.calibrate(epsilon=1.0) == Laplace(sensitivity=1.0, epsilon=1.0)


PLAN = """delta = 0.0
[[release]]
mechanism = "{name}"
scale = 4.0
{line}
"""


@pytest.mark.parametrize("cls", CHOOSING, ids=lambda cls: cls.id)
def test_the_key_of_a_plan_file_is_refused_too(cls, tmp_path):
    more = "".join(f"\n{name} = {value}" for name, value in OPTIONS.get(cls, {}).items())
    place = tmp_path / "plan.toml"
    place.write_text(PLAN.format(name=cls.id, line="score_range = 2.0" + more), encoding="utf-8")
    plan, _ = read_plan(place)
    assert plan.at_delta(0.0).epsilon == pytest.approx(0.5)
    place.write_text(PLAN.format(name=cls.id, line="sensitivity = 1.0" + more), encoding="utf-8")
    with pytest.raises(PrivcheckError, match=f"release 1, sensitivity: got 1.0, expected no such parameter.*{HINT}"):
        read_plan(place)
    place.write_text(PLAN.format(name=cls.id, line=more), encoding="utf-8")
    with pytest.raises(PrivcheckError, match=f"release 1, score_range: got nothing.*{HINT}"):
        read_plan(place)


@pytest.mark.parametrize("cls", CHOOSING[:3], ids=lambda cls: cls.id)
def test_the_textbook_number_would_exceed_the_budget(cls):
    """Scores that move by 1 each, in opposite directions: taken for the range, 1 gives more than epsilon = 1."""
    pair = np.zeros(12), np.where(np.arange(12) == 0, 1.0, -1.0)
    assert exact_loss(cls(score_range=2.0, epsilon=1.0), pair).upper <= 1.0
    assert exact_loss(cls(score_range=1.0, epsilon=1.0), pair).lower > 1.3
    same = np.zeros(12), np.where(np.arange(12) == 0, 1.0, 0.0)
    assert exact_loss(cls(score_range=1.0, epsilon=1.0), same).upper <= 1.0


def test_a_range_above_the_declared_one_says_what_to_declare():
    with pytest.raises(PrivcheckError, match=r"at most the declared 1.0 .*declare score_range=2.0"):
        NoisyMax(score_range=1.0, epsilon=1.0).charge(2.0)
    assert math.isclose(NoisyMax(score_range=2.0, epsilon=1.0).charge(1.0).epsilon, 0.5, rel_tol=1e-8)
