"""Audits of functions whose law is given: the search by the law, its test against runs, and the verdict."""

import itertools
import math
import time

import numpy as np
import pytest
from scipy import stats

import privcheck
from privcheck import AuditReport, PrivcheckError
from privcheck.auditing._exact.approximate_loss import approximate_loss
from privcheck.auditing._exact.given_density import Density
from privcheck.auditing._law_of_outputs import LawOfOutputs
from privcheck.auditing._search.candidates import candidate_pairs
from privcheck.cli import run
from privcheck.reporting._text.audit_facts import number_rows
from privcheck.reporting._text.audit_sentences import meaning, verdict_sentence
from privcheck.reporting._text.repeating import repeat_audit
from privcheck.targets import RANDOM, Effort, Game, MechanismRunner, load

pytestmark = pytest.mark.long

CLAIM = 0.5
PAIR = ([0.0], [1.0])
ENDS = (-10.0, 10.0)


class Halved:
    """A law that is not said to be unnormalised and has half of its mass."""

    def logpdf(self, x):
        return stats.norm.logpdf(x) - math.log(2.0)

    def support(self):
        return -math.inf, math.inf


class Accepted:
    """The law of a rejection sampler of exp(-|x - centre| / 4), with proposals from a Laplace law of scale 2.

    Accepted by wanted / proposed it is right. By the inverse ratio the law is proportional to proposed^2 / wanted.
    """

    normalised = False

    def __init__(self, centre, *, inverted):
        self.centre, self.rate = centre, 0.75 if inverted else 0.25

    def logpdf(self, x):
        return -self.rate * np.abs(x - self.centre)

    def support(self):
        return ENDS


def sampler(*, inverted):
    def accepted(data, rng, runs):
        centre, found = float(np.sum(data)), np.zeros(0)
        while len(found) < runs:
            x = rng.laplace(centre, 2.0, 4 * runs)
            x = x[(x > ENDS[0]) & (x < ENDS[1])]
            ratio = np.exp(-np.abs(x - centre) / 4.0) if inverted else np.exp((np.abs(x - centre) - 11.0) / 4.0)
            found = np.concatenate([found, x[rng.random(len(x)) < ratio]])
        return found[:runs]

    return accepted


def law(*, inverted):
    return lambda data: Accepted(float(np.sum(data)), inverted=inverted)


def audited(target, law, **options):
    settings = {"epsilon": CLAIM, "runs": 200, "streams": PAIR, "error": 1e-6, "confidence": 1.0 - 1e-6}
    return privcheck.audit(target, law=law, **settings | options)


@pytest.mark.chance(3e-6, "a verdict on a true claim, and two tests of a law that runs follow, 1e-6 each")
def test_the_law_of_an_inverted_acceptance_ratio_is_a_suspicion():
    """200 runs are too few to refute the claim; its own law would, and the correct sampler's law would not."""
    broken = audited(sampler(inverted=True), law(inverted=True))
    assert (broken.verdict, broken.by_law.decides, broken.suspicion.kind) == ("inconclusive", False, "law")
    assert broken.epsilon_lower < CLAIM < broken.by_law.bound.epsilon_lower == broken.exact_loss
    assert broken.suspicion.epsilon == broken.exact_loss == pytest.approx(0.75, abs=1e-3)
    assert broken.suspicion.place == broken.witness.streams
    assert "but the loss of the given law is 0.7" in verdict_sentence(broken)
    assert "no violation, since it rests on what was said of the target" in meaning(broken)[0]
    correct = audited(sampler(inverted=False), law(inverted=False))
    assert correct.verdict != "violation"
    assert correct.by_law.follows
    assert correct.by_law.events == ()
    assert correct.suspicion is None
    assert correct.exact_loss == pytest.approx(0.25, abs=0.05)


@pytest.mark.chance(3e-6, "verdict and bound of one audit of a true claim, and a test of its law, 1e-6 each")
def test_a_sampler_that_does_not_follow_its_law_is_not_consistent():
    """The broken sampler with the law that was meant."""
    broken = audited(sampler(inverted=True), law(inverted=False), epsilon=1.0, runs=2000)
    assert broken.verdict == "inconclusive"
    assert not broken.by_law.follows
    assert broken.by_law.p_value < 1e-9
    assert any("do not follow the given law" in note for note in broken.notes)
    assert "do not follow the law that was given" in verdict_sentence(broken)
    correct = audited(sampler(inverted=False), law(inverted=False), epsilon=1.0, runs=2000)
    assert (correct.verdict, correct.by_law.follows) == ("consistent", True)


