"""What events were told is deleted, from the file, its log and its snapshots, and everything else stays."""

from __future__ import annotations

import copyreg
import json
import random
import sys
from pathlib import Path

import numpy as np
import pytest

from privcheck.certifying import ledger_problems, read_ledger
from privcheck.errors import GuardClosedError, PolicyError, PrivcheckError
from privcheck.reporting import ledger_text
from tests.modules import beside

recovery = beside(__file__, "test_ledger_recovery")
policies = recovery.policies
close, guard, rows = policies.close, policies.guard, policies.rows


@pytest.fixture(autouse=True)
def quick(monkeypatch, unsynced_ledgers):
    """Pickle finds the classes of the policies."""
    for module in (policies, recovery):
        monkeypatch.setitem(sys.modules, module.__name__, module)


REWARDS = [0.1 + number / 1_234_567.0 for number in range(1, 41)]


def play(guarded, rewards, first=0):
    for t, reward in enumerate(rewards, first):
        guarded.update(guarded.select(request_id=f"e{t}"), reward, request_id=f"e{t}")


def found(folder, rewards):
    """Return the rewards that stand in some file, in the digits of JSON, or as numbers of 8 bytes in either order."""
    data = b"".join(file.read_bytes() for file in folder.glob("budget.db*"))
    forms = {reward: (json.dumps(reward).encode(), *(np.array(reward, o).tobytes() for o in ("<f8", ">f8")))
             for reward in rewards}  # fmt: skip
    return [reward for reward, written in forms.items() if any(form in data for form in written)]


def problems(folder):
    return ledger_problems(folder / "budget.db", folder / "heads.db")


