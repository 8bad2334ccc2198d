"""The shipped bandit algorithms: one file each, with the paper's name, a readable reference and a compiled kernel."""

from privcheck.bandits.base import ALGORITHMS, Algorithm, BanditPolicy, FullInformationPolicy

__all__ = ["ALGORITHMS", "Algorithm", "BanditPolicy", "FullInformationPolicy"]
