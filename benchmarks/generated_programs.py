"""Random private programs as plain Python, with what they publish as a linear function of features of rewards.

A program is a class with `select()` and `update(action, reward)`. It keeps sums, forgetting sums, sums per arm and
lists of features of rewards in [0, 1], and publishes linear combinations of them with noise: several times, at the ends
of blocks, forgetting or not, with draws of its own or shared ones. A person gives one reward or two, and neighbours
differ in what one person gives.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

ARMS = 2


@dataclass(frozen=True)
class Feature:
    """A function of one reward, piecewise a polynomial of degree at most 2, with its text."""

    kind: str
    a: float = 0.0
    b: float = 0.0
    text: str = "reward"

    @property
    def breaks(self) -> list[float]:
        return [x for x in (self.a, self.b) if 0.0 < x < 1.0]

    def polynomial(self, x: float) -> tuple[float, float, float]:
        """Return the coefficients of r^2, r and 1 on the piece that has x in its interior."""
        match self.kind:
            case "reward":
                return 0.0, 1.0, 0.0
            case "loss":
                return 0.0, -1.0, 1.0
            case "square":
                return 1.0, 0.0, 0.0
            case "clip":
                return (0.0, 1.0, 0.0) if self.a < x < self.b else (0.0, 0.0, self.a if x < self.a else self.b)
            case "above":
                return 0.0, 0.0, float(x > self.a)
            case "hinge":
                return (0.0, 1.0, -self.a) if x > self.a else (0.0, 0.0, 0.0)
            case "distance":
                return (0.0, 1.0, -self.a) if x > self.a else (0.0, -1.0, self.a)
            case "kept":
                return (0.0, 1.0, 0.0) if x > self.a else (0.0, 0.0, 0.0)
        raise ValueError(self.kind)


def feature(rng: np.random.Generator, quadratic: bool) -> Feature:
    """Draw a feature, in one of the ways in which people write it."""
    kinds = ["reward", "loss", "clip", "above", "hinge", "distance", "kept"] + ["square"] * quadratic
    kind = str(rng.choice(kinds, p=_shares(kinds)))
    a = round(float(rng.integers(2, 15)) / 20, 2)
    b = round(a + float(rng.integers(1, 6)) / 20, 2)
    texts = {
        "reward": ["reward"],
        "loss": ["(1 - reward)"],
        "square": ["reward**2", "reward * reward"],
        "clip": [f"np.clip(reward, {a}, {b})", f"min(max(reward, {a}), {b})"],
        "above": [f"(reward > {a}) * 1.0", f"np.where(reward > {a}, 1.0, 0.0)", f"(1.0 if reward > {a} else 0.0)"],
        "hinge": [f"np.maximum(reward - {a}, 0.0)", f"max(0.0, reward - {a})"],
        "distance": [f"abs(reward - {a})", f"np.abs(reward - {a})"],
        "kept": [f"reward * (reward > {a})"],
    }[kind]
    shares = {"above": [0.45, 0.45, 0.1], "hinge": [0.75, 0.25]}.get(kind, [1 / len(texts)] * len(texts))
    ends = {"reward": (0.0, 0.0), "loss": (0.0, 0.0), "square": (0.0, 0.0), "clip": (a, b)}.get(kind, (a, 0.0))
    return Feature(kind, *ends, text=str(rng.choice(texts, p=shares)))


def _shares(kinds: list[str]) -> list[float]:
    weights = [4.0 if kind == "reward" else 1.0 for kind in kinds]
    return [weight / sum(weights) for weight in weights]


Vector = dict[tuple[int, int], float]
"""A linear function of the data: the coefficient of each pair of a round and a feature."""


def combined(*terms: tuple[float, Vector]) -> Vector:
    """Return a linear combination."""
    total: Vector = {}
    for factor, vector in terms:
        for key, value in vector.items():
            total[key] = total.get(key, 0.0) + factor * value
    return total


@dataclass
class Register:
    """Something that a program keeps: how it is updated, and its value as a function of the data."""

    name: str
    kind: str
    terms: list[tuple[float, int]]
    decay: float
    zeros: bool
    value: list[Vector] = field(default_factory=lambda: [{}, {}])
    length: int = 0

    def start(self) -> str:
        starts = {"list": "[]", "arms": "np.zeros(2)" if self.zeros else "[0.0, 0.0]"}
        return f"self.{self.name} = {starts.get(self.kind, '0.0')}"

    def update_text(self, features: list[Feature]) -> str:
        terms = " + ".join(features[i].text if c == 1.0 else f"{c} * ({features[i].text})" for c, i in self.terms)
        match self.kind:
            case "list":
                return f"self.{self.name}.append({terms})"
            case "arms":
                return f"self.{self.name}[action] += {terms}"
            case "decayed":
                return f"self.{self.name} = {self.decay} * self.{self.name} + {terms}"
        return f"self.{self.name} += {terms}"

    def update(self, t: int) -> None:
        slot = (t - 1) % ARMS if self.kind == "arms" else 0
        self.value[slot] = combined((self.decay, self.value[slot]), (1.0, {(t, i): c for c, i in self.terms}))
        self.length += 1

    def reset(self) -> None:
        self.value, self.length = [{}, {}], 0


Read = tuple[str, Callable[[], Vector]]
"""The text of an expression without noise, and its value at the moment."""


def read(rng: np.random.Generator, registers: list[Register]) -> Read:
    """Draw a linear combination of one or two registers."""
    chosen = rng.choice(len(registers), size=min(len(registers), int(rng.integers(1, 3))), replace=False)
    texts, parts = [], []
    for i in chosen:
        register = registers[int(i)]
        c = float(rng.choice([1.0, 1.0, 1.0, -1.0, 0.5, 2.0]))
        text, part = _read_one(rng, register)
        texts.append(text if c == 1.0 else f"{c} * {text}")
        parts.append((c, part))
    return " + ".join(texts), lambda: combined(*[(c, part()) for c, part in parts])


def _read_one(rng: np.random.Generator, register: Register) -> Read:
    if register.kind == "list":
        if rng.random() < 0.5:
            return f"np.mean(self.{register.name})", lambda: combined((1 / register.length, register.value[0]))
        return f"sum(self.{register.name})", lambda: register.value[0]
    if register.kind == "arms":
        arm = int(rng.integers(ARMS))
        if rng.random() < 0.3:
            difference = f"(self.{register.name}[{arm}] - self.{register.name}[{1 - arm}])"
            return difference, lambda: combined((1.0, register.value[arm]), (-1.0, register.value[1 - arm]))
        return f"self.{register.name}[{arm}]", lambda: register.value[arm]
    return f"self.{register.name}", lambda: register.value[0]


@dataclass
class Release:
    """What is published at the end of every block: lines, and a function that adds rows of values and of draws."""

    lines: list[str]
    add: Callable[[Published], None]


@dataclass
class Published:
    """The published numbers, as linear functions of the data and of draws in the order in which they are made."""

    rows: list[Vector] = field(default_factory=list)
    draws: list[dict[int, float]] = field(default_factory=list)
    scales: list[float] = field(default_factory=list)

    def draw(self, scale: float) -> int:
        self.scales.append(scale)
        return len(self.scales) - 1

    def publish(self, row: Vector, draws: dict[int, float]) -> None:
        self.rows.append(row)
        self.draws.append(draws)


def release(rng: np.random.Generator, registers: list[Register], law: str) -> Release:
    """Draw one form of publication."""

    def noise(b: float, size: str = "") -> str:
        return f"self.rng.{law}(0, {b}{size})"

    b, c = (round(float(x), 2) for x in np.exp(rng.normal(0.5, 0.6, 2)))
    (one, first), (two, second) = read(rng, registers), read(rng, registers)
    forms = ["single", "scaled", "extra", "vector", "reused", "bare"]
    form = str(rng.choice(forms, p=[0.4, 0.2, 0.1, 0.17, 0.1, 0.03]))

    def add(out: Published) -> None:
        z = out.draw(b)
        match form:
            case "single":
                out.publish(first(), {z: 1.0})
            case "scaled":
                out.publish(combined((0.25, first())), {z: 0.25})
            case "extra":
                out.publish(first(), {z: 1.0, out.draw(c): 1.0})
            case "vector":
                out.publish(first(), {z: 1.0})
                out.publish(second(), {out.draw(b): 1.0})
            case "reused":
                out.publish(first(), {z: 1.0})
                out.publish(second(), {z: 1.0, out.draw(c): 1.0})
            case "bare":
                out.publish(first(), {z: 1.0})
                out.publish(second(), {z: 1.0})

    lines = {
        "single": [f"self.published.append(float({one} + {noise(b)}))"],
        "scaled": [f"self.published.append(float(({one} + {noise(b)}) / 4))"],
        "extra": [f"self.published.append(float({one} + {noise(b)} + {noise(c)}))"],
        "vector": [
            f"noisy = np.stack([{one}, {two}]) + {noise(b, ', 2')}",
            "self.published += [float(x) for x in noisy]",
        ],
        "reused": [
            f"z = {noise(b)}",
            f"self.published.append(float({one} + z))",
            f"self.published.append(float({two} + z + {noise(c)}))",
        ],
        "bare": [f"z = {noise(b)}", f"self.published += [float({one} + z), float({two} + z)]"],
    }[form]
    return Release(lines, add)


@dataclass(frozen=True)
class Program:
    """A program, its neighbours, and what it publishes in `horizon` rounds: coefficients @ features + draws @ noise."""

    source: str
    features: list[Feature]
    law: str
    visits: int
    horizon: int
    coefficients: np.ndarray
    """Of shape (published numbers, rounds, features)."""
    draws: np.ndarray
    """Of shape (published numbers, draws)."""
    scales: np.ndarray

    @property
    def neighbours(self) -> str:
        """The neighbour relation in the words of privcheck."""
        return "row" if self.visits == 1 else f"group:{self.visits}"


def program(seed: int, number: int) -> Program:
    """Return the program of a number: at most ten published numbers, of which one at least depends on the data."""
    rng = np.random.default_rng([seed, number])
    while True:
        found = _program(rng)
        if 0 < len(found.coefficients) <= 10 and np.any(found.coefficients):
            return found


def _program(rng: np.random.Generator) -> Program:
    law = "laplace" if rng.random() < 0.7 else "normal"
    features = [feature(rng, law == "laplace") for _ in range(int(rng.integers(1, 4)))]
    registers = []
    for i in range(int(rng.integers(1, 4))):
        kind = str(rng.choice(["sum", "decayed", "arms", "list"]))
        chosen = rng.choice(len(features), size=int(rng.integers(1, min(2, len(features)) + 1)), replace=False)
        terms = [(float(rng.choice([1.0, 1.0, 1.0, -1.0, 0.5, 2.0])), int(k)) for k in chosen]
        decay = float(rng.choice([0.5, 0.8, 0.9])) if kind == "decayed" else 1.0
        registers.append(Register(f"kept{i}", kind, terms, decay, bool(rng.random() < 0.1)))
    horizon = int(rng.integers(3, 7))
    block = int(rng.integers(1, 4))
    releases = [release(rng, registers, law) for _ in range(int(rng.integers(1, 3)))]
    forgotten = [register for register in registers if rng.random() < 0.75]
    published = Published()
    for t in range(1, horizon + 1):
        for register in registers:
            register.update(t)
        if t % block == 0:
            for each in releases:
                each.add(published)
            for register in forgotten:
                register.reset()
    rows = np.zeros((len(published.rows), horizon, len(features)))
    draws = np.zeros((len(published.rows), len(published.scales)))
    for j, (row, noise) in enumerate(zip(published.rows, published.draws, strict=True)):
        for (t, i), value in row.items():
            rows[j, t - 1, i] = value
        draws[j, list(noise)] = list(noise.values())
    source = _source(features, registers, releases, forgotten, block)
    visits = 2 if rng.random() < 0.25 else 1
    return Program(source, features, law, visits, horizon, rows, draws, np.array(published.scales))


SHOWN = "self.shown = [number.hex() for number in self.published]"
"""Reads every published number to its last digit, which `float` alone does not do."""


def _source(
    features: list[Feature],
    registers: list[Register],
    releases: list[Release],
    forgotten: list[Register],
    block: int,
) -> str:
    start = "\n".join(f"        {register.start()}" for register in registers)
    updates = "\n".join(f"        {register.update_text(features)}" for register in registers)
    end = [*(line for each in releases for line in each.lines), SHOWN, *(register.start() for register in forgotten)]
    return f"""import numpy as np


class Program:
    def __init__(self, rng):
        self.rng, self.t, self.published = rng, 0, []
{start}

    def select(self):
        return self.t % 2

    def update(self, action, reward):
        self.t += 1
{updates}
        if self.t % {block} == 0:
{chr(10).join(f"            {line}" for line in end)}
"""