class Holds(policies.Blocks):
    """Releases rewards two by two, but keeps every tenth."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        self.kept = []

    def update(self, action, reward):
        super().update(action, reward)
        if self.count % 10 == 0:
            self.kept.append(reward)


def test_no_byte_of_a_forgotten_reward_is_in_a_file(tmp_path):
    guarded = guard(tmp_path)
    play(guarded, REWARDS)
    assert found(tmp_path, REWARDS) == REWARDS
    assert guarded.forget() == 81  # with the start, and 40 calls of select
    assert found(tmp_path, REWARDS) == []
    assert problems(tmp_path) == []
    assert rows(tmp_path, "SELECT count(*) FROM entry WHERE kind = 'update'") == [(40,)]
    text = ledger_text(read_ledger(tmp_path / "budget.db"), "budget.db")
    assert "kept of 0 events, forgotten of 81" in text


@pytest.mark.parametrize("seed", range(4))
def test_rewards_that_are_forgotten_in_parts_leave_no_copy_behind(tmp_path, seed):
    """Rows move within a file as others come and go; two scopes, of which one forgets at times."""
    rng, gone = random.Random(seed), []
    forgets, stays = guard(tmp_path), guard(tmp_path, scope="other")
    other = [0.2 + number / 7_654_321.0 for number in range(1, 61)]
    for part in range(5):
        rewards = [rng.random() for _ in range(2 * rng.randrange(1, 30))]
        play(forgets, rewards, 1000 * part)
        play(stays, other[12 * part : 12 * part + 12], 12 * part)
        forgets.forget()
        gone += rewards
    assert found(tmp_path, gone) == []
    assert found(tmp_path, other) == other
    assert problems(tmp_path) == []
    assert guard(tmp_path, scope="other").spent == 0.5


def test_a_free_page_with_a_reward_is_noticed(tmp_path, monkeypatch):
    """The twin deletes, and overwrites nothing."""
    pragmas = ("journal_mode = WAL", "synchronous = OFF", "secure_delete = OFF")
    monkeypatch.setattr("privcheck.journal._databases.DURABLE", pragmas)
    guarded = guard(tmp_path)
    play(guarded, REWARDS)
    guarded.forget()
    assert rows(tmp_path, "SELECT count(*) FROM told") == [(0,)]
    assert found(tmp_path, REWARDS)


def test_a_log_with_a_reward_is_noticed(tmp_path, monkeypatch):
    """The twin overwrites what it deletes, and leaves the log of the database."""
    from privcheck.journal import SqliteJournal

    monkeypatch.setattr(SqliteJournal, "erase", lambda self: None)
    guarded = guard(tmp_path)
    play(guarded, REWARDS)
    guarded.forget()
    assert found(tmp_path, REWARDS)


def test_an_old_snapshot_with_a_reward_is_noticed(tmp_path, monkeypatch):
    """A snapshot has what is not released yet; the twin keeps the rows of the one before, written as they are."""
    monkeypatch.setattr("privcheck.certifying._recorded.frozen_state.zlib.compress", lambda data, level: data)
    monkeypatch.setattr("privcheck.certifying._recorded.frozen_state.zlib.decompress", lambda data: data)
    guarded = guard(tmp_path)
    play(guarded, REWARDS[:5])
    guarded.forget()
    assert found(tmp_path, REWARDS[:5]) == REWARDS[4:5], "the reward that is not released yet"
    connection = policies.sqlite3.connect(tmp_path / "budget.db")
    connection.execute("INSERT INTO snapshot SELECT 99, number, hash, code, seal, state, '' FROM snapshot")
    connection.commit()
    play(guarded, REWARDS[5:6], 5)
    guarded.forget()
    assert found(tmp_path, REWARDS[:6]) == REWARDS[4:5], "in the row of the twin"
    connection.execute("DELETE FROM snapshot WHERE scope = 99")
    connection.commit()
    connection.close()
    guarded.forget()
    assert found(tmp_path, REWARDS[:6]) == []


def test_what_is_not_released_stays_until_it_is(tmp_path):
    guarded = guard(tmp_path, Holds)
    play(guarded, REWARDS[:25])
    guarded.forget()
    assert found(tmp_path, REWARDS[:25]) == [REWARDS[9], REWARDS[19], REWARDS[24]]
    assert problems(tmp_path) == []
    guarded._policy.kept.clear()
    play(guarded, REWARDS[25:26], 25)
    guarded.forget()
    assert found(tmp_path, REWARDS[:26]) == []


class Batches(recovery.Batches):
    """Keeps the rewards of its third batch."""

    def learn(self, actions, rewards):
        super().learn(actions, rewards)
        self.count += 1
        if self.count == 3:
            self.kept = rewards[1]


class AllArms(recovery.AllArms):
    """Keeps the rewards of the third round."""

    def update(self, action, rewards):
        super().update(action, rewards)
        if self.count == 3:
            self.kept = rewards[1]


class Delayed(recovery.Delayed):
    """Keeps the reward of the third round, and is told them in another order."""

    def update(self, number, reward):
        super().update(number, reward)
        if number == 3:
            self.kept = reward


class Contextual(recovery.Linear):
    """Keeps the context of the third round."""

    rounds = 0

    def update(self, context, action, reward):
        super().update(context, action, reward)
        self.rounds += 1
        if self.rounds == 3:
            self.kept = context[1]


KEEPING = {"batch": Batches, "full": AllArms, "delayed": Delayed, "contextual": Contextual}


@pytest.mark.parametrize("name", KEEPING)
def test_what_is_not_released_stays_under_each_kind_of_feedback(tmp_path, name):
    guarded, rng = guard(tmp_path, KEEPING[name], **recovery.CASES[name][1]), np.random.default_rng(3)
    for t in range(6):
        context = (rng.standard_normal((2, 3)) / 6.0,) if name == "contextual" else ()
        chosen = guarded.act(3) if name == "batch" else guarded.select(*context)
        if name == "batch":
            guarded.learn(chosen, rng.random(3))
        elif name == "delayed":
            if t % 2:
                for number in (t + 1, t):
                    guarded.update(number, float(rng.random()))
        else:
            guarded.update(*context, chosen, rng.random(2) if name == "full" else float(rng.random()))
    guarded.forget()
    kind = "learn" if name == "batch" else "update"
    events = rows(tmp_path, f"SELECT number FROM entry WHERE kind = '{kind}' ORDER BY number")
    assert rows(tmp_path, "SELECT id % 1099511627776 FROM told") == [events[3 if name == "delayed" else 2]]
    close(guarded)
    assert guard(tmp_path, KEEPING[name], **recovery.CASES[name][1])._policy.kept is not None


class Complains(recovery.Linear):
    """Refuses a context in words that show it."""

    def select(self, context):
        if abs(context[0, 0]) > 0.2:
            raise ValueError(f"not for {context[0, 0]!r}")
        return super().select(context)


def test_an_error_that_shows_a_context_is_in_no_file(tmp_path):
    """The caller sees the words, once; what is asked again is told the type alone."""
    guarded = guard(tmp_path, Complains, **recovery.CASES["contextual"][1])
    context = np.array([[0.2345678, 0.0, 0.0], [0.0, 0.0, 0.0]])
    with pytest.raises(PolicyError, match=r"not for .*0\.2345678"):
        guarded.select(context, request_id="e1")
    for forgets in (False, True):
        if forgets:
            guarded.forget()
        with pytest.raises(GuardClosedError, match="an event that was answered by PolicyError, expected"):
            guarded.select(context, request_id="e1")
    written = b"".join(file.read_bytes() for file in tmp_path.iterdir() if file.is_file())
    assert b"PolicyError" in written
    assert b"2345678" not in written
    guarded.update(context / 2.0, guarded.select(context / 2.0), 0.5)
    close(guarded)
    with pytest.raises(GuardClosedError, match="an event that was answered by PolicyError, expected"):
        guard(tmp_path, Complains, **recovery.CASES["contextual"][1]).select(context, request_id="e1")
    assert problems(tmp_path) == []


def test_the_guard_goes_on_and_answers_as_before(tmp_path, monkeypatch):
    """Compared with a run that forgets nothing, whose noise is the same."""

    def run(folder, forgets):
        with monkeypatch.context() as patch:
            guard_of = recovery.guard

            def opened(*given, **options):
                guarded = guard_of(*given, **options)
                if forgets and guarded._engine._events > 1:
                    guarded.forget()
                return guarded

            patch.setattr(recovery, "guard", opened)
            return recovery.run(folder, "noise and coins of numpy", patch, "before calls")

    assert run(tmp_path / "plain", False) == run(tmp_path / "forgets", True)


def test_a_retry_gets_the_old_answer_whatever_it_says(tmp_path):
    guarded = guard(tmp_path)
    arms = [guarded.select(request_id=f"e{t}") for t in range(10)]
    for t, arm in enumerate(arms):
        guarded.update(arm, 0.5, request_id=f"e{t}")
    with pytest.raises(PrivcheckError, match="other arguments"):
        guarded.update(arms[3], 0.75, request_id="e3")
    spent = guarded.spent
    guarded.forget()
    head = rows(tmp_path, "SELECT max(number) FROM entry")
    guarded.update(arms[3], 0.75, request_id="e3")
    assert [guarded.select(request_id=f"e{t}") for t in range(10)] == arms
    assert (guarded.spent, rows(tmp_path, "SELECT max(number) FROM entry")) == (spent, head)


CONTINUED = r"^scope: got the scope 'news', which 'later' continues, .*; open the scope 'later'$"


def test_other_code_is_not_the_cause_where_a_scope_is_continued(tmp_path):
    """To name another scope that continues it, as other code is told elsewhere, would be refused."""
    guarded = guard(tmp_path)
    play(guarded, REWARDS[:8])
    close(guarded)
    with pytest.raises(PrivcheckError, match="code that does not do again what is recorded"):
        guard(tmp_path, policies.NoisyLeader)
    guard(tmp_path, scope="later", continues="news")
    with pytest.raises(PrivcheckError, match=CONTINUED):
        guard(tmp_path, policies.NoisyLeader)


def test_forgetting_goes_back_to_the_scopes_that_are_continued(tmp_path):
    first = guard(tmp_path)
    play(first, REWARDS[:8])
    second = guard(tmp_path, scope="later", continues="news")
    play(second, REWARDS[8:12], 8)
    second.forget()
    assert found(tmp_path, REWARDS) == []
    assert problems(tmp_path) == []
    for policy in (policies.Blocks, Holds):  # whatever the code, it is not the cause
        with pytest.raises(PrivcheckError, match=CONTINUED):
            guard(tmp_path, policy)
    with pytest.raises(PrivcheckError, match=r"is forgotten.*continues="):
        guard(tmp_path, Holds, scope="later")
    assert guard(tmp_path, scope="later").spent == 0.5


def test_a_scope_that_is_continued_leaves_forgetting_to_the_newest(tmp_path):
    """A snapshot of what a worker of the old scope has in memory would bring back what the new one has forgotten."""
    old = guard(tmp_path)
    old.update(old.select(), 0.123456789)
    new = guard(tmp_path, scope="new", continues="news")
    assert new.forget() > 0
    before = [path.read_bytes() for path in sorted(tmp_path.glob("budget.db*"))]
    with pytest.raises(PrivcheckError, match=r"scope: got forget\(\) of a scope that another one continues"):
        old.forget()
    assert [path.read_bytes() for path in sorted(tmp_path.glob("budget.db*"))] == before
    assert not any(b"0.123456789" in content for content in before)
    for guarded in (old, new):
        close(guarded)


def test_other_code_cannot_go_on_after_forgetting_but_can_continue(tmp_path):
    guarded = guard(tmp_path)
    play(guarded, REWARDS[:8])
    guarded.forget()
    close(guarded)

    class Other(policies.Blocks):
        pass

    with pytest.raises(PrivcheckError, match=r"is forgotten, .*; only a guard .* with the same code") as caught:
        guard(tmp_path, Other)
    assert "\n" not in str(caught.value)
    assert guard(tmp_path)._engine._events == 16
    assert guard(tmp_path, Other, scope="later", continues="news").select() in (0, 1)


def test_a_policy_without_a_snapshot_forgets_nothing(tmp_path):
    class Local(policies.Blocks):
        pass

    guarded = guard(tmp_path, Local)
    play(guarded, REWARDS[:8])
    with pytest.raises(PrivcheckError, match="without a snapshot: it cannot be written") as caught:
        guarded.forget()
    assert "\n" not in str(caught.value)
    assert found(tmp_path, REWARDS[:8]) == REWARDS[:8]
    play(guarded, REWARDS[8:9], 8)
    close(guarded)
    assert guard(tmp_path, Local).spent == 0.5


class TwoPartsError(Exception):
    """Can be written, and not be read back, as most errors with a constructor of their own."""

    def __init__(self, what, where):
        super().__init__(f"{what} in {where}")


class KeepsError(policies.Blocks):
    """Keeps an error that it has met."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        self.met = TwoPartsError("nothing", "the cache")


