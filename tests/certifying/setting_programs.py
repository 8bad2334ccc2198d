"""Hostile programs in all settings: Generators that are copied or have no noise, and random linear programs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numpy as np

HEAD = """import copy, pickle
import numpy as np
import privcheck
from privcheck.mechanisms import *
BEFORE
def released(self, value, scale):
    return Laplace.with_scale(scale).release(value, self.rng)
def chosen(self, scores, scale):
    return NoisyMax.with_scale(scale).release(scores, self.rng)
class Policy:
    batch, delay = 3, [0, 2, 1]
    def __init__(self, rng, arms=2, epsilon=1.0):
        self.rng, self.arms, self.epsilon, self.t, self.arm, self.y = rng, arms, epsilon, 0, 0, 0.0
        self.noise, self.total, self.kept = Laplace(sensitivity=1.0, epsilon=epsilon), 0.0, []
        START
    SELECT
    @property
    def stopped(self):
        return self.t >= 5
    def recommend(self):
        return self.arm
    def LEARN(self, a, r):
        self.t += 1
        ACT
"""
BANDIT = HEAD.replace("SELECT", "def select(self):\n        return self.arm").replace("LEARN", "update")
SETTINGS = {
    "bandit": (BANDIT, {}),
    "identification": (BANDIT, {"feedback": "identification"}),
    "delayed": (BANDIT, {"feedback": "delayed"}),
    "full": (BANDIT, {"feedback": "full", "arms": 3}),
    "semi-bandit": (
        HEAD.replace("SELECT", "def select(self):\n        return (0, 1)").replace("LEARN", "update"),
        {"feedback": "semi-bandit", "arms": 3},
    ),
    "batch": (
        HEAD.replace("SELECT", "def act(self, n):\n        return [i % 2 for i in range(n)]").replace("LEARN", "learn"),
        {"feedback": "batch"},
    ),
}


def program(setting: str, act: str, start: str = "pass", before: str = "") -> str:
    """Return the text of a policy that does this with what it is told."""
    text = SETTINGS[setting][0].replace("BEFORE", before).replace("START", start)
    return text.replace("ACT", act.replace("\n", "\n        "))


CHILD = "self.g = self.rng.spawn(1)[0]"
SECOND = "self.y = self.noise.release(r, self.g) - self.noise.release(0.0, c)"
KNOWN = "self.y = self.noise.release(r, self.g); {}; self.y -= self.noise.release(0.0, self.g)"
ZERO = """class Quiet(np.random.Generator):
    def laplace(self, *given, size=None, **options): return np.zeros(size) if size else 0.0
