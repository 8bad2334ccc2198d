"""Programs that read a raw reward in a branch that comes late, each spelled in another way.

`LATE` stands for the round after which the branch runs, `RAW(x)` for the comparison of a reward, and a line `START` for
the beginning of an ordinary policy. The policy is called `Policy`; a text after a line `# NAME.py` is a file beside it.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

HEAD = """
import functools, operator
from dataclasses import dataclass, field
import numpy as np
from privcheck.mechanisms import Laplace

def noisy(value):
    return Laplace(sensitivity=1.0, epsilon=0.01).release(value, None)
"""

START = """
class Policy:
    def __init__(self, rng):
        self.t, self.arm = 0, 0
    def select(self):
        return self.arm
"""


def _programs(file: str) -> dict[str, str]:
    spec = importlib.util.spec_from_file_location(file, Path(__file__).with_name(f"{file}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.PROGRAMS


PROGRAMS = {
    name: program
    for kind in ("calls", "state", "choices", "machinery", "made")
    for name, program in _programs(f"spellings_of_{kind}").items()
}


def text(name: str, *, late: int, raw: str) -> dict[str, str]:
    """Return the files of a program.

    Parameters
    ----------
    name : one of PROGRAMS.
    late : the round after which the branch runs.
    raw : what becomes of `RAW(x)`, with `X` for the x.
    """
    files, current = {"policy.py": HEAD}, "policy.py"
    for line in PROGRAMS[name].replace("START\n", START).splitlines():
        if line.startswith("# ") and line.endswith(".py"):
            current = line[2:]
            files[current] = HEAD
        else:
            files[current] += line.replace("LATE", str(late)) + "\n"
    return {file: _replaced(content, raw) for file, content in files.items()}


def _replaced(content: str, raw: str) -> str:
    while "RAW(" in content:
        before, _, rest = content.partition("RAW(")
        depth, end = 1, 0
        while depth:
            depth += {"(": 1, ")": -1}.get(rest[end], 0)
            end += 1
        content = before + raw.replace("X", rest[: end - 1]) + rest[end:]
    return content
