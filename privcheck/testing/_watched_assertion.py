"""A night of evidence beside the audit of a privacy test, where `--privcheck-watch` names a store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from privcheck.reporting import sentence
from privcheck.targets import WatchSettings
from privcheck.testing._assertion import failed, passed
from privcheck.testing._kept_page import keep_page
from privcheck.testing._running import current
from privcheck.watching import watch

WAIT = 3600.0
"""Seconds to wait for tests in other processes that play a night of the same store."""

MOST = 100
"""Runs per stream of a night, at most: what is counted in a night is a small part of an audit's runs."""


def add_night(target: Any, runs: int, **options: Any) -> None:
    """Play a night of the target of this test, and fail if its watch raises an alarm; nothing without a store.

    The watch has the name of the test, so that a test that is renamed begins a new one. Audits whose options a watch
    does not have add nothing, and say so.

    Parameters
    ----------
    target : what was audited.
    runs : those of the audit.
    options : of the audit.
    """
    test = current()
    if test.watch is None or not test.node:
        return
    test.watched += 1
    name = test.node if test.watched == 1 else f"{test.node} {test.watched}"
    given = {option: value for option, value in options.items() if value is not None}
    unknown = sorted(set(given).difference(WatchSettings.NAMES))
    if unknown:
        passed(f"no night was added to {test.watch}: a watch has no {', '.join(unknown)}")
        return
    store = Path(test.config.rootpath) / test.watch
    report = watch(target, store=store, name=name, runs=min(runs, MOST), wait=WAIT, **given)
    if report.alarm is not None:
        raise failed("\n".join([sentence(report), *keep_page(report)]))
    if not report.counted:
        raise failed(f"no night was counted: {'; '.join(report.notes)}")
    passed(sentence(report))
