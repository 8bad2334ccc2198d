"""Its testers answer for one epsilon; bisection finds the largest that is refuted.

Each question is put in both directions, as its runner puts it, and to the same runs; the failure probability is divided
by the questions and the directions.
"""

import numpy as np
from absent import stand_in_for
from common import run

stand_in_for("vizier", "etils", "pipeline_dp", "pydp")

import tensorflow as tf  # noqa: E402
from dp_auditorium.configs import privacy_property, property_tester_config  # noqa: E402
from dp_auditorium.testers import hockey_stick_tester  # noqa: E402
from dp_auditorium.testers.histogram_tester import HistogramTester  # noqa: E402
from dp_auditorium.testers.mmd_tester import MMDPropertyTester  # noqa: E402

LARGEST, QUESTIONS = 6.0, 8
BINS = 10


def bisection(prepare):
    """Return a method that asks the testers made by `prepare(samples, delta)`, which also says what they are shown."""

    def largest(samples, delta, level):
        tester, first, second = prepare(samples, delta)
        tf.keras.utils.set_random_seed(0)
        low, high = 0.0, LARGEST
        for _ in range(QUESTIONS):
            epsilon = (low + high) / 2.0
            failure = level / QUESTIONS / 2.0
            judge = tester(epsilon)
            bounds = (judge.estimate_lower_bound(*pair, failure) for pair in ((first, second), (second, first)))
            low, high = (epsilon, high) if any(map(judge.reject_property, bounds)) else (low, epsilon)
        return low

    return largest


def outputs(samples):
    return [samples[side].astype(np.float32) for side in ("first", "second")]


def hockey_stick(samples, delta):
    def tester(epsilon):
        config = property_tester_config.HockeyStickPropertyTesterConfig(
            training_config=hockey_stick_tester.make_default_hs_training_config(),
            approximate_dp=privacy_property.ApproximateDp(epsilon=epsilon, delta=delta),
        )
        return hockey_stick_tester.HockeyStickPropertyTester(config, hockey_stick_tester.make_default_hs_base_model())

    return tester, *outputs(samples)


def histogram(samples, delta):
    """Bins span the middle 98 % of the first tenth of the runs, and the rest is counted; finite outputs are cells."""
    first, second = samples["first"], samples["second"]
    discrete = first.dtype.kind in "iu"
    if discrete:
        tables = [side if side.ndim == 1 else side @ (1 << np.arange(side.shape[1])) for side in (first, second)]
        size, low, high = 1 << int(np.maximum(*map(np.max, tables))).bit_length(), 0.0, 1.0
    else:
        tenth = len(first) // 10
        low, high = np.quantile(np.concatenate([first[:tenth], second[:tenth]]), [0.01, 0.99])
        tables, size = [first[tenth:], second[tenth:]], BINS

    def tester(epsilon):
        dp = privacy_property.ApproximateDp(epsilon=epsilon, delta=delta)
        return HistogramTester(property_tester_config.HistogramPropertyTesterConfig(discrete, size, low, high, dp))

    return tester, *tables


def mmd(samples, delta):
    def tester(epsilon):
        dp = privacy_property.ApproximateDp(epsilon=epsilon, delta=delta)
        kernel = property_tester_config.Kernel.KERNEL_RBF
        return MMDPropertyTester(property_tester_config.MMDPropertyTesterConfig(kernel, 1.0, dp))

    return tester, *outputs(samples)


run({"hockey-stick": bisection(hockey_stick), "histogram": bisection(histogram), "MMD": bisection(mmd)})
