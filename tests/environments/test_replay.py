"""Logged feedback: reading, refusing, and both estimators against a bandit whose means are known."""

import math

import numpy as np
import pytest

from privcheck.bandits import ALGORITHMS
from privcheck.environments import LoggedFeedback, Replay, environment
from privcheck.environments import _resampled_log as replay_module
from privcheck.errors import PrivcheckError
from privcheck.kernels import law_sum
from privcheck.simulation import replay, simulate

GOOD = "time,item,click,p\n1,tea,1,0.5\n2,coffee,0,0.25\n3,tea,0,0.5\n4,coffee,1,0.75\n"


@pytest.fixture
def clicks(tmp_path):
    def write(text=GOOD):
        path = tmp_path / "clicks.csv"
        path.write_text(text)
        return path

    return write


def read(path, **changes):
    return LoggedFeedback.from_csv(path, **({"action": "item", "reward": "click"} | changes))


def test_reading(clicks):
    log = read(clicks(), propensity="p")
    assert log.arms == ("coffee", "tea")
    assert log.actions.tolist() == [1, 0, 1, 0]
    assert log.rewards.tolist() == [1.0, 0.0, 0.0, 1.0]
    assert log.propensities.tolist() == [0.5, 0.25, 0.5, 0.75]
    assert read(clicks(), arms=["tea", "coffee"]).actions.tolist() == [0, 1, 0, 1]
    assert read(clicks("\ufeff" + GOOD), action="time").arms == ("1", "2", "3", "4"), "with a byte order mark"
    assert read(clicks(GOOD.replace("p\n", "time\n", 1))).arms == ("coffee", "tea"), "columns that nobody asked for"
    assert read(clicks(), reward_range=(-1, 3)).rewards.tolist() == [0.5, 0.25, 0.25, 0.5]


@pytest.mark.parametrize(
    ("text", "changes", "message"),
    [
        (
            GOOD,
            {"action": "article"},
            r"columns: got 'article', expected a column of .*; the file has time, item, click, p",
        ),
        (GOOD, {"reward": "clicks"}, "columns: got 'clicks'"),
        (GOOD, {"propensity": "q"}, "columns: got 'q'"),
        (GOOD, {"reward": "item"}, r"column 'item', line 2: got 'tea', expected a number in \[0, 1\]"),
        (GOOD, {"reward": "time"}, r"column 'time', line 3: got 2.0"),
        (GOOD.replace("1,tea,1", "1,tea,nan"), {}, r"column 'click', line 2: got nan"),
        (GOOD.replace("1,tea,1", "1,tea,"), {}, r"column 'click', line 2: got ''"),
        (GOOD + "5,tea\n", {}, r"column 'click', line 6: got None"),
        (GOOD + "5\n", {}, r"column 'item', line 6: got None, expected the name of the arm"),
        (GOOD.replace("coffee,0", " ,0"), {}, r"column 'item', line 3: got ' ', expected the name of the arm"),
        (GOOD.replace("p\n", "click\n"), {}, r"columns: got 'click', 2 times, expected one column of this name"),
        (GOOD.replace("0.25", "0"), {"propensity": "p"}, r"column 'p', line 3: got 0.0"),
        (
            GOOD,
            {"arms": ["tea", "coffee", "milk"]},
            "arms: got milk, never logged, expected arms that occur in the log",
        ),
        (GOOD, {"arms": ["tea", "milk"]}, "arms: got 'coffee', expected one of the arms tea, milk"),
        (GOOD, {"arms": ["tea", "coffee", "tea"]}, r"arms: got \['tea'\], expected a list of different names"),
        (GOOD, {"arms": "tea"}, "arms: got 'tea'"),
        (GOOD.replace("coffee", "tea"), {}, r"arms: got \('tea',\), expected 2 to 127 different arms"),
        ("time,item,click\n", {}, "log: got .*; the file has only a header"),
        ("", {}, "the file has no header"),
        (GOOD, {"reward_range": (1, 1)}, "reward_range"),
        (GOOD, {"reward_range": (0, math.inf)}, "reward_range"),
        (GOOD, {"reward_range": (0,)}, "reward_range"),
        ("item,click\n" + "".join(f"{i},1\n" for i in range(128)), {}, "expected 2 to 127 different arms"),
    ],
)
def test_bad_logs(clicks, text, changes, message):
    with pytest.raises(PrivcheckError, match=message):
        read(clicks(text), **changes)


