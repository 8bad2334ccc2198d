"""Scores given; Clopper-Pearson limits at thresholds chosen in three ways."""

from common import run
from jax_privacy.auditing import Bonferroni, CanaryScoreAuditor, Split


def split(samples, delta, level):
    auditor = CanaryScoreAuditor(samples["first_score"], samples["second_score"])
    strategy = Split(threshold_estimation_frac=0.5, seed=0)
    return auditor.epsilon_clopper_pearson(level, delta, one_sided=False, threshold_strategy=strategy)


def bonferroni(samples, delta, level):
    auditor = CanaryScoreAuditor(samples["first_score"], samples["second_score"])
    return auditor.epsilon_clopper_pearson(level, delta, one_sided=False, threshold_strategy=Bonferroni())


def gaussian(samples, delta, level):
    auditor = CanaryScoreAuditor(samples["first_score"], samples["second_score"])
    return auditor.epsilon_from_gdp(level, delta or 1e-5)


run({"split": split, "Bonferroni": bonferroni, "Gaussian fit": gaussian})