def test_a_law_that_runs_contradict_refutes_nothing():
    found = audited(sampler(inverted=False), law(inverted=True), runs=2000)
    assert found.by_law.bound.verdict == "violation"
    assert (found.verdict, found.by_law.follows, found.by_law.decides) == ("inconclusive", False, False)


def test_runs_that_refute_the_claim_need_no_law():
    found = audited(sampler(inverted=True), law(inverted=True), epsilon=0.3, runs=20_000)
    assert (found.verdict, found.suspicion) == ("violation", None)
    assert "refuted at level" in verdict_sentence(found)
    assert found.p_value <= found.error


@pytest.mark.chance(1e-6, "a bound that is 7.6 standard deviations of a log-ratio of counts below the truth")
def test_the_outputs_that_the_law_names_are_counted():
    """Truth: a loss of ln 6 in gaps of a comb. The search, which reads numbers by thresholds, does not see it."""
    found = audited(comb, Comb, epsilon=1.0, runs=20_000)
    assert found.verdict == "violation"
    assert found.suspicion is None
    assert 1.2 < found.epsilon_lower < math.log(6.0)
    assert "log-ratio above 1 by the given law" in found.witness.event
    assert found.witness.more_likely == "second"
    assert found.p_value < 1e-9
    event = found.by_law.events[1]
    assert (event.likelier, event.by_law) == ("second", pytest.approx((0.01, 0.06), abs=1e-4))
    assert audited(comb, None, epsilon=1.0, runs=20_000).verdict != "violation"


TEETH, WIDTH = 4, 1 / 64


def comb(data, rng, runs):
    """Uniform, but for gaps that are hit with probability .06 or .01."""
    place, within = rng.integers(0, TEETH, runs) / TEETH, rng.random(runs)
    hidden = rng.random(runs) < (0.06 if np.sum(data) else 0.01)
    return place + np.where(hidden, WIDTH * within, WIDTH + (1.0 / TEETH - WIDTH) * within)


class Comb:
    """The law of `comb`."""

    def __init__(self, data):
        self.hidden = 0.06 if np.sum(data) else 0.01

    def logpdf(self, x):
        inside = x - np.floor(x * TEETH) / TEETH < WIDTH
        return np.log(np.where(inside, self.hidden / (TEETH * WIDTH), (1.0 - self.hidden) / (1.0 - TEETH * WIDTH)))

    def support(self):
        return (0.0, 1.0)


WRONG = [
    *(("scale", scale) for scale in (0.5, 0.8, 0.9, 0.95, 0.98, 0.999)),
    *(("stray", mass) for mass in (1e-2, 1e-3, 1e-4, 1e-6)),
]


def wrong_law(kind, amount):
    """The law of Laplace noise of another scale, or with a mass on the second input that the first does not have."""
    if kind == "scale":
        return lambda data: stats.laplace(np.sum(data), amount)
    return lambda data: Stray(float(np.sum(data)), amount if np.sum(data) else amount * 1e-20)


class Stray:
    """Laplace noise with a narrow bump far out."""

    def __init__(self, centre, mass):
        self.centre, self.mass = centre, mass

    def logpdf(self, x):
        bump = np.where((x > 8.0) & (x < 8.5), 2.0 * self.mass, 0.0)
        return np.log((1.0 - self.mass) * np.exp(-np.abs(x - self.centre)) / 2.0 + bump)

    def support(self):
        return (-math.inf, math.inf)


@pytest.mark.chance(2e-7, "a verdict on a true claim at level 1e-8 in each of 20 audits")
@pytest.mark.evidence
def test_no_wrong_law_makes_a_violation(evidence):
    """The truth is the claim. A law that was 11 per cent off, or had a stray mass of 1e-4, used to refute it."""
    suspected = rejected = 0
    for seed in range(evidence(1, 20)):
        for kind, amount in WRONG:
            found = privcheck.audit(
                lambda data, rng, runs: np.sum(data) + rng.laplace(size=runs),
                epsilon=1.0,
                error=1e-8,
                runs=2000,
                seed=seed,
                streams=PAIR,
                law=wrong_law(kind, amount),
            )
            assert found.verdict != "violation"
            suspected, rejected = suspected + (found.suspicion is not None), rejected + (not found.by_law.follows)
    assert suspected > 0
    assert rejected > 0


def squared(data, rng, runs):
    return np.sum(data) ** 2 + rng.laplace(scale=10.0, size=runs)


