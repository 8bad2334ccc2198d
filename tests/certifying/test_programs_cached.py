"""40 private policies with caches of public things: all are certified."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import privcheck

pytestmark = pytest.mark.long

KIND_OF = {
    name: kind
    for file in ("programs_cached.py", "programs_cached_contexts.py")
    for name, kind in re.findall(
        r"^class (\w+)\((Counts|Contexts)\)", Path(__file__).with_name(file).read_text("utf-8"), re.M
    )
}
JOINT = {
    "feedback": "contextual",
    "neighbours": "context-reward",
    "contexts": privcheck.Contexts(shape=(2, 2), norm=1.0),
}


def test_there_are_40() -> None:
    assert len(KIND_OF) == 40


@pytest.mark.parametrize("name", KIND_OF)
def test_an_honest_cache_is_certified(written, name) -> None:
    options = JOINT if KIND_OF[name] == "Contexts" else {}
    found = privcheck.certify(written[name], epsilon=1.0, arms=2, horizon=6, runs=1, **options)
    assert found.granted, str(found)
    assert found.ledger_epsilon == pytest.approx(1.0, abs=1e-6)
