"""A policy under a budget filter, as a service calls it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from privcheck.accounting import BudgetExceededError, Charge, Ledger, shown, spent
from privcheck.certifying._recorded.event_engine import Engine
from privcheck.certifying._recorded.events import Event
from privcheck.certifying._recorded.person_rows import PersonRow, row_of
from privcheck.certifying._session import Session
from privcheck.declared import Real, check
from privcheck.errors import GuardClosedError, PrivcheckError, can_be_encoded, words
from privcheck.feedback import public_attribute


class GuardedPolicy:
    """A policy whose rewards arrive wrapped and whose releases pass a ledger and a budget filter.

    It has the same `select()` and `update()` as the policy inside; under contextual feedback these are
    `select(context)`, which runs on a throw-away copy of the policy, and `update(context, action, reward)`, under batch
    feedback `act(n)` and `learn(actions, rewards)`, and under delayed feedback `update(round, reward)`. A release
    that would take any datum over the budget raises `privcheck.BudgetExceededError` before its noise is drawn, and
    closes `update`. `select` then goes on with the policy as it was before that update, if it was copied: it is while
    nothing was released, and while it holds data for which a release like the largest so far would not fit. After a
    release that was larger than all before it, `select` is closed too. So are both after any other exception within the
    policy, such as the `privcheck.LeakError` of comparing an unreleased reward, because it may leave the policy
    half-updated. Closed calls raise `privcheck.GuardClosedError` with the first cause. Calls of several threads take
    turns; in a forked process all are closed, unless the guard has a ledger.

    With a ledger, what ends a call from outside (Ctrl-C, a full disk) leaves no answer: the event is asked again.
    What a contextual `select` raises is an answer, even a `KeyboardInterrupt` that a function in C raises for it:
    whether there is one must not depend on the context.

    Parameters
    ----------
    engine : plays the policy, under a session.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._kind = engine.played.kind

    @property
    def _policy(self) -> Any:
        return self._engine.played.policy

    @property
    def _session(self) -> Session:
        return self._engine.played.session

    def select(self, *context: Any, request_id: str | None = None, user: str | int | None = None) -> Any:
        """Return the arm to play, for this context under contextual feedback; one answer for each id.

        Under contextual feedback with `per_user`, `user` is the person whose context it is. The action is for her
        alone: nobody else can ask for it under its id, or give its reward.
        """
        return self._engine.call(self._event("select", self._kind.chooses, context, request_id, user))

    def act(self, n: int, *, request_id: str | None = None) -> Any:
        """Return the arms to play in the next n rounds, under batch feedback; one answer for each id."""
        return self._engine.call(self._event("act", self._kind.chooses, (n,), request_id))

    def update(self, *told: Any, request_id: str | None = None, user: str | int | None = None) -> None:
        """Take (action, reward), or (context, action, reward) under contextual feedback, and pass it on wrapped.

        The reward is that of the arm played, or the rewards of all arms under full information. The ranges of the
        reward and of the context are checked first; a call that is refused for them changes nothing. So is one for
        which no `select` is open: each choice of an arm lets one reward of this arm in, and several may be open. Under
        contextual feedback, where arms are private, each choice lets one reward in; under delayed feedback `round` says
        which choice it is.

        Parameters
        ----------
        told : as above.
        request_id : names the event: told again under it, the reward is not passed on again. Without it, every call is
            a new event. Under the id of a `select`, the action must be the one that was chosen there; an id that no
            `select` had takes any open choice of the action.
        user : the person who gave the reward, and whose context it is, under `per_user`.

        Raises
        ------
        PrivcheckError : an argument is wrong, or no `select` of this arm is open; nothing is charged.
        BudgetExceededError : a release does not fit into the budget, or the person has no budget left, in which case
            the policy is not told the reward.
        """
        self._engine.call(self._event("update", self._kind.learns, told, request_id, user))

    def learn(self, actions: Any, rewards: Any, *, request_id: str | None = None) -> None:
        """Take the arms that were played in the rounds of a batch and their rewards, under batch feedback."""
        self._engine.call(self._event("learn", self._kind.learns, (actions, rewards), request_id))

    def update_many(self, events: Sequence[Mapping[str, Any]]) -> list[BudgetExceededError | None]:
        """Take the rewards of several events, as `update` does one by one, and write them to a ledger together.

        All of them are checked before the first is passed on: if one is refused for its arguments, none is.

        Parameters
        ----------
        events : the arguments of `update` by name, with `request_id` and `user`, as in
            {"action": 1, "reward": 0.5, "request_id": "e17", "user": "u3"}.

        Returns
        -------
        For each event None, or why the reward of a person without budget was not passed on.

        Raises
        ------
        Whatever `update` raises: the events before that one have been passed on, those after it have not.
        """
        self._check_called("update_many", "update", self._kind.learns)
        names, found = self._kind.told, []
        if isinstance(events, Mapping | str) or not isinstance(events, Sequence):
            got = words(f"an object of type {type(events).__name__}")
            raise PrivcheckError("events", got, "a list of dictionaries", f"each with {', '.join(names)}")
        for place, given in enumerate(events, 1):
            known = {*names, "request_id", "user"}
            if not isinstance(given, Mapping) or not {*names} <= {*given} <= known:
                got = words(str(sorted(map(str, given))) if isinstance(given, Mapping) else type(given).__name__)
                expected = f"a dictionary with {', '.join(names)}, and request_id and user if they are given"
                raise PrivcheckError(f"event {place}", got, expected, f"none of the {len(events)} events was played")
            told = tuple(given[name] for name in names)
            try:
                event = self._event("update", self._kind.learns, told, given.get("request_id"), given.get("user"))
            except PrivcheckError as error:
                raise PrivcheckError(
                    f"event {place}: {error.parameter}", error.value, error.expected, error.hint
                ) from None
            found.append(event)
        refused: list[BudgetExceededError | None] = []
        for answer in self._engine.call_many(found) if found else ():
            if answer.error is not None and not _is_of_person(answer.error):
                answer.result()
            refused.append(answer.error if isinstance(answer.error, BudgetExceededError) else None)
        return refused

    def forget(self) -> int:
        """Delete from the ledger what its events were told (rewards, contexts), and return of how many events.

        What unreleased private values refer to stays, and is deleted by a later call, after it was released or dropped.
        Charges, draws and answers stay, and so do the hashes of what was told: the ledger verifies as before. An event
        that is asked again gets its old answer, whatever it says. From then on the guard can be opened only with the
        same code, versions and kind of processor, since the policy cannot be played from its first event again.

        Raises
        ------
        PrivcheckError : the policy cannot be written to a snapshot, from which it would go on, or another scope
            continues this one, and forgets for it; nothing is deleted.
        """
        return self._engine.forget()

    def would_fit(
        self,
        *,
        epsilon: float | None = None,
        rho: float | None = None,
        mu: float | None = None,
        user: str | int | None = None,
    ) -> bool:
        """Return whether a new reward that is charged so much would be within the budgets; nothing is charged.

        Parameters
        ----------
        epsilon, rho, mu : the charge, in one currency; by default nothing.
        user : the person who would give it, under `per_user`.

        >>> from privcheck import guard
        >>> from privcheck.bandits.adap_ucb import AdaPUCB
        >>> policy = guard(AdaPUCB(arms=2, epsilon=0.25).build, epsilon=0.25, arms=2, per_user=0.5)
        >>> policy.update(policy.select(), 1.0, user="u3")
        >>> policy.would_fit(epsilon=0.25, user="u3"), policy.would_fit(epsilon=0.5, user="u3")
        (True, False)
        >>> policy.update(policy.select(), 1.0, user="u3")
        >>> policy.would_fit(user="u3"), policy.would_fit(user="u4")
        (False, True)
        """
        admits, scope = self._engine.persons, self._engine.scope
        if admits is not None and user is not None and not admits.fits(self._engine.given(user)[1], scope):
            return False
        self._check_user(user, needed=False)
        session = self._own("would_fit")
        if (epsilon, rho, mu) == (None, None, None):
            return True
        assert session.filter is not None
        for name, amount in {"epsilon": epsilon, "rho": rho, "mu": mu}.items():
            if amount is not None:
                check(name, amount, Real(0.0), "the charge of one reward")
        charge = Charge(epsilon, rho=rho, mu=mu)
        return session.filter.fits(session.filter.new_ledger(), {0: charge})

    def person(self, user: str | int) -> PersonRow:
        """Return what one person has spent in the present window, and how many more rewards of hers are passed on.

        Rewards of scopes that this one continues count too. Nothing is charged; `privcheck ledger show --user` reads
        the same from the file of a ledger.

        Raises
        ------
        PrivcheckError : the guard has no `per_user`, or this is no name.

        Examples
        --------
        >>> from privcheck import guard
        >>> from privcheck.bandits.adap_ucb import AdaPUCB
        >>> policy = guard(AdaPUCB(arms=2, epsilon=0.25).build, epsilon=0.25, arms=2, per_user=1.0)
        >>> policy.update(policy.select(), 1.0, user="u3")
        >>> policy.person("u3").spent, policy.person("u3").more
        (0.25, 3)
        """
        if self._engine.persons is None:
            hint = "give the guard per_user=, a person's budget"
            raise PrivcheckError("user", words("a name"), "a guard with per_user=", hint)
        (now, given), (_, ever) = self._engine.given(user), self._engine.given(user, ever=True)
        return row_of(self._engine.persons, self._engine.scope, user, now, given, len(ever))

    def _event(self, name: str, own: str, given: tuple[Any, ...], request: Any, user: Any = None) -> Event:
        if name != own:
            self._check_called(name, name, own)
        if request is not None and (type(request) is not str or not request):
            raise PrivcheckError("request_id", request, "a string that is not empty", "it names one event for ever")
        if request is not None and not request.isascii() and not can_be_encoded(request):
            raise PrivcheckError("request_id", request, "text that can be encoded in UTF-8")
        if (persons := self._engine.persons) is None and user is None:
            return Event(name, given, request or "")
        self._check_user(
            user, needed=own == self._kind.learns or self._kind.contextual, chooses=own != self._kind.learns
        )
        person = persons.code(user) if persons is not None and user is not None else ""
        return Event(name, given, request or "", person, user)

    def _check_called(self, called: str, name: str, own: str) -> None:
        if name != own:
            got = words(f"{called}() for feedback={self._kind.id!r}")
            raise PrivcheckError("call", got, self._kind.call, "or build the guard with another kind of feedback")

    def _check_user(self, user: Any, *, needed: bool, chooses: bool = False) -> None:
        persons = self._engine.persons
        if user is not None and chooses and not self._kind.contextual:
            hint = "this action is public, and chosen for nobody: name the person in update() alone"
            raise PrivcheckError("user", user, f"None in {self._kind.chooses}()", hint)
        if persons is None and user is not None:
            raise PrivcheckError("user", user, "None without per_user=", "give the guard per_user=, a person's budget")
        if persons is not None and user is None and needed:
            call = self._kind.chooses if chooses else self._kind.learns
            what = "context" if chooses else "reward"
            hint = f"every {what} has to say whose it is: {call}(..., user=...)"
            raise PrivcheckError("user", None, "the name of the person, under per_user=", hint)

    @property
    def stopped(self) -> bool:
        """Whether the policy has stopped, under identification feedback."""
        return bool(self._asked("stopped"))

    def recommend(self) -> Any:
        """Return the arm that the policy recommends, under identification feedback."""
        return self._asked("recommend")

    def _asked(self, name: str) -> Any:
        if name not in (*self._kind.methods, *self._kind.attributes):
            hint = "build the guard with feedback='identification'"
            raise PrivcheckError(name, words(f"a guard for feedback={self._kind.id!r}"), "one for identification", hint)
        return self._engine.call(Event(name))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return public_attribute(self._kind, self._policy, name)

    @property
    def ledger(self) -> Ledger:
        """Every release so far, and the total charge of each datum: a copy, which the guard does not read."""
        session = self._own("ledger")
        with session.charging:
            assert session.filter is not None
            return shown(session.filter, session.ledger)

    @property
    def spent(self) -> float:
        """The largest total charge so far of any datum, or of any k data together under "group:k".

        It is in the notion of the budget: epsilon (at the budget's delta if it has one), rho or mu. It never exceeds
        the budget: sums of charges are rounded up, but what the filter accepts is within the budget itself.
        """
        session = self._own("spent")
        assert session.filter is not None
        with session.charging:
            return spent(session.filter, session.ledger).amount

    @property
    def left(self) -> float:
        """The budget minus `spent`, and at least 0; of mu, whose squares add up, what still fits."""
        session = self._own("left")
        assert session.filter is not None
        with session.charging:
            return session.filter.left(session.ledger)

    def _own(self, name: str) -> Session:
        if self._engine.log is None:
            self._engine.calls.process.check(name)
        return self._engine.current().session

    def __reduce_ex__(self, protocol: Any) -> Any:
        hint = "a copy would spend the same budget again, and a file would contain the private rewards"
        raise PrivcheckError("policy", words("a copy of a guarded policy"), "the guarded policy itself", hint)

    def __repr__(self) -> str:
        try:
            state = f"spent {self.spent:g}, left {self.left:g}" + (", closed" if self._engine.calls.closed else "")
        except GuardClosedError:
            state = "closed"
        return f"GuardedPolicy({type(self._policy).__name__}, {state})"


def _is_of_person(error: BaseException) -> bool:
    """Return whether a reward was not passed on because its person has no budget left."""
    return isinstance(error, BudgetExceededError) and error.parameter == "user"
