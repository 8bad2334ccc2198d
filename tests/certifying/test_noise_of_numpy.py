"""Noise that a policy draws from its Generator: how reading noised values is charged, against an oracle."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from privcheck.certifying import Session
from privcheck.errors import PrivcheckError
from privcheck.generators import GuardedDraws, HandledGenerator
from privcheck.mechanisms import NoisyMax
from privcheck.privacy import relation
from privcheck.private_values import LeakError, Private, PrivateSource, rounded
from privcheck.private_values._noise import draws, held_draws
from privcheck.private_values._shared import shared_cell

SAMPLE = 300


@pytest.fixture(scope="module")
def random():
    """The module noise_programs.py, which is not in a package."""
    spec = importlib.util.spec_from_file_location("noise_programs", Path(__file__).with_name("noise_programs.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules["noise_programs"] = module
    spec.loader.exec_module(module)
    return module


def start(budget=None, noise=0):
    session = Session(relation("row"), (0.0, 1.0), budget, np.random.default_rng(noise), round=1)
    return session, session.generator(np.random.default_rng(1))


def rewards(session, count=3):
    return [session.source.scalar(0.5, 0.0, 1.0, datum) for datum in range(count)]


def paid(session):
    return {datum: round(charge.epsilon, 9) for datum, charge in session.ledger.paid.items() if charge.epsilon > 0.0}


# Random programs against a linear program


def test_no_random_program_loses_more_than_it_is_charged(random, evidence):
    found = [wrong for seed in range(evidence(SAMPLE, 20_000)) if (wrong := random.unpaid(seed))]
    assert found == []


@pytest.mark.parametrize("seed", [21, 79, 209])
def test_programs_that_were_charged_too_little_are_not_any_more(random, seed):
    """In them a value that holds noise known by then was written into an array that was settled before."""
    assert random.unpaid(seed) == ""


@pytest.mark.parametrize("seed", [21, 79, 209])
def test_the_oracle_finds_arrays_that_are_not_settled_again(random, seed, monkeypatch):
    monkeypatch.setattr(shared_cell.Cell, "replace", lambda cell, new: setattr(cell, "terms", new))
    monkeypatch.setattr(draws.Draw, "fresh", True)
    assert "for a loss of inf" in random.unpaid(seed)


def test_the_random_programs_release_much_and_are_charged_what_they_lose(random):
    """The charges are the exact losses, but for the programs that take one of several draws for their noise."""
    asked, equal = Counter(), Counter()
    for seed in range(40):
        asked.update(random.guarded(seed)[1].asked)
        pairs = random.compared(seed).values()
        equal.update(lost > charged * (1 - 1e-6) for charged, lost in pairs if charged > 0.0)
    assert asked[True] > 20
    assert asked[False] > 20
    assert equal[True] > 20
    assert equal[True] > 5 * equal[False]


def ignores_coefficients(monkeypatch):
    real = held_draws.noise_of

    def noise_of(row, alone, table):
        found = real(row, alone, table)
        return found and held_draws.Noise(
            row, found.draw, found.weight, found.law, table[found.draw].scale, found.partner
        )

    monkeypatch.setattr(held_draws, "noise_of", noise_of)


def adds_scales(monkeypatch):
    """The scales of several draws add up."""
    real = held_draws.noise_of

    def noise_of(row, alone, table):
        found, scale = real(row, alone, table), sum(abs(weight) * table[j].scale for j, weight in alone.items())
        return found and held_draws.Noise(row, found.draw, found.weight, found.law, scale, found.partner)

    monkeypatch.setattr(held_draws, "noise_of", noise_of)


@pytest.mark.parametrize("twin", [ignores_coefficients, adds_scales])
def test_the_oracle_finds_a_broken_law(random, twin, monkeypatch):
    """Fixed programs: nothing is random but their seeds."""
    twin(monkeypatch)
    assert any(random.unpaid(seed) for seed in range(320))


# The law, entry by entry


def test_a_sum_with_laplace_noise_is_the_laplace_mechanism():
    session, rng = start()
    one, two, _ = rewards(session)
    value = (2.0 * one - two) / 4.0 + rng.laplace(0.0, 0.5)
    assert isinstance(value, Private)
    assert paid(session) == {}
    first = float(value)
    assert paid(session) == {0: 1.0, 1: 0.5}
    assert float(value) == first
    assert paid(session) == {0: 1.0, 1: 0.5}
    (release,) = session.ledger.releases
    assert (release.mechanism, release.scale) == ("laplace", 0.5)
    assert release.location.startswith("test_noise_of_numpy.py:")


def test_scaling_scales_the_noise_too():
    session, rng = start()
    one, *_ = rewards(session)
    float(10.0 * (one + rng.laplace(0.0, 2.0)))
    float(one + 0.1 * rng.laplace(0.0, 20.0))
    assert paid(session) == {0: 1.0}


def test_what_is_not_read_is_not_charged_and_what_was_read_is_public_in_every_form():
    session, rng = start()
    one, two, _ = rewards(session)
    noise = rng.laplace(0.0, 1.0)
    noisy, unread = one + noise, two + rng.laplace(0.0, 1.0)
    doubled, copied = 2.0 * noisy + 1.0, noisy.copy()
    value = float(noisy)
    assert paid(session) == {0: 1.0}
    assert (float(doubled), float(copied)) == (pytest.approx(2.0 * value + 1.0), pytest.approx(value))
    assert float(noisy - noise + noise) == pytest.approx(value)
    assert paid(session) == {0: 1.0}
    assert not unread.is_public


def test_noise_that_was_released_hides_nothing_else():
    session, rng = start()
    one, two, _ = rewards(session)
    noise = rng.laplace(0.0, 1.0)
    float(one + noise)
    for reused in (two + noise, 3.0 * noise, noise - 1.0):
        with pytest.raises(LeakError, match="released before, with another value"):
            float(reused)
    assert paid(session) == {0: 1.0}


@pytest.mark.parametrize("factor", [2.0, 1.0 + 1e-12, 1.0 - 1e-13])
def test_what_does_not_cancel_stays_private(factor):
    session, rng = start()
    one, two, _ = rewards(session)
    noise = rng.laplace(0.0, 1.0)
    float(one + two + noise)
    assert (0.1 * (one + two) + 0.1 * noise).is_public
    for value in (factor * one + two + noise, factor * (one + two + noise) - (one + two), one + two + factor * noise):
        with pytest.raises(LeakError):
            float(value)


def test_a_second_release_of_the_same_datum_is_charged_again():
    session, rng = start()
    one, *_ = rewards(session)
    for _ in range(3):
        float(one + rng.laplace(0.0, 1.0))
    assert paid(session) == {0: 3.0}


def test_noise_that_is_read_alone_is_a_coin():
    session, rng = start()
    one, *_ = rewards(session)
    noise = rng.laplace(0.0, 1.0)
    while noise < 0.0:
        noise = rng.laplace(0.0, 1.0)
    assert noise.is_public
    with pytest.raises(LeakError):
        float(one + noise)
    assert paid(session) == {}


def test_entries_that_share_a_draw_are_refused_unless_they_were_released_together():
    session, rng = start()
    one, two, three = rewards(session)
    with pytest.raises(LeakError, match="with size=, once for each entry"):
        np.asarray(np.stack([one, two]) + rng.laplace(0.0, 1.0))
    assert paid(session) == {}
    noisy = np.stack([one, three]) + rng.laplace(0.0, 1.0, 2)
    mixed = np.array([[1.0, 2.0], [0.1, 0.3], [1.0 / 3.0, -0.7]]) @ noisy
    assert np.asarray(mixed).shape == (3,)
    assert paid(session) == {0: 1.0, 2: 1.0}


def test_the_total_of_noisy_counts_leaves_the_counts_readable():
    session, rng = start()
    noisy = [reward + rng.laplace(0.0, 1.0) for reward in rewards(session)]
    total = float(sum(noisy))
    assert total == pytest.approx(sum(float(value) for value in noisy))
    assert paid(session) == {0: 1.0, 1: 1.0, 2: 1.0}


def test_with_two_draws_the_larger_is_the_noise_and_the_other_a_coin():
    session, rng = start()
    one, *_ = rewards(session)
    both = rng.laplace(0.0, 1.0) + rng.laplace(0.0, 4.0)
    float(one + both)
    assert paid(session) == {0: 0.25}


def test_a_private_location_is_the_value_plus_noise():
    session, rng = start()
    one, two, _ = rewards(session)
    float(rng.laplace(one, 2.0))
    np.asarray(rng.laplace(np.stack([two, two]), [1.0, 2.0]))
    assert paid(session) == {0: 0.5, 1: 1.5}


def test_differences_of_exponential_and_geometric_draws_are_laplace():
    session, rng = start()
    one, two, three = (rounded(session.source.scalar(1.0, 0.0, 1.0, datum)) for datum in range(3))
    float(one + rng.exponential(2.0) - rng.exponential(2.0))
    found = float(two + rng.geometric(0.5) - rng.geometric(0.5))
    assert found == int(found)
    assert paid(session) == {0: 0.5, 1: round(float(np.log(2.0)), 9)}
    for value, why in ((three + rng.exponential(2.0), "exponential"), (three + rng.gumbel(0.0, 1.0), "Gumbel"),
                       (three + rng.geometric(0.5), "geometric"),
                       (three + rng.exponential(2.0) - rng.exponential(1.0), "exponential")):  # fmt: skip
        with pytest.raises(LeakError, match=why):
            float(value)


def test_half_of_a_difference_is_no_noise():
    session, rng = start()
    one, two, _ = rewards(session)
    first, second = rng.exponential(1.0), rng.exponential(1.0)
    float(one + first - second)
    with pytest.raises(LeakError):
        float(two + first)
    with pytest.raises(LeakError):
        float(second)


def test_normal_noise_is_charged_in_gaussian_privacy():
    session, rng = start()
    np.asarray(np.stack(rewards(session)) + rng.normal(0.0, 2.0, 3))
    assert session.ledger.total.mu == pytest.approx(0.5)
    assert session.ledger.epsilon == np.inf


READINGS = [float, bool, int, abs, str.format, np.exp, np.isfinite, lambda v: v < 0.0, lambda v: 1.0 / v, np.sqrt]


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("read", READINGS)
def test_every_way_to_read_a_noised_value_is_its_release(read):
    session, rng = start()
    one, *_ = rewards(session)
    value = one + rng.laplace(0.0, 1.0)
    if read is str.format:
        assert float(f"{value:.2f}") is not None
    else:
        read(value)
    assert paid(session) == {0: 1.0}


def test_noise_has_the_attributes_of_numpys_arrays_and_numbers():
    session, rng = start()
    noise, number = rng.normal(size=(2, 2)), rng.laplace()
    assert (noise.diagonal().shape, noise.nbytes, number.is_integer(), noise.take([0, 3]).shape) == (
        (2,),
        32,
        False,
        (2,),
    )
    with pytest.raises(LeakError):
        rewards(session)[0].is_integer  # noqa: B018
    assert not hasattr(noise, "no_such_name")


def test_ordinary_arrays_take_noised_values():
    session, rng = start()
    one, two, three = rewards(session)
    array = np.zeros(3)
    array[1] = one + rng.laplace(0.0, 1.0)
    array += np.stack([two, two, two]) + rng.laplace(0.0, 1.0, 3)
    np.add(three, rng.laplace(0.0, [1.0, 2.0, 4.0]), out=array)
    assert array.dtype == float
    assert paid(session) == {0: 1.0, 1: 3.0, 2: 1.75}


def test_products_with_noised_values_use_what_was_released():
    session, rng = start()
    one, two, _ = rewards(session)
    noisy = one + rng.laplace(0.0, 1.0)
    product = noisy * two
    assert paid(session) == {0: 1.0}
    assert product.data_ids == (1,)


def test_a_mechanism_of_privcheck_makes_other_noise_public():
    from privcheck.mechanisms import Laplace

    session, rng = start()
    one, *_ = rewards(session)
    with session.active():
        Laplace.with_scale(2.0).release(one + rng.laplace(0.0, 100.0), None)
    assert paid(session) == {0: 0.5}


# A noisy maximum


def vector(session, count=4):
    """Rewards of all arms of two rounds, added up."""
    return session.source.vector([0.5] * count, 0.0, 1.0, 0) + session.source.vector([0.5] * count, 0.0, 1.0, 1)


@pytest.mark.parametrize("law", ["laplace", "gumbel", "exponential"])
def test_an_argmax_is_charged_by_the_range(law):
    session, rng = start()
    noise = rng.exponential(4.0, 4) if law == "exponential" else getattr(rng, law)(0.0, 4.0, 4)
    scores = vector(session) + noise
    assert 0 <= int(np.argmax(2.0 * scores)) < 4
    (release,) = session.ledger.releases
    assert release.mechanism == "noisy-max"
    assert paid(session) == {0: 0.5, 1: 0.5}
    if law == "laplace":
        return
    with pytest.raises(LeakError, match="decided a noisy maximum"):
        float(scores[0])
    with pytest.raises(LeakError, match="decided a noisy maximum"):
        np.argmax(scores)


def test_a_score_read_after_its_maximum_releases_them_all_in_full():
    session, rng = start()
    scores = vector(session) + rng.laplace(0.0, 4.0, 4)
    best = int(np.argmax(scores))
    assert paid(session) == {0: 0.5, 1: 0.5}
    gap = scores[best] - scores[(best + 1) % 4]
    assert float(gap) > 0.0
    assert paid(session) == {0: 1.5, 1: 1.5}
    assert (np.asarray(scores).argmax(), int(np.argmax(2.0 * scores)), int(np.argmin(-scores))) == (best,) * 3
    assert paid(session) == {0: 1.5, 1: 1.5}


def test_scores_are_not_released_because_something_refers_to_them():
    """Under contextual feedback, at the end of an update."""
    session, rng = start()
    scores = vector(session) + rng.laplace(0.0, 4.0, 4)
    np.argmax(scores)
    session.publish_noised()
    assert paid(session) == {0: 0.5, 1: 0.5}
    with pytest.raises(LeakError, match="decided a noisy maximum"):
        float(scores[0])


@pytest.mark.chance(1e-7, "one Kolmogorov test")
def test_winner_and_scores_have_the_law_of_laplace_noise():
    """Kolmogorov and Smirnov's test of 2,000 sums: a right law fails with probability 1e-7; fixed seeds."""
    from scipy import stats

    session, rng = start()
    found = []
    for _ in range(1000):
        scores = session.source.vector([0.0, 1.0], 0.0, 1.0, 0) + rng.laplace(0.0, 1.0, 2)
        np.argmax(scores)
        found += (np.asarray(scores) - [0.0, 1.0]).tolist()
    assert stats.kstest(found, "laplace").pvalue > 1e-7
    assert stats.kstest(1.4 * np.array(found), "laplace").pvalue < 1e-7


