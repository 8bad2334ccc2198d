"""The examples do what the documentation says of them."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import privcheck

EXAMPLES = Path(__file__).parents[1] / "examples"
OPTIONS = {"epsilon": 1.0, "arms": 2, "horizon": 20}


def line_of(file: Path, code: str) -> int:
    return next(number for number, line in enumerate(file.read_text().splitlines(), start=1) if code in line)


def test_noise_from_numpy_is_charged_at_the_line_that_adds_it():
    """Every mean has enough noise for one release; the second publication is refused, and named."""
    file = EXAMPLES / "running_mean_bandit.py"
    certificate = privcheck.certify(f"{file}:RunningMeanBandit", **OPTIONS)
    assert (certificate.leaks, certificate.granted, certificate.epsilon_upper) == ([], False, None)
    assert f"{file.name}:{line_of(file, '= self.sums[arm] / n + noise')} that takes" in certificate.refusals[0]


def test_released_again_and_again_is_refused():
    file = EXAMPLES / "running_mean_released.py"
    certificate = privcheck.certify(f"{file}:RunningMeanReleased", **OPTIONS)
    assert certificate.leaks == []
    assert (
        f"{file.name}:{line_of(file, 'release.release(')} that takes the reward of round 1 to 2"
        in certificate.refusals[0]
    )
    assert certificate.epsilon_upper is None


@pytest.mark.parametrize("neighbours", ["row", "reward"])
def test_forgetting_is_certified(neighbours):
    certificate = privcheck.certify(
        f"{EXAMPLES / 'forgetful_bandit.py'}:ForgetfulBandit", neighbours=neighbours, **OPTIONS
    )
    assert certificate.coverage == "all-executions-under-guard"
    assert certificate.epsilon_upper == certificate.ledger_epsilon == 1.0


@pytest.mark.chance(2e-6, "verdict and bound of one audit of a true claim, 1e-6 each")
def test_the_certificate_and_the_audit_of_the_fixed_bandit_agree():
    report = privcheck.audit(
        f"{EXAMPLES / 'forgetful_bandit.py'}:ForgetfulBandit", runs=5000, error=1e-6, confidence=1.0 - 1e-6, **OPTIONS
    )
    assert report.verdict == "consistent"
    assert 0.5 < report.epsilon_lower < report.certificate.epsilon_upper == 1.0


def test_documentation_names_the_lines_that_the_examples_have():
    text = (EXAMPLES.parent / "docs" / "certificates.md").read_text()
    charged = line_of(EXAMPLES / "running_mean_bandit.py", "= self.sums[arm] / n + noise")
    assert f"running_mean_bandit.py:{charged} that takes" in text
    released = (EXAMPLES / "running_mean_released.py").read_text().splitlines()
    forgotten = (EXAMPLES / "forgetful_bandit.py").read_text().splitlines()
    shown = [line.strip() for line in text.splitlines() if line.startswith(("    release = ", "    self."))]
    assert len(shown) >= 4
    assert {line.strip() for line in released + forgotten} >= set(shown[:4])


GAUSSIAN = {"epsilon": 1.0, "delta": 1e-6, "arms": 2}


@pytest.mark.parametrize("name", ["gaussian_blocks.py:GaussianBlocks", "gaussian_tree_bandit.py:GaussianTreeBandit"])
def test_gaussian_noise_is_certified_with_a_delta(name):
    """Both are calibrated for the budget, so the largest loss is all of it, and never more."""
    certificate = privcheck.certify(f"{EXAMPLES / name}", horizon=16, runs=6, **GAUSSIAN)
    assert certificate.granted
    assert certificate.ledger_epsilon == pytest.approx(1.0, rel=1e-7)
    assert certificate.ledger_epsilon <= 1.0 + 1e-9


def test_gaussian_noise_for_one_release_does_not_pay_for_two(tmp_path):
    """The broken twin of the blocks that are published twice."""
    text = (EXAMPLES / "gaussian_blocks.py").read_text()
    assert "releases=2" in text
    (tmp_path / "blocks.py").write_text(text.replace("releases=2", "releases=1"))
    certificate = privcheck.certify(f"{tmp_path / 'blocks.py'}:GaussianBlocks", horizon=16, runs=2, **GAUSSIAN)
    assert (certificate.upper, certificate.granted) == (None, False)
    assert "at most epsilon = 1 at delta = 1e-06 per datum" in certificate.refusals[0]


def test_the_service_guards_the_policy_that_it_says_is_watched(monkeypatch):
    """A watch of another program would say nothing of the service."""
    file = EXAMPLES / "ledger_service" / "server.py"
    (command,) = [line.split() for line in file.read_text().splitlines() if line.startswith("    privcheck watch ")]
    assert command[2] == "examples/ledger_service/server.py:build"
    given = dict(zip(command[3::2], command[4::2], strict=True))
    space = runpy.run_path(str(file))
    guarded = []
    monkeypatch.setattr(privcheck, "guard", lambda policy, **options: guarded.append((policy, options)))
    space["open_guard"](Path("state"), Path("heads"))
    ((policy, options),) = guarded
    assert policy == space["build"]
    assert (options["epsilon"], options["arms"]) == (float(given["--epsilon"]), int(given["--arms"]))
    monkeypatch.undo()
    assert privcheck.certify(f"{file}:build", epsilon=0.25, arms=3, horizon=8, runs=2).granted
