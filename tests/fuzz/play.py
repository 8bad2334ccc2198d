"""Play command lines in a folder, and say what they did that they must not do."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import privcheck
from privcheck.cli import main, run
from privcheck.errors import PrivcheckError
from privcheck.reporting._result_files import read_result
from tests.example_results import CERTIFIED, GRANTED, VIOLATION, read_csv

SECONDS = 60
"""A command that takes longer hangs."""

STATUSES = {0, 1, 2, 3}


class Hangs(BaseException):
    """The time is over."""


def prepare(folder: Path, files: dict[str, str], random: Random) -> None:
    """Fill the folder in which commands run."""
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "folder.json").mkdir()
    for name, damage in (("results", 0.0), ("damaged", 1.0)):
        (folder / name).mkdir()
        for kind, result in (("violation", VIOLATION), ("certified", CERTIFIED), ("granted", GRANTED)):
            text = result.to_json()
            for number in range(4 if damage else 1):
                (folder / name / f"{kind}-{number}.json").write_text(damaged(text, random) if damage else text)
        run_quietly(["bounds", "--instance", "c2", "--epsilon", "1", "--json", f"{folder}/{name}/bounds.json"])
    for file in (folder / "results").glob("*.json"):
        if file.stem != "granted-0":
            file.with_suffix(".html").touch()  # each takes a second to draw
    for file in (folder / "damaged").glob("[vc]*.json"):
        file.with_suffix(".html").touch()


def run_quietly(arguments: list[str]) -> int:
    """Run a command without its output."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return run(arguments)


def damaged(text: str, random: Random) -> str:
    """Return JSON with one value replaced, or cut somewhere."""
    if random.random() < 0.2:
        return text[: random.randrange(len(text))]
    content = json.loads(text)
    place: object = content
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))  # type: ignore[arg-type]
        if not keys:
            return json.dumps(content)
        key = random.choice(keys)
        if isinstance(place[key], dict | list) and random.random() < 0.8:  # type: ignore[index]
            place = place[key]  # type: ignore[index]
            continue
        odd = ["false", 0, -1, 1e308, 10**400, None, [], {}, "inf", float("nan"), "\x1b[31m<b>", True, 0.5, "x" * 300]
        place[key] = random.choice(odd)  # type: ignore[index]
        return json.dumps(content)


def play(arguments: list[str], outputs: list[str], folder: Path) -> tuple[int, list[str]]:
    """Run a command in this process; return its status and what is wrong with what it did."""
    before = set(folder.rglob("*"))
    out, err = io.StringIO(), io.StringIO()

    def over(*_: object) -> None:
        raise Hangs

    old = signal.signal(signal.SIGALRM, over)
    signal.alarm(SECONDS)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main(arguments)
            raise AssertionError("main always exits")
    except SystemExit as ended:
        status = int(ended.code or 0)
    except Hangs:
        return -1, ["it hangs"]
    except BaseException as error:
        return -1, [f"it raises {type(error).__name__}: {error}"]
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, old)
    faults = wrong_text(status, out.getvalue(), err.getvalue(), arguments)
    written = sorted(set(folder.rglob("*")) - before)
    faults += wrong_files(status, written, outputs, arguments)
    for path in sorted(written, reverse=True):
        if "__pycache__" not in path.parts:
            path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
    return status, faults


def wrong_text(status: int, out: str, err: str, arguments: list[str]) -> list[str]:
    """Return what is wrong with the status and what was printed."""
    faults = []
    if status not in STATUSES:
        faults.append(f"status {status}: {err.strip()[:300]}")
    if "Traceback" in out + err or "Warning" in err:
        faults.append(f"a traceback or a warning: {err[-300:]}")
    if not all(line.isprintable() for line in (out + err).split("\n")):
        faults.append("control characters")
    lines = err.count("\n")
    if arguments[:1] == ["report"]:
        return faults
    if status == 2 and (lines != 1 or not err.startswith("privcheck: ")):
        faults.append(f"{lines} lines: {err[:300]}")
    if status == 2 and out and "\n" not in err:
        faults.append("bad input, but a result")
    if status in (0, 1, 3) and err:
        faults.append(f"an error beside a result: {err[:300]}")
    if status == 1 and arguments[0] not in ("audit", "certify"):
        faults.append("status 1 of a command that finds nothing")
    if status == 1 and not any(word in out for word in ("violation", "not certified", '"granted": false')):
        faults.append(f"status 1 without a violation: {out[:200]}")
    if status in (0, 3) and ("✗ violation" in out or '"verdict": "violation"' in out):
        faults.append("a violation without status 1")
    return faults


def wrong_files(status: int, written: list[Path], outputs: list[str], arguments: list[str]) -> list[str]:
    """Return what is wrong with the files that were written."""
    files = [path for path in written if path.is_file() and "__pycache__" not in path.parts]
    if arguments[:1] == ["report"]:
        return [f"{path.name} is no page" for path in files if not path.read_text().rstrip().endswith("</html>")]
    if status == 2:
        return [f"bad input, but it wrote {path.name}" for path in files]
    faults = [f"{path.name} was not asked for" for path in files if path.name.startswith(".")]
    for path in files:
        try:
            unread(path, arguments[0])
        except (ValueError, PrivcheckError) as error:
            faults.append(f"{path.name} cannot be read: {error}"[:300])
    return faults


def unread(path: Path, command: str) -> None:
    """Read a file that was written; raise an error if it is not whole."""
    if path.suffix == ".json":
        json.loads(path.read_text())
        if command != "list":
            read_result(path)
    elif path.suffix == ".npz":
        privcheck.Simulation.read_npz(path)
    elif path.suffix == ".csv" and command == "simulate":
        read_csv(path)
    elif path.suffix == ".html" and not path.read_text().rstrip().endswith("</html>"):
        raise ValueError("it is cut")
    elif path.stat().st_size == 0:
        raise ValueError("it is empty")


def play_as_process(arguments: list[str], folder: Path) -> tuple[int, list[str]]:
    """Run a command as a process of its own, in an encoding that has few characters."""
    places = str(Path(privcheck.__file__).parents[1])
    environment = {"PYTHONPATH": places, "PYTHONIOENCODING": "cp1252", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", "from privcheck.cli import main; main()", *arguments],
        capture_output=True,
        timeout=2 * SECONDS,
        check=False,
        cwd=folder,
        env=os.environ | environment,
    )
    out, err = (text.decode("cp1252").replace("\r", "") for text in (done.stdout, done.stderr))
    return done.returncode, wrong_text(done.returncode, out, err, arguments)
