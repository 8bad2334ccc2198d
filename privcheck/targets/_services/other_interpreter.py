"""Plays a target in an interpreter that has no privcheck: run by its path, with Python 3.8 or later and no packages.

It reads the messages of docs/services.md from standard input and answers on standard output; what the target prints
goes to standard error. It must not import anything but the standard library, and numpy if it is there.
"""

# ruff: noqa: ARG002, ICN001, PTH100, PTH109, PTH119, PTH120
# mypy: ignore-errors

import functools
import importlib
import importlib.util
import inspect
import json
import os
import random
import sys
import traceback

try:
    import numpy
except ImportError:
    numpy = None

OPTIONS = ("arms", "epsilon", "delta", "horizon", "rho", "mu")
GENERATORS = ("rng", "generator", "random_state")


def loaded(place):
    """Return what a place names: a file or a module, a colon, a name."""
    module, _, name = place.rpartition(":")
    if module.endswith(".py"):
        sys.path.insert(0, os.path.dirname(os.path.abspath(module)))
        spec = importlib.util.spec_from_file_location(os.path.basename(module)[:-3], module)
        found = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = found
        spec.loader.exec_module(found)
    else:
        sys.path.insert(0, os.getcwd())
        found = importlib.import_module(module)
    return getattr(found, name)


def parameters_of(function):
    """Return the names of the parameters that no partial function has given; none where they are not known."""
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return []
    while isinstance(function, functools.partial):
        names = [name for name in names if name not in function.keywords]
        function = function.func
    return names


def is_mechanism(target):
    """Return whether a target is f(data, rng) or f(data, rng, runs) and not a factory of policies."""
    names = parameters_of(target)
    if isinstance(target, type):
        return False
    return names == ["data"] or (len(names) in (2, 3) and names[1] in GENERATORS and names[2:] in ([], ["runs"]))


def generator(seed):
    """Return a generator of random numbers, and seed the global ones too."""
    random.seed(seed)
    if numpy is None:
        return random.Random(seed)
    numpy.random.seed(None if seed is None else seed % 2**32)
    return numpy.random.default_rng(seed)


def given(value):
    """Return lists of numbers as arrays, where there is numpy."""
    return numpy.asarray(value) if numpy is not None and isinstance(value, list) else value


def plain(value):
    """Return what json cannot write as something that it can."""
    for method in ("tolist", "item"):
        if hasattr(value, method):
            return getattr(value, method)()
    try:
        return value.__index__()
    except (AttributeError, TypeError):
        return repr(value)


class Player:
    """Answers messages for one target."""

    def __init__(self, target):
        self.target = target
        self.mechanism = is_mechanism(target)
        self.policy = None

    def describe(self, message):
        """Say whether the target is a mechanism."""
        return {"mechanism": self.mechanism}

    def start(self, message):
        """Build a policy for a new run."""
        names = parameters_of(self.target)
        options = {name: message[name] for name in OPTIONS if name in names and message.get(name) is not None}
        rng = generator(message["seed"])
        self.policy = self.target(**options) if not names or names[0] in OPTIONS else self.target(rng, **options)
        return {"ok": True}

    def select(self, message):
        """Ask for an action."""
        context = [given(message["context"])] if "context" in message else []
        return {"action": self.policy.select(*context)}

    def batch(self, message):
        """Ask for the sizes of batches."""
        return {"batch": self.policy.batch}

    def delay(self, message):
        """Ask for the delays of rewards."""
        return {"delay": self.policy.delay}

    def act(self, message):
        """Ask for the actions of a batch."""
        return {"actions": self.policy.act(message["n"])}

    def learn(self, message):
        """Tell the rewards of a batch."""
        self.policy.learn(given(message["actions"]), given(message["rewards"]))
        return {"ok": True}

    def update(self, message):
        """Tell what happened."""
        if "round" in message:
            self.policy.update(message["round"], given(message["reward"]))
            return {"ok": True}
        action = message["action"]
        context = [given(message["context"])] if "context" in message else []
        action = tuple(action) if isinstance(action, list) else action
        self.policy.update(*context, action, given(message["reward"]))
        return {"ok": True}

    def stopped(self, message):
        """Ask whether the policy has stopped."""
        return {"stopped": bool(self.policy.stopped)}

    def recommend(self, message):
        """Ask for the recommended arm."""
        return {"arm": self.policy.recommend()}

    def released(self, message):
        """Ask for the released statistics."""
        values = self.policy.released
        return {"values": list(values.values()) if isinstance(values, dict) else values}

    def end(self, message):
        """Forget the run."""
        self.policy = None
        return {"ok": True}

    def call(self, message):
        """Call the mechanism."""
        rng, data = generator(message["seed"]), given(message["data"])
        names = parameters_of(self.target)
        if len(names) == 1:
            return {"output": self.target(data)}
        return {"output": self.target(data, rng) if len(names) == 2 else self.target(data, rng, 1)[0]}


def described(error):
    """Return an exception in one line, with its place."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"


def main(place):
    """Answer messages until there are no more."""
    replies = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    player, failure = None, ""
    try:
        player = Player(loaded(place))
    except BaseException as error:  # of a target, whatever it raises
        failure = described(error)
    for line in sys.stdin:
        message = json.loads(line)
        try:
            reply = {"error": failure} if player is None else getattr(player, message["op"])(message)
            text = json.dumps(reply, default=plain)
        except BaseException as error:
            text = json.dumps({"error": described(error)})
        replies.write(text + "\n")


if __name__ == "__main__":
    sys.path = [place for place in sys.path if os.path.abspath(place) != os.path.dirname(os.path.abspath(__file__))]
    main(sys.argv[1])
