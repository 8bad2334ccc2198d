"""The parts of OpenDP that secure noise needs."""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace


@cache
def opendp_parts() -> SimpleNamespace:
    """Load OpenDP's constructors when the first secure release asks for them.

    `opendp.prelude` has them all, but also loads scikit-learn and pandas where they are installed, which takes a
    guarded service two seconds.

    >>> opendp_parts().m.__name__
    'opendp.measurements'
    """
    from opendp import domains, measurements, measures, metrics
    from opendp.mod import enable_features

    enable_features("contrib")
    return SimpleNamespace(
        m=measurements,
        atom_domain=domains.atom_domain,
        vector_domain=domains.vector_domain,
        l1_distance=metrics.l1_distance,
        l2_distance=metrics.l2_distance,
        linf_distance=metrics.linf_distance,
        max_divergence=measures.max_divergence,
        zero_concentrated_divergence=measures.zero_concentrated_divergence,
    )
