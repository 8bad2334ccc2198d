"""Its own search over both orders of the pair; a tenth of the runs for each step of it, a half for the last count.

Its worker processes are left out: they would each draw the same recorded outputs.
"""

import tempfile

import numpy as np
import torch
from common import run
from dpsniper.attack.dpsniper import DPSniper
from dpsniper.classifiers.classifier_factory import LogisticRegressionFactory
from dpsniper.classifiers.torch_optimizer_factory import SGDOptimizerFactory
from dpsniper.search.ddconfig import DDConfig
from dpsniper.search.ddsearch import DDSearch
from dpsniper.utils.my_logging import log
from dpsniper.utils.my_multiprocessing import the_parallel_executor
from dpsniper.utils.paths import set_output_directory
from dpsniper.utils.torch import torch_initialize
from replay import Replay

STEPS = 100
"""Batches of training: with its own number of runs and its own batch size there are as many."""


class Recorded(Replay):
    def m(self, a, n_samples=1):
        return self.take(a, n_samples).astype(float)


class Orders:
    def get_input_pairs(self):
        return [("first", "second"), ("second", "first")]


def search(tail):
    def largest(samples, delta, level):
        if delta:
            return None
        tenth = len(samples["first"]) // 10
        config = DDConfig(
            c=tail, n_train=tenth, n=tenth, n_check=tenth, n_final=5 * tenth, n_processes=1, confidence=1.0 - level,
            training_batch_size=max(tenth // STEPS, 1),
        )  # fmt: skip
        outputs = samples["first"]
        dimensions = 1 if outputs.ndim == 1 else outputs.shape[1]
        factory = LogisticRegressionFactory(in_dimensions=dimensions, optimizer_factory=SGDOptimizerFactory())
        mechanism = Recorded(samples)
        with tempfile.TemporaryDirectory() as folder:
            set_output_directory(folder)
            witness = DDSearch(mechanism, DPSniper(mechanism, factory, config), Orders(), config).run()
            witness.compute_eps_high_precision(mechanism, config)
        return witness.lower_bound

    return largest


log.configure("CRITICAL")
the_parallel_executor.execute = lambda function, inputs, chunk_size=1: [function(one) for one in inputs]  # noqa: ARG005
torch.manual_seed(0)
np.random.seed(0)  # noqa: NPY002
torch_initialize(torch_threads=1)
run({"c = 0.01": search(0.01), "c = 0.1": search(0.1)})
