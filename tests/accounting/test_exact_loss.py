"""The ledger against the truth: the exact loss of every transcript of random trees of releases, by enumeration.

A tree of releases is adaptive: which release comes next depends on the outputs so far. Noisy maxima have finitely many
outputs; of a Laplace release two are enough, far below and far above, where its loss is largest. All data sets at the
ends of the range are compared with all neighbours.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcheck.accounting import Ledger
from privcheck.certifying import Session
from privcheck.mechanisms import Laplace, NoisyMax
from privcheck.mechanisms.provenance import examined
from privcheck.privacy import relation

FAR = 1e4
SCRIPT: list[float] = []
"""The outputs that the scripted mechanisms give next."""


class ScriptedLaplace(Laplace):
    def draw(self, value, rng, *, secure=False):
        return SCRIPT.pop(0) if SCRIPT else super().draw(value, rng, secure=secure)


class ScriptedNoisyMax(NoisyMax):
    def draw(self, value, rng, *, secure=False):
        return SCRIPT.pop(0) if SCRIPT else super().draw(value, rng, secure=secure)


@dataclass(frozen=True)
class Step:
    """One release: of `matrix` @ data, with a Laplace or a noisy-max mechanism."""

    mechanism: Laplace | NoisyMax
    matrix: tuple[tuple[float, ...], ...]

    @property
    def outputs(self):
        return range(len(self.matrix)) if isinstance(self.mechanism, NoisyMax) else (-FAR, FAR)

    def values(self, data):
        found = [sum(weight * datum for weight, datum in zip(row, data, strict=True)) for row in self.matrix]
        return found[0] if isinstance(self.mechanism, Laplace) else found

    def log_ratio(self, output, data, other):
        one, two = (np.asarray(self.values(x), float) for x in (data, other))
        return float(self.mechanism.log_ratio(output, one, two))


WEIGHTS = st.sampled_from([0.0, 0.0, 1.0, -1.0, 0.5, 2.0])
SCALES = st.sampled_from([0.5, 1.0, 3.0])


@st.composite
def steps(draw, data):
    row = st.tuples(*[WEIGHTS] * data)
    scale = draw(SCALES)
    if draw(st.booleans()):
        return Step(ScriptedLaplace.with_scale(scale), (draw(row),))
    arms = draw(st.integers(2, 3))
    noise = draw(st.sampled_from(["exponential", "gumbel"]))
    return Step(ScriptedNoisyMax.with_scale(scale, noise=noise), tuple(draw(row) for _ in range(arms)))


@st.composite
def trees(draw):
    """Return (number of data, three layers of possible steps); outputs select the step of the next layer."""
    data = draw(st.integers(1, 3))
    return data, [[draw(steps(data)) for _ in range(2)] for _ in range(draw(st.integers(1, 3)))]


def paths(layers):
    """Return every path through a tree as a list of (step, output)."""

    def extend(path, depth):
        if depth == len(layers):
            yield path
            return
        before = 0 if not path else int(path[-1][1] > 0)
        step = layers[depth][before]
        for output in step.outputs:
            yield from extend([*path, (step, output)], depth + 1)

    return list(extend([], 0))


def ledger_of(path, data, ledger=None):
    """Run a path through a guarded session, and return the totals of the data."""
    session = Session(relation("row"), (0.0, 1.0), None, np.random.default_rng(0))
    session.ledger = ledger or session.ledger
    rewards = []
    for t in range(data):
        session.round = t + 1
        rewards.append(session.reward(1.0, 0))
    SCRIPT[:] = [output for _, output in path]
    with session.active():
        for step, _ in path:
            rows = [sum((w * x for w, x in zip(row, rewards, strict=True)), 0.0) for row in step.matrix]
            if isinstance(step.mechanism, Laplace):
                step.mechanism.release(rows[0], None)
            else:
                step.mechanism.release(vector(rows), None)
    return [session.ledger.totals[t + 1] for t in range(data)]


def vector(rows):
    from privcheck import zeros

    found = zeros(len(rows))
    for place, value in enumerate(rows):
        found[place] = value
    return found


def exact_losses(path, data):
    """Return for each datum the largest |log-likelihood ratio| of the path over all neighbouring data sets."""
    losses = [0.0] * data
    for one in itertools.product((0.0, 1.0), repeat=data):
        for t in range(data):
            two = tuple(1.0 - x if place == t else x for place, x in enumerate(one))
            losses[t] = max(losses[t], abs(sum(step.log_ratio(output, one, two) for step, output in path)))
    return losses


@pytest.fixture(scope="module", autouse=True)
def tested_at_first_use():
    """Without a script the scripted classes draw by themselves, and so pass the test that a class has to pass once."""
    SCRIPT.clear()
    for step in (LAPLACE, MAXIMUM):
        examined(step.mechanism, np.shape(step.values((0.0, 0.0))), 1.0)


@settings(max_examples=60)
@given(trees())
def test_the_ledger_is_never_below_the_exact_loss(tree):
    data, layers = tree
    for path in paths(layers):
        charged, exact = ledger_of(path, data), exact_losses(path, data)
        assert all(charge >= loss - 1e-9 for charge, loss in zip(charged, exact, strict=True)), (charged, exact)


class Forgetful(Ledger):
    """The broken twin: it forgets its second release."""

    def record(self, *arguments):
        return self.releases[-1] if self.forget() else super().record(*arguments)

    def forget(self):
        self.calls = getattr(self, "calls", 0) + 1
        return self.calls == 2


LAPLACE = Step(ScriptedLaplace.with_scale(2.0), ((1.0, 1.0),))
MAXIMUM = Step(ScriptedNoisyMax.with_scale(1.0, noise="exponential"), ((1.0, 0.0), (0.0, 1.0)))


@pytest.mark.parametrize("step", [LAPLACE, MAXIMUM])
def test_a_ledger_that_forgets_a_release_is_caught(step):
    (path, *_) = [p for p in paths([[step] * 2] * 2) if max(exact_losses(p, 2)) > 0.5]
    exact = max(exact_losses(path, 2))
    assert max(ledger_of(path, 2)) >= exact - 1e-9
    assert max(ledger_of(path, 2, Forgetful())) < exact - 0.1


@given(st.lists(WEIGHTS, min_size=1, max_size=4), SCALES)
def test_one_laplace_release_is_charged_exactly(weights, scale):
    step = Step(ScriptedLaplace.with_scale(scale), (tuple(weights),))
    charged = ledger_of([(step, FAR)], len(weights))
    assert charged == pytest.approx(exact_losses([(step, FAR)], len(weights)), abs=1e-9)
    assert charged == [abs(weight) / scale for weight in weights]


@given(st.lists(st.tuples(WEIGHTS, WEIGHTS, WEIGHTS), min_size=1, max_size=3), SCALES)
def test_one_exponential_noisy_maximum_is_charged_exactly(columns, scale):
    """The index whose change is extreme, far enough behind in a constant score, attains range / scale.

    That needs d_j - d_i of one sign for all i; the score difference itself is not affected by the constants.
    """
    mechanism = NoisyMax.with_scale(scale, noise="exponential")
    for column in columns:
        change = np.array(column)
        spread = float(change.max() - change.min())
        session = Session(relation("row"), (0.0, 1.0), None, np.random.default_rng(0))
        session.round = 1
        reward = session.reward(1.0, 0)
        with session.active():
            mechanism.release(vector([weight * reward for weight in column]), None)
        j, others = int(change.argmin()), int(change.argmax())
        scores = np.full(3, -1e3)
        scores[others], scores[j] = 0.0, -2.0 * spread - 1.0
        exact = abs(mechanism.log_ratio(j, scores, scores + change))
        assert session.ledger.totals[1] == pytest.approx(spread / scale, rel=1e-12)
        assert exact == pytest.approx(spread / scale, abs=1e-6)
