"""The notions of privacy in which a guarantee can be given: pure, approximate, zero-concentrated and Gaussian."""

from __future__ import annotations

from dataclasses import dataclass

from privcheck.declared import Declared, Real, parameter

AMOUNT = Real(0.0)


@dataclass(frozen=True)
class Pure(Declared):
    """Pure differential privacy: P(S) <= exp(epsilon) P'(S) for every event S.

    Source: Dwork, McSherry, Nissim and Smith 2006, Definition 1.

    >>> Pure(1.0)
    Pure(epsilon=1.0)
    """

    epsilon: float = parameter(AMOUNT, typical=(0.01, 10.0), doc="epsilon, in nats", hint="in nats, such as 1.0")


@dataclass(frozen=True)
class Approximate(Declared):
    """Approximate differential privacy: P(S) <= exp(epsilon) P'(S) + delta for every event S.

    Source: Dwork, Kenthapadi, McSherry, Mironov and Naor 2006, Definition 1.

    >>> Approximate(1.0, 1e-6)
    Approximate(epsilon=1.0, delta=1e-06)
    """

    epsilon: float = parameter(AMOUNT, typical=(0.01, 10.0), doc="epsilon, in nats", hint="in nats, such as 1.0")
    delta: float = parameter(
        Real(0.0, 1.0, high_open=True), typical=(1e-9, 1e-3), doc="delta, a probability",
        hint="a probability far below one over the number of data",
    )  # fmt: skip


@dataclass(frozen=True)
class Concentrated(Declared):
    """Zero-concentrated differential privacy (zCDP): D_alpha(P || P') <= rho alpha for every order alpha > 1.

    Source: Bun and Steinke 2016, Definition 1.1.

    >>> Concentrated(0.5)
    Concentrated(rho=0.5)
    """

    rho: float = parameter(AMOUNT, typical=(1e-3, 10.0), doc="rho, in nats", hint="in nats, such as 0.1")


@dataclass(frozen=True)
class GaussianDP(Declared):
    """Gaussian differential privacy: P and P' are at least as hard to tell apart as N(0, 1) and N(mu, 1).

    Source: Dong, Roth and Su 2022, Definition 4.

    >>> GaussianDP(1.0)
    GaussianDP(mu=1.0)
    """

    mu: float = parameter(AMOUNT, typical=(0.01, 5.0), doc="mu, in standard deviations", hint="such as 0.5")


Notion = Pure | Approximate | Concentrated | GaussianDP
