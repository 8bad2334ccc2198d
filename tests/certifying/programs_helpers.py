"""What programs_shapes.py imports, as a project has its helpers in a module of their own."""


def laplace_scale(sensitivity, epsilon):
    """Return the scale of Laplace noise."""
    if epsilon <= 0:
        raise ValueError(f"epsilon is {epsilon}")
    return sensitivity / epsilon


def noisy_mean(values, rng, epsilon):
    """Return the mean of numbers in [0, 1] with Laplace noise."""
    n = len(values)
    return sum(values) / n + rng.laplace(0, laplace_scale(1 / n, epsilon))


def argmax(values):
    """Return the first index of the largest value."""
    return max(range(len(values)), key=values.__getitem__)
