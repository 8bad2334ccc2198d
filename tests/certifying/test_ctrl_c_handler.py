"""The handler of Ctrl-C that a contextual select sets, and that it puts back."""

from __future__ import annotations

import signal
from contextlib import suppress

import pytest

from privcheck.certifying._recorded import interrupts


@pytest.fixture(autouse=True)
def of_python():
    """Put Python's handler back, whatever a test has left."""
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    yield
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_ctrl_c_where_its_handler_is_set_or_reset_leaves_that_of_python(monkeypatch):
    """A service that goes on would otherwise have a handler that, for example, asyncio takes for its own."""
    own, set_handler = signal.default_int_handler, signal.signal

    def pressed(*given):
        monkeypatch.setattr(signal, "signal", set_handler)
        if before:
            signal.raise_signal(signal.SIGINT)
        set_handler(*given)
        signal.raise_signal(signal.SIGINT)

    for entering in (True, False):
        for before in (False, True):
            with suppress(KeyboardInterrupt):
                if entering:
                    monkeypatch.setattr(signal, "signal", pressed)
                with interrupts.noticing_ctrl_c():
                    monkeypatch.setattr(signal, "signal", pressed)
            assert signal.getsignal(signal.SIGINT) is own, (entering, before)


def test_a_handler_of_ctrl_c_that_is_set_meanwhile_stays():
    """The handler of SIGTERM may ignore Ctrl-C from then on."""
    with interrupts.noticing_ctrl_c():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


class TooSlowError(Exception):
    """What the handler of another signal raises."""


@pytest.mark.parametrize("where", ["getsignal", "signal"])
def test_a_time_limit_where_the_handler_is_reset_leaves_that_of_python(monkeypatch, where):
    found = getattr(signal, where)

    def rings(*_):
        monkeypatch.setattr(signal, where, found)
        raise TooSlowError

    with pytest.raises(TooSlowError), interrupts.noticing_ctrl_c():
        monkeypatch.setattr(signal, where, rings)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