"""
QUIET = "self.g = Quiet(self.rng.spawn(1)[0].bit_generator)"
SHOWING = {
    "a child that is put back": (
        CHILD, "s = self.g.bit_generator.state\n" + KNOWN.format("self.g.bit_generator.state = s"), "",
    ),
    "a copy of a child": (CHILD, "c = copy.deepcopy(self.g)\n" + SECOND, ""),
    "a pickled child": (CHILD, "c = pickle.loads(pickle.dumps(self.g))\n" + SECOND, ""),
    "a child copied for raw draws": (
        CHILD, "c = copy.deepcopy(self.g)\nself.y = self.noise.release(r, self.g) - self.noise.draw(0.0, c)", "",
    ),
    "the seeds of a child": (
        CHILD, "c, self.g = (np.random.default_rng(self.g.bit_generator.seed_seq) for _ in 'ab')\n" + SECOND, "",
    ),
    "the seeds of a child in other bits": (
        CHILD,
        "c, g = (np.random.Generator(np.random.MT19937(self.g.bit_generator.seed_seq)) for _ in 'ab')\n"
        "self.y = self.noise.release(r, g) - self.noise.release(0.0, c)", "",
    ),
    "a child that steps back": (CHILD, KNOWN.format("self.g.bit_generator.advance(-1)"), ""),
    "a copy of a tree": (
        CHILD + "; self.tree = BinaryTree(horizon=16, sensitivity=2.0, epsilon=epsilon).start(self.g)",
        "c = copy.deepcopy(self.tree)\nself.y = self.tree.add(r) - c.add(0.0)", "",
    ),
    "a child of a copy": ("self.c = copy.deepcopy(self.rng).spawn(1)[0]; " + CHILD, "c = self.c\n" + SECOND, ""),
    "a child of a pickle, for raw draws": (
        "self.c = pickle.loads(pickle.dumps(self.rng)).spawn(1)[0]; " + CHILD,
        "self.y = self.noise.release(r, self.g) - self.noise.draw(0.0, self.c)", "",
    ),
    "a child from the seeds": (
        "s = self.rng.bit_generator.seed_seq; "
        "self.c = np.random.default_rng(np.random.SeedSequence(s.entropy, spawn_key=(*s.spawn_key, 0))); " + CHILD,
        "self.y = self.noise.release(r, self.g) - self.noise.draw(0.0, self.c)", "",
    ),
    "a grandchild of a copied child": (
        CHILD + "; self.c = copy.deepcopy(self.g).spawn(1)[0]; self.g = self.g.spawn(1)[0]",
        "self.y = self.noise.release(r, self.g) - self.noise.draw(0.0, self.c)", "",
    ),
    "a Generator without noise": (QUIET, "self.y = self.noise.release(r, self.g)", ZERO),
    "a Generator without noise over the given one": (
        "self.g = Quiet(self.rng.bit_generator)", "self.y = self.noise.release(r, self.g)", ZERO,
    ),
    "a tree without noise": (
        QUIET + "; self.tree = BinaryTree(horizon=16, sensitivity=1.0, epsilon=epsilon).start(self.g)",
        "self.total = self.tree.add(r)\nself.y = self.total - sum(self.kept)", ZERO,
    ),
}  # fmt: skip
"""What the code alone then releases is the reward of the first round: by how it starts, what it does, and a class."""

PRIVATE = {
    "a child": (CHILD, "self.y = self.noise.release(r, self.g)"),
    "coins of a child": (CHILD, "self.y = self.noise.release(r, self.g); self.u = self.g.random()"),
    "a child of a child": (CHILD + "; self.g = self.g.spawn(2)[1]", "self.y = self.noise.release(r, self.g)"),
    "another child in each round": ("pass", "self.y = self.noise.release(r, self.rng.spawn(1)[0])"),
    "a tree with a child": (
        CHILD + "; self.tree = BinaryTree(horizon=16, sensitivity=1.0, epsilon=epsilon).start(self.g)",
        "self.y = self.tree.add(r)",
    ),
    "a function that reaches a child": (
        CHILD,
        "h = self\ndef f(x): return x + 0.0 * len(h.kept)\n"
        "self.y = self.noise.release(privcheck.feature(f, r, 0, 1), self.g)",
    ),
}  # fmt: skip

VECTORS = (
    "v[::-1]", "np.cumsum(v)", "np.roll(v, 1)", "{c} * v", "v + v[::-1]", "np.concatenate([v, v])", "np.repeat(v, 2)",
    "v[[0, -1, 0]]", "np.outer(v, [1.0, {c}]).ravel()", "np.convolve(v, [1.0, {c}])", "v * v", "v - v.mean()",
    "privcheck.clip(v, {low}, {high})", "np.where(np.arange(len(v)) % 2 == 0, v, {c} * v)", "abs(v - {low})",
    "(v > {high}) * 1.0", "np.append(v, v.sum())", "np.tile(v, 2) - {c}", "v * (v - {c})", "np.stack([v[0], v[-1]])",
    "np.clip(v, {low}, {high}) * v", "np.diff(np.append(v, 0.0))", "v @ np.diag(np.arange(1.0, len(v) + 1))",
    "np.array(list(v))",
)  # fmt: skip


def random_act(rnd: random.Random, setting: str) -> str:
    """Return lines that transform what is told, keep some of it, and release it."""
    lines = ["v = np.stack([r])" if setting in ("bandit", "delayed", "identification") else "v = r * 1.0"]
    for _ in range(rnd.randint(1, 3)):
        numbers = {"c": rnd.choice([-2.0, 0.5, 3.0]), "low": rnd.choice([0.2, 0.3]), "high": rnd.choice([0.5, 0.7])}
        lines.append("v = " + rnd.choice(VECTORS).format(**numbers))
    kind = rnd.randrange(4)
    if kind == 0:
        after = rnd.choice(
            ["self.total = 0.0", "self.total = self.total * 0.5", "pass", "self.total = self.total - v.sum()"]
        )
        release = f"released(self, self.total, {rnd.choice([1.0, 4.0])}); {after}"
        lines += ["self.total = self.total + v.sum()", f"if self.t % {rnd.choice([1, 2])} == 0: {release}"]
    elif kind == 1:
        lines.append(f"released(self, v[:{rnd.choice([1, 2, 9])}], 1.0); released(self, v.sum(), 3.0)")
    elif kind == 2:
        sum_of_two = f"self.kept[0] + {rnd.choice([1.0, -1.0, 2.0])} * self.kept[1]"
        keep = f"self.kept = self.kept[{rnd.choice([1, 2])}:]"
        lines += [
            f"self.kept.append(v[0] - {rnd.choice([0.0, 1.0])} * v[-1])",
            f"if len(self.kept) == 2: released(self, {sum_of_two}, 1.5); {keep}",
        ]
    else:
        lines.append("chosen(self, np.stack([v[0], 0.5 * v[-1]]), 2.0)")
    return "\n".join(lines)


def play(build: Any, setting: str, table: Any, seed: int) -> Any:
    """Play a policy as its feedback says, and return it: this shares no code with what certifies."""
    policy, waiting = build(np.random.default_rng(seed), table.shape[1]), dict[int, list[tuple[int, float]]]()
    sizes = iter([range(first, min(first + 3, len(table))) for first in range(0, len(table), 3)])
    for rounds in sizes if setting == "batch" else ([t] for t in range(len(table))):
        if setting == "batch":
            actions = policy.act(len(rounds))
            policy.learn(np.array(actions), np.array([table[t, a] for t, a in zip(rounds, actions, strict=True)]))
            continue
        (t,) = rounds
        if setting == "identification" and policy.stopped:
            break
        action = policy.select()
        if setting == "delayed":
            waiting.setdefault(t + policy.delay[min(t, 2)], []).append((t + 1, float(table[t, action])))
            for told in waiting.pop(t, []):
                policy.update(*told)
        elif setting == "semi-bandit":
            policy.update(action, table[t, list(action)])
        else:
            policy.update(action, table[t].copy() if setting == "full" else float(table[t, action]))
    return policy


def changed(rng: np.random.Generator, table: Any, neighbours: str, each: int) -> Iterator[Any]:
    """Yield tables that differ from one in a datum."""
    rounds, arms = table.shape
    for places in combinations(range(rounds), 2 if neighbours == "group:2" else 1):
        for _ in range(each):
            other = table.copy()
            if neighbours == "reward":
                other[places[0], rng.integers(arms)] = rng.choice([0.0, 1.0])
            else:
                for t in places:
                    other[t] = rng.choice([0.0, 1.0, 0.5], arms)
            yield other


def measured(module: Any, setting: str, neighbours: str, seed: int, tables: int = 6, each: int = 4) -> float:
    """Return the largest loss of any transcript of releases that was found, by what the plain code releases.

    Laplace noise of scale b costs the L1 distance of what is released over b, a noisy maximum the range of the score
    differences over b: the suprema of the log-ratios of their densities (of the scores, of which it is a function).
    """
    found: list[tuple[bool, Any, float]] = []
    module.released = lambda _, value, scale: found.append((False, np.atleast_1d(np.array(value, float)), scale))
    module.chosen = lambda _, scores, scale: found.append((True, np.array(scores, float), scale))

    def values(table: Any) -> list[tuple[bool, Any, float]]:
        found.clear()
        play(module.Policy, setting, table, 1)
        return list(found)

    rng, worst = np.random.default_rng(seed), 0.0
    for _ in range(tables):
        table = rng.choice([0.0, 1.0, 0.5, 0.25, 0.2, 0.3, 0.7, 0.6], (5, SETTINGS[setting][1].get("arms", 2)))
        first = values(table)
        for other in changed(rng, table, neighbours, each):
            pairs = zip(first, values(other), strict=True)
            worst = max(
                worst, sum((np.ptp(y - x) if ranged else abs(y - x).sum()) / b for (ranged, x, b), (_, y, _) in pairs)
            )
    return float(worst)
