"""What goes wrong has a status and one line: internal errors, encodings, control characters, warnings."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import privcheck
from privcheck.cli import _interruption as interruption
from privcheck.cli import _process as process
from privcheck.cli import _statuses as statuses
from privcheck.cli import main, run
from privcheck.errors import PrivcheckError
from privcheck.reporting._baselines import Measured, compared
from privcheck.results import FIXED, NONE_LEARNS, NOTHING_CERTIFIES, NOTHING_TO_FIX, FrontierPoint
from privcheck.results._verdicts import VERDICTS
from privcheck.sweeps import Sweep
from tests.example_results import FIXED_BANDIT, VIOLATION

ESCAPE = "\x1b[31mred\x07\u202e"
FAST = ["--epsilon", "1", "--arms", "2", "--horizon", "2", "--runs", "40", "--pairs", "5"]
HOSTILE = """
class Loud:
    def __init__(self, rng):
        self.rng = rng

    def select(self):
        raise ValueError("\\x1b[31mred\\x07\\u202e")

    def update(self, action, reward):
        pass


class Overflows:
    def __init__(self, rng):
        self.rng = rng

    def select(self):
        import numpy as np

        np.float64(1e308) * 10.0
        return int(self.rng.integers(2))

    def update(self, action, reward):
        pass
"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    Path("hostile.py").write_text(HOSTILE)
    Path("bell\x07.py").write_text(HOSTILE)


def done(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-c", "from privcheck.cli import main; main()", *arguments],
        capture_output=True,
        timeout=120,
        check=False,
        env=os.environ | {"PYTHONPATH": str(Path(privcheck.__file__).parents[1])} | environment,
    )


@pytest.mark.parametrize(
    "error",
    [
        ZeroDivisionError("division\nby \x1b[31mzero"),
        RecursionError(),
        UnicodeEncodeError("ascii", "é", 0, 1, "no"),
        AssertionError("no"),
        BaseException("panic"),
        SystemExit(1),
        FileNotFoundError(2, "No such file", "template.css"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_a_crash_is_an_internal_error_and_no_verdict(error, monkeypatch, capsys):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("privcheck.auditing.audit", fail)
    assert run(["audit", "ucb"]) == 70
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(r"privcheck: internal error: .*: please report the command and \S+\.txt\n", err)
    assert err[:-1].isprintable()
    assert privcheck.__version__ in err
    kept = Path(err.split()[-1]).read_text()
    assert "Traceback" in kept
    assert type(error).__name__ in kept


def test_the_line_is_written_even_where_the_traceback_cannot_be_kept(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("privcheck.bandits.ALGORITHMS.summaries", None)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "missing"))
    assert run(["list"]) == 70
    assert capsys.readouterr().err.endswith("please report the command\n")


def test_a_missing_part_of_the_installation_is_an_internal_error():
    code = "import sys; sys.modules['typer'] = None; from privcheck.cli import main; main(['list'])"
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=os.environ | {"PYTHONPATH": str(Path(privcheck.__file__).parents[1])},
    )
    assert found.returncode == 70
    assert "ModuleNotFoundError" in found.stderr
    assert found.stderr.count("\n") == 1


def test_too_little_memory_is_told_with_what_to_do(monkeypatch, capsys):
    def fail(*_, **__):
        raise MemoryError("Unable to allocate 7.28 TiB")

    monkeypatch.setattr("privcheck.simulation.simulate", fail)
    assert run(["simulate", "ucb", "--means", "0.7,0.5", "--horizon", "10"]) == 2
    assert "memory: got Unable to allocate 7.28 TiB, expected" in capsys.readouterr().err


# Verdicts


def test_every_verdict_has_a_status():
    assert set(statuses.OF_VERDICT) == set(VERDICTS)


@pytest.mark.parametrize("verdict", ["refuted", "", "Violation", 1])
def test_an_unknown_verdict_is_an_error_wherever_it_is_read(verdict):
    with pytest.raises(ValueError, match="verdict is"):
        replace(VIOLATION, verdict=verdict)
    with pytest.raises(ValueError, match="verdict is"):
        FrontierPoint("ucb", 1.0, 1.0, None, 1.0, 1.0, 1, verdict=verdict)
    with pytest.raises(PrivcheckError, match="verdict is"):
        privcheck.AuditReport.from_json(VIOLATION.to_json().replace('"violation"', json.dumps(verdict)))
    asked = {"claim": "epsilon = 1"}
    with pytest.raises(KeyError):
        compared("a", Measured("audit", "a", asked, "consistent"), Measured("audit", "a", asked, str(verdict)))
    cell = {"status": "done", "verdict": verdict}
    found = SimpleNamespace(verdict=verdict, points=[SimpleNamespace(verdict=verdict)])
    for status_of, result in (
        (statuses.status_of_audit, found),
        (statuses.status_of_frontier, found),
        (statuses.status_of_sweep, Sweep("out", (cell,))),
    ):
        with pytest.raises(KeyError):
            status_of(result)


def test_a_command_with_an_unknown_verdict_fails(monkeypatch, capsys):
    report = replace(VIOLATION, notes=[])
    object.__setattr__(report, "verdict", "perhaps")
    monkeypatch.setattr("privcheck.auditing.audit", lambda *_, **__: report)
    assert run(["audit", "ucb", "--json", "-"]) == 70
    assert "internal error: KeyError: 'perhaps'" in capsys.readouterr().err


# Characters


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "utf-8"])
def test_output_that_an_encoding_cannot_show_is_replaced(encoding, monkeypatch):
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True))
    for arguments, status in ((["list"], 0), (["audit", "naïve ∞ bandit"], 2), (["certify", "adap-ucb", *FAST[:4]], 0)):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == status
    shown, told = (stream.buffer.getvalue().decode(encoding) for stream in (sys.stdout, sys.stderr))
    assert ("✓ certified" if encoding == "utf-8" else "ok certified") in shown
    assert told.count("\n") == 1
    assert {"ascii": "naive inf bandit", "utf-8": "naïve ∞ bandit"}.get(encoding, "naïve inf bandit") in told
    assert (sys.stdout.errors, sys.stderr.errors) == ("strict", "strict"), "put back"


