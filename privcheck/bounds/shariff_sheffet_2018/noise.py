"""Shariff & Sheffet 2018: how large the noise of the tree mechanism is, Propositions 9 and 11."""

from __future__ import annotations

from privcheck.bounds.quantity import Quantity
from privcheck.bounds.settings import ContextualInstance
from privcheck.bounds.shariff_sheffet_2018.linucb_conditions import (
    CONCENTRATED,
    GAUSSIAN,
    HAS_DELTA,
    IS_PRIVATE,
    WISHART,
)
from privcheck.bounds.shariff_sheffet_2018.regulariser import regulariser
from privcheck.bounds.theorem import theorem

JOINT_DP = "(epsilon, delta)-joint DP, one user replaced"
CONTEXTUAL = "contextual linear feedback"
LARGEST = Quantity("largest eigenvalue of the noise", CONTEXTUAL, JOINT_DP)
SMALLEST = Quantity("smallest eigenvalue of the noise", CONTEXTUAL, JOINT_DP)
VECTOR = Quantity("norm of the noise vector", CONTEXTUAL, JOINT_DP)

_WISHART = "Shariff & Sheffet 2018, Proposition 9, Section 4.1; proof Appendix C"
_GAUSSIAN = "Shariff & Sheffet 2018, Proposition 11, Section 4.2; proof Appendix C"
_GAUSSIAN_CORRECTED = "Shariff & Sheffet 2018, Proposition 11, with failure probabilities that add up to alpha/(2n)"
_WISHART_CONDITIONS = (HAS_DELTA, WISHART, IS_PRIVATE, CONCENTRATED)
_GAUSSIAN_CONDITIONS = (HAS_DELTA, GAUSSIAN, IS_PRIVATE)


@theorem(
    "shariff-sheffet-2018/prop9",
    kind="upper",
    quantity=LARGEST,
    provenance="explicit",
    source=_WISHART,
    conditions=_WISHART_CONDITIONS,
    about=ContextualInstance,
    claims=("shariff-sheffet-2018/prop9",),
)
def wishart_largest(instance: ContextualInstance) -> float:
    """Wishart noise, every round: largest eigenvalue rho_max <= 8 Ltilde^2 sqrt(mk) s when shifted, and
    Ltilde^2 (sqrt(mk) + s)^2 when not, where s = sqrt(d) + sqrt(2 ln(8n/alpha)).

    This holds only when exactly m nodes are summed in every round: the paper says "at most m", but with fewer nodes
    the shifted matrix has negative eigenvalues. Add the noise of a fresh node for each missing level.

    >>> paper = dict(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8, noise="wishart")
    >>> round(wishart_largest(ContextualInstance(**paper)))
    338008
    """
    return regulariser(instance, printed=True).rho_max


@theorem(
    "shariff-sheffet-2018/prop9-rho-min",
    kind="lower",
    quantity=SMALLEST,
    provenance="explicit",
    source=_WISHART,
    conditions=_WISHART_CONDITIONS,
    about=ContextualInstance,
    claims=("shariff-sheffet-2018/prop9-rho-min",),
)
def wishart_smallest(instance: ContextualInstance) -> float:
    """Wishart noise, every round: smallest eigenvalue rho_min >= 4 Ltilde^2 sqrt(mk) s when shifted, and
    Ltilde^2 (sqrt(mk) - s)^2 when not. Like prop9, only for exactly m summed nodes.

    >>> paper = dict(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8, noise="wishart-unshifted")
    >>> round(wishart_smallest(ContextualInstance(**paper)))
    7427946
    """
    return regulariser(instance, printed=True).rho_min


@theorem(
    "shariff-sheffet-2018/prop9-gamma",
    kind="upper",
    quantity=VECTOR,
    provenance="unproven",
    source=_WISHART,
    conditions=_WISHART_CONDITIONS,
    about=ContextualInstance,
    claims=(
        "shariff-sheffet-2018/prop9-gamma",
        "shariff-sheffet-2018/prop9-gamma-step",
    ),
)
def wishart_vector(instance: ContextualInstance) -> float:
    """Wishart noise, every round: gamma <= Ltilde sqrt(sqrt(mk) g) when shifted, and Ltilde g when not, where
    g = sqrt(d) + sqrt(2 ln(2n/alpha)).

    As printed: together with the eigenvalues it fails with probability up to 3 alpha/(4n) in a round, not alpha/(2n).

    >>> paper = dict(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8, noise="wishart-unshifted")
    >>> round(wishart_vector(ContextualInstance(**paper)), 4)
    15.187
    """
    return regulariser(instance, printed=True).gamma


