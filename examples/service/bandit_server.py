"""A private bandit behind an HTTP service, in the standard library of Python. Its noise cannot be seeded.

    python examples/service/bandit_server.py 8000
    privcheck audit --url http://127.0.0.1:8000/ --epsilon 1 --arms 2 --horizon 4

The bandit plays every arm once, publishes each reward with Laplace noise, and plays the arm with the larger noisy
reward from then on. A reward in [0, 1] enters one publication, so noise of scale 1 / epsilon makes it epsilon-DP. With
a second argument, say 0.25, the noise has a quarter of that scale: a mistake for an audit to find.
"""

import json
import secrets
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DRAWN = secrets.SystemRandom()


class Bandit:
    """One run; `scale` is that of its noise."""

    def __init__(self, arms, scale):
        self.noisy, self.round, self.scale = [0.0] * arms, 0, scale

    def select(self):
        """Return the arm to play."""
        if self.round < len(self.noisy):
            return self.round
        return max(range(len(self.noisy)), key=self.noisy.__getitem__)

    def update(self, action, reward):
        """Publish a reward of the first rounds."""
        if self.round < len(self.noisy):
            noise = DRAWN.expovariate(1.0) - DRAWN.expovariate(1.0)
            self.noisy[action] = reward + self.scale * noise
        self.round += 1


class Service(BaseHTTPRequestHandler):
    """Answers each message; the runs that are going on are in `runs`."""

    protocol_version = "HTTP/1.1"  # keeps connections open
    wbufsize = -1  # sends the head and the body of an answer together
    runs = {}  # noqa: RUF012
    factor = 1.0

    def do_POST(self):
        """Answer one message."""
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        try:
            reply = self.reply(message)
        except Exception as error:
            reply = {"error": f"{type(error).__name__}: {error}"}
        body = json.dumps(reply).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def reply(self, message):
        """Return the reply to a message."""
        run, op = message["run"], message["op"]
        if op == "start":
            self.runs[run] = Bandit(message["arms"], self.factor / message["epsilon"])
        elif op == "select":
            return {"action": self.runs[run].select()}
        elif op == "update":
            self.runs[run].update(message["action"], message["reward"])
        elif op == "end":
            del self.runs[run]
        else:
            return {"error": f"no reply to {op}"}
        return {"ok": True}

    def log_message(self, *_):
        """Write no line for each message."""


if __name__ == "__main__":
    if len(sys.argv) > 2:
        Service.factor = float(sys.argv[2])
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Service)
    print(f"listening on http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
