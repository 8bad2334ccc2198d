"""The rooms of the package have an order, and a room imports only from those below it, lazily too.

The order is the table in docs/architecture.md, read from there. It has no exception: results ask `privcheck.presenting`
for their pages and pictures, and `privcheck/__init__.py`, which is above all rooms, has the reports answer.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

import privcheck
from tests.modules import beside

HERE = Path(__file__).parent
reader = beside(__file__, "imports")

PACKAGE = Path(privcheck.__file__).parent
PAGE = HERE.parent / "docs" / "architecture.md"
ORDER = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
"""From the top to the bottom."""


def offence(found, home, order=tuple(ORDER)):
    """Return what is wrong with an import in a room, in words; nothing when it is allowed."""
    target = reader.room(found.target)
    if found.target.startswith("relative"):
        return f"{found.file}:{found.line}: {found.target}: imports are absolute"
    if target == home or found.target == "privcheck.__version__":
        return ""
    if home in order and target in order and order.index(home) < order.index(target):
        return ""
    return f"{found.file}:{found.line}: {home} imports {found.target}, which is not below it"


def offences(package):
    found = []
    for file in sorted(package.rglob("*.py")):
        home = reader.room_of_file(file, package)
        if home != "privcheck":  # the package's own file only names what is public
            found += filter(None, (offence(line, home) for line in reader.imports(file)))
    return found


def test_imports_point_downwards():
    assert offences(PACKAGE) == []


def test_every_room_has_a_place_in_the_order():
    rooms = {reader.room_of_file(file, PACKAGE) for file in PACKAGE.rglob("*.py")} - {"privcheck", "__main__"}
    assert rooms == set(ORDER) - {"__main__"}
    assert len(ORDER) == len(set(ORDER))


def test_only_audits_and_tests_import_the_package_from_above():
    """`audits/` stands above all rooms: nothing in the package imports it, the tests or the examples."""
    forbidden = re.compile(r"^\s*(?:import|from) (audits|tests|examples|benchmarks|bounds)\b", re.MULTILINE)
    assert not [str(file) for file in PACKAGE.rglob("*.py") if forbidden.search(file.read_text(encoding="utf-8"))]
    assert forbidden.search("def later():\n    from audits import adap_ucb\n")


@pytest.mark.parametrize(
    "line",
    [
        "from privcheck.auditing._audit import audit",
        "from privcheck import auditing",
        "import numpy, privcheck.reporting as r",
        "def later():\n    from privcheck.certifying._session import Session",
        "if TYPE_CHECKING:\n    from privcheck.targets._target import Target",
        "import importlib\nimportlib.import_module('privcheck.bandits')",
        "__import__('privcheck.cli')",
        "from . import audit",
        "from privcheck import audit",
    ],
)
def test_the_order_notices_an_import_that_points_up(line, tmp_path):
    """The broken twins: each of these lines, in a file of the mechanisms."""
    (tmp_path / "mechanisms").mkdir()
    (tmp_path / "mechanisms" / "twin.py").write_text(f"import math\n{line}\n", encoding="utf-8")
    assert offences(tmp_path)


@pytest.mark.parametrize("place", ["results/twin.py", "bounds/_bounds_of_instance.py", "claims/_finding.py"])
def test_results_may_not_import_the_reports_even_when_they_are_called(place, tmp_path):
    """They once did, in these rooms and files."""
    (tmp_path / place).parent.mkdir()
    twin = tmp_path / place
    twin.write_text("def plot(self):\n    from privcheck.reporting import plot\n", encoding="utf-8")
    assert offences(tmp_path)
    twin.write_text("from privcheck import presenting\n\n\ndef plot(self):\n    presenting.plot(self, None)\n")
    assert not offences(tmp_path)


def test_no_two_rooms_import_each_other():
    pairs = {(reader.room_of_file(file, PACKAGE), reader.room(line.target)) for file, line in _all_imports()}
    assert not {
        (one, two) for one, two in pairs if one != two and (two, one) in pairs and "privcheck" not in (one, two)
    }
    assert ("cli", "reporting") in pairs


def _all_imports():
    return ((file, line) for file in PACKAGE.rglob("*.py") for line in reader.imports(file))


def test_the_order_lets_decent_files_pass(tmp_path):
    (tmp_path / "mechanisms").mkdir()
    lines = "import math\nfrom privcheck.errors import words\nfrom privcheck.mechanisms import base\n"
    lines += "x = 'import privcheck.cli'\n"
    (tmp_path / "mechanisms" / "good.py").write_text(lines, encoding="utf-8")
    assert not offences(tmp_path)


def test_folders_are_small():
    """A folder holds 25 modules at most; those with one file for each registered class may hold more."""
    registered = {"bandits", "mechanisms", "environments", "bounds"}
    sizes = Counter(file.parent.relative_to(PACKAGE).as_posix() for file in PACKAGE.rglob("*.py"))
    assert not {folder: size for folder, size in sizes.items() if size > 25 and folder not in registered}