@pytest.mark.chance(3e-6, "a verdict on a true claim, and two tests of a law that runs follow, 1e-6 each")
def test_pairs_are_searched_by_their_exact_loss():
    """Truth: a sum of 3 or 4, whose squares are 7 apart; a loss of 0.7, more than 200 runs could show."""
    found = privcheck.audit(
        squared, epsilon=0.65, runs=200, horizon=4, error=1e-6, law=lambda data: stats.laplace(np.sum(data) ** 2, 10.0)
    )
    assert (found.verdict, found.suspicion.kind) == ("inconclusive", "law")
    assert found.by_law.bound.epsilon_lower == pytest.approx(0.7, abs=1e-4)
    assert found.resolution.epsilon > 0
    twin = privcheck.audit(
        squared, epsilon=0.71, runs=200, horizon=4, error=1e-6, law=lambda data: stats.laplace(np.sum(data) ** 2, 10.0)
    )
    assert twin.verdict != "violation"


def refusing(data, rng, runs):
    if not np.isin(data, (0.0, 1.0)).all():
        raise ValueError("rewards are 0 or 1")
    return np.sum(data) + rng.laplace(scale=2.0, size=runs)


def refusing_runs(data, rng):
    return float(refusing(data, rng, 1)[0])


def steep(data):
    """The law of both, with a loss that is larger where the target is not defined."""
    inside = np.isin(data, (0.0, 1.0)).all()
    return stats.laplace(np.sum(data), 2.0) if inside else stats.laplace(20.0 * np.sum(data), 2.0)


@pytest.mark.chance(3e-6, "a verdict on a true claim, and two tests of laws that runs follow, 1e-6 each")
@pytest.mark.parametrize("target", [refusing, refusing_runs])
def test_the_law_is_asked_only_about_inputs_that_the_target_takes(target):
    """A random pair that the target refuses says nothing of the law, however far the law tells it apart."""
    options = {"runs": 400, "horizon": 4, "error": 1e-6, "law": steep}
    found = privcheck.audit(target, epsilon=0.6, **options)
    assert (found.verdict, found.by_law.follows) == ("consistent", True)
    assert found.by_law.bound.epsilon_lower == pytest.approx(0.5, abs=1e-4)
    found = privcheck.audit(target, epsilon=0.4, pairs=40, **options)
    assert (found.verdict, found.suspicion.epsilon) == ("inconclusive", pytest.approx(0.5, abs=1e-4))


def test_a_variant_of_the_candidates_may_have_the_largest_loss():
    """Scale 1 if the last row is high and the first two are low, else 10: no structured stream is like that."""

    def scale(data):
        return 1.0 if data[3] > data[0] == data[1] == 0.0 else 10.0

    found = privcheck.audit(
        lambda data, rng, runs: data[2] + rng.laplace(scale=scale(data), size=runs),
        epsilon=0.9,
        runs=100,
        horizon=4,
        law=lambda data: stats.laplace(data[2], scale(data)),
    )
    assert found.by_law.bound.epsilon_lower > 0.9


@pytest.mark.chance(1e-6, "a test of a law that runs follow")
def test_a_claim_with_delta():
    """Truth by Balle and Wang (2018), Theorem 8."""

    def delta(epsilon):
        return stats.norm.cdf(0.5 - epsilon) - math.exp(epsilon) * stats.norm.cdf(-0.5 - epsilon)

    found = audited(
        lambda data, rng, runs: np.sum(data) + rng.normal(size=runs),
        lambda data: stats.norm(np.sum(data)),
        delta=0.01,
        epsilon=2.0,
    )
    assert (found.verdict, found.suspicion.kind) == ("inconclusive", "law")
    assert delta(found.exact_loss + 1e-3) < 0.01 < delta(found.exact_loss - 1e-3)
    assert found.by_law.bound.delta_lower <= delta(2.0) <= found.by_law.bound.delta_upper


LOG_NORMALISER = math.log(4.0) + math.log(3.0 * math.sqrt(2.0 * math.pi))


class Two:
    """A Laplace law of scale 2 and a normal law of standard deviation 3, independent."""

    def __init__(self, data):
        self.first, self.second = data

    def logpdf(self, x):
        return -np.abs(x[:, 0] - self.first) / 2.0 - (x[:, 1] - self.second) ** 2 / 18.0 - LOG_NORMALISER

    def support(self):
        return [(-math.inf, math.inf)] * 2


