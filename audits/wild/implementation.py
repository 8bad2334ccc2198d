"""What an audit of somebody else's implementation declares: where it comes from, what it claims, how it is called."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import inspect
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SEEN_BY = ("the default search sees it", "the audit sees it on given inputs", "the argument alone shows it")
"""What suffices to see a fault, whoever noticed it first."""

LONGEST_GLUE = 5
"""Lines of code between an implementation and the audit."""


@dataclass(frozen=True)
class Project:
    """A public package, or a repository that is read from a checkout.

    Parameters
    ----------
    name : its name; that of the folder of its checkout, for a repository.
    version : the release, or the first seven digits of the commit, that was audited.
    licence : as it states itself; "none stated" if it does not.
    package : its name for pip; empty for a repository.
    owner : the owner of a repository; empty for a package.
    needs : modules that it imports, and that neither it nor a plain installation of privcheck brings.
    below : packages that it needs in older versions than pip would choose, with the first that is too new.
    folders : the folders of a checkout from which it imports, relative to its root.
    apart : whether it is played in an interpreter of its own: it needs other versions of packages than privcheck.

    """

    name: str
    version: str
    licence: str
    package: str = ""
    owner: str = ""
    needs: tuple[str, ...] = ()
    below: tuple[tuple[str, str], ...] = ()
    folders: tuple[str, ...] = ("",)
    apart: bool = False

    @property
    def key(self) -> str:
        """What names it on the command line, where its interpreter is given."""
        return self.package or self.name

    @property
    def source(self) -> str:
        """Name and version, with the owner of a repository."""
        return f"{self.owner}/{self.name} {self.version}" if self.owner else f"{self.name} {self.version}"

    @property
    def how_to_get(self) -> str:
        """The line that installs it, or says which checkout is missing."""
        needed = " ".join([*self.needs, *(f"'{name}<{first}'" for name, first in self.below)])
        if self.package:
            where = f" in an environment of its own, then add --python {self.key}=PATH" if self.apart else ""
            return f"pip install {self.package}=={self.version} {needed}".strip() + where
        needed = f"; pip install {needed}" if needed else ""
        where = f"check out {self.owner}/{self.name} at {self.version} as DIR/{self.name}, then add --repositories DIR"
        return f"{where}{needed}"

    def lacks(self, repositories: Path | None, python: str | None = None) -> str:
        """Return how to get what is missing before it can be imported, here or by `python`; empty if nothing is."""
        if not all(importlib.util.find_spec(module) for module in self.needs):
            return self.how_to_get
        if self.package:
            installed = _installed(self.package, python)
            if not installed:
                return self.how_to_get
            others = [name for name, first in self.below if _numbers(_installed(name, python)) >= _numbers(first)]
            if installed == self.version and not others:
                return ""
            there = [f"{name} {_installed(name, python)}" for name in (self.package, *others)]
            return f"{self.how_to_get} (installed: {', '.join(there)})"
        if repositories is None or not (repositories / self.name).is_dir():
            return self.how_to_get
        commit = _checked_out(repositories / self.name)
        return "" if commit.startswith(self.version) or not commit else f"{self.how_to_get} (it is at {commit[:7]})"


def _numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, for a comparison."""
    return tuple(map(int, re.findall(r"\d+", version)))


def _checked_out(folder: Path) -> str:
    """Return the commit of a checkout; empty if git does not know it, as where it was unpacked from an archive."""
    if not (folder / ".git").exists():
        return ""
    try:
        ask = ["git", "-C", str(folder), "rev-parse", "HEAD"]
        return subprocess.run(ask, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def _installed(package: str, python: str | None) -> str:
    """Return the version of a package that is installed here, or for another interpreter; empty if it is not."""
    if python is None:
        try:
            return importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            return ""
    ask = f"import importlib.metadata as m; print(m.version({package!r}))"
    try:
        return subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


@dataclass(frozen=True)
class Shown:
    """What an argument shows without privcheck.

    Parameters
    ----------
    claimed : the epsilon that is claimed.
    least : a privacy loss that some event reaches; infinity if the event is impossible on one of the two inputs.
    because : the argument in one sentence, with its numbers.

    """

    claimed: float
    least: float
    because: str

    @property
    def refutes(self) -> bool:
        """Whether the claim cannot hold."""
        return self.least > self.claimed


UNREPORTED = "not reported upstream yet"
"""How `Fault.upstream` begins before the maintainers were told: until then the fault is not on the site."""


@dataclass(frozen=True)
class Fault:
    """Why a claim does not hold, for those who maintain the implementation.

    Parameters
    ----------
    seen_by : one of `SEEN_BY`.
    cause : what the code does.
    effect : what follows for privacy.
    remedy : a change that would restore the claim.
    upstream : whether it is known to the maintainers.
    argument : an argument of its own, which uses nothing of privcheck.

    """

    seen_by: str
    cause: str
    effect: str
    remedy: str
    upstream: str
    argument: Callable[[], Shown]

    @property
    def is_published(self) -> bool:
        """Whether it may be named on the site: its maintainers know of it."""
        return not self.upstream.startswith(UNREPORTED)


@dataclass(frozen=True)
class Wild:
    """An audit of a public implementation.

    Parameters
    ----------
    id : its name on the command line.
    what : the function or class that is audited.
    project : where it comes from.
    play : the glue, at most five lines: `f(data, rng)` for a mechanism, or `f()` if it has to be
        made first; `f(rng)` for a bandit.
    epsilon, delta : what it claims.
    relation : the neighbours of its claim, in words.
    pair : two neighbouring inputs; None if the audit searches for them. What is played apart is given their number.
    options : further arguments of `privcheck.audit`.
    runs : runs on each input.
    seeded : whether its randomness comes from numpy's or Python's generators, and so from the seed.
    expected : the verdict.
    fault : why the claim does not hold; None if it does.
    remark : a sentence for the table.

    """

    id: str
    what: str
    project: Project
    play: Callable[..., Any]
    epsilon: float
    relation: str
    delta: float = 0.0
    pair: tuple[Any, Any] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    runs: int = 6_000
    seeded: bool = True
    expected: str = "consistent"
    fault: Fault | None = None
    remark: str = ""

    @property
    def is_bandit(self) -> bool:
        """Whether it is played over rounds."""
        return len(inspect.signature(self.play).parameters) == 1

    @property
    def made_once(self) -> bool:
        """Whether the glue returns the mechanism, a function of the data, and is called once."""
        return not inspect.signature(self.play).parameters

    @property
    def claim(self) -> str:
        """The claim, as text."""
        return f"{self.epsilon:g}" + (f", delta {self.delta:g}" if self.delta else "")

    @property
    def replay(self) -> str:
        """The command that repeats the audit."""
        place = " --repositories DIR" if self.project.owner else ""
        place += f" --python {self.project.key}=PATH" if self.project.apart else ""
        return f"python -m audits.wild {self.id}{place}"

    def as_expected(self, verdict: str | None) -> bool:
        """Tell whether a verdict is as expected: noise that cannot be seeded leaves some audits inconclusive."""
        return verdict == self.expected or (verdict == "inconclusive" and self.expected == "consistent")

    @property
    def glue_lines(self) -> int:
        """Lines of code of the glue, without its signature and docstring."""
        lines = [line.strip() for line in inspect.getsource(self.play).splitlines()]
        start = next(number for number, line in enumerate(lines) if line.endswith(":") and "def " in line)
        return len([line for line in lines[start + 1 :] if line and not line.startswith(('"""', "#"))])
