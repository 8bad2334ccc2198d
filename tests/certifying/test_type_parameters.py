"""Functions and classes with type parameters, which are names of their own, and scopes around their functions."""

from __future__ import annotations

import sys

import pytest

from privcheck import certify

pytestmark = pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.12 brought type parameters")

POLICY = """
HIDDEN = 0

class Policy{of_class}:
    def __init__(self, rng):
        self.rng, self.t, self.arm = rng, 0, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        def shown{of_function}(value, late: bool):
            if late and HIDDEN:
                return int(value > 0.5)
            return 0

        self.t += 1
        if self.t == 1:
            self.arm = int(reward + self.rng.laplace(0, 1) > 0.5)
        self.arm += shown(reward, self.t > 20)
"""


def certified(tmp_path, of_function="", of_class=""):
    file = tmp_path / "policy.py"
    file.write_text(POLICY.format(of_function=of_function, of_class=of_class), encoding="utf-8")
    return certify(f"{file}:Policy", epsilon=1.0, arms=2, horizon=4, runs=1)


@pytest.mark.parametrize("given", [{}, {"of_function": "[T]"}, {"of_class": "[T]"}, {"of_function": "[*T, **P]"}])
def test_a_function_within_another_may_have_type_parameters(tmp_path, given):
    found = certified(tmp_path, **given)
    assert found.granted, str(found)
    assert found.ledger_epsilon == pytest.approx(1.0)


@pytest.mark.parametrize("named", ["[HIDDEN]", "[T, *HIDDEN]", "[**HIDDEN]"])
def test_a_type_parameter_named_like_a_constant_is_another_value(tmp_path, named):
    """It is true, where the constant of the module is not."""
    found = certified(tmp_path, of_function=named)
    assert [line.text for line in found.unreached] == ["return int(value > 0.5)"]
    assert not found.granted
