"""An assertion that a sampler has the law that its privacy is proved for."""

from __future__ import annotations

from typing import Any

from privcheck.declared import check
from privcheck.enclosure import p_value_text
from privcheck.inference import LEVEL
from privcheck.testing._assertion import ERROR, failed, passed


def assert_law(samples: Any, law: Any, *, error: float = ERROR) -> None:
    """Fail if independent samples do not follow a law.

    The privacy of a sampler is proved for one law. A sampler with another one, say because its acceptance ratio is
    upside down, may look private in every other respect.

    Parameters
    ----------
    samples : independent outputs, shape (n,), or (n, d) with d at most 3; at least 20, or 64 if d > 1.
    law : an object with `logpdf(x)` and `support()`, such as a frozen distribution of `scipy.stats`. One whose density
        is known up to a factor has `normalised = False`.
    error : samples of the law fail with at most this probability, in (0, 0.5]. Estimates of the errors of quadrature
        are allowed for.

    Raises
    ------
    PrivacyFailure : the samples do not follow the law.
    PrivcheckError : no such law or samples, or more samples than the quadrature of the law is precise enough for.

    Source
    ------
    On the line the test of Kolmogorov and Smirnov; otherwise binomial tests of boxes that half of the samples chose.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import stats
    >>> samples = np.random.default_rng(0).laplace(0.0, 2.0, size=2000)
    >>> assert_law(samples, stats.laplace(0.0, 2.0))
    >>> assert_law(samples, stats.laplace(0.0, 1.0))
    Traceback (most recent call last):
    privcheck.testing.PrivacyFailure: the samples do not follow the law: p-value 3.7e-31 (Kolmogorov-Smirnov)
    in [1.372, inf]: 25.95 % of the samples, 12.68 % by the law
    independent samples of the law fail with probability 1e-06 or less
    """
    from privcheck.auditing import fit_of_law

    level = check("error", error, LEVEL)
    fit = fit_of_law(samples, law)
    tested = f"p-value {p_value_text(fit.p_value, 2)} ({fit.test})"
    if fit.p_value >= level:
        told = f"{len(samples):,} samples, not shown to have another law: {tested}"
        if "Kolmogorov" in fit.test:
            from scipy import stats

            near = float(stats.kstwo.isf(level, len(samples)))
            told += f"; that would have taken distribution functions at a distance of about {near:.3g}"
        passed(told)
        return
    where = " x ".join(f"[{low:.4g}, {high:.4g}]" for low, high in fit.where)
    lines = [
        f"the samples do not follow the law: {tested}",
        f"in {where}: {100 * fit.share:.4g} % of the samples, {100 * fit.probability:.4g} % by the law",
        f"independent samples of the law fail with probability {level:g} or less",
    ]
    raise failed("\n".join(lines))
