"""The mechanisms: one file each, with its declared sensitivity, its exact law and its privacy loss."""

from privcheck.mechanisms.base import COMPARISON_SLACK, MECHANISMS, NOISE_SLACK, Mechanism
from privcheck.mechanisms.laplace import Laplace
from privcheck.mechanisms.noisy_max import NoisyMax

__all__ = ["COMPARISON_SLACK", "MECHANISMS", "NOISE_SLACK", "Laplace", "Mechanism", "NoisyMax"]
