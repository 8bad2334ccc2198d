"""Streams that a user brings: every documented layout, and every mistake told in one line."""

from types import SimpleNamespace

import numpy as np
import pytest

import privcheck
from privcheck import PrivcheckError
from privcheck.auditing._search.candidates import searched
from privcheck.auditing._search.user_streams import read_streams
from privcheck.privacy import relation
from privcheck.results import Outcome
from privcheck.targets import DRAWN, StreamPair

FIRST = np.array([[0.0, 1.0, 0.5], [1.0, 0.0, 0.25]])
SECOND = np.array([[1.0, 0.0, 0.5], [1.0, 0.0, 0.25]])


def read(streams, arms=3, rewards=(0.0, 1.0), neighbours="row", horizon=None):
    return read_streams(streams, arms=arms, rewards=rewards, relation=relation(neighbours), horizon=horizon)


def refused(streams, *fragments, **options):
    with pytest.raises(PrivcheckError) as caught:
        read(streams, **options)
    message = str(caught.value)
    for fragment in fragments:
        assert fragment in message
    assert "\n" not in message
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return caught.value


def same(pair, first=FIRST, second=SECOND):
    assert np.array_equal(pair.first, first)
    assert np.array_equal(pair.second, second)


@pytest.mark.parametrize(
    "streams", [(FIRST, SECOND), [FIRST, SECOND], np.stack([FIRST, SECOND]), (FIRST.tolist(), SECOND)]
)
def test_tables_in_memory(streams):
    same(read(streams))


def test_streams_in_memory_pay_every_arm():
    pair = read(([0, 1, 1], [0, 0, 1]))
    same(pair, np.repeat([[0.0], [1.0], [1.0]], 3, axis=1), np.repeat([[0.0], [0.0], [1.0]], 3, axis=1))
    assert pair.changed == 1


