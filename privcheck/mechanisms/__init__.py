"""The mechanisms: one file each, with its declared sensitivity, its exact law and its privacy loss."""

from privcheck.mechanisms.base import COMPARISON_SLACK, MECHANISMS, NOISE_SLACK, Mechanism
from privcheck.mechanisms.binary_tree import BinaryTree
from privcheck.mechanisms.discrete_laplace import DiscreteLaplace
from privcheck.mechanisms.hybrid_tree import HybridTree
from privcheck.mechanisms.laplace import Laplace
from privcheck.mechanisms.noisy_max import NoisyMax
from privcheck.mechanisms.randomised_response import RandomisedResponse
from privcheck.mechanisms.scaled import ScaledMechanism

__all__ = [
    "COMPARISON_SLACK",
    "MECHANISMS",
    "NOISE_SLACK",
    "BinaryTree",
    "DiscreteLaplace",
    "HybridTree",
    "Laplace",
    "Mechanism",
    "NoisyMax",
    "RandomisedResponse",
    "ScaledMechanism",
]
