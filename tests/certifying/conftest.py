"""What the tests of certificates share: the policies of the zoo, as classes and as places in a file."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from tests.modules import beside

FILES = [Path(__file__).parent / name for name in ("zoo.py", "hiding.py", "contextual_zoo.py", "hostile.py")]


def file_of(name: str) -> Path:
    """Return the file that defines a policy."""
    (file,) = [file for file in FILES if f"\nclass {name}(" in file.read_text(encoding="utf-8")]
    return file


@pytest.fixture(scope="session")
def zoo() -> SimpleNamespace:
    """The policies of zoo.py and hiding.py."""
    found = {}
    for file in FILES:
        spec = importlib.util.spec_from_file_location(f"{file.stem}_of_the_certifying_tests", file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        found |= vars(module)
    return SimpleNamespace(**found)


@pytest.fixture(scope="session")
def programs() -> ModuleType:
    """The module random_programs.py, which is not in a package."""
    spec = importlib.util.spec_from_file_location("random_programs", Path(__file__).with_name("random_programs.py"))
    module = importlib.util.module_from_spec(spec)
    sys.modules["random_programs"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def memos() -> ModuleType:
    """The policies of memos.py, one of which imports memo_helper.py when it runs."""
    beside(__file__, "memo_helper", registered=True)
    return beside(__file__, "memos", registered=True)


@pytest.fixture(scope="session")
def remembering() -> ModuleType:
    """The policies of remembering.py."""
    return beside(__file__, "remembering", registered=True)


@pytest.fixture(scope="session")
def honest_caches() -> ModuleType:
    """The policies of honest_caches.py."""
    return beside(__file__, "honest_caches", registered=True)


@pytest.fixture(scope="session")
def written() -> dict[str, object]:
    """The programs of programs_*.py by name: classes and factories."""
    for helper in ("programs_helpers", "programs_broken_base"):
        beside(__file__, helper, registered=True)
    found = {}
    for file in sorted(Path(__file__).parent.glob("programs_*.py")):
        module = beside(__file__, file.stem, registered=True)
        found |= {name: value for name, value in vars(module).items() if getattr(value, "__module__", "") == file.stem}
    return found


@pytest.fixture(scope="session")
def place() -> Callable[[str], str]:
    """Name a policy as a user names one in a file."""
    return lambda name: f"{file_of(name)}:{name}"


@pytest.fixture(scope="session")
def line_of() -> Callable[[Path, str], int]:
    """Return the number of the only line of a file that holds a text."""

    def find(file: Path, text: str) -> int:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
        (found,) = [number for number, line in enumerate(lines, 1) if text in line]
        return found

    return find


@pytest.fixture(scope="session")
def marked(line_of) -> Callable[[str], int]:
    """Return the line marked `here: Name`."""
    return lambda name: line_of(file_of(name), f"# here: {name}")


@pytest.fixture(scope="session")
def impure_functions() -> ModuleType:
    """The policies of impure_functions.py."""
    return beside(__file__, "impure_functions", registered=True)
