"""Labels that a user gives policies: in tables, pictures and files, and nowhere in what is played."""

import inspect
import json
from pathlib import Path

import pytest

import privcheck
from privcheck.cli import run
from privcheck.errors import PrivcheckError
from privcheck.reporting import details, plot
from privcheck.results import Simulation
from privcheck.simulation import identify
from privcheck.tradeoffs import frontier


class OwnCoin:
    def __init__(self, rng, arms):
        self.rng, self.arms = rng, arms

    def select(self):
        return int(self.rng.integers(self.arms))

    def update(self, action, reward):
        pass


FILE = inspect.getsource(OwnCoin)
MEANS = [0.9, 0.1]
SHORT = {"horizon": 50, "runs": 4}
LABELS = {"Ours $a$ (50%)": OwnCoin, "UCB1": "ucb", "adap-ucb": "adap-ucb"}
NAMES = {"Ours $a$ (50%)": "OwnCoin", "UCB1": "ucb"}


def texts(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_labels_change_names_and_no_run(tmp_path):
    plain = privcheck.simulate(list(LABELS.values()), MEANS, epsilon=1.0, **SHORT)
    found = privcheck.simulate(LABELS, MEANS, epsilon=1.0, **SHORT)
    assert [result.policy for result in found.results] == list(LABELS)
    assert (found.to_arrays()["regret"] == plain.to_arrays()["regret"]).all()
    assert found.citations() == plain.citations() != ()
    told = json.loads(found.to_json())
    assert [row["policy"] for row in told["results"]] == list(LABELS)
    assert set(told["labels"]) == set(NAMES)
    assert all(told["labels"][label].startswith(name) for label, name in NAMES.items())
    assert "labels" not in json.loads(plain.to_json())
    figure = plot(found)
    figure.savefig(tmp_path / "drawn.png")
    assert {r"Ours \$a\$ (50%)", "UCB1"} <= set(texts(figure)), "no formula"
    found.save_npz(tmp_path / "all.npz")
    assert [result.policy for result in Simulation.read_npz(tmp_path / "all.npz").results] == list(LABELS)


def test_a_page_of_many_results_reads_them(tmp_path):
    found = privcheck.simulate({"UCB1": "ucb"}, MEANS, **SHORT)
    (tmp_path / "all.json").write_text(found.to_json())
    assert run(["report", str(tmp_path), "--html", str(tmp_path / "index.html")]) == 0
    assert "UCB1" in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_a_frontier_has_them_and_still_knows_the_policies(tmp_path):
    asked = {"epsilons": [1.0], "audit_runs": 0, "certificates": False, **SHORT}
    plain, found = (frontier(each, MEANS, **asked) for each in (list(LABELS.values()), LABELS))
    assert [point.policy for point in found.points] == list(LABELS)
    assert [point.mean for point in found.points] == [point.mean for point in plain.points]
    assert found.citations() == plain.citations() != ()
    assert {"UCB1, not private", "Ours $a$ (50%), takes no epsilon", "adap-ucb"} <= set(texts(found.plot()))
    assert json.loads(found.to_json())["frontier"]["labels"]["UCB1"] == "ucb"
    assert "labels" not in json.loads(plain.to_json())["frontier"]
    found.save(tmp_path / "frontier.json")
    assert privcheck.load(tmp_path / "frontier.json") == found
    found.save(tmp_path / "frontier.html")
    page = (tmp_path / "frontier.html").read_text(encoding="utf-8")
    assert "OwnCoin" in page
    assert any(remark.startswith("Ours $a$ (50%): no parameter epsilon") for remark in found.remarks)
    assert details(found).renderables[0].row_count == 3


def test_a_function_without_a_name_and_the_best_arm():
    found = privcheck.simulate({"wide": lambda rng, arms: OwnCoin(rng, arms)}, MEANS, **SHORT)
    assert [row["policy"] for row in found.summary()] == ["wide"]
    stopped = identify({"exact": "dp-exact-tt"}, MEANS, horizon=2000, runs=2, epsilon=1.0)
    assert [result.policy for result in stopped.results] == ["exact"]


@pytest.mark.parametrize("label", ["", "_hidden", "two\nlines", " space", 3])
def test_labels_that_would_not_be_shown_are_refused(label):
    with pytest.raises(PrivcheckError, match=r"label: got .*, expected a line of text"):
        privcheck.simulate({label: "ucb"}, MEANS, **SHORT)


def test_pairs_are_told_what_to_do():
    with pytest.raises(PrivcheckError, match=r"labels are the keys of a mapping, as in \{'ours': MyBandit"):
        privcheck.simulate([("ours", OwnCoin)], MEANS, **SHORT)
    with pytest.raises(PrivcheckError, match="or a mapping from labels to them"):
        privcheck.simulate({}, MEANS, **SHORT)


def test_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("own=1.py").write_text(FILE)
    arms = ["--means", "0.9,0.1", "--horizon", "50", "--runs", "4"]

    def played(*policies):
        assert run(["simulate", *policies, *arms, "--epsilon", "1", "--json", "-"]) == 0
        return [row["policy"] for row in json.loads(capsys.readouterr().out)["results"]]

    assert played("own=1.py:OwnCoin", "adap-ucb(alpha=3)") == ["own=1.py:OwnCoin", "adap-ucb"], "as without labels"
    assert played("Ours (a 1)=own=1.py:OwnCoin", "Theirs=adap-ucb(alpha=3)", "ucb") == [
        "Ours (a 1)", "Theirs", "ucb"
    ]  # fmt: skip
    assert run(["frontier", "A=adap-ucb", "ucb", *arms, "--epsilons", "1", "--audit-runs", "0", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["frontier"]["labels"] == {"A": "adap-ucb", "ucb": "ucb"}
    assert run(["simulate", "A=adap-ucb", "A=ucb", *arms, "--epsilon", "1"]) == 2
    assert "policies: got 'A', expected a label for each policy" in capsys.readouterr().err
    assert run(["simulate", "=ucb", *arms]) == 2
    assert "label: got ''" in capsys.readouterr().err
