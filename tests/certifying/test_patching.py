"""Functions are replaced under all names that they have, and are back under all of them afterwards."""

import functools
import gc

import numpy as np
import pytest

from privcheck.certifying import patched

ORIGINAL = np.random.RandomState(0).laplace  # compiled, and held by nothing else


class Holder:
    shared = ORIGINAL

    def __init__(self):
        self.draw = ORIGINAL


class Slotted:
    __slots__ = ("draw",)

    def __init__(self):
        self.draw = ORIGINAL


def another():
    """A function that nothing else holds: whatever holds the replacement gets the original in the end."""
    return lambda *arguments: arguments


def test_whatever_holds_a_function_is_given_the_replacement_and_the_original_back():
    instance, with_dict, names, values = Holder(), Holder(), {"draw": ORIGINAL}, [ORIGINAL]
    assert vars(with_dict) == {"draw": ORIGINAL}, "asked for, it is a dict of its own"

    def closure():
        return found

    found, replacement = ORIGINAL, another()
    with patched() as patches:
        patches.objects([(ORIGINAL, replacement)])
        held = [ORIGINAL, Holder.shared, instance.draw, with_dict.draw, names["draw"], values[0], closure()]
        assert held == [replacement] * 7
        later = Holder()
        later.draw = ORIGINAL
        assert later.draw is replacement
        assert patches.unreachable == []
    held = [Holder.shared, instance.draw, with_dict.draw, names["draw"], values[0], closure()]
    assert ORIGINAL is not replacement
    assert all(function is ORIGINAL for function in held)
    assert later.draw is ORIGINAL, "it came to hold the replacement while it was in force"


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (Slotted, "slot draw of Slotted"),
        (lambda: functools.partial(ORIGINAL, 0.0), "a partial function of laplace"),
        (lambda: (ORIGINAL, 1), "a tuple"),
    ],
)
def test_what_cannot_be_changed_is_named(made, said):
    held, replacement = made(), another()
    with patched() as patches:
        patches.objects([(ORIGINAL, replacement)])
        assert said in patches.unreachable
    assert ORIGINAL is not replacement
    assert held is not None


def test_annotations_that_nobody_has_read_are_no_holders():
    """The interpreter keeps names and types in one tuple."""
    held = ("value", int, "return", Slotted)
    with patched() as patches:
        patches.objects([(Slotted, type("Other", (), {}))])
        assert "a tuple" not in patches.unreachable
    assert held[-1] is Slotted


def test_what_a_process_has_frozen_is_given_the_replacement_too():
    """Servers freeze what they have loaded before they fork, and the collector does not name that as a holder."""
    names, replacement = {"draw": ORIGINAL}, another()
    gc.freeze()
    try:
        with patched() as patches:
            patches.objects([(ORIGINAL, replacement)])
            assert names["draw"] is Holder.shared is replacement
    finally:
        gc.unfreeze()
    assert names["draw"] is Holder.shared is ORIGINAL is not replacement
