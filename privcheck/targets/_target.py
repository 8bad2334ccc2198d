"""What can be audited: a shipped id, a spec instance, a factory, a mechanism, or the location of one of the last two.

`load` imports the user's file once. The result says how many arms there are and makes the `Target` that is played.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from privcheck.bandits import ALGORITHMS, Algorithm, AuditSetting, ShippedId
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms import MECHANISMS
from privcheck.targets._location import Location, classes_in, function_at, no_arms, own_arms, refuse_notebook
from privcheck.targets._mechanism import (
    MechanismRunner,
    is_mechanism,
    refuse_further_parameters,
    refuse_mechanism,
)
from privcheck.targets._options.claim_options import Claim
from privcheck.targets._options.game_options import Game
from privcheck.targets._runners import KernelRunner, PolicyRunner, Runner
from privcheck.targets._services.service import Service
from privcheck.targets._services.service_runner import ServiceRunner

G = TypeVar("G", bound=Game)


@dataclass(frozen=True)
class Target:
    """A policy or mechanism, ready to be played.

    Parameters
    ----------
    name : what reports call it.
    runner : plays it.
    feedback : id of the kind of feedback of a policy, or "mechanism".
    arms : K; 0 for a mechanism whose data have one dimension.
    spec : the spec of a shipped algorithm.
    mechanism : the one-shot mechanism itself.
    """

    name: str
    runner: Runner
    feedback: str
    arms: int
    spec: Algorithm | None = None
    mechanism: Any = None

    @property
    def build(self) -> Callable[[np.random.Generator], Any]:
        """The function that builds a policy for one run: the reference of a shipped algorithm, not its kernel."""
        if self.spec is not None:
            return self.spec.build
        if not isinstance(self.runner, PolicyRunner):
            got = words(f"{self.name}, which another program plays")
            raise PrivcheckError("target", got, "a policy in this process", "only its outputs can be audited")
        return self.runner.build


class Loaded:
    """What a user named as a target, imported."""

    @property
    def mechanism(self) -> Any:
        """A one-shot mechanism itself; None for a policy."""
        return None

    @property
    def code(self) -> Any:
        """The user's function or class that is played; None for others."""
        return None

    @property
    def claim(self) -> float | None:
        """The epsilon that the target itself states; None if it states none."""
        return None

    @property
    def audit_setting(self) -> AuditSetting | None:
        """Where the privacy of a shipped id shows; None for other targets."""
        return None

    def arms(self, asked: int | None) -> int:
        """Return K: the number asked for, or the one that the target knows.

        Raises
        ------
        PrivcheckError : neither is known, or they contradict each other.
        """
        raise NotImplementedError

    def warm_up(self, claim: Claim, game: Game, arms: int) -> int:  # noqa: ARG002
        """Return a number of rounds within which a shipped private algorithm makes a release; 0 for other targets."""
        return 0

    def settled(self, claim: Claim, game: G, arms: int) -> tuple[Claim, G]:  # noqa: ARG002
        """Return the settings, with what a shipped contextual algorithm knows of its contexts and its accountants."""
        return claim, game

    def target(self, claim: Claim, game: Game, horizon: int, arms: int, time_limit: float | None = None) -> Target:
        """Return the target, ready to be played with these settings.

        Parameters
        ----------
        settings : epsilon, delta, rho and mu are passed to a factory that names them; a shipped id is built with
            epsilon.
        horizon, arms : T and K.

        Raises
        ------
        PrivcheckError : a target that does not fit the settings.
        """
        raise NotImplementedError


def load(target: Any) -> Loaded:
    """Return a policy or a one-shot mechanism, imported, or raise `PrivcheckError` with what is wrong with it.

    >>> load("adap-ucb").arms(None), load("adap-ucb(arms=3)").arms(None)
    (2, 3)
    """
    if isinstance(target, Service):
        return _Elsewhere(target.described())
    location, found = _imported(target)
    return _Mechanism(MechanismRunner(found, location)) if is_mechanism(found) else _policy(found, location)


