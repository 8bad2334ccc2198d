"""What the tests of mistakes share: causes of refusals, inputs, and the check that an audit names the cause."""

import numpy as np
import pytest

import privcheck
from privcheck import PolicyError

PAIR = (np.zeros(1), np.ones(1))
STREAMS = (np.zeros((6, 2)), np.array([[0.0, 1.0], *[[0.0, 0.0]] * 5]))

SHARED = "pass size=runs"
STATE = "state is kept between runs: "
OUTSIDE = "a generator that the clock or the operating system seeds"


def refused(target, causes, **options):
    with pytest.raises(PolicyError) as caught:
        privcheck.audit(target, epsilon=1.0, **options)
    for cause in causes:
        assert cause in str(caught.value), str(caught.value)
