"""Certificates, guards and their JSON in (epsilon, delta)-DP, zCDP and Gaussian DP.

The policies release with Gaussian noise of a known scale, so that what each datum costs is known in closed form.
"""

from __future__ import annotations

import importlib.util
import io
import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from scipy.optimize import brentq
from scipy.stats import norm

from privcheck import Certificate, PrivcheckError, ReleaseRefusedError, certify, guard
from privcheck.accounting import Approximate, Concentrated, GaussianDP, Pure
from privcheck.bandits import ALGORITHMS
from privcheck.cli import run
from privcheck.reporting import details, ledger_figure, replay_sentence
from privcheck.reporting import page as render_certificate
from privcheck.reporting._text.certificate_sentences import certificate_sentence
from privcheck.reporting._text.repeating import repeat_certificate
from tests.example_results import GAUSSIAN

FILE = Path(__file__).with_name("gaussian_policies.py")
_spec = importlib.util.spec_from_file_location("gaussian_policies", FILE)
policies = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(policies)

DELTA = 1e-6
SIZE = {"arms": 2, "horizon": 12, "runs": 4}
LAPLACE = "adap-ucb(epsilon=0.25)"


def delta_at(epsilon, mu):
    """The delta of mu-GDP in closed form (Balle and Wang 2018, Theorem 8)."""
    return norm.cdf(-epsilon / mu + mu / 2) - math.exp(epsilon) * norm.cdf(-epsilon / mu - mu / 2)


def epsilon_at(delta, mu):
    """Its inverse."""
    return brentq(lambda epsilon: delta_at(epsilon, mu) - delta, 0.0, 50.0, xtol=1e-12)


BUDGETS = {
    "delta": ({"epsilon": 1.0, "delta": DELTA}, Approximate(1.0, DELTA), "epsilon is at most 1.000 at delta = 1e-06"),
    "rho": ({"rho": 0.03}, Concentrated(0.03), "rho is at most 0.030"),
    "mu": ({"mu": 0.24}, GaussianDP(0.24), "mu is at most 0.240"),
}


@pytest.mark.parametrize("kind", BUDGETS)
def test_gaussian_noise_is_certified_in_each_notion(kind):
    budget, notion, said = BUDGETS[kind]
    found = certify(policies.Batches, **budget, **SIZE)
    assert found.granted, str(found)
    assert (found.budget, found.upper) == (notion, notion)
    mu = 1.0 / policies.Batches.scale
    assert found.ledger_mu == (math.inf if kind == "rho" else pytest.approx(mu, rel=1e-8))  # rho alone was added up
    assert found.ledger_rho == pytest.approx(mu**2 / 2, rel=1e-8)
    assert (found.accountant, found.shares) == (
        ("gdp", {"gdp": 1.0}) if kind == "delta" else ({"rho": "zcdp", "mu": "gdp"}[kind], {})
    )
    assert said in certificate_sentence(found)
    if kind == "delta":
        assert found.ledger_epsilon == pytest.approx(epsilon_at(DELTA, mu), rel=1e-7)
        assert (found.epsilon_upper, found.delta, found.rho_upper, found.mu_upper) == (1.0, DELTA, None, None)
    else:
        assert (found.ledger_epsilon, found.epsilon_upper, found.delta) == (math.inf, None, 0.0)
        assert found.epsilon_at(0.0) is None


def test_releases_of_one_datum_add_up_in_squares():
    """Each reward of `Windows` is released twice."""
    found = certify(policies.Windows, epsilon=1.0, delta=DELTA, **SIZE)
    mu = math.sqrt(2.0) / policies.Windows.scale
    assert found.granted
    assert found.ledger_epsilon == pytest.approx(epsilon_at(DELTA, mu), rel=1e-7)


