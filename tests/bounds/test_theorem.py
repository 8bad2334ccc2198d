"""The declaration of theorems: registration, conditions, what is reported when a bound does not apply."""

import json
import math

import pytest

from privcheck.bounds import THEOREMS, Condition, Instance, PrivcheckError, theorem
from privcheck.bounds._theorem import HAS_HORIZON

FIELDS = {"id", "kind", "quantity", "value", "constant", "asymptotic", "applies", "conditions", "provenance", "source"}
INSTANCE = Instance("bernoulli", (0.75, 0.5), epsilon=1.0, horizon=100)


@pytest.fixture
def declare():
    """Declare a theorem for the length of one test and return it; the registry and its order are put back."""
    registered = dict(THEOREMS)
    THEOREMS.clear()

    def make(function, **changes):
        options = {
            "kind": "upper",
            "quantity": "pseudo-regret",
            "provenance": "explicit",
            "source": "nowhere",
        } | changes
        theorem("test/made-up", **options)(function)
        return THEOREMS.pop("test/made-up")

    yield make
    THEOREMS.clear()
    THEOREMS.update(registered)


def test_a_finite_time_bound_has_a_value_only(declare):
    bound = declare(lambda instance: 2.0 * instance.horizon).evaluate(INSTANCE)
    assert (bound.value, bound.constant, bound.asymptotic, bound.applies) == (200.0, None, False, True)


def test_an_asymptotic_bound_has_a_constant_only(declare):
    bound = declare(lambda instance: 7.0, asymptotic=True).evaluate(INSTANCE)
    assert (bound.value, bound.constant, bound.asymptotic, bound.applies) == (None, 7.0, True, True)


@pytest.mark.parametrize("asymptotic", [False, True])
def test_an_order_only_result_has_neither(declare, asymptotic):
    bound = declare(lambda instance: None, asymptotic=asymptotic, provenance="order-only").evaluate(INSTANCE)
    assert (bound.value, bound.constant, bound.applies) == (None, None, True)


def test_a_failing_condition_withholds_the_number_and_is_named(declare):
    def forbidden(instance):
        raise AssertionError("evaluated although a condition fails")

    conditions = (Condition("three arms", lambda instance: instance.arms == 3), HAS_HORIZON)
    bound = declare(forbidden, conditions=conditions).evaluate(INSTANCE)
    assert (bound.value, bound.constant, bound.applies) == (None, None, False)
    assert bound.to_dict()["conditions"] == [
        {"text": "three arms", "holds": False},
        {"text": "the instance has a horizon T", "holds": True},
    ]


@pytest.mark.parametrize("number", [math.inf, math.nan])
def test_a_number_that_is_not_finite_is_withheld(declare, number):
    bound = declare(lambda instance: number).evaluate(INSTANCE)
    assert (bound.value, bound.applies) == (None, False)
    assert bound.to_dict()["conditions"][-1] == {"text": "the result is a finite floating-point number", "holds": False}


@pytest.mark.parametrize("broken", [lambda instance: 1 / 0, lambda instance: math.exp(1e6)])
def test_arithmetic_that_overflows_is_withheld(declare, broken):
    bound = declare(broken, asymptotic=True).evaluate(INSTANCE)
    assert (bound.constant, bound.applies) == (None, False)


def test_the_statement_is_the_first_paragraph_of_the_docstring(declare):
    def function(instance):
        """Regret is
        at most one.

        More.
        """
        return 1.0

    assert declare(function).evaluate(INSTANCE).statement == "Regret is at most one."


def test_a_bad_declaration_is_refused(declare):
    with pytest.raises(PrivcheckError, match="kind: got 'both'"):
        declare(lambda instance: 1.0, kind="both")
    with pytest.raises(PrivcheckError, match="provenance: got 'folklore'"):
        declare(lambda instance: 1.0, provenance="folklore")


def test_an_id_is_taken_once(monkeypatch):
    declared = theorem("azize-basu-2022/thm3", kind="lower", quantity="q", provenance="explicit", source="s")
    before = dict(THEOREMS)
    with pytest.raises(
        PrivcheckError, match="theorem_id: got 'azize-basu-2022/thm3', expected an id that is not taken"
    ):
        declared(lambda instance: 1.0)
    assert before == THEOREMS


@pytest.mark.parametrize("declared", THEOREMS.values(), ids=THEOREMS.keys())
def test_every_registered_theorem_is_complete(declared):
    assert declared.id.count("/") == 1
    assert declared.statement.endswith(".")
    assert declared.source
    assert declared.quantity
    row = declared.evaluate(INSTANCE).to_dict()
    assert set(row) >= FIELDS
    assert json.loads(json.dumps(row, allow_nan=False)) == row
    assert all(set(condition) == {"text", "holds"} for condition in row["conditions"])
    assert row["applies"] == all(condition["holds"] for condition in row["conditions"])
    number = row["constant"] if row["asymptotic"] else row["value"]
    assert (number is not None) == (row["applies"] and declared.provenance != "order-only")
    assert (row["value"] if row["asymptotic"] else row["constant"]) is None
