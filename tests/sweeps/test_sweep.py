"""Sweeps: what is finished is kept and never played again, what changed is played, and what fails stops nothing."""

from __future__ import annotations

import errno
import json
import os
import signal
import sqlite3
import sys
import time
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

import privcheck
from privcheck import PrivcheckError, read_sweep, sweep
from privcheck.cli import run
from privcheck.scheduling import _sqlite_files as database
from privcheck.sweeps import MANIFEST
from privcheck.sweeps import _play_cell as play_cell
from privcheck.sweeps import _run_sweep as run_sweep

PLAN = {
    "kind": "simulation",
    "targets": ["policy.py:Policy"],
    "environments": [[0.75, 0.5]],
    "horizons": [10, 20],
    "seeds": [0, 1],
    "options": {"runs": 4, "checkpoints": 3},
}

PATIENCE = 300.0
"""Seconds after which a process that does nothing is given up."""


def digests(folder):
    return [cell["digest"] for cell in read_sweep(folder).cells]


def finished(folder):
    with closing(sqlite3.connect(Path(folder, MANIFEST))) as database:
        return dict(database.execute("SELECT key, finished_at FROM finished WHERE error IS NULL"))


def until(condition, process):
    started = time.monotonic()
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() - started < PATIENCE
        time.sleep(0.05)


def test_every_combination_is_played_and_can_be_read():
    found = sweep(PLAN, "store")
    assert [(cell["horizon"], cell["seed"]) for cell in found.cells] == [(10, 0), (10, 1), (20, 0), (20, 1)]
    assert found.count("done") == 4
    assert [cell["option_runs"] for cell in found.cells] == [cell["runs"] for cell in found.cells] == [4] * 4
    alone = privcheck.simulate("policy.py:Policy", [0.75, 0.5], horizon=20, runs=4, checkpoints=3, seed=1)
    assert found.cells[-1]["mean"] == alone.summary()[0]["mean"]
    assert read_sweep("store") == found
    assert "mean" in found.to_csv().splitlines()[0]


def test_audits_are_those_of_audit():
    plan = {"kind": "audit", "targets": ["adap-ucb"], "epsilons": [0.5], "options": {"arms": 2, "runs": 400}}
    found = sweep(plan, "store").cells[0]
    alone = privcheck.audit("adap-ucb", epsilon=0.5, arms=2, runs=400)
    kept = privcheck.load(Path("store", found["file"]))
    assert play_cell.digest(kept.to_json()) == play_cell.digest(alone.to_json()) == found["digest"]
    assert (found["verdict"], found["epsilon_lower"]) == (alone.verdict, alone.epsilon_lower)


def test_results_do_not_depend_on_workers():
    sweep(PLAN, "one")
    sweep(PLAN, "two", jobs=2)
    assert None not in digests("one")
    assert digests("one") == digests("two")


def test_nothing_is_played_twice(monkeypatch):
    sweep(PLAN, "store")
    monkeypatch.setattr(run_sweep._Client, "_submit", lambda *_: pytest.fail("a finished cell is played"))
    assert sweep(PLAN, "store").count("done") == 4


def test_a_killed_sweep_goes_on_where_it_was(start):
    """Process A finishes the cells of one target and is killed -9 in a cell of the other."""
    Path("blocked.py").write_text(
        "import time\nfrom pathlib import Path\nfrom policy import Policy as Parent\n"
        "class Policy(Parent):\n    def __init__(self, rng, arms):\n        super().__init__(rng, arms)\n"
        "        Path('reached').touch()\n        while Path('hold').exists():\n            time.sleep(0.05)\n"
    )
    text = Path("sweep.toml").read_text().replace('"policy.py:Policy"', '"policy.py:Policy", "blocked.py:Policy"')
    Path("sweep.toml").write_text(text)
    Path("hold").touch()
    process = start("sweep", "sweep.toml", "--store", "store")
    until(lambda: Path("reached").exists(), process)
    process.kill()
    process.communicate()
    before = finished("store")
    assert len(before) == 4
    assert [cell["status"] for cell in read_sweep("store").cells] == ["done"] * 4 + ["to play"] * 4
    files = {key: Path("store/cells", f"{key}.json").stat().st_mtime_ns for key in before}
    Path("hold").unlink()
    assert sweep("sweep.toml", "store").count("done") == 8
    assert {key: at for key, at in finished("store").items() if key in before} == before
    assert {key: Path("store/cells", f"{key}.json").stat().st_mtime_ns for key in before} == files
    sweep("sweep.toml", "undisturbed")
    assert digests("store") == digests("undisturbed")


