"""What a driver shares: it reads samples, times each method, and prints one JSON line for each."""

# The arguments are: samples, delta, level, names of methods. Runs in a virtual environment without privcheck.

import json
import sys
import time
import warnings

import numpy as np

WARM_UP = 2000
"""Outputs on which a method that compiles is run once untimed."""


def run(methods, *, compiles=False):
    path, delta, level, wanted = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), sys.argv[4:]
    samples = dict(np.load(path))
    few = {name: values[:WARM_UP] for name, values in samples.items()}
    warnings.simplefilter("ignore")
    for name, method in methods.items():
        if name not in wanted:
            continue
        found = {"method": name, "lower": None, "seconds": None, "error": ""}
        try:
            if compiles:
                method(few, delta, level)
            start = time.perf_counter()
            lower = method(samples, delta, level)
            found |= {"lower": None if lower is None else float(lower), "seconds": time.perf_counter() - start}
        except Exception as error:
            found["error"] = f"{type(error).__name__}: {error}"[:200]
        print(json.dumps(found), flush=True)
