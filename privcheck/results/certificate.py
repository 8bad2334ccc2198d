"""The result of a certificate."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from privcheck.accounting import Ledger
from privcheck.privacy import Contexts
from privcheck.private_values.source import Leak
from privcheck.results.replay_result import ReplayResult
from privcheck.serialise import to_json

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Certificate:
    """The result of `privcheck.certify`.

    Parameters
    ----------
    target : what was certified: the code named here and no other.
    granted : whether `epsilon_upper` is certified for every execution.
    coverage : "all-executions": the policy ran under the guard with the filter on, and no run leaked or had a release
        refused; on every execution of the guarded policy, each release then stays within the budget or is refused.
        "explored": only what the ledger and the replay saw.
    epsilon_claimed : the budget of the filter; None without one.
    epsilon_upper : certified upper bound on epsilon; None unless coverage is "all-executions".
    ledger_epsilon : the largest loss of any datum over the explored executions.
    replay : what transcript replay found.
    ledger : the ledger of the explored execution with the largest loss.
    leaks : the places where private values were turned into ordinary ones without a release.
    refusals : releases that were refused, in words.
    executions : the number of guarded runs.
    contexts : what contexts look like, under contextual feedback; the notion is then joint differential privacy.
    """

    target: str
    granted: bool
    coverage: str
    epsilon_claimed: float | None
    delta: float
    epsilon_upper: float | None
    ledger_epsilon: float
    replay: ReplayResult
    ledger: Ledger
    leaks: list[Leak]
    refusals: list[str]
    executions: int
    neighbours: str
    rewards: tuple[float, float]
    observe: str
    feedback: str
    horizon: int
    arms: int
    seed: int
    contexts: Contexts | None = None
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> str:
        """Return all fields as JSON text, `schema_version` first, infinities as "inf"."""
        return to_json(self)

    @classmethod
    def from_json(cls, text: str) -> Certificate:
        """Return the certificate whose `to_json` gave this text.

        Raises
        ------
        PrivcheckError : text that is not JSON, or not a certificate of this version.

        """
        from privcheck.results.certificate_json import certificate_from_json

        return certificate_from_json(text)

    def save_html(self, path: str | Path) -> None:
        """Write one self-contained page with the verdict, the ledger, the leaks and the first divergence."""
        from privcheck.reporting.pages.page_certificate import save_certificate_page

        save_certificate_page(self, path)

    def plot(self, path: str | Path | None = None, *, picture: str = "ledger") -> Figure:
        """Draw one of the pictures of the page.

        Parameters
        ----------
        path : where to save it, ending in .svg or .png; None to save nothing.
        picture : "ledger" or "divergence".

        Returns
        -------
        The matplotlib Figure.

        Raises
        ------
        PrivcheckError : an unknown picture or path, or a picture of something that this certificate does not have.

        """
        from privcheck.reporting.pictures.plot import plot_certificate

        return plot_certificate(self, path, picture)

    def __str__(self) -> str:
        if self.granted:
            joint = "" if self.contexts is None else " (joint differential privacy)"
            return f"{self.target}: certified, epsilon <= {self.epsilon_upper:g} on every guarded execution{joint}"
        found = []
        if self.leaks:
            plural = "s, the first" if len(self.leaks) > 1 else ""
            found.append(f"{len(self.leaks)} leak{plural} at {Path(self.leaks[0].file).name}:{self.leaks[0].line}")
        if self.replay.divergences:
            found.append(f"{self.replay.divergences} of {self.replay.replays} replays diverge")
        if self.refusals:
            found.append(self.refusals[0])
        why = "; ".join(found) or "; ".join(self.notes) or "no budget was given"
        return f"{self.target}: not certified ({why})"
