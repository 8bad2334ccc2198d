"""Targets of 2 to 50 ms a run with one noisy step: five with a fault there, their mended twins, and two that hide it.

All claim epsilon 1 for one entry in [0, 1] replaced. They are slow because of the work that they do around the step.
"""

import time

import numpy as np

CLAIM = 1.0


def waste(milliseconds):
    """Compute for some time of the processor, as a fit does."""
    until = time.process_time() + milliseconds / 1000
    while time.process_time() < until:
        sum(range(200))


# 1. Objective perturbation: a linear term b is added to the objective before it is minimised. No argument moves.


def perturbation(scale, rng):
    return rng.laplace(0.0, scale)


def minimised(data, noise):
    """Minimise sum (w - x)^2 / 2 + b w + 4 w^2 / 2 by gradient steps."""
    weight, curvature = 0.0, len(data) + 4.0
    for _ in range(60):
        weight -= 0.8 * (np.sum(weight - data) + noise + 4.0 * weight) / curvature
    waste(2)
    return weight


def objective(data, rng):
    """The gradient of one term moves by 1, so that b needs a scale of 1; its scale is .25, of a mean of four."""
    return minimised(data, perturbation(1.0 / CLAIM / len(data), rng))


def mended_objective(data, rng):
    return minimised(data, perturbation(1.0 / CLAIM, rng))


# 2. The largest of noisy counts, with half of the scale.


def noisy_largest(counts, scale, rng):
    return int(np.argmax(counts + rng.laplace(0.0, scale, len(counts))))


def votes(data):
    waste(8)
    return np.bincount(np.minimum((3 * data).astype(int), 2), minlength=3).astype(float)


def largest(data, rng):
    """A replaced entry takes one vote away and gives one: a scale of 2 is needed, and this is half of it."""
    return noisy_largest(votes(data), 1.0 / CLAIM, rng)


def mended_largest(data, rng):
    return noisy_largest(votes(data), 2.0 / CLAIM, rng)


# 3. A rejection sampler of a law with density exp(-|y - x| / 2) on [-1/2, 3/2], which compares the wrong way round.


def rejected(centre, rng, *, upside_down=False):
    """Draw y uniformly, and keep it with probability exp(-|y - x| / 2), or with 1 minus that."""
    while True:
        y = rng.uniform(-0.5, 1.5)
        if (rng.random() < np.exp(-abs(y - centre) * CLAIM / 2.0)) != upside_down:
            return y


def sampler(data, rng):
    """Outputs near x become rare instead of frequent: at y = x the density is 0."""
    waste(5)
    return rejected(float(np.max(data)), rng, upside_down=True)


def mended_sampler(data, rng):
    waste(5)
    return rejected(float(np.max(data)), rng)


# 4. Output perturbation of a minimiser whose sensitivity is 1, taken to be 1/n.


def add_noise(value, sensitivity, rng):
    return value + rng.laplace(0.0, sensitivity / CLAIM)


def released_sum(data):
    waste(12)
    return float(np.sum(data))


def output(data, rng):
    return add_noise(released_sum(data), sensitivity=1.0 / len(data), rng=rng)


def mended_output(data, rng):
    return add_noise(released_sum(data), sensitivity=1.0, rng=rng)


# 5. A private gradient step that clips the sum of the gradients, not each of them.


class Descent:
    def __init__(self, rng, clips_each):
        self.rng, self.clips_each, self.weights = rng, clips_each, np.zeros(2)

    def noisy_gradient(self, gradients, bound):
        if self.clips_each:
            total = sum(row / max(1.0, np.abs(row).sum() / bound) for row in gradients)
        else:
            total = gradients.sum(axis=0)
            total = total / max(1.0, np.abs(total).sum() / (8.0 * bound))
        return total + self.rng.laplace(0.0, 2.0 * bound / CLAIM, 2)

    def step(self, data):
        waste(20)
        gradients = 4.0 * (self.weights - np.stack([data, 1.0 - data], axis=1))
        self.weights = self.weights - 0.1 * self.noisy_gradient(gradients, 1.0)
        return self.weights


def gradient(data, rng):
    return Descent(rng, clips_each=False).step(data)


def mended_gradient(data, rng):
    return Descent(rng, clips_each=True).step(data)


# Two that hide the step.


def noisy(value, rng):
    return value + rng.laplace()


def hidden_by_rounding(data, rng):
    """The step has a loss of 4; the output is one bit of it, told with a loss of 1."""
    waste(3)
    bit = noisy(4.0 * float(np.max(data)), rng) > 2.0
    return int(bit == (rng.random() < np.e / (1.0 + np.e)))


def hidden_by_release(data, rng):
    """Exactly 1-DP: the second input is made of what the first step released."""
    waste(3)
    first = noisy(float(np.max(data)), rng)
    return [first, noisy(10.0 * (first > 0.5), rng)]


def secret(rng):
    return rng.laplace()


def quietly(value, rng):
    return value + rng.laplace(0.0, 0.1)


def hidden_by_secret_noise(data, rng):
    """1-DP by noise that is drawn before and never released; the step alone adds a tenth of it."""
    waste(3)
    noise = secret(rng)
    return quietly(float(np.max(data)) + noise, rng)


def hidden_by_inline_release(data, rng):
    """The same, with a first draw that is made by the target itself, where it cannot be forced."""
    waste(3)
    first = float(np.max(data)) + rng.laplace()
    return [first, noisy(10.0 * (first > 0.5), rng)]


FAULTY = ("objective", "largest", "sampler", "output", "gradient")
HIDING = ("hidden_by_rounding", "hidden_by_release", "hidden_by_secret_noise")
STEPS = {
    "objective": "perturbation",
    "largest": "noisy_largest",
    "sampler": "rejected",
    "output": "add_noise",
    "gradient": "Descent.noisy_gradient",
}
"""The function that is the step of each."""
