"""Lines of a target that matter for privacy and that no explored execution ran."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from privcheck import Certificate, audit, certify
from privcheck.cli import main
from privcheck.reporting import details
from privcheck.reporting import page as render_certificate
from privcheck.reporting._text.repeating import repeat_audit
from privcheck.results import UnreachedLine
from privcheck.testing import PrivacyFailure, assert_certified
from tests.example_results import GRANTED

FILE = Path(__file__).parent / "late_branches.py"
LINES = FILE.read_text(encoding="utf-8").splitlines()
MARKED = sorted({name for line in LINES for name in re.findall(r"# here: (\w+)$", line)})
RELEASED = ["ReleasedBranch"]
COINS = ["Tossed"]
HARMLESS = ["SetLater"]
"""Those that only add up a reward in the line that they reach late."""


def here(name):
    return [number for number, line in enumerate(LINES, 1) if line.endswith(f"# here: {name}")]


def certified(name, horizon, **options):
    return certify(f"{FILE}:{name}", epsilon=1.0, arms=2, horizon=horizon, **{"runs": 2} | options)


@pytest.mark.parametrize("name", MARKED)
def test_a_line_that_comes_after_the_horizon_is_listed_and_nothing_is_granted(name):
    certificate = certified(name, 20)
    assert [line.line for line in certificate.unreached] == here(name)
    assert [line.file for line in certificate.unreached] == [FILE.name] * len(here(name))
    assert [line.text for line in certificate.unreached] == [LINES[line - 1].strip() for line in here(name)]
    assert (certificate.granted, certificate.is_inconclusive) == (False, True)
    assert (certificate.coverage, certificate.epsilon_upper) == ("all-executions-under-guard", 1.0)


@pytest.mark.parametrize("name", MARKED)
def test_a_longer_horizon_reaches_it_and_decides(name):
    certificate = certified(name, 24)
    assert certificate.unreached == []
    assert certificate.granted == (name in [*RELEASED, *COINS, *HARMLESS])
    assert bool(certificate.leaks) != certificate.granted
    assert {leak.line for leak in certificate.leaks} <= set(here(name))


@pytest.mark.parametrize("name", ["Quiet", "Constant", "Uniform", "OnlyRaises", "Parameters", "AsksForType", "Unused"])
def test_what_cannot_run_or_does_not_matter_is_not_listed(name):
    certificate = certified(name, 6)
    assert (certificate.unreached, certificate.notes, certificate.granted) == ([], [], True)


def test_a_parameter_that_opens_a_branch_has_it_listed():
    """The broken twin of the branches that parameters decide: with these parameters they are open."""
    sys.path.insert(0, str(FILE.parent))
    try:
        import late_branches
    finally:
        sys.path.remove(str(FILE.parent))
    build = lambda rng, arms, epsilon: late_branches.Parameters(rng, arms, epsilon, coins=rng, doubled=True)  # noqa: E731
    short, long = (certify(build, epsilon=1.0, arms=2, horizon=horizon, runs=2) for horizon in (2, 4))
    assert [line.text for line in short.unreached] == ["self.total += reward"]
    assert long.unreached == []


WAYS = [
    "if self.t >= {n}: self.arm = int({value} > 0.5)",
    "if self.t < {n}:\n            return\n        self.arm = int({value} > 0.5)",
    "self.arm = int({value} > 0.5) if self.t >= {n} else 0",
    "self.arm = int(self.t >= {n} and {value} > 0.5)",
    "self.arm = int(self.t < {n} or {value} > 0.5)",
    "for _ in range(self.t // {n}):\n            self.arm = int({value} > 0.5)",
    "while self.t >= {n}:\n            self.arm = int({value} > 0.5)\n            break",
    "self.arm = sum(int(x > 0.5) for x in [{value}] * (self.t // {n})) % 2",
    "choose = lambda x: int(x > 0.5)\n        self.arm = choose({value}) if self.t >= {n} else 0",
]
VALUES = ["reward", "self.kept[-1]", "self.memory['last']", "self.total", "sum(self.kept)"]
HEAD = """
from privcheck.mechanisms import Laplace


class Policy:
    def __init__(self, rng):
        self.rng, self.t, self.arm, self.total, self.kept, self.memory = rng, 0, 0, 0.0, [], {{}}

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.total = reward
        self.kept.append(reward)
        self.memory["last"] = reward
        {way}
