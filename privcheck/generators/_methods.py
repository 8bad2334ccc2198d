"""What each name of numpy's Generator is. A new one is refused everywhere until it has a line in `METHODS`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Noise:
    """A method that draws from a law of noise.

    Parameters
    ----------
    name : of the method.
    law : "laplace", "normal", "gumbel", "logistic", "exponential", "geometric" or "uniform".
    parameters : of the law, as numpy's method takes them; without any, it draws from the standard law.
    """

    name: str
    law: str
    parameters: tuple[str, ...] = ()


@dataclass(frozen=True)
class Coin:
    """A method whose draws are public numbers.

    Parameters
    ----------
    name : of the method.
    of_a_law : whether all its arguments are parameters of a law, so that private ones among them are read; arguments of
        other methods are handed on as they are.
    """

    name: str
    of_a_law: bool = True


@dataclass(frozen=True)
class State:
    """A name by which the state can be read, and the same numbers be drawn twice: `HandledGenerator` has its own."""

    name: str


@dataclass(frozen=True)
class Fixed:
    """A name that leads to no number and no state."""

    name: str


Method = Noise | Coin | State | Fixed

_LINES: tuple[Method, ...] = (
    Noise("laplace", "laplace", ("loc", "scale")),
    Noise("normal", "normal", ("loc", "scale")),
    Noise("gumbel", "gumbel", ("loc", "scale")),
    Noise("logistic", "logistic", ("loc", "scale")),
    Noise("exponential", "exponential", ("scale",)),
    Noise("geometric", "geometric", ("p",)),
    Noise("standard_normal", "normal"),
    Noise("standard_exponential", "exponential"),
    Noise("random", "uniform"),
    Noise("uniform", "uniform", ("low", "high")),
    *map(Coin, ("beta", "binomial", "chisquare", "dirichlet", "f", "gamma", "hypergeometric", "integers")),
    *map(Coin, ("lognormal", "logseries", "multinomial", "negative_binomial", "noncentral_chisquare")),
    *map(Coin, ("noncentral_f", "pareto", "poisson", "power", "rayleigh", "standard_cauchy", "standard_gamma")),
    *map(Coin, ("standard_t", "triangular", "vonmises", "wald", "weibull", "zipf")),
    *(Coin(name, of_a_law=False) for name in ("bytes", "choice", "permutation", "permuted", "shuffle")),
    *(Coin(name, of_a_law=False) for name in ("multivariate_hypergeometric", "multivariate_normal")),
    *map(State, ("bit_generator", "_bit_generator", "spawn", "__getstate__", "__setstate__", "__reduce__")),
    *map(Fixed, ("__doc__", "__init__", "__new__", "__repr__", "__str__", "_poisson_lam_max")),
)

METHODS = {method.name: method for method in _LINES}
"""Everything that numpy's Generator defines."""

NOISE = frozenset(name for name, method in METHODS.items() if isinstance(method, Noise) and method.law != "uniform")
"""The methods whose draws are taken for noise wherever code is read: those of all laws of noise but the uniform."""