def test_a_result_is_kept_that_the_manifest_does_not_name_yet(monkeypatch):
    """As after a kill between the two."""
    sweep(PLAN, "store")
    expected = digests("store")
    with closing(sqlite3.connect(Path("store", MANIFEST))) as database:
        database.execute("DELETE FROM finished")
        database.commit()
    monkeypatch.setattr(run_sweep._Client, "_submit", lambda *_: pytest.fail("a finished cell is played"))
    sweep(PLAN, "store")
    assert digests("store") == expected


def test_a_result_that_was_removed_or_cut_is_played_again():
    sweep(PLAN, "store")
    expected = digests("store")
    first, second, *_ = read_sweep("store").cells
    Path("store", first["file"]).unlink()
    Path("store", second["file"]).write_text("{")
    with closing(sqlite3.connect(Path("store", MANIFEST))) as database:
        database.execute("DELETE FROM finished WHERE key = ?", (Path(second["file"]).stem,))
        database.commit()
    sweep(PLAN, "store")
    assert digests("store") == expected
    assert all(Path("store", cell["file"]).stat().st_size > 100 for cell in read_sweep("store").cells)


def test_results_that_are_not_as_they_were_written_are_played_again(capsys):
    """One was cut, and two were put in each other's place: no target has another one's numbers."""
    before = sweep(PLAN, "store")
    cut, one, other, _ = (Path("store", str(cell["file"])) for cell in before.cells)
    cut.write_text(cut.read_text()[:100])
    texts = one.read_text(), other.read_text()
    one.write_text(texts[1])
    other.write_text(texts[0])
    assert read_sweep("store").changed() == tuple(str(cell["file"]) for cell in before.cells[:3])
    assert run(["report", "store", "--no-pages"]) == 2
    assert capsys.readouterr().err.count("not as the sweep wrote it") == 3
    after = sweep(PLAN, "store")
    assert digests("store") == [cell["digest"] for cell in before.cells] == [cell["digest"] for cell in after.cells]
    assert not after.changed()
    assert json.loads(one.read_text())["horizon"] == before.cells[1]["horizon"]


@pytest.mark.parametrize("damage", [b"", b"no database, " * 100])
def test_a_damaged_manifest_says_how_to_go_on(damage, monkeypatch):
    sweep(PLAN, "store")
    expected, manifest = digests("store"), Path("store", MANIFEST)
    manifest.write_bytes(damage or manifest.read_bytes()[:5000])
    with pytest.raises(PrivcheckError, match=r"delete the file cells\.sqlite: the same command enters"):
        sweep(PLAN, "store")
    manifest.unlink()
    monkeypatch.setattr(run_sweep._Client, "_submit", lambda *_: pytest.fail("a finished cell is played"))
    sweep(PLAN, "store")
    assert digests("store") == expected


def test_two_clients_share_the_cells(start):
    """Both wait in their first cell until the other one plays too; imports are counted, with one test of each."""
    Path("policy.py").write_text(
        "import os, time\nfrom pathlib import Path\n"
        "with open('imports', 'a') as file:\n    file.write('x')\n"
        "Path(f'begun-{os.getpid()}').touch()\n"
        "while len(list(Path().glob('begun-*'))) < int(Path('clients').read_text()):\n    time.sleep(0.05)\n"
        + Path("policy.py").read_text()
    )
    Path("clients").write_text("1")
    process = start("sweep", "sweep.toml", "--store", "alone")  # a file is imported twice here if others have its names
    _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said
    alone = Path("imports").read_text()
    Path("imports").unlink()
    Path("clients").write_text("3")  # one process has begun already
    clients = [start("sweep", "sweep.toml", "--store", "store") for _ in range(2)]
    for client in clients:
        _, said = client.communicate(timeout=PATIENCE)
        assert client.returncode == 0, said
    assert Path("imports").read_text() == alone + "xx"
    assert digests("store") == digests("alone")
    with closing(sqlite3.connect(Path("store", MANIFEST))) as database:
        assert database.execute("SELECT count(*) FROM finished").fetchone() == (4,)
        assert database.execute("SELECT count(*) FROM claims").fetchone() == (0,)