def test_a_real_process_with_another_encoding():
    for environment in ({"PYTHONIOENCODING": "cp1252"}, {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}):
        found = done("audit", "running-mean ∞", **environment)
        assert (found.returncode, found.stderr.count(b"\n")) == (2, 1)


def test_infinity_stays_infinity():
    assert process._replaced(UnicodeEncodeError("ascii", "a∞漢é", 1, 4, "no")) == ("inf?e", 4)


@pytest.mark.parametrize("path", ["hostile.py", "bell\x07.py"])
def test_exception_texts_reach_a_terminal_without_control_characters(path, capsys):
    assert run(["audit", f"{path}:Loud", *FAST]) == 2
    err = capsys.readouterr().err
    assert err[:-1].isprintable()
    assert r"ValueError: \x1b[31mred\x07\u202e" in err


@pytest.mark.parametrize("command", ["audit", "certify"])
def test_names_reach_a_terminal_without_control_characters(command, capsys):
    Path("bell\x07.py").write_text(HOSTILE.replace("np.float64(1e308) * 10.0", "pass"))
    arguments = FAST if command == "audit" else FAST[:6]
    assert run([command, "bell\x07.py:Overflows", *arguments]) in (0, 1, 3)
    out, err = capsys.readouterr()
    assert "bell" in out
    assert all(line.isprintable() for line in (out + err).splitlines())


@pytest.mark.parametrize(
    "arguments", [["audit", f"{ESCAPE}.py:Bandit"], [ESCAPE], ["list", f"--{ESCAPE}"], ["report", ESCAPE]]
)
def test_what_was_typed_reaches_a_terminal_without_control_characters(arguments, capsys):
    assert run(arguments) == 2
    assert capsys.readouterr().err[:-1].isprintable()


def test_errors_print_no_control_characters_from_python_either():
    assert str(PrivcheckError(ESCAPE, 1, ESCAPE, ESCAPE)).isprintable()


def test_numpys_warnings_stay_away_from_the_terminal(capsys):
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warned = done("audit", "hostile.py:Overflows", *FAST, "--jobs", "2", PYTHONWARNINGS="default")
        quiet = done("audit", "hostile.py:Overflows", *FAST, "--jobs", "2")
    assert b"RuntimeWarning" in warned.stderr, "the policy warns"
    assert quiet.stderr == b""
    assert quiet.returncode in (0, 1, 3)


# Files of strange content


def test_a_zip_file_called_npy_is_refused(capsys):
    Path("streams.npy").write_bytes(b"PK\x03\x04" + bytes(40))
    assert run(["audit", "ucb", "--streams", "streams.npy", *FAST[:2]]) == 2
    assert "streams: got 'streams.npy', expected a .npy file of numbers" in capsys.readouterr().err


