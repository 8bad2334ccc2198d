"""The example service, which is killed and started again while clients ask."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import privcheck
from privcheck.certifying import ledger_problems

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "examples" / "ledger_service" / "server.py"

pytestmark = [pytest.mark.long, pytest.mark.skipif(not SERVER.is_file(), reason="without the examples")]


def start(folder):
    environment = {**os.environ, "PYTHONPATH": str(Path(privcheck.__file__).parents[1])}
    command = [sys.executable, "-P", str(SERVER), "0", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
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
