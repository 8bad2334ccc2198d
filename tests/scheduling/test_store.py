"""A store: the same work goes on after it was killed, other work is not confused with it, two clients share it."""

from __future__ import annotations

import dataclasses
import errno
import functools
import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import privcheck
from privcheck import extras
from privcheck.environments import Bernoulli
from privcheck.errors import PrivcheckError
from privcheck.scheduling import Calls, Executor, digest, executor
from privcheck.scheduling import _chunk_store as chunk_store
from privcheck.scheduling import _local_disk as local_disk
from privcheck.sweeps._cell_store import CellStore

pytest.importorskip("pyarrow", reason="the extra store is not installed")
from privcheck.scheduling._part_files import as_parquet, from_parquet

OWN = {"epsilon": 1.0, "arms": 2, "horizon": 4, "runs": 1700, "pairs": 3, "seed": 3}
PLAYED = {"environment": "c2", "horizon": 20_000, "runs": 400, "seed": 3, "epsilon": 1.0, "checkpoints": 20}


@pytest.fixture(autouse=True)
def every_chunk(monkeypatch):
    monkeypatch.setattr(chunk_store, "KEPT_FROM", 0.0)


def counted(made):
    def square(number):
        made.append(number)
        return np.array([number, number**2])

    return square


def squares(made, numbers, store, **changed):
    calls = Calls(counted(made), [(n,) for n in numbers], depends=lambda place: (numbers[place], changed))
    with executor(1, store=store) as workers:
        return [int(result[1]) for result in workers.in_order(calls)]


def test_what_is_kept_is_not_played_again(tmp_path):
    """But for one chunk in each call, by which the others are tested."""
    made = []
    assert squares(made, [1, 2, 3], tmp_path) == [1, 4, 9]
    assert squares(made, [3, 4, 1], tmp_path) == [9, 16, 1]
    assert made[:3] == [1, 2, 3]
    assert made[3] in (1, 3)
    assert made[4:] == [4]
    assert squares(made, [1], tmp_path, other=True) == [1]
    assert made[5:] == [1]


def test_a_file_that_is_damaged_or_gone_is_played_again(tmp_path):
    made = []
    squares(made, [1, 2, 3], tmp_path)
    one, two, _ = sorted(tmp_path.rglob("*.parquet"))
    one.write_bytes(one.read_bytes()[:-9])
    two.unlink()
    assert sorted(squares(made, [1, 2, 3], tmp_path)) == [1, 4, 9]
    assert len(made) <= 6
    del made[:]
    squares(made, [1, 2, 3], tmp_path)
    assert len(made) == 2, "one for each of the two clients"


@pytest.mark.parametrize("column", ["target", "client"])
@pytest.mark.parametrize("rows", ["1", "rowid = 2"])
def test_a_row_of_the_manifest_that_was_damaged_changes_no_answer(tmp_path, column, rows):
    """A chunk that is finished, and that its target does not know of."""
    squares([], [1, 2, 3], tmp_path)
    with closing(sqlite3.connect(tmp_path / "manifest.sqlite")) as manifest:
        manifest.execute(f"UPDATE parts SET {column} = 'x' WHERE {rows}")
        manifest.commit()
    for _ in range(2):
        assert squares([], [1, 2, 3], tmp_path) == [1, 4, 9]


def test_a_fast_chunk_is_not_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(chunk_store, "KEPT_FROM", 3600.0)
    squares([], [1, 2, 3], tmp_path)
    assert not list(tmp_path.rglob("*.parquet"))


def test_keeping_takes_a_share_of_the_time_at_most(tmp_path, monkeypatch):
    """On a disk on which a chunk takes as long to write as to play, one in ten is kept; the broken twin kept all."""
    monkeypatch.setattr(chunk_store, "KEPT_FROM", 0.01)
    write = chunk_store.write_whole
    monkeypatch.setattr(chunk_store, "write_whole", lambda *what: (time.sleep(0.02), write(*what)))

    def slow(number):
        time.sleep(0.02)
        return np.array([number])

    with executor(1, store=tmp_path) as workers:
        list(workers.in_order(Calls(slow, [(n,) for n in range(60)], depends=lambda place: place)))
        assert workers.store._spent <= 0.1 * workers.store.played + 1.0
    assert 1 <= len(list(tmp_path.rglob("*.parquet"))) <= 10


