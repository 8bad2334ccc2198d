"""A program that plays every kind of target, well or badly: `python program.py MODE`; no packages are needed."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

MODE = sys.argv[1]
SECRET = random.SystemRandom()


def leading(reward, action):
    """Return the last reward of arm 0, as far as the policy saw it."""
    if isinstance(action, list):
        return dict(zip(action, reward, strict=True)).get(0, 0.0)
    return reward[0] if isinstance(reward, list) else reward


class Run:
    """A policy that tells its last reward by its next action: without noise if it is leaky, by chance if not."""

    def __init__(self, start):
        self.kind, self.arms, self.told, self.rounds = start["feedback"], start["arms"], 0.0, 0
        self.chance = random.Random(start["seed"]) if start["seed"] is not None else SECRET

    def bit(self):
        return self.told > 0.5 if MODE == "leaky" else self.chance.random() < 0.5

    def select(self, message):
        if self.kind == "contextual":
            assert len(message["context"]) == 2
        if self.kind == "semi-bandit":
            return {"action": [0, 1] if self.bit() else [0]}
        return {"action": int(self.bit())}

    def update(self, message):
        assert self.kind != "full" or len(message["reward"]) == self.arms
        self.rounds += 1
        self.told = leading(message["reward"], message["action"])
        return {"ok": True}

    def stopped(self, _):
        return {"stopped": self.rounds >= 2}

    def recommend(self, _):
        return {"arm": 0 if self.arms == 1 else int(self.bit())}

    def released(self, _):
        return {"values": {"leaky": self.told, "private": self.chance.random()}[MODE]}

    def end(self, _):
        return {"ok": True}


def called(message):
    """Return a sum with Laplace noise, of scale 2, or 1 / 8 if it is leaky."""
    chance = random.Random(message["seed"]) if message["seed"] is not None else SECRET
    scale = 0.125 if MODE == "leaky" else 2.0
    return {"output": sum(message["data"]) + scale * (chance.expovariate(1.0) - chance.expovariate(1.0))}


BAD = {
    "float": '{"action": 1.0}',
    "true": '{"action": true}',
    "text": '{"action": "left"}',
    "out of range": '{"action": 7}',
    "no action": '{"actions": 1}',
    "not JSON": "action = 1",
    "a list": "[1]",
    "NaN": '{"action": NaN}',
    "deep": "[" * 100_000,
    "an error": '{"error": "no \\u001b[31m memory\\nleft"}',
    "huge": "1" * (1 << 21),
    "blank": "",
    "a name twice": '{"action": 0, "action": 1}',
    "bytes": "\udcff\udcfe",
}


def reply(run, message):
    op = message["op"]
    if op == "select" and MODE in BAD:
        return BAD[MODE]
    if op == "select" and MODE == "dies":
        sys.stderr.write("a mistake in the program\n")
        sys.exit(7)
    if op == "select" and MODE == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if op == "select" and MODE in ("silent", "stubborn", "half a line"):
        sys.stdout.write('{"action"' * (MODE == "half a line"))
        sys.stdout.flush()
        time.sleep(1000.0)
    if op == "select" and MODE == "no update":
        return '{"action": 0}'
    if op == "update" and MODE == "no update":
        return '{"done": true}'
    return json.dumps(called(message) if op == "call" else getattr(run, op)(message))


if MODE in ("stubborn", "noisy"):  # a child that ignores all that can be ignored
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    child = subprocess.Popen(["sleep", "1000"], stdout=subprocess.DEVNULL)
    with Path(sys.argv[2]).open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()} {child.pid}\n")
if MODE == "noisy":
    MODE = "private"
    sys.stderr.write("chatter\n" * 100_000)

run = None
for line in sys.stdin:
    message = json.loads(line)
    if message["op"] == "start":
        assert message["protocol"] == 1
        run = Run(message)
    text = '{"ok": true}' if message["op"] == "start" else reply(run, message)
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape") + b"\n")
    sys.stdout.flush()