def test_an_argmax_that_costs_as_much_as_all_scores_releases_them():
    session, rng = start()
    scores = np.stack(rewards(session)) + rng.laplace(0.0, 1.0, 3)
    best = int(np.argmax(scores))
    assert best == int(np.argmax(np.asarray(scores)))
    assert paid(session) == {0: 1.0, 1: 1.0, 2: 1.0}


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("other scales", lambda rng, v: np.argmax(v + rng.laplace(0.0, [1.0, 1.0, 1.0, 2.0]))),
        ("divided", lambda rng, v: np.argmax((v + rng.laplace(0.0, 1.0, 4)) / np.array([1.0, 2.0, 3.0, 4.0]))),
        ("sorted", lambda rng, v: np.argsort(v + rng.laplace(0.0, [1.0, 1.0, 1.0, 2.0]))),
    ],
)
def test_other_indices_cost_all_scores(name, index):
    session, rng = start()
    index(rng, vector(session))
    assert paid(session) == {0: 3.5, 1: 3.5} if name != "divided" else {0: 4.0, 1: 4.0}


@pytest.mark.parametrize("law", ["gumbel", "exponential"])
def test_an_argmin_with_one_sided_noise_is_refused(law):
    """argmin(score + noise) loses K - 1 times the range: with K = 3 scores, integrated, more than the range."""
    session, rng = start()
    noise = rng.exponential(1.0, 4) if law == "exponential" else rng.gumbel(0.0, 1.0, 4)
    with pytest.raises(LeakError, match="argmax"):
        np.argmin(vector(session) + noise)
    session, rng = start()
    noise = rng.exponential(4.0, 4) if law == "exponential" else rng.gumbel(0.0, 4.0, 4)
    np.argmin(-vector(session) - noise)
    assert paid(session) == {0: 0.5, 1: 0.5}


