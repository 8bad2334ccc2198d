"""A claim: one statement of a paper, as it is printed, with its place and its readings. It carries no verdict."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Any

from privcheck.claims._expression import Expression, Number, expression, variables_of
from privcheck.claims._mechanisms import EveryMechanism
from privcheck.claims._variables import Variable
from privcheck.declared import Choice, check
from privcheck.errors import PrivcheckError, words

Point = dict[str, Fraction]

KINDS = Choice(("inequality", "identity", "law", "privacy", "order"))
ROLES = Choice(("statement", "step"))
SENSES = Choice(("<=", ">=", "==", "<"))


@dataclass(frozen=True)
class Relation:
    """Two sides, and how they are said to compare.

    Parameters
    ----------
    left, right : the sides.
    sense : "<=", ">=" or "=="; "<" in conditions only: a strict inequality that is claimed is entered as the weak one,
        which is never refuted by equality.

    """

    left: Expression
    sense: str
    right: Expression

    def __post_init__(self) -> None:
        check("sense", self.sense, SENSES)

    def __str__(self) -> str:
        return f"{self.left} {self.sense} {self.right}"

    @property
    def gap(self) -> Expression:
        """What the relation says is not negative; for an equality, the difference, which it says is 0."""
        return self.left - self.right if self.sense == ">=" else self.right - self.left


@dataclass(frozen=True)
class Order:
    """An order between two quantities, and the paths along which all variables grow together.

    Parameters
    ----------
    left, right : the quantities.
    sense : "O": the ratio left/right is bounded; "Omega": it is bounded away from 0.
    paths : values of the variables as expressions in `s`, which tends to infinity.

    """

    left: Expression
    sense: str
    right: Expression
    paths: tuple[dict[str, Expression], ...]

    def __str__(self) -> str:
        return f"{self.left} = {self.sense}({self.right})"


@dataclass(frozen=True)
class Reading:
    """One way in which the text can be read.

    Parameters
    ----------
    name : the convention that it takes, in words; "as printed" if there is nothing to choose.
    variables : what the statement ranges over.
    says : the statement; None if it is not a formula in finitely many numbers, and cannot be put to the test.
    assumes : conditions that are printed and are not part of a domain.
    provable : whether a proof on boxes is tried; sums over many terms are only searched.

    Raises
    ------
    PrivcheckError : what is no tuple of variables or of conditions, a statement of another type, a strict inequality,
        or a statement about a variable that is not named.

    """

    name: str
    variables: tuple[Variable, ...]
    says: Relation | Order | EveryMechanism | None
    assumes: tuple[Relation, ...] = ()
    provable: bool = True

    def __post_init__(self) -> None:
        _check_tuple("variables", self.variables, Variable)
        _check_tuple("assumes", self.assumes, Relation)
        if not isinstance(self.says, Relation | Order | EveryMechanism | None):
            raise PrivcheckError("says", _described(self.says), "a statement", "as in at_most(left, right)")
        if isinstance(self.says, Relation) and self.says.sense == "<":
            hint = "enter it as at_most(left, right): equality never refutes that"
            raise PrivcheckError("says", words(f"the strict inequality {self.says}"), "<=, >= or ==", hint)
        used: frozenset[str] = frozenset()
        for relation in (self.says, *self.assumes):
            if isinstance(relation, Relation):  # an order may speak of log T where T is the variable
                used |= variables_of(relation.left) | variables_of(relation.right)
        if missing := sorted(used - {of.name for of in self.variables}):
            raise PrivcheckError("variables", words(f"none named {', '.join(missing)}"), "every variable of `says`")

    @property
    def domain(self) -> str:
        """The variables and conditions in words."""
        return "; ".join([*map(str, self.variables), *map(str, self.assumes)])


@dataclass(frozen=True)
class Claim:
    """One statement of a paper.

    Parameters
    ----------
    id : paper and place, such as "hu-2021/fact17b"; letters distinguish parts.
    place : where it stands in the paper.
    quote : what is printed, formulas in plain text.
    kind : "inequality", "identity", "law", "privacy" or "order".
    readings : what the text can mean; it is refuted only if each of them is.
    role : "statement", or "step" for a displayed step of a derivation, whose failure leaves the result open.
    consequence : what a reader of the paper should do if the printed form fails, and what still stands.
    repair : a corrected form, which is examined in the same way.
    repair_text : the corrected form in words.
    tested_on : the case that the formulas of the readings are about, and what their two sides are there; empty if they
        are the printed ones.
    derivation : where a formula of the readings is derived by hand, the steps of that, each an inequality that is
        examined in the same way; a refutation counts only if none of them fails.

    Raises
    ------
    PrivcheckError : readings that are no tuple of at least one `Reading`, an unknown kind or role.

    """

    id: str
    place: str
    quote: str
    kind: str
    readings: tuple[Reading, ...]
    role: str = "statement"
    consequence: str = ""
    repair: Reading | None = None
    repair_text: str = ""
    tested_on: str = ""
    derivation: tuple[Reading, ...] = ()

    def __post_init__(self) -> None:
        for name in ("id", "place", "quote", "consequence", "repair_text", "tested_on"):
            if not isinstance(getattr(self, name), str):
                raise PrivcheckError(name, getattr(self, name), "a text")
        check("kind", self.kind, KINDS)
        check("role", self.role, ROLES)
        _check_tuple("readings", self.readings, Reading)
        _check_tuple("derivation", self.derivation, Reading)
        if not self.readings:
            raise PrivcheckError("readings", self.readings, "at least one reading", "as in readings=(printed(...),)")
        if not isinstance(self.repair, Reading | None):
            raise PrivcheckError("repair", _described(self.repair), "a Reading or None")

    @property
    def paper(self) -> str:
        """The paper's name in ids."""
        return self.id.partition("/")[0]

    @property
    def fingerprint(self) -> str:
        """Twelve letters that change when what is said changes: the quote, a domain, a formula."""
        said = [self.quote, self.kind, self.role]
        for reading in (*self.readings, *((self.repair,) if self.repair else ()), *self.derivation):
            said += [reading.name, reading.domain, str(reading.says or "")]
        return sha256("\n".join(said).encode()).hexdigest()[:12]


def at_most(left: Expression | Number, right: Expression | Number) -> Relation:
    """Return the statement that the left side is at most the right side."""
    return Relation(expression(left), "<=", expression(right))


def below(left: Expression | Number, right: Expression | Number) -> Relation:
    """Return the condition that the left side is less than the right side."""
    return Relation(expression(left), "<", expression(right))


def at_least(left: Expression | Number, right: Expression | Number) -> Relation:
    """Return the statement that the left side is at least the right side."""
    return Relation(expression(left), ">=", expression(right))


def equal(left: Expression | Number, right: Expression | Number) -> Relation:
    """Return the statement that both sides are equal."""
    return Relation(expression(left), "==", expression(right))


def printed(
    *variables: Variable, says: Relation | Order, assumes: tuple[Relation, ...] = (), provable: bool = True
) -> Reading:
    """Return the only reading of a text that leaves no choice."""
    return Reading("as printed", variables, says, assumes, provable)


def _check_tuple(name: str, value: Any, kind: type) -> None:
    if isinstance(value, tuple) and all(isinstance(of, kind) for of in value):
        return
    got = (
        words(f"a tuple with {_described(next(of for of in value if not isinstance(of, kind)))}")
        if isinstance(value, tuple)
        else _described(value)
    )
    raise PrivcheckError(name, got, f"a tuple of {kind.__name__} objects", f"one alone is written {name}=(it,)")


def _described(value: Any) -> str:
    return words(f"an object of type {type(value).__name__}")
