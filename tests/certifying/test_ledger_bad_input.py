"""Each mistake with a ledger is told in one sentence, and changes nothing."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck import PrivcheckError
from privcheck.bandits import ALGORITHMS
from privcheck.certifying import ledger_problems, read_ledger
from privcheck.journal import LedgerFile
from tests.modules import beside

pytestmark = pytest.mark.usefixtures("unsynced_ledgers")

policies = beside(__file__, "ledger_policies")
close, guard, rows = policies.close, policies.guard, policies.rows


def refused(call, *expected):
    """Check that a call is refused in one line with these words."""
    with pytest.raises(PrivcheckError) as caught:
        call()
    said = str(caught.value)
    assert "\n" not in said
    for words in expected:
        assert words in said, said


ARGUMENTS = [
    ({"ledger": 3}, "ledger: got 3, expected the path of a file"),
    ({"scope": None}, "scope: got None, expected a name"),
    ({"scope": 7}, "scope: got 7, expected a name"),
    ({"noise": "float"}, "noise: got 'float', expected secure noise with ledger="),
    ({"rng": np.random.default_rng(0)}, "rng: got a Generator with secure noise"),
    ({"window": "day"}, "window: got 'day', expected None without per_user="),
    ({"per_user": 1.0, "window": "month"}, "window: got 'month', expected None, 'hour', 'day', 'week'"),
    ({"per_user": 0.4}, "per_user: got 0.4, expected at least the budget of one reward, 0.5"),
    ({"per_user": -1.0}, "per_user: got -1.0"),
    ({"per_user": 9.0, "delta": 0.1}, "per_user: got 9.0, expected None for a budget with delta"),
    ({"per_user": 1.0, "neighbours": "group:2"}, "expected one datum in each call of update()"),
    ({"per_user": 1.0, "feedback": "batch"}, "expected one datum in each call of update()"),
    ({"epsilon": 8192.0}, "epsilon: got 8192.0, expected a number below 8192 with ledger="),
    ({"continues": "olds"}, "continues: got 'olds', expected the name of a scope of this ledger"),
    ({"head": 3}, "head: got 3, expected the path of a file"),
    ({"ledger": "postgres://x/y"}, "ledger: got 'postgres://x/y', expected the path of a file"),
    ({"ledger": "a\0b"}, "ledger: got 'a\\x00b', expected the path of a file"),
    ({"head": "a\0b"}, "head: got 'a\\x00b', expected the path of a file"),
    ({"head": "a\ud800"}, "head: got 'a\\ud800', expected the path of a file"),
    ({"scope": "a\ud800"}, "scope: got 'a\\ud800', expected text that can be encoded in UTF-8"),
    ({"per_user": 1.0, "window": ["day"]}, "window: got ['day'], expected None, 'hour', 'day', 'week'"),
]


@pytest.mark.parametrize(("options", "said"), ARGUMENTS, ids=[said[:40] for _, said in ARGUMENTS])
def test_arguments(tmp_path, options, said):
    given = {"epsilon": 0.5, "arms": 2, "scope": "news", "ledger": tmp_path / "b.db", "head": tmp_path / "h.db"}
    refused(lambda: privcheck.guard(policies.Blocks, **given | options), said)


@pytest.mark.parametrize(
    "options",
    [
        {"epsilon": Fraction(1, 2)},
        {"epsilon": np.float32(0.5), "arms": np.int64(2)},
        {"epsilon": None, "rho": np.float32(0.5), "per_user": np.int64(1)},
        {"delta": np.float32(1e-5)},
    ],
)
def test_numbers_of_other_types_are_those_of_the_same_value(tmp_path, options):
    plain = {name: value and (int if name == "arms" else float)(value) for name, value in options.items()}
    for given in (options, plain, options):
        close(guard(tmp_path, **given))
    refused(lambda: guard(tmp_path, **options | {"arms": np.int64(3)}), "arms: got 3, expected 2, as in the scope")


@pytest.mark.parametrize("name", ["scope", "head", "continues"])
def test_arguments_of_a_ledger_without_one(name):
    refused(lambda: privcheck.guard(policies.Blocks, epsilon=0.5, **{name: "x"}), f"{name}: got 'x'", "without ledger=")


def test_a_built_policy_is_refused(tmp_path):
    built = policies.Blocks(np.random.default_rng(0))
    refused(lambda: guard(tmp_path, built), "policy: got a policy that is built already", "a class or factory")


def test_files_that_are_no_ledgers(tmp_path):
    (tmp_path / "budget.db").write_text("not a database, though long enough to have a header of a hundred bytes" * 3)
    refused(lambda: guard(tmp_path), "budget.db: file is not a database")
    (tmp_path / "budget.db").unlink()
    connection = sqlite3.connect(tmp_path / "budget.db")
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    refused(lambda: guard(tmp_path), "it is a database of another program")
    (tmp_path / "budget.db").unlink()
    (tmp_path / "budget.db").mkdir()
    refused(lambda: guard(tmp_path), "it is a folder")


def test_a_ledger_of_a_later_version(tmp_path):
    close(guard(tmp_path))
    connection = sqlite3.connect(tmp_path / "budget.db")
    connection.execute("PRAGMA user_version = 9")
    connection.close()
    refused(lambda: guard(tmp_path), "its format is 9")


def test_a_network_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("privcheck.scheduling._local_disk.file_system", lambda folder: "nfs4")
    refused(lambda: guard(tmp_path), "on a network disk (nfs4)")


def test_a_file_that_cannot_be_written(tmp_path, monkeypatch):
    close(guard(tmp_path))
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    refused(lambda: guard(tmp_path), "budget.db: it cannot be written")


@pytest.mark.parametrize(
    "options",
    [
        {"epsilon": 0.75}, {"epsilon": None, "rho": 0.5}, {"rewards": (0.0, 2.0)}, {"neighbours": "reward"},
        {"feedback": "full"}, {"arms": 3}, {"per_user": 1.0},
    ],
    ids=str,
)  # fmt: skip
def test_other_parameters(tmp_path, options):
    close(guard(tmp_path))
    refused(lambda: guard(tmp_path, **options), "as in the scope 'news' of the ledger", "continues='news'")
    guard(tmp_path, scope="newer", continues="news", **options if "per_user" not in options else {})


def test_ids_and_users(tmp_path):
    guarded = guard(tmp_path, per_user=1.0)
    for request in (7, "", b"e1", ["e1"]):
        refused(lambda request=request: guarded.select(request_id=request), "request_id: got", "a string")
    refused(lambda: guarded.update(0, 1.0), "user: got None, expected the name of the person, under per_user=")
    for user in ("", 1.5, ["u1"], True):
        refused(lambda user=user: guarded.update(0, 1.0, user=user), "user: got", "a string or an integer")
    plain = privcheck.guard(policies.Blocks, epsilon=0.5)
    refused(lambda: plain.update(0, 1.0, user="u1"), "user: got 'u1', expected None without per_user=")
    assert rows(tmp_path, "SELECT count(*) FROM entry WHERE event > 0") == [(0,)]


def test_persons_with_batches_are_refused_with_what_to_do_in_their_place():
    by_hand = (
        "leave per_user and user out; let each person give at most k rewards in a window, which your own code counts"
    )
    with pytest.raises(PrivcheckError, match=by_hand):
        privcheck.guard(policies.Blocks, epsilon=0.5, arms=2, feedback="batch", per_user=2.0)


def test_persons_with_contexts_are_told_what_to_do():
    """Two refusals once sent the reader from one to the other."""
    options = {"feedback": "contextual", "neighbours": "context-reward", "contexts": privcheck.Contexts((2,), norm=1.0)}
    guard = partial(privcheck.guard, LinearBlocks, rho=0.5, arms=2, **options)
    plain = guard()
    action = plain.select(np.zeros(2))
    for call in (partial(plain.select, np.zeros(2)), partial(plain.update, np.zeros(2), action, 1.0)):
        with pytest.raises(
            PrivcheckError, match="user: got 'u1', expected None without per_user=; give the guard per_us"
        ):
            call(user="u1")
    guarded = guard(per_user=2.0)
    guarded.update(np.zeros(2), guarded.select(np.zeros(2), user="u1"), 1.0, user="u1")
    assert guarded.spent <= 0.5


class LinearBlocks:
    """Releases the sum of reward times context of each round."""

    def __init__(self, rng, arms, rho):
        self.rng, self.arms, self.theta, self.scale = rng, arms, np.zeros(2), 2.0 / np.sqrt(2.0 * rho)

    def select(self, context):
        return int(context @ self.theta > 0.0)

    def update(self, context, action, reward):
        self.theta = reward * privcheck.clip_norm(context, 1.0) + self.rng.normal(0.0, self.scale, 2)


@pytest.mark.parametrize("kept", [True, False])
def test_another_input_under_an_id(tmp_path, kept):
    guarded = guard(tmp_path) if kept else privcheck.guard(policies.Blocks, epsilon=0.5, arms=2)
    arm = guarded.select(request_id="e1")
    refused(lambda: guarded.update(1 - arm, 1.0, request_id="e1"), f"action: got {1 - arm} under the id 'e1'", "chosen")
    guarded.update(arm, 1.0, request_id="e1")
    guarded.update(arm, 1.0, request_id="e1")
    refused(lambda: guarded.update(arm, 0.5, request_id="e1"), "request_id: got 'e1', which was recorded with other")
    assert guarded._session.round == 2, "one reward was passed on"


@pytest.mark.parametrize(
    ("third", "said"),
    [
        ({"action": 0, "reward": 7.0, "user": "u1"}, "event 3: reward"),
        ({"action": 5, "reward": 1.0, "user": "u1"}, "event 3: action"),
        ({"action": 0, "reward": 1.0}, "event 3: user: got None"),
        ({"action": 0, "user": "u1"}, "event 3: got ['action', 'user']"),
        ({"action": 0, "reward": 1.0, "user": "u1", "when": 3}, "event 3: got"),
        ({"action": 0, "reward": 1.0, "user": "u1", "request_id": "e1"}, "event 3: request_id: got 'e1' twice"),
        ("e3", "event 3: got str"),
    ],
)
@pytest.mark.parametrize("kept", [True, False])
def test_a_bad_third_event_is_refused_before_the_first_is_played(tmp_path, third, said, kept):
    options = {"epsilon": 0.5, "arms": 2, "per_user": 9.0}
    guarded = (
        guard(tmp_path, policies.PlainBlocks, **options) if kept else privcheck.guard(policies.PlainBlocks, **options)
    )
    assert [guarded.select() for _ in range(3)] == [0] * 3
    events = [{"action": 0, "reward": 1.0, "user": "u1", "request_id": f"e{t}"} for t in (1, 2)]
    refused(lambda: guarded.update_many([*events, third]), said)
    assert (guarded._session.round, guarded.spent) == (1, 0.0)
    assert guarded.update_many(events) == [None, None]
    assert (guarded._session.round, guarded.spent) == (3, 0.5)


def test_update_many_takes_a_list(tmp_path):
    guarded = guard(tmp_path)
    for events in ({"action": 0}, "ab", 3, None):
        refused(lambda events=events: guarded.update_many(events), "events: got", "a list of dictionaries")
    assert guarded.update_many([]) == []


def test_a_mechanism_without_an_exact_sampler(tmp_path):
    spec = ALGORITHMS["lin-ucb-wishart"](arms=2, features=3, epsilon=1.0, delta=0.1, horizon=16)
    contexts = privcheck.Contexts(shape=(2, 3), norm=1.0)
    options = {"feedback": "contextual", "neighbours": "context-reward", "contexts": contexts, "delta": 0.1}
    context = np.full((2, 3), 0.1)

    def play():
        guarded = guard(tmp_path, spec.build, epsilon=1.0, **options)
        guarded.update(context, guarded.select(context), 1.0)

    refused(play, "which has no exact sampler")


def head_of(folder):
    return guard(folder), folder / "heads.db"


def test_a_user_without_a_home_folder_is_asked_for_the_file_with_the_heads(tmp_path, monkeypatch):
    def home():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", home)
    with pytest.raises(PrivcheckError, match="head: got None, expected a file, where the process has no home folder"):
        guard(tmp_path, head=None)


def test_a_missing_head(tmp_path):
    guarded = guard(tmp_path)
    guarded.select()
    close(guarded)
    (tmp_path / "heads.db").unlink()
    refused(lambda: guard(tmp_path), "heads.db has no head of the scope 'news'", "restore this file beside the ledger")
    assert rows(tmp_path, "SELECT max(event) FROM entry") == [(1,)]


def test_a_ledger_that_is_missing(tmp_path):
    """The disk is not mounted, say: a new file would give everybody the whole budget again."""
    guarded = guard(tmp_path)
    guarded.update(guarded.select(), 1.0)
    close(guarded)
    for left in tmp_path.glob("budget.db*"):
        left.rename(tmp_path / f"away {left.name}")
    for _ in range(2):
        refused(
            lambda: guard(tmp_path), "budget.db: the scope 'news' is not in it", "heads.db has its head", "restore it"
        )
    for left in tmp_path.glob("budget.db*"):
        left.unlink()
    for left in tmp_path.glob("away *"):
        left.rename(tmp_path / left.name.removeprefix("away "))
    guarded = guard(tmp_path)
    guarded.update(guarded.select(), 1.0)
    assert guard(tmp_path, scope="other people").spent == 0.0


def test_a_head_of_a_scope_without_events_may_be_missing(tmp_path):
    """A process that was killed at its first start has not written it yet."""
    close(guard(tmp_path))
    for left in tmp_path.glob("heads.db*"):
        left.unlink()
    guard(tmp_path).select()


def copied(folder, name):
    (folder / name).mkdir()
    for file in folder.glob("budget.db*"):
        shutil.copy(file, folder / name)


def restored(folder, name):
    for file in folder.glob("budget.db*"):
        file.unlink()
    for file in (folder / name).iterdir():
        shutil.copy(file, folder)


def test_a_backup_that_is_restored_is_refused_by_its_head(tmp_path):
    """The twin without a head goes on: everything that was spent since would be spent again."""
    guarded = guard(tmp_path)
    guarded.update(guarded.select(), 1.0)
    close(guarded)
    copied(tmp_path, "backup")
    guarded = guard(tmp_path)
    for _ in range(3):
        guarded.update(guarded.select(), 1.0)
    ends = rows(tmp_path, "SELECT max(number) FROM entry")[0][0]
    close(guarded)
    restored(tmp_path, "backup")
    before = rows(tmp_path, "SELECT max(number) FROM entry")[0][0]
    refused(lambda: guard(tmp_path), f"the scope 'news' of the ledger ends at entry {before}, its head says {ends}")
    assert privcheck.certifying.ledger_problems(tmp_path / "budget.db") == [], "the copy itself is sound"
    (found,) = privcheck.certifying.ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db")
    assert "ends at entry" in found
    assert guard(tmp_path, head=tmp_path / "other.db", scope="other").spent == 0.0
    close(guard(tmp_path, scope="third"))


@pytest.mark.parametrize("continues", [None, "news"])
def test_a_copy_without_its_log_is_refused_wherever_it_lies(tmp_path, continues):
    """Copied while the service ran, the file had no scope in it yet: there all budgets began anew."""
    if continues:
        close(guard(tmp_path))
    scope = {"scope": "next"} if continues else {}
    guarded = guard(tmp_path, continues=continues, **scope)
    guarded.update(guarded.select(), 1.0)
    (tmp_path / "elsewhere").mkdir()
    copy = shutil.copy(tmp_path / "budget.db", tmp_path / "elsewhere")
    refused(lambda: guard(tmp_path, ledger=copy, **scope), "ends at entry 1, its head says")


def test_a_copy_that_went_its_own_way_is_refused(tmp_path):
    guarded = guard(tmp_path)
    close(guarded)
    copied(tmp_path, "copy")
    guarded = guard(tmp_path)
    guarded.update(guarded.select(), 1.0)
    close(guarded)
    restored(tmp_path, "copy")
    (tmp_path / "own").mkdir()
    shutil.copy(tmp_path / "heads.db", tmp_path / "own" / "heads.db")
    (tmp_path / "heads.db").unlink()
    guarded = guard(tmp_path)
    for _ in range(3):
        guarded.update(guarded.select(), 0.5)
    close(guarded)
    refused(lambda: guard(tmp_path, head=tmp_path / "own" / "heads.db"), "is not the one that its head knows")


def test_a_file_that_is_put_back_under_a_running_guard(tmp_path):
    guarded = guard(tmp_path)
    guarded.select()
    close(guarded)
    copied(tmp_path, "backup")
    guarded = guard(tmp_path)
    for _ in range(3):
        guarded.select()
    connection = sqlite3.connect(tmp_path / "budget.db")
    connection.execute("DELETE FROM written WHERE event > 1")
    connection.commit()
    connection.close()
    refused(guarded.select, "after it ended at entry", "it was put back")


def test_a_ledger_and_its_head_are_not_taken_for_one_another(tmp_path):
    given = {"epsilon": 0.5, "arms": 2, "scope": "news", "ledger": tmp_path / "b.db", "head": tmp_path / "h.db"}
    build = ALGORITHMS["adap-ucb"](arms=2, epsilon=0.5).build
    close(privcheck.guard(build, **given))
    swapped = given | {"ledger": given["head"]}
    refused(lambda: privcheck.guard(build, **swapped), "it holds the heads of ledgers", "give the ledger itself")
    swapped = given | {"head": given["ledger"], "scope": "other"}
    refused(lambda: privcheck.guard(build, **swapped), ": it is a ledger", "give another file for the heads")
    refused(lambda: read_ledger(given["head"]), "it holds the heads of ledgers")
    refused(lambda: read_ledger(tmp_path / "none.db"), "a ledger on a local disk that this process can read;")


@pytest.mark.parametrize("spelled", ["link/budget.db", "folder/sub/../budget.db", "file.db"])
def test_a_ledger_that_is_missing_is_refused_however_its_path_is_written(tmp_path, spelled):
    """A new one would spend again what was spent."""
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "link").symlink_to(folder, target_is_directory=True)
    (tmp_path / "file.db").symlink_to(folder / "budget.db")
    paths = tmp_path / spelled, folder / "budget.db"
    for first, second in (paths, paths[::-1]):
        for file in (*folder.glob("budget.db*"), *tmp_path.glob("heads.db*")):
            file.unlink()
        close(guard(tmp_path, ledger=first))
        for file in folder.glob("budget.db*"):
            file.unlink()
        with pytest.raises(PrivcheckError, match=r"the scope 'news' is not in it, and .* has its head"):
            guard(tmp_path, ledger=second)
        guard(tmp_path, ledger=second, scope="ews")


def test_two_workers_that_write_to_copies_of_a_ledger_are_found_out(tmp_path):
    """Each copy would admit a person anew: of the same entry, the head knows one."""
    close(guard(tmp_path))
    shutil.copy(tmp_path / "budget.db", tmp_path / "copy.db")
    one, other = guard(tmp_path), guard(tmp_path, ledger=tmp_path / "copy.db")
    one.select()
    with pytest.raises(PrivcheckError, match="another worker writes to a copy of this file"):
        other.select()


def test_a_copy_that_is_always_ahead_is_found_out(tmp_path):
    """Whoever shows an entry looks first whether what was shown last is in its file."""
    close(guard(tmp_path))
    shutil.copy(tmp_path / "budget.db", tmp_path / "copy.db")
    one, other = guard(tmp_path), guard(tmp_path, ledger=tmp_path / "copy.db")
    one.select()
    other._engine.journal.show = lambda *_: None
    other.select(), other.select()
    del other._engine.journal.show
    with pytest.raises(PrivcheckError, match="another worker writes to a copy of this file"):
        other.select()
    one.select(), one.select()


def test_a_ledger_in_use_verifies_with_its_head(tmp_path, monkeypatch):
    """The head goes on while the file is read."""
    guarded, read = guard(tmp_path), LedgerFile.entries

    def meanwhile(file, scope):
        yield from read(file, scope)
        guarded.select()

    monkeypatch.setattr(LedgerFile, "entries", meanwhile)
    for _ in range(2):
        assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []


def test_numbers_that_json_has_not_and_lists_without_end_are_refused(tmp_path):
    """An exception without an answer would be a traceback for bad input."""
    guarded, deep = guard(tmp_path), [0.5]
    chosen = guarded.select()
    for _ in range(5000):
        deep = [deep]
    for reward in (np.full(2, 0.5, np.longdouble), deep):
        with pytest.raises(PrivcheckError, match=r"argument: got .*, expected numbers, and lists"):
            guarded.update(chosen, reward, request_id="e1")
    guarded.update(chosen, 0.5, request_id="e1")


@pytest.mark.parametrize("name", ["action", "reward"])
def test_integers_of_too_many_digits_are_refused(tmp_path, name):
    """Python does not write them, nor does a ledger."""
    guarded = guard(tmp_path)
    told = {"action": guarded.select(), "reward": 0.5}
    for call in (lambda: guarded.update(*(told | {name: 10**5000}).values()),
                 lambda: guarded.update_many([told | {name: 10**5000}])):  # fmt: skip
        with pytest.raises(PrivcheckError, match="argument: got an integer of too many digits to be written"):
            call()
    guarded.update(*told.values())
    in_memory = privcheck.guard(policies.Blocks, epsilon=0.5, arms=2)
    with pytest.raises(PrivcheckError, match=f"{name}.*: got an? .*, expected"):
        in_memory.update(*({"action": in_memory.select(), "reward": 0.5} | {name: 10**5000}).values())


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have names in Unicode alone")
def test_a_folder_whose_name_is_no_utf8_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    monkeypatch.chdir(folder)
    with pytest.raises(PrivcheckError, match=r"ledger: got budget.db: it is in a folder whose name is no UTF-8"):
        guard("")
    assert [*folder.iterdir()] == []


@pytest.mark.parametrize("old", [None, "news"])
def test_a_damaged_salt_is_noticed_before_all_persons_are_new(tmp_path, old):
    guarded = guard(tmp_path, per_user=0.5)
    guarded.update(guarded.select(), 0.5, user="u1")
    close(guarded)
    connection = sqlite3.connect(tmp_path / "budget.db")
    connection.execute("UPDATE scope SET salt = randomblob(32)")
    connection.commit()
    connection.close()
    with pytest.raises(PrivcheckError, match="the salt of the scope 'news' is not the one that it was made with"):
        guard(tmp_path, per_user=0.5, scope="more" if old else "news", continues=old)


@pytest.mark.parametrize("given", [{"epsilon": "x"}, {"epsilon": -1.0}, {"rho": "x"}, {"mu": float("nan")}])
def test_a_charge_that_is_no_number_is_named_as_it_was_given(given):
    ((name, value),) = given.items()
    guarded = privcheck.guard(policies.Blocks, epsilon=0.5, arms=2)
    refused(lambda: guarded.would_fit(**given), f"{name}: got {value!r}, expected a finite number of at least 0")


def test_a_limit_of_the_size_of_files_is_named(tmp_path):
    resource = pytest.importorskip("resource", reason="limits of POSIX")
    guarded, soft = guard(tmp_path), resource.getrlimit(resource.RLIMIT_FSIZE)
    size = max(file.stat().st_size for file in tmp_path.iterdir())

    def play():
        for number in range(1000):
            guarded.select(request_id=f"e{number}")

    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 10_000, soft[1]))
        refused(play, "ledger: got ", "a write fails, as where a quota or a limit of the size of files is reached")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, soft)
    play()
    close(guarded)
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "heads.db") == []
