"""`privcheck ledger verify` finds every change of a ledger, and what a guard that miscounts has written."""

from __future__ import annotations

import itertools
import json
import shutil
import sqlite3

import pytest

from privcheck.accounting import BudgetFilter
from privcheck.certifying import ledger_problems, read_ledger
from privcheck.certifying._recorded.persons import Persons
from privcheck.certifying._recorded.values import decoded_charges, encoded_charges
from privcheck.errors import PrivcheckError
from privcheck.journal import Entry, SqliteJournal
from privcheck.reporting import ledger_json, ledger_text
from tests.modules import beside

pytestmark = pytest.mark.usefixtures("unsynced_ledgers")

policies = beside(__file__, "ledger_policies", registered=True)
close, guard, rows = policies.close, policies.guard, policies.rows


def written(folder):
    guarded = guard(folder, policies.Mechanisms, per_user=2.0)
    for t in range(6):
        arm = guarded.select(request_id=f"e{t}")
        guarded.update(arm, 1.0, request_id=f"e{t}", user=f"u{t % 3}")
    close(guarded)
    assert problems(folder) == []
    return folder


@pytest.fixture
def folder(tmp_path):
    return written(tmp_path)


def problems(folder):
    return ledger_problems(folder / "budget.db", folder / "heads.db")


KEPT = {"UPDATE entry": "UPDATE written", "FROM entry": "FROM written", "body": "rest", "number": "id % 1099511627776"}
"""What entries are kept as."""


def changed(folder, statement):
    connection = sqlite3.connect(folder / "budget.db")
    if "SET body" in statement:  # which is made of its parts, unless it is written as a whole
        body = "(SELECT body FROM entry WHERE entry.id = written.id)"
        connection.execute(f"UPDATE written SET rest = {body}, round = NULL, told = NULL, by = NULL")
    for name, kept in KEPT.items():
        statement = statement.replace(name, kept)
    count = connection.execute(statement).rowcount
    connection.commit()
    connection.close()
    assert count > 0


