"""Files that changed after they were imported: what runs is not what they say, and a guard would play the file."""

from __future__ import annotations

import importlib
import importlib.util
import py_compile
import subprocess
import sys
import types
from importlib.machinery import SourceFileLoader, SourcelessFileLoader
from pathlib import Path

import pytest

from privcheck import certify, guard
from privcheck.certifying._translated.definitions import check_source, definition
from privcheck.errors import PrivcheckError

POLICY = """\
class Policy:
    def __init__(self, rng, epsilon):
        self.rng, self.epsilon, self.noisy, self.t = rng, epsilon, 0.0, 0

    def select(self):
        assert -1 < self.t < 2 * 8, "no such round"
        return int(self.noisy > 0.5)

    def update(self, action, reward):
        self.t += 1
        self.noisy = scaled(reward) + self.rng.laplace(0.0, 1.0 / self.epsilon)


def scaled(reward):
    return 1.0 * reward
"""

EDITS = {
    "a constant": ("1.0 / self.epsilon", "3.0 / self.epsilon"),
    "an operator": ("1.0 * reward", "1.0 / reward"),
    "the order": ("0.0, 1.0 / self.epsilon", "1.0 / self.epsilon, 0.0"),
    "the noise": (" + self.rng.laplace(0.0, 1.0 / self.epsilon)", ""),
    "a line above": ("class Policy", "import math\n\n\nclass Policy"),
    "a line within": ("self.t += 1", "self.t += 1\n        self.last = reward"),
    "another function": ("return 1.0 * reward", "return reward"),
    "a name": ("def scaled", "def scaled_by_one"),
    "an assertion": ("2 * 8", "2 * 9"),
}


@pytest.fixture(params=["plainly", "with assertions that pytest rewrites"])
def policy(request, tmp_path, monkeypatch):
    """Return a class, imported as the parameter says, and its file."""
    name = f"changes_{request.param.partition(' ')[0]}_{tmp_path.name}".replace("-", "_")
    file = tmp_path / f"{name}.py"
    file.write_text(POLICY)
    monkeypatch.syspath_prepend(str(tmp_path))
    if "pytest" in request.param:
        pytest.register_assert_rewrite(name)
    module = importlib.import_module(name)
    assert isinstance(module.__loader__, SourceFileLoader) == (request.param == "plainly")
    yield module.Policy, file
    del sys.modules[name]


def certified(cls):
    return certify(cls, epsilon=1.0, arms=2, horizon=8, runs=4, seed=1)


@pytest.mark.parametrize("edit", EDITS)
def test_a_file_that_changed_is_refused_and_one_that_is_as_it_was_is_not(policy, edit):
    cls, file = policy
    file.write_text(POLICY.replace(*EDITS[edit]))
    for refused in (lambda: guard(cls, epsilon=1.0, arms=2), lambda: certified(cls)):
        with pytest.raises(PrivcheckError, match=r"import the file again if it has changed since") as error:
            refused()
        assert file.name in str(error.value)
    file.write_text(POLICY)
    assert certified(cls).granted


def test_a_comment_that_leaves_all_code_in_its_place_changes_nothing(policy):
    cls, file = policy
    file.write_text(f"{POLICY.replace('class Policy:', 'class Policy:  # of one number')}# the end\n")
    assert certified(cls).granted


def test_a_file_that_changes_after_it_was_certified_is_refused_until_it_is_imported_again(policy):
    cls, file = policy
    assert certified(cls).granted
    kept = guard(cls, epsilon=1.0, arms=2)
    file.write_text(POLICY.replace("1.0 / self.epsilon", "2.0 / self.epsilon"))
    for refused in (lambda: guard(cls, epsilon=1.0, arms=2), lambda: certified(cls)):
        with pytest.raises(PrivcheckError, match="import the file again"):
            refused()
    kept.update(kept.select(), 1.0)  # what runs is what it was made from
    again = importlib.reload(sys.modules[cls.__module__]).Policy
    assert certified(again).granted
    guard(again, epsilon=1.0, arms=2)


