"""A policy in an installed package: what it keeps is found, put back and said, as that of one in a file."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import privcheck

CONTEXTS = privcheck.Contexts(shape=(2, 2), norm=1.0)
JOINT = {"feedback": "contextual", "neighbours": "context-reward", "contexts": CONTEXTS}

POLICY = """
import numpy as np
import privcheck
from privcheck.mechanisms import Laplace
from PACKAGE import store

class Policy(BASE):
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.t, self.sums = rng, epsilon, 0, privcheck.zeros(2)

    def select(self, context):
        return int(CHOICE > 0.0)

    def update(self, context, action, reward):
        self.t += 1
        self.sums += reward * context[action]
        if self.t % 4 == 0:
            Laplace(sensitivity=2.0 * np.sqrt(2.0), epsilon=self.epsilon).release(self.sums, self.rng)
            self.sums = privcheck.zeros(2)
"""
MEMO, HONEST = "store.SEEN.setdefault(0, context[0, 0])", "context[0, 0]"
NUMBER = iter(range(100))


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """Return a function that writes a package with a policy to a folder of installed packages, and imports it."""
    folder = tmp_path / "site-packages"
    monkeypatch.syspath_prepend(str(folder))
    made = []

    def install(choice: str, base: str = "object"):
        name = f"installed_{os.getpid()}_{next(NUMBER)}"
        package = folder / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("", encoding="utf-8")
        (package / "store.py").write_text("SEEN = {}\n", encoding="utf-8")
        text = POLICY.replace("PACKAGE", name).replace("CHOICE", choice).replace("BASE", base)
        (package / "policy.py").write_text(text, encoding="utf-8")
        importlib.invalidate_caches()
        made.append(name)
        return importlib.import_module(f"{name}.policy").Policy

    yield install
    for loaded in [each for each in sys.modules if each.partition(".")[0] in made]:
        del sys.modules[loaded]


def later_actions(policy, sign: float) -> list[int]:
    """Return the actions of the rounds after the first, on contexts that are negative but for the first one's sign."""
    actions = []
    for number in range(5):
        context = np.full((2, 2), -0.3)
        context[0, 0] = 0.5 * sign if number == 0 else -0.3
        actions.append(policy.select(context))
        policy.update(context, actions[-1], 0.5)
    return actions[1:]


@pytest.mark.parametrize("by_factory", [False, True])
def test_the_guard_undoes_what_an_installed_policy_keeps(installed, by_factory) -> None:
    found = []
    for sign in (1.0, -1.0):
        policy = installed(MEMO)
        target = (lambda rng, policy=policy: policy(rng)) if by_factory else policy
        found.append(later_actions(privcheck.guard(target, epsilon=1.0, arms=2, **JOINT), sign))
    assert found[0] == found[1] == [0, 0, 0, 0]


def test_alone_it_leaks(installed) -> None:
    found = [later_actions(installed(MEMO)(np.random.default_rng(0)), sign) for sign in (1.0, -1.0)]
    assert found[0] != found[1]


@pytest.mark.parametrize("by_factory", [False, True])
def test_an_installed_policy_that_keeps_a_context_is_not_granted(installed, by_factory) -> None:
    policy = installed(MEMO)
    target = (lambda rng: policy(rng)) if by_factory else policy
    found = privcheck.certify(target, epsilon=1.0, arms=2, horizon=8, runs=3, **JOINT)
    assert not found.granted


def test_an_honest_installed_policy_is_granted(installed) -> None:
    found = privcheck.certify(installed(HONEST), epsilon=1.0, arms=2, horizon=8, runs=3, **JOINT)
    assert found.granted


def test_a_destructor_of_an_installed_policy_is_refused(installed) -> None:
    policy = installed(HONEST)
    policy.__del__ = lambda self: None
    with pytest.raises(privcheck.PrivcheckError, match="__del__"):
        privcheck.guard(policy, epsilon=1.0, arms=2, **JOINT)


def test_an_installed_base_class_is_named(installed) -> None:
    """What classes of other packages keep is not put back: the certificate says so."""
    base = installed(HONEST)

    class Mine(base):
        pass

    found = privcheck.certify(Mine, epsilon=1.0, arms=2, horizon=8, runs=3, **JOINT)
    assert base.__module__ in str(found.rests_on)


def test_files_that_an_installed_policy_reads_in_a_round_are_seen(installed, tmp_path) -> None:
    file = tmp_path / "rate.txt"
    file.write_text("1.0", encoding="utf-8")
    policy = installed(f"context[0, 0] * float(__import__('pathlib').Path({str(file)!r}).read_text())")
    found = privcheck.certify(policy, epsilon=1.0, arms=2, horizon=8, runs=3, **JOINT)
    assert not found.granted
    assert "rate.txt" in str(found.notes)


def test_packages_that_targets_are_made_of_are_not_taken_for_theirs(tmp_path):
    """An installed privcheck took itself for the target's package, looked into its own code and never ended."""
    folder = tmp_path / "site-packages"
    shutil.copytree(Path(privcheck.__file__).parent, folder / "privcheck", ignore=shutil.ignore_patterns("__pycache__"))
    code = (
        "import privcheck, numpy\n"
        "from privcheck.reached_state import take_as_own\n"
        "print(privcheck.__file__)\n"
        "print(privcheck.certify('adap-ucb', epsilon=1.0, arms=2, horizon=6, runs=2).granted)\n"
        "print(take_as_own(numpy.zeros(2), privcheck.clip))\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(folder)},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    file, granted, taken = done.stdout.splitlines() or [done.stderr] * 3
    assert file.startswith(str(folder))
    assert (granted, taken) == ("True", "False")