def test_files_that_cannot_be_read(tmp_path):
    for name, content in (("missing.csv", None), ("binary.csv", b"item,click\n\xff\xfe,1\n")):
        if content:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(PrivcheckError, match="log: got"):
            read(tmp_path / name)


def test_resampling_has_the_laws_of_the_log(clicks):
    place = Replay.from_csv(clicks(), action="item", reward="click")
    assert place.names == ("coffee", "tea")
    assert place.means == (0.5, 0.5)
    weighted = Replay.from_csv(clicks(), action="item", reward="click", propensity="p")
    assert weighted.means == pytest.approx(((1 / 0.75) / (1 / 0.25 + 1 / 0.75), 0.5))
    result = simulate(["adap-ucb", "ucb"], place, horizon=500, runs=5, epsilon=1.0)
    assert [row["engine"] for row in result.summary()] == ["event", "step"]


@pytest.mark.chance(
    5e-7,
    "four means and four variances within 6 standard errors: 2e-9 each, times 30 for skewness of variances",
)
def test_continuous_rewards_keep_their_law_and_too_many_of_them_are_refused(monkeypatch):
    """Sums of 10 and of 1000 of 500 different rewards: means and variances within six standard errors."""
    rng = np.random.default_rng(0)
    log = LoggedFeedback(("a", "b"), rng.integers(2, size=1000), rng.random(1000) ** 2, np.ones(1000))
    place = Replay.from_log(log)
    for arm in (0, 1):
        own = log.rewards[log.actions == arm]
        for count, draws in ((10, 4000), (1000, 1000)):
            sums = np.array([law_sum(place.laws(), rng, arm, count) for _ in range(draws)])
            assert abs(sums.mean() - count * own.mean()) < 6 * math.sqrt(count * own.var() / draws)
            assert abs(sums.var() / (count * own.var()) - 1) < 6 * math.sqrt(2.2 / draws)
    monkeypatch.setattr(replay_module, "MOST_WEIGHTS", 1000)
    with pytest.raises(PrivcheckError, match=r"log: got 1000 different rewards of 2 arms.*round the rewards"):
        Replay.from_log(log)


MEANS = np.array([0.8, 0.5, 0.3])


def logged(rows, seed, odds=(1 / 3, 1 / 3, 1 / 3)):
    rng = np.random.default_rng(seed)
    actions = rng.choice(3, size=rows, p=odds)
    rewards = (rng.random(rows) < MEANS[actions]).astype(float)
    return LoggedFeedback(("a", "b", "c"), actions, rewards, np.array(odds)[actions])


def expected_reward(policy, rounds):
    """Return the mean reward of `rounds` rounds in the true bandit: simulated, with its standard error."""
    regret = (
        simulate(policy, MEANS, horizon=rounds, runs=4000, epsilon=1.0, checkpoints=1, seed=9).results[0].regret[:, -1]
    )
    return 0.8 - regret.mean() / rounds, regret.std() / rounds / math.sqrt(4000)


@pytest.mark.chance(1e-6, "a studentised mean of 300 within 5 standard errors")
@pytest.mark.parametrize("odds", [(1 / 3, 1 / 3, 1 / 3), (0.5, 0.3, 0.2)])
def test_rejection_replay_is_unbiased(odds):
    """300 logs of 900 rows each: the mean reward of about 300 or 180 x 3 rounds is the true one within 5 errors."""
    spec = ALGORITHMS["ucb"](arms=3)
    results = [replay(spec, logged(900, seed, odds), runs=1, seed=seed) for seed in range(300)]
    rounds = round(float(np.mean([r.matched[0] for r in results])))
    assert abs(rounds - 900 * min(odds)) < 10
    rewards = np.array([r.reward[0] for r in results])
    truth, error = expected_reward(spec, rounds)
    assert abs(rewards.mean() - truth) < 5 * math.hypot(rewards.std() / math.sqrt(300), error)


@pytest.mark.parametrize("estimator", ["rejection", "resampling"])
def test_a_log_that_chose_by_features_needs_its_propensities(estimator):
    """Arm a pays 0.9 to half of the users and 0.1 to the others, and was shown mostly to the first; arm b pays 0.3."""
    rng = np.random.default_rng(0)
    keen = rng.random(20_000) < 0.5
    odds = np.where(keen, 0.9, 0.1)
    actions = (rng.random(20_000) > odds).astype(int)
    rewards = (rng.random(20_000) < np.where(actions == 1, 0.3, np.where(keen, 0.9, 0.1))).astype(float)
    log = LoggedFeedback(("a", "b"), actions, rewards, np.where(actions == 0, odds, 1 - odds))
    blind = LoggedFeedback(log.arms, actions, rewards, np.ones(20_000))

    def reward(log):
        return replay("ucb", log, runs=3).reward.mean() if estimator == "rejection" else Replay.from_log(log).means[0]

    assert abs(reward(log) - 0.5) < 0.05
    assert reward(blind) > 0.75


