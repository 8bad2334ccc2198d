"""A policy that is not told the claim, and has parameters of its own, said beside its verdict."""

from __future__ import annotations

from privcheck.targets import PolicyRunner, Runner, factory_parameters


def untold_note(runner: Runner, epsilon: float | None) -> tuple[str, ...]:
    """Return the note for a factory that was not told the claim, if what it was built with may have decided its budget.

    A class with the parameter `eps=1.0`, or `**options` in which it passes on a budget, is otherwise judged by a claim
    that it never heard of; and so is a partial function that has given epsilon.
    """
    if epsilon is None or not isinstance(runner, PolicyRunner):
        return ()
    taken = factory_parameters(runner.factory)
    if "epsilon" in taken:
        return ()
    own = [
        f"{name}={value!r}"
        for name, value in runner.own_defaults.items()
        if isinstance(value, int | float | str) and len(repr(value)) < 40
    ]
    own += [f"no {name}" for name in taken if name.startswith("**")]
    given = runner.own_defaults.get("epsilon")
    if not own or given == epsilon:
        return ()
    why = "has no parameter epsilon" if given is None else "keeps the epsilon of a partial function"
    return (f"the policy {why} and was not told the claim; it was built with {', '.join(own)}",)
