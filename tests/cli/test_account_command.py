"""`privcheck account`: the table, JSON, pictures, huge counts, and bad input in one line."""

from __future__ import annotations

import json
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from privcheck.accounting import Plan
from privcheck.cli import run
from privcheck.mechanisms import BinaryTree, DiscreteLaplace, Gaussian, Laplace, planned
from privcheck.mechanisms.plan_file import read_plan

EXAMPLE = Path(__file__).parents[2] / "examples" / "plan.toml"
LAPLACE = 'delta = 1e-6\n[[release]]\nmechanism = "laplace"\nscale = 10.0\ncount = 100\n'


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    (tmp_path / "plan.toml").write_text(LAPLACE)


def result(capsys, *arguments):
    assert run(["account", *arguments, "--json", "-"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def test_the_table_marks_the_best_bound(capsys):
    assert run(["account", "plan.toml"]) == 0
    out = capsys.readouterr().out
    assert "100 releases, fixed beforehand" in out
    assert "epsilon at delta = 1e-06" in out
    assert "pld: the smallest bound; at most " in " ".join(out.split())
    assert next(line.split()[:3] for line in out.splitlines() if "★" in line) == ["★", "pld", "4.69267"]
    assert [line.split()[1] for line in out.splitlines() if line.strip().startswith("rdp")] == ["4.98418"]


def test_the_numbers_are_those_of_python(capsys):
    found = result(capsys, "plan.toml")
    account = Plan([planned(Laplace.with_scale(10.0), count=100)]).at_delta(1e-6)
    assert found["epsilon_upper"] == account.epsilon
    assert found["epsilon_lower"] == account.lower
    assert (found["delta"], found["accountant"]) == (1e-6, "pld")
    assert found["bounds"] == dict(account.bounds)
    assert found["reason"] == account.reason != ""
    assert found["releases"][0]["count"] == 100
    assert found["total"]["epsilon"] == pytest.approx(10.0)


def test_sensitivities_are_taken_on_the_users_word(capsys, tmp_path):
    """A plan that gives none has 1, and no number said so."""
    provided = (
        "provided that each release costs a datum no more than its charge, and that one datum moves no value by more "
        "than the sensitivity of its release, 1 unless it is given"
    )
    assert run(["account", "plan.toml"]) == 0
    assert f"every bound holds {provided}" in " ".join(capsys.readouterr().out.split())
    assert result(capsys, "plan.toml")["provided"] == provided
    (tmp_path / "plan.toml").write_text(LAPLACE + "sensitivity = 2.0\n")
    assert result(capsys, "plan.toml")["bounds"]["pure"] == pytest.approx(20.0)


def test_delta_and_epsilon_on_the_command_line(capsys):
    found = result(capsys, "plan.toml", "--delta", "1e-3")
    assert found["epsilon_upper"] < 3.1
    back = result(capsys, "plan.toml", "--epsilon", str(found["epsilon_upper"]))
    assert back["delta_upper"] == pytest.approx(1e-3, rel=1e-6)
    assert "epsilon_upper" not in back
    assert run(["account", "plan.toml", "--epsilon", "4.69267056"]) == 0
    assert "delta at epsilon = 4.69267" in capsys.readouterr().out


@pytest.mark.parametrize("option", [("--delta", "1e-6"), ("--epsilon", "4.69267056")])
def test_a_plan_needs_no_delta_that_the_command_line_replaces(capsys, tmp_path, option):
    whole = result(capsys, "plan.toml", *option)
    (tmp_path / "plan.toml").write_text(LAPLACE.partition("\n")[2])
    assert result(capsys, "plan.toml", *option) == whole


def test_repeating_it_gives_the_same_bytes(capsys, tmp_path):
    (tmp_path / "plan.toml").write_text(LAPLACE.replace("100", "3"))
    for name in ("a", "b"):
        assert run(["account", "plan.toml", "--json", f"{name}.json", "--plot", f"{name}.svg"]) == 0
    for suffix in ("json", "svg"):
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()


def test_pictures_are_drawn_and_described(capsys, tmp_path):
    assert run(["account", "plan.toml", "--plot", "account.svg"]) == 0
    root = ET.fromstring((tmp_path / "account.svg").read_text())
    title, description = (root.find(f"{{http://www.w3.org/2000/svg}}{tag}").text for tag in ("title", "desc"))
    assert title == "Epsilon of 100 releases at delta = 1e-06"
    assert "privacy-loss distribution 4.693" in description
    (tmp_path / "one.toml").write_text('delta = 0\n[[release]]\nmechanism = "laplace"\nepsilon = 1.0\n')
    assert run(["account", "one.toml", "--plot", "one.png"]) == 0
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")


def test_a_plan_without_a_bound_says_so(capsys, tmp_path):
    (tmp_path / "none.toml").write_text('delta = 0\n[[release]]\nmechanism = "gaussian"\nmu = 1.0\n')
    assert run(["account", "none.toml", "--plot", "none.png"]) == 0
    out = capsys.readouterr().out
    assert "no accountant bounds this plan" in out
    assert "★" not in out
    assert result(capsys, "none.toml")["epsilon_upper"] == "inf"


def test_the_example_is_the_plan_that_it_describes(capsys):
    plan, delta = read_plan(EXAMPLE)
    same = [
        planned(DiscreteLaplace.with_scale(20.0), 1.0, 365),
        planned(Gaussian.with_scale(30.0), 1.0, 52),
        planned(BinaryTree(sensitivity=1.0, epsilon=0.5, horizon=12)),
    ]
    assert (plan, delta) == (Plan(same), 1e-6)
    found = result(capsys, str(EXAMPLE))
    assert 4.8 < found["epsilon_lower"] < found["epsilon_upper"] < 5.0


def test_a_million_releases_are_fast(capsys, tmp_path):
    text = LAPLACE.replace("scale = 10.0", "scale = 1e4").replace("count = 100", "count = 1_000_000")
    (tmp_path / "many.toml").write_text(text + text.partition("\n")[2].replace("laplace", "gaussian"))
    start = time.process_time()
    found = result(capsys, "many.toml")
    assert time.process_time() - start < 10.0
    assert 0.5 < found["epsilon_upper"] < 0.6


BAD = {
    "no such file": ("", "absent.toml: got No such file or directory"),
    "not TOML": ("delta = = 1", "plan.toml: got invalid TOML"),
    "nothing": ("", "plan.toml, delta: got nothing"),
    "no release": ("delta = 1e-6", "plan.toml, release: got none"),
    "release is no table": ('delta = 1e-6\nrelease = "laplace"', "plan.toml, release: got 'laplace'"),
    "one bracket": ('delta = 1e-6\n[release]\nmechanism = "laplace"', "plan.toml, release: got one table [release]"),
    "unknown key": (LAPLACE.replace("delta", "delt"), "plan.toml: got the unknown key 'delt'"),
    "unknown parameter": (LAPLACE + "horizon = 3", "plan.toml, release 1, horizon: got 3"),
    "unknown mechanism": (LAPLACE.replace("laplace", "laplase"), "plan.toml, release 1, mechanism: got 'laplase'"),
    "no mechanism": (LAPLACE.replace("mechanism", "# "), "plan.toml, release 1, mechanism: got nothing"),
    "mechanism is a number": (LAPLACE.replace('"laplace"', "3"), "plan.toml, release 1, mechanism: got 3"),
    "no noise": (LAPLACE.replace("scale", "#"), "plan.toml, release 1, noise: got nothing, expected scale or epsilon"),
    "noise twice": (LAPLACE + "epsilon = 1.0", "plan.toml, release 1, noise: got scale and epsilon"),
    "noise of another notion": (LAPLACE.replace("scale", "mu"), "plan.toml, release 1, noise: got mu, expected"),
    "two notions": (LAPLACE.replace("scale", "mu") + "rho = 1.0", "plan.toml, release 1, noise: got mu and rho"),
    "delta of one release": (LAPLACE + "delta = 1e-6", "plan.toml, release 1, delta: got 1e-06, expected none"),
    "count 0": (LAPLACE.replace("100", "0"), "plan.toml, release 1, count: got 0"),
    "count -1": (LAPLACE.replace("100", "-1"), "plan.toml, release 1, count: got -1"),
    "count 1.5": (LAPLACE.replace("100", "1.5"), "plan.toml, release 1, count: got 1.5"),
    "count of words": (LAPLACE.replace("100", '"100"'), "plan.toml, release 1, count: got '100'"),
    "count true": (LAPLACE.replace("100", "true"), "plan.toml, release 1, count: got True"),
    "count beyond floats": (LAPLACE.replace("100", "1" + "0" * 400), "plan.toml, release 1, count: got 1000"),
    "scale 0": (LAPLACE.replace("10.0", "0"), "plan.toml, release 1, scale: got 0"),
    "scale nan": (LAPLACE.replace("10.0", "nan"), "plan.toml, release 1, scale: got nan"),
    "scale inf": (LAPLACE.replace("10.0", "inf"), "plan.toml, release 1, scale: got inf"),
    "scale of words": (LAPLACE.replace("10.0", '"10"'), "plan.toml, release 1, scale: got '10'"),
    "scale a list": (LAPLACE.replace("10.0", "[10.0]"), "plan.toml, release 1, scale: got [10.0]"),
    "sensitivity 0": (LAPLACE + "sensitivity = 0", "plan.toml, release 1, sensitivity: got 0"),
    "sensitivity -1": (LAPLACE + "sensitivity = -1", "plan.toml, release 1, sensitivity: got -1"),
    "sensitivity nan": (LAPLACE + "sensitivity = nan", "plan.toml, release 1, sensitivity: got nan"),
    "loss beyond floats": (
        LAPLACE.replace("10.0", "1e-300") + "sensitivity = 1e300", "plan.toml, release 1, loss: got inf"
    ),
    "delta 1": (LAPLACE.replace("1e-6", "1"), "plan.toml, delta: got 1"),
    "delta -1": (LAPLACE.replace("1e-6", "-1e-6"), "plan.toml, delta: got -1e-06"),
    "delta nan": (LAPLACE.replace("1e-6", "nan"), "plan.toml, delta: got nan"),
    "delta of words": (LAPLACE.replace("1e-6", '"1e-6"'), "plan.toml, delta: got '1e-6'"),
    "missing horizon": (LAPLACE.replace("laplace", "binary-tree"), "plan.toml, release 1, horizon: got nothing"),
    "second release": (LAPLACE + LAPLACE.partition("\n")[2] + "x = 1", "plan.toml, release 2, x: got 1"),
    "no scale of its own": (
        LAPLACE.replace("laplace", "randomised-response") + "categories = 2",
        "plan.toml, release 1, noise: got scale, expected epsilon",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_plans_are_one_line(name, capsys, tmp_path):
    text, message = BAD[name]
    (tmp_path / "plan.toml").write_text(text)
    assert run(["account", "absent.toml" if name == "no such file" else "plan.toml"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"privcheck: {message}")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--delta", "1.5"], "delta: got 1.5"),
        (["--delta", "nan"], "delta: got nan"),
        (["--delta", "x"], "delta: got 'x'"),
        (["--epsilon", "-1"], "epsilon: got -1.0"),
        (["--epsilon", "1", "--delta", "1e-6"], "epsilon: got 1.0, expected either --delta or --epsilon"),
        (["--plot", "a.pdf"], "plot: got 'a.pdf'"),
        (["--json", "a.txt"], "json: got 'a.txt'"),
    ],
)
def test_bad_options_are_one_line(options, message, capsys):
    assert run(["account", "plan.toml", *options]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"privcheck: {message}")
    assert err.count("\n") == 1