def test_a_folder_of_the_first_format_goes_on():
    """Its claims had other columns."""
    sweep(PLAN, "store")
    expected = digests("store")
    with closing(sqlite3.connect(Path("store", MANIFEST))) as database:
        database.executescript(
            "DELETE FROM finished WHERE rowid = 1; DROP TABLE claims; PRAGMA user_version = 1;"
            "CREATE TABLE claims (key TEXT PRIMARY KEY, client TEXT NOT NULL, expires REAL NOT NULL);"
            "INSERT INTO claims VALUES ('key', 'machine:1:word', 1e12)"
        )
    assert read_sweep("store").count("done") == 3
    assert sweep(PLAN, "store").count("done") == 4
    assert digests("store") == expected


@pytest.mark.parametrize("call", [0, 1, 4])
def test_a_full_disk_loses_nothing_that_is_finished(monkeypatch, call):
    """No space for the first result, its folder, or the third result: fsync is called for the file and the folder."""
    real, calls = os.fsync, []

    def full(descriptor):
        calls.append(descriptor)
        if len(calls) > call:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        real(descriptor)

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(PrivcheckError, match="No space left on device"):
            sweep(PLAN, "store")
    before = finished("store")
    assert len(before) == call // 2
    assert sweep(PLAN, "store").count("done") == 4
    assert {key: at for key, at in finished("store").items() if key in before} == before
    sweep(PLAN, "undisturbed")
    assert digests("store") == digests("undisturbed")


def test_a_manifest_without_space_is_refused(monkeypatch):
    connected = database.connected
    monkeypatch.setattr(database, "connected", lambda file, _: connected(file, ["max_page_count = 20"]))
    with pytest.raises(PrivcheckError, match="the disk is full"):
        sweep(PLAN | {"seeds": {"count": 1000}}, "store")


def test_changed_files_are_other_cells(capsys):
    plan = PLAN | {"data": ["weights.txt"]}
    Path("weights.txt").write_text("1")
    sweep(plan, "store")
    first = digests("store")
    for file, text in (("helper.py", "OFFSET = 1\n"), ("weights.txt", "2"), ("policy.py", None)):
        before = Path(file).read_text()
        Path(file).write_text(before + "# more\n" if text is None else text)
        told = []
        found = run_sweep.play_sweep(plan, "store", jobs=1, retry=False, tell=told.append)
        assert told == ["4 cells: 4 new, 4 stale"], file
        assert len(found.stale) == 4
        Path(file).write_text(before)
        with closing(sqlite3.connect(Path("store", MANIFEST))) as database:
            assert database.execute("DELETE FROM finished WHERE key IN (SELECT key FROM planned)").rowcount == 4
            database.commit()
        for cell in found.cells:
            Path("store", cell["file"]).unlink()
    told = []
    run_sweep.play_sweep(plan, "store", jobs=1, retry=False, tell=told.append)
    assert told == ["4 cells: 4 done"]
    assert digests("store") == first


def test_versions_and_options_are_part_of_the_key(monkeypatch):
    sweep(PLAN, "store")
    told = []
    run_sweep.play_sweep(PLAN | {"options": {"runs": 5}}, "store", jobs=1, retry=False, tell=told.append)
    assert told == ["4 cells: 4 new"]
    assert read_sweep("store").count("done") == 8
    monkeypatch.setattr("privcheck.sweeps._cell.versions", lambda: {"numpy": "3.0"})
    run_sweep.play_sweep(PLAN, "store", jobs=1, retry=False, tell=told.append)
    assert told[1:] == ["4 cells: 4 new, 4 stale"]


def test_a_file_that_changes_meanwhile_ends_the_sweep():
    Path("weights.txt").write_text("1")
    Path("policy.py").write_text(
        "with open('weights.txt', 'a') as file:\n    file.write('1')\n" + Path("policy.py").read_text()
    )
    with pytest.raises(PrivcheckError, match=r"policy\.py:Policy or a file that it reads"):
        sweep(PLAN | {"data": ["weights.txt"]}, "store")
    assert finished("store") == {}


def test_a_worker_process_of_another_version_ends_the_sweep(monkeypatch):
    """It was started later than this process, which has the version from before an upgrade."""

    def submit(function, *given):
        with monkeypatch.context() as patched:
            patched.setattr(play_cell, "versions", lambda: run_sweep.versions() | {"privcheck": "of tomorrow"})
            done = Future()
            done.set_result(function(*given))
        return done

    monkeypatch.setattr(run_sweep, "kept_pool", lambda _: SimpleNamespace(submit=submit))
    with pytest.raises(PrivcheckError, match="of which a worker process found other versions"):
        sweep(PLAN, "store", jobs=2)
    assert finished("store") == {}


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_target_that_changes_where_files_are_found_is_played(jobs, tmp_path):
    """It inserted its folder into the path of modules: "files that changed meanwhile", and again the next time."""
    before = list(sys.path)
    Path("elsewhere").mkdir()
    Path("elsewhere/helper.py").write_text("OFFSET = 1\n")
    places = "import os, sys\nsys.path.insert(0, os.path.abspath('elsewhere'))\n"
    Path("policy.py").write_text(places + Path("policy.py").read_text())
    assert sweep(PLAN, "store", jobs=jobs).count("done") == 4
    assert sweep(PLAN, "store", jobs=jobs).count("done") == 4
    assert (sys.path, Path.cwd()) == (before, tmp_path)


