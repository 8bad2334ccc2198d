"""`privcheck bounds`: every source of an instance, the table, curves, files, contradictions, bad input."""

import csv
import json
import re

import pytest

from privcheck.bounds import THEOREMS, ContextualInstance, Instance, named_instance, theorem
from privcheck.bounds._quantity import BANDIT_REGRET
from privcheck.cli import run

C2 = ["bounds", "--instance", "c2", "--epsilon", "0.5"]
CONTEXT = ["--horizon", "1e4", "--epsilon", "1", "--delta", "0.1", "--alpha", "0.01"]
TIGHT = "azize-basu-2022/thm3-tight"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")


def result(capsys, *arguments):
    assert run(["bounds", *arguments, "--json", "-"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return json.loads(out)


def by_id(found):
    return {bound["id"]: bound for bound in found["bounds"]}


@pytest.mark.parametrize(
    ("flags", "instance"),
    [
        (["--family", "two-point", "--means", "0.5,-0.5"], Instance("two-point", (0.5, -0.5), 0.3)),
        (["--family", "gaussian", "--means=-1,1", "--variance", "4"], Instance("gaussian", (-1, 1), 0.3, variance=4)),
        (["--family", "exponential", "--means", "1,2"], Instance("exponential", (1, 2), 0.3)),
        (["--family", "poisson", "--means", "1,2"], Instance("poisson", (1, 2), 0.3)),
        (
            ["--family", "bounded", "--support", "0,0.5,1", "--weights", "0.1,0.3,0.6; 0.1,0.7,0.2"],
            Instance("bounded", support=(0, 0.5, 1), weights=((0.1, 0.3, 0.6), (0.1, 0.7, 0.2)), epsilon=0.3),
        ),
    ],
    ids=lambda value: value[1] if isinstance(value, list) else "",
)
def test_every_family_by_flags(capsys, flags, instance):
    found = result(capsys, *flags, "--epsilon", "0.3")
    assert by_id(found)[TIGHT]["constant"] == THEOREMS[TIGHT].evaluate(instance).constant
    assert found["instance"]["family"] == instance.family
    assert found["regime"]["name"] in ("high privacy", "low privacy", "mixed")
    assert found["contradictions"] == []


def test_flags_complete_a_name_and_a_file(capsys, tmp_path):
    found = result(capsys, "--instance", "c2", "--epsilon", "0.5", "--alpha", "4", "--risk", "0.1", "--horizon", "1e5")
    assert (found["instance"]["alpha"], found["instance"]["risk"], found["instance"]["horizon"]) == (4.0, 0.1, 10**5)
    assert result(capsys, "--instance", "c2", "--epsilon", "0.5")["instance"]["horizon"] == 10**7
    assert (
        result(capsys, "--instance", "c2", "--epsilon", "1", "--family", "poisson")["instance"]["family"] == "poisson"
    )
    (tmp_path / "mine.toml").write_text('family = "bernoulli"\nmeans = [0.8, 0.1]\n')
    assert result(capsys, "mine.toml", "--epsilon", "2")["instance"]["epsilon"] == 2.0


def test_other_settings_by_flags_and_file(capsys, tmp_path):
    linear = result(capsys, "--vectors", "1,0; 0,1", "--theta", "0.5,0.25", "--epsilon", "1")
    assert linear["instance"]["theta"] == [0.5, 0.25]
    assert linear["regime"] is None
    assert not by_id(linear)[TIGHT]["applies"]
    semi = result(capsys, "--base-arms", "6", "--size", "2", "--gap", "0.1", "--smooth-inf", "1", "--epsilon", "0.5")
    assert by_id(semi)["chen-2020/thm5"]["applies"]
    (tmp_path / "semi.toml").write_text("arms = 6\nsize = 2\ngap = 0.1\nsmooth_inf = 1.0\nepsilon = 0.5\n")
    assert result(capsys, "semi.toml")["bounds"] == semi["bounds"]


def test_contextual_bandits_by_flags_and_file(capsys, tmp_path):
    flags = {"dimension": "5", "horizon": "5e7", "epsilon": "1", "delta": "0.1", "alpha": "2e-8", "gap": "0.1"}
    flags |= {"mean_bound": "2", "action_norm": "0.5", "parameter_norm": "3", "reward_bound": "1.5", "sigma": "0.7"}
    words = [word for name, value in flags.items() for word in (f"--{name.replace('_', '-')}", value)]
    found = result(capsys, *words, "--noise", "wishart")
    instance = ContextualInstance(**{name: float(value) for name, value in flags.items()}, noise="wishart")
    assert found["instance"] == instance.to_dict()
    assert by_id(found)["shariff-sheffet-2018/thm6-squared"]["applies"]
    lines = [f"{name} = {int(float(value)) if name == 'horizon' else value}" for name, value in flags.items()]
    (tmp_path / "mine.toml").write_text("\n".join(lines) + '\nnoise = "wishart"\n')
    assert result(capsys, "mine.toml") == found


def test_an_unproven_bound_has_no_star_and_is_explained(capsys):
    assert (
        run(["bounds", "--dimension", "5", "--horizon", "5e7", "--epsilon", "1", "--delta", "0.1", "--alpha", "2e-8"])
        == 0
    )
    out = capsys.readouterr().out
    assert re.search(r"  shariff-sheffet-2018/prop11 +upper +274637 +unproven", out)
    assert re.search(r"★ shariff-sheffet-2018/prop11-corrected +upper +279323 +derived", out)
    assert "Unproven: printed in a paper whose proof gives less" in out


def test_the_table(capsys):
    assert run(C2) == 0
    out = capsys.readouterr().out
    assert "bernoulli arms 0.75, 0.625, 0.5, 0.375, 0.25; epsilon = 0.5, T = 1e+07" in out
    assert re.search(r"mixed regime at epsilon = 0\.5; the regime changes between epsilon = 0.30\d+ and 1.0\d+", out)
    assert re.search(r"☆ azize-basu-2022/thm3-tight +lower +10.4 ln T = 167.7 +derived", out)
    assert re.search(r"★ azize-basu-2022/thm8-explicit +upper", out)
    assert not re.search(r"★ \S*(thm2|minimax)", out)
    assert re.search(r"- Gaussian rewards of variance 1: azize-basu-2022/thm2, azize-basu-2022/thm2-tight", out)
    assert re.search(r"Theorems about a contextual linear bandit: \d+ not shown", out)
    assert run([*C2, "--all"]) == 0
    assert "Azize & Basu 2022, Theorem 3, eq. (4)" in capsys.readouterr().out


def test_the_table_fits_80_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert run(C2) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_a_contradiction_is_shown_with_both_sources(capsys, monkeypatch):
    false = theorem("test/high", kind="lower", quantity=BANDIT_REGRET, provenance="derived", source="a wrong proof")
    false(lambda instance: 1e9)
    monkeypatch.setitem(THEOREMS, "test/high", THEOREMS.pop("test/high"))
    assert run(C2) == 0
    out, err = capsys.readouterr()
    assert err == ""
    text = " ".join(out.split())
    assert "CONTRADICTION: test/high (1e+09) is above trivial/horizon-times-gap (5e+06)" in text
    assert "sources: a wrong proof, against definition of regret" in text
    found = result(capsys, "--instance", "c2", "--epsilon", "0.5")
    uppers = {pair["upper"]["id"] for pair in found["contradictions"]}
    assert {"trivial/horizon-times-gap", "azize-basu-2022/thm7-corrected"} <= uppers


def test_csv(capsys, tmp_path):
    assert run([*C2, "--csv", "bounds.csv"]) == 0
    with (tmp_path / "bounds.csv").open(newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    assert list(rows) == list(THEOREMS)
    assert float(rows[TIGHT]["constant"]) == THEOREMS[TIGHT].evaluate(named_instance("c2", epsilon=0.5)).constant
    assert rows["azize-basu-2022/thm2"]["asks_for"] == "Gaussian rewards of variance 1"


@pytest.mark.parametrize("axis", ["epsilon", "horizon", "gap"])
def test_curves(capsys, tmp_path, axis):
    outputs = ["--plot", "curve.png", "--csv", "curve.csv", "--json", "curve.json"]
    assert run([*C2, "--curve", axis, *outputs]) == 0
    out, err = capsys.readouterr()
    assert f"points from {axis} = " in out
    assert err == ""
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
    found = json.loads((tmp_path / "curve.json").read_text())
    lines = {line["id"]: line for line in found["curves"]}
    assert found["axis"] == axis
    assert all(len(line["bounds"]) == len(found["values"]) for line in lines.values())
    with (tmp_path / "curve.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["id"] == TIGHT]
    assert [float(row[axis]) for row in rows] == found["values"]
    assert [float(row["constant"]) for row in rows] == lines[TIGHT]["bounds"]


@pytest.mark.parametrize(
    ("arguments", "fragments"),
    [
        ([*C2, "--curve", "delta", "--plot", "a.png"], ["axis: got 'delta'", "'gap'"]),
        ([*C2, "--curve", "epsilon"], ["plot: got None", "--plot bounds.png"]),
        ([*C2, "--plot", "a.png"], ["curve: got None", "--curve epsilon"]),
        ([*C2, "--curve", "epsilon", "--plot", "a.pdf"], ["plot: got 'a.pdf'"]),
        ([*C2, "--csv", "a.txt"], ["csv: got 'a.txt'"]),
        ([*C2, "--theta", "1"], ["theta"]),
        ([*C2, "--variance", "x"], ["variance: got 'x'"]),
        (["bounds", "--vectors", "1,0;0,1", "--epsilon", "1"], ["theta: got None", "--theta 0.5,0.25"]),
        (["bounds", "--vectors", "1,0;0", "--theta", "1,0", "--epsilon", "1"], ["vectors"]),
        (["bounds", "--vectors", "1,0;0,1", "--theta", "1,0", "--family", "poisson", "--epsilon", "1"],
         ["family: got 'poisson'", "a linear bandit"]),
        ([*C2, "--family", "poissonn"], ["family: got 'poissonn'"]),
        (["bounds", "--base-arms", "6", "--epsilon", "1"], ["size: got None", "--size 2"]),
        (["bounds", "--dimension", "5", "--epsilon", "1", "--delta", "0.1"], ["horizon: got None", "--horizon 1e6"]),
        (["bounds", "--dimension", "0", *CONTEXT], ["dimension: got 0"]),
        (["bounds", "--dimension", "5", "--noise", "laplace", *CONTEXT], ["noise: got 'laplace'", "wishart"]),
        (["bounds", "--dimension", "5", "--risk", "0.1", *CONTEXT], ["risk: got 0.1", "contextual linear bandit"]),
        (["bounds", "--dimension", "5", "--means", "0.5,0.4", *CONTEXT], ["one source of the arms"]),
        (
            ["bounds", "--means", "0.5,0.4", "--sigma", "1", "--epsilon", "1"],
            ["sigma: got 1.0, expected an option of a bandit with independent arms"],
        ),
        (
            ["bounds", "--means", "0.5,0.4", "--gap", "1", "--epsilon", "1"],
            ["gap: got 1.0, expected an option of a bandit with independent arms"],
        ),
        (["bounds", "--means", "0.5,0.4", "--variance", "2", "--epsilon", "1"], ["variance: got 2.0"]),
        (["bounds", "--family", "finite", "--weights", "0.1,0.9;1,0", "--epsilon", "1"], ["support: got None"]),
        (["bounds", "--family", "bounded", "--means", "0.5,0.4", "--epsilon", "1"], ["support: got None"]),
        (["bounds", "--family", "exponential", "--means", "0,1", "--epsilon", "1"], ["means", "above 0"]),
        (["bounds", "--means", "0.5,0.5", "--epsilon", "1", "--curve", "gap", "--plot", "a.png"], ["axis: got 'gap'"]),
        (["bounds", "--vectors", "1,0;0,1", "--theta", "1,0", "--epsilon", "1", "--curve", "epsilon", "--csv", "a.csv"],
         ["instance", "independent arms"]),
    ],
    ids=lambda value: " ".join(value)[-50:],
)  # fmt: skip
def test_bad_input(capsys, tmp_path, arguments, fragments):
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"privcheck: .*\S\n", err), err
    assert all(fragment in err for fragment in fragments), err
    assert list(tmp_path.iterdir()) == []


def test_budgets_of_zcdp_and_gaussian_dp(capsys, tmp_path):
    assert run(["bounds", "--instance", "c2", "--rho", "0.005", "--horizon", "1e5"]) == 0
    by_rho = capsys.readouterr().out
    assert "rho = 0.005, mu = 0.1, T = 100000" in by_rho
    assert run(["bounds", "--means", "0.75,0.625,0.5,0.375,0.25", "--mu", "0.1", "--horizon", "1e5"]) == 0
    assert capsys.readouterr().out == by_rho
    path = tmp_path / "arms.toml"
    path.write_text('family = "bernoulli"\nmeans = [0.75, 0.625, 0.5, 0.375, 0.25]\n')
    assert run(["bounds", str(path), "--rho", "0.005", "--horizon", "1e5"]) == 0
    assert capsys.readouterr().out == by_rho


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--rho", "1", "--epsilon", "1", "--means", "0.7,0.5"], "one privacy budget"),
        (["--rho", "1", "--mu", "1", "--means", "0.7,0.5"], "one privacy budget"),
        (["--rho=-1", "--means", "0.7,0.5"], "a number of at least 0"),
        (["--mu=-1", "--means", "0.7,0.5"], "a number of at least 0"),
        (["--rho", "1", "--weights", "0,1;1,0", "--support", "0,1"], "the arms of the theorems about zCDP"),
        (["--rho", "1", "--means", "0.7,0.5", "--alpha", "4"], "an option of a bandit with independent arms under"),
        (["--rho", "1", "--means", "0.7,0.5", "--family", "poisson"], "'bernoulli', 'gaussian'"),
        (["--rho", "1", "--means", "0.7,0.5", "--curve", "epsilon", "--csv", "a.csv"], "rho, horizon or gap"),
    ],
)
def test_wrong_uses_of_a_budget_of_zcdp_are_refused(capsys, options, said):
    assert run(["bounds", *options]) == 2
    error = " ".join(capsys.readouterr().err.split())
    assert said in error
    assert "Traceback" not in error


@pytest.mark.parametrize("family", ["bounded", "finite"])
def test_what_to_type_for_arms_of_given_support(capsys, family):
    assert run(["bounds", "--family", family, "--means", "0.7,0.6", "--epsilon", "1"]) == 2
    assert capsys.readouterr().err == (
        f"privcheck: support: got None, expected support and weights of {family} arms; means alone do not determine "
        "a law: give --weights '0.1,0.9; 0.5,0.5' with --support 0,1, a row for each arm\n"
    )
    assert (
        run(["bounds", "--family", family, "--weights", "0.1,0.9; 0.5,0.5", "--support", "0,1", "--epsilon", "1"]) == 0
    )


def test_the_id_of_a_theorem_is_no_file(capsys):
    for name in ("hu-2021/thm5", "azize-basu-2022/thm3-tight"):
        assert run(["bounds", name]) == 2
        said = capsys.readouterr().err
        assert said == (
            f"privcheck: instance: got {name}, expected a TOML file that describes an instance; it is the id of a "
            f"theorem: did you mean --explain {name}\n"
        )
        assert run(["bounds", "--explain", name]) == 0
    assert run(["bounds", "hu-2021/thm55"]) == 2
    assert "No such file" in capsys.readouterr().err