def load_policy(target: Any) -> Loaded:
    """Return a policy, imported; unlike `load`, it does not accept mechanisms, nor what another program plays."""
    if isinstance(target, Service):
        hint = "audit it: that needs no code"
        raise PrivcheckError("target", target, "code in Python, which can be read and played here", hint)
    location, found = _imported(target)
    return _policy(found, location)


def load_factory(target: Any) -> tuple[str, Callable[..., Any], Location | None]:
    """Return the name of a user's policy, its factory, and where worker processes import it from.

    >>> load_factory(dict)[0]
    'dict'

    Raises
    ------
    PrivcheckError : a target that is not a factory of policies, or cannot be imported.
    """
    if isinstance(target, Service):
        raise PrivcheckError("policies", target, "a policy in Python", "what another program plays can be audited")
    location, found = _imported(target)
    loaded = _policy(found, location)
    if not isinstance(loaded, _Factory):
        raise PrivcheckError("policies", target, "a class or function that builds a policy from a Generator")
    name = str(location) if location else getattr(found, "__name__", type(found).__name__)
    return name, found, location


def _imported(target: Any) -> tuple[Location | None, Any]:
    refuse_notebook(target)
    if isinstance(target, str) and Path(target).suffix and Path(target).is_file() and not target.endswith(".py"):
        hint = f"what another language plays is a command: --command '...' that runs {target}, or from_command([...])"
        raise PrivcheckError("target", target, "path/to/file.py:name of Python code", hint)
    if not isinstance(target, str) or (":" not in target and not target.endswith(".py")):
        return None, target
    module, _, name = target.rpartition(":") if ":" in target else (target, "", "")
    if not name:
        named = [f"{target}:{each}" for each in classes_in(module)[:3]]
        hint = f"as in {' or '.join(named)}" if named else "name the class or factory after a colon"
        raise PrivcheckError("target", target, "path/to/file.py:name", hint)
    if "(" in name:
        ShippedId.read(target)  # which says what to do about parameters
    location = Location(module, name)
    return location, location.load()


def _policy(found: Any, location: Location | None) -> Loaded:
    refuse_mechanism(found, "target")
    refuse_further_parameters(found)
    if location is None and isinstance(found, str):
        return _Id(ShippedId.read(found))
    if location is None and isinstance(found, Algorithm):
        return _Spec(found)
    if location is None and not callable(found):
        got = words(f"an object of type {type(found).__name__}")
        raise PrivcheckError(
            "target", got, "a shipped id, a spec, a factory or a place", "pass the class, not an instance of it"
        )
    return _Factory(found, location)


