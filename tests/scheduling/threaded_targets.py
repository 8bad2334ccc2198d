"""Targets that put out how many threads the libraries that are loaded may use."""

from threadpoolctl import threadpool_info


def threads():
    return sorted({library["num_threads"] for library in threadpool_info()})


def function(data, rng):
    return [max(threads()) + 0.5, rng.random()]


class Policy:
    def __init__(self, rng):
        self.rng, self.chosen = rng, max(threads(), default=1) - 1

    def select(self):
        return min(self.chosen, 1)

    def update(self, action, reward):
        pass
