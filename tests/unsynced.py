"""Ledgers that need not outlive a loss of power, which wait for no disk."""

from __future__ import annotations

import pytest


def leave_unsynced(patch: pytest.MonkeyPatch) -> None:
    """Let no ledger wait until what it writes is on the disk; the rest of its settings stays as it is."""
    pragmas = ("journal_mode = WAL", "synchronous = OFF", "secure_delete = ON")
    patch.setattr("privcheck.journal._databases.DURABLE", pragmas)