@theorem(
    "shariff-sheffet-2018/prop9-gamma-corrected",
    kind="upper",
    quantity=VECTOR,
    provenance="derived",
    source="Shariff & Sheffet 2018, Proposition 9, with failure probabilities that add up to alpha/(2n)",
    conditions=_WISHART_CONDITIONS,
    about=ContextualInstance,
)
def wishart_vector_corrected(instance: ContextualInstance) -> float:
    """Wishart noise, every round: gamma as in prop9-gamma with ln(4n/alpha) in place of ln(2n/alpha).

    >>> paper = dict(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8, noise="wishart-unshifted")
    >>> round(wishart_vector_corrected(ContextualInstance(**paper)), 4)
    15.3017
    """
    return regulariser(instance).gamma


@theorem(
    "shariff-sheffet-2018/prop11",
    kind="upper",
    quantity=LARGEST,
    provenance="unproven",
    source=_GAUSSIAN,
    conditions=_GAUSSIAN_CONDITIONS,
    about=ContextualInstance,
    claims=("shariff-sheffet-2018/prop11",),
)
def gaussian_largest(instance: ContextualInstance) -> float:
    """Gaussian noise, every round: largest eigenvalue rho_max <= 3 Upsilon, where Upsilon = sigma_noise sqrt(2m)
    (4 sqrt(d) + 2 ln(2n/alpha)).

    As printed: matrix and vector together fail with probability up to alpha/n in a round, not alpha/(2n).

    >>> round(gaussian_largest(ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8)))
    274636
    """
    return regulariser(instance, printed=True).rho_max


@theorem(
    "shariff-sheffet-2018/prop11-rho-min",
    kind="lower",
    quantity=SMALLEST,
    provenance="unproven",
    source=_GAUSSIAN,
    conditions=_GAUSSIAN_CONDITIONS,
    about=ContextualInstance,
)
def gaussian_smallest(instance: ContextualInstance) -> float:
    """Gaussian noise, every round: smallest eigenvalue rho_min >= Upsilon. As printed; see prop11.

    >>> paper = ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8)
    >>> round(gaussian_smallest(paper), 3)
    91545.473
    """
    return regulariser(instance, printed=True).rho_min


@theorem(
    "shariff-sheffet-2018/prop11-gamma",
    kind="upper",
    quantity=VECTOR,
    provenance="unproven",
    source=_GAUSSIAN,
    conditions=_GAUSSIAN_CONDITIONS,
    about=ContextualInstance,
    claims=("shariff-sheffet-2018/prop11-gamma",),
)
def gaussian_vector(instance: ContextualInstance) -> float:
    """Gaussian noise, every round: gamma <= sigma_noise sqrt(m/Upsilon) (sqrt(d) + sqrt(2 ln(2n/alpha))). As printed;
    see prop11.

    >>> round(gaussian_vector(ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8)), 3)
    28.28
    """
    return regulariser(instance, printed=True).gamma


@theorem(
    "shariff-sheffet-2018/prop11-corrected",
    kind="upper",
    quantity=LARGEST,
    provenance="derived",
    source=_GAUSSIAN_CORRECTED,
    conditions=_GAUSSIAN_CONDITIONS,
    about=ContextualInstance,
)
def gaussian_largest_corrected(instance: ContextualInstance) -> float:
    """Gaussian noise, every round: largest eigenvalue rho_max as in prop11 with ln(4n/alpha) in place of ln(2n/alpha).

    >>> paper = ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8)
    >>> round(gaussian_largest_corrected(paper))
    279323
    """
    return regulariser(instance).rho_max


@theorem(
    "shariff-sheffet-2018/prop11-rho-min-corrected",
    kind="lower",
    quantity=SMALLEST,
    provenance="derived",
    source=_GAUSSIAN_CORRECTED,
    conditions=_GAUSSIAN_CONDITIONS,
    about=ContextualInstance,
)
def gaussian_smallest_corrected(instance: ContextualInstance) -> float:
    """Gaussian noise, every round: smallest eigenvalue rho_min as in prop11-rho-min with ln(4n/alpha) in place of
    ln(2n/alpha), also in the shift 2 Upsilon.

    >>> paper = ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8)
    >>> round(gaussian_smallest_corrected(paper))
    93108
    """
    return regulariser(instance).rho_min


@theorem(
    "shariff-sheffet-2018/prop11-gamma-corrected",
    kind="upper",
    quantity=VECTOR,
    provenance="derived",
    source=_GAUSSIAN_CORRECTED,
    conditions=_GAUSSIAN_CONDITIONS,
    about=ContextualInstance,
)
def gaussian_vector_corrected(instance: ContextualInstance) -> float:
    """Gaussian noise, every round: gamma as in prop11-gamma with ln(4n/alpha) in place of ln(2n/alpha).

    >>> paper = ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8)
    >>> round(gaussian_vector_corrected(paper), 3)
    28.254
    """
    return regulariser(instance).gamma
