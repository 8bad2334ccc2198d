"""The figure: what it shows, and what it leaves on disk."""

import dataclasses

import numpy as np
import pytest

from privcheck.bandits import ALGORITHMS
from privcheck.bounds import THEOREMS, named_instance
from privcheck.environments import Replay
from privcheck.errors import PrivcheckError
from privcheck.reporting._pictures import regret_picture as plotting
from privcheck.results import OwnPolicy
from privcheck.simulation import simulate

TIGHT = "azize-basu-2022/thm3-tight"
LABEL = "any $\\varepsilon$-DP policy; asymptotic rate, not a bound at t"
NAME = "Azize & Basu 2022, Thm. 3 (tight)"
MAGIC = {".png": b"\x89PNG", ".pdf": b"%PDF", ".svg": b"<?xml"}


@pytest.fixture(scope="module")
def simulation():
    return simulate(["adap-ucb", "ucb", "rnm-ftnl"], "c2", horizon=2000, runs=50, epsilon=1.0, checkpoints=40)


def labels(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf", ".PNG"])
def test_saves_by_suffix(simulation, tmp_path, suffix):
    path = tmp_path / f"regret{suffix}"
    simulation.plot(path)
    assert path.read_bytes().startswith(MAGIC[suffix.lower()])
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["regret.jpeg", "regret", "regret.png.txt", "no-such-folder/regret.png", ".png"])
def test_bad_paths_are_refused_before_drawing(simulation, tmp_path, name, monkeypatch):
    monkeypatch.setattr(plotting, "draw", lambda *_: pytest.fail("drew"))
    with pytest.raises(PrivcheckError, match="plot"):
        simulation.plot(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_figure_that_fails_leaves_nothing_behind(simulation, tmp_path, monkeypatch):
    from matplotlib.figure import Figure

    def fail(self, file, **options):
        file.write(b"half a picture")
        raise RuntimeError("out of ink")

    monkeypatch.setattr(Figure, "savefig", fail)
    with pytest.raises(RuntimeError, match="out of ink"):
        simulation.plot(tmp_path / "regret.png")
    assert list(tmp_path.iterdir()) == []


def test_a_path_that_cannot_be_written(simulation, tmp_path):
    (tmp_path / "taken.png").mkdir()
    with pytest.raises(PrivcheckError, match="can be written"):
        simulation.plot(tmp_path / "taken.png")


def test_lines_bands_and_axes(simulation):
    axes = simulation.plot(lines=()).axes[0]
    assert axes.get_xscale() == "log"
    assert axes.get_ylim()[0] == 0
    drawn = {line.get_label(): line for line in axes.lines}
    assert list(drawn) == sorted(drawn, key=lambda name: -drawn[name].get_ydata()[-1]), (
        "the legend is in the order of the ends"
    )
    bands = dict(zip(drawn, axes.collections, strict=True))
    for result in simulation.results:
        line = drawn[result.policy]
        assert np.allclose(line.get_ydata(), result.regret.mean(axis=0))
        assert line.get_xdata().tolist() == simulation.checkpoints.tolist()
        heights = bands[result.policy].get_paths()[0].vertices[:, 1]
        assert heights.max() == pytest.approx(np.quantile(result.regret[:, -1], 0.95))
        assert heights.min() == pytest.approx(np.quantile(result.regret[:, 0], 0.05))


def test_the_lower_bound_is_called_an_asymptotic_rate(simulation):
    figure = simulation.plot()
    assert labels(figure) == [
        "adap-ucb",
        "ucb",
        "rnm-ftnl",
        f"{NAME}\n({LABEL})",
    ]
    line = figure.axes[0].lines[-1]
    constant = THEOREMS[TIGHT].evaluate(named_instance("c2", epsilon=1.0)).constant
    assert np.allclose(line.get_ydata(), constant * np.log(simulation.checkpoints))


def test_lines_can_be_chosen(simulation):
    assert labels(simulation.plot(lines=())) == ["adap-ucb", "ucb", "rnm-ftnl"]
    assert "Azize & Basu 2022, Thm. 3\n" in labels(simulation.plot(lines=["azize-basu-2022/thm3"]))[-1]
    with pytest.raises(PrivcheckError, match="lines: got 'thm99', expected one of"):
        simulation.plot(lines=["thm99"])


def test_one_line_for_each_budget_of_a_bandit():
    adap = ALGORITHMS["adap-ucb"]
    policies = [adap(arms=2, epsilon=0.5), adap(arms=2, epsilon=2), "rnm-ftnl"]
    simulation = simulate(policies, (0.7, 0.4), horizon=100, runs=5, epsilon=4.0)
    assert [label for label in labels(simulation.plot()) if NAME in label] == [
        f"{NAME}, $\\varepsilon$ = {epsilon}\n({LABEL})" for epsilon in ("0.5", "2")
    ]


def test_a_bandit_bound_is_not_drawn_for_full_information_or_without_privacy():
    simulation = simulate(["rnm-ftnl", "ucb"], (0.7, 0.4), horizon=100, runs=5, epsilon=1.0)
    assert not any("rate" in label for label in labels(simulation.plot()))


def test_no_regret_at_all_can_be_drawn(tmp_path):
    simulate("ucb", (0.5, 0.5), horizon=100, runs=2).plot(tmp_path / "flat.png")
    assert (tmp_path / "flat.png").stat().st_size > 1000


def test_ten_policies_differ_in_colour_or_dash(simulation):
    many = simulate(
        [ALGORITHMS["adap-ucb"](arms=2, epsilon=1.0 + i) for i in range(10)], (0.9, 0.1), horizon=50, runs=3
    )
    lines = many.plot(lines=()).axes[0].lines
    styles = {(line.get_color(), str(line._unscaled_dash_pattern)) for line in lines}
    assert len(styles) == 10


def test_pyplot_stays_out_of_it(simulation):
    """No figure is left in a global list of windows."""
    import matplotlib.pyplot as plt

    simulation.plot()
    assert plt.get_fignums() == []


def test_the_arms_of_a_log_are_named(tmp_path):
    (tmp_path / "log.csv").write_text("item,click\n" + "tea,1\n$5 off,0\n" * 20)
    log = Replay.from_csv(tmp_path / "log.csv", action="item", reward="click")
    figure = simulate("ucb", log, horizon=50, runs=3).plot()
    assert figure.legends[0].get_title().get_text().startswith(r"replay (means \$5 off 0, tea 1)" + "\n")
    figure.canvas.draw()
    assert figure.legends[0].get_window_extent().x1 <= figure.bbox.x1


def test_many_arms_fit_into_the_width_of_a_column():
    figure = simulate("ucb", [0.123456 + 0.05 * arm for arm in range(12)], horizon=50, runs=3).plot()
    figure.canvas.draw()
    assert figure.legends[0].get_window_extent().x1 <= figure.bbox.x1


def test_the_pure_bound_is_not_drawn_for_policies_of_another_notion():
    """It speaks of epsilon-DP with delta = 0: local privacy implies that, (epsilon, delta)-DP and zCDP do not."""
    found = simulate("ldp-ucb", [0.75, 0.5], horizon=50, runs=2, epsilon=1.0)
    for told, drawn in (({"epsilon": 1.0}, True), ({"epsilon": 1.0, "delta": 1e-6}, False), ({"rho": 0.5}, False)):
        own = dataclasses.replace(found.results[0], algorithm=OwnPolicy("mine", "bandit", **told))
        shown = labels(dataclasses.replace(found, results=(own,)).plot())
        assert any(LABEL in label for label in shown) == drawn
    assert any(LABEL in label for label in labels(found.plot()))