class Forwards(policies.Blocks):
    """Is asked for an attribute, when it is read back, before it has any."""

    def __init__(self, rng, arms=2, epsilon=0.5):
        super().__init__(rng, arms, epsilon)
        self.inner = []

    def __getattr__(self, name):
        return getattr(self.inner, name)


@pytest.fixture
def written_as_usual(monkeypatch):
    """Let errors be written as Python does it: a library of another test may have registered how."""
    monkeypatch.delitem(copyreg.dispatch_table, TwoPartsError, raising=False)


@pytest.mark.parametrize(("policy", "why"), [(KeepsError, "TypeError"), (Forwards, "RecursionError")])
@pytest.mark.usefixtures("written_as_usual")
def test_a_policy_that_cannot_be_read_back_forgets_nothing(tmp_path, policy, why):
    """With what it was told deleted, the scope would open no more."""
    guarded = guard(tmp_path, policy)
    play(guarded, REWARDS[:8])
    with pytest.raises(PrivcheckError, match=rf"without a snapshot: it cannot be read back \({why}"):
        guarded.forget()
    assert found(tmp_path, REWARDS[:8]) == REWARDS[:8]
    play(guarded, REWARDS[8:9], 8)
    close(guarded)
    again = guard(tmp_path, policy)
    play(again, REWARDS[:10])
    assert problems(tmp_path) == []


