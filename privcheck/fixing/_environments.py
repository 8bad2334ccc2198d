"""The environments in which regret is measured: arms on both sides of what a class compares something with."""

from __future__ import annotations

import ast
from typing import NamedTuple

import numpy as np

from privcheck.fixing._edits.constructor import BY_NAME, assignments
from privcheck.fixing._look import Setting
from privcheck.fixing._program import Program

AT_AN_END = 0.05
"""Constants closer to an end of the range than this share of it are left out: arms beyond would hardly differ."""


class Place(NamedTuple):
    """An environment of rewards that are either the lowest or the highest one: the chances of the highest, by arm."""

    chances: tuple[float, ...]

    @property
    def gap(self) -> float:
        """What the uniform policy loses a round, on the unit interval."""
        return max(self.chances) - sum(self.chances) / len(self.chances)

    def told(self, low: float, high: float) -> str:
        """Return the environment in words.

        >>> Place((0.75, 0.25)).told(0.0, 1.0)
        'rewards 0 or 1 with means 0.75, 0.25'
        """
        means = ", ".join(f"{low + (high - low) * chance:.3g}" for chance in self.chances)
        return f"rewards {low:g} or {high:g} with means {means}"


def places_for(text: str, class_name: str, setting: Setting) -> list[Place]:
    r"""Return the environments: one with arms on both sides of the middle of the range, and ones with all arms on one
    side of every constant that the class compares something with, but those at an end of the range.

    A policy that counts rewards above a constant learns nothing from averages where all arms are on one side of it.

    >>> code = "class A:\n    def update(self, action, reward):\n        self.n += reward > 0.6\n"
    >>> [place.chances for place in places_for(code, "A", Setting(arms=2))]
    [(0.75, 0.25), (0.54, 0.12), (0.96, 0.68)]
    """
    low, high = setting.rewards
    shares = {(value - low) / (high - low) for value in constants(text, class_name)}
    found = {share for share in shares if AT_AN_END <= share <= 1.0 - AT_AN_END} or {0.5}
    least, most = min(found), max(found)
    ends = [(0.75, 0.25), (0.9 * least, 0.2 * least), (1.0 - 0.1 * (1.0 - most), 1.0 - 0.8 * (1.0 - most))]
    return [Place(tuple(np.linspace(*pair, setting.arms).round(4).tolist())) for pair in ends]


def constants(text: str, class_name: str) -> set[float]:
    r"""Return the numbers with which a class, or a base of it in the file, compares something, also under a name.

    >>> code = "LIMIT = 0.3\nclass A:\n    def update(self, action, reward, most=0.9):\n        LIMIT < reward < most\n"
    >>> sorted(constants(code, "A"))
    [0.3, 0.9]
    """
    program = Program(text, class_name)
    named = _named_numbers(program.tree)
    found: set[float] = set()
    for node in (part for cls in program.line_of_classes for part in ast.walk(cls)):
        for side in [node.left, *node.comparators] if isinstance(node, ast.Compare) else []:
            value = _number(side)
            found |= named.get(_name(side), set()) if value is None else {value}
    return found


def _named_numbers(tree: ast.Module) -> dict[str, set[float]]:
    """Return the numbers that names, attributes and parameters are given, but for parameters that privcheck passes."""
    given: list[tuple[str, ast.expr | None]] = []
    for node in ast.walk(tree):
        given += [(_name(target), value) for target, value in assignments(node)]
        if isinstance(node, ast.arguments):
            taken = [*node.posonlyargs, *node.args][::-1]
            given += [(each.arg, value) for each, value in zip(taken, node.defaults[::-1], strict=False)]
            given += [(each.arg, value) for each, value in zip(node.kwonlyargs, node.kw_defaults, strict=True)]
    found: dict[str, set[float]] = {}
    for name, expression in given:
        value = None if expression is None else _number(expression)
        if value is not None and name and name not in BY_NAME:
            found.setdefault(name, set()).add(value)
    return found


def _name(node: ast.expr) -> str:
    """Return what a variable or an attribute is called; an empty text for other expressions."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _number(node: ast.expr) -> float | None:
    """Return the number that an expression is, with its sign; None for any other expression."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
    return float(value) if type(value) in (int, float) else None
