"""A classifier that takes its classes from the labels: their number is a part of what it releases, without noise."""

from __future__ import annotations

import numpy as np
import pytest

import privcheck

ONE_CLASS = np.array([[0.2, 0.0], [0.4, 0.0], [0.6, 0.0], [0.8, 0.0]])
TWO_CLASSES = np.array([[0.2, 0.0], [0.4, 0.0], [0.6, 0.0], [0.8, 1.0]])


def noisy_counts(data, rng, classes):
    """Count the rows of each class; a row that is replaced moves two of the counts by 1."""
    return [float((data[:, 1] == each).sum() + rng.laplace(0.0, 2.0)) for each in classes]


def from_the_labels(data, rng):
    return noisy_counts(data, rng, np.unique(data[:, 1]))


def given(data, rng):
    return noisy_counts(data, rng, (0.0, 1.0))


def test_the_number_of_classes_is_seen():
    report = privcheck.audit(from_the_labels, epsilon=1.0, streams=(ONE_CLASS, TWO_CLASSES), runs=400)
    assert len(from_the_labels(ONE_CLASS, np.random.default_rng(1))) == 1, "with certainty"
    assert len(from_the_labels(TWO_CLASSES, np.random.default_rng(1))) == 2, "and never on the neighbour"
    assert report.verdict == "violation"
    assert "output 1 is -inf, NaN or not there" in report.witness.event


@pytest.mark.chance(1e-7, "one verdict on a true claim at this error")
def test_classes_that_are_given_are_not_suspected():
    report = privcheck.audit(given, epsilon=1.0, streams=(ONE_CLASS, TWO_CLASSES), runs=400, error=1e-7)
    assert report.verdict != "violation"
