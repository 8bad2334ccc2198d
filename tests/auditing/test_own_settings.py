"""Shipped ids are audited where their privacy shows, and an audit that sees nothing says so."""

import subprocess
import sys
from dataclasses import replace

import pytest

import privcheck
from privcheck.auditing import audit
from privcheck.bandits import ALGORITHMS
from privcheck.cli import run
from privcheck.reporting import details, markdown, page

PRIVATE = [name for name in ALGORITHMS if ALGORITHMS[name].private]
OTHERS = [name for name in ALGORITHMS if not ALGORITHMS[name].private]
QUICK = ("dp-se-bai",)
DELTAS = {"lin-ucb-batches": 0.01, "lin-ucb-gaussian": 0.01, "lin-ucb-wishart": 1e-6, "lin-ucb-wishart-unshifted": 1e-6}

SEE_LESS = {
    "dp-ucb": 0.4,
    "dp-ucb-hybrid": 0.4,
    "gaussian-glr-imed": 0.3,
    "lin-ucb-wishart": 0.09,
    "lin-ucb-wishart-unshifted": 0.09,
    "cucb-dp": 0.3,
}
"""Shares of the claim that audits show at least of algorithms whose actions, or whose single releases, show only a part
of their privacy loss."""


def test_every_private_id_declares_where_its_privacy_shows():
    for name in PRIVATE:
        assert "audit_setting" in ALGORITHMS[name].__dict__, f"{name} declares no audit_setting"
        assert ALGORITHMS[name].audit_setting.runs >= 5000
    assert all(ALGORITHMS[name].audit_setting is None for name in OTHERS)


@pytest.mark.chance(1e-7, "one verdict on a true claim at this error")
@pytest.mark.parametrize(
    "name", [name if name in QUICK else pytest.param(name, marks=pytest.mark.nightly) for name in PRIVATE]
)
def test_an_audit_by_default_sees_something_of_every_private_id(name):
    """Nine of 24 were called consistent with a bound of 0, in a setting in which nothing is released."""
    claim = ALGORITHMS[name].audit_setting.epsilon
    told = {"epsilon": claim, "delta": DELTAS.get(name, 0.0)} if claim is not None else {"rho": 0.5}
    report = audit(name, error=1e-7, **told)
    assert report.verdict == ("violation" if name.endswith("-published") else "consistent")
    assert report.lower >= SEE_LESS.get(name, 0.5) * (claim or told["rho"])
    assert "in the setting in which its privacy shows" in report.notes[0]


def test_a_setting_that_is_asked_for_is_played():
    own = audit("rnm-ftnl", epsilon=1.0, runs=200)
    assert (own.arms, own.horizon, own.runs) == (4, 8, 200)
    assert "arms=4, horizon=8" in own.notes[0]
    for asked in ({"arms": 2}, {"horizon": 6}, {"streams": ([[1, 0], [0, 0]], [[0, 0], [0, 0]])}):
        other = audit("rnm-ftnl", epsilon=1.0, runs=200, **asked)
        assert other.arms == 2
        assert not any("in which its privacy shows" in note for note in other.notes)
    other = audit("rnm-ftnl(arms=3)", epsilon=1.0, runs=200)
    assert (other.arms, other.horizon) == (3, 16)


def test_a_setting_for_another_budget_says_so():
    assert "which was found for epsilon = 1" in audit("rnm-ftnl", epsilon=2.0, runs=200).notes[0]
    assert "found for" not in audit("rnm-ftnl", epsilon=1.0, runs=200).notes[0]


class Blind:
    """Plays arm 0 or 1 by coins: its actions say nothing of the rewards."""

    def __init__(self, rng, arms):
        self.rng = rng

    def select(self):
        return int(self.rng.integers(2))

    def update(self, action, reward):
        pass


@pytest.mark.chance(1e-6, "the bound of an audit of a policy that ignores its rewards may be above 0")
def test_a_bound_of_zero_says_that_there_is_no_power(tmp_path, capsys):
    """In the terminal, on the page and in a notebook; the broken twin, with another bound, says nothing of it."""
    report = audit(Blind, epsilon=1.0, arms=2, horizon=4, runs=4000, seed=2, confidence=1.0 - 1e-6)
    assert (report.verdict, report.epsilon_lower) == ("consistent", 0.0)
    from rich.console import Console

    with (console := Console(width=200)).capture() as shown:
        console.print(details(report))
    for text in (shown.get(), page(report), report._repr_html_()):
        assert "no power here" in text
        assert not any(sign in text for sign in "✓✅"), "a claim of any size would have passed"
    assert "No power here: no event told the streams apart" in page(report)
    told = page(replace(report, epsilon_lower=0.5))
    assert "no power here" not in told.lower()
    assert "✓" in told
    assert markdown(report).startswith("### ➖ ")
    assert markdown(replace(report, epsilon_lower=0.5)).startswith("### ✅ ")
    for folder, lower in ((tmp_path / "blind", 0.0), (tmp_path / "seen", 0.5)):
        folder.mkdir()
        (folder / "audit.json").write_text(replace(report, epsilon_lower=lower).to_json())
        assert run(["report", str(folder)]) == 0
        assert ("✓" in capsys.readouterr().out) == (lower > 0.0)


def test_the_folder_of_audits_has_no_settings_of_its_own():
    command = [
        sys.executable,
        "-P",
        "-c",
        "import privcheck; print(privcheck.audit('rnm-ftnl', epsilon=1, runs=40).arms)",
    ]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() == "4"
    assert privcheck.audit is audit
