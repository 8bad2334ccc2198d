"""Random command lines, each with the status that it must not have: more than half of them are meant to be valid."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from random import Random

MARKS = ["\x1b[31m", "\x00"[:0], "é∞漢", "\u202e", "\udcff", " ", "[/red]", "%s", "{0}", "'", '"', "\n", "--", "-1"]
NUMBERS = ["nan", "inf", "-inf", "-1", "0", "1e400", "1e-320", "x", "", "1e", "0x10", "1_0", "٣", "1,5", "  2 ", "-0.0"]
SHIPPED = ["ucb", "kl-ucb", "dp-se", "adap-ucb", "rnm-ftnl", "rnm-ftnl-published", "thompson", "imed", "dp-ucb"]
PRIVATE = ["dp-se", "adap-ucb", "rnm-ftnl", "adap-ucb(alpha=2)", "dp-ucb"]
SOUND, UNSOUND = ["Fair", "Leaky", "Warns"], ["Raises", "Exits", "Strange", "Dies"]
OUTPUTS = {"--json": ["a.json", "new/b.json", "-"], "--html": ["a.html"], "--csv": ["a.csv"], "--npz": ["a.npz"]}
NO_OUTPUTS = ["a.txt", "", ".", "file/x.json", "/proc/x.json", "a" * 300 + ".json", "folder.json", "/dev/null"]

BANDITS = """
import warnings
import numpy as np

class Fair:
    def __init__(self, rng, arms=2):
        self.rng, self.arms = rng, arms
    def select(self):
        return int(self.rng.integers(self.arms))
    def update(self, action, reward):
        pass

class Leaky(Fair):
    last = 0
    def select(self):
        return self.last
    def update(self, action, reward):
        self.last = int(reward > 0.5)

class Raises(Fair):
    def update(self, action, reward):
        raise ValueError("\\x1b[31m" + str(reward) + "\\n[/red] \\udcff")

class Exits(Fair):
    def select(self):
        raise SystemExit(1)

class Warns(Fair):
    def select(self):
        warnings.warn("\\x07 loud")
        np.float64(1e308) * 10.0
        return super().select()

class Strange(Fair):
    def select(self):
        return ["zero", None, 0.5, True, np.int64(1), 10**30, (0,), np.nan][int(self.rng.integers(8))]

class Dies(Fair):
    def __init__(self, rng):
        raise SystemExit(0)

def noisy(data, rng):
    return float(np.sum(data)) + rng.laplace()

def batch(data, rng, runs):
    return float(np.sum(data)) + rng.laplace(size=runs)

def exact(data, rng):
    return float(np.sum(data))

def broken(data, rng):
    return {"data": data}

class NoUpdate:
    def select(self):
        return 0