@pytest.mark.parametrize("as_path", [str, lambda path: path])
def test_npy_per_arm_and_broadcast(tmp_path, as_path):
    np.save(tmp_path / "tables.npy", np.stack([FIRST, SECOND]))
    pair = read(as_path(tmp_path / "tables.npy"))
    same(pair)
    assert "tables.npy" in pair.label
    np.save(tmp_path / "streams.npy", np.array([[0, 1, 1], [0, 0, 1]]))
    assert read(tmp_path / "streams.npy").first.tolist() == [[0.0] * 3, [1.0] * 3, [1.0] * 3]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("header", ["", "first,second\n"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_csv_with_two_columns(tmp_path, encoding, header, newline):
    """With a header line or without, with the byte-order mark that spreadsheets write or without."""
    text = (header + "0,0\n1,0\n\n0.5,0.5\n").replace("\n", newline)
    (tmp_path / "streams.csv").write_bytes(text.encode(encoding))
    pair = read(tmp_path / "streams.csv", arms=2)
    same(pair, [[0.0, 0.0], [1.0, 1.0], [0.5, 0.5]], [[0.0, 0.0], [0.0, 0.0], [0.5, 0.5]])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("header", ["", "a0,a1,a2,b0,b1,b2\n"])
def test_csv_with_one_column_per_arm(tmp_path, encoding, header):
    rows = "\n".join(", ".join(map(str, [*one, *two])) for one, two in zip(FIRST, SECOND, strict=True))
    (tmp_path / "streams.csv").write_text(header + rows, encoding=encoding)
    same(read(tmp_path / "streams.csv"))


def test_the_horizon_may_be_repeated_but_not_contradicted():
    same(read((FIRST, SECOND), horizon=2))
    refused((FIRST, SECOND), "horizon: got 3", "2, the length of the streams", "leave the horizon out", horizon=3)


@pytest.mark.parametrize(
    ("streams", "fragments"),
    [
        ((FIRST, FIRST), ["identical", "two tables that differ"]),
        ((FIRST, 1.0 - FIRST), ["differ in 2 rows", "at most 1 for neighbours='row'", "group:2"]),
        ((FIRST, SECOND[:1]), ["(2, 3)", "(1, 3)", "same shape"]),
        (([0, 1], [0, 1, 1]), ["(2, 3)", "(3, 3)", "same shape"]),
        ((FIRST[:, :2], SECOND[:, :2]), ["shape (2, 2)", "(T, 3)"]),
        ((FIRST, SECOND, SECOND), ["tuple", "a pair (first, second)"]),
        (7, ["int", "a pair (first, second)"]),
        ((FIRST, 2.0 * SECOND), ["2.0 in round 1, arm 0", "rewards in [0, 1]"]),
        ((FIRST, SECOND - 1.0), ["-1.0 in round 1, arm 1", "rewards in [0, 1]"]),
        ((FIRST, np.where(SECOND == 0.5, np.nan, SECOND)), ["nan in round 1, arm 2", "finite numbers"]),
        ((FIRST, SECOND.astype(str)), ["entries of type", "real numbers"]),
        (([[0, 1], [0]], [[0, 1], [0]]), ["ragged", "a table of shape"]),
        (([], []), ["shape (0,)", "a table of shape"]),
    ],
)
def test_bad_streams_in_memory(streams, fragments):
    refused(streams, *fragments)


def test_one_entry_is_allowed_where_a_row_is_too_much():
    refused((FIRST, SECOND), "differ in 2 rewards", "at most 1 for neighbours='reward'", neighbours="reward")
    one = FIRST.copy()
    one[0, 0] = 1.0
    same(read((FIRST, one), neighbours="reward"), FIRST, one)


def test_a_declared_range_decides():
    same(read((FIRST - 1.0, SECOND - 1.0), rewards=(-1.0, 0.0)), FIRST - 1.0, SECOND - 1.0)


@pytest.mark.parametrize(
    ("name", "content", "fragments"),
    [
        ("missing.csv", None, ["missing.csv", "an existing file"]),
        ("streams.txt", b"0,1\n", ["streams.txt", "a .npy or .csv file"]),
        ("empty.csv", b"", ["no columns", "2 or 6 columns"]),
        ("header.csv", b"first,second\n", ["no columns", "2 or 6 columns"]),
        ("three.csv", b"0,1,0\n1,1,1\n", ["3 columns", "2 or 6 columns"]),
        ("mixed.csv", b"0,1\n1,1,1,1,1,1\n", ["2, 6 columns", "2 or 6 columns"]),
        ("words.csv", b"a,b\n0,1\n0,high\n", ["'0,high' in round 2", "numbers"]),
        ("gap.csv", b"0,1\n0,\n", ["'0,' in round 2", "numbers"]),
        ("nan.csv", b"0,1\nnan,1\n", ["nan in round 2", "finite numbers"]),
        ("latin.csv", b"\xe9,\xe9\n0,1\n", ["latin.csv", "a readable .csv file"]),
        ("broken.npy", b"not an array", ["broken.npy", "a .npy file of numbers"]),
        ("empty.npy", b"", ["empty.npy", "a .npy file of numbers"]),
    ],
)
def test_bad_files(tmp_path, name, content, fragments):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    refused(tmp_path / name, *fragments)


def test_a_folder_is_no_file(tmp_path):
    refused(tmp_path, "an existing file")


@pytest.mark.parametrize(
    ("array", "fragments"),
    [
        (np.array(3.0), ["a pair (first, second)"]),
        (np.zeros((3, 2, 3)), ["a pair (first, second)"]),
        (np.zeros((2, 2, 5)), ["shape (2, 5)", "(T, 3)"]),
        (np.array([["0", "1"], ["1", "1"]]), ["real numbers"]),
        (np.array([[0, 1], [1j, 1]]), ["real numbers"]),
        (np.array([{}, {}], dtype=object), ["a .npy file of numbers"]),
    ],
)
def test_bad_arrays_in_files(tmp_path, array, fragments):
    np.save(tmp_path / "streams.npy", array)
    refused(tmp_path / "streams.npy", *fragments)


# A function that draws pairs


def noisy(data, rng):
    return float(data.sum() + rng.laplace())


def drawn(draw, **options):
    return privcheck.audit(noisy, **{"epsilon": 1.2, "streams": draw, "pairs": 20, "runs": 200} | options)


def sometimes_equal(rng):
    first = rng.integers(0, 2, 3).astype(float)
    second = first.copy()
    second[0] = rng.integers(0, 2)
    return first, second


def sometimes_broken(rng):
    if rng.random() < 0.5:
        raise KeyError("no such row")
    return [0.0, 1.0], [1.0, 1.0]


@pytest.mark.parametrize(
    ("draw", "reason"), [(sometimes_equal, "two identical inputs"), (sometimes_broken, "KeyError: 'no such row'")]
)
def test_draws_that_are_no_pair_are_left_out_and_counted(draw, reason):
    report = drawn(draw)
    assert report.epsilon_lower is not None
    assert report.search.screened == report.search.pairs < 20
    told = next(note for note in report.notes if "were left out" in note)
    assert told.startswith(f"{20 - report.search.pairs} of 20 pairs that the user's function drew were left out")
    assert reason in told


def test_equal_draws_count_once():
    """A pair that is drawn a hundred times is screened when it is played once; one of two that are, half of them."""
    pair = np.zeros((3, 2)), np.array([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    other = pair[0], np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    every = [StreamPair(*pair, "", DRAWN) for _ in range(100)]
    runner, outcome = SimpleNamespace(reproducible=True), Outcome(None, 3, 100)
    found = searched(every, every[:3], outcome, runner)
    assert (found.screened, found.pairs, found.complete) == (100, 100, True)
    mixed = [StreamPair(*(pair if place % 2 else other), "", DRAWN) for place in range(100)]
    found = searched(mixed, mixed[::2][:3], outcome, runner)
    assert (found.screened, found.pairs, found.complete) == (50, 100, False)


def test_the_first_reason_is_told_if_no_draw_is_a_pair():
    with pytest.raises(PrivcheckError, match="two identical inputs"):
        drawn(lambda rng: ([0.0, 1.0], [0.0, 1.0]))
    with pytest.raises(PrivcheckError, match="ZeroDivisionError"):
        drawn(lambda rng: 1 / 0)


# Candidates on which the target raises an error


class FullAfterThree:
    """Raises an error when the sixth reward of 1 comes, which some candidates never bring."""

    def __init__(self, rng, arms):
        self.rng, self.noisy, self.ones = rng, 0.0, 0

    def select(self):
        return int(self.noisy > 0.5)

    def update(self, action, reward):
        self.ones += reward == 1.0
        if self.ones >= 6:
            raise ValueError("too many ones")
        self.noisy = reward + self.rng.laplace()


@pytest.mark.parametrize("options", [{}, {"sequential": True}])
def test_candidates_on_which_the_target_raises_an_error_are_left_out_and_counted(options):
    report = privcheck.audit(FullAfterThree, epsilon=3.0, arms=2, horizon=8, runs=300, **options)
    assert report.epsilon_lower is not None
    assert report.verdict == "inconclusive"
    assert any(
        "candidate pairs of streams, which were left out" in note and "too many ones" in note for note in report.notes
    )
    assert report.search.missing


def test_a_target_that_raises_an_error_on_all_candidates_is_an_error():
    class Broken(FullAfterThree):
        def update(self, action, reward):
            raise ValueError("broken")

    with pytest.raises(privcheck.PolicyError, match="ValueError: broken"):
        privcheck.audit(Broken, epsilon=1.0, arms=2, horizon=8, runs=300)
    with pytest.raises(privcheck.PolicyError, match="too many ones"):
        privcheck.audit(FullAfterThree, epsilon=1.0, arms=2, streams=([1.0] * 8, [0.0, *[1.0] * 7]), runs=300)
