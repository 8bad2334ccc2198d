"""A declared primitive that hands its release over in an argument or an attribute: refused, and accused of nothing."""

import numpy as np
import pytest

import privcheck
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import Laplace


def noised(total, scale):
    return total + np.random.default_rng().laplace(0.0, scale)


def add_noise(totals, scale):
    totals += np.random.default_rng().laplace(0.0, scale, totals.shape)


def noise_list(totals, scale):
    totals[0] = totals[0] + np.random.default_rng().laplace(0.0, scale)
    return True


def remembered(answers, total):
    if "total" not in answers:
        answers["total"] = noised(total, 1.0)
    return answers["total"]


class Publisher:
    def __init__(self):
        self.value, self.calls = 0.0, 0

    def chained(self, total):
        self.value = noised(total, 1.0)
        return self

    def silent(self, total):
        self.value = noised(total, 1.0)

    def counted(self, total):
        self.calls += 1
        self.value = noised(total, 1.0)
        return self.value

    def add(self, totals):
        add_noise(totals, 1.0)
        return True

    def above(self, total):
        self.calls += 1
        return True if noised(total, 1.0) > 1.0 else None


def in_place(data, rng):
    totals = np.array([np.sum(data)])
    add_noise(totals, 1.0)
    return totals


def in_place_by_a_method(data, rng):
    totals = np.array([np.sum(data)])
    Publisher().add(totals)
    return totals


def in_a_list(data, rng):
    totals = [float(np.sum(data))]
    noise_list(totals, 1.0)
    return totals


def in_a_dict(data, rng):
    return remembered({}, float(np.sum(data)))


def by_attribute(data, rng):
    publisher = Publisher()
    publisher.chained(float(np.sum(data)))
    return publisher.value


def silently(data, rng):
    publisher = Publisher()
    publisher.silent(float(np.sum(data)))
    return publisher.value


def returned(data, rng):
    return noised(float(np.sum(data)), 1.0)


def counted(data, rng):
    return Publisher().counted(float(np.sum(data)))


def above(data, rng):
    return Publisher().above(float(np.sum(data)))


def explored(target, name, value):
    law = Laplace.with_scale(1.0)
    declared = privcheck.primitive(f"{__name__}.{name}", value=value, sensitivity=1.0, metric="L1", law=law)
    return privcheck.certify(target, epsilon=1.0, primitives=[declared], horizon=4, runs=2)


@pytest.mark.parametrize(
    ("target", "name", "how"),
    [
        (in_place, "add_noise", "changes its argument 1 in place"),
        (in_place_by_a_method, "Publisher.add", "changes its argument 1 in place"),
        (in_a_list, "noise_list", "changes its argument 1 in place"),
        (in_a_dict, "remembered", "changes its argument 1 in place"),
        (by_attribute, "Publisher.chained", "returns the object whose method it is"),
        (silently, "Publisher.silent", "returns nothing and sets value"),
    ],
)
def test_it_is_refused_with_what_to_do(target, name, how):
    with pytest.raises(
        PrivcheckError, match=rf"primitive: got \S+{name} at \S+, which {how}, expected a function that"
    ):
        explored(target, name, "totals" if target in (in_place, in_place_by_a_method, in_a_list) else "total")


@pytest.mark.parametrize(
    ("target", "name"), [(returned, "noised"), (counted, "Publisher.counted"), (above, "Publisher.above")]
)
def test_what_is_returned_is_followed(target, name):
    found = explored(target, name, "total")
    assert (found.has_findings, found.ledger_epsilon) == (False, pytest.approx(1.0))
