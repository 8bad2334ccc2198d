"""Commands as targets: all kinds of feedback, programs that misbehave, and nothing that stays behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck.cli import main
from privcheck.privacy import Contexts
from privcheck.targets._services.line_process import LineProcess

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups of POSIX")

PROGRAM = str(Path(__file__).parent / "program.py")
STREAMS = (np.zeros((3, 2)), np.array([[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]]))
CONTEXTS = Contexts(shape=(2,), norm=1.0)
KINDS = {
    "bandit": {},
    "full": {},
    "semi-bandit": {},
    "identification": {},
    "contextual": {
        "contexts": CONTEXTS,
        "neighbours": "context-reward",
        "streams": tuple(np.hstack([table, np.full((3, 2), 0.5)]) for table in STREAMS),
    },
    "releases": {"observe": "releases"},
}
ERROR = 1e-7
"""Level of the verdicts: a private twin, whose outputs are fair coins, is called a violation with at most this."""


def command(mode, *more, **options):
    return privcheck.from_command([sys.executable, PROGRAM, mode, *map(str, more)], **options)


def audited(target, **options):
    given = {"epsilon": 1.0, "arms": 2, "streams": STREAMS, "runs": 400, "error": ERROR}
    return privcheck.audit(target, **given | options)


def refused(target, *fragments, **options):
    with pytest.raises(privcheck.PrivcheckError) as caught:
        audited(target, **options)
    told = str(caught.value)
    assert "\n" not in told
    assert len(told) < 500
    for fragment in fragments:
        assert fragment in told, told


@pytest.mark.chance(1e-9, "a claim of 1 where the loss is 0, refuted at level 1e-7", fresh=True)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_feedback(kind):
    """The leaky twin repeats a reward; the private one tosses coins."""
    options = KINDS[kind] | ({} if kind == "releases" else {"feedback": kind})
    leaky, private = (audited(command(mode), **options) for mode in ("leaky", "private"))
    assert leaky.verdict == "violation"
    assert leaky.epsilon_lower > 2.0
    assert private.verdict != "violation"
    assert {leaky.randomness, private.randomness} == {"independent"}
    assert {leaky.engine, private.engine} == {"command"}


@pytest.mark.chance(1e-9, "a claim of twice the loss, refuted at level 1e-7", fresh=True)
def test_mechanisms():
    """Noise of scale 2, a loss of 0.5 at a claim of 1; and of scale 1 / 8, a loss of 8."""
    pair = (np.zeros(2), np.array([0.0, 1.0]))
    found = {
        mode: audited(command(mode, mechanism=True), arms=None, streams=pair, runs=2000)
        for mode in ("leaky", "private")
    }
    assert found["leaky"].verdict == "violation"
    assert found["leaky"].epsilon_lower > 2.0
    assert found["private"].verdict != "violation"


def test_seeds_are_sent_and_repeat_an_audit():
    one, two = (audited(command("private"), randomness="seeded", runs=100) for _ in range(2))
    assert one.randomness == "seeded"
    assert np.array_equal(one.tradeoff.more, two.tradeoff.more)
    assert one.epsilon_estimate == two.epsilon_estimate


def test_a_program_that_ignores_its_seed_is_refused(tmp_path):
    ignoring = Path(PROGRAM).read_text().replace('random.Random(start["seed"])', "SECRET")
    (tmp_path / "ignoring.py").write_text(ignoring)
    target = privcheck.from_command([sys.executable, str(tmp_path / "ignoring.py"), "private"])
    refused(target, "different actions in round", "randomness='independent'", randomness="seeded")


@pytest.mark.parametrize("jobs", [1, 2])
def test_workers_have_a_process_each(jobs):
    assert audited(command("leaky"), jobs=jobs).verdict == "violation"


MISTAKES = {
    "float": ["action in round 1: got 1.0, expected an integer"],
    "true": ["action in round 1: got True, expected an integer"],
    "text": ["action in round 1: got 'left', expected an integer"],
    "out of range": ["action in round 1: got 7, expected an arm in 0, ..., 1"],
    "no action": ["""the reply '{"actions": 1}' to 'select', expected an object with 'action'"""],
    "not JSON": ["the reply 'action = 1' to 'select', expected one JSON object"],
    "a list": ["the reply '[1]' to 'select'"],
    "NaN": ["NaN", "expected one JSON object"],
    "deep": ["expected one JSON object"],
    "an error": ["the error ", "memory", "in reply to 'select'"],
    "huge": ["a line of more than 1,048,576 bytes"],
    "blank": ["the reply '' to 'select'"],
    "a name twice": ["""the reply '{"action": 0, "action": 1}' to 'select', expected one JSON object"""],
    "bytes": ["expected one JSON object"],
    "dies": ["ended with status 7", "a mistake in the program"],
    "killed": ["was ended by SIGKILL"],
    "no update": ["""the reply '{"done": true}' to 'update', expected an object with "ok": true"""],
}


@pytest.mark.parametrize("mode", MISTAKES)
def test_programs_that_misbehave(mode):
    refused(command(mode), *MISTAKES[mode])


def test_a_program_that_answers_twice(tmp_path):
    """Every second answer would be read as one to a later message, also when the input has changed."""
    program = tmp_path / "twice.py"
    program.write_text('import sys\nfor line in sys.stdin:\n    print(\'{"output": 1}\\n{"output": 1}\', flush=True)\n')
    target = privcheck.from_command([sys.executable, str(program)], mechanism=True)
    refused(target, """got '{"output": 1}""", "a reply to no message", arms=None, streams=(np.zeros(1), np.ones(1)))


