"""One trial of it: a tenth of the runs to learn, two fifths to choose threshold and direction, a half for the count.

Its own scripts run more than that (bit patterns, an optimiser of inputs); their packages are stood in for.
"""

import tempfile
from functools import lru_cache
from pathlib import Path

import numpy as np
from absent import stand_in_for
from common import run
from replay import Replay
from scipy.optimize import brentq
from scipy.special import ndtr
from sklearn.linear_model import LogisticRegression

stand_in_for("torch", "optuna", "diffprivlib", "opendp", "pydp", "aim", "cdp2adp", "mbi", "mst", "dpopt", "matplotlib")

from deltasiege.attack import LinesearchEstimator, WitnessOptimization  # noqa: E402
from deltasiege.classifiers import SklearnClassifier  # noqa: E402
from deltasiege.main import Trial  # noqa: E402
from deltasiege.mechanism import Mechanism  # noqa: E402
from deltasiege.utils import Config  # noqa: E402


class Recorded(Mechanism):
    """The recorded outputs of a mechanism that is said to be (1, delta)-DP; its privacy level is 1 / epsilon."""

    def __init__(self, samples, **options):
        self.replay = Replay(samples)
        super().__init__(**options)

    def __call__(self, input, n):  # noqa: A002
        return self.replay.take(input, n)

    def guarantee_(self, epsilon, delta):  # noqa: ARG002
        return 1.0 / epsilon if epsilon > 0.0 else np.inf

    def perturb_delta(self, new_delta):
        return self.epsilon if new_delta == self.delta else None


class Gaussian(Recorded):
    """Its privacy level is the scale of Gaussian noise, as the analysis of Balle and Wang (2018) has it."""

    def guarantee_(self, epsilon, delta):
        if epsilon <= 0.0 or delta <= 0.0:
            return np.inf
        return 0.0 if epsilon == np.inf or delta >= 1.0 else scale(epsilon, delta)

    def perturb_delta(self, new_delta):
        return exact(self.g0, new_delta)


def spent(epsilon, sigma):
    """Return the delta of Gaussian noise of that scale."""
    middle = 0.5 / sigma
    return ndtr(middle - epsilon * sigma) - np.exp(epsilon) * ndtr(-middle - epsilon * sigma)


def scale(epsilon, delta):
    return brentq(lambda sigma: spent(epsilon, sigma) - delta, 1e-3, 1e4)


@lru_cache(None)
def exact(sigma, delta):
    """Return the epsilon of Gaussian noise of that scale, or None if it is below 0."""
    if delta <= 0.0 or spent(0.0, sigma) <= delta:
        return None
    return brentq(lambda epsilon: spent(epsilon, sigma) - delta, 0.0, 20.0)


def violation(mechanism, samples, delta, level, deltas):
    """Return the smallest ratio of privacy levels, found and claimed, that holds with confidence."""
    tenth = len(samples["first"]) // 10
    config = Config(
        n_train=tenth, n_init=2 * tenth, n_check=2 * tenth, n_final=5 * tenth, batch_size=tenth, confidence=1.0 - level
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trial = Trial(
            config=config,
            input_pair=("first", "second"),
            mechanism=mechanism(samples, epsilon=1.0, delta=delta, base_folder=folder / "mechanism"),
            classifier_factories=SklearnClassifier.get_factory(classifier=LogisticRegression()),
            witnesses_factories=WitnessOptimization.get_factory(estimator=LinesearchEstimator(delta_steps=deltas)),
            base_folder=folder / "trial",
        ).run()
    return trial.witnesses[trial.best_witness_idx].estimate_c


def pointwise(samples, delta, level):
    return 1.0 / violation(Recorded, samples, delta, level, np.array([delta]))


def along_curve(samples, delta, level):
    if not delta:
        raise ValueError("pure epsilon has no curve")
    deltas = np.concatenate([[delta], np.geomspace(1e-9, 1.0, 900)])
    sigma = scale(1.0, delta) * float(violation(Gaussian, samples, delta, level, deltas))
    return (np.isfinite(sigma) and exact(sigma, delta)) or 0.0


Trial.save = lambda self: None  # noqa: ARG005
run({"at delta": pointwise, "along the Gaussian curve": along_curve})
