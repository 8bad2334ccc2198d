"""Ways to a program that plays the target, and the pool of those that are open."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from privcheck.targets._services.messages import Message, confirmed, part


class Channel(Protocol):
    """Takes messages and returns a reply to each."""

    parameter: str
    """What errors are about."""

    def exchange(self, messages: Sequence[Message]) -> list[Message]:
        """Send messages, and return their replies in order.

        Raises
        ------
        PolicyError : a reply that is late, missing or not one; the channel is of no use afterwards.
        """

    def close(self) -> None:
        """End what answers, and everything that it has started. It may be called from any thread, and twice."""


class Conversation:
    """Messages of one run after another on a channel; those that need no answer yet are sent together with the next."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self._waiting: list[Message] = []

    def tell(self, message: Message) -> None:
        """Send a message whose reply only says that it was understood."""
        self._waiting.append(message)

    def ask(self, message: Message, name: str) -> Any:
        """Send a message and return one value of its reply."""
        return self.ask_each([message], name)[0]

    def ask_each(self, messages: list[Message], name: str) -> list[Any]:
        """Send messages together, and return one value of each reply."""
        replies = self._sent(messages)
        found = zip(replies[len(replies) - len(messages) :], messages, strict=True)
        return [part(reply, name, message, self.channel.parameter) for reply, message in found]

    def settle(self) -> None:
        """Wait for the replies that are still due."""
        self._sent([])

    def _sent(self, more: list[Message]) -> list[Message]:
        told, self._waiting = self._waiting, []
        replies = self.channel.exchange([*told, *more])
        for reply, message in zip(replies, told, strict=False):
            confirmed(reply, message, self.channel.parameter)
        return replies


class Pool:
    """Channels, one for each thread that needs one at a time; an idle one is used again.

    Parameters
    ----------
    opened : opens a channel.
    """

    def __init__(self, opened: Callable[[], Channel]) -> None:
        self._opened = opened
        self._idle: list[Conversation] = []
        self._all: list[Conversation] = []
        self._lock = threading.Lock()

    @contextmanager
    def conversation(self) -> Iterator[Conversation]:
        """Lend a channel; one on which something fails, or that is interrupted, is closed."""
        with self._lock:
            lent = self._idle.pop() if self._idle else None
        if lent is None:
            lent = Conversation(self._opened())
            with self._lock:
                self._all.append(lent)
        try:
            yield lent
        except BaseException:
            lent.channel.close()
            with self._lock:
                if lent in self._all:
                    self._all.remove(lent)
            raise
        with self._lock:
            self._idle.append(lent)

    def close(self) -> None:
        """Close all channels; the next conversation opens a new one."""
        with self._lock:
            every, self._all, self._idle = self._all, [], []
        for one in every:
            one.channel.close()