"""


@pytest.mark.parametrize("way", range(len(WAYS)))
def test_random_late_branches_are_never_granted(tmp_path, way):
    """Whatever is written, in whatever round: before it the line is listed, from it on it is a leak."""
    rng = np.random.default_rng(way)
    value, n = VALUES[rng.integers(len(VALUES))], int(rng.integers(3, 12))
    file = tmp_path / "random_policy.py"
    file.write_text(HEAD.format(way=WAYS[way].format(value=value, n=n)), encoding="utf-8")
    before, after = (certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=horizon, runs=1) for horizon in (n - 1, n))
    assert (before.granted, before.leaks) == (False, [])
    assert before.is_inconclusive
    assert "> 0.5" in before.unreached[0].text
    assert after.leaks
    assert not after.granted
    released = f"Laplace(sensitivity=1.0, epsilon=0.01).release({value}, self.rng)"
    if value != "sum(self.kept)":  # the twin, which releases
        file.write_text(HEAD.format(way=WAYS[way].format(value=released, n=n)), encoding="utf-8")
        assert certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=n, runs=1).granted
        assert certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=n - 1, runs=1).is_inconclusive


def test_branches_in_a_package_of_the_target_are_listed(tmp_path, monkeypatch):
    package = tmp_path / "late_package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "base.py").write_text(
        "class Base:\n    t, arm = 0, 0\n    def __init__(self, rng):\n        pass\n"
        "    def select(self):\n        return self.arm\n"
        "    def update(self, action, reward):\n        self.t += 1\n        self.arm = rule(self.t, reward)\n"
        "from late_package.rules import rule\n"
    )
    (package / "rules.py").write_text("def rule(t, x):\n    if t > 5:\n        return int(x > 0.5)\n    return 0\n")
    (package / "policy.py").write_text("from late_package.base import Base\n\nclass Policy(Base):\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    certificate = certify("late_package.policy:Policy", epsilon=1.0, arms=2, horizon=5, runs=1)
    assert certificate.unreached == [UnreachedLine("rules.py", 3, "return int(x > 0.5)")]


def test_code_whose_source_is_not_known_is_not_granted():
    """Without the source it cannot be said which lines matter; the guard holds all the same."""
    names = {}
    text = Path(FILE).read_text(encoding="utf-8")
    exec(compile(text, "<typed in>", "exec"), names)
    certificate = certify(names["Constant"], epsilon=1.0, arms=2, horizon=4, runs=1)
    assert (certificate.granted, certificate.is_inconclusive, certificate.epsilon_upper) == (False, True, 1.0)
    assert "the source of" in certificate.notes[0]
    assert "Constant.update" in certificate.notes[0]


def test_a_policy_that_releases_nothing_is_told_what_is_the_case():
    certificate = certified("Constant", 20)
    assert (certificate.granted, certificate.epsilon_upper, certificate.ledger_epsilon) == (True, 1.0, 0.0)
    text = plain(certificate)
    assert "nothing was released through a mechanism in 2 guarded runs of 20 rounds, and no private value" in text
    assert "numpy" not in text
    late = certified("ReleasedBranch", 20)
    assert "numpy" not in plain(late)
    assert "nothing was released: draw noise from the Generator" in plain(certify("ucb", epsilon=1.0, arms=2))


def plain(certificate):
    console = Console(width=300, file=io.StringIO())
    console.print(details(certificate))
    return console.file.getvalue()


def status(*arguments):
    try:
        main(["certify", *arguments])
    except SystemExit as ended:
        return ended.code or 0
    return 0


def test_the_command_line_says_which_lines(capsys):
    place = f"{FILE}:RawBranch"
    options = ["--epsilon", "1", "--arms", "2", "--runs", "2"]
    assert status(place, *options, "--horizon", "20") == 3
    out = " ".join(capsys.readouterr().out.split())
    (line,) = here("RawBranch")
    assert f"late_branches.py:{line} self.arm = int(reward > 0.5)" in out
    assert (
        "? inconclusive: epsilon is at most 1.000 under the guard, but 1 line that matters for privacy never ran" in out
    )
    assert status(place, *options, "--horizon", "24") == 1
    assert status(f"{FILE}:ReleasedBranch", *options, "--horizon", "24") == 0
    assert status(f"{FILE}:ReleasedBranch", *options, "--horizon", "20", "--json", "-") == 3
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert [line["line"] for line in found["unreached"]] == here("ReleasedBranch")


def test_the_page_and_the_file_have_the_lines():
    lines = [UnreachedLine("<bandit>.py", number, f"x{number} = a < {number}") for number in range(1, 13)]
    one = replace(GRANTED, complete=False, unreached=lines)
    assert Certificate.from_json(one.to_json()).unreached == lines
    page = render_certificate(one)
    assert "Lines that never ran" in page
    assert "&lt;bandit&gt;.py:12" in page
    assert "x12 = a &lt; 12" in page
    assert "Lines that never ran" not in render_certificate(GRANTED)
    text = plain(one)
    assert "<bandit>.py:10" in text
    assert "and 2 others" in text
    assert "12 lines that matter for privacy never ran, the first at <bandit>.py:1" in text
    assert "inconclusive (12 lines never ran, the first <bandit>.py:1: x1 = a < 1)" in str(one)


def test_older_files_have_no_such_lines():
    content = json.loads(GRANTED.to_json())
    del content["unreached"]
    assert Certificate.from_json(json.dumps(content)).unreached == []


def test_the_assertion_fails_and_lists_them():
    with pytest.raises(PrivacyFailure, match=r"Never ran: late_branches\.py:\d+: self\.arm = int\(reward > 0\.5\)"):
        assert_certified(f"{FILE}:RawBranch", 1.0, arms=2, horizon=20, runs=2)
    assert assert_certified(f"{FILE}:ReleasedBranch", 1.0, arms=2, horizon=24, runs=2).granted


@pytest.mark.parametrize("name", ["lazy-dp-ts", "dp-ucb", "rnm-ftnl"])
def test_the_default_horizon_of_a_shipped_algorithm_reaches_all_of_it(name):
    assert certify(name, epsilon=1.0, runs=4).granted


def test_the_default_horizon_of_an_algorithm_that_releases_late_is_long():
    assert not certify("dp-se", epsilon=1.0, horizon=16, runs=1).granted
    certificate = certify("dp-se", epsilon=1.0, runs=1)
    assert (certificate.granted, certificate.horizon) == (True, 2736)


def test_a_trace_function_is_put_back():
    seen = []
    previous = sys.gettrace()
    trace = lambda frame, event, argument: seen.append(event)  # noqa: E731
    sys.settrace(trace)
    try:
        certified("Quiet", 3, runs=1)
        assert sys.gettrace() is trace
    finally:
        sys.settrace(previous)


def test_lines_are_found_without_columns():
    """python -X no_debug_ranges keeps no columns; a line then counts as a whole."""
    place = f"{FILE}:RawBranch"
    call = f"import privcheck; c = privcheck.certify({place!r}, epsilon=1.0, arms=2, horizon=20, runs=1)"
    told = subprocess.run(
        [sys.executable, "-P", "-X", "no_debug_ranges", "-c", f"{call}; print([u.line for u in c.unreached])"],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    assert told.stdout.strip() == str(here("RawBranch"))


BUMP = np.zeros((24, 2)), np.pad(np.ones((1, 2)), ((22, 1), (0, 0)))


@pytest.mark.chance(0.0, "the guarded runs are the same on both streams")
def test_an_audit_of_the_guarded_build_speaks_of_what_is_certified():
    """The raw branch of round 21 is a violation by itself; under the guard it is stopped.

    The guarded runs are the same on both streams, so no event can be called a violation: the false-failure probability
    is 0. Unguarded, the arm of the last round is the reward of the one before, so the event has probabilities 0 and 1.
    """
    options = {"epsilon": 1.0, "arms": 2, "streams": BUMP, "runs": 400}
    raw = audit(f"{FILE}:RawBranch", **options)
    guarded = audit(f"{FILE}:RawBranch", **options, guarded=True)
    assert (raw.verdict, raw.guarded) == ("violation", False)
    assert (guarded.verdict, guarded.guarded) == ("consistent", True)
    assert guarded.epsilon_lower == 0.0
    assert "guarded=True" in str(repeat_audit(guarded).python)


@pytest.mark.parametrize(
    "line",
    ["exec('p.arm = int(p.s > 0.5)' if late else 'pass', {'p': self})", "self.arm = eval(TEXTS[late], {'p': self})"],
)
def test_text_that_is_run_is_code_that_cannot_be_read(line, tmp_path):
    text = f"""
