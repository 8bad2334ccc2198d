"""Scores and coins given; thresholds for inclusion alone, chosen in three ways."""

from common import run_each
from jax_privacy.auditing import Bonferroni, CanaryScoreAuditor, MultiSplit, Split

SPLITS = 100
"""Splits of "many splits", as by default there."""


def method(name, strategy):
    def lower(scores, included, delta, level):
        auditor = CanaryScoreAuditor(scores[included], scores[~included])
        return getattr(auditor, name)(level, delta, threshold_strategy=strategy)

    return lower


STRATEGIES = {"split": Split(seed=0), "many splits": MultiSplit(num_samples=SPLITS, seed=0), "Bonferroni": Bonferroni()}
run_each(
    {name: method("epsilon_one_run", strategy) for name, strategy in STRATEGIES.items()}
    | {f"Gaussian, {name}": method("epsilon_one_run_fdp", strategy) for name, strategy in STRATEGIES.items()}
)
