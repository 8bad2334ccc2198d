"""Theorems as declared objects: what is bounded, under which conditions, from which source, and the number."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from typing import Any

from privcheck.bounds._instance import Instance
from privcheck.bounds._quantity import QUANTITIES, Quantity
from privcheck.declared import Choice, check
from privcheck.enclosure import digits_down, digits_up
from privcheck.errors import PrivcheckError

Evaluation = Callable[[Any], float | None]
"""A function of an instance of the class that the theorem is about."""

Terms = Callable[[Any], list[dict[str, float | str]]]
"""The parts of a bound on an instance, each with a number "term": those of a sum, or those of a maximum."""

DERIVED, UNPROVEN, ORDER_ONLY = "derived", "unproven", "order-only"
KINDS = Choice(("lower", "upper"))
PROVENANCES = Choice(("explicit", DERIVED, "second-hand", UNPROVEN, ORDER_ONLY))
"""As printed; proved by us; known through other texts; printed, with a proof that gives less; without constants."""


@dataclass(frozen=True)
class Condition:
    """A condition of a theorem on the instance: in words, and as a predicate."""

    text: str
    predicate: Callable[[Any], bool]

    def checked(self, instance: Any) -> ConditionCheck:
        """Return the condition with its answer for `instance`."""
        return ConditionCheck(self.text, bool(self.predicate(instance)))


@dataclass(frozen=True)
class ConditionCheck:
    """A condition and whether one instance meets it."""

    text: str
    holds: bool


PURE = Condition("pure differential privacy: delta = 0", lambda instance: instance.delta == 0)
HAS_HORIZON = Condition("the instance has a horizon T", lambda instance: instance.horizon is not None)
FINITE_BUDGET = Condition("a finite privacy budget above 0", lambda instance: 0 < instance.epsilon < math.inf)
POSITIVE_BUDGET = Condition("a privacy budget above 0", lambda instance: instance.epsilon > 0)
"""For theorems that also say something without privacy: their limit as epsilon tends to infinity."""
ANY_BUDGET = Condition("any privacy budget", lambda _: True)
_REPRESENTABLE = ConditionCheck("the result is a finite floating-point number", False)


@dataclass(frozen=True)
class BoundValue:
    """A theorem evaluated on an instance; its fields are those of the JSON output.

    Parameters
    ----------
    id : such as "azize-basu-2022/thm3".
    kind : "lower" or "upper".
    quantity : what is bounded; only equal quantities can be compared.
    value : the bound at the instance's horizon; None when asymptotic, order-only or not applicable.
    constant : the number that multiplies ln T as T grows; None unless asymptotic. Not a bound at any
        finite T.
    asymptotic : whether the theorem is about the limit T -> infinity.
    applies : whether all conditions hold.
    conditions : every condition with its answer.
    provenance : "explicit" in the paper, "derived" by us, "second-hand", "unproven" (as printed, but the paper's proof
        gives less; never the best bound), or "order-only" (then no number).
    source : paper, theorem, equation.
    statement : in words.
    order : for order-only bounds what is printed inside O or Omega, ln T aside if asymptotic, with 1 in place
        of every constant that is not printed; None otherwise, or if it is too large for floats. Not a bound.
    """

    id: str
    kind: str
    quantity: str
    value: float | None
    constant: float | None
    asymptotic: bool
    applies: bool
    conditions: tuple[ConditionCheck, ...]
    provenance: str
    source: str
    statement: str = ""
    order: float | None = None

    @property
    def number_text(self) -> str:
        """The number in a few characters, or why there is none."""
        if not self.applies:
            return "does not apply"
        if self.asymptotic:
            return "order only" if self.constant is None else f"{self.written(self.constant, 4)} ln T (rate)"
        return "order only" if self.value is None else self.written(self.value)

    def written(self, number: float, digits: int = 6) -> str:
        """Return a number of this bound as text, rounded down if it is a lower bound, and up if it is an upper one."""
        return (digits_down if self.kind == "lower" else digits_up)(number, digits)

    def __repr__(self) -> str:
        return f"<{self.id}: {self.kind} bound, {self.number_text}>"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-ready values; `conditions` is a list of {"text", "holds"}."""
        return {**asdict(self), "conditions": [asdict(condition) for condition in self.conditions]}


