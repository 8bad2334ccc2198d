"""The base class of the shipped algorithms, and the contracts of policies."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np

from privcheck.arrays import Actions, Array, Table
from privcheck.bandits.audit_setting import AuditSetting
from privcheck.declared import POSITIVE, Declared, Integer, declared_fields, parameter
from privcheck.errors import PrivcheckError
from privcheck.registry import Registry

if TYPE_CHECKING:
    from privcheck.kernels import Generators, Kernel


class BanditPolicy(Protocol):
    """A policy with bandit feedback: the contract of a user's own bandit."""

    def select(self) -> int:
        """Return the arm to play, 0-based."""

    def update(self, action: int, reward: float) -> None:
        """Observe the reward of the arm that was played."""


class FullInformationPolicy(Protocol):
    """A policy that sees the rewards of all arms after each round."""

    def select(self) -> int:
        """Return the arm to play, 0-based."""

    def update(self, action: int, rewards: Array) -> None:
        """Observe the rewards of all arms, shape (K,)."""


class SemiBanditPolicy(Protocol):
    """A policy that plays several base arms in a round and sees the outcome of each."""

    def select(self) -> tuple[int, ...]:
        """Return the base arms to play, 0-based, in ascending order."""

    def update(self, action: Sequence[int], rewards: Any) -> None:
        """Observe the outcomes of the base arms that were played, in the order of `action`."""


class ContextualPolicy(Protocol):
    """A policy with contextual feedback."""

    def select(self, context: Any) -> int:
        """Return the action to play, 0-based, given the context of the round."""

    def update(self, context: Any, action: int, reward: float) -> None:
        """Observe the reward of the action that was played."""


class Algorithm(Declared):
    """Base of the shipped algorithms: a frozen dataclass of the paper's parameters that registers itself under `id`.

    `build(rng)` returns the readable reference, close to the paper's pseudo-code; `kernel` is the compiled function
    that audits and simulations run (its signature is in `privcheck.kernels._building_blocks`). Tests check that the two
    agree.
    """

    id: ClassVar[str]
    source: ClassVar[str]
    private: ClassVar[bool] = True
    feedback: ClassVar[str] = "bandit"
    tosses_coins: ClassVar[bool] = False
    """Whether it is randomised beyond the privacy noise."""
    any_rewards: ClassVar[bool] = False
    """Whether it is defined for rewards outside [0, 1]."""
    approximate: ClassVar[bool] = False
    """Whether its parameter `delta` is that of (epsilon, delta)-DP."""
    local: ClassVar[bool] = False
    """Whether the budget is that of local DP: each reward is private before the learner sees it."""
    audit_setting: ClassVar[AuditSetting | None] = None
    """Where its privacy shows: what an audit of its id plays by default."""
    simulation_engine: ClassVar[str]
    kernel: ClassVar[Kernel]

    arms: int
    epsilon: float | None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "id" in cls.__dict__:
            ALGORITHMS.register(cls.id, cls)

    def build(
        self, rng: np.random.Generator, *, noise: np.random.Generator | None = None
    ) -> BanditPolicy | FullInformationPolicy | ContextualPolicy | SemiBanditPolicy:
        """Return the reference policy; its privacy noise comes from `noise` if given, otherwise from `rng`."""
        raise NotImplementedError

    def kernel_parameters(self) -> Array:
        """Return the numbers that the kernel needs, shape (P,)."""
        raise NotImplementedError

    def symbols(self, table: Table, runs: int, streams: Generators) -> Actions:
        """Return what independent runs of the kernel on a reward table show: the arm of each round, shape (runs, T)."""
        actions = np.empty((runs, len(table)), np.int8)
        means, no_checkpoints = np.zeros(table.shape[1]), np.zeros(0, np.int64)
        self.kernel(
            self.kernel_parameters(), table, means, *streams, len(table), runs, actions, no_checkpoints,
            np.zeros((0, 0)),
        )  # fmt: skip
        return actions

    def warm_up(self) -> int:
        """Return a number of rounds within which each arm is played and, for a private algorithm, there is a release.

        It holds on every stream; 0 promises nothing, as for Thompson sampling, which may neglect an arm for any length
        of time. Tests check it, and play at least this many rounds.
        """
        return 3 * self.arms

    def describe(self) -> str:
        """Return the id with its parameters; read as a target, the text gives the same algorithm.

        >>> ALGORITHMS["adap-ucb"](arms=2, epsilon=1.0).describe()
        'adap-ucb(arms=2, epsilon=1, alpha=3.1)'
        """
        values = (f"{f.name}={_exact(getattr(self, f.name))}" for f in declared_fields(type(self)))
        return f"{self.id}({', '.join(values)})"

    @classmethod
    def budget_name(cls) -> str | None:
        """Return the parameter that is the privacy budget: "epsilon", "rho" under zCDP, None without privacy.

        >>> [ALGORITHMS[name].budget_name() for name in ("adap-ucb", "gaussian-glr-imed", "ucb")]
        ['epsilon', 'rho', None]
        """
        return next((name for name in ("epsilon", "rho") if cls.declares(name)), None)

    @classmethod
    def declares(cls, name: str) -> bool:
        """Tell whether the algorithm has a parameter of this name.

        >>> ALGORITHMS["adap-ucb"].declares("epsilon"), ALGORITHMS["ucb"].declares("epsilon")
        (True, False)
        """
        return any(declared.name == name for declared in declared_fields(cls))


