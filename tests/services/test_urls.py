"""HTTP services as targets: the example, services that misbehave, and memory between runs."""

from __future__ import annotations

import importlib.util
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

import privcheck

EXAMPLE = Path(__file__).parents[2] / "examples" / "service" / "bandit_server.py"
STREAMS = (np.zeros((3, 2)), np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]))
ERROR = 1e-7


class Bad(BaseHTTPRequestHandler):
    """Answers as a program of tests says: by the messages that it is sent, and never with anything right."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1
    mode = ""

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        getattr(self, self.mode)(message)

    def answer(self, body, status=200, **headers):
        self.send_response(status)
        for name, value in {"Content-Length": len(body), **headers}.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()
        self.wfile.write(body)

    def broken(self, _):
        self.answer(b"Traceback: \x1b[31m\nno", 500)

    def moved(self, _):
        self.answer(b"", 302, Location="http://127.0.0.1:1/")

    def page(self, _):
        self.answer(b"<html>hello</html>")

    def another_run(self, _):
        self.answer(b'{"ok": true, "action": 0, "run": "another"}')

    def slow(self, _):
        time.sleep(2.0)
        self.answer(b'{"ok": true}')

    def drip(self, _):
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        for _ in range(30):
            self.wfile.write(b" ")
            self.wfile.flush()
            time.sleep(0.1)

    def drips_headers(self, _):
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        for _ in range(60):
            self.wfile.write(b"a")
            self.wfile.flush()
            time.sleep(0.1)

    def hangs_up(self, _):
        self.close_connection = True

    def huge(self, _):
        self.answer(b" " * (1 << 21))

    def short(self, _):
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.close_connection = True

    def an_error(self, _):
        self.answer(b'{"error": "not today"}')

    def log_message(self, *_):
        pass


class Quiet(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """Write nothing where a client hangs up."""


@pytest.fixture
def served():
    """Start a service of a handler class, and return its URL."""
    running = []

    def serve(handler):
        server = Quiet(("127.0.0.1", 0), handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        running.append(server)
        return f"http://127.0.0.1:{server.server_port}/"

    yield serve
    for server in running:
        server.shutdown()
        server.server_close()


def example(factor=1.0, **more):
    spec = importlib.util.spec_from_file_location("bandit_server", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return type("Served", (module.Service,), {"factor": factor, "runs": {}} | more), module


def audited(url, **options):
    given = {"epsilon": 1.0, "arms": 2, "streams": STREAMS, "runs": 300, "error": ERROR}
    return privcheck.audit(privcheck.from_url(url, timeout=options.pop("timeout", 10.0)), **given | options)


@pytest.mark.chance(1e-9, "a claim of twice the loss, refuted at level 1e-7", fresh=True)
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_example_and_its_leaky_twin(served, jobs):
    """Noise of scale 2, a loss of 0.5 at a claim of 1; and of scale 1 / 20."""
    leaky, private = (audited(served(example(factor)[0]), jobs=jobs) for factor in (0.05, 2.0))
    assert leaky.verdict == "violation"
    assert private.verdict != "violation"
    assert {leaky.engine, private.engine} == {"service"}


MISTAKES = {
    "broken": "HTTP status 500 Internal Server Error in reply to 'start', with the text 'Traceback: ",
    "moved": "HTTP status 302 Found in reply to 'start', expected status 200; give the URL that it redirects to",
    "page": "the reply '<html>hello</html>' to 'start', expected one JSON object",
    "another_run": "a reply for run 'another' to 'start' of run ",
    "slow": "no reply to 'start' within 0.5 seconds",
    "drip": "no reply to 'start' within 0.5 seconds",
    "drips_headers": "no reply to 'start' within 0.5 seconds",
    "hangs_up": "which gives no answer to 'start'",
    "huge": "a reply of more than 1,048,576 bytes",
    "short": "which gives no answer to 'start'",
    "an_error": "the error 'not today' in reply to 'start'",
}


@pytest.mark.parametrize("mode", MISTAKES)
def test_services_that_misbehave(served, mode):
    timeout = 0.5 if MISTAKES[mode].startswith("no reply") else 30.0  # a busy machine may take longer than the former
    with pytest.raises(privcheck.PolicyError) as caught:
        audited(served(type("Served", (Bad,), {"mode": mode})), timeout=timeout)
    assert MISTAKES[mode] in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_nobody_listens():
    with pytest.raises(privcheck.PolicyError, match="gives no answer to 'start': Connection refused"):
        audited("http://127.0.0.1:9/")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "127.0.0.1:8000",
        "ftp://127.0.0.1/",
        "http://",
        "http://a:b@127.0.0.1/",
        "http://h:x/",
        "http://h/\r\nX: 1",
        7,
    ],
)
def test_urls_that_are_none(url):
    with pytest.raises(privcheck.PrivcheckError, match="url: got"):
        privcheck.from_url(url)


@pytest.mark.chance(1e-9, "a claim of twice the loss, refuted at level 1e-7", fresh=True)
def test_a_connection_that_was_closed_between_runs_is_opened_again(served):
    """A service may close what is idle; a message in the middle of a run is never sent twice."""
    handler, module = example(2.0)

    class Closing(handler):
        def reply(self, message):
            self.close_connection = message["op"] == "end"
            return super().reply(message)

    class Forgetful(handler):
        def reply(self, message):
            self.close_connection = message["op"] == "select"
            return super().reply(message)

    assert audited(served(Closing)).verdict != "violation"
    with pytest.raises(privcheck.PolicyError, match="gives no answer to 'update'"):
        audited(served(Forgetful))
    assert module.Bandit is not None


# Memory between runs


def remembering(kept):
    """A service whose bandits add what `kept` returns of the last published rewards, and keep theirs."""
    handler, module = example(1.0)

    class Bandit(module.Bandit):
        last = [0.0, 0.0]  # noqa: RUF012

        def update(self, action, reward):
            before = self.round
            super().update(action, reward)
            if before < 2:
                self.noisy[action] += kept(self.last[action])
                self.last[action] = self.noisy[action]

    class Served(handler):
        def reply(self, message):
            if message["op"] == "start":
                self.runs[message["run"]] = Bandit(message["arms"], 1.0)
                return {"ok": True}
            return super().reply(message)

    return Served


@pytest.mark.chance(1e-6, "correlations of about 12 standard errors, an estimate, where 5 are suspected", fresh=True)
def test_memory_between_runs_is_refused(served):
    """Half of what the last run published is added; without that, the same service passes.

    The service with memory is refused unless its runs look independent.
    """
    told = "every `start` or `call` is a new, independent run that remembers nothing"
    with pytest.raises(privcheck.PolicyError, match=told):
        audited(served(remembering(lambda last: 0.9 * last)), runs=600)
    assert audited(served(remembering(lambda _: 0.0)), runs=600).epsilon_lower is not None
