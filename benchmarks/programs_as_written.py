"""What becomes of programs as people write them: `python benchmarks/programs_as_written.py [--write FILE]`.

The private programs, their broken twins and the honest caches of `tests/certifying` are certified, one after another.
The page lists each private program with its argument and what it is charged, or the line at which it is refused; of the
twins it says for how many the line at fault was named. The command ends with status 1 if a twin was certified.
"""

from __future__ import annotations

import argparse
import importlib.util
import inspect
import platform
import re
import sys
import time
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any

from written_tables import hand_out

import privcheck

HERE = Path(__file__).resolve().parents[1] / "tests" / "certifying"
RIGHT = ("arrays", "choices", "epochs", "patterns", "records", "repositories", "shapes")
CACHED = ("cached", "cached_contexts")
BROKEN = ("broken", "leaking")
CONTEXTUAL = {"feedback": "contextual", "contexts": privcheck.Contexts(shape=(2, 2), norm=1.0)}
JOINT = {**CONTEXTUAL, "neighbours": "context-reward"}


def loaded(name: str) -> ModuleType:
    """Import a file of programs, which is in no package."""
    place = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert place is not None
    assert place.loader is not None
    module = importlib.util.module_from_spec(place)
    sys.modules[name] = module
    place.loader.exec_module(module)
    return module


def text_of(name: str) -> str:
    return (HERE / f"{name}.py").read_text("utf-8")


def certified(program: Any, **options: Any) -> tuple[Any, str, float]:
    """Return a certificate, or why there is none, and the CPU seconds that it took."""
    start = time.process_time()
    try:
        return privcheck.certify(program, arms=2, **options), "", time.process_time() - start
    except privcheck.PrivcheckError as error:
        return None, str(error), time.process_time() - start


def of_options(options: dict[str, Any]) -> dict[str, Any]:
    found = {"horizon": 8, "runs": 1} | options
    return found | CONTEXTUAL if found.get("feedback") == "contextual" else found


def reason(found: Any, error: str) -> str:
    """Return in a few words why a program is refused, and the line."""
    if found is None:
        return error.partition(", expected")[0]
    first = next(iter([*found.leaks, *found.refusals, *found.notes]), "")
    code = getattr(first, "code", "")
    return f"{getattr(first, 'operation', first)} at `{code}`" if code else str(first).partition(", expected")[0]


def right() -> tuple[list[str], str]:
    """Return the rows of the private programs, and what became of them together."""
    today, rows, granted, exact, seconds = loaded("programs_today"), list[str](), 0, 0, 0.0
    for file in RIGHT:
        module, style = loaded(f"programs_{file}"), text_of(f"programs_{file}").partition('"""')[2].partition("\n")[0]
        rows += ["", f"{style} (`programs_{file}.py`)", "", "| program | argument | budget | charged, or refused |"]
        rows.append("| --- | --- | --- | --- |")
        pattern = r"^(?:class|def) (\w+)[^\n]*\n    # ([^\n]*)"
        for name, argument in re.findall(pattern, text_of(f"programs_{file}"), re.M):
            program = getattr(module, name)
            known = inspect.signature(program).parameters
            ((notion, budget),) = ((each, known[each].default) for each in ("epsilon", "rho") if each in known)
            options = of_options(today.OPTIONS.get(name, {}))
            found, error, took = certified(program, **options, **{notion: budget})
            seconds += took
            if found is not None and found.granted:
                charged = getattr(found, f"ledger_{notion}")
                granted, exact = granted + 1, exact + (abs(charged - budget) <= 1e-6)
                said = f"{charged:.7g}"
            else:
                said = f"refused: {reason(found, error)}"
            rows.append(f"| {name} | {escaped(argument)} | {notion} = {budget:g} | {escaped(said)} |")
    count = sum(row.startswith("| ") for row in rows) - 2 * len(RIGHT)
    return (
        rows,
        f"| {count} private programs | {granted} certified, {exact} at their budget within 1e-6 | {seconds:.0f} |",
    )


def escaped(text: str) -> str:
    return text.replace("|", "\\|")


def broken() -> tuple[str, int]:
    """Return what became of the broken twins, and how many were certified."""
    named = count = wrong = 0
    seconds = 0.0
    for file in BROKEN:
        module, lines = loaded(f"programs_{file}"), text_of(f"programs_{file}").splitlines()
        for name in re.findall(r"^class (\w+)\(Broken\)", "\n".join(lines), re.M):
            found, error, took = certified(getattr(module, name), epsilon=1.0, horizon=6, runs=1)
            start = lines.index(f"class {name}(Broken):")
            fault = next(i for i, line in enumerate(lines, 1) if i > start and line.endswith("# fault"))
            count, seconds, wrong = count + 1, seconds + took, wrong + (found is not None and found.granted)
            text = (
                error if found is None else " ".join([*found.refusals, *(f"{x.file}:{x.line} " for x in found.leaks)])
            )
            named += f"programs_{file}.py:{fault}" in re.findall(r"programs_\w+\.py:\d+", text)
    return f"| {count} broken twins | {wrong} certified; own line named for {named} | {seconds:.0f} |", wrong


def cached() -> str:
    """Return what became of policies with honest caches."""
    granted = count = 0
    seconds = 0.0
    for file in CACHED:
        module = loaded(f"programs_{file}")
        for name, kind in re.findall(r"^class (\w+)\((Counts|Contexts)\)", text_of(f"programs_{file}"), re.M):
            options = JOINT if kind == "Contexts" else {}
            found, _, took = certified(getattr(module, name), epsilon=1.0, horizon=6, runs=1, **options)
            count, granted, seconds = count + 1, granted + (found is not None and found.granted), seconds + took
    return f"| {count} honest caches | {granted} certified | {seconds:.0f} |"


def main() -> None:
    """Print the page, or write it where the last one stands."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path)
    options = parser.parse_args()
    sys.path.insert(0, str(HERE))
    rows, first = right()
    second, wrong = broken()
    lines = [
        f"`python benchmarks/programs_as_written.py` on {date.today()}, Python {platform.python_version()}, "
        f"privcheck {privcheck.__version__}.",
        *("", "| programs | what became of them | CPU s |", "| --- | --- | --- |", first, second, cached(), *rows),
    ]
    text = "\n".join(lines)
    hand_out(text, options.write)
    if wrong:
        sys.exit(1)


if __name__ == "__main__":
    main()