@pytest.mark.parametrize("mode", ["silent", "half a line"])
def test_programs_that_do_not_answer(mode):
    started = time.monotonic()
    refused(command(mode, timeout=0.5), "no reply to 'select' within 0.5 seconds")
    assert time.monotonic() - started < 20.0


@pytest.mark.parametrize(
    ("words", "fragments"),
    [
        (["no-such-program"], ["'no-such-program', which cannot be started: No such file or directory"]),
        ([PROGRAM], ["cannot be started: Permission denied"]),
        (["true"], ["ended with status 0"]),
        (["cat"], ["""expected an object with "ok": true"""]),
    ],
)
def test_programs_that_are_none(words, fragments):
    refused(privcheck.from_command(words), *fragments)


@pytest.mark.parametrize("words", ["", [], None, [1], "an 'open quotation", {}])
def test_no_command(words):
    with pytest.raises(privcheck.PrivcheckError, match="expected a program and its arguments"):
        privcheck.from_command(words)


@pytest.mark.parametrize("timeout", [0, -1.0, "soon", float("nan")])
def test_timeouts_are_positive(timeout):
    with pytest.raises(privcheck.PrivcheckError, match="timeout: got"):
        privcheck.from_command("true", timeout=timeout)


def test_a_run_has_a_time_limit():
    refused(command("private"), "a run that takes longer than 0.001 seconds", time_limit=1e-3)


def test_what_is_played_elsewhere_has_no_certificate():
    with pytest.raises(privcheck.PrivcheckError, match="expected code in Python"):
        privcheck.certify(command("private"), epsilon=1.0, arms=2)
    refused(command("private"), "which another program plays", guarded=True)


# Nothing stays behind


def living(file):
    """Return which of the processes in a file are alive."""
    found = []
    for number in map(int, file.read_text().split()):
        status = Path(f"/proc/{number}/stat")
        if status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z":
            found.append(number)
    return found


def ends(file):
    """Return whether all processes in a file end within some seconds."""
    until = time.monotonic() + 10.0
    while living(file) and time.monotonic() < until:
        time.sleep(0.05)
    return not living(file)


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")


@pytest.mark.chance(0.0, "no number of the audit is looked at")
@needs_proc
def test_a_command_and_its_children_end_with_the_audit(tmp_path):
    """It writes much to standard error, and its child ignores every signal that can be ignored."""
    file = tmp_path / "processes"
    assert audited(command("noisy", file)).epsilon_lower is not None
    assert len(file.read_text().split()) >= 2
    assert ends(file)


@needs_proc
def test_a_stubborn_command_ends_with_an_error(tmp_path):
    file = tmp_path / "processes"
    refused(command("stubborn", file, timeout=0.5), "no reply to 'select'")
    assert ends(file)


@needs_proc
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("twice", [False, True])
def test_a_stubborn_command_ends_with_an_interrupt(tmp_path, number, twice):
    """After a first signal, which the audit answers, and after a second one, which ends privcheck at once."""
    file, output = tmp_path / "processes", tmp_path / "result.json"
    words = [sys.executable, "-P", "-m", "privcheck", "audit", "--epsilon", "1", "--arms", "2", "--timeout", "300"]
    words += ["--command", f"{sys.executable} {PROGRAM} stubborn {file}", "--json", str(output)]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    try:
        until = time.monotonic() + 60.0
        while not file.exists() or len(file.read_text().split()) < 2:
            assert time.monotonic() < until, "the command did not start"
            time.sleep(0.05)
        time.sleep(0.3)
        assert living(file)
        process.send_signal(number)
        if twice:
            time.sleep(0.1)
            process.send_signal(number)
        status = process.wait(60.0)
    finally:
        process.kill()
        process.stderr.close()
    assert status == 128 + number
    assert ends(file)
    assert not output.exists()


