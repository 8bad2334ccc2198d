"""StatDP or its port PyStatDP, whichever is there: its own search of events on a fifth of the outputs and its own
p-value on the rest; the largest epsilon refuted.
"""

import multiprocessing.pool
from importlib import import_module
from importlib.util import find_spec
from itertools import count

import numpy as np
from common import run

package = "statdp" if find_spec("statdp") else "pystatdp"
run_algorithm = import_module(f"{package}.core").run_algorithm
test_statistics = import_module(f"{package}.hypotest").test_statistics
select_event = import_module(f"{package}.selectors").select_event

CLAIMS = np.arange(0.02, 6.0, 0.02)


def replay(samples, start):
    """Return an algorithm that puts out the recorded outputs one by one; the inputs are 0 and 1."""
    outputs = [samples["first"][start:].tolist(), samples["second"][start:].tolist()]
    places = [count(), count()]

    def algorithm(*arguments, epsilon):  # noqa: ARG001
        side = int(arguments[-1][0])
        place = next(places[side]) - 1
        output = outputs[side][max(place, 0) % len(outputs[side])]
        return tuple(np.int64(part) for part in output) if isinstance(output, list) else type_of(output)

    return algorithm


def type_of(output):
    return np.int64(output) if isinstance(output, int) else np.float64(output)


def largest_refuted(samples, delta, level):
    if delta:
        return None
    runs = len(samples["first"])
    learning = runs // 5
    inputs = np.array([0]), np.array([1])
    np.random.seed(0)  # noqa: NPY002
    refuted = 0.0
    with multiprocessing.pool.ThreadPool(1) as pool:
        for claim in np.arange(0.1, 6.0, 0.25):
            chosen = replay({side: samples[side][:learning] for side in ("first", "second")}, 0)
            *_, event = select_event(chosen, [(*inputs, {"epsilon": 1.0})], claim, learning, pool, quiet=True)
            counted = run_algorithm(replay(samples, learning), *inputs, {"epsilon": 1.0}, event, runs - learning)
            ((more, less),) = counted[0]
            near = [c for c in CLAIMS if c > refuted and test_statistics(more, less, c, runs - learning) <= level]
            if not near:
                break
            refuted = max(refuted, *near)
            if refuted < claim:
                break
    return refuted


test_statistics(1, 1, 1.0, 1)  # compiles
run({"p-values": largest_refuted})
