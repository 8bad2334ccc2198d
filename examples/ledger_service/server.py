"""A private bandit as a service that may be killed at any moment, in the standard library of Python.

    python examples/ledger_service/server.py 8000 state heads
    curl 'http://127.0.0.1:8000/select' -d '{"id": "e17"}'
    curl 'http://127.0.0.1:8000/update' -d '{"id": "e17", "action": 0, "reward": 1.0, "user": "u3"}'

Each answer is in the ledger `state/budget.db`, together with what it charged, before the client sees it. A client that
gets no answer asks again with the same id, and gets the one answer of this event. Several processes may serve the same
folder. Rewards of a person who has no budget left get status 429, and `Retry-After` says from when on rewards of this
person, under new ids, are taken again; bad input gets 400. Both change nothing. Other errors, such as a full disk, get
503: ask again.

The head in the folder `heads` says how far the ledger goes. Keep it apart from what you back up and restore: a ledger
that is restored with its head spends again what was spent since.

The guard wraps `build`, which has a name of its own so that the same policy can be watched each night, on the machine
of the service or in CI. A watch plays it on streams of its own, without the ledger:

    privcheck watch examples/ledger_service/server.py:build --epsilon 0.25 --arms 3 --store watch.sqlite
"""

import json
import sys
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import privcheck
from privcheck.bandits import ALGORITHMS

ARMS, EPSILON, PER_USER = 3, 0.25, 1.0
build = ALGORITHMS["adap-ucb"](arms=ARMS, epsilon=EPSILON).build


def open_guard(folder: Path, heads: Path) -> privcheck.GuardedPolicy:
    """Return the guard of the service: each reward loses at most 0.25, and a person at most 1 a day."""
    keeping = {"ledger": folder / "budget.db", "head": heads / "heads.db", "scope": "news"}
    return privcheck.guard(build, epsilon=EPSILON, arms=ARMS, per_user=PER_USER, window="day", **keeping)


class Handler(BaseHTTPRequestHandler):
    """Answers `select` and `update`."""

    guarded: privcheck.GuardedPolicy

    def do_POST(self) -> None:
        """Answer one event."""
        headers = {}
        try:
            status, answer = 200, self.answer(json.loads(self.rfile.read(int(self.headers["Content-Length"] or 0))))
        except privcheck.BudgetExceededError as error:
            status, answer = 429, {"error": str(error)}
            headers = {} if error.renews is None else {"Retry-After": format_datetime(error.renews, usegmt=True)}
        except (privcheck.PrivcheckError, ValueError, RecursionError) as error:
            status = 503 if getattr(error, "parameter", "") in ("ledger", "head") else 400
            answer = {"error": str(error)}
        text = json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(text))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def answer(self, asked: object) -> dict[str, object]:
        """Return the answer of one event, which needs an id: without one it could not be asked again."""
        names = {"/select": ("id",), "/update": ("id", "action", "reward", "user")}.get(self.path)
        if names is None:
            raise ValueError("ask for /select or /update")
        if not isinstance(asked, dict) or not asked.keys() >= {*names} or not isinstance(asked["id"], str):
            raise ValueError(f"{self.path} takes a JSON object with {', '.join(names)}, the id a string")
        if self.path == "/select":
            return {"action": self.guarded.select(request_id=asked["id"])}
        self.guarded.update(asked["action"], asked["reward"], request_id=asked["id"], user=asked["user"])
        return {"ok": True}

    def log_message(self, *_: object) -> None:
        """Write no log: what has to be kept is in the ledger."""


def main() -> None:
    """Serve until the process is killed; not with an old copy of the ledger, or another one that is refused."""
    try:
        Handler.guarded = open_guard(Path(sys.argv[2]), Path(sys.argv[3]))
    except privcheck.PrivcheckError as error:
        sys.exit(f"not started: {error}")
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
