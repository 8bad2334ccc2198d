"""137 private programs as people write them: most are certified at their exact epsilon, and those refused are listed.

The list `REFUSED_TODAY` fails in both directions: a program that is certified from now on is struck out.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
from pathlib import Path

import pytest

import privcheck

pytestmark = pytest.mark.long

HERE = Path(__file__).parent
FILES = ("arrays", "choices", "epochs", "patterns", "records", "repositories", "shapes")
PROGRAMS = [
    name
    for file in FILES
    for name in re.findall(
        r"^(?:class|def) (\w+)[^\n]*\n    # ", (HERE / f"programs_{file}.py").read_text("utf-8"), re.M
    )
]
"""The first line of a program is its argument."""

CONTEXTS = privcheck.Contexts(shape=(2, 2), norm=1.0)


def today():
    """Return the module programs_today.py, which is in no package."""
    spec = importlib.util.spec_from_file_location("programs_today", HERE / "programs_today.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


OPTIONS, NEVER_READ, REFUSED_TODAY = today().OPTIONS, today().NEVER_READ, today().REFUSED_TODAY
OVERCHARGED_TODAY, UNREACHED_TODAY = today().OVERCHARGED_TODAY, today().UNREACHED_TODAY
OTHERS = {*REFUSED_TODAY, *OVERCHARGED_TODAY, *UNREACHED_TODAY}


def budget(program) -> dict[str, float]:
    """Return what a program declares: the default of its parameter epsilon or rho."""
    parameters = inspect.signature(program).parameters
    return {name: parameters[name].default for name in ("epsilon", "rho") if name in parameters}


def certified(program, name):
    options = OPTIONS.get(name, {})
    if options.get("feedback") == "contextual":
        options = options | {"contexts": CONTEXTS}
    return privcheck.certify(program, **{"arms": 2, "horizon": 8, "runs": 1} | options | budget(program))


def test_there_are_137_and_each_is_listed_once() -> None:
    assert len(PROGRAMS) == len(set(PROGRAMS)) == 137
    assert set(PROGRAMS) >= set(REFUSED_TODAY) | set(OPTIONS)


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in OTHERS])
def test_a_right_program_is_certified_at_its_exact_budget(written, name) -> None:
    found = certified(written[name], name)
    assert found.granted, str(found)
    ((notion, declared),) = budget(written[name]).items()
    charged = 0.0 if name in NEVER_READ else declared
    assert getattr(found, f"ledger_{notion}") == pytest.approx(charged, abs=1e-6)


@pytest.mark.parametrize("name", OVERCHARGED_TODAY)
def test_a_right_program_that_is_charged_too_much_today(written, name) -> None:
    ((notion, declared),) = budget(written[name]).items()
    assert not certified(written[name], name).granted
    build = written[name]
    found = privcheck.certify(lambda rng: build(rng), arms=2, horizon=8, runs=1, **{notion: 4 * declared})
    assert found.granted, str(found)
    assert getattr(found, f"ledger_{notion}") == pytest.approx(OVERCHARGED_TODAY[name], abs=1e-6)


@pytest.mark.parametrize("name", UNREACHED_TODAY)
def test_a_right_program_with_a_line_that_never_runs(written, name) -> None:
    found = certified(written[name], name)
    assert not found.granted, f"{name} is certified now: strike it out of UNREACHED_TODAY"
    assert [*found.leaks, *found.refusals] == []
    assert "1 line never ran: programs_repositories.py:" in str(found)
    assert str(found).endswith(f": {UNREACHED_TODAY[name]})")
    assert found.ledger_epsilon == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("name", REFUSED_TODAY)
def test_a_right_program_that_is_refused_today(written, name) -> None:
    reason, line = REFUSED_TODAY[name]
    found = certified(written[name], name)
    assert not found.granted, f"{name} is certified now: strike it out of REFUSED_TODAY"
    assert list(dict.fromkeys(leak.code for leak in found.leaks)) == [line]
    assert reason in str(found.leaks[0])
