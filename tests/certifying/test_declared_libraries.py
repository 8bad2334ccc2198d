"""The sets of declarations: every mechanism of diffprivlib, the noise of scipy, at the losses of closed forms."""

import inspect
import math
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import privcheck
from privcheck.certifying._primitives.diffprivlib_declarations import DIFFPRIVLIB, NOT_REPLAYED
from privcheck.certifying._primitives.recorded_calls import LIBRARIES
from privcheck.certifying._primitives.shipped_declarations import SHIPPED
from privcheck.targets import CertifySettings


def explored(target, primitives, **options):
    return privcheck.certify(target, primitives=primitives, **{"epsilon": 1.0, "runs": 2, "horizon": 5} | options)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_set_is_named_wherever_its_users_look(name):
    """The recipe for a declaration of a primitive in CONTRIBUTING.md says where."""
    (help_of_option,) = (each.metadata["doc"] for each in CertifySettings.options() if each.name == "primitives")
    assert re.search(rf"\b{name}\b", help_of_option)
    assert f'"{name}"' in privcheck.certify.__doc__
    assert f"| `{name}` |" in (Path(__file__).parents[2] / "docs" / "third-party-code.md").read_text(encoding="utf-8")
    assert {one.library for one in SHIPPED[name]} <= {name}
    assert name in LIBRARIES or name == "opendp"  # which draws its noise in compiled code


def test_scipys_noise_is_charged_at_its_scale_and_a_shared_draw_is_found():
    found = explored(lambda data, rng: data.sum() + stats.laplace.rvs(scale=2.0), ["scipy"])
    assert (found.ledger_epsilon, found.has_findings, found.undeclared) == (pytest.approx(0.5), False, [])
    (use,) = found.primitive_uses
    assert use.name == "scipy.stats.laplace.rvs"
    assert use.location.startswith("test_declared_libraries.py:")
    frozen = explored(lambda data, rng: data + stats.norm(scale=2.0).rvs(len(data)), ["scipy"], epsilon=None, mu=1.0)
    assert (frozen.ledger_mu, frozen.has_findings) == (pytest.approx(0.5), False)
    shared = explored(lambda data, rng: data + stats.laplace.rvs(), ["scipy"])
    assert shared.replay.divergences


@pytest.mark.nightly
def test_noise_of_scipy_that_no_set_declares_is_named():
    found = explored(lambda data, rng: float(data.sum()) + float(stats.laplace.rvs()), ["random"])
    assert found.undeclared[0].startswith("scipy.stats.laplace.rvs at test_declared_libraries.py:")
    assert not found.has_findings
    assert "replays differ, which undeclared randomness may explain: scipy.stats.laplace.rvs" in str(found)


@pytest.fixture(scope="module")
def dp():
    return pytest.importorskip("diffprivlib.mechanisms", exc_type=ImportError)


def test_every_mechanism_of_diffprivlib_is_declared_or_has_a_reason(dp):
    """Those that users can build: the classes on the face of `diffprivlib.mechanisms` with a method of their own."""
    built = {
        name
        for name, value in vars(dp).items()
        if inspect.isclass(value) and issubclass(value, dp.DPMechanism) and not inspect.isabstract(value)
    }
    declared = {one.name.split(".")[-2] for one in DIFFPRIVLIB}
    assert built == declared | set(NOT_REPLAYED)
    for one in DIFFPRIVLIB:
        assert callable(one.resolve()[2])


NUMBERS = {
    "Laplace": {"epsilon": 0.5, "sensitivity": 1.0},
    "LaplaceTruncated": {"epsilon": 0.5, "sensitivity": 1.0, "lower": 0, "upper": 5},
    "LaplaceFolded": {"epsilon": 0.5, "sensitivity": 1.0, "lower": 0, "upper": 5},
    "LaplaceBoundedDomain": {"epsilon": 0.5, "sensitivity": 1.0, "lower": 0, "upper": 5},
    "Geometric": {"epsilon": 0.5},
    "GeometricTruncated": {"epsilon": 0.5, "lower": 0, "upper": 5},
    "GeometricFolded": {"epsilon": 0.5, "lower": 0, "upper": 5},
    "Snapping": {"epsilon": 0.5, "sensitivity": 1.0, "lower": 0, "upper": 5},
    "Staircase": {"epsilon": 0.5, "sensitivity": 1.0},
}


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_cost_what_the_object_states_and_half_the_sensitivity_is_found(dp, name):
    whole = name.startswith("Geometric")

    def mechanism(sensitivity):
        made = NUMBERS[name] | {"sensitivity": sensitivity}

        def released(data, rng):
            return getattr(dp, name)(**made).randomise(int(data[0] > 0.5) * (2 if whole else 1))

        return released

    found = explored(mechanism(2 if whole else 1.0), ["diffprivlib"])
    assert (found.ledger_epsilon, found.has_findings, found.undeclared) == (pytest.approx(0.5), False, [])
    assert explored(mechanism(1 if whole else 0.5), ["diffprivlib"]).primitive_uses[0].excess == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("LaplaceBoundedNoise", {"epsilon": 0.5, "delta": 0.1, "sensitivity": 1.0}),
        ("GaussianDiscrete", {"epsilon": 0.5, "delta": 0.1}),
        ("Uniform", {"delta": 0.1, "sensitivity": 1.0}),
    ],
)
def test_mechanisms_with_a_delta_are_charged_what_they_state(dp, name, options):
    def released(data, rng):
        return getattr(dp, name)(**options).randomise(int(data[0] > 0.5))

    found = explored(released, ["diffprivlib"], epsilon=1.0, delta=0.2)
    assert not found.has_findings, found
    assert found.primitive_uses[0].measured == 1.0
    assert any("states a delta" in note for note in found.notes)
    if "sensitivity" in options:
        options["sensitivity"] = 0.5
        assert explored(released, ["diffprivlib"], delta=0.2).primitive_uses[0].excess == pytest.approx(2.0)


