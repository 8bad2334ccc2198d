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

METHODS: dict[str, Method] = {
    method.name: method
    for method in (
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
        Coin("beta"),
        Coin("binomial"),
        Coin("chisquare"),
        Coin("dirichlet"),
        Coin("f"),
        Coin("gamma"),
        Coin("hypergeometric"),
        Coin("integers"),
        Coin("lognormal"),
        Coin("logseries"),
        Coin("multinomial"),
        Coin("negative_binomial"),
        Coin("noncentral_chisquare"),
        Coin("noncentral_f"),
        Coin("pareto"),
        Coin("poisson"),
        Coin("power"),
        Coin("rayleigh"),
        Coin("standard_cauchy"),
        Coin("standard_gamma"),
        Coin("standard_t"),
        Coin("triangular"),
        Coin("vonmises"),
        Coin("wald"),
        Coin("weibull"),
        Coin("zipf"),
        Coin("bytes", of_a_law=False),
        Coin("choice", of_a_law=False),
        Coin("multivariate_hypergeometric", of_a_law=False),
        Coin("multivariate_normal", of_a_law=False),
        Coin("permutation", of_a_law=False),
        Coin("permuted", of_a_law=False),
        Coin("shuffle", of_a_law=False),
        State("bit_generator"),
        State("_bit_generator"),
        State("spawn"),
        State("__getstate__"),
        State("__setstate__"),
        State("__reduce__"),
        Fixed("__doc__"),
        Fixed("__init__"),
        Fixed("__new__"),
        Fixed("__repr__"),
        Fixed("__str__"),
        Fixed("_poisson_lam_max"),
    )
}
"""Everything that numpy's Generator defines."""

NOISE = frozenset(name for name, method in METHODS.items() if isinstance(method, Noise) and method.law != "uniform")
"""The methods whose draws are taken for noise wherever code is read: those of all laws of noise but the uniform."""
