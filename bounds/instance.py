"""A bandit instance: the arms, the privacy budget and the horizon that theorems are evaluated on."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import MISSING, asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from bounds.distinguishability import FAMILIES
from bounds.domains import POSITIVE, Declared, Integer, OrNone, Real, declared_fields, parameter
from bounds.errors import PrivcheckError, words


@dataclass(frozen=True)
class Means:
    """The means of at least two arms, in the order of the arms."""

    @property
    def text(self) -> str:
        """What the domain contains, in words."""
        return "a list of at least two finite numbers"

    def normalise(self, value: Any) -> tuple[float, ...]:
        """Return `value` as a tuple of floats, or raise ValueError or TypeError."""
        if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray):
            raise TypeError
        if len(value) < 2:
            raise ValueError
        return tuple(Real().normalise(mean) for mean in value)


@dataclass(frozen=True)
class Instance(Declared):
    """A stochastic bandit with K independent arms, a privacy budget and, where needed, a horizon.

    Arm a pays Bernoulli(mu_a) or N(mu_a, 1); `mu* = max mu_a`; the gap of arm a is `Delta_a = mu* - mu_a`. Several best
    arms are allowed, and so is `mu* = 1`: a theorem that needs more says so when it is evaluated.

    Parameters
    ----------
    family : "bernoulli" or "gaussian" (variance 1).
    means : shape (K,), K at least 2; in [0, 1] for Bernoulli, otherwise finite.
    epsilon : privacy budget of epsilon-global DP, above 0.
    horizon : number of rounds T, an integer of at least 1 (1e7 is accepted); None when only asymptotics are wanted.
    delta : in [0, 1); 0 is pure DP.
    alpha : width of the confidence bounds of AdaP-UCB, above 0; its theorem needs alpha > 3.
    risk : probability with which best-arm identification may be wrong, in (0, 1); None when nothing is identified.

    Raises
    ------
    PrivcheckError : a value outside its range.

    Examples
    --------
    >>> instance = Instance("bernoulli", means=(0.75, 0.5), epsilon=1.0, horizon=1e7)
    >>> instance.best_mean, instance.gaps, instance.horizon
    (0.75, (0.0, 0.25), 10000000)
    """

    setting: ClassVar[str] = "a bandit with independent arms"

    family: str = parameter(FAMILIES, typical=FAMILIES.options, doc="law of the rewards")  # type: ignore[arg-type]
    means: tuple[float, ...] = parameter(Means(), typical=(0.0, 1.0), doc="mu, mean reward of every arm")
    epsilon: float = parameter(POSITIVE, typical=(0.01, 10.0), doc="epsilon, privacy budget")
    horizon: int | None = parameter(OrNone(Integer(1)), typical=(100, 10**7), doc="T, number of rounds", default=None)
    delta: float = parameter(Real(0.0, 1.0, high_open=True), typical=(0.0, 1e-3), doc="delta", default=0.0)
    alpha: float = parameter(POSITIVE, typical=(3.01, 5.0), doc="alpha, width of confidence bounds", default=3.1)
    risk: float | None = parameter(
        OrNone(Real(0.0, 1.0, low_open=True, high_open=True)), typical=(1e-3, 0.1), doc="risk", default=None
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.family == "bernoulli" and not all(0 <= mean <= 1 for mean in self.means):
            raise PrivcheckError("means", self.means, "numbers in [0, 1]", 'or give family="gaussian"')

    @property
    def arms(self) -> int:
        """Number of arms K."""
        return len(self.means)

    @property
    def rounds(self) -> int:
        """Horizon T, for theorems whose conditions ask for one.

        Raises
        ------
        PrivcheckError : the instance has no horizon.
        """
        if self.horizon is None:
            raise PrivcheckError("horizon", None, "a number of rounds", "give the instance a horizon")
        return self.horizon

    @property
    def best_mean(self) -> float:
        """Largest mean, mu*."""
        return max(self.means)

    @property
    def gaps(self) -> tuple[float, ...]:
        """Gap `mu* - mu_a` of every arm, in the order of the arms."""
        return tuple(self.best_mean - mean for mean in self.means)

    @property
    def suboptimal(self) -> tuple[tuple[float, float], ...]:
        """Mean and gap of every arm whose gap is positive, in the order of the arms.

        >>> Instance("gaussian", (1.0, 0.0, 1.0), epsilon=1.0).suboptimal
        ((0.0, 1.0),)
        """
        return tuple((mean, gap) for mean, gap in zip(self.means, self.gaps, strict=True) if gap > 0)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-ready values, in the order of their declaration."""
        return {**asdict(self), "means": list(self.means)}

    @classmethod
    def from_toml(cls, path: str | Path, **overrides: Any) -> Instance:
        """Read an instance from a TOML file with the keys family, means, epsilon, horizon, delta, alpha, risk.

        Parameters
        ----------
        path : the file.
        overrides : fields that replace, or complete, those of the file.

        Raises
        ------
        PrivcheckError : no such file, invalid TOML, an unknown or missing key, a value outside its range.
        """
        known = {declared.name: declared for declared in declared_fields(cls)}
        expected = f"only the keys {', '.join(known)}"
        values = {**_read(path), **overrides}
        for key in values:
            if key not in known:
                raise PrivcheckError(str(path), words(f"the unknown key {key!r}"), expected)
        for name, declared in known.items():
            if name not in values and declared.default is MISSING:
                hint = f"add the key {name!r} to {path}"
                raise PrivcheckError(name, words("nothing"), declared.metadata["domain"].text, hint)
        return cls(**values)


def _read(path: str | Path) -> dict[str, Any]:
    expected = "a TOML file that describes an instance"
    try:
        with Path(path).open("rb") as file:
            return tomllib.load(file)
    except OSError as error:
        raise PrivcheckError(str(path), words(error.strerror or "an unreadable file"), expected) from None
    except ValueError as error:
        raise PrivcheckError(str(path), words(f"invalid TOML ({error})"), expected) from None