READS = """
import os


class Policy:
    def __init__(self, rng):
        self.rng = rng

    def select(self):
        return int(os.environ["OWN_ARM"])

    def update(self, action, reward):
        pass
"""


def test_results_of_another_behaviour_are_set_aside(monkeypatch, capsys):
    """No key sees the environment: one finished cell of each target is played again. Other targets are left alone."""
    Path("reads.py").write_text(READS)
    plan = PLAN | {"targets": ["reads.py:Policy", "policy.py:Policy"]}
    monkeypatch.setenv("OWN_ARM", "0")
    before = sweep(plan, "store")
    assert sweep(plan, "store") == before
    monkeypatch.setenv("OWN_ARM", "1")
    found = sweep(plan, "store")
    assert [cell["mean"] for cell in before.cells[:4]] == [0.0] * 4
    assert [cell["mean"] for cell in found.cells[:4]] == [2.5, 2.5, 5.0, 5.0]
    assert found.cells[4:] == before.cells[4:]
    assert len(found.notes) == 1
    assert found.notes[0].startswith("reads.py:Policy: finished results were set aside")
    assert len(list(Path("store/aside").iterdir())) == 4
    assert run(["report", "store", "--no-pages"]) == 0
    assert "8 results" in capsys.readouterr().out, "those set aside are none of them"
    assert sweep(plan, "store").notes == ()
    monkeypatch.setenv("OWN_ARM", "0")
    Path("sweep.toml").write_text(Path("sweep.toml").read_text().replace("policy.py", "reads.py"))
    assert run(["sweep", "sweep.toml", "--store", "store"]) == 0
    assert "reads.py:Policy: finished results were set aside" in capsys.readouterr().err


STREAMS = """
import json
from pathlib import Path

import numpy as np


def drawn(rng):
    one = np.zeros((4, 2))
    other = one.copy()
    other[0] = json.loads(Path("changed.json").read_text())
    return one, other
"""


def test_what_a_function_for_a_shipped_algorithm_reads_is_noticed():
    """Streams, encodings and laws are code, too, whatever the target is: not only those in files are tested."""
    Path("streams.py").write_text(STREAMS)
    options = {"arms": 2, "runs": 300, "streams": "streams.py:drawn"}
    plan = {"kind": "audit", "targets": ["dp-se"], "epsilons": [1.0], "horizons": [4], "options": options}
    Path("changed.json").write_text("1.0")
    before = sweep(plan, "store")
    assert sweep(plan, "store") == before
    Path("changed.json").write_text("0.5")
    found = sweep(plan, "store")
    assert found.cells[0]["digest"] == sweep(plan, "fresh").cells[0]["digest"] != before.cells[0]["digest"]
    assert [note[: note.index(" were set")] for note in found.notes] == ["dp-se: finished results"]


def test_an_audit_by_the_clock_is_not_taken_for_another():
    """Its number of runs was decided by a clock; it is played again with this number."""
    options = {"arms": 2, "time_budget": 2}
    plan = {"kind": "audit", "targets": ["policy.py:Policy"], "horizons": [3], "options": options}
    first = sweep(plan, "store")
    again = sweep(plan, "store")
    assert (again.notes, again.cells) == ((), first.cells)


def test_an_audit_that_a_clock_ended_before_it_counted_is_believed():
    """What it says are times, which are others in every run."""
    plan = {
        "kind": "audit",
        "targets": ["policy.py:Policy"],
        "horizons": [3],
        "options": {"arms": 2, "time_budget": 0.0001},
    }
    first = sweep(plan, "store")
    kept = json.loads(next(Path("store", "cells").glob("*.json")).read_text())
    assert kept["counted_runs"] == 0
    again = sweep(plan, "store")
    assert (again.notes, again.cells) == ((), first.cells)