def test_order_seeds_and_summary():
    log = logged(600, 1)
    first = replay("adap-ucb", log, runs=3, seed=4, epsilon=1.0)
    assert np.array_equal(first.reward, replay("adap-ucb", log, runs=3, seed=4, epsilon=1.0).reward)
    assert len(set(first.reward)) > 1
    assert len(set(replay("ucb", log, runs=3).reward)) == 1, "one log in one order, no coins: one result"
    assert len(set(replay("ucb", log, runs=3, order="shuffled").reward)) > 1
    row = first.summary()
    assert row["policy"] == "adap-ucb(arms=3, epsilon=1, alpha=3.1)"
    assert row["rounds"] == pytest.approx(first.matched.mean())
    assert (row["rows"], row["runs"]) == (600, 3)


@pytest.mark.parametrize(
    ("changes", "parameter"),
    [({"policy": "rnm-ftnl"}, "policy"), ({"policy": "nonsense"}, "algorithm"), ({"epsilon": None}, "epsilon"),
     ({"epsilon": 0}, "epsilon"), ({"runs": 0}, "runs"), ({"order": "reverse"}, "order"), ({"seed": -1}, "seed"),
     ({"policy": ALGORITHMS["ucb"](arms=2)}, "policies")],
)  # fmt: skip
def test_bad_input(changes, parameter):
    with pytest.raises(PrivcheckError) as caught:
        replay(**({"policy": "adap-ucb", "log": logged(30, 0), "epsilon": 1.0} | changes))
    assert caught.value.parameter == parameter


FRAME = {"item": ["b", "a", "b", "a"], "stars": [5, 1, 3, 2], "odds": [0.5, 0.25, 0.5, 0.25], "other": [None] * 4}
COLUMNS = {"action": "item", "reward": "stars", "propensity": "odds", "reward_range": (1, 5)}


def frames():
    pandas, polars = (pytest.importorskip(name, reason=f"{name} is not installed") for name in ("pandas", "polars"))
    return [FRAME, pandas.DataFrame(FRAME), polars.DataFrame(FRAME)]


def test_a_data_frame_is_the_log_that_a_file_is(tmp_path):
    lines = ["item,stars,odds", *(",".join(map(str, row)) for row in zip(*list(FRAME.values())[:3], strict=True))]
    (tmp_path / "log.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    expected = Replay.from_csv(tmp_path / "log.csv", **COLUMNS)
    assert expected.names == ("a", "b")
    for frame in frames():
        assert Replay.from_frame(frame, **COLUMNS) == expected


@pytest.mark.parametrize(
    ("change", "parameter"),
    [
        ({"item": ["b", None, "b", "a"]}, "column 'item', row 1"),
        ({"item": ["b", float("nan"), "b", "a"]}, "column 'item', row 1"),
        ({"stars": [5, 1, 7, 2]}, "column 'stars', row 2"),
        ({"stars": [5, 1, None, 2]}, "column 'stars', row 2"),
        ({"odds": [0.5, 0.25, 0.5, 0.0]}, "column 'odds', row 3"),
        ({"odds": [0.5, 0.25]}, "frame"),
    ],
)
def test_a_frame_with_a_mistake_is_refused_with_its_row(change, parameter):
    with pytest.raises(PrivcheckError) as caught:
        Replay.from_frame(FRAME | change, **COLUMNS)
    assert caught.value.parameter == parameter


def test_frames_and_files_are_not_confused():
    (frame, *_) = frames()[1:]
    with pytest.raises(PrivcheckError, match="from_frame"):
        Replay.from_csv(frame, **COLUMNS)
    with pytest.raises(PrivcheckError, match="from_csv"):
        Replay.from_frame("log.csv", **COLUMNS)
    with pytest.raises(PrivcheckError, match="from_frame"):
        environment(frame)
    with pytest.raises(PrivcheckError, match="the frame has item"):
        Replay.from_frame(frame, action="arm", reward="stars")
