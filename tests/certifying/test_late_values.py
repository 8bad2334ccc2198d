"""What begins late by value, on a line that did run: the certificate names the line and the number."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from privcheck import certify
from privcheck.bandits import ALGORITHMS
from privcheck.certifying._certify import LATER
from privcheck.reporting import details
from privcheck.reporting import page as render_certificate

TEXT = """
import functools
import itertools
import math
import operator

import numpy as np
import privcheck

LIMIT = 10 ** 3
LATE = [0.0] * 40 + [1.0] * 960
CHECKS = (10, 40)


def waits(t, limit=40):
    return t > limit


class Policy:
    of_class = 40

    def __init__(self, rng, after=40):
        self.rng, self.t, self.arm, self.kept, self.z = rng, 0, 0, [], 0.0
        {init}

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        self.kept.append(reward)
        t, kept, r = self.t, self.kept, reward
        {line}

    def late(self, after):
        return self.t > after

    def opens(self):
        return self.t // 5
"""

DECIDES = [
    "self.arm = int(sum(kept[40:]) > 0.5)",
    "self.arm = int(max([0.0] + kept[40:]) > 0.5)",
    "self.arm = int({41: r}.get(t, 0.0) > 0.5)",
    "self.arm = int(0.0 ** max(0, 41 - t) * r > 0.5)",
    "z = {'a': [r]}; self.arm = int(z['a'][0] * (t > 40) > 0.5)",
    "self.z = getattr(r, '__gt__' if t > 40 else '__mul__')(0.5)",
    "self.arm = int([0.0, r][t > 40] > 0.5)",
    "self.arm = int(min(1, t // 41) * r > 0.5)",
    "self.arm = int((t >> 5) * r > 0.5)",
    "self.arm = int(r * max(0, len(kept) - 40) > 0.5)",
    "self.arm = int(r * (np.arange(1000) > 40)[t] > 0.5)",
    "self.arm = int(sum(itertools.islice(kept, 40, None)) > 0.5)",
    "self.arm = int(r * len(range(40, max(40, t))) > 0.5)",
    "self.arm = int(r * int(t / 41) > 0.5)",
    "self.arm = int(r * math.floor(t * 0.02) > 0.5)",
    "self.arm = int(r * (t // 5 > 7) > 0.5)",
    "self.arm = int(r * (t & 32) > 0.5)",
    "self.arm = int(r * (t > 5 * 8) > 0.5)",
    "self.arm = int(r * (t > LIMIT) > 0.5)",
    "self.arm = int(r * (t > self.of_class) > 0.5)",
    "self.arm = int(r * (t > CHECKS[1]) > 0.5)",
    "self.arm = int(r * waits(t) > 0.5)",
    "self.arm = int(r * self.late(40) > 0.5)",
    "self.arm = int(r * LATE[t] > 0.5)",
    "limit = 40; self.arm = int(r * (t > limit) > 0.5)",
    "self.arm = int(sum(kept[: -40]) > 0.5)",
    "self.arm = int(sum(operator.itemgetter(slice(40, None))(kept)) > 0.5)",
    "self.arm = int((t / 41) ** 400 * r > 1e300)",
]
SET = [
    ("self.after = after", "self.arm = int(r * (t > self.after) > 0.5)"),
    ("self.config = {'after': 40}", "self.arm = int(r * (t > self.config['after']) > 0.5)"),
    ("self.flags = [i > 40 for i in range(1000)]", "self.arm = int(r * self.flags[t] > 0.5)"),
    ("self.shares = np.repeat([0.0, 1.0], [40, 960])", "self.arm = int(r * self.shares[t] > 0.5)"),
    ("self.shares = np.concatenate([np.zeros(40), np.ones(60)])", "self.arm = int(r * self.shares[t] > 0.5)"),
    ("self.left = 40", "self.left -= 1; self.arm = int(r * (self.left < 0) > 0.5)"),
    ("self.late_ones = {41: 1.0}", "self.arm = int(r * self.late_ones.get(t, 0.0) > 0.5)"),
    ("self.done = False", "self.done |= t > 40; self.arm = int([0.0, r][self.done] > 0.5)"),
]
SILENT = [
    ("", "self.z = r / 100.0"),
    ("", "self.z = 100 * r + 0.5"),
    ("", "self.z = r - 50"),
    ("self.table = np.zeros((1000, 2))", "self.z = r * self.table[t, 0]"),
    ("self.gram = np.eye(2) * 1000.0", "self.z = r * (np.linalg.inv(self.gram)[0, 0] > 0)"),
    ("", "self.z = r * (abs(t - 3.0) < 1e-12)"),
    ("", "self.z = r * (t * 1e-12 < 1)"),
    ("", "self.z = privcheck.clip(100 * r, 0.0, 100.0)"),
    ("", "self.z = r * np.clip(self.rng.normal(0, 50), -1.0, 1.0)"),
    ("", "self.z = r * self.rng.integers(1000)"),
    ("", "self.z = r * math.sqrt(2 * math.log(1000))"),
    ("self.m = privcheck.mechanisms.Laplace(sensitivity=100.0, epsilon=1.0)", "self.z = self.m.release(r, self.rng)"),
    ("", "self.arm = t % 2; self.z = sum(kept[-3:])"),
    ("", "if t > 1000: raise ValueError('at most 1000 rounds')"),
    ("self.noise = np.random.default_rng(12345)", "self.z = r * 2.0"),
    ("self.mean = functools.lru_cache(maxsize=128)(abs)", "self.z = r * self.mean(2)"),
]  # fmt: skip


def certified(tmp_path, line, init="", horizon=24):
    file = tmp_path / "late.py"
    text = TEXT.replace("{init}", init or "pass").replace("{line}", line)
    file.write_text(text, encoding="utf-8")
    certificate = certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=horizon, runs=1)
    return certificate, text.splitlines()


def numbers_of(certificate):
    """Return the lines that are named, by the number of rounds that would have to run."""
    return certificate.rests_on.get(LATER, [])


ONLY_NAMED = {
    "self.arm = int(r * (t > LIMIT) > 0.5)",
    "self.arm = int((t / 41) ** 400 * r > 1e300)",
}
"""Of the lines that leak later those that do not within 184 rounds, nor with what places may hold then."""


@pytest.mark.parametrize(("init", "line"), [*(("", line) for line in DECIDES), *SET])
def test_the_line_is_named_with_its_number(tmp_path, init, line):
    certificate, lines = certified(tmp_path, line, init)
    named = [int(said.split()[1]) for said in numbers_of(certificate)]
    parts = [line, *([init] if init else []), "return t > limit", "return self.t > after", "LATE = "]
    assert named
    assert all(any(part in lines[number - 1] for part in parts) for number in named)
    assert certificate.granted == (line in ONLY_NAMED)
    if "getattr" not in line:
        assert (
            "beyond the 24 rounds that ran: what it decides later was not seen (raise --horizon to"
            in certificate.rests_on[LATER][0]
        )


@pytest.mark.parametrize(("init", "line"), SILENT)
def test_sizes_scales_and_tolerances_are_not_named(tmp_path, init, line):
    certificate, _ = certified(tmp_path, line, init)
    assert certificate.granted
    assert certificate.rests_on.get(LATER, []) == []


@pytest.mark.parametrize("line", [DECIDES[0], DECIDES[3], DECIDES[6]])
def test_the_horizon_that_is_asked_for_shows_the_leak(tmp_path, line):
    short, _ = certified(tmp_path, line)
    (said,) = short.rests_on[LATER]
    asked = int(said.rpartition("--horizon to ")[2].rstrip(")"))
    longer, _ = certified(tmp_path, line, horizon=asked)
    assert longer.leaks
    assert not longer.granted
    assert LATER not in longer.rests_on


@pytest.mark.parametrize(("limit", "advised"), [("1_000_000", True), ("1.9e9", False)])
def test_no_horizon_is_advised_that_nobody_runs(tmp_path, limit, advised):
    certificate, _ = certified(tmp_path, f"self.z = r * (t > {limit})")
    (said,) = certificate.rests_on[LATER]
    assert "beyond the 24 rounds that ran: what it decides later was not seen" in said
    assert ("(raise --horizon to 1000001)" in said) == advised
    assert ("--horizon" in said) == advised


def test_a_number_that_was_reached_is_not_named(tmp_path):
    assert LATER in certified(tmp_path, "self.z = r * (t > 40)")[0].rests_on
    assert LATER not in certified(tmp_path, "self.z = r * (t > 40)", horizon=41)[0].rests_on


def test_an_attribute_of_a_private_value_by_a_computed_name_is_named(tmp_path):
    init = "self.ops = ['__mul__', '__add__']"
    certificate, lines = certified(tmp_path, "self.z = getattr(r, self.ops[t % 2])(0.5)", init)
    (said,) = [said for said in certificate.rests_on[LATER] if "getattr" in lines[int(said.split()[1]) - 1]]
    assert "takes an attribute by a name that it computes, for a private value" in said
    spelled, _ = certified(tmp_path, "self.z = getattr(r, '__mul__')(0.5)")
    assert LATER not in spelled.rests_on


def test_the_horizon_that_a_policy_is_told_is_no_number_beyond_it(tmp_path):
    file = tmp_path / "told.py"
    text = TEXT.replace("after=40", "horizon").replace("{init}", "self.horizon = horizon")
    file.write_text(text.replace("{line}", "self.z = r * (t < self.horizon)"), encoding="utf-8")
    certificate = certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=24, runs=1)
    assert (certificate.granted, certificate.rests_on.get(LATER, [])) == (True, [])
    file.write_text(text.replace("{line}", "self.z = r * (t < 2 * self.horizon)"), encoding="utf-8")
    certificate = certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=24, runs=1)
    assert "with 48, beyond the 24 rounds" in certificate.rests_on[LATER][0]


def test_the_text_and_the_page_say_how_far_it_was_seen(tmp_path):
    certificate, _ = certified(tmp_path, "self.arm = int(r * (t > LIMIT) > 0.5)")
    console = Console(width=400, file=io.StringIO())
    console.print(details(certificate))
    for shown in (console.file.getvalue(), render_certificate(certificate)):
        text = " ".join(shown.split())
        assert "yes: every line that matters for privacy ran within 24 rounds, and none leaked" in text
        assert re.search(r"of late\.py compares or indexes with \d+, beyond the 24 rounds that ran", text)


@pytest.mark.parametrize(
    "name", sorted({"adap-ucb", "lazy-ucb", "rnm-ftnl", "dp-ucb", "dp-imed", "ldp-ucb"} & set(ALGORITHMS))
)
def test_shipped_policies_are_not_named(name):
    certificate = certify(name, epsilon=1.0, arms=2, runs=1)
    assert certificate.rests_on.get(LATER, []) == []


@pytest.mark.parametrize(("scale", "refused"), [(2.5, True), (100.0, False)])
def test_more_rounds_are_not_advised_where_a_release_was_refused(scale, refused):
    """The runs end there; the right twin, which fits into the budget for all of them, is told how far they went."""

    class Again:
        def __init__(self, rng, arms=2):
            self.rng, self.t, self.sum, self.arm = rng, 0, 0.0, 0

        def select(self):
            return self.arm

        def update(self, action, reward):
            self.t, self.sum = self.t + 1, self.sum + reward
            self.arm = int(self.sum + self.rng.laplace(0.0, scale) > 2.0) * (self.t < 40)

    certificate = certify(Again, epsilon=1.0, arms=2, horizon=16, runs=2)
    assert bool(certificate.refusals) == refused
    assert ("raise --horizon" in str(certificate.rests_on.get(LATER, ""))) != refused


def test_a_span_of_time_that_a_policy_holds_is_no_number(tmp_path):
    made = "self.after = np.timedelta64(40, 'D')"
    line = "self.arm = int(float(reward + self.rng.laplace()) > 0.5 and self.after > np.timedelta64(1, 'D'))"
    (tmp_path / "policy.py").write_text(TEXT.format(init=made, line=line), encoding="utf-8")
    assert certify(f"{tmp_path / 'policy.py'}:Policy", epsilon=1.0, arms=2, horizon=5, runs=2).ledger_epsilon == 1.0
