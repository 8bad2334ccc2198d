"""Record and replay of third-party code: correct code passes at its true loss, every broken twin is found.

All noise but OpenDP's is seeded. No verdict depends on OpenDP's: outputs are forced, and inputs do not depend on it.
"""

# ruff: noqa: NPY002  numpy's global generator is what these tests are about

import importlib
import random
import sys
import textwrap
import threading

import numpy as np
import pytest

import privcheck
from privcheck.certifying import patched
from privcheck.certifying._primitives.drawn_noise import Noise
from privcheck.certifying._primitives.measured_distance import METRICS
from privcheck.certifying._primitives.recorded_calls import CallTape, ForcedCalls
from privcheck.certifying._primitives.shipped_declarations import SHIPPED
from privcheck.certifying._primitives.unread_noise import drawn as noise_of_law
from privcheck.cli import main
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import Gaussian, Laplace
from privcheck.mechanisms.tape import DivergenceError
from tests.certifying import third_party

LEGACY = {name: getattr(np.random, name) for name in ("laplace", "normal", "standard_normal", "randn", "default_rng")}


def explored(target, primitives=("numpy",), **options):
    options = {"epsilon": 1.0, "runs": 2} | ({"arms": 2} if isinstance(target, type) else {"horizon": 5}) | options
    return privcheck.certify(target, primitives=primitives, **options)


@pytest.fixture(autouse=True)
def everything_is_put_back():
    alias, code = third_party.earlier_alias, third_party.INVOKE.__code__
    states = random.getstate(), np.random.get_state()[1].tolist()
    generator = third_party.MODULE_RNG
    yield
    assert {name: getattr(np.random, name) for name in LEGACY} == LEGACY
    assert third_party.earlier_alias is alias
    assert third_party.INVOKE.__code__ is code
    assert third_party.MODULE_RNG is generator
    assert type(generator) is np.random.Generator
    assert np.random.RandomState.__module__ == "numpy.random.mtrand"
    assert (random.getstate(), np.random.get_state()[1].tolist()) == states
    assert random.Random.gauss.__code__.co_filename == random.__file__


# Correct code passes, at its true loss


@pytest.mark.parametrize(
    "policy",
    [
        third_party.Blocks,
        third_party.OneByOne,
        third_party.ByLocation,
        third_party.InPlace,
        third_party.OwnGenerator,
        third_party.ModuleGenerator,
    ],
)
def test_correct_policies_pass_at_their_epsilon(policy):
    found = explored(policy, horizon=17)
    assert not found.has_findings, found
    assert found.coverage == "explored"
    assert not found.granted
    assert found.upper is None
    assert found.is_inconclusive
    assert found.ledger_epsilon == pytest.approx(1.0, abs=1e-9)
    assert found.replay.largest_loss <= 1.0 + 1e-9
    assert {use.location.partition(":")[0] for use in found.primitive_uses} == {"third_party.py"}


@pytest.mark.parametrize(
    ("mechanism", "epsilon", "metric"),
    [
        (third_party.measured, 1.0, "L1"),
        (third_party.measured_by_alias, 1.0, "L1"),
        (third_party.measured_by_bound_method, 1.0, "L1"),
        (third_party.measured_vector, 0.5, "L1"),
        (third_party.measured_count, 1.0, "symmetric"),  # replacing a datum moves a count's list by 2, or by 1
    ],
)
def test_measurements_of_opendp_cost_what_their_maps_say(mechanism, epsilon, metric):
    found = explored(mechanism, ["opendp"])
    assert not found.has_findings, found
    (use,) = found.primitive_uses
    assert (use.name, use.metric, use.calls) == ("opendp.core.measurement_invoke", metric, found.replay.replays)
    largest = use.measured / 2.0 if metric == "symmetric" else epsilon
    assert found.ledger_epsilon == pytest.approx(largest, rel=1e-6)