class Closes(policies.Blocks):
    """Fails by an error that cannot be read back."""

    def update(self, action, reward):
        super().update(action, reward)
        if self.count == 3:
            raise TwoPartsError("no arm", "the table")


@pytest.mark.usefixtures("written_as_usual")
def test_an_error_that_has_closed_a_scope_is_kept_in_words_if_it_cannot_be_read_back(tmp_path):
    guarded = guard(tmp_path, Closes)
    with pytest.raises(TwoPartsError):
        play(guarded, REWARDS[:3])
    assert guarded.forget() > 0
    close(guarded)
    for _ in range(2):
        with pytest.raises(GuardClosedError, match=r"answered by .*TwoPartsError: no arm in the table"):
            guard(tmp_path, Closes).select()
    assert found(tmp_path, REWARDS[:2]) == []
    assert problems(tmp_path) == []


def test_a_guard_in_memory_keeps_nothing_to_forget():
    import privcheck

    assert privcheck.guard(policies.Blocks, epsilon=0.5, arms=2).forget() == 0


def test_what_was_told_is_hashed(tmp_path):
    """What is played at the next start, and not shown by any command."""
    guarded = guard(tmp_path)
    play(guarded, REWARDS[:8])
    close(guarded)
    connection = policies.sqlite3.connect(tmp_path / "budget.db")
    connection.execute("UPDATE told SET input = replace(input, '0.1', '0.9') WHERE id = (SELECT max(id) FROM told)")
    connection.commit()
    connection.close()
    assert any("what the event was told" in line for line in problems(tmp_path))
    with pytest.raises(PrivcheckError, match="is not what it was told"):
        guard(tmp_path)


