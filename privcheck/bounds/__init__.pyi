import privcheck.enclosure
import privcheck.errors

from ._bounds_of_instance import Bounds as Bounds
from ._claimed_regret import ClaimedRegret as ClaimedRegret
from ._claimed_regret import claimed_regret as claimed_regret
from ._curve import Curve as Curve
from ._curve import CurveTable as CurveTable
from ._curve import curve as curve
from ._distinguishability import d_inf as d_inf
from ._distinguishability import t_inf as t_inf
from ._divergences import kl_bernoulli as kl_bernoulli
from ._divergences import kl_gaussian as kl_gaussian
from ._divergences import tv_bernoulli as tv_bernoulli
from ._divergences import tv_gaussian as tv_gaussian
from ._evaluation import ContradictionWarning as ContradictionWarning
from ._evaluation import best_on_this_instance as best_on_this_instance
from ._evaluation import contradictions as contradictions
from ._evaluation import describe_contradiction as describe_contradiction
from ._evaluation import evaluate as evaluate
from ._evaluation import trivial_bounds as trivial_bounds
from ._failed_conditions import advice as advice
from ._failed_conditions import not_applying as not_applying
from ._finite_law import FiniteLaw as FiniteLaw
from ._instance import Instance as Instance
from ._instances import instance_names as instance_names
from ._instances import named_instance as named_instance
from ._karwa_vadhan import CLASSIC_EPSILON_LIMIT as CLASSIC_EPSILON_LIMIT
from ._karwa_vadhan import Indistinguishability as Indistinguishability
from ._karwa_vadhan import karwa_vadhan_classic as karwa_vadhan_classic
from ._karwa_vadhan import karwa_vadhan_kl as karwa_vadhan_kl
from ._karwa_vadhan import karwa_vadhan_kl_bernoulli as karwa_vadhan_kl_bernoulli
from ._karwa_vadhan import karwa_vadhan_sharp as karwa_vadhan_sharp
from ._kl_inverse import kl_upper_inverse as kl_upper_inverse
from ._private_divergence import d_epsilon as d_epsilon
from ._private_divergence import d_epsilon_minimiser as d_epsilon_minimiser
from ._quantity import BANDIT as BANDIT
from ._quantity import QUANTITIES as QUANTITIES
from ._regime import Regime as Regime
from ._regime import privacy_regime as privacy_regime
from ._sweep import sweep as sweep
from ._theorem import ORDER_ONLY as ORDER_ONLY
from ._theorem import THEOREMS as THEOREMS
from ._theorem import UNPROVEN as UNPROVEN
from ._theorem import BoundValue as BoundValue
from ._theorem import Condition as Condition
from ._theorem import Theorem as Theorem
from ._theorem import similar_ids as similar_ids
from ._theorem import theorem as theorem
from ._theorem_names import theorem_name as theorem_name
from ._toml_file import read_toml as read_toml
from .families import family as family
from .jourdan_azize_2025.characteristic_time import CharacteristicTime as CharacteristicTime
from .jourdan_azize_2025.characteristic_time import characteristic_time as characteristic_time
from .jourdan_azize_2025.characteristic_time import characteristic_time_tv as characteristic_time_tv
from .jourdan_azize_2025.regimes import crossing_epsilon as crossing_epsilon
from .jourdan_azize_2025.regimes import free_privacy_epsilon as free_privacy_epsilon
from .jourdan_azize_2025.regimes import low_privacy_epsilon as low_privacy_epsilon
from .settings import instance_class as instance_class
from .settings.concentrated_instance import ConcentratedInstance as ConcentratedInstance
from .settings.contextual_instance import ContextualInstance as ContextualInstance
from .settings.linear_instance import LinearInstance as LinearInstance
from .settings.semi_bandit_instance import SemiBanditInstance as SemiBanditInstance

Enclosure = privcheck.enclosure.Enclosure
PrivcheckError = privcheck.errors.PrivcheckError
