"""How often over its budget a datum is charged where nothing is refused, and so by how much noise is too narrow."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from privcheck.certifying import unlimited_ledgers
from privcheck.errors import PrivcheckError
from privcheck.fixing._look import SECONDS, Charged, Setting, apart, target_of


def charged(text: str, path: Path, class_name: str, settings: Iterable[Setting]) -> tuple[Charged, ...]:
    """Return what a datum is charged in each setting, in guarded runs without a budget.

    An empty tuple stands for runs that fail, that take too long, or whose noise is not of pure privacy.
    """
    found = []
    for setting in settings:
        seconds = SECONDS + math.ceil(setting.importing)
        answer = apart(partial(_charged, text, path, class_name, setting), seconds, None)
        if not isinstance(answer, Charged):
            return ()
        found.append(answer)
    return tuple(found)


def _charged(text: str, path: Path, class_name: str, setting: Setting) -> Charged | None:
    try:
        policy, _, game = target_of(text, path, class_name, setting)
        ledgers = unlimited_ledgers(policy, game, setting.horizon, setting.runs, setting.seed)
    except PrivcheckError:
        return None
    most = max(ledgers, key=lambda ledger: ledger.epsilon)
    datum = most.worst_datum
    if datum is None or not math.isfinite(most.epsilon):
        return None
    places = [release.location.rpartition(":") for release in most.of(datum)]
    if any(name != path.name for name, _, _ in places):
        return None
    lines = tuple(sorted({int(line) for _, _, line in places}))
    return Charged(most.epsilon / setting.epsilon, lines, setting.arms, setting.horizon)