# The command line


def run(*words):
    with pytest.raises(SystemExit) as ended:
        main([*words])
    return ended.value.code


def test_the_command_line_says_what_is_not_known(tmp_path, capsys):
    """A violation, JSON with the source of randomness, and a sentence in place of the calls that repeat it."""
    np.save(tmp_path / "pair.npy", np.stack(STREAMS))
    output, page = tmp_path / "result.json", tmp_path / "page.html"
    words = ["--command", f"{sys.executable} {PROGRAM} leaky", "--streams", str(tmp_path / "pair.npy")]
    words += ["--epsilon", "1", "--arms", "2", "--runs", "400", "--html", str(page), "--json", str(output)]
    assert run("audit", *words) == 1
    shown = " ".join(capsys.readouterr().out.split())
    assert "cannot be repeated exactly" in shown
    assert "Independence of the runs is taken on your word" in shown
    assert "To repeat" not in shown
    assert json.loads(output.read_text())["randomness"] == "independent"
    assert privcheck.AuditReport.from_json(output.read_text()).randomness == "independent"
    assert "cannot be repeated exactly" in page.read_text()


def test_a_seeded_command_is_repeated_by_a_call():
    from privcheck.reporting._text.repeating import repeat_audit

    target = privcheck.from_command(["./bandit", "a b"], timeout=30, mechanism=True)
    calls = repeat_audit(audited_as(repr(target), "seeded"))
    assert str(calls.python).startswith("privcheck.audit(privcheck.from_command(['./bandit', 'a b'], timeout=30.0, mec")
    assert "randomness='seeded'" in str(calls.python)
    assert "--command './bandit '\"'\"'a b'\"'\"'' --timeout 30.0 --mechanism" in str(calls.command)
    assert "--randomness seeded" in str(calls.command)


def audited_as(name, randomness):
    from dataclasses import replace

    from tests.example_results import VIOLATION

    return replace(VIOLATION, target=name, engine="command", randomness=randomness)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--epsilon", "1"], "target: got none, expected one of a target, --command and --url"),
        (["ucb", "--command", "true"], "target: got target and --command"),
        (["--command", "true", "--url", "http://127.0.0.1:1/"], "target: got --command and --url"),
        (["ucb", "--timeout", "3"], "timeout: got 3.0"),
        (["ucb", "--mechanism"], "mechanism: got True"),
        (["--command", "true", "--python", "python3"], "python: got 'python3' with --command"),
        (["ucb", "--randomness", "independent", "--epsilon", "1"], "randomness: got 'independent' for ucb"),
        (["--command", "true"], "arms: got None"),
    ],
)
def test_options_that_contradict(words, told, capsys, tmp_path):
    output = tmp_path / "result.json"
    assert run("audit", *words, "--json", str(output)) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert told in lines[0]
    assert not output.exists()


LOUD = """
import json, sys

for line in sys.stdin:
    sys.stderr.write(("x" * 99 + "\\n") * 50_000)
    sys.stderr.flush()
    print(json.dumps({"action": 0}), flush=True)
"""


def test_megabytes_on_standard_error_for_each_message_do_not_hold_up_replies(tmp_path):
    """Five megabytes for each message; a pipe holds 64 KiB, and a program waits until what it writes is read."""
    (tmp_path / "loud.py").write_text(LOUD)
    process = LineProcess([sys.executable, str(tmp_path / "loud.py")], 60.0)
    begun = time.monotonic()
    try:
        for count in (1, 1, 8):
            assert process.exchange([{"op": "select"}] * count) == [{"action": 0}] * count
        assert time.monotonic() - begun < 60.0
        assert len(process._last_words) <= 2000
    finally:
        process.close()


def test_a_status_that_was_collected_elsewhere_ends_nothing():
    """The end of a command once replaced the error of the audit by "No child processes"."""
    process = LineProcess([sys.executable, "-c", "pass"], 60.0)
    os.waitpid(process._process.pid, 0)
    process.close()
    another = LineProcess([sys.executable, "-c", "pass"], 60.0)
    os.waitpid(another._process.pid, 0)
    with pytest.raises(privcheck.PrivcheckError, match="which ended with status"):
        another.exchange([{"op": "call", "data": 0.0, "seed": None}])


