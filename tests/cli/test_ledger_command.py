"""`privcheck ledger`: what it prints and writes, and its exit statuses."""

from __future__ import annotations

import csv
import io
import itertools
import json
import sqlite3
from fractions import Fraction

import numpy as np
import pytest

import privcheck
from privcheck.certifying._recorded.persons import Persons
from privcheck.cli import run
from privcheck.mechanisms import Laplace


class Blocks:
    """Releases each reward; its action is a number of its own, which no report shows."""

    def __init__(self, rng):
        self.rng, self.mechanism = rng, Laplace(sensitivity=1.0, epsilon=0.5)

    def select(self):
        return 0

    def update(self, action, reward):
        self.mechanism.release(np.float64(1.0) * reward, self.rng)


class Never(Blocks):
    """Releases nothing."""

    def update(self, action, reward):
        pass


@pytest.fixture
def ledger(tmp_path, unsynced_ledgers):
    head = tmp_path / "heads.db"
    options = {"epsilon": 0.5, "arms": 2, "per_user": 1.0, "ledger": tmp_path / "budget.db", "head": head}
    guarded = privcheck.guard(Blocks, scope="news", **options)
    for t in range(3):
        guarded.update(guarded.select(), 0.7310585786300049, request_id=f"e{t}", user=f"secret name {t % 2}")
    privcheck.guard(Blocks, scope="<b>later</b>", continues="news", **options)
    return tmp_path / "budget.db"


def test_show(ledger, capsys):
    assert run(["ledger", "show", str(ledger)]) == 0
    said = capsys.readouterr().out
    assert "scope 'news', continued by '<b>later</b>'" in said
    assert "budget of a datum   epsilon = 0.5, spent 0.5" in said
    assert "events              3 select, 3 update" in said
    assert "releases            3, and 0 draws on public values" in said
    assert "budget of a person  1 for ever" in said
    assert "persons             2, in 1 window; over all of them one lost at most 1" in said


def test_show_names_what_it_counts(ledger, capsys, monkeypatch):
    """Three rewards of two persons, of which one then has no budget left; a request that comes again adds nothing."""
    monkeypatch.delenv("COLUMNS", raising=False)  # at which lines would be broken
    options = {"epsilon": 0.5, "arms": 2, "per_user": 1.0, "ledger": ledger, "head": ledger.with_name("heads.db")}
    guarded = privcheck.guard(Blocks, scope="other", **options)
    for t in range(6):
        action = guarded.select(request_id=f"e{t}")
        assert guarded.select(request_id=f"e{t}") == action
        try:
            guarded.update(action, 1.0, request_id=f"e{t}", user="one")
        except privcheck.BudgetExceededError:
            assert t >= 2
    assert run(["ledger", "show", str(ledger)]) == 0
    said = capsys.readouterr().out.partition("scope 'other'")[2]
    lines = dict(line.strip().split("   ", 1) for line in said.strip().splitlines() if "   " in line.strip())
    told = {name: " ".join(words.split()) for name, words in lines.items()}
    assert told["events"] == "6 select, 2 update; a request that comes again is answered and not counted"
    why = "because no budget was left for their person"
    assert told["rewards"] == f"2 passed on to the policy, 4 refused under an id, {why}"
    assert told["budget of a datum"].endswith("spent 0.5 by the datum that lost the most")
    assert told["what was told"] == "kept of 13 events, with the start and refused rewards among them"
    assert told["last entry"].endswith("the start, events, refused rewards and draws are numbered together")


