"""A policy that is not told the claim, and has parameters of its own, said beside its verdict."""

from __future__ import annotations

from privcheck.targets import PolicyRunner, Runner, factory_parameters


def untold_note(runner: Runner, epsilon: float | None) -> tuple[str, ...]:
    """Return the note for a factory without a parameter `epsilon` that keeps defaults: one may be its budget.

    A class with the parameter `eps=1.0` is otherwise judged by a claim that it never heard of.
    """
    if epsilon is None or not isinstance(runner, PolicyRunner):
        return ()
    own = {
        name: value
        for name, value in runner.own_defaults.items()
        if isinstance(value, int | float | str) and len(repr(value)) < 40
    }
    if not own or "epsilon" in factory_parameters(runner.factory):
        return ()
    built = ", ".join(f"{name}={value!r}" for name, value in own.items())
    return (f"the policy has no parameter epsilon and was not told the claim; it was built with {built}",)