@pytest.mark.chance(1e-8, "four binomial counts within 6 standard deviations")
def test_the_winner_has_the_law_of_the_noisy_maximum():
    """Each of 4 counts of 4,000 lies within 6 standard deviations: wrong with probability below 1e-8; fixed seeds."""
    session, rng = start()
    counts, scores = np.zeros(4), np.array([0.0, 1.0, 0.5, 0.0])
    for _ in range(4000):
        hidden = session.source.vector(scores, 0.0, 1.0, 0)
        counts[int((hidden + rng.laplace(0.0, 1.0, 4)).argmax())] += 1
    chances = NoisyMax.with_scale(1.0).probabilities(scores)
    assert (np.abs(counts - 4000 * chances) < 6.0 * np.sqrt(4000 * chances * (1 - chances))).all()
    twin = NoisyMax.with_scale(2.0).probabilities(scores)
    assert not (np.abs(counts - 4000 * twin) < 6.0 * np.sqrt(4000 * twin * (1 - twin))).all()


# The Generator


def test_noise_has_numpys_law_when_it_is_read_alone():
    """The coins are numpy's own draws."""
    source = PrivateSource()
    rng, plain = HandledGenerator(GuardedDraws(np.random.PCG64(3), source)), np.random.default_rng(3)
    for draw in (
        lambda g: g.laplace(1.0, 2.0), lambda g: g.normal([0.0, 5.0], 2.0), lambda g: g.gumbel(0.0, 1.0, (2, 2)),
        lambda g: g.standard_normal(3), lambda g: g.exponential(2.0), lambda g: g.standard_exponential(2),
        lambda g: g.geometric(0.3, 2), lambda g: g.random(3), lambda g: g.integers(9, size=4),
        lambda g: g.permutation(5), lambda g: g.random(), lambda g: g.uniform(-1.0, [2.0, 3.0]),
        lambda g: g.uniform(size=[2, 2]), lambda g: g.choice(3, p=[0.2, 0.3, 0.5]), lambda g: g.random(5000),
        lambda g: g.laplace(0.0, 0.0), lambda g: g.normal(size=0), lambda g: g.choice(5, 2, replace=False),
        lambda g: g.multivariate_normal(np.zeros(2), np.eye(2)),
    ):  # fmt: skip
        assert np.allclose(np.asarray(draw(rng)), draw(plain), rtol=1e-12)
    with pytest.raises(ValueError, match="scale"):
        rng.laplace(0.0, -1.0)
    with pytest.raises(ValueError, match="shape"):
        rng.laplace(0.0, [1.0, 2.0], 3)
    assert rng.laplace(size=[2, np.int64(3)]).shape == rng.random([2, 3]).shape == (2, 3)


