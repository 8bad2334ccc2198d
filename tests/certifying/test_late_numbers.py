"""A number that the last round chooses by a reward, and a later round reads: never granted, whatever holds it."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path

import pytest

from privcheck import certify

FILE = Path(__file__).parent / "late_numbers.py"


def load():
    spec = importlib.util.spec_from_file_location("late_numbers", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


late = load()
NAMES = [
    name
    for name, value in vars(late).items()
    if inspect.isclass(value) and issubclass(value, late.Base) and name != "Base"
]


@pytest.mark.parametrize("name", NAMES)
def test_a_number_chosen_in_the_last_round_is_never_granted(name):
    certificate = certify(f"{FILE}:{name}", epsilon=1.0, arms=2, horizon=late.ROUNDS, runs=1)
    assert not certificate.granted, str(certificate)
