"""What a driver shares: it plays each algorithm, takes the CPU time, and prints one JSON line for each."""

# The arguments are: means, horizon, runs, seed, names of algorithms. Runs in a virtual environment without privcheck.

import contextlib
import json
import logging
import sys
import time
import warnings

WARM_UP = 200
"""Rounds of a first run that is not timed, because some packages compile during it."""


def run(players):
    """Play; a player is `play(means, horizon, seed)`, which returns the number of pulls of every arm in one run."""
    means, horizon, runs, seed = (json.loads(text) for text in sys.argv[1:5])
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    for name in sys.argv[5:]:
        found = {"algorithm": name, "pulls": [], "seconds": None, "error": ""}
        try:
            with contextlib.redirect_stdout(sys.stderr):
                players[name](means, WARM_UP, seed)
                start = time.process_time()
                found["pulls"] = [
                    [int(count) for count in players[name](means, horizon, seed + number)] for number in range(runs)
                ]
                found["seconds"] = time.process_time() - start
        except Exception as error:
            found["error"] = f"{type(error).__name__}: {error}"[:200]
        print(json.dumps(found), flush=True)
