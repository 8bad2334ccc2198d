"""Arguments that a mechanism does not take: refused in one line, by name, with what it takes instead."""

import inspect
from dataclasses import fields
from pydoc import plain, render_doc

import pytest

from privcheck.accounting import GaussianDP
from privcheck.accounting.accountants.rdp import RDP
from privcheck.bandits import ALGORITHMS
from privcheck.declared import Declared, declared_fields
from privcheck.errors import PrivcheckError
from privcheck.mechanisms import MECHANISMS, DiscreteGaussian, Gaussian, Laplace, RandomisedResponse
from privcheck.mechanisms.base import Mechanism

SHIPPED = [MECHANISMS[name] for name in MECHANISMS]
PURE = [cls for cls in SHIPPED if "delta" not in {field.name for field in fields(cls)} and cls.notion == "pure"]


def refusal(call) -> str:
    """The message of a call that is refused in one line."""
    with pytest.raises(PrivcheckError) as refused:
        call()
    text = str(refused.value)
    assert "\n" not in text
    assert refused.value.__cause__ is None
    return text


@pytest.mark.parametrize("cls", PURE, ids=lambda cls: cls.id)
def test_a_pure_mechanism_takes_no_delta(cls):
    text = refusal(lambda: cls(epsilon=1.0, delta=1e-6))
    assert text.startswith(f"delta: got 1e-06, expected no such parameter of {cls.__name__}, which takes ")
    assert "a pure mechanism takes no delta" in text
    assert "Gaussian" in text
    assert "budget" in text


@pytest.mark.parametrize("cls", SHIPPED, ids=lambda cls: cls.id)
def test_a_wrong_keyword_is_answered_with_those_that_are_taken(cls):
    name = declared_fields(cls)[0].name
    text = refusal(lambda: cls(**{name + "x": 1.0}))
    assert all(field.name in text for field in declared_fields(cls))
    assert f"did you mean {name!r}?" in text


@pytest.mark.parametrize("cls", SHIPPED, ids=lambda cls: cls.id)
def test_the_declared_signature_is_shown(cls):
    names = [field.name for field in fields(cls) if field.init]
    assert list(inspect.signature(cls).parameters) == names
    assert inspect.signature(cls) == inspect.signature(cls.__init__).replace(
        parameters=list(inspect.signature(cls.__init__).parameters.values())[1:]
    )
    assert f"class {cls.__name__}(" in plain(render_doc(cls))
    assert all(f"{name}: " in plain(render_doc(cls)).partition("\n |  \n")[0] for name in names)


def test_budgets_of_another_notion_lead_to_calibrate():
    assert "Gaussian.calibrate(epsilon=..., delta=...)" in refusal(lambda: Gaussian(epsilon=1.0, delta=1e-6))
    assert "DiscreteGaussian.calibrate(mu=...)" in refusal(lambda: DiscreteGaussian(sensitivity=1, mu=0.5))
    assert "Laplace.with_scale(...)" in refusal(lambda: Laplace(scale=2.0))


def test_too_many_too_few_and_twice():
    assert "got 4 arguments by position, expected at most 3" in refusal(lambda: Laplace(1.0, 1.0, None, 2.0))
    assert "sensitivity: got two values" in refusal(lambda: Laplace(1.0, sensitivity=1.0))
    assert "categories: got nothing, expected an integer" in refusal(lambda: RandomisedResponse(epsilon=1.0))


def test_calibrate_by_position_says_what_it_needs():
    text = refusal(lambda: Gaussian.calibrate(1.0))
    assert text.startswith("Gaussian.calibrate: got 1 by position, 1.0, expected the budget by name")
    assert list(inspect.signature(Gaussian.calibrate).parameters)[:4] == ["epsilon", "delta", "rho", "mu"]


def test_other_declared_classes_do_the_same():
    assert "expected no such parameter of GaussianDP, which takes mu" in refusal(lambda: GaussianDP(epsilon=1.0))
    assert "order: got nothing" in refusal(lambda: RDP())
    assert "did you mean 'epsilon'?" in refusal(lambda: ALGORITHMS["adap-ucb"](arms=2, epsilo=1.0))


def test_an_error_of_the_class_itself_is_not_hidden():
    class Broken(Declared):
        def __init__(self, epsilon: float) -> None:
            _ = epsilon + None

    with pytest.raises(TypeError, match="unsupported operand"):
        Broken(1.0)
    assert "epsilon: got nothing" in refusal(Broken)


def test_a_derived_class_with_a_constructor_of_its_own_keeps_its_signature():
    class Own(Mechanism):
        def __init__(self, first, *rest, **more):
            self.given = first, rest, more

    assert Own(1, 2, third=3).given == (1, (2,), {"third": 3})
    assert str(inspect.signature(Own)) == "(first, *rest, **more)"
    with pytest.raises(TypeError, match="first"):
        Own()