def test_two_numbers():
    def noisy(data, rng):
        return [data[0] + rng.laplace(scale=2.0), float(data[1] + rng.normal(scale=3.0))]

    found = audited(noisy, Two, streams=([0.0, 1.0], [1.0, 1.0]), epsilon=0.4)
    assert (found.suspicion.kind, found.by_law.fit.test) == ("law", "binomial tests of boxes")
    for event in found.by_law.events:
        own, other = event.by_law if event.likelier == "first" else event.by_law[::-1]
        assert math.exp(0.4) < own / other <= math.exp(0.5) + 1e-3
    assert 0.49 < found.exact_loss <= 0.5


def test_objects_and_a_function_that_draws_pairs():
    def ill(people):
        return sum(person["ill"] for person in people)

    def draw(rng):
        people = [{"ill": int(x)} for x in rng.integers(0, 2, 3)]
        return people, [{"ill": 1 - people[0]["ill"]}, *people[1:]]

    found = privcheck.audit(
        lambda people, rng: ill(people) + rng.laplace(scale=0.5),
        epsilon=1.0,
        law=lambda people: stats.laplace(ill(people), 0.5),
        streams=draw,
        pairs=5,
        runs=200,
    )
    assert found.verdict == "violation"
    assert found.exact_loss == pytest.approx(2.0, abs=1e-3)
    assert found.search.pairs == 5


def test_an_exception_in_some_runs_is_no_sample_of_a_law():
    def fails(data, rng):
        x = np.sum(data) + rng.laplace()
        if x > 4.0:
            raise ValueError
        return float(x)

    found = audited(fails, lambda data: stats.laplace(np.sum(data)), epsilon=2.0, runs=2000)
    assert not found.by_law.follows
    assert found.by_law.fit.test == "some outputs that are not 1 real numbers"


def test_what_is_asked_again_gives_the_same():
    found = audited(sampler(inverted=True), law(inverted=True))
    again = audited(sampler(inverted=True), law(inverted=True), stop_after=50)
    assert found.by_law == again.by_law
    assert found.verdict == again.verdict == "inconclusive"
    assert found.suspicion == again.suspicion
    assert AuditReport.from_json(found.to_json()).suspicion == found.suspicion
    assert audited(sampler(inverted=True), law(inverted=True), stop_after=0).by_law is None
    assert AuditReport.from_json(found.to_json()).by_law == found.by_law
    assert "law=law" in str(repeat_audit(found).python)
    assert "--law LAW.py:NAME" in str(repeat_audit(found).command)
    rows = dict(number_rows(found))
    assert rows["loss by the given law, taken on your word"].startswith("0.7")
    assert "200 on each input follow it" in rows["runs against the law"]


def test_the_approximate_loss_is_near_the_bound():
    exact = privcheck.bound_from_laws(stats.norm(0.0), stats.norm(1.0), delta=0.05).epsilon_lower
    pairs = [
        (stats.laplace(0.0, 2.0), stats.laplace(1.0, 2.0), 0.0, 0.5),
        (stats.cauchy(0.0), stats.cauchy(1.0), 0.0, math.log((3 + math.sqrt(5)) / 2)),
        (stats.norm(0.0), stats.norm(1.0), 0.05, exact),
        (stats.uniform(0.0), stats.uniform(0.5), 0.0, 700.0),
        (Two([0.0, 0.0]), Two([1.0, 0.0]), 0.0, 0.5),
        (stats.norm(), stats.norm(), 0.0, 0.0),
    ]  # fmt: skip
    for one, two, delta, truth in pairs:
        found = approximate_loss(Density(one, "law"), Density(two, "law"), delta)
        assert found == pytest.approx(truth, abs=0.1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"law": 3}, "law: got 3, expected a function of the data that returns a law"),
        ({"law": lambda data: 1 / 0}, "law: got ZeroDivisionError.*expected a function law"),
        ({"law": lambda data: 3}, r"law\(data\): got an object of type int, expected a law"),
        ({"law": Two, "streams": ([0.0, 1.0], [1.0, 1.0])}, "law: got outputs that are not 2 real numbers"),
        ({"law": lambda data: stats.norm(), "epsilon": None, "mu": 1.0}, "law: got a law, expected a claim in epsilon"),
        ({"target": lambda data, rng: 3, "law": lambda data: stats.norm()}, "law: got outputs that are not 1 real"),
        (
            {"law": lambda data: Halved()},
            r"law\(data\) on the first input: got a density of mass 0\.5 in \[-inf, inf\] by quadrature",
        ),
    ],
)
def test_what_is_no_law_is_refused(options, message):
    with pytest.raises(PrivcheckError, match=message):
        audited(**{"target": lambda data, rng: rng.normal()} | options)


