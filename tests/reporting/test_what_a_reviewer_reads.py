"""What a reviewer of a paper reads off pages and tables: numbers of runs, what was tested, what tells results apart."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_hex

import privcheck
from privcheck import Certificate, simulate, sweep
from privcheck.cli import run
from privcheck.reporting import bounds_figure, ledger_figure, read_folder
from privcheck.reporting._many_audits import AuditedClaim, together
from privcheck.reporting._pages.page_index import render_index
from privcheck.reporting._pages.page_simulation import render_simulation
from privcheck.reporting._pictures.frontier_picture import frontier_figure
from privcheck.reporting._pictures.style import COLOURS
from privcheck.reporting._result_files import read_result
from privcheck.reporting._text.simulation_notes import UNTESTED, described, too_few_runs
from privcheck.results import Fault
from tests.example_results import VIOLATION

SIMULATED = simulate(["adap-ucb", "ucb"], [0.75, 0.5], horizon=200, runs=8, epsilon=1.0)
FIRST = SIMULATED.results[0]
RAGGED = replace(SIMULATED, results=(replace(FIRST, regret=FIRST.regret[:3]), *SIMULATED.results[1:]))


def words_of(page):
    return " ".join(re.sub(r"<(style|svg|script).*?</\1>|<[^>]*>", " ", page, flags=re.DOTALL).split())


def test_a_page_shows_the_runs_of_each_policy_where_one_has_fewer():
    said = words_of(render_simulation(RAGGED))
    assert "over 3 to 8 runs of each policy" in said
    assert "8 runs of each policy" not in said.replace("3 to 8 runs", "")
    assert re.search(r"policy runs mean", said)
    assert "over 8 runs of each policy" in words_of(render_simulation(SIMULATED))


def test_an_index_says_how_many_runs_there_are(tmp_path):
    file = tmp_path / "simulation.json"
    file.write_text(RAGGED.to_json(), "utf-8")
    assert read_result(file).detail.endswith("3 to 8 runs")


def test_a_comparison_says_that_claims_are_not_tested(capsys):
    assert UNTESTED in words_of(render_simulation(SIMULATED))
    command = [
        "simulate",
        "adap-ucb",
        "ucb",
        "--means",
        "0.75,0.5",
        "--epsilon",
        "1",
        "--horizon",
        "200",
        "--runs",
        "8",
    ]
    assert run([*command, "--compare"]) == 0
    assert "privcheck audit` tests one" in " ".join(capsys.readouterr().out.split())
    assert run(command) == 0
    assert "privcheck audit" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("runs", "noted"), [(85, "95 % quantile and a 99 %"), (86, "limit of a 99 %"), (436, "99 %"), (437, "")]
)
def test_wide_intervals_are_explained_exactly_where_they_reach_to_the_largest_regret(runs, noted):
    regret = np.linspace(0.0, 1.0, runs)[:, None] * np.ones((1, FIRST.regret.shape[1]))
    found = replace(SIMULATED, results=tuple(replace(result, regret=regret) for result in SIMULATED.results))
    note = too_few_runs(found, 1)
    assert noted in note
    assert bool(note) == bool(noted)
    (pair,) = found.compare()
    largest = SIMULATED.environment.regret_range(SIMULATED.horizon)[1]
    assert (pair.q99.high >= largest - 1.0) == ("99 %" in noted)
    assert (pair.q95.high >= largest - 1.0) == ("95 %" in noted)


def test_a_policy_of_ones_own_is_described_without_internals():
    own = privcheck.results._own_policy.OwnPolicy("bandit.py:Mine", "bandit", 1.0)
    assert described(own) == "bandit.py:Mine, epsilon = 1, bandit feedback"
    assert "OwnPolicy" not in words_of(render_simulation(replace(SIMULATED, results=(replace(FIRST, algorithm=own),))))


def test_no_p_value_is_printed_as_zero():
    claims = together([AuditedClaim("a", 0.0, 0), AuditedClaim("b", 0.5, 1)])
    assert all("a (p < 1e-300)" in sentence for sentence in claims.sentences)


PUBLISHED = """\
import numpy as np

class Published:
    def __init__(self, rng, arms=2):
        self.arms, self.t, self.sums, self.means = arms, 0, np.zeros(arms), np.zeros(arms)

    def select(self):
        return self.t % 2 if self.t < 4 else int(np.argmax(self.means))

    def update(self, action, reward):
        self.t += 1
        self.sums[action] += reward
        if self.t == 4:
            self.means = self.sums + np.random.laplace(0, 1.0, self.arms)
