"""Stores of tests have one seed, from which all that is random in their nights follows."""

from __future__ import annotations

import pytest

from privcheck.watching import _evidence_store


@pytest.fixture(autouse=True)
def _same_seed(monkeypatch):
    monkeypatch.setattr(_evidence_store.secrets, "token_hex", lambda size: "5e" * size)
