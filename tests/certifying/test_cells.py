"""Cells of a notebook, which compiles their statements one by one, may have no text of them, and defines names anew."""

from __future__ import annotations

import ast
import linecache

import pytest

from privcheck import certify, guard
from privcheck.certifying._translated.definitions import check_source, definition
from privcheck.errors import PrivcheckError

POLICY = """\
import numpy as np

class Policy:
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.epsilon, self.t = rng, epsilon, 0
        self.sums, self.counts = np.zeros(arms), np.zeros(arms)

    def select(self):
        self.t += 1
        return self.t % 2 if self.t < 3 else int(np.argmax(self.sums / np.maximum(self.counts, 1)))

    def update(self, action, reward):
        self.counts[action] += 1
        self.sums[action] += noised(self, reward)
"""
NOISED = "def noised(self, reward):\n    return reward + self.rng.laplace(0.0, 1.0 / self.epsilon)\n"
RARE = NOISED.replace("\n    return", "\n    if self.t > 1000:\n        return reward\n    return", 1)
CHOSEN = NOISED.replace("\n    return reward", "\n    won = 1.0 if reward > 0.5 else 0.0\n    return won")


class Notebook:
    """Runs cells as IPython does."""

    def __init__(self):
        self.names, self.cells = {"__name__": "__main__"}, []

    def run(self, text, file=None):
        name = file or f"<ipython-input-{len(self.cells)}-{id(self):x}>"
        if file is None:
            linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
        self.cells.append(name)
        for statement in ast.parse(text).body:
            exec(compile(ast.Module([statement], []), name, "exec", dont_inherit=True), self.names)


@pytest.fixture
def notebook():
    made = Notebook()
    yield made
    for name in made.cells:
        linecache.cache.pop(name, None)


def test_a_cell_that_imports_what_it_calls_is_read(notebook):
    """Where `import numpy as np` is compiled with it, `np.argmax(...)` has other instructions."""
    notebook.run(POLICY)
    notebook.run(NOISED)
    code = notebook.names["Policy"].select.__code__
    assert definition(code, notebook.names) is not None
    policy = guard(notebook.names["Policy"], epsilon=1.0, arms=2)
    for _ in range(4):
        policy.update(policy.select(), 1.0)
    assert policy.spent == 1.0
    changed = POLICY.replace("np.argmax", "np.argmin")
    linecache.cache[notebook.cells[0]] = len(changed), None, changed.splitlines(keepends=True), notebook.cells[0]
    with pytest.raises(PrivcheckError, match="that its code was made from"):
        check_source(code, notebook.names)


def test_lines_of_a_cell_without_a_text_are_not_passed_over(notebook):
    notebook.run(POLICY)
    notebook.run(RARE, file="<timed exec>")  # as `%%time` runs it
    found = certify(notebook.names["Policy"], epsilon=1.0, arms=2, horizon=4, runs=2)
    assert not found.complete
    assert "the source of noised cannot be read" in str(found)


def test_what_a_later_cell_defines_anew_is_guarded_like_what_was_there_first(notebook):
    notebook.run(POLICY)
    for text in (NOISED, CHOSEN):  # of which the second one has a decision that a guard plays in both ways
        notebook.run(text)
        policy = guard(notebook.names["Policy"], epsilon=1.0, arms=2)
        for reward in (1.0, 0.0, 1.0):
            policy.update(policy.select(), reward)
        assert policy.spent == 1.0