def test_gaussian_noise_is_charged_by_the_accountants():
    found = explored(third_party.gauss, ["random"], epsilon=5.0, delta=1e-6)
    assert not found.has_findings
    expected = Gaussian.with_scale(2.0).charge(1.0).mu
    assert found.ledger_mu == pytest.approx(expected)
    assert explored(third_party.gauss, ["random"], epsilon=1.0).has_findings, "no pure epsilon bounds normal noise"


def test_a_symmetric_noise_matrix_is_one_release_of_its_upper_triangle():
    found = explored(third_party.normal_matrix, epsilon=None, mu=1.0)
    assert not found.has_findings
    worst = 2.0**0.5 / 2.0  # (1, 1) against (0, 1) moves entries 00 and 01 by 1; the noise has scale 2
    assert found.ledger_mu == pytest.approx(worst)


# Broken twins are found, and located


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        (third_party.OneDrawForAll, "noise drawn here is in several numbers"),
        (third_party.SameDrawAgain, "noise drawn here is in several numbers"),
        (third_party.RawAtTheEnd, "the actions differ"),
        (third_party.NoiseByData, "is called with other parameters"),
    ],
)
def test_broken_policies_diverge(policy, reason):
    found = explored(policy, horizon=17)
    assert found.replay.divergences
    assert not found.is_inconclusive
    assert reason in found.replay.first_divergence.reason


def test_a_second_release_is_charged_again():
    found = explored(third_party.NeverForgets, horizon=17)
    assert found.replay.divergences == 0
    assert found.ledger_epsilon > 1.5
    assert "third_party.py" in found.refusals[0]


@pytest.mark.parametrize(
    ("mechanism", "reason"),
    [
        (third_party.scale_by_data, "is called with other parameters on the other stream"),
        (third_party.branches, "is called on one stream only"),
        (third_party.swallows, "is called on one stream only"),
        (third_party.as_many_calls_as_data, ""),
        (third_party.as_long_as_data, "the input has shape"),
        (third_party.adds_raw, "the outputs differ"),
        (third_party.fails_on_data, "the run fails on one stream only"),
    ],
)
def test_broken_mechanisms_diverge(mechanism, reason):
    found = explored(mechanism, ["opendp"])
    assert found.replay.divergences
    assert reason in found.replay.first_divergence.reason
    if reason.startswith("is called"):
        assert "third_party.py:" in found.replay.first_divergence.reason


