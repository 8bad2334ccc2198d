"""The theory of differentially private bandits: divergences, lemmas, and theorems evaluated on an instance.

>>> from privcheck.bounds import evaluate, named_instance
>>> bounds = {bound.id: bound for bound in evaluate(named_instance("c2", epsilon=1.0))}
>>> round(bounds["azize-basu-2022/thm3-tight"].constant, 3)
7.708
"""

from privcheck.bounds import papers as papers  # registers the theorems
from privcheck.bounds.bounds_of_instance import Bounds
from privcheck.bounds.claimed_regret import ClaimedRegret, claimed_regret
from privcheck.bounds.curve import Curve, CurveTable, curve
from privcheck.bounds.distinguishability import d_inf, t_inf
from privcheck.bounds.divergences import kl_bernoulli, kl_gaussian, tv_bernoulli, tv_gaussian
from privcheck.bounds.enclosure import Enclosure
from privcheck.bounds.evaluation import ContradictionWarning, best_on_this_instance, contradictions, evaluate
from privcheck.bounds.families import family
from privcheck.bounds.finite_law import FiniteLaw
from privcheck.bounds.instance import Instance
from privcheck.bounds.instances import instance_names, named_instance
from privcheck.bounds.jourdan_azize_2025.characteristic_time import (
    CharacteristicTime,
    characteristic_time,
    characteristic_time_tv,
)
from privcheck.bounds.jourdan_azize_2025.regimes import crossing_epsilon, free_privacy_epsilon, low_privacy_epsilon
from privcheck.bounds.karwa_vadhan import (
    CLASSIC_EPSILON_LIMIT,
    Indistinguishability,
    karwa_vadhan_classic,
    karwa_vadhan_kl,
    karwa_vadhan_kl_bernoulli,
    karwa_vadhan_sharp,
)
from privcheck.bounds.kl_inverse import kl_upper_inverse
from privcheck.bounds.private_divergence import d_epsilon, d_epsilon_minimiser
from privcheck.bounds.regime import Regime, privacy_regime
from privcheck.bounds.sweep import sweep
from privcheck.bounds.theorem import THEOREMS, BoundValue, Condition, Theorem, theorem
from privcheck.errors import PrivcheckError

__all__ = [
    "CLASSIC_EPSILON_LIMIT",
    "THEOREMS",
    "BoundValue",
    "Bounds",
    "CharacteristicTime",
    "ClaimedRegret",
    "Condition",
    "ContradictionWarning",
    "Curve",
    "CurveTable",
    "Enclosure",
    "FiniteLaw",
    "Indistinguishability",
    "Instance",
    "PrivcheckError",
    "Regime",
    "Theorem",
    "best_on_this_instance",
    "characteristic_time",
    "characteristic_time_tv",
    "claimed_regret",
    "contradictions",
    "crossing_epsilon",
    "curve",
    "d_epsilon",
    "d_epsilon_minimiser",
    "d_inf",
    "evaluate",
    "family",
    "free_privacy_epsilon",
    "instance_names",
    "karwa_vadhan_classic",
    "karwa_vadhan_kl",
    "karwa_vadhan_kl_bernoulli",
    "karwa_vadhan_sharp",
    "kl_bernoulli",
    "kl_gaussian",
    "kl_upper_inverse",
    "low_privacy_epsilon",
    "named_instance",
    "privacy_regime",
    "sweep",
    "t_inf",
    "theorem",
    "tv_bernoulli",
    "tv_gaussian",
]