@pytest.mark.parametrize(
    ("target", "budget", "says"),
    [
        ("Batches", {"epsilon": 1.0}, "without a bound on epsilon"),
        ("Batches", {"epsilon": 0.9, "delta": DELTA}, "at most epsilon = 0.9 at delta = 1e-06"),
        ("Batches", {"epsilon": 1.0, "delta": DELTA, "accountants": {"gdp": 0.25}}, "at most epsilon = 1 at delta"),
        ("Batches", {"epsilon": 1.0, "delta": DELTA, "accountants": {"zcdp": 1.0}}, "at most epsilon = 1 at delta"),
        ("Batches", {"rho": 0.027}, "at most rho = 0.027"),
        ("Batches", {"mu": 0.23}, "at most mu = 0.23"),
        ("TooLittleNoise", {"epsilon": 1.0, "delta": DELTA}, "at most epsilon = 1 at delta"),
    ],
)
def test_too_little_noise_is_refused_with_nothing_spent(target, budget, says):
    """The broken twin of each certificate above: a budget a little below the cost, or noise far too small."""
    found = certify(getattr(policies, target), **budget, **SIZE)
    assert (found.granted, found.coverage, found.upper, found.accountant) == (False, "explored", None, None)
    assert (found.epsilon_upper, found.rho_upper, found.mu_upper) == (None, None, None)
    assert len(found.refusals) == 1
    assert says in found.refusals[0]
    assert "\n" not in found.refusals[0]
    assert found.ledger.releases == []


def test_laplace_noise_is_certified_in_each_notion():
    upper = {
        name: certify(LAPLACE, **budget, arms=2, horizon=8, runs=3).upper
        for name, budget in {"epsilon": {"epsilon": 0.25}, "rho": {"rho": 0.25 * math.tanh(0.125) * 1.0001}}.items()
    }
    assert upper["epsilon"] == Pure(0.25)
    assert isinstance(upper["rho"], Concentrated)
    assert not certify(LAPLACE, rho=0.25 * math.tanh(0.125) * 0.999, arms=2, horizon=8, runs=3).granted
    found = certify(LAPLACE, epsilon=0.25, delta=DELTA, arms=2, horizon=8, runs=3)
    assert (found.granted, found.accountant) == (True, "pure")


def test_what_a_pure_budget_implies():
    found = certify("adap-ucb", epsilon=1.0, arms=2, horizon=8, runs=3)
    assert found.rho_upper == pytest.approx(math.tanh(0.5), rel=1e-9)
    assert found.mu_upper == pytest.approx(2.0 * norm.ppf(math.e / (1.0 + math.e)), rel=1e-9)
    assert found.epsilon_at(0.0) == 1.0
    assert found.epsilon_at(0.1) == pytest.approx(math.log(math.e - 0.1 * (1 + math.e)), rel=1e-9)


def test_a_bound_at_another_delta():
    exact = replace(GAUSSIAN, delta=0.0, epsilon_claimed=None, budget=GaussianDP(0.5), epsilon_upper=None, mu_upper=0.5)
    assert exact.epsilon_at(1e-5) == pytest.approx(epsilon_at(1e-5, 0.5), rel=1e-7)
    assert exact.epsilon_at(1e-5) >= epsilon_at(1e-5, 0.5) * (1 - 1e-10)
    assert (GAUSSIAN.epsilon_at(1e-7), GAUSSIAN.epsilon_at(DELTA)) == (None, 1.0)
    assert GAUSSIAN.epsilon_at(0.01) < 1.0
    assert replace(GAUSSIAN, coverage="explored").epsilon_at(0.5) is None


def test_accountants_share_delta():
    """zCDP needs more noise than Gaussian DP for one Gaussian release: with both, GDP wins at its half of delta."""
    roomy = type("Roomy", (policies.Batches,), {"scale": 6.0, "__module__": policies.Batches.__module__})
    shares = {"gdp": 0.5, "zcdp": 0.5}
    found = certify(roomy, epsilon=1.0, delta=DELTA, accountants=shares, **SIZE)
    assert (found.upper, found.accountant, found.shares) == (Approximate(1.0, DELTA), "gdp", shares)
    assert found.ledger_epsilon == pytest.approx(epsilon_at(DELTA / 2, 1.0 / 6.0), rel=1e-7)


