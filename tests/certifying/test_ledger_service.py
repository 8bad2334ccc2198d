"""The example service, which is killed and started again while clients ask."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

import privcheck
from privcheck.certifying import ledger_problems

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "examples" / "ledger_service" / "server.py"

pytestmark = [pytest.mark.long, pytest.mark.skipif(not SERVER.is_file(), reason="without the examples")]


ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(privcheck.__file__).parents[1])}


def start(folder):
    command = [sys.executable, "-P", str(SERVER), "0", str(folder), str(folder / "head")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
    return process, int(process.stdout.readline())


def ask(port, path, asked):
    """Return the status and the answer; a connection that breaks is an OSError."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/{path}", json.dumps(asked).encode())
    try:
        with urllib.request.urlopen(request, timeout=60) as found:
            return found.status, json.loads(found.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


@pytest.mark.evidence
@pytest.mark.timeout(7200)
def test_a_service_that_is_killed_answers_each_event_once(tmp_path, evidence):
    kills, events = evidence(3, 20), evidence(24, 480)
    process, port = start(tmp_path)
    answers, refused, day = {}, 0, int(time.time()) // 86_400
    try:
        for number in range(events):
            if number % (events // kills) == events // kills - 1:
                sent = urllib.request.Request(
                    f"http://127.0.0.1:{port}/select", json.dumps({"id": f"e{number}"}).encode()
                )
                process.kill()  # the client does not know whether it was answered
                with pytest.raises(OSError):
                    urllib.request.urlopen(sent, timeout=60)
                process.wait()
                process.stdout.close()
                process, port = start(tmp_path)
            status, answer = ask(port, "select", {"id": f"e{number}"})
            assert status == 200
            answers[number] = answer["action"]
            told = {"id": f"e{number}", "action": answer["action"], "reward": 1.0, "user": f"u{number % 5}"}
            first, again = ask(port, "update", told), ask(port, "update", told)
            assert first == again
            refused += first[0] == 429
            assert first[0] in (200, 429)
        for number, action in answers.items():
            assert ask(port, "select", {"id": f"e{number}"}) == (200, {"action": action})
        assert ask(port, "update", {"id": "e1", "action": 0, "reward": 9.0, "user": "u1"})[0] == 400
        assert ask(port, "update", {"id": "e1"})[0] == 400
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert ledger_problems(tmp_path / "budget.db", tmp_path / "head" / "heads.db") == []
    connection = sqlite3.connect(tmp_path / "budget.db")
    counts = connection.execute("SELECT count(*) FROM entry WHERE kind = 'select' AND request <> ''").fetchone()
    most = connection.execute(
        "SELECT max(n) FROM (SELECT count(*) n FROM entry WHERE person <> '' GROUP BY person, window)"
    ).fetchone()
    connection.close()
    assert (counts, most) == ((events,), (4,))
    assert refused == events - 20 or int(time.time()) // 86_400 > day, "20 rewards of five persons in a day"


def test_who_has_no_budget_left_is_told_when_to_come_again(tmp_path):
    process, port = start(tmp_path)
    told, taken = {"action": 0, "reward": 1.0, "user": "u1"}, 200
    try:
        for number in range(9):  # the budget of a day is that of four rewards, and the day may end meanwhile
            told |= {"id": f"e{number}", "action": ask(port, "select", {"id": f"e{number}"})[1]["action"]}
            if (taken := ask(port, "update", told)[0]) != 200:
                break
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/update", json.dumps(told).encode(), timeout=60)
        with refused.value as error:
            when = parsedate_to_datetime(error.headers["Retry-After"])
            said = json.loads(error.read())["error"]
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    assert taken == error.code == 429
    assert 0 < when.timestamp() - time.time() <= 86_400
    assert when.timestamp() % 86_400 == 0
    assert f"{when:%Y-%m-%d at %H:%M} UTC" in said


def test_an_old_copy_is_refused_in_one_line(tmp_path):
    process, port = start(tmp_path)
    try:
        action = ask(port, "select", {"id": "e1"})[1]["action"]
        shutil.copytree(tmp_path, tmp_path.with_name("copy"))
        assert ask(port, "update", {"id": "e1", "action": action, "reward": 1.0, "user": "u1"})[0] == 200
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    for file in tmp_path.glob("budget.db*"):
        file.unlink()
    for file in tmp_path.with_name("copy").glob("budget.db*"):
        shutil.copy(file, tmp_path)
    command = [sys.executable, "-P", SERVER, "0", tmp_path, tmp_path / "head"]
    ended = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True)
    assert ended.returncode == 1
    assert ended.stderr.startswith("not started: ledger: got ")
    assert "its head says" in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_request_that_is_none_gets_one_sentence(tmp_path):
    process, port = start(tmp_path)
    try:
        for path, asked, words in [
            ("select", {}, "takes a JSON object with id"),
            ("select", [1], "takes a JSON object with id"),
            ("select", {"id": None}, "the id a string"),
            ("update", {"id": "e1", "action": 0}, "with id, action, reward, user"),
            ("other", {"id": "e1"}, "ask for /select or /update"),
        ]:
            status, answer = ask(port, path, asked)
            assert (status, words in answer["error"]) == (400, True), answer
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_the_first_reward_loads_nothing(tmp_path):
    """On a cold disk the libraries of secure noise took seconds, while somebody waited for an answer."""
    program = """
import sys, privcheck
from privcheck.bandits import ALGORITHMS
build = ALGORITHMS["adap-ucb"](arms=2, epsilon=0.25).build
options = {"ledger": "b.db", "head": "h.db", "scope": "one", "epsilon": 0.25, "arms": 2}
guarded, before = privcheck.guard(build, **options), {*sys.modules}
for _ in range(4):
    guarded.update(guarded.select(), 1.0)
print(guarded.spent > 0.0, sorted({*sys.modules} - before))
"""
    ended = subprocess.run(
        [sys.executable, "-P", "-c", program], env=ENVIRONMENT, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ended.stdout == "True []\n"
