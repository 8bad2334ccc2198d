"""What a driver shares: it reads samples, times each method, and prints one JSON line for each."""

# The arguments are: samples, delta, level, names of methods. Runs in a virtual environment without privcheck.

import contextlib
import json
import resource
import sys
import time
import warnings

import numpy as np

MEMORY = 12 << 30
"""Bytes of memory that a tool may use: some enumerate products of events without a limit."""


def run(methods):
    path, delta, level, wanted = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), sys.argv[4:]
    samples = dict(np.load(path))
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    warnings.simplefilter("ignore")
    for name, method in methods.items():
        if name not in wanted:
            continue
        found = {"method": name, "lower": None, "seconds": None, "error": ""}
        try:
            with contextlib.redirect_stdout(sys.stderr):
                start = time.perf_counter()
                lower = method(samples, delta, level)
            lower = lower if lower is None or isinstance(lower, list) else float(lower)
            found |= {"lower": lower, "seconds": time.perf_counter() - start}
        except Exception as error:
            found["error"] = f"{type(error).__name__}: {error}"[:200]
        print(json.dumps(found), flush=True)


def run_each(methods):
    """Bound every repetition of one run with canaries: a line for each method, with all its bounds."""

    def of_all(method):
        def lowers(samples, delta, level):
            pairs = zip(samples["scores"], samples["included"], strict=True)
            return [float(method(scores, included, delta, level)) for scores, included in pairs]

        return lowers

    run({name: of_all(method) for name, method in methods.items()})
