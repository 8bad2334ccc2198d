"""Every name of numpy's Generator is met by every handler: drawn, handed on, or refused.

Nothing here fails by chance: all seeds are fixed, and numbers are compared with numpy's own.
"""

from __future__ import annotations

import ast
import copy
import math
import pickle
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.auditing._faults import source_code
from privcheck.certifying._primitives.drawn_noise import Noise as UnreadDraws
from privcheck.certifying._primitives.recorded_calls import CallTape
from privcheck.certifying._primitives.recorded_generators import recorded_generator, recording_noise
from privcheck.certifying._primitives.unread_noise import UnreadNoise
from privcheck.errors import PrivcheckError
from privcheck.generators import (
    NOISE,
    GuardedDraws,
    HandledGenerator,
    MaskedDraws,
    Noise,
    PlayedDraws,
    bits_of,
    copying,
    paused,
)
from privcheck.generators._handled_generator import (
    Handler,
    meet,
    of_numpy,
)
from privcheck.generators._masked_draws import FACTOR
from privcheck.generators._methods import METHODS, Coin, Fixed, State
from privcheck.generators._spawned_generator import SpawnedGenerator
from privcheck.mechanisms import DivergenceError
from privcheck.private_values import Private, PrivateSource

PLAYED = 0.25
"""The number that is played back for each draw of noise."""

ARGUMENTS = {
    "beta": (1.0, 2.0), "binomial": (5, 0.5), "bytes": (5,), "chisquare": (2.0,), "choice": (5,),
    "dirichlet": ([1.0, 2.0],), "f": (2.0, 3.0), "gamma": (2.0,), "geometric": (0.3,), "hypergeometric": (5, 5, 3),
    "integers": (9,), "logseries": (0.3,), "multinomial": (5, [0.5, 0.5]), "multivariate_hypergeometric": ([3, 4], 2),
    "multivariate_normal": ([0.0, 0.0], np.eye(2)), "negative_binomial": (3, 0.5), "noncentral_chisquare": (2.0, 1.0),
    "noncentral_f": (2.0, 3.0, 1.0), "pareto": (2.0,), "permutation": (50,), "permuted": (np.arange(50),),
    "power": (2.0,), "standard_gamma": (2.0,), "standard_t": (3.0,), "triangular": (0.0, 0.5, 1.0),
    "vonmises": (0.0, 1.0), "wald": (1.0, 1.0), "weibull": (2.0,), "zipf": (2.0,),
}  # fmt: skip
"""Arguments of the methods that need some."""

NEW: tuple[str, ...] = ()
"""Names in the table that the oldest supported numpy lacks. Every other name has to be there: a misspelt one fails."""


def guarded(bits):
    return GuardedDraws(bits, PrivateSource())


def played(bits, name="laplace"):
    """Return a handler that plays back draws of a method, with the scale of those that `called` makes."""
    scale = -1.0 / math.log(0.7) if name == "geometric" else 1.0
    return PlayedDraws(bits, [(np.array([PLAYED]), METHODS[name].law, np.array([scale]))] * 9)


def masked(_):
    return MaskedDraws(3, 4)


def recorded(bits):
    return recorded_generator(bits)._handler


HANDLERS = {"guarded": guarded, "played": played, "masked": masked, "recorded": recorded}
UNREAD = {"guarded", "recorded"}


def handler(name):
    return HANDLERS[name](np.random.PCG64([3, 0]))


def plain():
    return np.random.Generator(np.random.PCG64([3, 0]))


def called(rng, name):
    """Return what a method draws; of `shuffle`, what it has put in order."""
    if name != "shuffle":
        return getattr(rng, name)(*ARGUMENTS.get(name, ()))
    shuffled = np.arange(50)
    rng.shuffle(shuffled)
    return shuffled


def names(kind):
    return sorted(name for name, method in METHODS.items() if isinstance(method, kind) and not lacking(name))


def lacking(name):
    """Return whether this numpy is older than a name."""
    return name in NEW and not hasattr(np.random.Generator, name)


# The table


def test_the_table_has_every_name_of_numpys_generator():
    """Found by introspection: everything that its class defines, and everything that it shows, properties too."""
    assert set(of_numpy(np.random.Generator)) <= set(METHODS)
    assert {name for name in dir(np.random.Generator) if name not in dir(object)} <= set(METHODS)
    assert all(name == method.name for name, method in METHODS.items())


def test_each_name_is_met_by_the_class_itself():
    """No name but the harmless ones is numpy's own: those of its state are written there, the others by the table."""
    own = vars(HandledGenerator)
    assert {name for name in METHODS if name not in own and not lacking(name)} <= {"__new__", "_poisson_lam_max"}
    assert {name for name in names(Fixed) if not name.startswith("__")} == {"_poisson_lam_max"}
    assert type(np.random.Generator._poisson_lam_max) is float