def test_a_policy_has_no_law():
    with pytest.raises(PrivcheckError, match=r"law: got .* expected None for a policy"):
        privcheck.audit("adap-ucb", epsilon=1.0, law=abs)


FILE = """
from scipy import stats

def noisy(data, rng, runs):
    return data.sum() + rng.laplace(scale=2.0, size=runs)

def law(data):
    return stats.laplace(data.sum(), 2.0)

def narrow(data):
    return stats.laplace(data.sum(), 1.0)
"""


def test_the_command_line_takes_the_place_of_a_law(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text(FILE)
    options = ["audit", "mine.py:noisy", "--runs", "1000", "--horizon", "2", "--epsilon"]
    assert run([*options, "0.45", "--law", "mine.py:law", "--json", "a.json"]) == 3
    told = " ".join(capsys.readouterr().out.split())
    assert "--law mine.py:law" in told
    assert "the loss of the given law is 0.4" in told
    assert AuditReport.from_json((tmp_path / "a.json").read_text()).suspicion.kind == "law"
    assert run([*options[:2], "--runs", "20000", *options[4:], "0.35", "--law", "mine.py:law"]) == 1
    assert run([*options, "0.6", "--law", "mine.py:law"]) == 0
    assert run([*options, "0.6", "--law", "mine.py:narrow"]) == 3
    assert run([*options, "0.6", "--law", "mine.py:none"]) == 2


def test_structured_pairs_that_the_target_refuses_are_left_to_the_runs():
    """The exception shows the claim to be wrong; the law has nothing to say of that input."""

    def count(data, rng):
        if data.sum() == 0.0:
            raise ValueError("nothing to count")
        return float(data.sum() + rng.laplace(scale=2.0))

    found = privcheck.audit(
        count, epsilon=0.6, runs=2000, horizon=4, law=lambda data: stats.laplace(data.sum() or -50.0, 2.0), seed=1
    )
    assert found.verdict == "violation"
    assert "ValueError" in found.witness.event  # with seed 0 it says that of the other stream: it gives numbers
    assert found.by_law.follows


@pytest.mark.parametrize("hangs", [True, False])
def test_a_few_pairs_that_are_refused_are_tried(hangs, monkeypatch):
    """A target that hangs on rewards inside the range takes its whole time limit to refuse one: no other is tried."""
    if not hangs:
        monkeypatch.setattr("privcheck.auditing._law_of_outputs.MOST_REFUSED", 2)
    tried = []

    def refuses(data, rng):
        if not np.isin(data, (0.0, 1.0)).all():
            tried.append(data)
            if not hangs:
                raise ValueError("inside the range")
            time.sleep(10.0)
        return float(np.sum(data) + rng.laplace(scale=2.0))

    law_of = LawOfOutputs(steep, refuses)
    pairs = candidate_pairs(load(refuses), Game(horizon=4), Effort(), 2)
    best = law_of.best_first(pairs, 0.0, Effort(), MechanismRunner(refuses, time_limit=0.3))[0]
    assert best.base != RANDOM
    assert len({data.tobytes() for data in tried}) <= 3


def test_the_best_pair_does_not_depend_on_how_fast_the_machine_is(monkeypatch):
    """A clock that leaps an hour at each look stands for a machine that is slow or busy."""

    def fast(data, rng):
        return float(np.sum(data) + rng.laplace(scale=2.0))

    def best():
        pairs = candidate_pairs(load(fast), Game(horizon=4), Effort(), 2)
        return LawOfOutputs(steep, fast).best_first(pairs, 0.0, Effort(), MechanismRunner(fast))[0].words

    known, hours = best(), itertools.count(step=3600.0)
    monkeypatch.setattr(time, "monotonic", lambda: float(next(hours)))
    assert best() == known


def laplace_sum(data, rng, runs):
    return np.sum(data) + rng.laplace(size=runs)


def test_notes_agree_with_a_verdict_that_counts_by_the_law_decide():
    """The bets of a search that was cut short had decided nothing, and a note said so beside the violation."""
    options = {"runs": 4000, "stop_after": 1000, "error": 1e-3, "confidence": 0.95}
    found = audited(laplace_sum, lambda data: stats.laplace(np.sum(data)), **options)
    assert found.verdict == "violation"
    assert not any("not yet at" in note for note in found.notes)
    (note,) = (note for note in found.notes if "cut short" in note)
    assert note.endswith("the lower bound is that of 4,000 runs on each input, which were counted by the given law")