"""


def test_violations_come_before_certificates_and_an_inconclusive_one_is_no_alarm(tmp_path):
    (tmp_path / "published.py").write_text(PUBLISHED, "utf-8")
    recorded = privcheck.certify(
        f"{tmp_path / 'published.py'}:Published", epsilon=1.0, arms=2, horizon=6, primitives=["numpy"]
    )
    assert recorded.is_inconclusive
    leaky = privcheck.certify("ucb", epsilon=1.0, arms=2, horizon=6)
    assert isinstance(leaky, Certificate)
    for name, found in (("a", recorded), ("b", leaky), ("z", VIOLATION)):
        (tmp_path / f"{name}.json").write_text(found.to_json(), "utf-8")
    folder = read_folder(tmp_path)
    assert [(row.verdict, row.alarm) for row in folder.results] == [
        ("violation", True), ("not certified", True), ("inconclusive", False)
    ]  # fmt: skip
    assert "no budget was given" not in words_of(render_index(folder, tmp_path / "index.html", {}))


def test_the_cells_of_a_sweep_are_told_apart(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "118")
    plan = {"kind": "audit", "targets": ["rnm-ftnl-published"], "epsilons": [1.0], "horizons": [4], "seeds": [3, 4]}
    sweep(plan | {"options": {"arms": 4, "runs": 4000}}, "store")
    assert run(["report", "store", "--no-pages"]) == 1
    said = capsys.readouterr().out
    assert "seed 3" in said
    assert "seed 4" in said
    assert not re.search("[0-9a-f]{64}", said)
    assert max(map(len, said.split("Family-wise")[0].splitlines())) < 120
    keys = [path.stem for path in Path("store/cells").glob("*.json")]
    assert len(keys) == 2
    assert all(f"cells/{key[:8]}….json" in said for key in keys)
    names = {claim.target for claim in read_folder("store").claims.tested}
    assert names == {f"rnm-ftnl-published(arms=4, epsilon=1), seed {seed}" for seed in (3, 4)}


def test_audits_of_one_target_in_several_files_are_told_apart_by_their_files(tmp_path):
    for name in ("old", "new"):
        (tmp_path / f"{name}.json").write_text(VIOLATION.to_json(), "utf-8")
    assert {row.told_apart for row in read_folder(tmp_path).results} == {"file old", "file new"}


def test_the_row_of_a_violation_has_its_line_at_fault_and_its_witness(tmp_path):
    fault = Fault("released-again", "bandit.py", 7, "return noisy", "released twice")
    (tmp_path / "a.json").write_text(replace(VIOLATION, faults=[fault]).to_json(), "utf-8")
    detail = read_result(tmp_path / "a.json").detail
    assert detail.startswith("at fault: bandit.py:7, the same data are released again; witness: round")
    assert (VIOLATION.simplest or VIOLATION.witness).event in detail


def test_a_picture_of_regrets_within_one_power_of_ten_has_several_labels():
    found = privcheck.frontier("adap-ucb", [0.9, 0.1], epsilons=[1.0, 2.0], horizon=1000, runs=5, audit_runs=0)
    axes = frontier_figure(replace(found, bounds=())).axes[0]
    low, high = axes.get_ylim()
    assert high < 100 * low
    assert sum(low <= value <= high for value in axes.get_yticks()) >= 2


def test_the_legend_of_a_lower_bound_has_the_colour_of_the_bars():
    bars = bounds_figure([VIOLATION])
    swatch = next(h for h in bars.axes[0].get_legend().legend_handles if h.get_label() == "lower bound")
    assert to_hex(swatch.get_facecolor()) == to_hex(COLOURS["violation"])


def test_equal_losses_have_one_entry_in_a_legend_and_labels_do_not_overlap(tmp_path):
    (tmp_path / "again.py").write_text(PUBLISHED.replace("if self.t == 4:", "if self.t > 1:"), "utf-8")
    found = privcheck.certify(
        f"{tmp_path / 'again.py'}:Published", epsilon=1.0, arms=2, horizon=20, primitives=["numpy"]
    )
    assert found.ledger.epsilon > 15.0
    shown = ledger_figure(found)
    labels = [entry.get_text() for entry in shown.legends[0].get_texts()]
    assert [label for label in labels if label.startswith("loss")] == ["loss 1"]
    totals = shown.axes[2]
    assert [tick.get_text() for tick in totals.get_yticklabels()] == ["0", f"{found.ledger.epsilon:g}"]
    assert "differs" in "".join(entry.get_text() for entry in totals.texts)


AS_WRITTEN = re.sub(r"(def __init__\(.*\):\n)", r"\1        locals()\n", PUBLISHED)
"""Code that asks for its names is not translated, so that its arrays are those of numpy."""


def test_the_advice_on_an_array_names_the_line_that_makes_it(tmp_path):
    (tmp_path / "sums.py").write_text(AS_WRITTEN, "utf-8")
    (leak, *_) = privcheck.certify(f"{tmp_path / 'sums.py'}:Published", epsilon=1.0, arms=2, horizon=6).leaks
    line = next(n for n, each in enumerate(AS_WRITTEN.splitlines(), 1) if "np.zeros(arms), np.zeros(arms)" in each)
    advice = "self.sums = privcheck.zeros(np.shape(self.sums))"
    assert leak.hint.endswith(f", after line {line}: {advice}"), "several names are assigned in that line"
    lines = AS_WRITTEN.splitlines()
    lines.insert(line, f"        {advice}")
    (tmp_path / "pasted.py").write_text("import privcheck\n" + "\n".join(lines), "utf-8")
    pasted = privcheck.certify(f"{tmp_path / 'pasted.py'}:Published", epsilon=1.0, arms=2, horizon=6)
    assert leak.code not in {other.code for other in pasted.leaks}, "pasted where it says, it applies"


def test_the_advice_on_an_array_names_no_line_of_another_class(tmp_path):
    other = "class Other:\n    def __init__(self):\n        self.sums = np.zeros(7)\n\n\n"
    text = AS_WRITTEN.replace("class Published", f"{other}class Published")
    assert text != AS_WRITTEN
    (tmp_path / "two.py").write_text(text, "utf-8")
    (leak, *_) = privcheck.certify(f"{tmp_path / 'two.py'}:Published", epsilon=1.0, arms=2, horizon=6).leaks
    line = next(n for n, each in enumerate(text.splitlines(), 1) if "np.zeros(arms), np.zeros(arms)" in each)
    assert f", after line {line}: " in leak.hint
