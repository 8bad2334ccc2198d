"""The recommender: it publishes the clicks of each block of visits once, and shows the most promising article.

Privacy argument. A datum is one visitor. Each visitor is in one block, and replacing the visitor moves the number of
clicks of that block by at most 1. This number is released once, with Laplace noise of scale 1 / epsilon, and then
forgotten. Everything else is a function of what was released. So by parallel composition and post-processing the
articles shown are epsilon-DP.
"""

import math

from privcheck.mechanisms import Laplace

BLOCK = 3
"""The number of visits in a block; all of them are shown the same article."""


def clicks_of(block):
    """Return the number of clicks in a block."""
    return sum(block)


class Recommender:
    """Epsilon-DP for one visitor; shows each article for one block, then the most promising one, block by block."""

    def __init__(self, rng, arms=3, epsilon=1.0):
        self.rng = rng
        self.mechanism = Laplace(sensitivity=1.0, epsilon=epsilon)
        self.published = [0.0] * arms
        self.blocks = [0] * arms
        self.shown = 0
        self.block = []

    def select(self):
        """Return the article to show."""
        return self.shown

    def update(self, article, clicked):  # noqa: ARG002
        """Record a visit; at the end of a block, publish its clicks."""
        self.block.append(clicked)
        if len(self.block) == BLOCK:
            self.publish()

    def publish(self):
        """Release the clicks of the block, forget them, and choose the next article."""
        clicks = self.mechanism.release(clicks_of(self.block), self.rng)
        self.block = []
        self.blocks[self.shown] += 1
        self.published[self.shown] += clicks
        self.shown = max(range(len(self.blocks)), key=self.promise)

    def promise(self, article):
        """Return the published click rate plus a bonus for what chance and noise may have hidden."""
        visits, log = BLOCK * self.blocks[article], math.log(1 + sum(self.blocks))
        if not visits:
            return math.inf
        return self.published[article] / visits + math.sqrt(log / (2 * visits)) + log / visits