@dataclass(frozen=True)
class _Id(Loaded):
    """A shipped id, with two arms if no number is given."""

    shipped: ShippedId

    @property
    def audit_setting(self) -> AuditSetting | None:
        fixed = self.shipped.name not in ALGORITHMS or "arms" in self.shipped.given
        return None if fixed else self.shipped.algorithm.audit_setting

    def arms(self, asked: int | None) -> int:
        given = self.shipped.given.get("arms")
        if given is not None and asked not in (None, given):
            raise PrivcheckError("arms", asked, f"{given}, as in {self.shipped.text}", "leave arms out")
        return given or asked or 2

    def warm_up(self, claim: Claim, game: Game, arms: int) -> int:
        horizon, least = 0, 2 * arms
        while horizon < least:  # it may depend on the horizon that the algorithm is built for
            horizon = least
            spec = self.target(claim, game, horizon, arms).spec
            assert spec is not None
            least = spec.warm_up()
        return horizon

    def settled(self, claim: Claim, game: G, arms: int) -> tuple[Claim, G]:
        from privcheck.bandits import LinearBandit  # here, since it loads numba

        name = self.shipped.name
        if name not in ALGORITHMS or not issubclass(ALGORITHMS[name], LinearBandit):
            return claim, game
        spec = self.target(claim, game, game.horizon or 2, arms).spec
        assert spec is not None
        return _Spec(spec).settled(claim, game, arms)

    def target(self, claim: Claim, game: Game, horizon: int, arms: int, time_limit: float | None = None) -> Target:  # noqa: ARG002
        name = self.shipped.name
        if name not in ALGORITHMS:
            near = get_close_matches(name.lower().replace("_", "-"), ALGORITHMS, 1)
            hint = "shipped ids are shown by `privcheck list`; a policy of your own is path/to/file.py:name"
            hint = f"did you mean {near[0]!r}? {hint}" if near else hint
            if name in MECHANISMS:
                made = f"measure = privcheck.mechanisms.{MECHANISMS[name].__name__}(...)"
                hint = f"a mechanism is audited as an object: write {made} into a file, and give file.py:measure"
            raise PrivcheckError("target", name, f"one of {', '.join(ALGORITHMS)}, or a place like file.py:name", hint)
        if self.shipped.lacks_epsilon and claim.epsilon is None:
            hint = "give epsilon=1.0, or --epsilon 1"
            raise PrivcheckError("epsilon", None, f"the budget to build {name} with", hint)
        if self.shipped.lacks_rho and claim.rho is None and claim.mu is None:
            hint = "give rho=0.5, or --rho 0.5; mu is for Gaussian DP"
            raise PrivcheckError("rho", None, f"the budget to build {name} with", hint)
        features = 2 if game.contexts is None else game.contexts.shape[-1]
        spec = self.shipped.spec(
            arms=arms, epsilon=claim.epsilon, horizon=horizon, delta=claim.delta, rho=claim.rho, mu=claim.mu,
            features=features,
        )  # fmt: skip
        return _Spec(spec).target(claim, game, horizon, arms)


@dataclass(frozen=True)
class _Spec(Loaded):
    """A spec of a shipped algorithm."""

    spec: Algorithm

    def arms(self, asked: int | None) -> int:
        if asked not in (None, self.spec.arms):
            expected = f"{self.spec.arms}, as {self.spec.id} was built with"
            raise PrivcheckError("arms", asked, expected, "leave arms out")
        return self.spec.arms

    def warm_up(self, claim: Claim, game: Game, arms: int) -> int:  # noqa: ARG002
        least = self.spec.warm_up()
        return min(least, self.spec.horizon) if self.spec.declares("horizon") else least  # type: ignore[attr-defined]

    def settled(self, claim: Claim, game: G, arms: int) -> tuple[Claim, G]:  # noqa: ARG002
        from privcheck.bandits import LinearBandit

        spec = self.spec
        if not isinstance(spec, LinearBandit):
            return claim, game
        if game.neighbours not in ("row", "context-reward"):
            hint = "a datum is the decision set of one round together with its rewards"
            raise PrivcheckError("neighbours", game.neighbours, f"'context-reward' for {spec.id}", hint)
        if game.contexts is not None and game.contexts.shape != spec.contexts.shape:
            hint = "leave contexts out"
            raise PrivcheckError("contexts shape", game.contexts.shape, f"{spec.contexts.shape}", hint)
        known = {"feedback": spec.feedback, "neighbours": "context-reward"}
        own: dict[str, Any] = known | {"contexts": game.contexts or spec.contexts}
        if spec.approximate and claim.epsilon is not None and claim.delta and claim.accountants is None:
            claim = replace(claim, accountants=spec.shares_of_delta)
        return claim, replace(game, **own)

    def target(self, claim: Claim, game: Game, horizon: int, arms: int, time_limit: float | None = None) -> Target:  # noqa: ARG002
        from privcheck.bandits import LinearBandit

        spec = self.spec
        if spec.declares("horizon") and horizon > spec.horizon:  # type: ignore[attr-defined]
            hint = "its noise is calibrated to the rounds that it was built for"
            raise PrivcheckError("horizon", horizon, f"at most the horizon of {spec.describe()}", hint)
        if (game.rewards[0] < 0.0 or game.rewards[1] > 1.0) and not isinstance(spec, LinearBandit):
            hint = f"{spec.id} is defined for rewards in [0, 1]"
            raise PrivcheckError("rewards", game.rewards, "a range within (0, 1)", hint)
        runner: Runner = KernelRunner(spec)
        if game.observe == "releases":
            runner = PolicyRunner(spec.build, {"arms": arms}, spec.feedback, observe="releases", contexts=game.contexts)
        return Target(spec.describe(), runner, spec.feedback, arms, spec)


