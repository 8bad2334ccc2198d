"""pytest and hypothesis are needed by those who use them, and docstrings have examples that run."""

import subprocess
import sys
from pathlib import Path

import pytest

import privcheck.testing as package

ROOT = Path(package.__file__).parents[2]


def test_what_users_call_has_examples():
    without = [name for name in package.__all__ if ">>> " not in (getattr(package, name).__doc__ or "")]
    assert without == ["PrivacyFailure"]


def imports(statement, *forbidden):
    """Run a statement in a fresh interpreter in which some modules cannot be imported."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); sys.modules.update({dict.fromkeys(forbidden)}); {statement}"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_privcheck_and_its_assertions_need_neither_pytest_nor_hypothesis():
    statement = "import privcheck; from privcheck.testing import assert_sensitivity as a; a(lambda x: x.sum(), 2.0)"
    done = imports(statement, "pytest", "_pytest", "hypothesis")
    assert done.returncode == 0, done.stderr
    assert imports("from privcheck.testing import reward_tables", "hypothesis").returncode == 1


def test_the_plugin_imports_neither_hypothesis_nor_the_auditor():
    statement = "import privcheck.testing.plugin; print({'hypothesis', 'numba', 'privcheck.auditing'} & {*sys.modules})"
    assert imports(statement).stdout == "set()\n"


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="attribute assert_secret"):
        _ = package.assert_secret
