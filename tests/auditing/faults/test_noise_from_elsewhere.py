"""Noise that does not come from the policy's Generator: the true line is named, or none.

Nothing here fails by chance: all seeds are fixed, and what has no seed leads to no line however it falls.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.auditing._faults import find
from privcheck.results import Estimate, Witness
from privcheck.targets import Claim, Game, load

pytestmark = pytest.mark.long

FILE = Path(__file__).with_name("elsewhere_bandits.py")
SOMEWHERE = Estimate(0.5, 0.4, 0.6)

FOLLOWED = {
    "OfNumpy": "released-again", "FromImport": "released-again", "OfALibrary": "released-again",
    "InAList": "released-again", "Randn": "unbounded-loss", "Gauss": "unbounded-loss", "Gumbel": "released-again",
    "SeedsFromItsGenerator": "released-again", "SeedsGlobally": "fixed-seed", "RawBesideNoise": "raw-decision",
    "ExploresGlobally": "raw-argmax", "OwnState": "fixed-seed",
}  # fmt: skip
UNFOLLOWED = [
    "Scipy", "ScipyInAList", "Inversion", "InversionInAList", "InversionOfPython", "InversionOfTheGenerator",
    "InversionInAListOfTheGenerator", "StudentNoise", "UnseededState", "UnseededGenerator", "UnseededOfPython",
    "DerivedState", "DerivedGenerator", "Secrets", "OfTheModule", "Singleton", "Partial", "DefaultArgument",
    "FaintSecrets", "FaintOfTheModule", "FaintDerived", "FaintInversion", "FaintScipy", "WholeBeforeNoise",
]  # fmt: skip
CORRECT = [
    "OnceOfNumpy", "OnceByScipy", "OnceByInversion", "OnceBySecrets", "OnceOfTheModule", "OnceInAnArray", "Responds",
]  # fmt: skip


def found(name, pairs):
    """Return the faults that are found on pairs of streams that differ in their first round, and why none is."""
    claim, game = Claim(epsilon=1.0), Game(arms=2, horizon=6)
    target = load(f"{FILE}:{name}").target(claim, game, 6, 2)
    rng, faults, reasons = np.random.default_rng(3), [], []
    for number in range(pairs):
        first = np.full((6, 2), float(number % 2))
        first[0] = 1.0, 0.0
        second = first.copy()
        second[0] = 0.0, 1.0
        if number > 1:
            first[1:] = second[1:] = rng.integers(0, 2, (5, 2))
        witness = Witness(first, second, (1,), "", "", "first", SOMEWHERE, SOMEWHERE)
        named, why = find.find_faults(target, claim, game, [witness])
        assert bool(named) != bool(why)
        faults += named
        reasons.append(why)
    return faults, reasons


@pytest.mark.parametrize(("name", "kind"), FOLLOWED.items())
def test_global_noise_is_examined_like_noise_of_the_generator(name, kind):
    faults, reasons = found(name, 4)
    assert faults, reasons
    (line,) = [n for n, text in enumerate(FILE.read_text("utf-8").splitlines(), 1) if text.endswith(f"# {name}")]
    assert {(Path(fault.file).name, fault.line, fault.kind) for fault in faults} == {(FILE.name, line, kind)}


@pytest.mark.parametrize("name", [*UNFOLLOWED, *CORRECT])
def test_a_value_with_noise_that_is_not_followed_is_never_called_raw(name):
    faults, reasons = found(name, 1)
    assert faults == []
    assert all(reasons)


def test_opendp_is_not_followed_and_the_note_says_what_is():
    pytest.importorskip("opendp")
    for name in ("OpenDP", "OpenDPOfWholes"):
        faults, reasons = found(name, 2)
        assert faults == []
        assert "OpenDP" in reasons[0]
        assert "--primitives opendp" in reasons[0]


def test_the_global_generators_and_their_functions_are_as_they_were():
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    states = random.getstate(), np.random.get_state(legacy=False)["state"]["key"].tolist()  # noqa: NPY002
    functions = np.random.laplace, np.random.seed, random.gauss, random.Random.gauss.__code__, random._urandom
    found("OfNumpy", 1)
    assert (random.getstate(), np.random.get_state(legacy=False)["state"]["key"].tolist()) == states  # noqa: NPY002
    assert functions == (
        np.random.laplace, np.random.seed, random.gauss, random.Random.gauss.__code__, random._urandom
    )  # fmt: skip


def test_an_audit_names_the_line_at_which_global_noise_is_released_again():
    report = privcheck.audit(f"{FILE}:OfNumpy", epsilon=1.0, arms=2, horizon=8, runs=3000)
    assert report.verdict == "violation"
    assert {(fault.kind, fault.code.rpartition("# ")[2]) for fault in report.faults} == {("released-again", "OfNumpy")}