NUMBER = 7
"""

FILES = {
    "bandits.py": BANDITS,
    "broken.py": "def f(:\n",
    "raising.py": "raise RuntimeError('\\x1b[31m at import')\n",
    "exiting.py": "import sys\nsys.exit(1)\n",
    "pair.csv": "0,1\n0,0\n1,1\n0,0\n",
    "wide.csv": "a,b,c,d\n0,1,1,1\n0,0,0,0\n",
    "words.csv": "one,two\nthree,four\n",
    "same.csv": "0,0\n0,0\n",
    "empty.csv": "",
    "zip.npy": "PK\x03\x04 no zip",
    "text.npy": "\x93NUMPY",
    "mine.toml": 'family = "bernoulli"\nmeans = [0.8, 0.1]\n',
    "deep.toml": "a = " + "[" * 3000,
    "wrong.toml": 'means = "high"\nepsilon = true\n',
    "clicks.csv": "item,click,odds\n" + "a,1,0.5\nb,0,0.5\n[/red],1,0.5\na,0,0.5\nb,1,0.5\n" * 3,
    "holes.csv": "item,click\na,\n,1\nb\n",
    "file": "",
}
"""What stands in the folder in which every command runs."""


@dataclass(frozen=True)
class Case:
    """A command line, and whether it is meant to be valid."""

    arguments: list[str]
    valid: bool
    outputs: list[str] = field(default_factory=list)

    @property
    def command(self) -> str:
        known = ("audit", "certify", "simulate", "bounds", "report", "list")
        return self.arguments[0] if self.arguments and self.arguments[0] in known else "(other)"

    def __str__(self) -> str:
        return json.dumps(self.arguments)


def some(random: Random, options: dict[str, list[str]], probability: float = 0.3) -> list[str]:
    """Return some of the options, each with one of its values; a value of "" stands for a switch."""
    found: list[str] = []
    for name, values in options.items():
        if random.random() < probability:
            value = random.choice(values)
            found += [name, value] if value else [name]
    return found


def mostly(random: Random, good: list[str], bad: list[str]) -> str:
    """Return a good value, or in one of twelve cases a bad one."""
    return random.choice(bad if random.random() < 1 / 12 else good)


def case(random: Random) -> Case:
    """Return a valid command line, or one with a slip or two."""
    makers = {audit: 15, certify: 14, simulate: 22, bounds: 26, report: 5, other: 4}
    arguments = random.choices(list(makers), list(makers.values()))[0](random)
    outputs: list[str] = []
    if arguments[0] in ("audit", "certify", "simulate", "bounds", "list") and "--help" not in arguments:
        outputs = _outputs(random, arguments[0])
    valid = random.random() < 0.66
    arguments = [*arguments, *outputs]
    if not valid:
        for _ in range(random.choice((1, 1, 2))):
            arguments = slip(random, arguments)
    return Case(arguments, valid, outputs[1::2])


def slip(random: Random, arguments: list[str]) -> list[str]:
    """Return the arguments with one mistake."""
    if not arguments:
        return [random.choice(MARKS)]
    found, place = list(arguments), random.randrange(len(arguments))
    kind = random.randrange(7)
    if kind == 0:
        del found[place]
    elif kind == 1:
        found[place] = random.choice(NUMBERS)
    elif kind == 2:
        found[place] += random.choice(MARKS)
    elif kind == 3:
        found.insert(place + 1, random.choice([*NUMBERS, *MARKS, "--nope", "--json", "--epsilon"]))
    elif kind == 4:
        found += [random.choice(list(OUTPUTS)), random.choice(NO_OUTPUTS)]
    elif kind == 5:
        found += [random.choice(["--epsilon", "--horizon", "--runs", "--arms", "--delta", "--seed"])]
        found += [random.choice(NUMBERS)]
    else:
        found[place] = found[place][: random.randrange(len(found[place]) + 1)]
    if any(text.isdigit() and int(text) > 5000 for text in found):
        return slip(random, arguments)  # "20" and "400" put together would take long, and prove nothing
    return [text.replace("\0", "") for text in found]


def _outputs(random: Random, command: str) -> list[str]:
    options = {"--json": OUTPUTS["--json"]}
    if command != "list" and random.random() < 0.04:  # a page takes a second
        options["--html"] = OUTPUTS["--html"]
    if command in ("simulate", "bounds"):
        options["--csv"] = OUTPUTS["--csv"]
    if command == "simulate":
        options["--npz"] = OUTPUTS["--npz"]
    return some(random, options, 0.35)


def audit(random: Random) -> list[str]:
    """Return an audit of few runs on one pair, in a few cases on many."""
    runs = ["--runs", random.choice(["20", "40", "60", "2e2"])]
    seed = ["--seed", str(random.randrange(10**6))]
    kind = random.random()
    if kind < 0.25:
        target = f"bandits.py:{mostly(random, ['noisy', 'batch', 'exact'], ['broken'])}"
        return ["audit", target, "--epsilon", "1", "--streams", "pair.csv", *runs, *seed]
    own = [f"bandits.py:{mostly(random, SOUND, [*UNSOUND, 'NoUpdate', 'NUMBER', 'nope'])}", "--arms", "2"]
    shipped = [random.choice(SHIPPED)]
    target = own if kind < 0.6 else shipped
    if kind > 0.97:
        target = [random.choice(["broken.py:f", "raising.py:f", "exiting.py:f", "math:sin", "adap-ucb("])]
    strange = ["words.csv", "same.csv", "empty.csv", "zip.npy", "text.npy", "wide.csv"]
    streams = ["--streams", mostly(random, ["pair.csv"], strange)]
    if random.random() < 0.06:
        streams = ["--horizon", "2"]
    more = some(random, {
        "--confidence": ["0.9", "0.99"], "--error": ["0.01"], "--observe": ["actions", "releases"],
        "--neighbours": ["row", "reward"], "--sequential": [""], "--delta": ["0"], "--rewards": ["0,1", "-1,2"],
        "--jobs": ["1"],
    }, 0.12)  # fmt: skip
    claim = [] if target == own and random.random() < 0.1 else ["--epsilon", random.choice(["0.5", "1", "2"])]
    return ["audit", *target, *claim, *streams, *runs, *seed, *more]


def certify(random: Random) -> list[str]:
    """Return a certificate of a few short runs."""
    own = f"bandits.py:{mostly(random, SOUND, UNSOUND)}"
    target = [random.choice(PRIVATE) if random.random() < 0.6 else own]
    size = ["--arms", "2", "--horizon", random.choice(["3", "6"]), "--runs", random.choice(["1", "3"])]
    more = some(
        random, {"--neighbours": ["row", "reward", "group:2"], "--rewards": ["0,1", "0,2"], "--seed": ["0", "9"]}, 0.2
    )
    return ["certify", *target, "--epsilon", random.choice(["0.5", "1"]), *size, *more]


def simulate(random: Random) -> list[str]:
    """Return a simulation of a few short runs."""
    policies = random.sample(["ucb", "imed", "kl-ucb", "dp-se", "adap-ucb", "thompson"], random.choice((1, 1, 2)))
    place = random.choice([
        ["--means", "0.7,0.5"], ["--means", "0.7,0.5,0.1"], ["--environment", "c2"],
        ["--environment", "beta", "--means", "0.7,0.5", "--with", "concentration=3"],
        ["--log", "clicks.csv", "--action", "item", "--reward", "click"],
        ["--log", "clicks.csv", "--action", "item", "--reward", "click", "--propensity", "odds"],
    ])  # fmt: skip
    if random.random() < 0.05:
        place = ["--log", "holes.csv", "--action", "item", "--reward", "click"]
    size = ["--horizon", random.choice(["10", "50", "1e2"]), "--runs", random.choice(["1", "2", "5"])]
    more = some(random, {"--checkpoints": ["1", "7"], "--seed": ["3"], "--jobs": ["1"]}, 0.2)
    compare = ["--compare"] if len(policies) > 1 and size[-1] != "1" and random.random() < 0.4 else []
    return ["simulate", *policies, *place, "--epsilon", random.choice(["0.5", "1"]), *size, *more, *compare]


def bounds(random: Random) -> list[str]:
    """Return the bounds of an instance of any setting."""
    place = random.choice([
        ["--means", "0.7,0.5"], ["--means", f"{random.random():.3f},{random.random():.3f}"],
        ["--family", "gaussian", "--means", "1,0"], ["--family", "poisson", "--means", "2,1"],
        ["--family", "exponential", "--means", "2,1"], ["--instance", "c2"], ["mine.toml"],
        ["--family", "finite", "--support", "0,0.5,1", "--weights", "0.1,0.3,0.6; 0.1,0.7,0.2"],
        ["--vectors", "1,0; 0,1", "--theta", "0.5,0.25"], ["--base-arms", "6", "--size", "2", "--gap", "0.1"],
        ["--dimension", "5", "--delta", "0.1", "--alpha", "0.01"],
    ])  # fmt: skip
    if random.random() < 0.05:
        place = [random.choice(["deep.toml", "wrong.toml", "nothing.toml"])]
    more = some(random, {"--all": [""]}, 0.2)
    budget = random.choice(["0.1", "1", "5", f"{10 ** random.uniform(-6, 3):.4g}"])
    return ["bounds", *place, "--epsilon", budget, "--horizon", random.choice(["100", "1e5", "1e12"]), *more]


def report(random: Random) -> list[str]:
    """Return a summary of a folder of results, some of which were damaged."""
    return ["report", random.choice(["results", "results", "results", "damaged", "nothing", "nothing", "file"])]


def other(random: Random) -> list[str]:
    """Return help, a list, the version or nothing at all that is known."""
    return random.choice([
        ["list"], ["list"], ["--version"], ["--help"], ["audit", "--help"], ["bounds", "-h"], ["report", "--help"],
    ])  # fmt: skip
