"""An HTTP service that takes each message as the body of a POST to one URL, and replies in the body of its answer."""

from __future__ import annotations

import http.client
import io
import itertools
import secrets
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import SplitResult, urlsplit

from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.targets._services.messages import LARGEST_REPLY, Message, decoded, encoded, shown, wrong

HEADERS = ("Content-Type: application/json", "Accept: application/json")

OPENS_RUN = ("start", "call")
"""Messages that begin a run, whose id all messages up to the next one have."""


def checked_url(url: str) -> SplitResult:
    """Return the parts of an http or https URL, or raise `PrivcheckError`.

    >>> checked_url("http://127.0.0.1:8000/play").netloc
    '127.0.0.1:8000'
    """
    hint = "as in http://127.0.0.1:8000/"
    try:
        parts = urlsplit(url)
        sound = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except (ValueError, AttributeError):
        raise PrivcheckError("url", url, "the URL of a service", hint) from None
    if not sound or any(not " " < letter <= "~" for letter in url):
        raise PrivcheckError("url", url, "the URL of a service", hint)
    if parts.username is not None or parts.password is not None:
        got = words("a URL with a name or a password in it")
        raise PrivcheckError("url", got, "one without them", "reports show the URL: let the service trust this machine")
    return parts


class _UntilDeadline(io.RawIOBase):
    """What a socket receives until a deadline, however slowly it comes: a timeout alone begins anew with each byte."""

    def __init__(self, place: socket.socket, deadline: float) -> None:
        self._place, self._deadline = place, deadline

    def makefile(self, mode: str) -> io.BufferedReader:  # noqa: ARG002
        """Return the file that a response reads from."""
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        left = self._deadline - time.monotonic()
        if left <= 0.0:
            raise TimeoutError
        self._place.settimeout(left)
        return self._place.recv_into(buffer)


class HttpService:
    """A connection to a service, which stays open between messages.

    Parameters
    ----------
    url : where every message is posted.
    timeout : seconds within which each reply must come.
    """

    parameter = "url"
    _numbers = itertools.count()

    def __init__(self, url: str, timeout: float) -> None:
        parts = checked_url(url)
        self.url, self.timeout = url, timeout
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        lines = (f"POST {path} HTTP/1.1", f"Host: {parts.netloc}", *HEADERS, "Content-Length: %d")
        self._head = "\r\n".join([*(line.replace("%", "%%") for line in lines[:-1]), lines[-1], "", ""]).encode()
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        assert parts.hostname is not None
        self._connection = kind(parts.hostname, parts.port, timeout=timeout)
        self._prefix, self._run = secrets.token_hex(4), ""
        self._used = False
        self._response: http.client.HTTPResponse | None = None

    def exchange(self, messages: Sequence[Message]) -> list[Message]:
        """Post messages one after another, and return their replies."""
        return [self._posted(message) for message in messages]

    def _posted(self, message: Message) -> Message:
        if message["op"] in OPENS_RUN:
            self._run = f"{self._prefix}-{next(self._numbers)}"
        asked = {"run": self._run, **message}
        started = time.monotonic()
        try:
            status, reply = self._answer(encoded(asked), started + self.timeout, again=message["op"] in OPENS_RUN)
        except TimeoutError:
            got = f"no reply to {message['op']!r} within {self.timeout:g} seconds"
            raise wrong(self.parameter, got, "one reply to each message", "raise the timeout if it is slow") from None
        except (OSError, http.client.HTTPException) as error:
            told = getattr(error, "strerror", None) or str(error) or type(error).__name__
            got = f"{self.url}, which gives no answer to {message['op']!r}: {told}"
            raise wrong(self.parameter, got, "a service that answers", "start it first, and check the port") from None
        if len(reply) > LARGEST_REPLY:
            raise wrong(self.parameter, f"a reply of more than {LARGEST_REPLY:,} bytes", "one JSON object")
        if status != 200:
            raise self._refused(status, reply, message)
        return decoded(reply, asked, self.parameter)

    def _answer(self, body: bytes, deadline: float, *, again: bool) -> tuple[int, bytes]:
        """Post a body; a connection that the service has closed between two runs is opened `again`."""
        try:
            if self._connection.sock is None:
                self._connection.connect()
            place = self._connection.sock
            place.settimeout(self.timeout)
            place.sendall(self._head % len(body) + body)  # in one piece, which wakes the service once
            if hasattr(socket, "TCP_QUICKACK"):
                place.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)  # some hold back a body until then
            self._response = http.client.HTTPResponse(_UntilDeadline(place, deadline), method="POST")  # type: ignore[arg-type]
            self._response.begin()
        except (ConnectionError, http.client.BadStatusLine):
            self.close()
            if not self._used or not again:
                raise
            self._used = False
            return self._answer(body, deadline, again=False)
        response, reply = self._response, b""
        while len(reply) <= LARGEST_REPLY and response.length != 0 and (more := response.read1(1 << 16)):
            reply += more
            if time.monotonic() > deadline:
                raise TimeoutError
        if response.length and len(reply) <= LARGEST_REPLY:
            raise http.client.IncompleteRead(reply, response.length)
        self._used = not response.will_close and len(reply) <= LARGEST_REPLY
        response.close()
        if not self._used:
            self.close()
        return response.status, reply

    def _refused(self, status: int, reply: bytes, message: Message) -> PolicyError:
        phrase = http.client.responses.get(status, "")
        got = f"HTTP status {status} {phrase}".rstrip() + f" in reply to {message['op']!r}"
        if 300 <= status < 400:
            return wrong(self.parameter, got, "status 200", "give the URL that it redirects to")
        said = f", with the text {shown(reply)}" if reply.strip() else ""
        return wrong(self.parameter, got + said, "status 200", "fix the service first")

    def close(self) -> None:
        """Close the connection; the service goes on."""
        with suppress(OSError):
            if self._response is not None:
                self._response.close()
            self._connection.close()