def test_forgetting_is_refused_while_the_log_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr("privcheck.scheduling._sqlite_files.WAITED", 0.1)
    guarded = guard(tmp_path)
    play(guarded, REWARDS[:8])
    reader = policies.sqlite3.connect(tmp_path / "budget.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM entry LIMIT 1").fetchall()
    with pytest.raises(PrivcheckError, match=r"still in its log.*call forget\(\) again"):
        guarded.forget()
    reader.close()
    assert guarded.forget() == 0
    assert found(tmp_path, REWARDS) == []
    play(guarded, REWARDS[8:9], 8)


def test_another_worker_goes_on_after_one_has_forgotten(tmp_path):
    one, two = guard(tmp_path), guard(tmp_path)
    play(one, REWARDS[:6])
    play(two, REWARDS[6:8], 6)
    one.forget()
    play(two, REWARDS[8:12], 8)
    play(one, REWARDS[12:14], 12)
    assert two.spent == one.spent == 0.5
    assert two.forget() > 0
    assert found(tmp_path, REWARDS) == []
    assert problems(tmp_path) == []


def test_a_ledger_of_the_first_format_goes_on(tmp_path):
    """Its entries keep their hashes, it takes snapshots, and it forgets."""
    import shutil

    shutil.copy(Path(__file__).parents[1] / "journal" / "stored" / "format1.db", tmp_path / "budget.db")
    before = rows(
        tmp_path, "SELECT number, event, kind, body, request, person, window, hash FROM entry ORDER BY number"
    )
    told = rows(tmp_path, "SELECT number, salt, input FROM told ORDER BY number")
    assert ledger_problems(tmp_path / "budget.db") == []
    columns = "number, event, kind, body, request, person, window, hash"
    assert rows(tmp_path, f"SELECT {columns} FROM entry ORDER BY id") == before
    kept = rows(tmp_path, "SELECT id % 1099511627776, salt, input FROM told ORDER BY id")
    assert [(number, salt, b'{"tuple": [' + parts + b"]}") for number, salt, parts in kept] == told
    ((identity,),) = rows(tmp_path, "SELECT identity FROM scope")
    (tmp_path / "other").mkdir()
    close(guard(tmp_path / "other", head=tmp_path / "heads.db"))  # makes the file with the heads
    heads = policies.sqlite3.connect(tmp_path / "heads.db")
    row = identity, f"{tmp_path / 'budget.db'} news", before[-1][0], before[-1][-1]
    heads.execute("INSERT INTO head VALUES (?, ?, ?, ?)", row)
    heads.commit()
    heads.close()
    assert problems(tmp_path) == []
    options = {"policy": policies.PlainBlocks, "per_user": 2.0, "window": "day"}
    with pytest.warns(RuntimeWarning, match="written with another"):
        guarded = guard(tmp_path, **options)
    assert guarded.spent == 0.5
    assert guarded.select(request_id="e3") == 1
    guarded.update(guarded.select(request_id="e7"), 1.0, request_id="e7", user="u7")
    assert guarded.forget() == len(told) + 1
    assert rows(tmp_path, "SELECT count(*) FROM told") == [(1,)]
    close(guarded)
    assert guard(tmp_path, **options)._engine._events == 14
    assert problems(tmp_path) == []
