"""A refused release as an object: where it was, which datum it would have charged, and how much."""

from __future__ import annotations

import math
from collections.abc import Hashable
from pathlib import Path
from typing import Any, NamedTuple

from privcheck.accounting import BudgetExceededError, ReleaseRefusedError
from privcheck.certifying._charging.one_release import computed_sensitivities
from privcheck.certifying._session import Session
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import Mechanism
from privcheck.private_values import Leak, Private, gathered, own_line


class Refusal(NamedTuple):
    """A release that was refused.

    Parameters
    ----------
    kind : "first" if it alone would exceed the budget, "again" if it would together with what was charged before, and
        "other" if it cannot be charged at all, as normal noise under a pure budget.
    file, line : the code that releases; where a draw first met data, if that is the release.
    datum : the datum whose total would be the largest; None unless the budget would be exceeded.
    before, total : what it was charged and would be charged, in the unit of the budget; nan likewise.
    sensitivity : the largest computed sensitivity of a datum, in the norm of the mechanism; nan if it has none.
    scale : of the noise.
    mechanism : the id of the mechanism that the noise amounts to.
    sentence : what a certificate says of it.
    """

    kind: str
    file: str
    line: int
    datum: Hashable
    before: float
    total: float
    sensitivity: float
    scale: float
    mechanism: str
    sentence: str

    @classmethod
    def of(cls, error: ReleaseRefusedError, mechanism: Mechanism, value: Any, location: str | None) -> Refusal:
        """Return a refusal as an object."""
        file, line = own_line()
        name, _, number = (location or "").rpartition(":")
        if name == Path(file).name:
            line = int(number)
        try:
            value = gathered(value)
            found = computed_sensitivities(mechanism, value) if isinstance(value, Private) else None
        except PrivcheckError:
            found = None
        kind, datum, before, total = "other", None, math.nan, math.nan
        if isinstance(error, BudgetExceededError):
            datum, before, total = error.datum, error.before, error.total
            kind = "first" if before == 0.0 else "again"
        most = max(found.values(), default=math.nan) if found else math.nan
        name = getattr(mechanism, "id", type(mechanism).__name__)
        return cls(kind, file, line, datum, before, total, most, float(mechanism.scale), name, str(error))


class StoppedAtFirst(BaseException):
    """A guarded run has found something, and goes no further; handlers of exceptions in the policy let it pass."""


class StoppingSession(Session):
    """A session that stops the run at its first leak or refused release, which it keeps.

    Attributes
    ----------
    first : the leak or the refusal; None if there was none so far.
    """

    first: Leak | Refusal | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.source.on_leak = self._stop

    def _stop(self, leak: Leak) -> None:
        self.leaks.append(leak)
        self.first = self.first or leak
        raise StoppedAtFirst

    def release(self, mechanism: Mechanism, value: Any, *, secure: bool = False, location: str | None = None) -> Any:
        try:
            return super().release(mechanism, value, secure=secure, location=location)
        except ReleaseRefusedError as refused:
            self.first = self.first or Refusal.of(refused, mechanism, value, location)
            raise StoppedAtFirst from None
