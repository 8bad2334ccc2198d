"""The message of an exception is part of the output if that is asked for; addresses of objects are not."""

from __future__ import annotations

import numpy as np
import pytest

import privcheck
from privcheck import PrivcheckError
from privcheck.targets import outputs_of
from privcheck.targets._output_parts import Raised

PAIR = ([1.0, 1.0, 0.0], [1.0, 0.0, 0.0])


def refusing(said):
    """Raises an error by a fair coin, with the count in its text, bare or noisy."""

    def release(data, rng):
        count = int(np.sum(data))
        if rng.random() < 0.5:
            raise ValueError(f"{object()!r} has {said(count, rng)} rows, which are too few")
        return "enough"

    return release


RAW, NOISY = refusing(lambda count, rng: count), refusing(lambda count, rng: count + rng.laplace())
OPTIONS = {"epsilon": 1.0, "streams": PAIR, "runs": 4000, "error": 1e-6}


@pytest.mark.chance(1e-6, "the verdict of a target that shows nothing, at this level")
def test_a_count_in_a_message_is_seen_only_where_messages_are_observed():
    assert privcheck.audit(RAW, **OPTIONS).verdict == "consistent"
    report = privcheck.audit(RAW, **OPTIONS, messages=True)
    assert report.verdict == "violation"
    assert report.epsilon_lower > 4.0
    assert report.messages


@pytest.mark.chance(1e-6, "the verdict of a true claim at this level")
def test_noise_and_addresses_do_not_hide_or_feign_one():
    report = privcheck.audit(NOISY, **OPTIONS, messages=True)
    assert report.verdict != "violation"
    (note,) = (note for note in report.notes if "ValueError" in note)
    assert note.endswith("an observer sees both class and text, with its numbers")


def test_messages_that_differ_in_numbers_and_addresses_have_one_symbol():
    runs = [Raised.by(ValueError(f"<A at {hex(7 * k + 99)}> got {-0.5 * k}, not 2"), message=True) for k in range(3)]
    outputs = outputs_of(runs)
    assert outputs.symbols.shape == (3, 1)
    assert len(np.unique(outputs.symbols)) == 1
    assert outputs.numbers.tolist() == [[0.0, 2.0], [-0.5, 2.0], [-1.0, 2.0]]
    assert outputs_of([Raised.by(ValueError("a"), message=True)]).numbers.shape == (1, 0)


def noted(count):
    error = ValueError("too few")
    error.add_note(f"there were {count}")
    raise error


def caused(count):
    raise ValueError("too few") from KeyError(count)


def handling(count):
    try:
        raise KeyError(count)
    except KeyError:
        raise ValueError("too few")  # noqa: B904


def grouped(count):
    raise ExceptionGroup("too few", [ValueError("a row"), KeyError(count)])


def late(count):
    raise ValueError(f"too few: {list(range(8))} and {count}")


@pytest.mark.chance(1e-7, "the verdict of a target that shows nothing, at this level")
@pytest.mark.parametrize("raising", [noted, caused, handling, grouped, late])
def test_whatever_a_log_shows_of_an_exception_is_seen(raising):
    def release(data, rng):
        if rng.random() < 0.5:
            raising(int(np.sum(data)))
        return "enough"

    assert privcheck.audit(release, **OPTIONS | {"error": 1e-7}).verdict == "consistent"
    assert privcheck.audit(release, **OPTIONS, messages=True).epsilon_lower > 4.0


def test_what_a_log_leaves_out_is_not_seen():
    """A context that was suppressed is not shown; a chain that ends in itself ends."""
    error = ValueError("too few")
    error.__context__, error.__suppress_context__ = KeyError("a secret"), True
    assert Raised.by(error, message=True) == Raised.by(ValueError("too few"), message=True)
    one, two = ValueError("one"), ValueError("two")
    one.__cause__, two.__cause__ = two, one
    assert Raised.by(one, message=True).name == "ValueError: one; ValueError: two"


def many(data, rng, runs):
    return rng.normal(size=runs)


class Bandit:
    def __init__(self, rng):
        pass

    select = update = None


@pytest.mark.parametrize(
    ("target", "options"),
    [(many, {}), (Bandit, {"arms": 2}), (privcheck.from_command("function", mechanism=True), {})],
)
def test_targets_whose_exceptions_are_no_outputs_are_refused(target, options):
    with pytest.raises(PrivcheckError, match="messages"):
        privcheck.audit(target, epsilon=1.0, messages=True, **options)