def test_show_says_that_refusals_without_an_id_are_not_kept(ledger, capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    guarded = privcheck.guard(Blocks, scope="other", epsilon=0.5, arms=2, per_user=0.5, ledger=ledger)
    guarded.update(guarded.select(), 1.0, user="one")
    with pytest.raises(privcheck.BudgetExceededError):
        guarded.update(guarded.select(), 1.0, user="one")
    assert run(["ledger", "show", str(ledger)]) == 0
    said = " ".join(capsys.readouterr().out.partition("scope 'other'")[2].split())
    assert "1 passed on to the policy, 0 refused under an id; refusals without an id are not kept" in said


def test_a_person_s_loss_is_that_of_all_scopes_that_continue_each_other(ledger, capsys):
    """Two rewards in the first scope took the person's whole budget; of rho the losses add up to a square."""
    options = {"arms": 2, "head": ledger.with_name("heads.db")}
    for name, total in (("epsilon", 1.0), ("rho", 9 * 0.0625)):
        kept = options | {"ledger": ledger.with_name(f"{name}.db"), name: 0.25 if name == "epsilon" else 0.0625}
        kept["per_user"] = 4.0
        for scope, continues, count in (("one", None, 1), ("two", "one", 2), ("three", "two", 1)):
            if name == "rho" and scope == "three":
                break
            guarded = privcheck.guard(Never, scope=scope, continues=continues, **kept)
            for t in range(count):
                guarded.update(guarded.select(), 1.0, request_id=f"{scope} {t}", user="q")
        assert run(["ledger", "show", str(kept["ledger"])]) == 0
        said = " ".join(capsys.readouterr().out.split())
        assert "over all of them and in 'one' one lost at most 0.75" in said or name == "rho"
        last = "and in 'two' and in 'one'" if name == "epsilon" else "and in 'one'"
        assert f"over all of them {last} one lost at most {total:g}" in said


def test_help_is_named_by_the_whole_command(capsys):
    for command in (["ledger", "show"], ["ledger", "verify", "b.db", "--heads", "h.db"], ["ledger", "export", "b.db"]):
        assert run(command) == 2
        assert f"`privcheck ledger {command[1]} --help` lists the options" in " ".join(capsys.readouterr().err.split())


def test_show_as_json(ledger, capsys):
    assert run(["ledger", "show", str(ledger), "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)["scopes"]
    assert [scope["scope"] for scope in found] == ["news", "<b>later</b>"]
    assert (found[0]["spent"], found[0]["continued_by"], len(found[0]["releases"])) == (0.5, "<b>later</b>", 3)
    assert sorted(person["rewards"] for person in found[0]["persons"]) == [1, 2]


def test_verify(ledger, capsys):
    assert run(["ledger", "verify", str(ledger), "--head", str(ledger.with_name("heads.db"))]) == 0
    assert "every entry is as it was written" in " ".join(capsys.readouterr().out.split())
    assert run(["ledger", "verify", str(ledger)]) == 0
    assert "without --head nobody can tell whether it is an old copy" in " ".join(capsys.readouterr().out.split())
    connection = sqlite3.connect(ledger)
    connection.execute("UPDATE written SET who = '' WHERE who <> ''")
    connection.commit()
    connection.close()
    assert run(["ledger", "verify", str(ledger)]) == 1
    said = capsys.readouterr().out
    assert said.startswith("✗ scope 'news': entry ")
    assert said.endswith("is not as it was written, or one before it is missing\n")


@pytest.mark.parametrize("suffix", ["json", "csv", "html"])
def test_export(ledger, suffix, capsys):
    out = ledger.with_name(f"out.{suffix}")
    assert run(["ledger", "export", str(ledger), str(out)]) == 0
    written = out.read_text()
    assert "laplace" in written
    assert "test_ledger_command.py:" in written
    assert "secret name" not in written
    assert "0.73105" not in written, "no reward"
    if suffix == "csv":
        first = next(csv.DictReader(written.splitlines()))
        assert (first["scope"], first["charge"], first["data"], len(first["persons"])) == (
            "news",
            "0.5",
            "rounds 1",
            32,
        )
    if suffix == "html":
        assert "<b>later" not in written
        assert "&lt;b&gt;later" in written
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["show", "nothing.db"], "ledger: got nothing.db: there is no such file"),
        (["show", "."], "it is a folder"),
        (["verify", "text.db"], "text.db: file is not a database"),
        (["verify", "empty.db"], "empty.db: it is empty"),
        (["verify", "budget.db", "--head", "nothing.db"], "head: got nothing.db: there is no such file"),
        (["export", "budget.db", "out.txt"], "out: got 'out.txt', expected a file that ends in .json, .csv or .html"),
        (["export", "budget.db", "nowhere/\0.csv"], "out: got"),
        (["show"], "Missing argument"),
        (["nope", "budget.db"], "No such command 'nope'"),
    ],
)
def test_bad_input_is_told_in_one_line(ledger, arguments, said, capsys, monkeypatch):
    monkeypatch.chdir(ledger.parent)
    ledger.with_name("text.db").write_text("no database" * 100)
    ledger.with_name("empty.db").touch()
    assert run(["ledger", *arguments]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert said in told.err
    assert told.err.count("\n") == 1
    assert not ledger.with_name("nothing.db").exists()
    assert ledger.with_name("empty.db").stat().st_size == 0


def test_without_persons_no_rewards_are_counted(ledger, capsys):
    """One call tells several rewards under batch feedback: a number of calls would be wrong."""

    class Batches(Blocks):
        batch = 3

        def act(self, n):
            return [0] * n

        def learn(self, actions, rewards):
            """Release nothing."""

    options = {"epsilon": 0.5, "arms": 2, "ledger": ledger, "head": ledger.with_name("heads.db")}
    guarded = privcheck.guard(Batches, scope="batches", feedback="batch", **options)
    guarded.learn(guarded.act(3), [0.1, 0.2, 0.3])
    assert run(["ledger", "show", str(ledger)]) == 0
    said = capsys.readouterr().out.partition("scope 'batches'")[2]
    assert "1 act, 1 learn" in said
    assert "rewards  " not in said


def test_exports_say_when_and_how_much_in_all(tmp_path, clock, unsynced_ledgers):
    """Windows are the only times that a ledger has of rewards; rewards in a scope that is continued add up with it."""
    path, out = tmp_path / "b.db", tmp_path / "out.json"
    options = {"rho": 0.25, "arms": 2, "per_user": 2.25, "window": "day", "ledger": path, "head": tmp_path / "h.db"}
    for scope, continues, days in (("one", None, 2), ("two", "one", 1)):
        guarded = privcheck.guard(Never, scope=scope, continues=continues, **options)
        for _ in range(days):
            for user in ("Eva", "Eva", "Ada")[scope == "two" :]:
                guarded.update(guarded.select(), 0.7310585786300049, user=user)
            clock[0] += DAY
    assert run(["ledger", "export", str(path), str(out)]) == 0
    one, two = json.loads(out.read_text())["scopes"]
    eva, ada = (guarded.person(user).person for user in ("Eva", "Ada"))
    days = [
        (row["person"], row["began"][:10], row["renews"][:10], row["rewards"], row["spent"]) for row in one["persons"]
    ]
    assert {*days} == {
        (eva, "2024-10-04", "2024-10-05", 2, 1.0), (eva, "2024-10-05", "2024-10-06", 2, 1.0),
        (ada, "2024-10-04", "2024-10-05", 1, 0.25), (ada, "2024-10-05", "2024-10-06", 1, 0.25),
    }  # fmt: skip
    totals = [{row["person"]: (row["rewards"], row["spent"]) for row in found["totals"]} for found in (one, two)]
    assert totals == [{eva: (4, 4.0), ada: (2, 1.0)}, {eva: (5, 6.25), ada: (3, 2.25)}]
    assert max(spent for _, spent in totals[1].values()) == 6.25, "as `show` says"
    assert one["began"] <= two["began"]
    assert "0.73105" not in out.read_text()
    page = out.with_suffix(".html")
    assert run(["ledger", "export", str(path), str(page)]) == 0
    for part in (eva, ada, "2024-10-05", "6.25", "All windows"):
        assert part in page.read_text()


def test_without_windows_and_persons_exports_have_no_times_of_them(ledger):
    out = ledger.with_name("out.json")
    assert run(["ledger", "export", str(ledger), str(out)]) == 0
    (row, *_) = json.loads(out.read_text())["scopes"][0]["persons"]
    assert (row["window"], row["began"], row["renews"]) == (0, None, None)
    plain = ledger.with_name("plain.db")
    privcheck.guard(Blocks, epsilon=0.5, scope="news", ledger=plain, head=ledger.with_name("h.db"))
    assert run(["ledger", "export", str(plain), str(out)]) == 0
    assert json.loads(out.read_text())["scopes"][0]["totals"] == []


DAY = 86_400


@pytest.fixture
def clock(monkeypatch):
    now = [20_000 * DAY + 3600]  # on 2024-10-04 at 01:00 UTC
    monkeypatch.setattr("time.time", lambda: float(now[0]))
    return now


def asked(ledger, name, capsys, *more):
    """Return what is said of a person, in which the name is never shown, as lines by their names and from JSON."""
    said = []
    for options in ((), ("--json", "-")):
        assert run(["ledger", "show", str(ledger), "--user", name, *more, *options]) == 0
        said.append(capsys.readouterr().out)
    lines = [line.strip().split("  ", 1) for line in said[0].splitlines() if line.startswith("  ")]
    return [(key, value.strip()) for key, value in lines], json.loads(said[1])["persons"]


@pytest.mark.parametrize("feedback", ["bandit", "contextual"])
def test_what_is_left_of_one_persons_budget(tmp_path, monkeypatch, clock, capsys, feedback, unsynced_ledgers):
    monkeypatch.delenv("COLUMNS", raising=False)
    contextual, path = feedback == "contextual", tmp_path / "b.db"
    options = {"epsilon": 0.25, "arms": 2, "per_user": 1.0, "window": "day", "head": tmp_path / "heads.db"}
    options |= {"feedback": feedback, "contexts": privcheck.Contexts((1,), norm=1.0)} if contextual else {}
    guarded = privcheck.guard(ByContext if contextual else Never, scope="news", ledger=path, **options)

    def give(user):
        shown = ([0.5],) if contextual else ()
        arm = guarded.select(*shown, **({"user": user} if contextual else {}))
        guarded.update(*shown, arm, 1.0, user=user)

    for days, users in ((0, ("Eva", "Eva", 7)), (1, ("Eva", "7", "7", "7"))):
        clock[0] += days * DAY
        for user in users:
            give(user)
    ((_, code), *lines), (row,) = asked(path, "Eva", capsys)
    assert code == f"{row['person']}, the code of a name that is a string"
    assert lines == [
        ("budget of a person", "1 in one day"),
        ("spent", "0.25 by 1 reward since 2024-10-05 at 00:00 UTC"),
        ("left", "3 more rewards"),
        ("renews", "on 2024-10-06 at 00:00 UTC"),
    ]
    assert row == {
        "scope": "news", "person": row["person"], "type": "str", "per_user": 1.0, "window": "day",
        "began": "2024-10-05T00:00:00+00:00", "renews": "2024-10-06T00:00:00+00:00", "rewards": 1, "spent": 0.25,
        "more": 3, "ever": 3,
    }  # fmt: skip
    assert [(row["type"], row["rewards"], row["ever"]) for row in asked(path, "7", capsys)[1]] == [
        ("str", 3, 3), ("int", 0, 1),
    ]  # fmt: skip
    ((_, code), *_), (row,) = asked(path, "Ewa", capsys)
    assert code.endswith("who has given no rewards: is the name spelled as the service gives it?")
    assert (row["more"], row["ever"]) == (4, 0)
    clock[0] -= 3 * DAY  # set back, it gives nothing again
    assert asked(path, "Eva", capsys)[1][0]["more"] == 3
    clock[0] += 4 * DAY
    assert asked(path, "Eva", capsys)[1][0]["more"] == 4
    clock[0] -= 2 * DAY
    for _ in range(3):
        give("Eva")
    with pytest.raises(privcheck.BudgetExceededError):
        give("Eva")
    assert asked(path, "Eva", capsys)[1][0]["more"] == 0


class ByContext(Never):
    def select(self, context):
        return 0

    def update(self, context, action, reward):
        pass


def test_scopes_that_continue_each_other_count_together(ledger, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("secret name 0\n"))
    assert run(["ledger", "show", str(ledger), "--user", "-"]) == 0
    said = capsys.readouterr().out
    assert "secret name" not in said
    assert "scope 'news'" not in said
    assert "scope '<b>later</b>'" in said
    assert "spent               1 by 2 rewards" in said
    assert "left                0 more rewards" in said
    assert "renews              never" in said


def test_a_person_of_a_ledger_without_persons(tmp_path, capsys):
    guarded = privcheck.guard(Blocks, epsilon=0.5, scope="news", ledger=tmp_path / "b.db", head=tmp_path / "h.db")
    guarded.update(guarded.select(), 1.0)
    for name in ("Eva", ""):
        assert run(["ledger", "show", str(tmp_path / "b.db"), "--user", name]) == 2
        said = capsys.readouterr().err
        assert "user: got a name, expected a ledger with budgets of persons; its guards were built without" in said
        assert "Eva" not in said


def test_what_is_left_is_what_fits():
    """Counted one by one, with the test that the guard makes of each reward."""
    budgets = itertools.product(("0.3", "1", "7.5"), ("0.1", "0.25"), ("0.1", "0.3"), (1, 2))
    for (per_user, first, then, power), before in itertools.product(budgets, ("", "a", "aa", "b", "ab")):
        persons = Persons(float(per_user), None, {"a": Fraction(first), "b": Fraction(then)}, power, b"")
        counted = next(k for k in range(200) if not persons.fits([*before, *["b"] * k], "b"))
        assert persons.more([*before], "b") == counted, (per_user, first, then, power, before)


@pytest.mark.parametrize("error", [KeyError, ValueError])
def test_the_report_of_a_fault_has_no_name(ledger, capsys, monkeypatch, tmp_path, error):
    """Neither the line that is printed nor the file beside it, also if the words of the error have it."""

    def fails(self, user):
        raise error(f"no {user}") from KeyError(user)

    monkeypatch.setattr(Persons, "code", fails)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert run(["ledger", "show", str(ledger), "--user", "Zebediah"]) == 70
    said = capsys.readouterr()
    (report,) = tmp_path.glob("privcheck-*.txt")
    assert "in fails" in report.read_text()
    assert error.__name__ in said.err
    assert not any("Zebediah" in text for text in (said.out, said.err, report.read_text()))