@dataclass(frozen=True)
class Theorem:
    """A bound that can be evaluated on an instance. Made by the `theorem` decorator."""

    id: str
    kind: str
    quantity: str
    asymptotic: bool
    provenance: str
    source: str
    conditions: tuple[Condition, ...]
    statement: str
    evaluation: Evaluation
    about: type = Instance
    budget: Condition = FINITE_BUDGET
    claims: tuple[str, ...] = ()
    terms: Terms | None = None
    instead: str = ""

    def __repr__(self) -> str:
        return f"<{self.id}: {self.kind} bound on {self.quantity}>"

    def evaluate(self, instance: Any) -> BoundValue:
        """Check the conditions on `instance` and, when all hold, compute the bound.

        If the instance is not of the class that the theorem is `about`, or has a privacy budget that the theorem does
        not cover, the bound does not apply and no other condition is checked. A result that overflows or is NaN is
        withheld: the bound does not apply, and a condition says why.
        """
        if isinstance(instance, self.about) and not self.budget.checked(instance).holds:
            conditions = [self.budget.checked(instance)]
        elif isinstance(instance, self.about):
            conditions = [condition.checked(instance) for condition in self.conditions]
        else:
            conditions = [ConditionCheck(f"the setting of the theorem: {_setting(self.about)}", False)]
        number: float | None = None
        order: float | None = None
        if all(condition.holds for condition in conditions):
            try:
                found = self.evaluation(instance)
            except (OverflowError, ZeroDivisionError):
                found = math.inf
            finite = found if found is not None and math.isfinite(found) else None
            if self.provenance == ORDER_ONLY:
                order = finite
            else:
                number = finite
                if found is not None and finite is None:
                    conditions.append(_REPRESENTABLE)
        return BoundValue(
            id=self.id,
            kind=self.kind,
            quantity=self.quantity,
            value=None if self.asymptotic else number,
            constant=number if self.asymptotic else None,
            asymptotic=self.asymptotic,
            applies=all(condition.holds for condition in conditions),
            conditions=tuple(conditions),
            provenance=self.provenance,
            source=self.source,
            statement=self.statement,
            order=order,
        )


THEOREMS: dict[str, Theorem] = {}
"""Every registered theorem by id, in the order of registration."""


def theorem(
    theorem_id: str,
    *,
    kind: str,
    quantity: Quantity | str,
    provenance: str,
    source: str,
    asymptotic: bool = False,
    conditions: Sequence[Condition] = (),
    about: type = Instance,
    budget: Condition = FINITE_BUDGET,
    claims: Sequence[str] = (),
    terms: Terms | None = None,
    instead: str = "",
) -> Callable[[Evaluation], Evaluation]:
    """Register the decorated function as the theorem `theorem_id`; the first paragraph of its docstring states it.

    The function receives an instance that meets every condition. It returns the bound at the horizon, or, when
    `asymptotic`, the constant that multiplies ln T; for an order-only theorem, what is printed inside O or Omega with 1
    in place of the constants. It remains an ordinary function.

    Parameters
    ----------
    theorem_id : "paper/statement", such as "azize-basu-2022/thm3"; unique.
    kind : "lower" or "upper".
    quantity : what is bounded; only equal quantities are compared.
    provenance : "explicit", "derived", "second-hand", "unproven" or "order-only"; see `BoundValue`.
    source : paper, theorem, equation.
    asymptotic : whether the bound is about the limit T -> infinity.
    conditions : what the instance must meet.
    about : the class of instances that the theorem is about.
    budget : the privacy budgets that it covers: `FINITE_BUDGET`, `POSITIVE_BUDGET` or `ANY_BUDGET`.
    claims : what the printed statement and its printed proof consist of, by the ids of `privcheck.claims`. No verdict
        is named here: reports say which of them failed in the run that is kept with the claims.
    terms : a function of an instance that returns the parts of the bound there, for explanations: dicts with a number
        "term", and whatever it is made of by name.
    instead : where another proof stands, page and heading, if printed claims fail and the statement holds all the same.

    Raises
    ------
    PrivcheckError : an unknown kind or provenance, an id that another function has taken. The same function defined
        again, as by a cell of a notebook that runs twice, replaces its theorem.
    """
    check("kind", kind, KINDS)
    check("provenance", provenance, PROVENANCES)

    def register(function: Evaluation) -> Evaluation:
        if theorem_id in THEOREMS and not _redefined(THEOREMS[theorem_id].evaluation, function):
            hint = "choose another id, or take the other theorem out: del privcheck.bounds.THEOREMS[...]"
            raise PrivcheckError("theorem_id", theorem_id, "an id that is not taken", hint)
        statement = " ".join((function.__doc__ or "").strip().split("\n\n")[0].split())
        THEOREMS[theorem_id] = Theorem(
            theorem_id,
            kind,
            str(quantity),
            asymptotic,
            provenance,
            source,
            tuple(conditions),
            statement,
            function,
            about,
            budget,
            tuple(claims),
            terms,
            instead,
        )
        if isinstance(quantity, Quantity):
            QUANTITIES[str(quantity)] = quantity
        return function

    return register


def _redefined(known: Evaluation, function: Evaluation) -> bool:
    """Whether a function outside of this package is another version of a known one: of its name, in its module."""
    names = [(getattr(of, "__module__", ""), getattr(of, "__qualname__", "")) for of in (known, function)]
    module, name = names[1]
    return names[0] == names[1] and "<lambda>" not in name and module.partition(".")[0] != "privcheck"


def similar_ids(name: Any) -> list[str]:
    """Return up to three ids that a name may mean: those of this number in any paper, else those spelled like it.

    >>> similar_ids("Thm10"), similar_ids("nothing like it")
    (['azize-basu-2022/thm10'], [])
    """
    numbered = [known for known in THEOREMS if known.partition("/")[2] == str(name).lower()]
    return numbered[:3] or get_close_matches(str(name), THEOREMS, 3)


def _setting(about: type) -> str:
    return f"{getattr(about, 'setting', 'another one')} ({about.__name__})"