def test_a_declaration_of_the_wrong_argument_is_told(tmp_path, monkeypatch):
    """The target is correct: what it adds noise to is not what the declaration says."""
    (tmp_path / "noise_library.py").write_text("def noisy(total, scale):\n    return total + 0.5 * scale\n")
    (tmp_path / "its_user.py").write_text(
        "import noise_library\n\ndef release(data: list, rng):\n    return noise_library.noisy(sum(data), 1.0)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    user = importlib.import_module("its_user")

    def found(value):
        declared = privcheck.primitive("noise_library.noisy", value=value, law=Laplace.with_scale(1.0))
        return privcheck.certify(user.release, epsilon=1.0, horizon=4, runs=2, primitives=[declared])

    assert not found("total").replay.divergences
    for value, said in (("scale", "scale"), (1, "argument 1")):
        told = found(value).replay.first_divergence.reason
        assert f"total differs, and only {said} is declared to be private (`value` of the primitive)" in told


def test_a_declared_function_of_numpy_is_put_back():
    """It was left replaced: what stands for draws of numpy stood for the replacement, too."""
    declared = privcheck.primitive("numpy.random.laplace", value=0, law=Laplace.with_scale(1.0))
    found = explored(lambda data, rng: np.random.laplace(data.sum()), [declared], horizon=4)
    assert not found.replay.divergences
    assert np.random.laplace is LEGACY["laplace"]
    assert type(np.random.laplace).__module__ != "privcheck.certifying._primitives.hooks"


def test_a_sensitivity_by_the_name_of_no_argument_is_refused():
    declared = privcheck.primitive("numpy.random.laplace", value=0, sensitivity="zzz", law=Laplace.with_scale(1.0))
    with pytest.raises(PrivcheckError, match="sensitivity: got 'zzz', for a call of numpy"):
        privcheck.certify(
            lambda data, rng: np.random.laplace(data.sum()), epsilon=1.0, horizon=4, runs=2, primitives=[declared]
        )


def test_two_calls_add_up():
    found = explored(third_party.measured_twice, ["opendp"])
    assert found.ledger_epsilon == pytest.approx(2.0, rel=1e-6)
    assert "takes the reward of round" in found.refusals[0]
    assert not explored(third_party.measured_twice, ["opendp"], epsilon=2.001).has_findings


def test_a_sensitivity_that_is_stated_too_small_is_measured():
    half = privcheck.primitive("opendp.mod.Measurement.__call__", value=0, sensitivity=0.5)
    found = explored(third_party.measured, [half])
    assert [(use.declared, use.measured, use.exceeds) for use in found.primitive_uses] == [(0.5, 1.0, True)]
    assert found.has_findings
    assert "states a sensitivity of 0.5" in str(found)
    assert any("law of" in note for note in found.notes), "without a law nothing is charged, and this is said"
    enough = privcheck.primitive("opendp.mod.Measurement.__call__", value=0, sensitivity=1.0)
    assert not explored(third_party.measured, [enough]).has_findings


def test_calls_in_another_thread_are_not_taken_for_recorded():
    found = explored(third_party.in_a_thread, ["opendp"])
    assert any("another thread" in note for note in found.notes)


def test_an_alias_that_cannot_be_replaced_is_named():
    """Its draws are undeclared then, so that the replays decide nothing: no alias gives a silent pass."""
    found = explored(third_party.InAPartial, horizon=17)
    assert any("a partial function" in note for note in found.notes)
    assert found.is_inconclusive
    assert found.undeclared == ["the global generator of numpy"]


# A library of somebody else

LIBRARY = """
    import math, random

    class Adder:
        def __init__(self, bound, epsilon):
            self.bound, self.epsilon, self.rng = bound, epsilon, random.Random(4)
        def add(self, total, *, label=""):
            return total + self.bound / self.epsilon * self.rng.choice([-1, 1]) * self.rng.expovariate(1.0)

    def once(total, bound, epsilon):
        return Adder(bound, epsilon).add(total)

    def decorated(function):
        def inner(*args):
            return function(*args)
        return inner

    @decorated
    def add(total, bound, epsilon):
        return once(total, bound, epsilon)
"""


@pytest.fixture
def library(tmp_path, monkeypatch):
    (tmp_path / "strange_noise.py").write_text(textwrap.dedent(LIBRARY), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("strange_noise")
    del sys.modules["strange_noise"]


def by_bound(call):
    owner = call.owner
    bound, epsilon = (call.arguments if owner is None else vars(owner))["bound"], None
    epsilon = (call.arguments if owner is None else vars(owner))["epsilon"]
    return Laplace.with_scale(bound / epsilon)


def summed(add, *others):
    return lambda data, rng: add(float(data.sum()), *others)


def test_a_method_is_declared_in_one_line(library):
    adder = library.Adder(1.0, 0.5)
    held, table = adder.add, {"add": (library.Adder.add,)}
    method = privcheck.primitive("strange_noise.Adder.add", value=0, sensitivity="bound", law=by_bound)
    for call in (adder.add, held, lambda x: table["add"][0](adder, x)):  # aliases, in a tuple too
        found = explored(summed(call), [method])
        assert (found.ledger_epsilon, found.has_findings) == (pytest.approx(0.5), False)
    wrong = library.Adder(0.5, 0.5)
    found = explored(summed(wrong.add), [method])
    assert found.primitive_uses[0].excess == pytest.approx(2.0)
    assert found.ledger_epsilon == pytest.approx(1.0)


def test_only_the_outermost_of_nested_primitives_counts(library):
    declared = [
        privcheck.primitive("strange_noise.once", value="total", sensitivity="bound", law=by_bound),
        privcheck.primitive("strange_noise.Adder.add", value="total", sensitivity="bound", law=by_bound),
    ]
    found = explored(summed(library.add, 1.0, 1.0), declared)
    assert [use.name for use in found.primitive_uses] == ["strange_noise.once"]
    assert found.ledger_epsilon == pytest.approx(1.0)


def test_a_function_with_a_closure_is_declared(library):
    """`add` is the inner function of a decorator; the wrapper has to keep its free variable."""
    original = library.add.__code__
    declared = privcheck.primitive("strange_noise.add", value=0, law=Laplace.with_scale(1.0))
    found = explored(summed(library.add, 1.0, 1.0), [declared])
    assert (found.ledger_epsilon, found.has_findings) == (pytest.approx(1.0), False)
    assert library.add.__code__ is original


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
def test_patches_are_undone_whatever_is_raised(library, error):
    original = library.Adder.add.__code__

    def fails(data, rng):
        np.random.laplace(0, 1)
        raise error("stop")

    declared = privcheck.primitive("strange_noise.Adder.add", value=0)
    with pytest.raises((error, PrivcheckError)):
        explored(fails, ["numpy", declared])
    assert library.Adder.add.__code__ is original


def test_other_threads_keep_the_functions_they_had():
    seen, stop = [], threading.Event()

    def elsewhere():
        while not stop.is_set():
            seen.append(np.random.laplace(5.0, 1e-9))

    worker, state = threading.Thread(target=elsewhere), np.random.get_state()
    worker.start()
    try:
        found = explored(third_party.OneByOne)
    finally:
        stop.set()
        worker.join()
    np.random.set_state(state)
    assert not found.has_findings, "noise does not come from the generator that the thread draws from"
    assert all(type(value) is float and abs(value - 5.0) < 1e-6 for value in seen)


# Declarations and options


@pytest.mark.parametrize(
    ("declaration", "message"),
    [
        ({"name": "laplace", "value": 0}, "name: got 'laplace', expected a dotted name"),
        ({"name": "a.b", "value": -1}, "value: got -1"),
        ({"name": "a.b", "value": 0, "sensitivity": -1.0}, "sensitivity: got -1"),
        ({"name": "a.b", "value": 0, "metric": "L3"}, "metric: got 'L3', expected one of L1"),
        ({"name": "a.b", "value": 0, "law": 3.0}, "law: got 3.0"),
    ],
)
def test_bad_declarations_are_refused(declaration, message):
    with pytest.raises(PrivcheckError, match=message):
        privcheck.primitive(**declaration)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("no_such_library.noise.add", "no_such_library is not installed.*pip install no_such_library"),
        ("opendp.core.no_such_function", "has no 'no_such_function'"),
        ("opendp.mod.Measurement", "a class, expected a function or a method"),
        ("numpy.random.RandomState.laplace", "a compiled method"),
    ],
)
def test_a_primitive_that_cannot_be_replaced_is_refused_in_one_line(given, message):
    with pytest.raises(PrivcheckError, match=message) as caught:
        explored(third_party.measured, [privcheck.primitive(given, value=0)])
    assert "\n" not in str(caught.value)


