"""The virtual environments of the tools, and how their drivers are run."""

from __future__ import annotations

import subprocess
import venv
from pathlib import Path

from tools import Tool

LEVEL = 0.05
"""The error probability of all bounds: the default confidence of `privcheck.audit` is 0.95."""

PATIENCE = 300.0
"""Seconds after which a driver is stopped, so that a tool that hangs does not stop the comparison."""

ALONE = {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1", "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONDONTWRITEBYTECODE": "1"}
"""Environment of the drivers: one core, and nothing written into a checkout."""

DRIVERS = Path(__file__).parent / "drivers"


def python_of(tool: Tool, folder: Path) -> Path:
    """Return the interpreter of the tool's environment."""
    return (folder / tool.name.replace(" ", "-") / "bin" / "python").absolute()


def install(tool: Tool, folder: Path) -> str:
    """Create the tool's environment unless it exists, and return why that failed, or an empty text."""
    python = python_of(tool, folder)
    home = python.parent.parent
    if (home / "installed").exists():
        return ""
    venv.create(home, with_pip=True, clear=True)
    command = [python, "-m", "pip", "install", "-q", *tool.requirements]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    (home / "installed").touch()
    return ""
