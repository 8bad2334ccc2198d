"""Conversions between the notions of privacy: what one guarantee implies in the terms of another."""

from __future__ import annotations

import math
from typing import Any

from privcheck.accounting._gaussian_profile import ROUNDING, delta_of, epsilon_of
from privcheck.accounting._implied import mu_of_pure, rho_of_pure
from privcheck.accounting._notions import Approximate, Concentrated, GaussianDP, Notion, Pure
from privcheck.accounting._renyi_curve import delta_of_curve, epsilon_of_curve
from privcheck.declared import Real, check
from privcheck.errors import PrivcheckError, words

DELTA = Real(0.0, 1.0, high_open=True)
NOTIONS = (Pure, Approximate, Concentrated, GaussianDP)
EXPECTED = "Pure, Approximate, Concentrated or GaussianDP"


def convert(guarantee: Notion, to: type[Any], *, delta: float | None = None, epsilon: float | None = None) -> Any:
    """Return the strongest known guarantee of another notion that a guarantee implies, rounded up.

    | from | to | the conversion | tight |
    | --- | --- | --- | --- |
    | `Pure` | `Approximate` | ln(e^epsilon - delta (1 + e^epsilon)) | yes: attained by randomised response |
    | `Pure` | `Concentrated` | rho = epsilon tanh(epsilon / 2) | yes: attained by randomised response |
    | `Pure` | `GaussianDP` | mu = 2 Phi^-1(e^epsilon / (1 + e^epsilon)) | yes: attained by randomised response |
    | `Approximate` | `Approximate` of a larger delta, or a larger epsilon | Kairouz, Oh and Viswanath 2015 | yes |
    | `Concentrated` | `Approximate` | the best order alpha of Proposition 12 of Canonne, Kamath and Steinke 2020 | no |
    | `GaussianDP` | `Approximate` | Balle and Wang 2018, Theorem 8 | yes: attained by the Gaussian mechanism |
    | `GaussianDP` | `Concentrated` | rho = mu^2 / 2 | yes: attained by the Gaussian mechanism |

    Parameters
    ----------
    guarantee : a `Pure`, `Approximate`, `Concentrated` or `GaussianDP`.
    to : one of these four classes.
    delta : in [0, 1), for `Approximate`: the epsilon at this delta is returned.
    epsilon : >= 0, for `Approximate`, instead of delta: the delta at this epsilon is returned.

    Returns
    -------
    An instance of `to`.

    Guarantee
    ---------
    Every mechanism with `guarantee` has the result, for the same neighbours. Rounding never takes it below
    the exact value of the conversion; it is at most 2e-11 (relative) above, apart from 1e-14 of the first epsilon.

    Raises
    ------
    PrivcheckError : the conversion does not exist, such as from Gaussian to pure privacy; an argument is not legal; or
        the delta at this epsilon is so close to 1 that no float below 1 is above it.

    Examples
    --------
    >>> convert(GaussianDP(1.0), Approximate, delta=1e-6).epsilon < 4.887
    True
    >>> convert(Pure(0.5), Concentrated).rho < 0.5**2 / 2
    True
    >>> convert(Concentrated(0.1), Approximate, epsilon=2.0).delta < 1e-4
    True
    """
    if not isinstance(guarantee, NOTIONS):
        raise PrivcheckError("guarantee", guarantee, EXPECTED, "for example Pure(1.0) or Concentrated(0.1)")
    if to not in NOTIONS:
        raise PrivcheckError("to", to, EXPECTED, "give the class, not an instance")
    if to is Approximate:
        return _approximate(guarantee, delta, epsilon)
    for name, value in (("delta", delta), ("epsilon", epsilon)):
        if value is not None:
            raise PrivcheckError(name, value, "None", f"only a conversion to Approximate takes {name}")
    if isinstance(guarantee, Approximate) and guarantee.delta == 0.0:
        guarantee = Pure(guarantee.epsilon)
    if isinstance(guarantee, to):
        return guarantee
    if isinstance(guarantee, Pure) and to is Concentrated:
        return Concentrated(rho_of_pure(guarantee.epsilon))
    if isinstance(guarantee, Pure) and to is GaussianDP:
        return GaussianDP(mu_of_pure(guarantee.epsilon))
    if isinstance(guarantee, GaussianDP) and to is Concentrated:
        return Concentrated(_up(guarantee.mu * guarantee.mu / 2.0) if guarantee.mu else 0.0)
    nothing = {Pure: "epsilon", Concentrated: "rho", GaussianDP: "mu"}[to]
    got = words(f"{guarantee}, which bounds no {nothing}")
    raise PrivcheckError("guarantee", got, f"a guarantee that implies {to.__name__}", "convert to Approximate instead")


