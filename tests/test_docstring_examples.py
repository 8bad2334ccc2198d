"""The examples in the docstrings of every module run, and what users meet has some."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import warnings
from contextvars import Context

import pytest

import privcheck

pytestmark = pytest.mark.long

MODULES = ["privcheck", *(module.name for module in pkgutil.walk_packages(privcheck.__path__, "privcheck."))]
MODULES.remove("privcheck.__main__")

WITH_EXAMPLES = {
    "privcheck",
    "privcheck.auditing._audit",
    "privcheck.certifying._certify",
    "privcheck.certifying._guard",
    "privcheck.declared",
    "privcheck.errors",
    "privcheck.files",
    "privcheck.mechanisms.tape",
    "privcheck.private_values._private",
    "privcheck.private_values._leaks",
    "privcheck.private_values._source",
    "privcheck.registry",
    "privcheck.schema_versions",
    "privcheck.serialise",
    "privcheck.simulation._simulate",
}
"""Modules that users or authors of extensions meet."""

ALWAYS = (
    "privcheck.accounting.",
    "privcheck.bounds.",
    "privcheck.mechanisms.",
    "privcheck.privacy.",
)
"""Packages of which every module shows how it is used, but for those named here."""

EXEMPT = {"privcheck.bounds._theorem", "privcheck.bounds.concentrated_privacy.concentrated_regret"}


class Finder(doctest.DocTestFinder):
    """Finds examples of classes that name the package from which they are imported as their module, too."""

    def _from_module(self, module, found):
        parts = vars(found).values() if inspect.isclass(found) else ()
        written = {each.__code__.co_filename for each in parts if inspect.isfunction(each)}
        return super()._from_module(module, found) or module.__file__ in written


def run(module):
    """Run the examples of a module, and return how many failed and how many there are."""
    runner = doctest.DocTestRunner()
    for test in Finder().find(module):
        runner.run(test)
    return runner.summarize()


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    module = importlib.import_module(name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = Context().run(run, module)  # what examples print does not depend on the running test
    assert result.failed == 0
    if name in WITH_EXAMPLES or (name.startswith(ALWAYS) and name not in EXEMPT):
        assert result.attempted > 0


def test_examples_of_a_class_that_names_its_package_are_found():
    module = importlib.import_module(next(name for name in MODULES if name.endswith("private_values._leaks")))
    assert privcheck.LeakError.__module__ == "privcheck" != module.__name__
    name = f"{module.__name__}.LeakError"
    assert name in {test.name for test in Finder().find(module)}
    assert name not in {test.name for test in doctest.DocTestFinder().find(module)}, "what `testmod` leaves out"


def test_every_module_was_found():
    assert len(MODULES) > 250
    assert set(MODULES) >= WITH_EXAMPLES | EXEMPT
