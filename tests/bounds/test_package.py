"""The package as a whole: examples in docstrings, weight of the import, direction of imports, exported names."""

import pkgutil
import subprocess
import sys
from pathlib import Path

from privcheck import bounds

FOLDER = Path(bounds.__file__).parent
MODULES = ["privcheck.bounds", *(found.name for found in pkgutil.walk_packages([str(FOLDER)], "privcheck.bounds."))]


def test_walking_the_package_found_it_all():
    assert len(list(FOLDER.rglob("*.py"))) == len(MODULES)


def test_importing_is_light():
    code = (
        "import sys, privcheck.bounds; print(*sorted({'scipy', 'sympy', 'numba', 'rich', 'typer'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=FOLDER.parents[1]
    )
    assert done.stdout.strip() == ""


def test_every_exported_name_exists_and_is_documented():
    assert len(set(bounds.__all__)) == len(bounds.__all__)
    for name in bounds.__all__:
        assert getattr(bounds, name).__doc__, name