def test_each_datum_may_have_its_own_accountant():
    """`Coins` adds Laplace noise to the same rewards: the largest loss is within the budget, and so is its report."""
    found = certify(policies.Coins, mu=0.4, **SIZE)
    pure = 2.0 * norm.ppf(1.0 / (1.0 + math.exp(-0.125)))
    assert found.granted
    assert found.ledger_mu == pytest.approx(math.hypot(pure, 1.0 / 4.25), rel=1e-8)


@pytest.mark.parametrize("name", [*BUDGETS, "pure", "none", "refused"])
def test_json_comes_back(name):
    options = {"pure": {"epsilon": 1.0}, "none": {}, "refused": {"epsilon": 0.5, "delta": DELTA}}
    budget = BUDGETS[name][0] if name in BUDGETS else options[name]
    found = certify(policies.Coins if name == "none" else policies.Batches, **budget, **SIZE)
    again = Certificate.from_json(found.to_json())
    assert again.to_json() == found.to_json()
    assert (again.budget, again.upper, again.shares) == (found.budget, found.upper, found.shares)
    assert again.ledger == found.ledger
    content = json.loads(found.to_json())
    assert content["budget"] == (None if name == "none" else {**budget})


def test_files_of_earlier_versions_are_read():
    new = ("budget", "rho_upper", "mu_upper", "accountant", "shares", "ledger_rho", "ledger_mu")
    content = json.loads(certify("adap-ucb", epsilon=1.0, arms=2, horizon=8, runs=3).to_json())
    older = Certificate.from_json(json.dumps({key: value for key, value in content.items() if key not in new}))
    assert (older.budget, older.upper, older.epsilon_at(0.0)) == (Pure(1.0), Pure(1.0), 1.0)
    assert certificate_sentence(older).startswith("certified: epsilon is at most 1.000 on every execution")
    assert "epsilon = 1" in render_certificate(older)


@pytest.mark.parametrize(
    "change",
    [
        {"budget": {"epsilon": 2.0, "delta": 1e-6}},
        {"budget": {"rho": 0.1}},
        {"budget": {"sigma": 0.1}},
        {"budget": {"epsilon": -1.0, "delta": 1e-6}},
        {"budget": "epsilon"},
        {"shares": {"gdp": "all"}},
        {"accountant": 1},
        {"mu_upper": "much"},
        {"epsilon_upper": None},
    ],
)
def test_strange_budgets_are_refused(change):
    content = json.loads(GAUSSIAN.to_json())
    Certificate.from_json(json.dumps(content))
    with pytest.raises(PrivcheckError):
        Certificate.from_json(json.dumps(content | change))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"epsilon": 1.0, "rho": 0.1}, "budget: got epsilon and rho"),
        ({"rho": 0.1, "mu": 0.1}, "budget: got rho and mu"),
        ({"delta": 1e-6}, "delta: got delta = 1e-06 without epsilon"),
        ({"mu": 0.5, "delta": 1e-6}, "delta: got delta = 1e-06 with mu"),
        ({"epsilon": 1.0, "delta": 1.0}, "delta: got 1.0"),
        ({"rho": 0.0}, "rho: got 0.0"),
        ({"mu": math.nan}, "mu: got nan"),
        ({"epsilon": 1.0, "accountants": {"gdp": 1.0}}, "accountants: got"),
        ({"epsilon": 1.0, "delta": 1e-6, "accountants": {"gdp": 0.6, "zcdp": 0.6}}, "accountants: got"),
        ({"epsilon": 1.0, "delta": 1e-6, "accountants": {"gpd": 1.0}}, "accountant: got 'gpd'"),
        ({"epsilon": 1.0, "delta": 1e-6, "accountants": {"gdp": 2.0}}, "got"),
        ({"epsilon": 1.0, "delta": 1e-6, "accountants": "gdp"}, "accountants: got"),
    ],
)
def test_mixed_budgets_are_refused_in_one_line(options, says):
    for call in (
        lambda: certify(policies.Batches, **options, **SIZE),
        lambda: guard(policies.Batches(np.random.default_rng(0)), **options),
    ):
        with pytest.raises(PrivcheckError, match="got") as caught:
            call()
        assert says in str(caught.value)
        assert "\n" not in str(caught.value)


