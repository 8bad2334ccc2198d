"""Fits in several private steps, as people write them: what one step releases, later steps use beside the data.

Each function takes `data`, rows of numbers in [0, 1], the `rng` of its noise and `noise`, the standard deviation or the
scale of Laplace noise of a release in multiples of its sensitivity. `ROUNDS` says how many releases each makes.
"""

from __future__ import annotations

import numpy as np


def descent(data, rng, noise):
    w = 0.0
    for _ in range(4):
        gradient = np.mean(np.clip(w - data, -1.0, 1.0))
        gradient += rng.normal(0.0, noise / len(data))
        w -= 0.1 * gradient
    return w


def descent_from_a_random_start(data, rng, noise):
    w = rng.normal()
    for _ in range(4):
        residuals = np.clip(w - data, -0.5, 0.5)
        w = w - 0.1 * (residuals.mean() + rng.normal(0.0, noise / len(data)))
    return w


def descent_in_a_loop(data, rng, noise):
    w = 0.5
    for _ in range(4):
        total = 0.0
        for row in data:
            total += min(max(w - row, -0.5), 0.5)
        w -= 0.1 * (total + rng.normal(0.0, noise)) / len(data)
    return w


def descent_with_momentum(data, rng, noise):
    w, speed = 0.5, 0.0
    for _ in range(4):
        gradient = np.clip(w - data, -0.5, 0.5).sum() + rng.normal(0.0, noise)
        speed = 0.9 * speed + gradient / len(data)
        w = w - 0.1 * speed
    return w


def average_of_iterates(data, rng, noise):
    w, seen = 0.5, []
    for _ in range(4):
        w = w - 0.1 * (np.sum(np.clip(w - data, -0.5, 0.5)) + rng.normal(0.0, noise)) / len(data)
        seen.append(w)
    return sum(seen) / len(seen)


def laplace_descent(data, rng, noise):
    w = 0.5
    for _ in range(4):
        w -= 0.1 * (np.clip(w - data, -0.5, 0.5).sum() + rng.laplace(0.0, noise)) / len(data)
    return float(w)


def line(data, rng, noise):
    """Fits y = a x + b: the data are x, and y is 1 - x. A row moves (grad a, grad b) by less than 1 in L2."""
    a = b = 0.1
    x, y = data, 1.0 - data
    for _ in range(4):
        error = np.clip(a * x + b - y, -0.35, 0.35)
        a -= 0.1 * (np.sum(error * x) + rng.normal(0.0, noise)) / len(x)
        b -= 0.1 * (np.sum(error) + rng.normal(0.0, noise)) / len(x)
    return a, b


def line_in_a_loop(data, rng, noise):
    w = np.array([0.1, 0.1])
    for _ in range(3):
        total = np.zeros(2)
        for x in data:
            error = min(max(w[0] * x + w[1] - (1.0 - x), -0.35), 0.35)
            total += error * np.array([x, 1.0])
        w = w - 0.1 * (total + rng.normal(0.0, noise, size=2)) / len(data)
    return w.tolist()


def vector_descent(data, rng, noise):
    points = np.column_stack([data, 1.0 - data])
    w = np.zeros(2)
    for _ in range(4):
        each = w - points
        each = each * np.minimum(1.0, 0.5 / np.maximum(np.linalg.norm(each, axis=1, keepdims=True), 1e-12))
        w = w - 0.1 * (each.sum(axis=0) + rng.normal(0.0, noise, 2)) / len(points)
    return w


def logistic_regression(data, rng, noise):
    points, labels = np.column_stack([data, np.ones(len(data))]) / np.sqrt(2.0), (data > 0.5).astype(float)
    w = np.zeros(2)
    for _ in range(4):
        chances = 1.0 / (1.0 + np.exp(-points @ w))
        gradient = 0.5 * points.T @ (chances - labels)
        w -= 0.5 * (gradient + rng.normal(scale=noise, size=2)) / len(data)
    return w


def mean_and_variance(data, rng, noise):
    n = len(data)
    mean = np.mean(data) + rng.normal(0.0, noise / n)
    variance = np.mean(np.clip((data - mean) ** 2, 0.0, 1.0)) + rng.normal(0.0, noise / n)
    return mean, variance


def clipped_at_a_noisy_mean(data, rng, noise):
    center = (data.sum() + rng.laplace(0.0, noise)) / len(data)
    spread = np.abs(data - center).clip(0.0, 1.0).sum() + rng.laplace(0.0, noise)
    return {"center": center, "spread": spread / len(data)}


def noisy_power_iteration(data, rng, noise):
    rows = np.column_stack([data, 1.0 - data]) / np.sqrt(2.0)
    v = np.array([1.0, 0.0])
    for _ in range(3):
        v = rows.T @ (rows @ v) / 2.0 + rng.normal(0.0, noise, 2)
        v = v / np.linalg.norm(v)
    return v


def two_means(data, rng, noise):
    centers = np.array([0.2, 0.8])
    for _ in range(2):
        nearest = np.argmin(np.abs(data[:, None] - centers), axis=1)
        sums = np.array([data[nearest == k].sum() for k in range(2)]) + rng.normal(0.0, noise * 1.5, 2)
        counts = np.array([(nearest == k).sum() for k in range(2)]) + rng.normal(0.0, noise * 1.5, 2)
        centers = sums / np.maximum(counts, 1.0)
    return centers


def median_by_bisection(data, rng, noise):
    low, high = 0.0, 1.0
    for _ in range(4):
        middle = (low + high) / 2.0
        if (data < middle).sum() + rng.laplace(0.0, noise) < len(data) / 2.0:
            low = middle
        else:
            high = middle
    return low


def second_step_by_the_first(data, rng, noise):
    """What the first step released is subtracted from every row in plain Python, twice."""
    n, first = len(data), 0.0
    first = sum(data) / n + rng.normal(0.0, noise / n)
    above = sum(1.0 for x in data if x - first > 0.0) / n + rng.normal(0.0, noise / n)
    below = sum(1.0 for x in data if x - first < 0.0) / n + rng.normal(0.0, noise / n)
    return above, below


ROUNDS = {
    descent: 4,
    descent_from_a_random_start: 4,
    descent_in_a_loop: 4,
    descent_with_momentum: 4,
    average_of_iterates: 4,
    laplace_descent: 4,
    line: 8,
    line_in_a_loop: 3,
    vector_descent: 4,
    logistic_regression: 4,
    mean_and_variance: 2,
    clipped_at_a_noisy_mean: 2,
    noisy_power_iteration: 3,
    two_means: 4,
    median_by_bisection: 4,
    second_step_by_the_first: 3,
}
"""How many releases each fit makes; each is moved by at most its sensitivity."""

LAPLACE = (laplace_descent, clipped_at_a_noisy_mean, median_by_bisection)