def test_targets_do_not_share_the_modules_beside_them():
    """Two folders with a helper of the same name; one process plays both."""
    for name, offset in (("a", 0), ("b", 1)):
        Path(name).mkdir()
        Path(name, "helper.py").write_text(f"OFFSET = {offset}\n")
        Path(name, "policy.py").write_text(Path("policy.py").read_text())
    both = sweep(PLAN | {"targets": ["a/policy.py:Policy", "b/policy.py:Policy"]}, "both")
    alone = sweep(PLAN | {"targets": ["b/policy.py:Policy"]}, "alone")
    assert [cell["mean"] for cell in both.cells[4:]] == [cell["mean"] for cell in alone.cells]
    assert [cell["mean"] for cell in both.cells[:4]] != [cell["mean"] for cell in alone.cells]


def test_cells_that_fail_stop_nothing(capsys):
    plan = (
        Path("sweep.toml")
        .read_text()
        .replace('"policy.py:Policy"', '"policy.py:Broken", "no.py:X", "policy.py:Policy"')
    )
    Path("sweep.toml").write_text(plan)
    assert run(["sweep", "sweep.toml", "--store", "store"]) == 2
    said = capsys.readouterr()
    assert "12 cells: 4 done, 8 failed" in said.out
    assert "no arm today" in said.err
    assert len(said.err.splitlines()) == 2
    found = read_sweep("store")
    assert all("\n" not in cell["error"] for cell in found.cells if cell["status"] == "failed")
    assert run(["sweep", "sweep.toml", "--store", "store"]) == 2
    assert capsys.readouterr().out.startswith("12 cells: 4 done, 8 failed\n")
    assert run(["sweep", "sweep.toml", "--store", "store", "--retry"]) == 2
    assert capsys.readouterr().out.startswith("12 cells: 4 done, 8 new\n")


def test_a_target_that_ends_its_worker_fails_alone():
    Path("ends.py").write_text(
        "import os\nfrom policy import Policy as Parent\nclass Policy(Parent):\n"
        "    def __init__(self, rng, arms):\n        os._exit(3)\n"
    )
    plan = PLAN | {"targets": ["ends.py:Policy", "policy.py:Policy"], "horizons": [10]}
    found = sweep(plan, "store", jobs=2)
    assert [cell["status"] for cell in found.cells] == ["failed", "failed", "done", "done"]
    assert "worker process was killed" in found.cells[0]["error"]


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_an_audit_that_was_cut_short_is_no_result():
    """An audit that is interrupted returns a report of what it has: it is not stored as the whole one."""
    Path("stopped.py").write_text(
        "import os, signal\nfrom policy import Policy as Parent\nclass Policy(Parent):\n    calls = 0\n"
        "    def select(self):\n        Policy.calls += 1\n        if Policy.calls == 3000:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n        return super().select()\n"
    )
    plan = {"kind": "audit", "targets": ["stopped.py:Policy"], "epsilons": [1.0], "horizons": [3]}
    handler = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        sweep(plan | {"options": {"arms": 2, "runs": 2000, "pairs": 4}}, "store")
    assert signal.getsignal(signal.SIGINT) == handler
    assert [cell["status"] for cell in read_sweep("store").cells] == ["to play"]
    assert not list(Path("store/cells").iterdir())


def test_statuses_follow_the_verdicts(capsys):
    audits = {"violation": ("rnm-ftnl-published", 20_000, 1), "consistent": ("rnm-ftnl", 20_000, 0)}
    audits["inconclusive"] = ("rnm-ftnl", 20, 3)
    for verdict, (target, runs, status) in audits.items():
        epsilon = 3 if verdict == "inconclusive" else 1
        Path("a.toml").write_text(
            f'kind = "audit"\ntargets = ["{target}"]\nepsilons = [{epsilon}]\nhorizons = [4]\n'
            f"[options]\narms = 4\nruns = {runs}\n"
        )
        assert run(["sweep", "a.toml", "--store", verdict]) == status
        assert f"1 {verdict}" in capsys.readouterr().out


def test_folders_that_cannot_be_used_are_refused(capsys):
    Path("file").write_text("")
    assert run(["sweep", "sweep.toml", "--store", "file"]) == 2
    Path("none").mkdir()
    Path("none", MANIFEST).write_text("no database, " * 100)
    assert run(["sweep", "sweep.toml", "--store", "none"]) == 2
    assert run(["sweep", "sweep.toml"]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert "privcheck: store: got file: File exists" in lines[0]
    assert "not a database" in lines[1]
    with pytest.raises(PrivcheckError, match=r"it has no cells\.sqlite"):
        read_sweep("nowhere")