@pytest.mark.parametrize("how", ["state", "copy", "pickle", "spawn", "own", "bits", "private name"])
def test_draws_that_could_be_made_twice_are_no_noise(how):
    import copy
    import pickle

    session, rng = start()
    one, *_ = rewards(session)
    source = rng
    if how == "state":
        source.bit_generator.state = dict(rng.bit_generator.state)
    elif how == "copy":
        copy.deepcopy(rng)
    elif how == "private name":
        copy.deepcopy(rng._bit_generator)
    elif how == "pickle":
        source = pickle.loads(pickle.dumps(rng))
    elif how == "spawn":
        (source,) = rng.spawn(1)
    elif how == "bits":
        source = np.random.Generator(rng.bit_generator)
    else:
        source = np.random.default_rng(0)
    with pytest.raises(LeakError):
        float(one + source.laplace(0.0, 1.0))
    assert paid(session) == {}


def test_the_sessions_noise_is_not_the_policys():
    session, rng = start(noise=5)
    one, *_ = rewards(session)
    assert float(one * 0.0 + one + rng.laplace(0.0, 1.0)) == 0.5 + np.random.default_rng(5).laplace(0.0, 1.0)


def test_unread_noise_is_not_drawn_again_from_the_state_after_it():
    """The code draws it before it looks at the state."""
    import copy

    for look in (lambda rng: rng.bit_generator.state, copy.deepcopy):
        session, rng = start()
        noise = rng.laplace(0.0, 1.0)
        kept = look(rng)
        number = float(noise)
        if isinstance(kept, dict):
            rng.bit_generator.state = kept
            kept = rng
        assert float(kept.laplace(0.0, 1.0)) != number
        assert paid(session) == {}


def test_the_other_draw_of_a_difference_is_not_forgotten():
    """It is only held by what the first one has become, in the value in which a third one met data."""
    session, rng = start()
    one, two, three = rewards(session)
    first, second, third = rng.exponential(2.0), rng.exponential(2.0), rng.laplace(0.0, 1.0)
    home = two + first + third
    float(one + first - second)
    shared = np.stack([two + third, three + third])
    del home, first, second, third
    for _ in range(3):
        session.source.forget()
    with pytest.raises(LeakError, match="with size=, once for each entry"):
        np.asarray(shared)
    assert paid(session) == {0: 0.5}


def test_a_value_of_another_run_leaves_the_draws_of_this_one():
    from privcheck.mechanisms import Laplace

    (other, other_rng), (session, rng) = start(), start()
    foreign, noise = rewards(other)[0] + other_rng.laplace(0.0, 1.0), rng.laplace(0.0, 1.0)
    with session.active(), pytest.raises(PrivcheckError, match="another run"):
        Laplace.with_scale(1.0).release(foreign, None)
    assert not noise.is_public
    float(rewards(session)[0] + noise)
    assert (paid(session), paid(other)) == ({0: 1.0}, {})
