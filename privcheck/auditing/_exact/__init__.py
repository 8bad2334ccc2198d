"""True privacy losses of outputs whose law is known in closed form, each as an enclosure with its error bound."""

from privcheck.accounting import gaussian_delta, gaussian_epsilon, gaussian_mu
from privcheck.auditing._exact.loss import exact_delta, exact_loss, worst_pair
from privcheck.enclosure import Enclosure

__all__ = [
    "Enclosure",
    "exact_delta",
    "exact_loss",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_mu",
    "worst_pair",
]
