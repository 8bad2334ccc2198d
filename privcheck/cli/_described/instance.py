"""The instance of `privcheck bounds`, from its options or a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from privcheck.cli._declared_options import AS_GIVEN, OUTPUT, said
from privcheck.cli._described.environment import EnvironmentOptions
from privcheck.cli._options import numbers
from privcheck.declared import Declared, OrNone, Switch
from privcheck.errors import PrivcheckError, words
from privcheck.targets import SimulatedBudget, SimulatedGame, like, option

PRIVACY, ARMS, LINEAR, SEMI = "Privacy and horizon", "Independent arms", "Linear bandits", "Semi-bandits"
CONTEXTUAL = "Contextual linear bandits (also --gap and --alpha)"
"""Headings of the help."""

SOURCES = {
    "means": "--means 0.75,0.5",
    "weights": "--weights '0.1,0.9; 0.5,0.5' with --support 0,1",
    "vectors": "--vectors '1,0; 0,1' with --theta 0.5,0.25",
    "base_arms": "--base-arms 6 with --size 2 and --gap 0.1",
    "dimension": "--dimension 5 with --horizon 1e6, --delta 0.1 and --alpha 0.01",
}
SEMI_BANDIT = {"base_arms": "arms", "size": "size", "gap": "gap"}


@dataclass(frozen=True)
class BoundsQuestions(Declared):
    """What is asked about an instance."""

    everything: bool = option(
        Switch(), doc="Also show sources, and theorems about other settings.", heading=OUTPUT, default=False,
        flag="--all",
    )  # fmt: skip
    curve: str | None = said("Evaluate the bounds along an axis: epsilon, rho, horizon or gap.", OUTPUT, value="AXIS")
    explain: str | None = said("Explain one theorem, on the instance if there is one.", OUTPUT, value="ID")
    claimed: str | None = said(
        "Say whether a claimed regret is possible: a number at the horizon, or a coefficient as in '16 ln T'.",
        OUTPUT, value="REGRET",
    )  # fmt: skip


@dataclass(frozen=True)
class InstanceOptions(Declared):
    """What describes an instance on the command line; what is left out has the default of the setting."""

    epsilon: float | None = like(SimulatedBudget, "epsilon", heading=PRIVACY, domain=OrNone(AS_GIVEN), read_as="number")
    rho: float | None = said("Budget of zCDP, in place of --epsilon.", PRIVACY, read_as="number")
    mu: float | None = said("Budget of Gaussian DP, in place of --epsilon.", PRIVACY, read_as="number")
    delta: float | None = said(
        "Privacy parameter delta; 0 by default (pure differential privacy).", PRIVACY, read_as="number"
    )
    horizon: float | None = like(SimulatedGame, "horizon", heading=PRIVACY)
    family: str | None = said(
        "Family of the rewards: bernoulli (the default), two-point, gaussian, exponential, poisson, finite or bounded.",
        ARMS, value="FAMILY",
    )  # fmt: skip
    means: str | None = like(EnvironmentOptions, "means", heading=ARMS)
    instance: str | None = said("A named instance from the papers, such as c2, instead of --means.", ARMS, value="NAME")
    support: str | None = said("Possible rewards of finite and bounded arms: 0,0.5,1.", ARMS, value="NUMBERS")
    weights: str | None = said(
        "Probabilities of --support, one row per arm: '0.1,0.3,0.6; 0.1,0.7,0.2'.", ARMS, value="ROWS"
    )
    variance: float | None = said("Variance of Gaussian rewards; 1 by default.", ARMS, read_as="number")
    alpha: float | None = said(
        "Parameter of AdaP-UCB, 3.1 by default; with --dimension, the probability of failure.", ARMS, read_as="number"
    )
    risk: float | None = said("Allowed error probability of best-arm identification.", ARMS, read_as="number")
    vectors: str | None = said("Arms of a linear bandit: '1,0; 0,1'; with --theta.", LINEAR, value="ROWS")
    theta: str | None = said("Parameter of a linear bandit: 0.5,0.25.", LINEAR, value="NUMBERS")
    base_arms: int | None = said("Base arms m of a semi-bandit; with --size K and --gap.", SEMI, read_as="whole")
    size: int | None = said("Largest number K of base arms played at once.", SEMI, read_as="whole")
    gap: float | None = said("Smallest gap of a semi-bandit or a contextual bandit.", SEMI, read_as="number")
    smooth_inf: float | None = said("Smoothness B_inf of a semi-bandit, in the largest entry.", SEMI, read_as="number")
    smooth_one: float | None = said("Smoothness B_1 of a semi-bandit, in the sum of entries.", SEMI, read_as="number")
    dimension: int | None = said(
        "Dimension d of a contextual linear bandit; with --horizon, --delta and --alpha.", CONTEXTUAL, read_as="whole"
    )
    noise: str | None = said(
        "Noise of the tree: gaussian (the default), wishart or wishart-unshifted.", CONTEXTUAL, value="KIND"
    )
    action_norm: float | None = said("Largest norm L of an action; 1 by default.", CONTEXTUAL, read_as="number")
    parameter_norm: float | None = said("Largest norm S of theta; 1 by default.", CONTEXTUAL, read_as="number")
    mean_bound: float | None = said("Largest mean reward B; 1 by default.", CONTEXTUAL, read_as="number")
    reward_bound: float | None = said("Largest reward; 1 by default.", CONTEXTUAL, read_as="number")
    sigma: float | None = said(
        "Sub-Gaussian parameter of the reward noise; 1 by default.", CONTEXTUAL, read_as="number"
    )

    @property
    def given(self) -> dict[str, Any]:
        """What was given of the arms and of what is claimed of them: neither a name, nor epsilon or the horizon."""
        others = ("epsilon", "horizon", "instance")
        return {name: value for name, value in vars(self).items() if value is not None and name not in others}

    def made(self, file: str | None) -> Any:
        """Return the instance, from a file if there is one."""
        return described_instance(file, self.instance, self.given, self.epsilon, self.horizon)


def described_instance(
    file: str | None,
    name: str | None,
    flags: dict[str, Any],
    epsilon: float | None,
    horizon: float | None,
) -> Any:
    """Return an instance from a TOML file, a name or options; other options complete a file or a name.

    Raises
    ------
    PrivcheckError : no source of the arms or more than one, options that do not belong to the setting.

    Examples
    --------
    >>> described_instance(None, "c2", {}, epsilon=1.0, horizon=None).arms
    5
    """
    from privcheck.bounds import THEOREMS, named_instance
    from privcheck.declared import Integer, check

    if file in THEOREMS and not Path(file).exists():
        hint = f"it is the id of a theorem: did you mean --explain {file}"
        raise PrivcheckError("instance", words(file), "a TOML file that describes an instance", hint)
    given = {key: value for key, value in flags.items() if value is not None}
    rounds = None if horizon is None else check("horizon", horizon, Integer(1), "the number of rounds T")
    sources = [source for source in (file, name, *(given.get(key) for key in SOURCES)) if source is not None]
    if len(sources) != 1:
        hint = "give FILE.toml, --means 0.75,0.5, --instance c2, --vectors, --base-arms or --dimension"
        got = " and ".join(str(source) for source in sources) or None
        raise PrivcheckError("instance", got, "one source of the arms", hint)
    common = {key: value for key, value in (("epsilon", epsilon), ("horizon", rounds)) if value is not None}
    given |= _rho(epsilon, given.pop("rho", None), given.pop("mu", None))
    if file is not None:
        return _from_file(file, given | common)
    if "rho" in given:
        return _concentrated(name, given, common)
    if epsilon is None:
        raise PrivcheckError("epsilon", None, "a privacy budget", "give --epsilon 1, --rho 0.5 or --mu 1")
    if name is not None:
        return named_instance(name, **given, **common)
    return _from_flags(given, common)


def _from_flags(given: dict[str, Any], common: dict[str, Any]) -> Any:
    from privcheck.bounds import ContextualInstance, Instance, LinearInstance, SemiBanditInstance

    if "vectors" in given:
        if "theta" not in given:
            raise PrivcheckError("theta", None, "the parameter of the rewards", SOURCES["vectors"])
        vectors, theta = _rows(given.pop("vectors"), "vectors"), numbers(given.pop("theta"), "theta")
        return _build(LinearInstance, {"vectors": vectors, "theta": theta} | common, given)
    if "base_arms" in given:
        values = {field: given.pop(flag) for flag, field in SEMI_BANDIT.items() if flag in given}
        for flag, field in SEMI_BANDIT.items():
            if field not in values:
                raise PrivcheckError(flag, None, "a number", SOURCES["base_arms"])
        return _build(SemiBanditInstance, values | common, given)
    if "dimension" in given:
        for key in ("horizon", "delta", "alpha"):
            if key not in given | common:
                raise PrivcheckError(key, None, "a number", SOURCES["dimension"])
        return _build(ContextualInstance, common, given)
    for key in ("means", "support"):
        if key in given:
            given[key] = numbers(given[key], key)
    if "weights" in given:
        given["weights"] = _rows(given["weights"], "weights")
    _check_support(given)
    return _build(Instance, common, {"family": "bernoulli"} | given)


def _check_support(given: dict[str, Any]) -> None:
    """Refuse arms of a family that is described by support and weights, without these."""
    family = given.get("family", "bernoulli")
    if family in ("finite", "bounded") and (missing := [key for key in ("support", "weights") if key not in given]):
        hint = f"means alone do not determine a law: give {SOURCES['weights']}, a row for each arm"
        raise PrivcheckError(missing[0], None, f"support and weights of {family} arms", hint)


def _rho(epsilon: float | None, rho: float | None, mu: float | None) -> dict[str, float]:
    """Return the budget of zCDP if one is given, as rho; mu-Gaussian DP has rho = mu^2 / 2."""
    from privcheck.declared import Budget, check

    budgets = [("epsilon", epsilon), ("rho", rho), ("mu", mu)]
    given = [f"{key} {value:g}" for key, value in budgets if value is not None]
    if len(given) > 1:
        raise PrivcheckError("epsilon", " and ".join(given), "one privacy budget", "give --epsilon, --rho or --mu")
    if mu is not None:
        return {"rho": check("mu", mu, Budget()) ** 2 / 2.0}
    return {} if rho is None else {"rho": check("rho", rho, Budget())}


def _concentrated(name: str | None, given: dict[str, Any], common: dict[str, Any]) -> Any:
    from privcheck.bounds import ConcentratedInstance, named_instance

    if name is not None:
        arms = named_instance(name, epsilon=1.0)
        return _build(ConcentratedInstance, {"family": arms.family, "means": arms.means} | common, given)
    if "means" in given:
        given["means"] = numbers(given["means"], "means")
    else:
        raise PrivcheckError("means", None, "the arms of the theorems about zCDP", SOURCES["means"])
    return _build(ConcentratedInstance, common, {"family": "bernoulli"} | given)


def _build(cls: type, values: dict[str, Any], given: dict[str, Any]) -> Any:
    known = _names(cls)
    for key, value in given.items():
        if key not in known:
            setting = getattr(cls, "setting", cls.__name__)
            raise PrivcheckError(key, value, f"an option of {setting}", "leave this option out")
    return cls(**values, **given)


def _from_file(file: str, changes: dict[str, Any]) -> Any:
    """Read a file as the setting that shares most of its keys; on a tie, as a bandit with independent arms."""
    from privcheck.bounds import instance_class, read_toml

    return instance_class({**read_toml(file), **changes}).from_toml(file, **changes)


def _names(cls: Any) -> set[str]:
    from privcheck.declared import declared_fields

    return {declared.name for declared in declared_fields(cls)}


def _rows(text: str, parameter: str) -> tuple[tuple[float, ...], ...]:
    """Read rows separated by semicolons, of numbers separated by commas.

    >>> _rows("1,0; 0,1", "vectors")
    ((1.0, 0.0), (0.0, 1.0))
    """
    return tuple(numbers(row, parameter) for row in text.split(";"))