class Hook(SourceFileLoader):
    """An import hook that gives its modules another code than Python does: all numbers 1.0 are 2.0."""

    def source_to_code(self, data, path, *, _optimize=-1):
        return super().source_to_code(bytes(data).replace(b"1.0", b"2.0"), path, _optimize=_optimize)


def test_an_import_hook_is_asked_for_the_code_that_it_makes(tmp_path):
    file = tmp_path / "hooked.py"
    file.write_text(POLICY)
    spec = importlib.util.spec_from_loader("hooked", Hook("hooked", str(file)))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    update = module.Policy.update
    assert 2.0 in update.__code__.co_consts
    check_source(update.__code__, update.__globals__)
    file.write_text(POLICY.replace("self.t += 1", "self.t += 2"))
    with pytest.raises(PrivcheckError, match="import the file again"):
        check_source(update.__code__, update.__globals__)


def test_code_that_a_decorator_rewrites_is_refused(tmp_path):
    file = tmp_path / "rewritten.py"
    file.write_text(POLICY)
    names = {}
    exec(compile(POLICY, str(file), "exec"), names)
    function = names["scaled"]
    check_source(function.__code__, names)
    function.__code__ = function.__code__.replace(co_consts=(None, 2.0))
    with pytest.raises(PrivcheckError, match="that a decorator, an import hook or %autoreload rewrote is refused"):
        check_source(function.__code__, names)
    assert definition(function.__code__, names) is None


def test_functions_that_others_place_in_a_file_and_those_of_no_file_are_let_through(tmp_path):
    """Hypothesis places its tests so."""
    file = tmp_path / "placed.py"
    file.write_text(POLICY)
    names = {}
    exec(compile("def accept(f):\n    def g(x):\n        return f(x)\n    return g\n", str(file), "exec"), names)
    check_source(names["accept"](abs).__code__, names)
    exec(compile(POLICY, "no_such_file.md", "exec"), names)
    check_source(names["scaled"].__code__, names)
    with pytest.raises(PrivcheckError, match="import the file again"):
        check_source(names["accept"].__code__, names)


def test_compiled_files_without_columns_are_those_of_their_source(tmp_path):
    file, compiled = tmp_path / "columns.py", tmp_path / "columns.pyc"
    file.write_text(POLICY)
    command = f"import py_compile; py_compile.compile({str(file)!r}, {str(compiled)!r})"
    subprocess.run([sys.executable, "-X", "no_debug_ranges", "-c", command], check=True)
    code = SourcelessFileLoader("columns", str(compiled)).get_code("columns")
    (scaled,) = (one for one in code.co_consts if getattr(one, "co_name", "") == "scaled")
    assert all(column is None for _, _, column, _ in scaled.co_positions())
    assert definition(scaled, {}) is not None
    file.write_text(POLICY.replace("1.0 * reward", "3.0 * reward"))
    assert definition(scaled, {}) is None


def test_code_under_annotations_of_an_earlier_cell_is_that_of_its_source(tmp_path):
    file = tmp_path / "cell.py"
    file.write_text(text := "def f(x: float) -> int:\n    return lambda y: x\n")
    names = {}
    exec(compile(text, str(file), "exec", flags=0x1000000, dont_inherit=True), names)
    assert names["f"].__annotations__["x"] == "float"
    assert definition(names["f"].__code__, names) is not None


def test_coroutines_by_a_decorator_are_those_of_their_source(tmp_path):
    file = tmp_path / "steps.py"
    file.write_text(text := "import types\n\n\n@types.coroutine\ndef f(x):\n    yield x\n")
    names = {}
    exec(compile(text, str(file), "exec"), names)
    check_source(names["f"].__code__, names)


def test_functions_of_installed_libraries_are_those_of_their_sources():
    found = [value for module in (types, subprocess, importlib, py_compile, pytest) for value in functions(module)]
    assert len(found) > 30
    assert [function for function in found if not is_of_source(function)] == []


def functions(module):
    return [each for each in vars(module).values() if isinstance(each, types.FunctionType) and is_in_a_file(each)]


def is_in_a_file(function):
    return Path(function.__code__.co_filename).is_file()


def is_of_source(function):
    try:
        check_source(function.__code__, function.__globals__)
    except PrivcheckError:
        return False
    return True
