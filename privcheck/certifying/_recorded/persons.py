"""How often the rewards of one person are passed on in one window of time."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

import numpy as np

from privcheck.accounting import Approximate, BudgetExceededError, Concentrated, GaussianDP, Notion
from privcheck.certifying._recorded.events import SOMEBODY
from privcheck.declared import POSITIVE, check
from privcheck.errors import PrivcheckError, words
from privcheck.journal import Admission

SECONDS = {"hour": 3600, "day": 86_400, "week": 604_800}
"""Windows of time, in UTC; weeks begin on Mondays."""

_MONDAY = 345_600
LATEST = 1e11
"""Seconds after 1970, in the year 5138: a clock that says more than that is broken."""

ONE_REWARD = ("bandit", "identification", "full", "semi-bandit", "delayed", "contextual")
"""The kinds of feedback in which a call of `update` tells of one datum, unless neighbours are groups."""


BY_HAND = (
    "let each person give at most k rewards in a window, which your own code counts, and give the guard a k-th of a "
    "person's epsilon or mu, or of rho the part 1 / k^2: by group privacy they lose at most that together"
)
"""What to do where a guard has no budgets of persons."""


@dataclass(frozen=True)
class Persons:
    r"""Admits the rewards of a person as long as all of them together, fully charged, are within the person's budget.

    A guard charges each datum at most its budget, whenever it is released. With k rewards of one person the loss is, by
    group privacy, at most k epsilon, k mu or k^2 rho; so k <= per_user / epsilon, per_user / mu or
    sqrt(per_user / rho). Numbers are taken as they are written, 0.1 as a tenth; what the float exceeds it by is far
    less than the noise pays in advance.

    Parameters
    ----------
    per_user : the budget of a person, in the notion of the guard's.
    window : "hour", "day" or "week", in which a person has this budget; None for ever.
    budgets : of each datum, by name of the scope that the reward is in.
    salt : with which codes of persons are made.

    Guarantee
    ---------
    Neighbours: all rewards of one person in one window. Who gave rewards, and when, is public, and so are refusals.
    Over W windows the budgets add up: to W per_user in epsilon or mu, to W^2 per_user in rho.

    *Contexts.* Under contextual feedback a datum is the context, the action and the reward of a round. The rounds S are
    those whose rewards a person gives in one window, and neighbours differ in the contexts and rewards of all of them.
    Observed are all releases and the actions outside of S. What she is shown in S does not count, and she may choose
    later contexts and rewards by it.

    Fix the coins, hers included: those of a `select` in S are used nowhere else. Write R for the releases so far, and
    d, d' for her data on the two sides, which are functions of R: what she is shown is a function of R and of her own
    contexts. By induction over the events the state of the policy, but for the private values that it holds, is the
    same function of R on both sides. A `select` outside of S has this state and the same context, so its action is the
    same. One in S runs on a copy, of which its answer alone is kept, and this is not observed. An `update` receives
    private values, whichever they are, and ordinary numbers come out of them by releases alone. A release draws from a
    law that depends on R and the data. From d to d' there are k steps, and in each of them one datum changes, which is
    charged for every release that it could have entered, whichever action was hers. One datum loses at most its budget
    over all releases, so the k steps lose k epsilon, k mu or k^2 rho. This holds for all coins, and so for their mean:
    they have the same law on both sides, and forgetting them is post-processing.

    Her later `select` sees R, her own context and coins of its own, so nobody learns from it what she told before, and
    what she does after it is a datum of its own. It follows that her answers have to stay hers: an id of hers gives its
    action to nobody else, and takes nobody else's reward. The round of a `select` that raised an error takes its reward
    like any other: whether rounds count must not depend on contexts.

    Examples
    --------
    >>> persons = Persons(1.0, "day", {"": Fraction(1, 4)}, 1, b"salt")
    >>> persons.fits([""] * 3, ""), persons.fits([""] * 4, "")
    (True, False)
    """

    per_user: float
    window: str | None
    budgets: Mapping[str, Fraction]
    power: int
    salt: bytes

    def code(self, user: Any) -> str:
        """Return the code of a person, from which the name cannot be found without the ledger."""
        user = plain_name(user)
        if not (type(user) is str or type(user) is int) or user == "":
            hint = "every reward has to say whose it is under per_user="
            raise PrivcheckError("user", user, "a string or an integer, the name of the person", hint)
        try:
            name = f"{type(user).__name__} {user}".encode()
        except ValueError:  # half of a surrogate pair, or an integer of too many digits to be written
            got = words(f"a name of type {type(user).__name__} that cannot be written")
            expected = "text that can be encoded in UTF-8, or an integer of at most 4,300 digits"
            raise PrivcheckError("user", got, expected) from None
        return hashlib.sha256(self.salt + name).hexdigest()[:32]

    def now(self, last: int) -> int:
        """Return the number of the window, at least the last one: a clock that is set back gives nothing again."""
        if self.window is None:
            return 0
        clock = time.time()
        if not 0.0 <= clock < LATEST:
            got = words(f"a clock that says {clock:g} seconds after 1970")
            raise PrivcheckError("window", got, "a time before the year 5138", "set the clock of this machine")
        return max(last, int(clock - _MONDAY) // SECONDS[self.window])

    def fits(self, before: Sequence[str], scope: str) -> bool:
        """Return whether a reward in a scope fits on top of those in these scopes."""
        total, costs = Fraction(repr(float(self.per_user))), [self.budgets[name] for name in (*before, scope)]
        if self.power == 1:
            return sum(costs) <= total
        if len(set(costs)) == 1:
            return len(costs) ** 2 * costs[0] <= total
        roots = math.fsum(math.sqrt(cost) for cost in costs) * (1.0 + 1e-12)
        return Fraction(roots) ** 2 <= total

    def more(self, before: Sequence[str], scope: str) -> int:
        """Return how many rewards in a scope fit on top of those in these scopes.

        >>> Persons(1.0, "day", {"": Fraction(1, 4)}, 1, b"salt").more([""], "")
        3
        """
        total, each = Fraction(repr(float(self.per_user))), self.budgets[scope]
        costs = [self.budgets[name] for name in before]
        if self.power == 1:
            found = int((total - sum(costs)) // each)
        elif {*costs} <= {each}:
            found = math.isqrt(int(total // each)) - len(costs)
        else:  # as `fits` rounds
            left = math.sqrt(total) / (1.0 + 1e-12) - math.fsum(map(math.sqrt, costs))
            found = math.floor(left / math.sqrt(each)) + 1
            while found > 0 and not self.fits([*before, *[scope] * (found - 1)], scope):
                found -= 1
        return max(found, 0)

    def renews(self, window: int) -> datetime | None:
        """Return the moment at which a window ends, in UTC; None if it never does."""
        return beginning(window + 1, self.window)

    def loss(self, given: Sequence[str]) -> float:
        """Return what rewards in these scopes cost together, fully charged."""
        costs = [self.budgets[scope] for scope in given]
        return float(sum(costs)) if self.power == 1 else math.fsum(map(math.sqrt, costs)) ** 2

    def refusal(self, before: Sequence[Admission], scope: str, window: int) -> BudgetExceededError | None:
        """Return why one more reward of a person in a window is not passed on, without the name; None if it is."""
        if self.fits([admission.scope for admission in before], scope):
            return None
        each = ", ".join(dict.fromkeys(f"{float(self.budgets[admission.scope]):g}" for admission in before))
        rounds = ", ".join(
            f"{admission.event.said['round']}" + ("" if admission.scope == scope else f" of {admission.scope!r}")
            for admission in before
        )
        got = words(f"{SOMEBODY}who has no budget left: {each} each for the rewards of rounds {rounds}")
        when = f" in one {self.window}" if self.window else ""
        hint, renews = "the reward was not passed on, and nothing was spent", self.renews(window)
        hint += f"; the next {self.window} begins on {renews:%Y-%m-%d at %H:%M} UTC" if renews else ""
        expected = f"rewards that cost at most {self.per_user:g} together{when}"
        refused = BudgetExceededError("user", got, expected, hint)
        refused.renews = renews
        return refused


def plain_name(user: Any) -> Any:
    """Return a name as Python has it: 7 of a column of numpy's or of pandas is the person 7."""
    return user.item() if isinstance(user, np.generic) else user


