"""An audit of a contextual policy shows the certificate beside the lower bound."""

from __future__ import annotations

import numpy as np
import pytest

from privcheck import Contexts, audit
from privcheck.reporting._pictures.witness_excerpt import text_streams

CONTEXTS = Contexts(shape=(2, 2), norm=1.0)
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