@pytest.mark.parametrize("jobs", [1, 2])
def test_audits_and_simulations_go_on(tmp_path, policy, hashed, jobs, monkeypatch):
    place = policy(0.4)
    for name, play in {
        "audit": lambda **by: privcheck.audit(place, **OWN, **by),
        "simulation": lambda **by: privcheck.simulate(["adap-ucb", "ucb", place], **PLAYED | {"horizon": 50}, **by),
    }.items():
        expected = hashed(play())
        assert hashed(play(store=tmp_path / name, jobs=jobs)) == expected
        files = {path: path.stat().st_mtime_ns for path in (tmp_path / name).rglob("*.parquet")}
        assert files
        with monkeypatch.context() as patch:
            patch.setattr(chunk_store.ChunkStore, "keep", lambda *_: pytest.fail("a chunk was played again"))
            assert hashed(play(store=tmp_path / name)) == expected


def test_a_cluster_goes_on_with_what_one_process_has_played(tmp_path, policy, scheduler, hashed):
    place, address = policy(0.4), scheduler[0]
    expected = hashed(privcheck.audit(place, **OWN))
    half = OWN | {"stop_after": 400}
    privcheck.audit(place, **half, store=tmp_path)
    before = len(list(tmp_path.rglob("*.parquet")))
    assert hashed(privcheck.audit(place, **OWN, store=tmp_path, scheduler=address)) == expected
    assert len(list(tmp_path.rglob("*.parquet"))) > before > 0


def test_what_changes_is_another_key(tmp_path, policy):
    """Among others the source of a module that the target imports; the broken twin would find the first's chunks."""

    options = OWN | {"runs": 800}

    def chunks():
        return len(list((tmp_path / "kept").rglob("*.parquet")))

    place = policy(0.4)
    first = privcheck.audit(place, **options, store=tmp_path / "kept")
    before = chunks()
    for change in ({"seed": 4}, {"horizon": 5}, {"epsilon": 2.0}):
        privcheck.audit(place, **options | change, store=tmp_path / "kept")
        assert chunks() > before
        before = chunks()
    policy(9.0)
    quiet = privcheck.audit(place, **options, store=tmp_path / "kept")
    assert chunks() > before
    assert first.epsilon_lower > 1.0 > quiet.epsilon_lower
    before = chunks()
    (tmp_path / "elsewhere").mkdir()
    for name in ("policy.py", "helper.py"):
        (tmp_path / "elsewhere" / name).write_text((tmp_path / name).read_text())
    privcheck.audit(f"elsewhere/{place}", **options, store=tmp_path / "kept")
    assert chunks() == before, "a folder is no part of a key"


@pytest.mark.parametrize("value", ["{", "[]", "null", "7", '{"numpy": 1}', b"\xff"])
def test_a_damaged_manifest_is_one_line(value, tmp_path):
    with closing(chunk_store.ChunkStore(tmp_path)) as store:
        assert store.settled("a", lambda: (3, 0.5)) == (3, 0.5)
        assert store.settled("a", lambda: (4, 0.5)) == (3, 0.5)
        store.database.execute("UPDATE about SET value = ?", (value,))
        with pytest.raises(PrivcheckError, match=r"got .*its manifest is damaged: settled a, expected .*another"):
            store.settled("a", lambda: (3, 0.5))
    with pytest.raises(PrivcheckError, match=r"store: got .*its manifest is damaged: fingerprint, expected"):
        chunk_store.ChunkStore(tmp_path)


def test_a_part_that_is_a_folder_is_played_again(tmp_path):
    made = []
    squares(made, [1, 2], tmp_path)
    part = sorted(tmp_path.rglob("*.parquet"))[0]
    part.unlink()
    part.mkdir()
    (part / "file").write_text("")
    assert squares(made, [1, 2], tmp_path) == [1, 4]
    assert part.is_file()