def test_accountants_without_a_budget_are_refused():
    with pytest.raises(PrivcheckError, match="accountants: got"):
        certify(policies.Batches, accountants={"gdp": 1.0}, **SIZE)
    with pytest.raises(PrivcheckError, match="epsilon: got None, expected a budget"):
        guard(policies.Batches(np.random.default_rng(0)))


@pytest.mark.parametrize("budget", [{"epsilon": 1.0}, {"epsilon": 1.0, "delta": 1e-6}, {"rho": 0.1}, {"mu": 0.5}])
def test_a_factory_is_told_the_budget(budget):
    built = []

    def factory(rng, epsilon=None, delta=None, rho=None, mu=None):
        built.append(policies.Named(rng, epsilon, delta, rho, mu))
        return built[-1]

    certify(factory, **budget, **SIZE)
    told = {"epsilon": None, "delta": 0.0 if "epsilon" in budget else None, "rho": None, "mu": None} | budget
    assert built[0].told == told


def test_a_parameter_called_mu_keeps_its_default():
    """`mu` may be something else in a user's policy: without such a budget it is not passed."""
    seen = []

    def factory(rng, mu=0.75):
        seen.append(mu)
        return policies.Batches(rng)

    certify(factory, epsilon=1.0, delta=DELTA, **SIZE)
    assert set(seen) == {0.75}


def test_a_factory_that_requires_another_notion():
    with pytest.raises(PrivcheckError, match=r"rho: got None, expected a value, because .* requires it"):
        certify(lambda rng, rho: policies.Batches(rng), epsilon=1.0, delta=DELTA, **SIZE)


# The guard


def played(policy, rounds):
    for _ in range(rounds):
        policy.update(policy.select(), 1.0)
    return policy


def test_spent_and_left_are_in_the_notion_of_the_budget():
    mu = 1.0 / 4.25
    options = {"noise": "float", "rng": np.random.default_rng(1)}
    after = {
        name: played(guard(policies.Batches(np.random.default_rng(0)), **budget, **options), 5)
        for name, (budget, _, _) in BUDGETS.items()
    }
    assert after["mu"].spent == pytest.approx(mu, rel=1e-8)
    assert after["mu"].left == pytest.approx(math.sqrt(0.24**2 - mu**2), rel=1e-6)
    assert after["rho"].spent == pytest.approx(mu**2 / 2, rel=1e-8)
    assert after["rho"].left == pytest.approx(0.03 - mu**2 / 2, rel=1e-6)
    assert after["delta"].spent == pytest.approx(epsilon_at(DELTA, mu), rel=1e-7)
    assert after["delta"].left == pytest.approx(1.0 - after["delta"].spent, rel=1e-9)


def test_a_guard_refuses_before_it_overspends():
    policy = guard(policies.TooLittleNoise(np.random.default_rng(0)), epsilon=1.0, delta=DELTA)
    with pytest.raises(ReleaseRefusedError, match="at most epsilon = 1 at delta = 1e-06"):
        played(policy, 4)
    assert (policy.spent, policy.left, policy.ledger.releases) == (0.0, 1.0, [])


def test_secure_gaussian_noise_under_a_guard():
    policy = played(guard(policies.Batches(np.random.default_rng(0)), mu=0.3), 4)
    assert policy.spent == pytest.approx(1.0 / 4.25, rel=1e-8)


def test_a_laplace_policy_is_guarded_in_rho():
    policy = guard(ALGORITHMS["adap-ucb"](arms=2, epsilon=0.25).build(np.random.default_rng(0)), rho=0.1)
    policy.update(policy.select(), 1.0)
    assert policy.spent == pytest.approx(0.25 * math.tanh(0.125), rel=1e-9)


# What is said


def test_the_loss_of_a_gaussian_transcript_is_no_bound():
    found = certify(policies.Batches, epsilon=1.0, delta=DELTA, **SIZE)
    assert "which is no bound" in replay_sentence(found)
    assert "no bound" not in replay_sentence(certify("adap-ucb", epsilon=1.0, arms=2, horizon=8, runs=3))