SLOW = """
import json, sys, time

for line in sys.stdin:
    time.sleep(0.02)
    print(json.dumps({"ok": True, "action": 0}), flush=True)
"""


def test_a_slow_program_is_told_how_long_an_audit_takes(tmp_path, capsys):
    """Ten exchanges a run in a horizon of 4, and hundreds of runs: it ends at once, and names the time."""
    (tmp_path / "slow.py").write_text(SLOW)
    words = ["--command", f"{sys.executable} {tmp_path / 'slow.py'}", "--epsilon", "1", "--arms", "2", "--horizon", "4"]
    started = time.monotonic()
    assert run("audit", *words, "--time-budget", "3") == 3
    assert time.monotonic() - started < 3.0
    said = " ".join(capsys.readouterr().out.split())
    assert "note: no run was counted, so there is no lower bound: a run takes 0." in said
    assert "seed 0, no run counted, engine command" in said
    assert "runs per stream" not in said


CRASHING = """
import sys

sys.stdin.readline()
sys.stderr.write("".join(f"line {number}\\n" for number in range(40)) + "TypeError: no\\n\\nNode.js v20.20.2\\n")
sys.exit(1)
"""


@pytest.mark.chance(0.0, "it ends in its first run")
def test_a_program_that_ends_shows_its_last_lines(tmp_path):
    (tmp_path / "crashing.py").write_text(CRASHING)
    target = privcheck.from_command([sys.executable, str(tmp_path / "crashing.py")])
    refused(target, "the end of its standard error: line 27 | line 28", "line 39 | TypeError: no | Node.js v20.20.2")


def test_no_line_of_another_program_is_looked_for():
    report = audited(command("leaky"))
    assert "no line was found at fault: the code of another program is not seen" in report.notes
    assert not [note for note in report.notes if "candidate pairs" in note]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["audit", "x.js", "--command", "node"], "into quotation marks: --command 'node x.js'"),
        (["audit", "--command", "cd /tmp && ls", "--arms", "2"], "write sh -c '...'"),
        (["audit", PROGRAM.replace("program.py", "bandit.js")], "what another language plays is a command: --command"),
        (["certify", "--command", "true"], "it reads Python code, while `privcheck audit` and `privcheck watch` play"),
        (["fix", "--url", "http://127.0.0.1:1/"], "it reads Python code, while"),
        (["watch", "--command", "true", "--arms", "2", "--store", "{store}"], "service: --code-version 2.4.1, or"),
        (["watch", "--store", "{text}"], "not a database, expected a store of watches on a local disk; give the file"),
    ],
)
def test_what_a_command_is_and_is_not_is_told(words, told, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("no store, but a text that is longer than the head of a database " * 20)
    (tmp_path / "bandit.js").write_text("")
    places = {PROGRAM.replace("program.py", "bandit.js"): "bandit.js", "{store}": "new.sqlite", "{text}": "notes.txt"}
    claim = ["--epsilon", "1"] if words[-1] != "{text}" else []
    assert run(*(places.get(word, word) for word in words), *claim) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line


def test_bad_input_is_an_annotation(capsys):
    words = ["--command", "false", "--epsilon", "1", "--arms", "2"]
    for asked in (["--annotate", "github"], ["--annotate=github"]):
        assert run("audit", *words, *asked) == 2
        assert capsys.readouterr().out.startswith("::error title=privcheck%3A no result::command: got 'false', which")
    assert run("audit", *words) == 2
    assert not capsys.readouterr().out
    assert run("audit", *words, "--epsylon", "1", "--annotate", "github") == 2
    assert capsys.readouterr().out.startswith("::error title=privcheck%3A no result::No such option: --epsylon")


BLIND = """
import json, sys

for line in sys.stdin:
    print(json.dumps({"ok": True, "action": 0}), flush=True)
"""
"""Without coins: with them one audit in twenty has a lower bound above zero."""


def test_outputs_that_do_not_depend_on_the_data_are_a_warning(tmp_path, capsys):
    (tmp_path / "blind.py").write_text(BLIND)
    np.save(tmp_path / "pair.npy", np.array(STREAMS))
    words = ["--command", f"{sys.executable} {tmp_path / 'blind.py'}", "--epsilon", "1", "--arms", "2"]
    asked = ["--runs", "400", "--streams", str(tmp_path / "pair.npy"), "--annotate", "github", "--error", "1e-7"]
    assert run("audit", *words, *asked) == 0
    (told,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("::")]
    assert told.startswith("::warning title=privcheck%3A outputs that showed nothing of the data::")
    assert "Check that rewards reach the policy, that --feedback is its kind" in told