ALGORITHMS: Registry[Algorithm] = Registry("algorithm", "privcheck.bandits")
"""The shipped algorithms by id, in alphabetical order."""


def in_words(value: float | str, digits: int = 6) -> str:
    """Return a parameter's value for tables, rounded to so many digits.

    >>> in_words(0.5), in_words(10_000_000), in_words("split")
    ('0.5', '1e+07', 'split')
    """
    return value if isinstance(value, str) else f"{value:.{digits}g}"


def _exact(value: float | str) -> str:
    """Return a parameter's value in few digits if they are enough, and otherwise in all.

    >>> _exact(0.5), _exact(10_000_000), _exact(1 / 3)
    ('0.5', '1e+07', '0.3333333333333333')
    """
    rounded = in_words(value)
    return rounded if isinstance(value, str) or float(rounded) == value else repr(value)


def arms_parameter() -> Any:
    """Declare the number of arms K."""
    return parameter(
        Integer(2, 127), typical=(2, 10), doc="K, the number of arms", hint="a bandit needs two arms or more"
    )


def epsilon_parameter() -> Any:
    """Declare the privacy budget epsilon."""
    return parameter(
        POSITIVE, typical=(0.1, 4.0), doc="epsilon, the pure differential privacy budget", hint="give a positive budget"
    )


def rho_parameter() -> Any:
    """Declare the privacy budget rho."""
    return parameter(
        POSITIVE, typical=(0.01, 4.0), doc="rho, the budget in zero-concentrated DP", hint="give a positive budget"
    )


def horizon_parameter(longest: int = 10**15) -> Any:
    """Declare the horizon T of an algorithm that needs to know it."""
    return parameter(
        Integer(2, longest),
        typical=(1000, 4000),
        doc="T, the number of rounds",
        hint="T is fixed before the first round",
    )


def split_description(text: str) -> tuple[str, dict[str, Any]]:
    """Return the id and the given parameters of a text as `Algorithm.describe` writes it, in full or in part.

    Raises
    ------
    PrivcheckError : parentheses that do not contain `name=value` pairs, or a parameter that the algorithm lacks.

    Examples
    --------
    >>> split_description("adap-ucb(epsilon=0.5, alpha=3.1)"), split_description("ucb")
    (('adap-ucb', {'epsilon': 0.5, 'alpha': 3.1}), ('ucb', {}))
    """
    name, opened, rest = text.partition("(")
    if not opened:
        return text, {}
    if ":" in name:
        given, factory = rest.rstrip(") "), name.rpartition(":")[2]
        hint = f"a function in it passes them on: def mine(rng, epsilon): return {factory}(rng, {given})"
        raise PrivcheckError("target", text, f"{name} without parameters", hint)
    hint = "as in 'adap-ucb(arms=2, epsilon=1)'"
    try:
        call = ast.parse(source := f"f({rest}", mode="eval").body
    except SyntaxError:
        call = None
    if not isinstance(call, ast.Call) or call.args or any(keyword.arg is None for keyword in call.keywords):
        raise PrivcheckError("target", text, "a shipped id, with name=value pairs in parentheses", hint)
    values = {}
    for keyword in call.keywords:
        if keyword.arg not in {f.name for f in declared_fields(ALGORITHMS[name])}:
            known = ", ".join(f.name for f in declared_fields(ALGORITHMS[name]))
            raise PrivcheckError("target", text, f"parameters of {name}: {known}", hint)
        try:
            values[str(keyword.arg)] = ast.literal_eval(keyword.value)
        except ValueError:
            values[str(keyword.arg)] = ast.get_source_segment(source, keyword.value)  # a word, such as a named option
    return name, values