def test_names_of_fixed_things_are_not_callable_by_policies():
    assert set(names(Fixed)) == {"__doc__", "__init__", "__new__", "__repr__", "__str__", "_poisson_lam_max"}


def test_all_readers_of_code_take_the_same_methods_for_noise():
    assert source_code.NOISE is NOISE
    assert "logistic" in NOISE
    assert not NOISE & {"random", "uniform", "integers"}
    assert {METHODS[name].law for name in NOISE} == MaskedDraws.laws


def test_the_package_has_one_subclass_of_numpys_generator():
    found = [
        f"{file.stem}.{node.name}"
        for file in sorted(Path(privcheck.__file__).parent.rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base).endswith("random.Generator") for base in node.bases)
    ]
    assert found == ["_handled_generator.HandledGenerator"]


# Each handler


@pytest.mark.parametrize("which", HANDLERS)
@pytest.mark.parametrize("name", names(Noise))
def test_draws_of_noise_are_handed_to_the_handler(which, name):
    draws = played(np.random.PCG64([3, 0]), name) if which == "played" else handler(which)
    rng = HandledGenerator(draws)
    before = bits_of(rng).state
    if which == "recorded":
        with recording_noise(UnreadDraws(CallTape(plain()), plain())):
            found = called(rng, name)
    else:
        found = called(rng, name)
    if METHODS[name].law not in draws.laws:
        assert np.array_equal(found, called(plain(), name))
        assert bits_of(rng).state != before
        assert which != "masked" or draws.coins == 1
        return
    assert bits_of(rng).state == before, "numpy drew the noise itself"
    if which == "guarded":
        assert isinstance(found, Private)
        assert len(draws._source.draws) == 1
    elif which == "recorded":
        assert isinstance(found, UnreadNoise)
    elif which == "played":
        assert found == (0 if name == "geometric" else PLAYED)
    else:
        fresh = np.random.Generator(np.random.PCG64([4, 1]))
        assert found == FACTOR * called(fresh, name)
        assert draws.coins == 0


@pytest.mark.parametrize("which", HANDLERS)
@pytest.mark.parametrize("name", names(Coin))
def test_coins_are_numpys_own_and_hold_no_private_number(which, name):
    draws = handler(which)
    rng = HandledGenerator(draws)
    found = called(rng, name)
    if which == "masked":
        assert draws.coins > 0
    if (which, name) == ("masked", "multivariate_normal"):  # numpy makes it of noise, which is masked
        assert np.abs(found).max() > 1e4
        return
    assert type(found) is type(called(plain(), name))
    assert np.array_equal(found, called(plain(), name))


STATE = {
    "bit_generator": lambda rng: rng.bit_generator, "_bit_generator": lambda rng: rng._bit_generator,
    "__getstate__": lambda rng: rng.__getstate__(), "__reduce__": lambda rng: rng.__reduce__(),
    "__setstate__": lambda rng: rng.__setstate__(dict(bits_of(rng).state)),
    "copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": pickle.dumps,
    "reduce_ex": lambda rng: rng.__reduce_ex__(4), "a Generator": lambda rng: np.random.Generator(rng.bit_generator),
}  # fmt: skip


def test_every_name_of_the_state_is_tried():
    assert set(names(State)) <= {*STATE, "spawn"}


@pytest.mark.parametrize("which", HANDLERS)
@pytest.mark.parametrize("way", STATE)
def test_no_draw_passes_for_noise_once_the_state_was_read(which, way):
    draws = handler(which)
    rng = HandledGenerator(draws)
    STATE[way](rng)
    if which in ("guarded", "played"):
        assert draws.plain
        assert {type(called(rng, name)) for name in NOISE} <= {float, int}
    elif which == "masked":
        assert draws.coins > 0
    else:
        assert which == "recorded"  # draws by the state are coins, which both runs start alike
        assert rng.integers(2**60) == plain().integers(2**60)


@pytest.mark.parametrize("which", HANDLERS)
def test_generators_that_are_spawned_are_met(which):
    rng = HandledGenerator(handler(which))
    if which == "masked":
        with pytest.raises(PrivcheckError, match="spawn"):
            rng.spawn(1)
        return
    (child,) = rng.spawn(1)
    kinds = {"recorded": HandledGenerator, "guarded": SpawnedGenerator}
    assert type(child) is kinds.get(which, np.random.Generator)
    (same,) = plain().spawn(1)
    assert (child.random(), child.laplace(1.0, scale=2.0)) == (same.random(), same.laplace(1.0, scale=2.0))
    assert type(child.spawn(1)[0]) is type(child)
    assert repr(child).startswith("Generator(")


def test_lines_that_draw_noise_from_generators_that_are_spawned_are_noted():
    draws = handler("guarded")
    (child,) = HandledGenerator(draws).spawn(1)
    child.random(), child.integers(2)
    assert not draws.noise_of_children
    child.spawn(1)[0].normal()
    assert len(draws.noise_of_children) == 1