def test_unknown_names_are_refused():
    with pytest.raises(
        PrivcheckError, match="primitives: got 'nunpy', expected numpy, random, scipy, opendp, diffprivlib"
    ):
        explored(third_party.measured, ["nunpy"])
    with pytest.raises(PrivcheckError, match="primitives"):
        explored(third_party.measured, [])


@pytest.mark.parametrize(
    ("given", "hint"),
    [("Numpy", "did you mean 'numpy'?"), ("open-dp", "did you mean 'opendp'?"), (3, "value=0)"), ("zz", "value=0)")],
)
def test_a_name_that_is_nearly_that_of_a_set_is_asked_about(given, hint):
    with pytest.raises(PrivcheckError) as caught:
        explored(third_party.measured, [given])
    assert str(caught.value).endswith(hint)


def test_shipped_declarations_resolve_where_the_library_is_installed():
    for name, found in SHIPPED.items():
        for one in found if name != "diffprivlib" or importlib.util.find_spec(name) else ():
            assert callable(one.resolve()[2])


def test_the_command_line(tmp_path):
    place = tmp_path / "strange_caller.py"
    place.write_text(
        "import privcheck\nfrom tests.certifying.third_party import measured, branches\n"
        "half = privcheck.primitive('opendp.mod.Measurement.__call__', value=0, sensitivity=0.5)\n",
        encoding="utf-8",
    )

    def status(name, primitives):
        options = ["--epsilon", "1.001", "--horizon", "4", "--runs", "3", "--primitives", primitives]
        with pytest.raises(SystemExit) as ended:
            main(["certify", f"{place}:{name}", *options])
        return ended.value.code or 0

    assert status("measured", "opendp") == 3
    assert status("branches", "opendp") == 1
    assert status("measured", f"{place}:half") == 1
    assert status("measured", f"{place}:measured") == 2


