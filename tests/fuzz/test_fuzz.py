"""Random inputs of every command, reader and public function, more than half of them valid.

None may end in a traceback, hang, leave half a file, print control characters, or claim a violation that the printed
result does not have. 10,000 of them with --evidence=full; a sample of 200 otherwise, 40 of them commands.
"""

from __future__ import annotations

import importlib.util
import sys
import warnings
from collections import Counter
from pathlib import Path
from random import Random

import pytest

SEED = 20_261_122


def _module(name):
    spec = importlib.util.spec_from_file_location(f"tests_fuzz_{name}", Path(__file__).parent / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


commands, play, functions = (_module(name) for name in ("commands", "play", "functions"))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", "/tmp")
    monkeypatch.setenv("COLUMNS", "100")
    play.prepare(tmp_path, commands.FILES, Random(SEED))
    return tmp_path


def fuzz_commands(count, folder, seed=SEED, every=100):
    """Play command lines; return the counts by command, intention and status, and the faults."""
    random, counts, faults = Random(seed), Counter(), []
    for number in range(count):
        case = commands.case(random)
        if number % every == every - 1 and case.command != "report":
            status, wrong = play.play_as_process([text.replace("\udcff", "") for text in case.arguments], folder)
        else:
            status, wrong = play.play(case.arguments, case.outputs, folder)
        counts[case.command, "valid" if case.valid else "slip", status] += 1
        faults += [f"{case}: {fault}" for fault in wrong]
    return counts, faults


def fuzz_functions(count, seed=SEED):
    """Call public functions; return the counts by kind and outcome, and the faults."""
    random, counts, faults = Random(seed), Counter(), []
    for _ in range(count):
        valid = random.random() < 0.6
        name, use = functions.call(random, valid)
        outcome = "returned"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                use()
        except functions.REFUSED as error:
            outcome = "refused"
            if not str(error).isprintable():
                faults.append(f"{name}: control characters in {str(error)!r}")
        except Exception as error:
            outcome = "raised"
            faults.append(f"{name[:600]}: {type(error).__name__}: {error}")
        counts[name.partition("(")[0].partition(".")[0], "valid" if valid else "slip", outcome] += 1
    return counts, faults


@pytest.mark.evidence
def test_commands(folder, evidence):
    counts, faults = fuzz_commands(evidence(40, 2_000), folder)
    assert faults == []
    assert sum(count for (_, _, status), count in counts.items() if status != 2) > counts.total() / 2, "accepted"


@pytest.mark.evidence
def test_functions(evidence):
    counts, faults = fuzz_functions(evidence(160, 4_000))
    assert faults == []
    assert sum(count for (_, _, outcome), count in counts.items() if outcome == "returned") > counts.total() / 2


def test_a_fault_is_noticed(folder, monkeypatch):
    """The broken twin: a command that crashes, one that says "violation" and one that leaves half a file."""
    monkeypatch.setattr("privcheck.bandits.ALGORITHMS.summaries", None)
    assert "status 70" in play.play(["list"], [], folder)[1][0]
    assert play.wrong_text(1, "all is well\n", "", ["audit", "ucb"]) == ["status 1 without a violation: all is well\n"]
    assert play.wrong_text(0, "\x1b[31m", "", ["list"]) == ["control characters"]
    (folder / "half.json").write_text('{"schema_version": 1, "resul')
    assert "cannot be read" in play.wrong_files(0, [folder / "half.json"], [], ["audit"])[0]
    assert play.wrong_files(2, [folder / "half.json"], [], ["audit"]) == ["bad input, but it wrote half.json"]