CHANGES = {
    "charges lowered": """UPDATE entry SET body = replace(body, '["0x1.', '["0x0.') WHERE body LIKE '%["0x1.%'""",
    "a charge removed": "UPDATE entry SET body = json_set(body, '$.charges', json('[]')) WHERE kind = 'draw'",
    "an answer": "UPDATE entry SET body = json_set(body, '$.answer.value', 1 - json_extract(body, '$.answer.value')) "
    "WHERE kind = 'select' AND event = 3",
    "a draw": "UPDATE entry SET body = json_set(body, '$.scale', '0x1.0p+0') WHERE kind = 'draw'",
    "a person": "UPDATE entry SET who = 'a' || hex(who) WHERE who <> ''",
    "a window": "UPDATE entry SET window = 1 WHERE who <> ''",
    "an id": "UPDATE entry SET request = 'f' || request WHERE request <> ''",
    "a round": "UPDATE entry SET body = json_set(body, '$.round', 9) WHERE kind = 'update'",
    "the end": "DELETE FROM entry WHERE number = (SELECT max(number) FROM entry)",
    "the beginning": "DELETE FROM entry WHERE number = 1",
    "the middle": "DELETE FROM entry WHERE number = 7",
    "the budget": "UPDATE entry SET body = json_set(body, '$.parameters.epsilon', 50.0) WHERE number = 1",
    "the secret": "UPDATE scope SET secret = zeroblob(32)",
    "the salt": "UPDATE scope SET salt = zeroblob(32)",
    "the name": "UPDATE scope SET name = 'olds'",
    "an event": "UPDATE entry SET event = event + 1 WHERE number = 9",
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_change_is_found(folder, name):
    changed(folder, CHANGES[name])
    found = problems(folder)
    assert found
    assert all("\n" not in line for line in found)


def test_each_byte_of_what_is_read_is_hashed(folder):
    """Whatever column of whatever entry changes, and nothing else: verify reads all of it, and hashes all of it."""
    columns = [name for _, name, *_ in rows(folder, "PRAGMA table_info(written)") if name != "hash"]
    assert len(columns) == 10
    numbers, whole = ("id", "event", "window", "round"), rows(folder, "SELECT number FROM entry WHERE told IS NULL")
    for number, column in itertools.product((1, 2, 5, 8), columns):
        if column in ("round", "told", "by") and (number,) in whole:
            continue  # it has none, and nothing reads it
        shutil.copy(folder / "budget.db", folder / "kept.db")
        value = f"{column} + 1000" if column in numbers else f"CAST({column} || 'f' AS BLOB)"
        changed(folder, f"UPDATE entry SET {column} = {value} WHERE number = {number}")
        assert problems(folder), (number, column)
        for left in folder.glob("budget.db*"):
            left.unlink()
        shutil.copy(folder / "kept.db", folder / "budget.db")
        assert problems(folder) == []


def test_a_scope_that_no_longer_says_what_it_continues_is_found(tmp_path):
    """The rewards of its persons would be counted from zero."""
    close(guard(tmp_path, per_user=1.0))
    close(guard(tmp_path, scope="later", continues="news", per_user=1.0))
    assert problems(tmp_path) == []
    changed(tmp_path, "UPDATE scope SET continues = NULL WHERE name = 'later'")
    assert any("it was made to continue" in line for line in problems(tmp_path))


def test_a_copy_from_before_a_scope_was_opened_does_not_verify(folder):
    """The scopes that it has may all end as their heads say."""
    copy = folder.with_name("copy.db")
    shutil.copy(folder / "budget.db", copy)
    close(guard(folder, scope="later"))
    assert problems(folder) == []
    shutil.copy(copy, folder / "budget.db")
    (why,) = ledger_problems(folder / "budget.db", folder / "heads.db")
    assert "the scope 'later' is not in the ledger" in why
    assert "an old copy" in why
    assert ledger_problems(copy, folder / "heads.db") == [], "the head of another file says nothing of this one"


DAMAGED = {
    "the first entry": ("budget.db", "UPDATE written SET rest = 'null' WHERE id % 1099511627776 = 1"),
    "text as a hash": ("budget.db", "UPDATE written SET hash = 'abc' WHERE id = (SELECT max(id) FROM written)"),
    "text as the number of a head": ("heads.db", "UPDATE head SET number = 'x'"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_what_has_another_type_is_found_and_refused(folder, name):
    file, statement = DAMAGED[name]
    connection = sqlite3.connect(folder / file)
    connection.execute(statement)
    connection.commit()
    connection.close()
    assert ledger_problems(folder / "budget.db", folder / "heads.db")
    with pytest.raises(PrivcheckError):
        guard(folder, policies.Mechanisms, per_user=2.0)


UNREADABLE = {
    "told as a number": "UPDATE written SET told = 7 WHERE kind = 'draw'",
    "a body that is a number": "UPDATE written SET rest = '1', told = NULL WHERE id % 1099511627776 = 6",
    "a deep body": "UPDATE written SET rest = replace(hex(zeroblob(50000)), '00', '[') WHERE kind = 'draw'",
    "a number of event": "UPDATE written SET event = 'x' WHERE id % 1099511627776 = 6",
    "a window": "UPDATE written SET window = '9e999' WHERE who <> ''",
    "one person": "UPDATE written SET who = 7 WHERE kind = 'update' AND event = 4",
    "bytes that are no text": "UPDATE scope SET name = CAST(x'f2f2' AS TEXT) WHERE id = 2",
    "a window of text": "UPDATE written SET window = '{}' WHERE who <> ''",
    "a window beyond all dates": "UPDATE written SET window = 4611686018427387904 WHERE who <> ''",
    "a number as person": "UPDATE written SET who = 7 WHERE who <> ''",
    "bytes as number of event": "UPDATE written SET event = x'' WHERE kind = 'draw'",
    "a salt": "UPDATE scope SET salt = 3.5",
    "a secret": "UPDATE scope SET secret = 'x'",
    "what is continued": "UPDATE scope SET continues = '' WHERE id = 1",
    "scopes that continue each other": "UPDATE scope SET continues = 2 WHERE id = 1",
    "the number of a scope": "UPDATE scope SET id = 9223372036854775807 WHERE id = 1",
}  # fmt: skip
"""Changes after which an entry, or a scope, does not say what one of its kind says."""


def test_a_snapshot_that_says_nothing_is_shown(folder):
    """No hash has it, and no command reads what it holds."""
    guarded = guard(folder, policies.Mechanisms, per_user=2.0)
    guarded.forget()
    close(guarded)
    changed(folder, "UPDATE snapshot SET problem = x'6162'")
    found = read_ledger(folder / "budget.db")
    assert "ab" in ledger_text(found, "budget.db") + ledger_json(found)


def test_a_window_that_is_text_is_refused_in_one_line(tmp_path):
    guarded = guard(tmp_path, per_user=1.0, window="day")
    for number in range(2):
        guarded.update(guarded.select(), 1.0, user=f"u{number}")
    close(guarded)
    changed(tmp_path, "UPDATE written SET window = '{}' WHERE id = (SELECT max(id) FROM written WHERE who <> '')")
    assert problems(tmp_path)
    with pytest.raises(PrivcheckError, match="an entry of the scope 'news' cannot be read") as caught:
        ledger_text(read_ledger(tmp_path / "budget.db"), "budget.db")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_is_refused_in_one_line(folder, name):
    """By each command, and by the guard: no traceback, no fault of privcheck, no loop without an end."""
    close(guard(folder, policies.Mechanisms, per_user=2.0, scope="later", continues="news"))
    changed(folder, UNREADABLE[name])
    assert problems(folder)
    for reads in (
        lambda: ledger_text(read_ledger(folder / "budget.db"), "budget.db"),
        lambda: ledger_json(read_ledger(folder / "budget.db")),
        lambda: close(guard(folder, policies.Mechanisms, per_user=2.0, scope="later")),
        lambda: close(guard(folder, policies.Mechanisms, per_user=2.0, scope="other", continues="later")),
    ):
        try:
            reads()
        except PrivcheckError as error:
            assert "\n" not in str(error)  # noqa: PT017


def test_charges_outside_the_hash_are_noticed(folder, monkeypatch):
    """The twin hashes all of an entry but its charges: they can be lowered."""
    at = Entry.at

    def twin(self, number, previous):
        said = {name: value for name, value in self.said.items() if name != "charges"}
        return at(self._replace(body=json.dumps(said)), number, previous)._replace(body=self.body)

    with monkeypatch.context() as patch:
        patch.setattr(Entry, "at", twin)
        (folder / "twin").mkdir()
        changed(written(folder / "twin"), CHANGES["charges lowered"])
        assert problems(folder / "twin") == []
    changed(folder, CHANGES["charges lowered"])
    assert problems(folder)


def test_a_guard_that_charges_too_much_does_not_verify(tmp_path, monkeypatch):
    """Its chain is sound; what it has charged is above its budget, added up anew."""
    with monkeypatch.context() as patch:
        patch.setattr(BudgetFilter, "check", lambda *_: None)
        guarded = guard(tmp_path, policies.Overspends)
        for _ in range(4):
            guarded.update(guarded.select(), 1.0)
    found = problems(tmp_path)
    assert len(found) == 1
    assert "to 0.75, expected at most epsilon = 0.5 per datum" in found[0]


def test_a_guard_that_admits_too_often_does_not_verify(tmp_path, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(Persons, "refusal", lambda *_: None)
        guarded = guard(tmp_path, per_user=1.0)
        for _ in range(3):
            guarded.update(guarded.select(), 1.0, user="u1")
    (found,) = problems(tmp_path)
    assert "gave 3 rewards, more than the budget" in found


def test_two_answers_for_one_id_do_not_verify(tmp_path, monkeypatch):
    guarded = guard(tmp_path, policies.PlainBlocks)
    guarded.select(request_id="e1")
    guarded._engine.journal.database.execute("DROP INDEX entry_of_request")
    with monkeypatch.context() as patch:
        patch.setattr(SqliteJournal, "answer", lambda *_: None)
        guarded.select(request_id="e1")
    assert "the id 'e1' has two answers" in problems(tmp_path)[0]


def test_what_is_read_is_what_the_guard_says(tmp_path):
    guarded = guard(tmp_path, policies.NoisyLeader, per_user=2.0)
    for t in range(9):
        guarded.update(guarded.select(), 1.0, user=f"u{t % 4}")
    (scope,) = read_ledger(tmp_path / "budget.db")
    assert scope.spent == guarded.spent
    assert scope.totals.totals == guarded.ledger.totals
    assert [row.mechanism for row in scope.releases if row.charges] == [r.mechanism for r in guarded.ledger.releases]
    assert sorted(scope.rewards.values()) == [2, 2, 2, 3]
    assert max(spent for _, spent in scope.of_persons().values()) == 1.5
    assert dict(scope.events) == {"start": 1, "select": 9, "update": 9}


def test_charges_are_read_back_exactly():
    from privcheck.accounting import Charge

    charges = {1: Charge(0.1), 2: Charge(0.1), 5: Charge(mu=0.3), (3, 1): Charge(0.1), 9: Charge(rho=0.2, delta=1e-9)}
    assert dict(decoded_charges(json.loads(json.dumps(encoded_charges(charges))))) == charges


def test_an_index_that_does_not_lead_to_an_entry_is_found(folder):
    """A guard counts by it: a person whose rewards it does not find would be admitted again."""
    file = folder / "budget.db"
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    ((size,),) = connection.execute("PRAGMA page_size")
    ((page,),) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'entry_of_person'")
    ((code,),) = connection.execute("SELECT max(substr(who, 1, 8)) FROM written WHERE who <> ''")
    connection.close()
    content = bytearray(file.read_bytes())
    place = content.index(code, (page - 1) * size, page * size)
    content[place] ^= 1
    file.write_bytes(content)
    assert any(found.startswith("the file is damaged: ") and "entry_of_person" in found for found in problems(folder))
