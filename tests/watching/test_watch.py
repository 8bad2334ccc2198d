"""`privcheck.watch`: nights that are played once, whatever happens, and alarms that say what was seen."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

import privcheck
from privcheck.auditing import NightlyAudit
from privcheck.cli import run
from privcheck.errors import PolicyError, PrivcheckError
from privcheck.watching import _watch as module
from privcheck.watching import read_watches, watch
from privcheck.watching._evidence_store import BEGUN, COUNTED, LOST, EvidenceStore
from tests.watching.policies import Blocks, Leaking

FEW = {"epsilon": 1.0, "arms": 2, "horizon": 9, "runs": 40, "search": 600}
MANY = FEW | {"runs": 160}
"""Where a leak has to be seen: the logarithm of the evidence of eight nights is 64 with a deviation of 6, and 7.4 is
needed. With 40 runs it is 14 with a deviation of 4: no alarm in some cases of a hundred.
"""


def counts(report):
    return [(night.runs, night.streams, night.event, night.first, night.second) for night in report.nights]


@pytest.fixture
def store(tmp_path):
    return tmp_path / "watch.sqlite"


@pytest.mark.chance(1e-9, "an alarm on a true claim")
def test_nights_add_up(store):
    few = FEW | {"error": 1e-9}
    first = watch(Blocks, store=store, **few)
    assert (first.counted, len(first.nights), first.alarm) == (1, 1, None)
    assert "is new" in " ".join(first.notes)
    second = watch(Blocks, store=store, nights=2, **few)
    assert (second.counted, len(second.nights), len(second.versions)) == (2, 3, 1)
    assert counts(second)[:1] == counts(first)
    assert second.notes == ()
    assert [report.to_json() for report in read_watches(store)] == [
        watch(Blocks, store=store, nights=0, **few).to_json()
    ]


@pytest.mark.chance(1e-6, "no alarm within 8 nights of a loss of three times the claim")
def test_a_leak_raises_an_alarm_that_stands_until_other_code_is_played(store):
    found = watch(Leaking, store=store, name="blocks", nights=8, **MANY)
    assert found.alarm is not None
    assert found.alarm.e_value >= 1000.0
    assert (found.alarm.since, found.alarm.version) == (1, 1)
    (line,) = [note for note in found.notes if note.startswith("at fault in the code that is played now: ")]
    assert "policies.py:" in line
    after = watch(Leaking, store=store, name="blocks", version="mended", **FEW)
    assert after.alarm is None
    assert not any("at fault" in note for note in after.notes)
    assert after.alarms[0] == found.alarms[0]
    assert after.versions[-1].code == "mended"


@pytest.mark.chance(0.0, "equal seeds")
def test_the_same_night_is_the_same_whoever_plays_it(store, tmp_path):
    watch(Blocks, store=store, **FEW)
    copy = tmp_path / "copy.sqlite"
    shutil.copy(store, copy)
    one, other = (watch(Blocks, store=place, **FEW) for place in (store, copy))
    assert counts(one) == counts(other)
    assert [night.e_value for night in one.nights] == [night.e_value for night in other.nights]


class _StopError(Exception):
    pass


def end_at(monkeypatch, kind, store, **options):
    """Play a night in a process that ends, as it were, before an entry of this kind is written."""
    add = EvidenceStore.add

    def ended(self, wanted, *args, **keywords):
        if wanted == kind:
            raise _StopError
        add(self, wanted, *args, **keywords)

    with monkeypatch.context() as patch:
        patch.setattr(EvidenceStore, "add", ended)
        with pytest.raises(_StopError):
            watch(Blocks, store=store, **FEW, **options)


@pytest.mark.chance(0.0, "equal seeds")
@pytest.mark.parametrize("kind", ["watch", BEGUN, COUNTED])
@pytest.mark.parametrize("before", [0, 1])
def test_a_night_that_ended_at_any_step_is_played_with_its_own_seeds(store, tmp_path, monkeypatch, kind, before):
    EvidenceStore(store, make=True).close()
    shutil.copy(store, tmp_path / "other.sqlite")
    undisturbed = watch(Blocks, store=tmp_path / "other.sqlite", nights=before + 2, **FEW)
    if before:
        watch(Blocks, store=store, nights=before, **FEW)
    if kind != "watch" or not before:
        end_at(monkeypatch, kind, store)
    found = watch(Blocks, store=store, nights=2, **FEW)
    assert counts(found) == counts(undisturbed)
    assert [night.e_value for night in found.nights] == [night.e_value for night in undisturbed.nights]


@pytest.mark.chance(0.0, "nothing in it is counted")
def test_a_night_of_other_code_that_was_not_counted_is_lost_with_the_evidence(store, monkeypatch):
    watch(Blocks, store=store, name="b", version="one", **FEW)
    end_at(monkeypatch, COUNTED, store, name="b", version="one")
    found = watch(Blocks, store=store, name="b", version="two", **FEW)
    assert [night.lost is not None for night in found.nights] == [False, True, False]
    assert found.counted == 1
    assert found.versions[0].log_e_value == float("-inf")
    assert "night 2 was lost" in " ".join(found.notes)


@pytest.mark.chance(0.0, "nothing in it is counted")
def test_a_night_that_chooses_another_pair_when_it_is_played_again_is_lost(store, monkeypatch):
    end_at(monkeypatch, COUNTED, store)
    with monkeypatch.context() as patch:
        seeds = iter(range(100))
        patch.setattr(module, "seed_of", lambda *_: next(seeds))
        found = watch(Blocks, store=store, **FEW)
    assert [night.lost is not None for night in found.nights] == [True, False]


@pytest.mark.chance(0.0, "nothing in it is counted")
def test_a_target_that_fails_while_its_runs_are_counted_loses_the_night(store, monkeypatch):
    watch(Blocks, store=store, **FEW)

    def failing(*_):
        raise PolicyError("target", "an error", "none")

    with monkeypatch.context() as patch:
        real = NightlyAudit._sides
        patch.setattr(
            NightlyAudit, "_sides", lambda self, s, p, r, key: failing() if key == 3 else real(self, s, p, r, key)
        )
        with pytest.raises(PolicyError):
            watch(Blocks, store=store, **FEW)
    (found,) = read_watches(store)
    assert found.nights[-1].lost.startswith("the target failed")
    assert found.versions[0].log_e_value == float("-inf")


@pytest.mark.chance(0.0, "nothing in it is counted")
def test_a_second_process_counts_nothing(store):
    watch(Blocks, store=store, **FEW)
    holding = EvidenceStore(store, make=False)
    with holding.held() as alone:
        assert alone
        found = watch(Blocks, store=store, **FEW)
    assert (found.counted, len(found.nights)) == (0, 1)
    assert "another process plays" in " ".join(found.notes)
    holding.close()
    assert watch(Blocks, store=store, **FEW).counted == 1


@pytest.mark.chance(0.0, "nothing in it is counted")
@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"epsilon": 2.0}, "epsilon 1.0"),
        ({"horizon": 12}, "horizon 9"),
        ({"error": 0.01}, "error 0.001"),
        ({"neighbours": "reward"}, "neighbours row"),
    ],
)
def test_another_claim_needs_another_name(store, changed, said):
    watch(Blocks, store=store, name="news", **FEW)
    with pytest.raises(PrivcheckError, match=said):
        watch(Blocks, store=store, name="news", **FEW | changed)
    assert len(watch(Blocks, store=store, name="other", nights=1, **FEW | changed).nights) == 1


@pytest.mark.chance(0.0, "nothing in it is random")
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"epsilon": None}, "a claim to watch"),
        ({"runs": 0}, "runs: got 0"),
        ({"nights": -1}, "nights: got -1"),
        ({"name": ""}, "name: got ''"),
        ({"version": 3}, "version: got 3"),
        ({"store": ""}, "the path of a file"),
        ({"rewards": (1, 0)}, "rewards range: got"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_written(store, options, said):
    with pytest.raises(PrivcheckError, match=said):
        watch(Blocks, **{"store": store, **FEW, **options})
    assert not store.exists()


@pytest.mark.chance(0.0, "nothing in it is random")
def test_a_store_that_was_changed_or_is_none_is_refused(store, tmp_path):
    with pytest.raises(PrivcheckError, match="there is no such file"):
        watch(Blocks, store=store, nights=0, **FEW)
    watch(Blocks, store=store, **FEW)
    with sqlite3.connect(store) as database:
        database.execute("UPDATE entry SET body = replace(body, '\"version\": 1', '\"version\": 2') WHERE number = 4")
    with pytest.raises(PrivcheckError, match="entry 4 is not as it was written"):
        read_watches(store)
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as database:
        database.execute("CREATE TABLE notes (text TEXT)")
    with pytest.raises(PrivcheckError, match="another program"):
        watch(Blocks, store=other, **FEW)
    text = tmp_path / "text.sqlite"
    text.write_text("no database at all, but text that is long enough to be read")
    with pytest.raises(PrivcheckError, match="not a database"):
        read_watches(text)


@pytest.mark.chance(0.0, "nothing in it is random")
def test_a_service_names_its_version(store):
    target = privcheck.from_command(["false"])
    with pytest.raises(PrivcheckError, match="name the version of the service"):
        watch(target, store=store, **FEW)


@pytest.mark.chance(0.0, "nothing in it is counted")
def test_the_report_is_read_back(store, tmp_path):
    found = watch(Blocks, store=store, nights=2, **FEW)
    found.save(tmp_path / "watch.json")
    assert privcheck.load(tmp_path / "watch.json") == found
    assert len(found.rows("nights")) == 2
    assert found.to_csv("versions").startswith("number,code,")


@pytest.mark.chance(1e-6, "an alarm on a true claim, or none on a gross leak within 8 nights")
def test_the_command_has_its_statuses(store, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = Path(__file__).with_name("policies.py")
    common = ["--epsilon", "1", "--arms", "2", "--horizon", "9", "--runs", "160", "--search", "600"]
    common = [*common, "--store", str(store)]
    rare = ["--error", "1e-9"]
    assert run(["watch", f"{file}:Blocks", *common, *rare, "--badge", "badge.svg", "--html", "watch.html"]) == 0
    assert "1 night, no alarm at claim epsilon = 1" in Path("badge.svg").read_text()
    assert "<svg" in Path("watch.html").read_text()
    assert run(["watch", f"{file}:Leaking", *common, "--nights", "8", "--annotate", "github"]) == 1
    assert "::error" in capsys.readouterr().out
    assert run(["watch", "--store", str(store), "--json", "-"]) == 1
    assert len(json.loads(capsys.readouterr().out)["watches"]) == 2
    assert run(["watch", f"{file}:Blocks", *common[2:], "--epsilon", "2"]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    holding = EvidenceStore(store, make=False)
    with holding.held():
        assert run(["watch", f"{file}:Blocks", *common, *rare]) == 3
    holding.close()


@pytest.mark.chance(0.0, "nothing in it is counted")
def test_entries_are_named(store):
    watch(Blocks, store=store, **FEW)
    with_entries = EvidenceStore(store, make=False)
    assert [entry.kind for entry in with_entries.entries] == ["store", "watch", BEGUN, COUNTED]
    assert LOST not in [entry.kind for entry in with_entries.entries]
    with_entries.close()


def test_alarms_that_other_code_has_ended_are_not_forgotten():
    """No alarm stands, and no word of the page, the badge or the terminal says that there was none."""
    from privcheck.reporting import badge_svg, render_watches
    from privcheck.reporting import sentence as said
    from tests.example_results import WATCHED

    last = WATCHED.nights[-1]
    version = replace(WATCHED.versions[-1], number=3, code="other", first_night=last.number + 1, nights=1)
    later = replace(last, number=last.number + 1, version=3, e_value=0.5)
    report = replace(WATCHED, nights=(*WATCHED.nights, later), versions=(*WATCHED.versions, version))
    assert report.alarm is None
    assert len(report.alarms) == 1
    assert "no alarm stands after 3 nights" in said(report)
    assert f"one alarm was raised before, the last on night {last.number}" in said(report)
    page = " ".join(render_watches([report]).split())
    assert "no alarm stands; 1 raised before" in page
    assert f"3 nights, no alarm since night {last.number} at claim" in badge_svg([report])
    many = replace(report, versions=(*report.versions, *(replace(version, number=n) for n in range(4, 31))))
    assert "the newest 10 of 30 versions" in render_watches([many])


@pytest.mark.chance(1e-7, "no alarm in a night in which every run shows the reward")
def test_an_alarm_names_the_line_and_the_next_command(store, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)  # at which long paths would be broken
    file = tmp_path / "greedy.py"
    file.write_text(
        "class Greedy:\n"
        "    def __init__(self, rng, arms):\n"
        "        self.arm = 0\n"
        "    def select(self):\n"
        "        return self.arm\n"
        "    def update(self, action, reward):\n"
        "        self.arm = int(reward > 0.5)\n"
    )
    asked = [f"{file}:Greedy", "--epsilon", "1", "--arms", "2", "--horizon", "4", "--runs", "160", "--search", "600"]
    assert run(["watch", *asked, "--store", str(store)]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "note: at fault in the code that is played now: greedy.py:7 `self.arm = int(reward > 0.5)`: " in said
    after = f"next: privcheck audit {file}:Greedy --epsilon 1 --arms 2 --horizon 4, which shows both streams"
    assert f"{after}; patches: privcheck fix {file}:Greedy --epsilon 1 --arms 2" in said
    assert run(["watch", "--store", str(store)]) == 1
    assert after in " ".join(capsys.readouterr().out.split())
    assert run([*after.removeprefix("next: privcheck ").partition(",")[0].split(), "--runs", "2000"]) == 1


def test_patches_are_offered_only_where_fix_takes_the_target():
    from privcheck.reporting import markdown
    from tests.example_results import WATCHED

    own = replace(WATCHED, target="bandit.py:Bandit", epsilon=0.123456789)
    assert "; patches: privcheck fix bandit.py:Bandit --epsilon 0.123456789 --arms 2" in markdown(own)
    for changes in ({"neighbours": "group:2"}, {"delta": 1e-6}, {"feedback": "full"}, {"target": "adap-ucb"}):
        said = markdown(replace(own, **changes))
        assert "next: privcheck audit" in said
        assert "privcheck fix" not in said


def asked_of(target, store, badge):
    game = ["--epsilon", "1", "--arms", "2", "--horizon", "9", "--runs", "160", "--search", "600"]
    return ["watch", f"{Path(__file__).with_name('policies.py')}:{target}", *game, "--store", store, "--badge", badge]


@pytest.mark.chance(1e-7, "no alarm within 8 nights of a loss of three times the claim, or one at error = 1e-9")
def test_a_badge_is_red_while_an_alarm_stands_in_any_watch_of_its_store(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    badge = Path("badge.svg")
    assert run([*asked_of("Leaking", "a.sqlite", "badge.svg"), "--nights", "8"]) == 1
    assert "policies.py:Leaking: alarm on night" in badge.read_text()
    red = re.findall(r'fill="#[0-9a-f]{6}"', badge.read_text())[1]
    assert run([*asked_of("Blocks", "a.sqlite", "badge.svg"), "--error", "1e-9"]) == 0
    said = badge.read_text()
    assert red in said
    assert "policies.py:Leaking (1 of 2 watches)" in said
    assert "policies.py:Blocks: 1 night, no alarm at claim epsilon = 1" in said
    badge.unlink()
    assert run(["watch", "--store", "a.sqlite", "--badge", "badge.svg"]) == 1
    assert badge.read_text() == said
    capsys.readouterr()
    assert run([*asked_of("Blocks", "b.sqlite", "badge.svg"), "--error", "1e-9"]) == 2
    told = capsys.readouterr().err
    assert "the badge of another store" in told
    assert told.count("\n") == 1
    assert badge.read_text() == said
    assert not Path("b.sqlite").exists()
    assert run([*asked_of("Blocks", "b.sqlite", "other.svg"), "--error", "1e-9"]) == 0
    assert red not in Path("other.svg").read_text()
    assert run(["watch", "--store", "b.sqlite", "--badge", "badge.svg"]) == 2
    assert badge.read_text() == said