@pytest.mark.parametrize("name", ["Exponential", "PermuteAndFlip"])
def test_choices_by_utilities_cost_what_the_utilities_move(dp, name):
    def chosen(sensitivity):
        def choose(data, rng):
            utility = [float(data.sum()), float(len(data) - data.sum())]
            return getattr(dp, name)(epsilon=0.5, sensitivity=sensitivity, utility=utility).randomise()

        return choose

    found = explored(chosen(1.0), ["diffprivlib"])
    assert (found.ledger_epsilon, found.has_findings) == (pytest.approx(0.5), False)
    assert found.primitive_uses[0].metric == "Linf"
    assert explored(chosen(0.5), ["diffprivlib"]).primitive_uses[0].excess == pytest.approx(2.0)

    def of_private_candidates(data, rng):
        made = getattr(dp, name)(epsilon=0.5, sensitivity=1.0, utility=[1.0, 0.0], candidates=[float(data[0]), 2.0])
        return made.randomise()

    assert explored(of_private_candidates, ["diffprivlib"]).replay.divergences


def test_one_value_among_several_costs_epsilon(dp):
    def answer(data, rng):
        return dp.Binary(epsilon=0.5, value0="no", value1="yes").randomise("yes" if data[0] > 0.5 else "no")

    def category(data, rng):
        made = dp.ExponentialCategorical(epsilon=0.5, utility_list=[["no", "yes", 1.0]])
        return made.randomise("yes" if data[0] > 0.5 else "no")

    def hierarchy(data, rng):
        made = dp.ExponentialHierarchical(epsilon=0.5, hierarchy=["no", "yes"])
        return made.randomise("yes" if data[0] > 0.5 else "no")

    for released in (answer, category, hierarchy):
        found = explored(released, ["diffprivlib"])
        assert (found.ledger_epsilon, found.has_findings) == (pytest.approx(0.5), False)


def test_one_value_that_is_released_three_times_is_refused(dp):
    def answers(data, rng):
        made = dp.Binary(epsilon=0.5, value0="no", value1="yes")
        return [made.randomise("yes" if data[0] > 0.5 else "no") for _ in range(3)]

    assert explored(answers, ["diffprivlib"]).refusals


def test_a_bingham_direction_costs_epsilon_at_the_spectral_norm(dp):
    def direction(data, rng):
        return dp.Bingham(epsilon=0.5, sensitivity=1.0).randomise(np.diag([float(data[0]), 1.0]))

    found = explored(direction, ["diffprivlib"])
    assert (found.ledger_epsilon, found.has_findings) == (pytest.approx(0.5), False)
    assert found.primitive_uses[0].measured == 1.0

    def larger(data, rng):
        return dp.Bingham(epsilon=0.5, sensitivity=1.0).randomise(np.diag([2.0 * float(data[0]), 1.0]))

    assert explored(larger, ["diffprivlib"]).primitive_uses[0].excess == pytest.approx(2.0)


def test_a_vector_is_undeclared_randomness_and_accuses_nobody(dp):
    def minimiser(data, rng):
        made = dp.Vector(epsilon=1.0, function_sensitivity=0.25, dimension=1, alpha=1.0, n=len(data))
        noisy = made.randomise(lambda coefficient: float(((coefficient - data.mean()) ** 2).sum()))
        grid = np.linspace(-3.0, 3.0, 13)
        return float(grid[np.argmin([noisy(np.array([x])) for x in grid])])

    found = explored(minimiser, ["diffprivlib"])
    assert not found.has_findings, found
    assert math.isfinite(found.ledger_epsilon)
