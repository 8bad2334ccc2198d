"""The mechanisms: one file each, with its declared sensitivity, its exact law and its privacy loss."""

from privcheck.mechanisms.above_threshold import AboveThreshold
from privcheck.mechanisms.base import COMPARISON_SLACK, MECHANISMS, NOISE_SLACK, Mechanism
from privcheck.mechanisms.base import Recorder as Recorder
from privcheck.mechanisms.base import finite_array as finite_array
from privcheck.mechanisms.base import generator as generator
from privcheck.mechanisms.base import recording as recording
from privcheck.mechanisms.bernoulli import STEP as STEP
from privcheck.mechanisms.bernoulli import Bernoulli
from privcheck.mechanisms.binary_tree import BinaryTree
from privcheck.mechanisms.discrete_gaussian import DiscreteGaussian
from privcheck.mechanisms.discrete_laplace import DiscreteLaplace
from privcheck.mechanisms.exponential_mechanism import ExponentialMechanism
from privcheck.mechanisms.factorised_stream import FactorisedStream
from privcheck.mechanisms.gaussian import Gaussian
from privcheck.mechanisms.gaussian_tree import GaussianTree, SymmetricGaussianTree
from privcheck.mechanisms.hybrid_tree import HybridTree
from privcheck.mechanisms.kary_tree import KaryTree
from privcheck.mechanisms.laplace import Laplace
from privcheck.mechanisms.noisy_max import NoisyMax
from privcheck.mechanisms.one_bit import OneBit
from privcheck.mechanisms.permute_and_flip import PermuteAndFlip
from privcheck.mechanisms.plan_file import read_plan as read_plan
from privcheck.mechanisms.planned import charge_with_pairs as charge_with_pairs
from privcheck.mechanisms.planned import planned
from privcheck.mechanisms.prefix_tree import PrefixStream as PrefixStream
from privcheck.mechanisms.provenance import SHIPPED as SHIPPED
from privcheck.mechanisms.provenance import TESTED as TESTED
from privcheck.mechanisms.provenance import MechanismCode as MechanismCode
from privcheck.mechanisms.provenance import examined as examined
from privcheck.mechanisms.provenance import remember
from privcheck.mechanisms.randomised_response import RandomisedResponse
from privcheck.mechanisms.scaled import ScaledMechanism
from privcheck.mechanisms.scores_after_winner import ScoresAfterWinner
from privcheck.mechanisms.staircase import Staircase
from privcheck.mechanisms.subset_selection import SubsetSelection
from privcheck.mechanisms.symmetric_gaussian import SymmetricGaussian
from privcheck.mechanisms.symmetric_gaussian import unpacked as unpacked
from privcheck.mechanisms.tape import DivergenceError as DivergenceError
from privcheck.mechanisms.tape import ForcedTape as ForcedTape
from privcheck.mechanisms.tape import RecordedRelease as RecordedRelease
from privcheck.mechanisms.tape import Tape as Tape
from privcheck.mechanisms.wishart import Wishart
from privcheck.mechanisms.wishart_tree import WishartTree

remember()

__all__ = [
    "COMPARISON_SLACK",
    "MECHANISMS",
    "NOISE_SLACK",
    "AboveThreshold",
    "Bernoulli",
    "BinaryTree",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "ExponentialMechanism",
    "FactorisedStream",
    "Gaussian",
    "GaussianTree",
    "HybridTree",
    "KaryTree",
    "Laplace",
    "Mechanism",
    "NoisyMax",
    "OneBit",
    "PermuteAndFlip",
    "RandomisedResponse",
    "ScaledMechanism",
    "ScoresAfterWinner",
    "Staircase",
    "SubsetSelection",
    "SymmetricGaussian",
    "SymmetricGaussianTree",
    "Wishart",
    "WishartTree",
    "planned",
]
