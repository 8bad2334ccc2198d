"""The theory of differentially private bandits: divergences, lemmas, and theorems evaluated on an instance.

>>> from privcheck.bounds import evaluate, named_instance
>>> bounds = {bound.id: bound for bound in evaluate(named_instance("c2", epsilon=1.0))}
>>> round(bounds["azize-basu-2022/thm3-tight"].constant, 3)
7.708
"""

import lazy_loader

from privcheck.bounds import _papers as _papers  # registers the theorems
from privcheck.enclosure import Enclosure
from privcheck.errors import PrivcheckError

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)

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