def beginning(window: int, length: str | None) -> datetime | None:
    """Return the moment at which a window begins, in UTC; None for the one that is for ever.

    >>> beginning(20_000, "day").isoformat()
    '2024-10-08T00:00:00+00:00'
    """
    return None if length is None else datetime.fromtimestamp(window * SECONDS[length] + _MONDAY, UTC)


def persons(
    per_user: float | None,
    window: str | None,
    budget: Notion,
    feedback: str,
    neighbours: str,
    scope: str,
    before: Mapping[str, Fraction],
    salt: bytes,
) -> Persons | None:
    """Return who admits the rewards of persons; None without `per_user`.

    Raises
    ------
    PrivcheckError : a budget of a person that is no positive number or below that of a reward, a window that is not
        known or has no budget, a budget with delta, rewards of which one call tells several.
    """
    if per_user is None:
        if window is not None:
            raise PrivcheckError("window", window, "None without per_user=", "give the budget of a person in a window")
        return None
    total = float(check("per_user", per_user, POSITIVE, "the budget of a person in one window"))
    if window is not None and (not isinstance(window, str) or window not in SECONDS):
        expected = f"None, {', '.join(map(repr, SECONDS))}"
        raise PrivcheckError("window", window, expected, "None is for ever: a person's budget never comes back")
    if isinstance(budget, Approximate):
        hint = "give the guard epsilon, rho or mu alone: with delta, losses of several data of a person do not add up"
        raise PrivcheckError("per_user", per_user, "None for a budget with delta", hint)
    if (
        feedback not in ONE_REWARD
        or neighbours not in ("row", "reward", "context-reward")
        or (neighbours, feedback) in _SEVERAL
    ):
        got = words(f"feedback={feedback!r} with neighbours={neighbours!r}")
        expected = f"one datum in each call of update(): {', '.join(map(repr, ONE_REWARD))}, without group neighbours"
        hint = "leave per_user out" if feedback in ONE_REWARD else f"leave per_user and user out; {BY_HAND}"
        raise PrivcheckError("per_user", got, expected, hint)
    own, power = cost(budget)
    found = Persons(total, window, {**before, scope: own}, power, salt)
    if not found.fits([], scope):
        hint = "no reward of any person would be passed on: raise it, or lower the budget of a reward"
        raise PrivcheckError("per_user", per_user, f"at least the budget of one reward, {float(own):g}", hint)
    return found


_SEVERAL = (("reward", "full"), ("reward", "semi-bandit"))


def cost(budget: Notion) -> tuple[Fraction, int]:
    """Return what one reward may cost, and by which power of their number the losses of several grow.

    >>> from privcheck.accounting import Pure
    >>> cost(Pure(0.1)), cost(Concentrated(0.25))
    ((Fraction(1, 10), 1), (Fraction(1, 4), 2))
    """
    if isinstance(budget, Concentrated):
        return Fraction(repr(float(budget.rho))), 2
    return Fraction(repr(float(budget.mu if isinstance(budget, GaussianDP) else budget.epsilon))), 1
