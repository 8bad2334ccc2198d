"""Why theorems do not apply to an instance: the conditions that fail, and what the user may have meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from privcheck.bounds._instance import Instance
from privcheck.bounds._theorem import THEOREMS, BoundValue


def not_applying(
    instance: Any, values: Iterable[BoundValue], *, everything: bool = False
) -> tuple[dict[str, list[str]], dict[str, int]]:
    """Return which theorems fail for which reason, and how many are about each other setting.

    >>> from privcheck.bounds import evaluate
    >>> instance = Instance("bernoulli", (0.75, 0.5), epsilon=1.0)
    >>> asked, elsewhere = not_applying(instance, evaluate(instance))
    >>> elsewhere["a combinatorial semi-bandit"] > 1, "azize-basu-2022/thm7" in sum(asked.values(), [])
    (True, True)
    """
    asked: dict[str, list[str]] = {}
    elsewhere: dict[str, int] = {}
    for value in values:
        if value.applies:
            continue
        about = THEOREMS[value.id].about if value.id in THEOREMS else type(instance)
        if not isinstance(instance, about) and not everything:
            setting = str(getattr(about, "setting", about.__name__))
            elsewhere[setting] = elsewhere.get(setting, 0) + 1
            continue
        failing = " and ".join(condition.text for condition in value.conditions if not condition.holds)
        asked.setdefault(failing, []).append(value.id)
    return asked, elsewhere


def commonest_failures(instance: Any, values: Iterable[BoundValue], most: int = 3) -> list[tuple[str, int]]:
    """Return the conditions that fail for most theorems about the setting of an instance, with their numbers.

    >>> from privcheck.bounds import evaluate
    >>> instance = Instance("bernoulli", (0.75, 0.5), epsilon=1.0, delta=0.01, horizon=1000)
    >>> commonest_failures(instance, evaluate(instance), 1)[0][0]
    'pure differential privacy: delta = 0'
    """
    counted: Counter[str] = Counter()
    for value in values:
        about = THEOREMS[value.id].about if value.id in THEOREMS else type(instance)
        if not value.applies and isinstance(instance, about):
            counted.update(condition.text for condition in value.conditions if not condition.holds)
    return counted.most_common(most)


def advice(instance: Any) -> str:
    """Return what a field of an instance may have been mistaken for; empty if nothing is odd.

    >>> advice(Instance("bernoulli", (0.75, 0.5), epsilon=1.0))
    ''
    """
    if not isinstance(instance, Instance) or instance.delta == 0 or instance.risk:
        return ""
    return (
        f"delta = {instance.delta:g} is that of (epsilon, delta)-DP, and most theorems are about pure differential "
        "privacy, delta = 0; the error probability of best-arm identification is `risk`."
    )