TEXTS = "p.arm", "int(p.s > 0.5)"

class Policy:
    def __init__(self, rng):
        self.rng, self.arm = rng, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.s = reward
        self.arm = int(self.s + self.rng.laplace(0, 1) > 0.5)
        late = int(self.rng.random() < 1e-6)
        {line}
"""
    (tmp_path / "policy.py").write_text(text, encoding="utf-8")
    found = certify(f"{tmp_path / 'policy.py'}:Policy", epsilon=1.0, arms=2, horizon=6, runs=2)
    assert (found.leaks, found.granted) == ([], False)
    assert f"what {'exec' if 'exec' in line else 'eval'}() runs in Policy.update" in " ".join(found.notes)


def test_what_makes_a_class_has_run_and_is_not_asked_for_again(tmp_path):
    """`__set_name__` ran when the class was made; that an attribute has a computed name does not make it run later."""
    text = """
class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner):
        return getattr(instance, self.name)

    def __set__(self, instance, value):
        setattr(instance, self.name, max(value, 0.0))


class Policy:
    noisy = Positive()

    def __init__(self, rng):
        self.rng, self.arm, self.noisy = rng, 0, 0.0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.noisy = self.noisy + float(reward + self.rng.laplace(0, 1))
        self.arm = int(self.noisy > 0.5)
"""
    (tmp_path / "policy.py").write_text(text, encoding="utf-8")
    found = certify(f"{tmp_path / 'policy.py'}:Policy", epsilon=1.0, arms=2, horizon=6, runs=4)
    assert (found.granted, found.unreached) == (True, [])