def test_other_versions_are_not_mixed(tmp_path):
    squares([], [1], tmp_path)
    with sqlite3.connect(tmp_path / "manifest.sqlite") as manifest:
        (kept,) = manifest.execute("SELECT value FROM about WHERE name = 'fingerprint'").fetchone()
        changed = json.loads(kept) | {"numpy": "1.0", "processor": "z80"}
        manifest.execute("UPDATE about SET value = ? WHERE name = 'fingerprint'", (json.dumps(changed),))
    manifest.close()
    with pytest.raises(PrivcheckError, match=r"store: got .* with numpy 1.0, processor z80, expected numpy "):
        squares([], [1], tmp_path)


SCRIPT = """
import sys
import privcheck
from privcheck.scheduling import _chunk_store as chunk_store, _local_disk as local_disk

chunk_store.KEPT_FROM = 0.0
kept = chunk_store.ChunkStore.keep


def keep(self, *kept_as):
    kept(self, *kept_as)
    print("kept", flush=True)


chunk_store.ChunkStore.keep = keep
found = privcheck.simulate("ucb", "c2", horizon=20_000, runs=2000, seed=3, checkpoints=20, store=sys.argv[1])
print(found.results[0].regret.sum().hex(), flush=True)
"""


def client(store):
    return subprocess.Popen([sys.executable, "-P", "-c", SCRIPT, str(store)], stdout=subprocess.PIPE, text=True)


def test_a_client_that_is_killed_goes_on(tmp_path):
    """SIGKILL after some chunks, twice; then the same command plays only the rest, and the sum is bit by bit that."""
    expected = privcheck.simulate("ucb", "c2", horizon=20_000, runs=2000, seed=3, checkpoints=20)
    chunks = 20
    for _ in range(2):
        process = client(tmp_path)
        for _ in range(4):
            assert process.stdout.readline() == "kept\n"
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    before = len(list(tmp_path.rglob("*.parquet")))
    assert before >= 8
    last = client(tmp_path)
    said = last.communicate(timeout=300)[0].split()
    assert said.pop() == expected.results[0].regret.sum().hex()
    assert len(said) <= chunks - before + 1


def test_two_clients_share_a_store(tmp_path):
    both = [client(tmp_path) for _ in range(2)]
    said = [each.communicate(timeout=300)[0].split() for each in both]
    assert said[0].pop() == said[1].pop()
    assert len(said[0]) + len(said[1]) <= 22, "no chunk was played by both, but the first, of unknown cost"


def test_a_full_disk_is_one_line(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(chunk_store, "write_whole", full)
    with pytest.raises(PrivcheckError, match=r"store: got .*: the disk is full, expected .*; finished chunks are kept"):
        squares([], [1], tmp_path)


@pytest.mark.parametrize("system", ["nfs4", "cifs"])
def test_a_network_disk_is_refused(tmp_path, monkeypatch, system):
    monkeypatch.setattr(local_disk, "file_system", lambda _: system)
    for opened in (lambda: squares([], [1], tmp_path), lambda: CellStore(tmp_path)):
        with pytest.raises(PrivcheckError, match=f"on a network disk .{system}."):
            opened()


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PrivcheckError, match=r"store: got .*expected a folder that can be written"):
        squares([], [1], tmp_path / "file")


def test_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(extras.PACKAGES, "store", ("no_such_package",))
    with pytest.raises(PrivcheckError, match=r"pip install 'privcheck\[store\]'"):
        squares([], [1], tmp_path)


def test_a_target_without_a_file_or_without_seeds_is_refused(tmp_path):
    space = {"__name__": "nowhere"}
    methods = "def __init__(self, rng): pass\n def select(self): return 0\n def update(self, a, r): pass"
    exec(f"class Policy:\n {methods}", space)
    with pytest.raises(PrivcheckError, match="store: got Policy, which is defined in no file"):
        privcheck.audit(space["Policy"], **OWN, store=tmp_path)
    with pytest.raises(PrivcheckError, match=r"store: got .* have no seed"):
        privcheck.audit(lambda data: 0.0, epsilon=1.0, randomness="independent", runs=100, store=tmp_path)


# The parts of which it is made