# Parts, against what they should be


def test_metrics_agree_with_their_definitions():
    one, two = [1.0, 2.0, 4.0], [1.0, 5.0, 2.0]
    assert METRICS["L1"](one, two) == 5.0
    assert METRICS["L2"](one, two) == pytest.approx(13.0**0.5)
    assert METRICS["Linf"](one, two) == 3.0
    assert METRICS["symmetric"](one, two) == 2.0
    assert METRICS["changes"](one, two) == 2.0
    assert METRICS["L1"](np.nan, 1.0) == np.inf
    assert METRICS["L1"](np.nan, np.nan) == 0.0
    with pytest.raises(DivergenceError):
        METRICS["L1"](one, two[:2])


def noise_of_a_run(tape):
    return Noise(tape, np.random.Generator(np.random.PCG64(5)))


@pytest.mark.parametrize("seed", range(40))
def test_random_linear_programs_release_the_same_on_both_streams(seed):
    """What is read is forced: on other data the program sees the recorded numbers, and the loss is |moved| / scale."""
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1, 5))
    factor, shift = rng.uniform(0.5, 2.0, size) * rng.choice([-1, 1], size), rng.normal(size=size)
    steps = rng.integers(0, 4, 3)

    def program(noise, data):
        drawn = noise_of_law(noise, "laplace", 0.0, 1.5, size, "numpy.random.laplace", "here")
        held = [drawn + data, data - drawn, drawn + (data + 0.0), -(drawn - data)][steps[0]]
        held = [held * factor, factor * held, held / (1 / factor), held * factor][steps[1]]
        held = [held + shift, shift + held, held - (-shift), held + shift][steps[2]]
        return np.asarray(held)

    one, two = rng.normal(size=size), rng.normal(size=size)
    tape = CallTape(np.random.default_rng(1))
    first = program(noise_of_a_run(tape), one)
    forced = ForcedCalls([], tape=tape)
    assert program(noise_of_a_run(forced), two) == pytest.approx(first, abs=1e-9)
    assert sum(m.charge.epsilon for m in forced.measured) == pytest.approx(np.abs(one - two).sum() / 1.5, rel=1e-9)


def test_patches_reach_lists_closures_and_classes():
    marker, other = object(), object()

    class Holder:
        attribute = marker

    held = [marker]

    def closure():
        return marker

    with patched() as patches:
        patches.objects([(marker, other)])
        later = held[0]
        assert held[0] is Holder.attribute
        assert held[0] is closure()
    assert Holder.attribute is held[0]
    assert later is not None