@pytest.mark.parametrize("which", HANDLERS)
def test_they_are_numpys_generators_for_other_code(which):
    rng = HandledGenerator(handler(which))
    assert isinstance(rng, np.random.Generator)
    assert np.random.default_rng(rng) is rng
    assert str(rng) == repr(rng) == "Generator(PCG64)"
    with copying():
        copied = copy.deepcopy({"one": rng, "other": rng})
    assert copied["one"] is copied["other"]
    kind = HandledGenerator if which == "recorded" else np.random.Generator
    assert type(copied["one"]) is type(pickle.loads(pickle.dumps(rng))) is kind
    assert copied["one"].random() == plain().random()


def test_the_guards_own_copies_leave_noise_unread_and_are_no_coins():
    for which in ("guarded", "masked"):
        draws = handler(which)
        rng = HandledGenerator(draws)
        with copying():
            copy.deepcopy(rng)
        assert not draws.plain
        assert which == "guarded" or draws.coins == 0


def test_nothing_is_played_while_it_is_paused():
    draws = handler("played")
    rng = HandledGenerator(draws)
    with paused([rng, np.random.default_rng(0)]):
        assert rng.laplace() == plain().laplace()
    assert rng.laplace() == PLAYED


def test_what_is_played_has_the_law_and_the_scale_that_it_had():
    assert HandledGenerator(handler("played")).laplace(2.0, 1.0 + 1e-9) == 2.0 + PLAYED
    for draw in (lambda rng: rng.laplace(0.0, 0.5), lambda rng: rng.exponential(), lambda rng: rng.laplace(size=2)):
        with pytest.raises(DivergenceError, match="draw 1 of noise"):
            draw(HandledGenerator(handler("played")))


def test_noise_in_a_given_array_or_in_other_precision_is_masked():
    rng, filled = HandledGenerator(handler("masked")), np.zeros(3)
    assert rng.standard_normal(out=filled) is filled
    assert np.abs(filled).min() > 1e4
    assert abs(rng.standard_exponential(dtype=np.float32)) > 1e3
    assert rng._handler.coins == 0


# A numpy that has more


class Newer(np.random.Generator):
    """A later numpy's Generator, with a new law, a new property and a new way to the state."""

    def cauchy_noise(self, loc=0.0, scale=1.0, size=None):
        return loc + scale * self.standard_cauchy(size)

    @property
    def stream(self):
        return self.bit_generator

    def __replace__(self, **_):
        return self


def newer(which, *lines):
    """Return a Generator of the class as it would be with such a numpy, with these lines more in the table."""
    twin = type("Twin", (HandledGenerator, Newer), {})
    meet(twin, METHODS | {line.name: line for line in lines})
    return twin(handler(which))


@pytest.mark.parametrize("which", HANDLERS)
def test_a_new_method_of_numpy_is_refused(which):
    rng = newer(which)
    before = bits_of(rng).state
    for name in ("cauchy_noise", "stream", "__replace__"):
        with pytest.raises(PrivcheckError, match=name):
            getattr(rng, name)
        with pytest.raises(PrivcheckError, match=name):
            hasattr(rng, name)
    assert bits_of(rng).state == before
    assert rng.integers(9) == plain().integers(9)


@pytest.mark.parametrize("which", HANDLERS)
def test_without_the_refusal_it_would_draw_behind_the_handlers_back(which):
    """The broken twin: a class that lists methods, as each of the four did, lets a new one through."""
    twin = type("Twin", (HandledGenerator, Newer), {})
    assert twin(handler(which)).stream is not None


@pytest.mark.parametrize("which", HANDLERS)
def test_one_line_in_the_table_makes_it_known(which):
    rng = newer(which, Coin("cauchy_noise"))
    assert rng.cauchy_noise(1.0, 2.0) == 1.0 + 2.0 * plain().standard_cauchy()
    rng = newer(which, Noise("cauchy_noise", "laplace", ("loc", "scale")))
    found = rng.cauchy_noise()
    assert isinstance(found, Private) if which == "guarded" else found != 0.0
    with pytest.raises(PrivcheckError, match="stream"):
        rng.stream  # noqa: B018


@pytest.mark.parametrize("which", HANDLERS)
def test_a_new_way_to_the_state_is_refused_until_the_class_has_its_own(which):
    rng = newer(which, State("stream"))
    with pytest.raises(PrivcheckError, match="stream"):
        rng.stream  # noqa: B018


def test_a_handler_says_what_becomes_of_noise_of_children_and_of_the_state():
    """One that forgets any of them is not made."""
    methods = {"laws": frozenset(), "noise": None, "exposed": None, "child": None}
    for left_out in ("noise", "exposed", "child"):
        partial = {name: value for name, value in methods.items() if name != left_out}
        with pytest.raises(TypeError, match=left_out):
            type("Partial", (Handler,), partial)(np.random.PCG64(0))
    type("Whole", (Handler,), methods)(np.random.PCG64(0))