@given(arrays(st.sampled_from([np.float64, np.float32, np.int8, np.int64, np.uint8, bool]), array_shapes(min_side=0)))
def test_arrays_are_read_as_they_were(array):
    (found,) = from_parquet(as_parquet({"a": array})).values()
    assert (found.dtype, found.shape) == (array.dtype, array.shape)
    assert found.tobytes() == np.ascontiguousarray(array).tobytes()


@given(st.permutations(range(12)), st.integers(1, 5))
def test_results_have_one_order_in_whichever_they_come(order, ahead):
    class Shuffled(Executor):
        def completed(self, calls):
            for number in order:
                yield number, calls.function(*calls.arguments[number])

    pairs = [(n, ahead) for n in range(12)]
    assert list(Shuffled().in_order(Calls(divmod, pairs))) == [divmod(*pair) for pair in pairs]


@dataclasses.dataclass(frozen=True)
class Held:
    value: object


def test_digests_differ_where_values_do():
    values = [
        None, 0, 0.0, -0.0, False, "", b"", "0", (), [], (0,), ((0,),), (0, 0), {}, {0: 1}, {1: 0}, set(), range(3),
        np.zeros(1), np.zeros(1, np.float32), np.zeros((1, 1)), np.zeros(2), float("nan"), len, abs,
        Held, Held(0), Held(1),
        Bernoulli((0.5, 0.4)), Bernoulli((0.4, 0.5)),
        np.random.SeedSequence(1), np.random.SeedSequence(1, spawn_key=(0,)),
        functools.partial(Held, 1), functools.partial(Held, 2), Path("a"), *(counted(held) for held in ([], [1])),
    ]  # fmt: skip
    digests = [digest(value) for value in values]
    assert len(set(digests)) == len(values)
    assert digests == [digest(value) for value in values]
    command = "from privcheck.scheduling._chunk_keys import digest as d; print(d({'b', 'a', 'c'}), d({'x': 1, 'y': 2}))"
    again = subprocess.run([sys.executable, "-P", "-c", command], capture_output=True, text=True, check=True)
    assert again.stdout.split() == [digest({"c", "a", "b"}), digest({"x": 1, "y": 2})]


lowest, highest = (lambda values: values[0]), (lambda values: values[-1])
first_name, second_name = (lambda held: held.first), (lambda held: held.second)


def scaled(scale):
    class Policy:
        def select(self):
            return scale

    return Policy


def of_scale(number):
    class Policy:
        scale = number

    return Policy


def redefined():
    def one():
        return 1

    first = one

    def one():
        return {2.5j, "two", ...}

    return first, one


@dataclasses.dataclass
class Written:
    value: int = 0


@pytest.mark.parametrize(
    "alike",
    [(lowest, highest), (first_name, second_name), (scaled(1.0), scaled(2.0)), (of_scale(1.0), of_scale(2.0)),
     redefined(), (type("<held>", (scaled(1.0),), {}), type("<held>", (scaled(2.0),), {}))],
)  # fmt: skip
def test_code_of_one_name_in_one_file_is_told_apart(alike):
    assert digest(alike[0]) == digest(alike[0]) != digest(alike[1])


def test_equal_classes_made_twice_are_the_same():
    assert digest(scaled(1.0)) == digest(scaled(1.0))
    assert digest(Written) == digest(Written)


ENCODED = """
def noisy(data, rng):
    return {"hidden": data.sum() + rng.laplace(scale=40.0), "seen": data.sum() + rng.laplace(scale=0.5)}


hidden, seen = (lambda output: output["hidden"]), (lambda output: output["seen"])
"""


def test_an_audit_reads_no_outputs_that_another_lambda_encoded(tmp_path):
    (tmp_path / "own_encoded.py").write_text(ENCODED)
    target, store = f"{tmp_path}/own_encoded.py:noisy", tmp_path / "store"
    options = {"epsilon": 1.0, "runs": 400, "pairs": 2, "horizon": 2}

    def audited(name, **kept):
        report = privcheck.audit(target, encode=f"{tmp_path}/own_encoded.py:{name}", **options, **kept)
        return json.loads(report.to_json()) | {"seconds": 0}

    audited("hidden", store=store)
    assert audited("seen", store=store) == audited("seen")