@dataclass(frozen=True)
class _Factory(Loaded):
    """A factory of policies.

    A factory that is not a class may give the number of arms in an attribute `arms`, as those of `privcheck.adapters`
    do; any factory as the default of a parameter such as `n_arms`.
    """

    factory: Callable[..., Any]
    location: Location | None

    @property
    def code(self) -> Any:
        return self.factory

    def arms(self, asked: int | None) -> int:
        own = own_arms(self.factory, asked)
        if asked is not None:
            return asked
        if own is not None:
            return own
        known = getattr(self.factory, "arms", None)
        if isinstance(self.factory, type) or type(known) is not int:
            raise no_arms(self.factory)
        return known

    def target(self, claim: Claim, game: Game, horizon: int, arms: int, time_limit: float | None = None) -> Target:
        keywords = claim.promised | {"arms": arms, "horizon": horizon}
        name = str(self.location) if self.location else getattr(self.factory, "__name__", type(self.factory).__name__)
        feedback = game.feedback
        runner = PolicyRunner(
            self.factory,
            keywords,
            feedback,
            self.location,
            game.observe,
            game.contexts,
            randomness=game.randomness,
            time_limit=time_limit,
        )
        return Target(name, runner, feedback, arms)


@dataclass(frozen=True)
class _Mechanism(Loaded):
    """A one-shot mechanism: its data have `arms` columns, or one dimension if `arms` is not given (here 0)."""

    runner: MechanismRunner

    @property
    def mechanism(self) -> Any:
        return self.runner.mechanism

    @property
    def claim(self) -> float | None:
        return self.runner.claim

    def arms(self, asked: int | None) -> int:
        return asked or 0

    def target(self, claim: Claim, game: Game, horizon: int, arms: int, time_limit: float | None = None) -> Target:  # noqa: ARG002
        encode = self.runner.encode if game.encode is None else function_at(game.encode)
        runner = replace(
            self.runner, randomness=game.randomness, time_limit=time_limit, encode=encode, messages=game.messages
        )
        runner.check_parameters()
        return Target(runner.name, runner, "mechanism", arms, mechanism=self.mechanism)


@dataclass(frozen=True)
class _Elsewhere(Loaded):
    """A policy or a mechanism that another program plays."""

    service: Service

    @property
    def mechanism(self) -> Any:
        return self.service if self.service.mechanism else None

    def arms(self, asked: int | None) -> int:
        if asked is None and not self.service.mechanism:
            raise no_arms()
        return asked or 0

    def target(self, claim: Claim, game: Game, horizon: int, arms: int, time_limit: float | None = None) -> Target:
        if game.messages:
            hint = "what another program plays has no exceptions of Python"
            raise PrivcheckError("messages", True, "False for a command or a service", hint)
        feedback = "mechanism" if self.service.mechanism else game.feedback
        start = {"arms": arms, "horizon": horizon, **claim.promised, "feedback": feedback}
        seeded = self.service.seeded if game.randomness is None else game.randomness == "seeded"
        runner = ServiceRunner(self.service, start, game.observe, game.contexts, seeded, time_limit)
        return Target(repr(self.service), runner, feedback, arms, mechanism=self.mechanism)
