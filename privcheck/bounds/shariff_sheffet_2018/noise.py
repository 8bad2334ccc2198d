"""Shariff & Sheffet 2018: how large the noise of the tree mechanism is, Propositions 9 and 11."""

from __future__ import annotations

from privcheck.bounds._quantity import Quantity
from privcheck.bounds._theorem import theorem
from privcheck.bounds.settings.contextual_instance import ContextualInstance
from privcheck.bounds.shariff_sheffet_2018.linucb_conditions import (
    CONCENTRATED,
    GAUSSIAN,
    HAS_DELTA,
    IS_PRIVATE,
    WISHART,
)
from privcheck.bounds.shariff_sheffet_2018.regulariser import regulariser

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
    instead="docs/evidence/repaired-proofs.md#shariff-and-sheffet-proposition-9",
)
def wishart_largest(instance: ContextualInstance) -> float:
    """Wishart noise, every round: largest eigenvalue rho_max <= 8 Ltilde^2 sqrt(mk) s when shifted, and Ltilde^2
    (sqrt(mk) + s)^2 when not, where s = sqrt(d) + sqrt(2 ln(8n/alpha)).

    Proof idea: The sum of m independent Wishart matrices is the Gram matrix of mk Gaussian vectors. The singular values
    of a Gaussian matrix lie within s of sqrt(mk), except with probability alpha/(4n) (Claim 18), and their squares are
    the eigenvalues. Subtracting c I leaves eigenvalues between 4 and 8 times Ltilde^2 sqrt(mk) s.

    This holds only when exactly m nodes are summed in every round: the paper says "at most m", but with fewer nodes the
    shifted matrix has negative eigenvalues. Add the noise of a fresh node for each missing level.

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
    """Wishart noise, every round: smallest eigenvalue rho_min >= 4 Ltilde^2 sqrt(mk) s when shifted, and Ltilde^2
    (sqrt(mk) - s)^2 when not. Like prop9, only for exactly m summed nodes.

    Proof idea: The lower end of the interval of prop9: the smallest singular value of the Gaussian matrix is at least
    sqrt(mk) - s, and its square the smallest eigenvalue. The shift c is chosen so that 4 Ltilde^2 sqrt(mk) s of it
    remain.

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
    """Wishart noise, every round: gamma <= Ltilde sqrt(sqrt(mk) g) when shifted, and Ltilde g when not, where g =
    sqrt(d) + sqrt(2 ln(2n/alpha)).

    Proof idea: The noise h of the vector is the product of the Gaussian matrix behind H with an independent Gaussian
    vector, so that |h| in the norm of H^-1 is the length of a projection of that vector to d dimensions. Its square is
    Ltilde^2 times a chi-squared number, whose tail (Claim 17) gives Ltilde g. The shift lengthens it by at most
    sqrt(rho/(rho - c)) (Claim 20).

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

    Proof idea: As for prop9-gamma, with the tail of the chi-squared law at alpha/(4n). The eigenvalues use up another
    alpha/(4n), and Definition 3 allows alpha/(2n) in a round for all three together.

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
    """Gaussian noise, every round: largest eigenvalue rho_max <= 3 Upsilon, where Upsilon = sigma_noise sqrt(2m) (4
    sqrt(d) + 2 ln(2n/alpha)).

    Proof idea: The noise of a round is the sum of at most m symmetrised Gaussian matrices, itself one with at most m
    times the variance. Its norm is at most Upsilon except with probability alpha/(2n), by concentration of the largest
    singular value. Adding 2 Upsilon I puts all eigenvalues between Upsilon and 3 Upsilon.

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

    Proof idea: The lower end of the interval of prop11. The noise lowers no eigenvalue by more than Upsilon, and 2
    Upsilon are added.

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

    Proof idea: All eigenvalues of H are at least Upsilon, so that |h| in the norm of H^-1 is at most |h|/sqrt(Upsilon).
    The d entries of h are Gaussian with variance at most m sigma_noise^2, and Claim 17 bounds the length of such a
    vector except with probability alpha/(2n).

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

    Proof idea: As for prop11, with the norm of the noise bounded except with probability alpha/(4n). The vector uses up
    the other alpha/(4n) that Definition 3 allows in a round.

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

    Proof idea: As for prop11-rho-min, with the norm of the noise bounded except with probability alpha/(4n). The vector
    uses up the other alpha/(4n) that Definition 3 allows in a round.

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

    Proof idea: As for prop11-gamma, with the length of the vector bounded except with probability alpha/(4n). The
    matrix uses up the other alpha/(4n) that Definition 3 allows in a round.

    >>> paper = ContextualInstance(dimension=5, horizon=5e7, epsilon=1.0, delta=0.1, alpha=2e-8)
    >>> round(gaussian_vector_corrected(paper), 3)
    28.254
    """
    return regulariser(instance).gamma
