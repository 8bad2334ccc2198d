"""What the tests of the algorithms share: random specs, and the actions of reference and kernel on one reward table."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from privcheck.bandits import ALGORITHMS
from privcheck.declared import Choice, Integer, declared_fields
from privcheck.feedback import kind
from privcheck.kernels import Generators


def random_specs(cls: type, arms: st.SearchStrategy[int]) -> st.SearchStrategy[Any]:
    """Draw specs whose parameters come from their declared everyday ranges."""
    others = {f.name: _typical(f.metadata) for f in declared_fields(cls) if f.name != "arms"}
    return st.builds(cls, arms=arms, **others)


def _typical(metadata: Any) -> st.SearchStrategy[Any]:
    typical = metadata["typical"]
    if isinstance(metadata["domain"], Choice):
        return st.sampled_from(typical)
    return (st.integers if isinstance(metadata["domain"], Integer) else st.floats)(*typical)


def example_spec(cls: Any, **changes: Any) -> Any:
    """Return a spec with the paper's defaults: of three arms, a budget of 1 and 1000 rounds, where it has these; a
    change of the `strength` is one of epsilon, or of rho.
    """
    values = {"arms": 3, "horizon": 1000} | ({cls.budget_name(): changes.pop("strength", 1.0)} if cls.private else {})
    return cls(**({name: value for name, value in values.items() if cls.declares(name)} | changes))


def reference_actions(spec: Any, table: np.ndarray, noise: np.random.Generator) -> list[int]:
    """Return the symbols of the reference, with privacy noise from `noise` and the coins of `kernel_actions`."""
    actions: list[int] = []
    by, policy = kind(spec.feedback), spec.build(np.random.default_rng(2), noise=noise)
    by.play(policy, iter(by.rounds(table, spec.arms, None)), spec.arms, actions)
    return actions


def kernel_actions(spec: Any, table: np.ndarray, noise: np.random.Generator, runs: int = 1, coins: Any = None) -> Any:
    """Return the symbols of the kernel; the environment's Generator is not needed here."""
    return spec.symbols(table, runs, Generators(np.random.default_rng(1), coins or np.random.default_rng(2), noise))


@pytest.fixture(params=[name for name in ALGORITHMS if ALGORITHMS[name].feedback != "contextual"], scope="session")
def algorithm(request: pytest.FixtureRequest) -> Any:
    """Every shipped algorithm in turn; for the contextual ones see test_linear_bandits.py."""
    return ALGORITHMS[request.param]


@pytest.fixture(scope="session")
def play() -> SimpleNamespace:
    return SimpleNamespace(specs=random_specs, reference=reference_actions, kernel=kernel_actions, example=example_spec)
