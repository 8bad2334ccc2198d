"""The result of a certificate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privcheck import presenting
from privcheck.accounting import Approximate, Concentrated, GaussianDP, Ledger, Notion, Pure, convert
from privcheck.enclosure import as_given, digits_up
from privcheck.in_notebooks import in_cells
from privcheck.mechanisms import SHIPPED, MechanismCode
from privcheck.privacy import Contexts
from privcheck.private_values import Leak
from privcheck.results._cited_papers import papers_of
from privcheck.results._primitive_use import PrimitiveUse
from privcheck.results._replay_result import ReplayResult
from privcheck.results._unreached_line import UnreachedLine
from privcheck.results._whole_result import WholeResult
from privcheck.tables import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure


UNDER_GUARD, EXPLORED = "all-executions-under-guard", "explored"
"""What a certificate covers."""

AUDITED = "an audit of the policy"
"""How the sentence begins by which an audit withdraws a certificate."""


@dataclass(frozen=True)
class Certificate(WholeResult):
    """The result of `privcheck.certify`.

    Parameters
    ----------
    target : what was certified: the code named here and no other.
    granted : whether the bound holds for every execution under the guard (`coverage`) and nothing speaks against the
        policy without it (`complete`, and no `contradictions`). It is computed from these.
    coverage : "all-executions-under-guard": the policy ran under the guard with the filter on, and no run leaked or had
        a release refused; on every execution of the guarded policy, each release then stays within the budget or is
        refused. "explored": only what the ledger and the replay saw.
    epsilon_claimed, delta : epsilon and delta of the budget; None and 0 if it has none.
    epsilon_upper : certified upper bound on epsilon, at `delta`; None unless coverage is "all-executions-under-guard"
        and the budget bounds epsilon (one in rho or mu does so only together with a delta: see `epsilon_at`).
    ledger_epsilon : the largest loss of any datum over the explored executions, in epsilon: for (epsilon, delta)-DP at
        `delta`, as `accountant` adds it up, otherwise in pure DP; infinite if the noise does not bound it.
    replay : what transcript replay found.
    ledger : the ledger of the explored execution with the largest loss.
    leaks : the places where private values were turned into ordinary ones without a release.
    refusals : releases that were refused, in words.
    executions : the number of guarded runs.
    contexts : what contexts look like, under contextual feedback; the notion is then joint differential privacy.
    unreached : lines of the target's own code that touch a private value, make a release or draw from a Generator, and
        that no explored execution ran. The bound holds with them, because the guard refuses what they may not do; but
        what they do was not seen. A longer horizon or more runs may reach them.
    mechanisms : the mechanisms that released something, by class and file. The certificate takes them to be as private
        as they charge; those of privcheck are tested, those in `trusted` are the user's.
    budget : the budget of the filter, a notion of `privcheck.accounting`; None without one.
    rho_upper, mu_upper : certified upper bounds in zCDP and Gaussian DP, under the same condition as `epsilon_upper`;
        None where the budget implies none, as for (epsilon, delta)-DP.
    accountant : which accountant shows that the explored execution with the largest loss is within the budget, or comes
        closest to it: "pure", "gdp", "zcdp" or "rdp"; None if nothing was released or there is no budget.
    shares : the share of delta of each accountant, fixed before the first run; empty unless the budget has a delta.
    ledger_rho, ledger_mu : the largest loss of any datum over the explored executions, in zCDP and Gaussian DP;
        infinite where what the budget adds up does not bound it, None in files written before there were such fields.
    primitives : the declared primitives of third-party code that were recorded and replayed; empty for a guarded run.
    primitive_uses : what was measured at each line that calls one.
    uncounted : the sets of `primitives` that record noise which the guard did not count: "numpy" and "random", whose
        global generators were drawn from in guarded runs that leaked. Such leaks may be noised, so they decide nothing.
    rests_on : what the bound rests on besides privcheck and `mechanisms`, by kind: what functions that
        `privcheck.feature` was given use that is not known to keep nothing, and, where these or a contextual `select`
        reach state outside of the policy, the modules of others that they name, the globals that they read, and what is
        taken not to change because it cannot be put back; lines that make texts of private values, what is taken on
        trust about Generators that releases draw from, and lines that never ran and do not matter by what they say.
    contradictions : what was measured and cannot be if the certificate is right: in replays a release that moves
        further than was computed, or the budget refuted by an audit, in its own notion and at the audit's level
        `error`. Nothing is granted then; if it was measured in guarded runs, no bound is given.
    complete : whether every line of the target that matters for privacy ran in some explored execution, and none
        leaked, was refused a release or diverged in replay. The bound under the guard does not need it: a leak in a
        line that never ran stops the guarded policy, and would leak without the guard. So would what a line that ran
        decides by value in a later round; what was found of that stands in `later_rounds`.
    undeclared : the random numbers that may explain why replays differ, each with its file and line: with `primitives`,
        draws that are not declared, or noise that was read before anything private was added to it; without them, what
        code decides by that does not repeat itself on the same stream, such as coins of `secrets` or a clock. Such
        differences decide nothing, and are no divergences.
    """

    target: str
    granted: bool = field(init=False)
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
    unreached: list[UnreachedLine] = field(default_factory=list)
    mechanisms: list[MechanismCode] = field(default_factory=list)
    budget: Notion | None = None
    rho_upper: float | None = None
    mu_upper: float | None = None
    accountant: str | None = None
    shares: dict[str, float] = field(default_factory=dict)
    ledger_rho: float | None = None
    ledger_mu: float | None = None
    primitives: list[str] = field(default_factory=list)
    primitive_uses: list[PrimitiveUse] = field(default_factory=list)
    uncounted: list[str] = field(default_factory=list)
    contradictions: tuple[str, ...] = ()
    rests_on: dict[str, list[str]] = field(default_factory=dict)
    complete: bool = False
    undeclared: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Complete a budget that is given by `epsilon_claimed` and `delta` alone, as in files of earlier versions."""
        granted = self.coverage == UNDER_GUARD and self.complete and not self.contradictions
        object.__setattr__(self, "granted", granted)
        if not isinstance(self.budget, Concentrated | GaussianDP):
            epsilon, delta = self.epsilon_claimed, self.delta
            stated = None if epsilon is None else Approximate(epsilon, delta) if delta else Pure(epsilon)
            object.__setattr__(self, "budget", stated)

    @property
    def upper(self) -> Notion | None:
        """The certified upper bound, in the notion of the budget; None unless it holds for all guarded executions."""
        if self.coverage != UNDER_GUARD:
            return None
        if isinstance(self.budget, Concentrated):
            return None if self.rho_upper is None else Concentrated(self.rho_upper)
        if isinstance(self.budget, GaussianDP):
            return None if self.mu_upper is None else GaussianDP(self.mu_upper)
        if self.epsilon_upper is None:
            return None
        return Approximate(self.epsilon_upper, self.delta) if self.delta else Pure(self.epsilon_upper)

    def epsilon_at(self, delta: float) -> float | None:
        """Return the certified upper bound on epsilon at a delta; None if the certificate implies none.

        Parameters
        ----------
        delta : in [0, 1). It may be larger than that of the budget, but not smaller.

        Guarantee
        ---------
        The guarded policy is (epsilon, delta)-DP with the returned epsilon. At the budget's own delta it is
        `epsilon_upper`; at others the bound is converted (`privcheck.accounting.convert`) and rounded up.

        Examples
        --------
        >>> from privcheck.results._example_results import GRANTED
        >>> GRANTED.epsilon_at(0.0), GRANTED.epsilon_at(0.25) < 1.0
        (1.0, True)
        """
        upper = self.upper
        if upper is None or delta < self.delta or (delta == 0.0 and isinstance(upper, Concentrated | GaussianDP)):
            return None
        if delta == self.delta and self.epsilon_upper is not None:
            return self.epsilon_upper
        converted: Approximate = convert(upper, Approximate, delta=delta)
        return converted.epsilon

    @property
    def is_inconclusive(self) -> bool:
        """Whether nothing is decided: some noise was not counted, parts of the target were not seen, or a replay of
        declared primitives found nothing.
        """
        if self.uncounted and self.budget is not None:
            return not self.refusals
        if self.undeclared and not self.primitives and self.budget is not None:
            return not self.has_findings
        explored = bool(self.primitives) and self.budget is not None and not self.has_findings
        return not (self.granted or self.contradictions) and (self.coverage == UNDER_GUARD or explored)

    @property
    def is_refused(self) -> bool:
        """Whether it is neither granted nor undecided, although there was a budget or something was found."""
        return not (self.granted or self.is_inconclusive) and (self.budget is not None or self.has_findings)

    @property
    def has_findings(self) -> bool:
        """Whether an execution leaked, was refused a release, diverged in replay, moved an input too far, or measured
        what contradicts the certificate.
        """
        too_far = any(use.exceeds for use in self.primitive_uses)
        leaked = self.leaks and not self.uncounted
        return bool(leaked or self.refusals or self.contradictions or self.replay.divergences or too_far)

    def refuted_by_audit(self, error: float, *, guarded: bool) -> Certificate:
        """Return the certificate without its grant, for an audit that refutes its bound.

        Parameters
        ----------
        error : the level at which it is refuted: a true bound is refuted with at most this probability.
        guarded : whether the policy was audited under its guard. The bound is then withdrawn as well; without the guard
            it was the policy as it is that was audited, and only `complete` spoke of that.

        Examples
        --------
        >>> from privcheck.results._example_results import GRANTED
        >>> refuted = GRANTED.refuted_by_audit(0.001, guarded=True)
        >>> refuted.granted, refuted.upper, refuted.has_findings
        (False, None, True)
        >>> refuted.contradictions
        ('an audit of the policy under its guard refutes epsilon = 1 at level 0.001',)
        """
        where = "under its guard" if guarded else "without its guard"
        claim = ", ".join(f"{name} = {amount:g}" for name, amount in vars(self.budget).items())
        sentence = f"{AUDITED} {where} refutes {claim} at level {error:g}"
        none: dict[str, Any] = {"coverage": EXPLORED, "epsilon_upper": None, "rho_upper": None, "mu_upper": None}
        found = (sentence, *self.contradictions)
        return replace(self, complete=False, contradictions=found, **none if guarded else {})

    @property
    def refutation(self) -> str | None:
        """What an audit refuted of it, in a sentence; None if no audit did."""
        return next((found for found in self.contradictions if found.startswith(AUDITED)), None)

    @property
    def uncounted_words(self) -> str:
        """What noise was not counted, and what counts it."""
        of, sets = " and ".join(self.uncounted), ",".join(self.uncounted)
        return f"noise of {of} was not counted; --primitives {sets} records it"

    @property
    def trusted(self) -> list[MechanismCode]:
        """The mechanisms that do not come with privcheck: the bound holds if they are as private as they charge."""
        return [code for code in self.mechanisms if code.standing != SHIPPED]

    @property
    def provided(self) -> str:
        """What the bound rests on besides privcheck, in words; empty if on nothing."""
        found = []
        if self.trusted:
            says = "is as private as it says" if len(self.trusted) == 1 else "are as private as they say"
            found.append(f"{' and '.join(map(str, self.trusted))} {says}")
        found += self.rests_on.get("functions of one number", [])
        if unseen := self.rests_on.get("taken not to change"):
            found.append(f"{' and '.join(unseen)} {'does' if len(unseen) == 1 else 'do'} not change")
        return f"provided that {', and that '.join(found)}" if found else ""

    @property
    def later_rounds(self) -> list[str]:
        """What the bound rests on where code compares the clock with a number beyond the rounds that ran."""
        return self.rests_on.get("what later rounds do", [])

    def tables(self) -> dict[str, Callable[[], list[Row]]]:
        """Return "certificate", one row; "ledger", a row for every release; and "leaks"."""
        return {"certificate": lambda: [self._row()], "ledger": self._ledger_rows, "leaks": self._leak_rows}

    def _row(self) -> Row:
        return {
            "target": self.target,
            "granted": self.granted,
            "coverage": self.coverage,
            "complete": self.complete,
            "epsilon_claimed": self.epsilon_claimed,
            "delta": self.delta,
            "epsilon_upper": self.epsilon_upper,
            "rho_upper": self.rho_upper,
            "mu_upper": self.mu_upper,
            "ledger_epsilon": self.ledger_epsilon,
            "releases": len(self.ledger.releases),
            "leaks": len(self.leaks),
            "unreached": len(self.unreached),
            "executions": self.executions,
            "seed": self.seed,
        }

    def _ledger_rows(self) -> list[Row]:
        return [
            {
                "release": release.number,
                "round": release.round,
                "mechanism": release.mechanism,
                "scale": release.scale,
                "sensitivity": max(release.sensitivities.values(), default=0.0),
                "epsilon": max(release.losses.values(), default=0.0),
                "data": len(release.sensitivities),
                "location": release.location,
            }
            for release in self.ledger.releases
        ]

    def _leak_rows(self) -> list[Row]:
        return [
            {"kind": leak.kind, "file": leak.file, "line": leak.line, "code": leak.code, "hint": leak.hint}
            for leak in self.leaks
        ]

    def citations(self) -> tuple[str, ...]:
        """Return the BibTeX keys of the papers that a shipped algorithm comes from."""
        return papers_of([self.target])

    def save_html(self, path: str | Path) -> None:
        """Write one self-contained page with the verdict, the ledger, the leaks and the first divergence."""
        presenting.save_page(self, path)

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
        return presenting.plot(self, path, picture=picture)

    @property
    def _upper_text(self) -> str:
        if isinstance(self.upper, Concentrated):
            return f"rho <= {digits_up(self.upper.rho)}"
        if isinstance(self.upper, GaussianDP):
            return f"mu <= {digits_up(self.upper.mu)}"
        assert self.epsilon_upper is not None
        return f"epsilon <= {digits_up(self.epsilon_upper)}" + (
            f" at delta = {as_given(self.delta)}" if self.delta else ""
        )

    def __repr__(self) -> str:
        return f"<Certificate {self}>"

    def _repr_html_(self) -> str:
        return presenting.notebook(self)

    def __str__(self) -> str:
        if self.granted:
            joint = "" if self.contexts is None else " (joint differential privacy)"
            provided = f", {self.provided}" if self.provided else ""
            every = "on every guarded execution"
            return f"{self.target}: certified{provided}, {self._upper_text} {every}{joint}"
        found = []
        if self.uncounted:
            found.append(self.uncounted_words)
        elif self.leaks:
            plural = "s, the first" if len(self.leaks) > 1 else ""
            found.append(f"{len(self.leaks)} leak{plural} at {Path(self.leaks[0].file).name}:{self.leaks[0].line}")
        if self.replay.divergences:
            found.append(f"{self.replay.divergences} of {self.replay.replays} replays diverge")
        found += [use.exceeded_words for use in self.primitive_uses if use.exceeds][:1]
        if self.refusals:
            found.append(self.refusals[0])
        found += self.contradictions[:1]
        if self.undeclared:
            found.append(f"replays differ, which undeclared randomness may explain: {self.undeclared[0]}")
        elif self.primitives and not found:
            found.append(f"{self.replay.replays} replays found nothing; only the explored executions were seen")
        if self.is_inconclusive and self.unreached and not self.uncounted:
            plural = "s never ran, the first" if len(self.unreached) > 1 else " never ran:"
            found.append(f"{len(self.unreached)} line{plural} {self.unreached[0]}")
        why = "; ".join(found) or "; ".join(self.notes) or "no budget was given"
        word = "inconclusive" if self.is_inconclusive else "not certified"
        return in_cells(f"{self.target}: {word} ({why})")