def test_a_transcript_beyond_epsilon_is_no_violation():
    """Its likelihood ratio exceeds epsilon on an event of small probability, which delta allows."""
    wide = replace(GAUSSIAN, replay=replace(GAUSSIAN.replay, largest_loss=2.5))
    assert wide.granted
    assert "their largest loss is 2.5, which is no bound" in replay_sentence(wide)


@pytest.mark.parametrize("kind", BUDGETS)
def test_tables_pages_and_pictures(kind):
    budget, _, said = BUDGETS[kind]
    found = certify(f"{FILE}:Batches", **budget, **SIZE)
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(details(found))
    text = console.export_text()
    page = render_certificate(found)
    for shown in (text, page):
        assert said in " ".join(shown.split())
        assert "inf" not in shown.replace("information", "")
        assert ("accountant" in shown) == (kind == "delta")
    currency = "rho" if kind == "rho" else "mu"
    figure = ledger_figure(found)
    titles = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert f"Total loss of each round, in {currency}" in titles
    (line,) = [line.get_ydata()[0] for line in figure.axes[2].lines]
    limits = {"delta": brentq(lambda mu: delta_at(1.0, mu) - DELTA, 0.1, 1.0), "rho": 0.03, "mu": 0.24}
    assert line == pytest.approx(limits[kind], rel=1e-6)
    highest = max(bar.get_height() for bar in figure.axes[2].patches)
    assert highest == pytest.approx(found.ledger_rho if kind == "rho" else found.ledger_mu)


@pytest.mark.parametrize("kind", BUDGETS)
def test_the_repeated_call_has_the_budget(kind):
    budget, _, _ = BUDGETS[kind]
    found = certify(f"{FILE}:Batches", **budget, **SIZE, accountants={"gdp": 0.99} if kind == "delta" else None)
    call, command = repeat_certificate(found)
    again = eval(call.folded(), {"privcheck": __import__("privcheck")})
    assert again.to_json() == found.to_json()
    for name, value in budget.items():
        assert f"{name}={value!r}" in str(call)
        assert f"--{name} {value}" in str(command)
    assert ("--accountants gdp=0.99" in str(command)) == (kind == "delta")
    assert ("epsilon" in str(call)) == (kind == "delta")


@pytest.mark.parametrize("kind", BUDGETS)
def test_the_index_of_results_names_the_bound(kind, tmp_path, capsys):
    budget, _, said = BUDGETS[kind]
    file = tmp_path / "certificate.json"
    file.write_text(certify(policies.Batches, **budget, **SIZE).to_json(), encoding="utf-8")
    assert run(["report", str(tmp_path), "--html", str(tmp_path / "index.html")]) == 0
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    out = capsys.readouterr().out
    assert "certified" in out
    assert (said in page) or kind == "delta"
    assert ("delta 1e-06" in page) == (kind == "delta")


TOLD = [
    ({"rho": 1.0}, {"rho": 1.0}),
    ({"mu": 1.0}, {"mu": 1.0}),
    ({"epsilon": 1.0}, {"epsilon": 1.0, "delta": 0.0}),
    ({"epsilon": 1.0, "delta": 1e-6}, {"epsilon": 1.0, "delta": 1e-6}),
]


@pytest.mark.parametrize(("budget", "told"), TOLD)
def test_a_factory_is_told_the_budget_and_nothing_else(budget, told):
    """Under rho or mu a delta of 0 would say that something pure is asked for."""
    seen = []

    def factory(rng, epsilon="nothing", delta="nothing", rho="nothing", mu="nothing"):
        given = {"epsilon": epsilon, "delta": delta, "rho": rho, "mu": mu}
        seen.append({name: value for name, value in given.items() if value != "nothing"})
        return ALGORITHMS["adap-ucb"](arms=2, epsilon=0.25).build(rng)

    certify(factory, arms=2, runs=1, horizon=4, **budget)
    assert seen
    assert all(found == told for found in seen)


@pytest.mark.parametrize("name", ["rho", "mu"])
def test_a_delta_beside_another_notion_is_still_refused(name):
    with pytest.raises(PrivcheckError, match="delta: got delta = 1e-06 with"):
        certify("adap-ucb(epsilon=0.25)", arms=2, delta=1e-6, **{name: 1.0})
