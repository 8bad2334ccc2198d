"""Noise is recorded wherever its generator is kept, and what only names a generator keeps none."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from privcheck import certify, primitive
from privcheck.errors import PrivcheckError

OLDER = np.random.RandomState(5)
NEWER = np.random.default_rng(5)


def of_a_module(data, rng, scale):
    return data.sum() + OLDER.laplace(0.0, scale)


def of_a_module_beside_coins(data, rng, scale):
    return data + OLDER.laplace(0.0, scale, len(data)) + 0.0 * OLDER.randint(3)


def of_a_newer_one(data, rng, scale):
    return data.sum() + NEWER.laplace(0.0, scale)


@pytest.mark.parametrize("program", [of_a_module, of_a_module_beside_coins, of_a_newer_one])
def test_generators_of_modules_are_recorded(program):
    before = OLDER.get_state(legacy=False), NEWER.bit_generator.state
    found = certify(
        lambda data, rng: program(data, rng, 1.0), epsilon=1.0 + 1e-9, horizon=4, runs=3, primitives=["numpy"]
    )
    assert not found.has_findings, found
    assert found.undeclared == []
    assert found.ledger_epsilon == pytest.approx(1.0)
    assert certify(
        lambda data, rng: program(data, rng, 0.5), epsilon=1.0, horizon=4, runs=3, primitives=["numpy"]
    ).refusals
    assert type(OLDER) is np.random.RandomState
    assert str(before) == str((OLDER.get_state(legacy=False), NEWER.bit_generator.state))


def test_what_answers_queries_is_refused_in_words(monkeypatch):
    """A session of a library: it answers, and cannot be copied."""

    class Session:
        def __deepcopy__(self, memo):
            raise ValueError("pointers cannot be copied")

    library = SimpleNamespace(start=lambda data: Session())
    monkeypatch.setitem(sys.modules, "a_library_of_sessions", library)
    start = primitive("a_library_of_sessions.start", value="data")
    with pytest.raises(PrivcheckError, match=r"cannot be copied, Session, .* call each measurement"):
        certify(lambda data, rng: library.start(data.tolist()) and 0.0, horizon=3, primitives=[start])
