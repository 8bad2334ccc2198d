"""What every journal promises to a guard, in memory or on a disk."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privcheck.certifying import ledger_problems, read_ledger
from privcheck.errors import PrivcheckError
from privcheck.journal import ANSWER, DRAW, Answered, Entry, MemoryJournal, SqliteJournal
from privcheck.journal._chained_entries import Said
from privcheck.journal._databases import LEDGER_FORMATS
from privcheck.journal._ledger_file import OF_PERSON, OF_PERSON_EVER, OF_REQUEST
from privcheck.journal._ledger_tables import insert, read
from privcheck.journal._short_forms import SHORTENED, short_input, short_person, whole_input
from privcheck.scheduling import Database, Refusal


def on_disk(folder: Path) -> SqliteJournal:
    return SqliteJournal(folder / "budget.db", "news", folder / "heads.db", {"epsilon": 1.0}, lambda *_: None)


JOURNALS = {"memory": lambda _: MemoryJournal(), "sqlite": on_disk}


@pytest.fixture(params=JOURNALS)
def journal(request, tmp_path):
    return JOURNALS[request.param](tmp_path)


def event(number, kind="update", request="", person="", window=0):
    return Entry(0, number, kind, '{"answer": {"value": null}}', request, person, window)


TOLD = b"salt", b"[0, 1.0]"


def test_an_event_is_found_under_its_id_and_kind(journal):
    with journal.transaction():
        added = journal.append(event(1, request="e1"), TOLD)
        journal.append(event(2, request="e2"), TOLD)
    found = journal.answer("e1", "update")
    assert (found.event, found.answer, found.salt) == (added, added, b"salt")
    assert journal.answer("e1", "select") is None
    assert journal.answer("", "update") is None


def test_an_id_has_one_event_of_each_kind(journal):
    with journal.transaction():
        journal.append(event(1, request="e1"), TOLD)
        journal.append(event(2, "select", request="e1"), TOLD)
    with pytest.raises(PrivcheckError), journal.transaction():
        journal.append(event(3, request="e1"), TOLD)


def test_entries_have_numbers_in_order(journal):
    before = journal.head()[0]
    with journal.transaction():
        added = [journal.append(event(number, request=f"e{number}"), TOLD) for number in (1, 2, 3)]
    assert [entry.number for entry in added] == [before + 1, before + 2, before + 3]
    assert journal.head()[0] == before + 3


def test_admissions_are_those_of_a_person_in_a_window(journal):
    with journal.transaction():
        for number, (person, window) in enumerate([("a", 1), ("b", 1), ("a", 2), ("a", 2), ("", 0)], 1):
            journal.append(event(number, person=person, window=window), TOLD)
    assert [admission.event.event for admission in journal.admissions("a", 2)] == [3, 4]
    assert [admission.event.event for admission in journal.admissions("b", 1)] == [2]
    assert [admission.event.event for admission in journal.admissions("a")] == [1, 3, 4], "in all windows"
    assert journal.admissions("c", 1) == journal.admissions("c") == journal.admissions("", 0) == []
    assert journal.last_window() == 2


# What outlives the process


def test_a_block_that_is_left_by_an_error_adds_nothing(tmp_path):
    journal = on_disk(tmp_path)
    before = journal.head()

    def add():
        with journal.transaction():
            journal.append(event(1, request="e1"), TOLD)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        add()
    assert (journal.head(), journal.answer("e1", "update")) == (before, None)


def test_what_was_committed_on_the_way_stays(tmp_path):
    journal = on_disk(tmp_path)
    added = []

    def add():
        with journal.transaction():
            added.append(journal.append(event(1, request="e1"), TOLD))
            journal.commit()
            journal.append(event(2, request="e2"), TOLD)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        add()
    (kept,) = added
    assert journal.head() == (kept.number, kept.hash)
    assert [*on_disk(tmp_path).after(kept.number - 1)] == [kept]
    assert journal.told(kept.number) == TOLD


def test_a_pending_event_is_found_without_an_answer(tmp_path):
    journal = on_disk(tmp_path)
    with journal.transaction():
        pending = journal.append(Entry(0, 1, "update", "{}", "e1"), TOLD)
        journal.append(Entry(0, 1, DRAW, "{}"))
    assert journal.answer("e1", "update") == Answered(pending, None, b"salt", False)
    with journal.transaction():
        answered = journal.append(Entry(0, 1, ANSWER, '{"answer": {"value": 1}}'))
    assert journal.answer("e1", "update") == Answered(pending, answered, b"salt", False)


def test_pages_of_entries_are_all_read(tmp_path, monkeypatch):
    monkeypatch.setattr("privcheck.journal._ledger_tables.PAGE", 4)
    journal = on_disk(tmp_path)
    with journal.transaction():
        for number in range(10):
            journal.append(event(number), TOLD)
    assert [entry.event for entry in journal.after(1)] == list(range(10))


def test_only_the_owner_may_read_the_files(tmp_path):
    on_disk(tmp_path)
    assert {oct(file.stat().st_mode & 0o777) for file in tmp_path.iterdir()} == {"0o600"}


def test_the_head_is_in_the_users_folder_for_state_by_default(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    SqliteJournal(tmp_path / "budget.db", "news", None, {}, lambda *_: None)
    assert (tmp_path / "state" / "privcheck" / "heads.db").is_file()


def test_what_is_committed_outlives_a_loss_of_power(tmp_path):
    """FULL, in both files: NORMAL would lose the last answers, which were shown."""
    journal = on_disk(tmp_path)
    for database in (journal.database, journal.heads):
        assert database.rows("PRAGMA synchronous") == [(2,)]
        assert database.rows("PRAGMA journal_mode") == [("wal",)]
    assert journal.database.rows("PRAGMA secure_delete") == [(1,)]


def test_a_committed_ledger_of_each_format_opens(tmp_path):
    """A later version reads what an earlier one has written; to do so it brings the file to its own format."""
    folder = Path(__file__).parent / "stored"
    stored = sorted(folder.glob("format*.db"))
    assert [file.name for file in stored] == [f"format{number}.db" for number in range(1, len(LEDGER_FORMATS) + 1)]
    for file in [Path(shutil.copy(file, tmp_path)) for file in stored]:
        assert ledger_problems(file) == []
        assert [(len(scope.releases), scope.began) for scope in read_ledger(file)] == [(3, None)], "none was kept then"


@pytest.mark.parametrize("number", range(1, len(LEDGER_FORMATS)))
def test_a_ledger_keeps_what_it_says_when_it_is_brought_to_the_next_format(tmp_path, number):
    """Entries with their hashes, persons under their codes, and what events were told."""
    file = Path(shutil.copy(Path(__file__).parent / "stored" / f"format{number}.db", tmp_path))
    columns = "number, event, kind, body, request, person, window, hash"
    with closing(sqlite3.connect(file)) as connection:
        before = connection.execute(f"SELECT {columns} FROM entry ORDER BY scope, number").fetchall()
        count = connection.execute("SELECT count(*) FROM told").fetchone()
    read_ledger(file)
    assert ledger_problems(file) == []
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute(f"SELECT {columns} FROM entry ORDER BY id").fetchall() == before
        assert connection.execute("SELECT count(*) FROM told").fetchone() == count
        persons = {row[5] for row in before if row[5]}
        found = "SELECT count(*) FROM entry WHERE substr(who, 1, 8) = ? AND who = ?"
        for kept in map(short_person, persons):
            assert connection.execute(found, (kept[:8], kept)).fetchone() == (1,)


@pytest.mark.parametrize(
    ("where", "values", "index"),
    [
        (OF_PERSON, (b"", 0, b"", 1, "update"), "entry_of_person (<expr>=? AND window=?)"),
        (OF_PERSON_EVER, (b"", b"", 1, "update"), "entry_of_person (<expr>=?)"),
        (OF_REQUEST, (1, "e1", "select"), "entry_of_request (request=? AND kind=? AND <expr>=?)"),
    ],
)
def test_persons_and_ids_are_found_by_an_index(tmp_path, where, values, index):
    """Without it, each event would read the whole ledger."""
    journal = on_disk(tmp_path)
    plan = journal.database.rows(f"EXPLAIN QUERY PLAN SELECT hash FROM entry WHERE {where}", values)
    assert [row[-1] for row in plan] == [f"SEARCH written USING INDEX {index}"]


@given(st.binary(max_size=9) | st.binary(max_size=9).map(lambda parts: b'{"tuple": [' + parts + b"]}"))
def test_what_an_event_was_told_is_read_as_it_was_written(told):
    assert whole_input(short_input(told)) == told


@given(st.text("0123456789abcdefgA ", max_size=6))
def test_persons_have_one_form(code):
    """A code that two forms could stand for would be counted twice."""
    kept = short_person(code)
    assert (kept.hex() if isinstance(kept, bytes) else kept) == code
    assert isinstance(kept, bytes) == (len(code) % 2 == 0 < len(code) and not {*code} & {*"gA "})


EVENTS = st.fixed_dictionaries(
    {"round": st.integers(0, 2**60), "told": st.binary(min_size=32, max_size=32).map(bytes.hex),
     "by": st.binary(max_size=6).map(bytes.hex)},
    optional={"answer": st.recursive(st.none() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=4)},
)  # fmt: skip


@given(st.lists(EVENTS.map(json.dumps) | st.text(st.characters(codec="utf-8")), max_size=5))
@settings(max_examples=100)
def test_the_body_of_an_entry_is_read_as_it_was_written(bodies):
    """It is kept in parts, and hashed as a whole."""
    with tempfile.TemporaryDirectory() as folder:
        pragmas = "synchronous = OFF", "journal_mode = MEMORY"
        database = Database(Path(folder, "some.db"), Refusal(Path(), "ledger", "", ""), (), pragmas)
        for name, function in SHORTENED.items():
            database._connection.create_function(name, 1, function)
        database.execute("BEGIN")
        for script in LEDGER_FORMATS:
            for statement in script.split(";"):
                database.execute(statement)
        for number, body in enumerate(bodies, 1):
            insert(database, 1, Entry(number, number, "update", body), Said.of(body) if number % 2 else None)
        assert [entry.body for entry in read(database, "id >= ? ORDER BY id", (0,))] == bodies
        database.close()