def test_an_npz_file_called_npy_is_refused(capsys):
    import numpy as np

    np.savez("streams.npz", a=np.zeros(3), b=np.zeros(3))
    Path("streams.npz").rename("streams.npy")  # unpacked, it is a pair of names
    assert run(["audit", "ucb", "--streams", "streams.npy", *FAST[:2]]) == 2
    assert "streams: got 'streams.npy', expected a .npy file of numbers" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["a = " + "[" * 3000 + "]" * 3000, "a" + ".a" * 3000 + " = 1"])
def test_toml_nested_too_deeply_is_refused(text, capsys):
    Path("deep.toml").write_text(text)
    assert run(["bounds", "deep.toml", "--epsilon", "1"]) == 2
    assert "deep.toml: got" in capsys.readouterr().err


def test_the_version(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"privcheck {privcheck.__version__}\n"


def test_signals_are_answered_only_in_the_main_thread():
    import threading

    seen = []

    def elsewhere():
        with interruption.answering_signals():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGTERM)]


def test_public_names_are_listed_for_completion():
    assert {"audit", "bounds", "simulate", "AuditReport"} <= set(dir(privcheck))
    assert all(hasattr(privcheck, name) for name in dir(privcheck))


def test_results_show_themselves_in_a_few_lines(capsys):
    from privcheck import bounds
    from tests.example_results import CERTIFIED, GRANTED

    values = bounds.evaluate(bounds.Instance("bernoulli", (0.7, 0.5, 0.3), epsilon=1.0, horizon=1e5))
    simulation = privcheck.simulate("ucb", [0.7, 0.5], horizon=20, runs=3)
    assert len(repr(values)) < 3000
    assert "azize-basu-2022/thm3-tight" in repr(values)
    for result in (CERTIFIED, GRANTED, simulation, CERTIFIED.witness):
        assert len(repr(result)) < 400
    for result in (CERTIFIED, GRANTED, simulation, values):
        assert "<table>" in result._repr_html_()


def test_the_arms_of_a_log_are_named(capsys):
    Path("clicks.csv").write_text("item,click\n[/red],1\nb,0\nb,1\n")
    log = ["--log", "clicks.csv", "--action", "item", "--reward", "click"]
    assert run(["simulate", "ucb", *log, "--horizon", "10", "--runs", "2", "--html", "page.html"]) == 0
    assert "replay (means [/red] 1, b 0.5)" in " ".join(capsys.readouterr().out.split())
    assert "replay (means [/red] 1, b 0.5)" in Path("page.html").read_text()


def test_the_status_follows_from_the_outcome():
    by_outcome = {FIXED: 0, NOTHING_TO_FIX: 0, NOTHING_CERTIFIES: 1, NONE_LEARNS: 3}
    for outcome, status in by_outcome.items():
        assert statuses.status_of_fix(replace(FIXED_BANDIT, outcome=outcome)) == status
    with pytest.raises(KeyError):
        statuses.status_of_fix(replace(FIXED_BANDIT, outcome="another"))


@pytest.mark.parametrize(
    ("command", "given", "meant"),
    [
        ("certify", "--zcdp", "--rho"),
        ("audit", "--eps", "--epsilon"),
        ("watch", "--gdp", "--mu"),
        ("audit", "--neighbors", "--neighbours"),
    ],
)
def test_an_option_of_another_name_is_asked_about(command, given, meant, capsys):
    assert run([command, "adap-ucb", given, "1"]) == 2
    assert capsys.readouterr().err == (
        f"privcheck: No such option: {given}; did you mean {meant}? `privcheck {command} --help` lists the options\n"
    )


def test_an_option_that_a_command_does_not_have_by_any_name_is_not_made_up(capsys):
    assert run(["fix", "adap-ucb", "--zcdp", "1"]) == 2
    assert "did you mean" not in capsys.readouterr().err


@pytest.mark.parametrize("name", ["audit", "certify", "guard", "watch"])
@pytest.mark.parametrize(("given", "meant"), [("eps", "epsilon"), ("zcdp", "rho"), ("neighbors", "neighbours")])
def test_a_keyword_of_another_name_is_asked_about(name, given, meant):
    with pytest.raises(privcheck.PrivcheckError, match=rf"^{given}: got 1.0, .*; did you mean '{meant}'\?$"):
        getattr(privcheck, name)("adap-ucb", **{given: 1.0})
