"""Branches that no round can enter need not run: constants, `isinstance` in a helper, `hasattr`. Others still do.

Each correct policy has twins in which the same branch can be entered late; they leak there, and are not granted.
"""

from __future__ import annotations

import textwrap

import pytest

from privcheck import certify

TEMPLATE = """
    import numpy as np
    from privcheck.mechanisms import Laplace

    {module}

    class Policy:
        def __init__(self, rng):
            self.rng, self.round, self.sums, self.shown = rng, 0, [0.0, 0.0], [0.0, 0.0]

        def select(self):
            {select}
            return self.round % 2

        def update(self, action, reward):
            self.round += 1
            value = reward * 1.0
            {update}
            self.sums[action] += value
            if self.round % 4 == 0:
                for arm in range(2):
                    noise = Laplace(sensitivity=1.0, epsilon=1.0)
                    self.shown[arm] = noise.release(self.sums[arm], self.rng)
                    self.sums[arm] = 0.0
"""

HELPER = """
    def number(value):
        if isinstance(value, (list, tuple)):
            return value[0]
        return value
"""
LEAK = "print(float(reward))"
CORRECT = {
    "a constant": ("DEBUG = False", "", f"if DEBUG: {LEAK}"),
    "a number": ("SCALE: float = 1.0", "", "value = reward * SCALE if SCALE != 1.0 else reward"),
    "isinstance in a helper": (HELPER, "", "value = number(reward)"),
    "by keyword": (HELPER, "", "value = number(value=reward)"),
    "hasattr": ("", "", "value = reward.decoded() if hasattr(reward, 'decoded') else reward"),
}
TWINS = {
    "a constant that is set later": (
        "DEBUG = False\n\n    def late():\n        global DEBUG\n        DEBUG = True",
        "", f"if self.round == 30: late()\n            if DEBUG: {LEAK}",
    ),
    "a constant of a module that is set by its attribute": (
        "import sys\n    DEBUG = False", "",
        f"if self.round == 30: sys.modules[__name__].DEBUG = True\n            if DEBUG: {LEAK}",
    ),
    "a constant that is set through globals": (
        "DEBUG = False", "", f"if self.round == 30: globals()['DEBUG'] = True\n            if DEBUG: {LEAK}",
    ),
    "a local name": ("DEBUG = False", "", f"DEBUG = self.round == 30\n            if DEBUG: {LEAK}"),
    "two assignments": ("DEBUG = False\n    DEBUG = bool(0)", "", f"if DEBUG: {LEAK}"),
    "not a literal": ("import os\n    DEBUG = bool(os.environ.get('DEBUG_POLICY'))", "", f"if DEBUG: {LEAK}"),
    "a helper that is given a list late": (
        HELPER, "", "value = number([float(reward)] if self.round == 30 else reward)",
    ),
    "a helper that is given a name that was stored": (
        HELPER, "",
        "if self.round == 30: reward = [reward * 1.0]\n            value = number(reward)",
    ),
    "a helper that stores its argument": (
        HELPER.replace("if isinstance", "value = [value] if LATE else value\n        if isinstance") + "    LATE = []",
        "", "if self.round == 30: LATE.append(1)\n            value = number(reward)",
    ),
    "a helper that select calls": (HELPER, "number([1.0]) if self.round == 30 else 0", "value = number(reward)"),
    "a helper under another name": (
        HELPER + "\n    other = number", "",
        "value = other([reward]) if self.round == 30 else number(reward)",
    ),
    "hasattr of something else": (
        "", "", "if self.round == 30: reward = np.float64(float(reward))\n"
        "            value = reward.decoded() if hasattr(reward, 'decoded') else reward",
    ),
    "a logger that may be enabled": (
        "import logging\n    log = logging.getLogger('policy')",
        "", f"if log.isEnabledFor(logging.DEBUG): {LEAK}",
    ),
}  # fmt: skip


def certificate(folder, parts):
    module, select, update = parts
    text = textwrap.dedent(TEMPLATE.format(module=module.strip(), select=select or "pass", update=update))
    (folder / "policy.py").write_text(text)
    return certify(f"{folder / 'policy.py'}:Policy", epsilon=1.0, arms=2, horizon=16, runs=2)


@pytest.mark.parametrize("name", CORRECT)
def test_a_branch_that_no_round_enters_need_not_run(name, tmp_path):
    found = certificate(tmp_path, CORRECT[name])
    assert found.unreached == []
    assert found.granted


@pytest.mark.parametrize("name", TWINS)
def test_a_branch_that_may_be_entered_later_has_to_run(name, tmp_path):
    found = certificate(tmp_path, TWINS[name])
    assert not found.granted
    assert found.is_inconclusive
    assert found.unreached != []