def _approximate(guarantee: Notion, delta: float | None, epsilon: float | None) -> Approximate:
    if (delta is None) == (epsilon is None):
        got = words("neither" if delta is None else "both")
        raise PrivcheckError("delta", got, "either delta or epsilon", "for example delta=1e-06")
    if delta is not None:
        delta = check("delta", delta, DELTA, "a probability far below one over the number of data")
        return Approximate(_epsilon_at(guarantee, delta), delta)
    epsilon = check("epsilon", epsilon, Real(0.0), "in nats")
    found = delta_at(guarantee, epsilon)
    if found == 1.0:
        got = words(f"{epsilon:g}, at which delta is above all floats below 1")
        raise PrivcheckError("epsilon", got, "one at which delta is below 1", "no guarantee is left: give a larger one")
    return Approximate(epsilon, found)


def _epsilon_at(guarantee: Notion, delta: float) -> float:
    if isinstance(guarantee, Pure | Approximate):
        aside = guarantee.delta if isinstance(guarantee, Approximate) else 0.0
        if delta < aside:
            raise PrivcheckError("delta", delta, f"at least the delta of the guarantee, {aside:g}", "no epsilon exists")
        return _epsilon_of_approximate(
            guarantee.epsilon, (delta - aside) / (1.0 - aside), (1.0 - delta) / (1.0 - aside)
        )
    if delta == 0.0:
        raise PrivcheckError("delta", delta, "a number above 0", "this notion implies no pure guarantee")
    if isinstance(guarantee, GaussianDP):
        return epsilon_of(guarantee.mu, delta)
    return epsilon_of_curve(lambda gap: guarantee.rho * (1.0 + gap), delta) if guarantee.rho else 0.0


def delta_at(guarantee: Notion, epsilon: float) -> float:
    """Return the delta that a guarantee implies at an epsilon, rounded up; at most 1, which promises nothing.

    >>> delta_at(Pure(1.0), 1.0), round(delta_at(Pure(1.0), 0.0), 7), delta_at(Pure(1e3), 0.0)
    (0.0, 0.4621172, 1.0)
    """
    if isinstance(guarantee, Pure | Approximate):
        aside = guarantee.delta if isinstance(guarantee, Approximate) else 0.0
        if epsilon >= guarantee.epsilon:
            return aside
        kept = -math.expm1(epsilon - guarantee.epsilon) / (1.0 + math.exp(-guarantee.epsilon))
        return min(1.0, _up(aside + (1.0 - aside) * kept))
    if isinstance(guarantee, GaussianDP):
        return delta_of(epsilon, guarantee.mu) if guarantee.mu else 0.0
    return delta_of_curve(lambda gap: guarantee.rho * (1.0 + gap), epsilon) if guarantee.rho else 0.0


def _up(value: float) -> float:
    return math.nextafter(value * (1.0 + ROUNDING), math.inf)


def _epsilon_of_approximate(epsilon: float, share: float, rest: float) -> float:
    """Return the epsilon that is left once a share of probability is set aside on top of the guarantee's delta.

    It is epsilon + ln(rest - share exp(-epsilon)), whose terms nearly cancel where little is left: the logarithm is
    then close to -epsilon, and rounding moves it by less than 2^-47 of that.
    """
    aside = share * (1.0 + math.exp(-epsilon))
    kept = 1.0 - aside if aside < 0.5 else rest - share * math.exp(-epsilon)
    log = -math.inf if kept <= 0.0 else math.log1p(-aside) if aside < 0.5 else math.log(kept)
    left = epsilon + log + epsilon * 2.0**-47
    return min(epsilon, _up(left)) if left > 0.0 else 0.0
