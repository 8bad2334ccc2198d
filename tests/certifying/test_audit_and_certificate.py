"""An audit of a contextual policy shows the certificate beside the lower bound."""

from __future__ import annotations

import numpy as np
import pytest

from privcheck import Contexts, audit
from privcheck.reporting._pictures.witness_excerpt import text_streams

CONTEXTS = Contexts(shape=(2, 2), norm=1.0)


class Counts:
    """Counts wins by a condition, which only its translation lets a guard follow, and shows them with noise."""

    def __init__(self, rng, epsilon):
        self.rng, self.epsilon, self.arm = rng, epsilon, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        wins = 0
        if reward > 0.5:
            wins += 1
        self.arm = int(wins + self.rng.laplace(0.0, 1.0 / self.epsilon) > 0.5)


@pytest.mark.chance(1e-9, "one bound of a probability of .997 against one of .003")
def test_the_guarded_build_that_is_audited_is_the_one_that_is_certified():
    """The guard follows the condition, so that the release is seen: the arm has probability .997 against .003."""
    pair = np.zeros((2, 2)), np.array([[1.0, 1.0], [0.0, 0.0]])
    report = audit(Counts, epsilon=10.0, arms=2, streams=pair, runs=80, confidence=1.0 - 1e-9, guarded=True)
    assert report.certificate.granted
    assert report.epsilon_lower > 0.5


JOINT = {"feedback": "contextual", "neighbours": "context-reward", "contexts": CONTEXTS}


@pytest.mark.chance(1e-6, "one bound at this level")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Blocks", "(joint differential privacy)"),
        ("KeepsANumber", "replays diverge"),
        ("CountsArms", "contextual_zoo.py"),
    ],
)
def test_an_audit_shows_the_certificate_beside_the_lower_bound(name, said, place, tmp_path):
    """The page encloses epsilon unless the lower bound is above the certificate."""
    rng = np.random.default_rng(0)
    first = CONTEXTS.join(rng.random((4, 2)), CONTEXTS.draw(rng, 4))
    second = first.copy()
    second[1] = CONTEXTS.join([1.0, 0.0], CONTEXTS.corners[1])
    options = JOINT | {"epsilon": 1.0, "arms": 2, "streams": (first, second), "runs": 1000}
    options["confidence"] = 1.0 - 1e-6
    report = audit(place(name), **options)
    assert said in str(report.certificate)
    assert report.certificate.granted == (name == "Blocks")
    assert report.certificate.contexts == CONTEXTS
    report.save_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert ("The true epsilon lies between" in page) == (name == "Blocks")
    assert "context x4" in text_streams(report)
