"""Faults in words: the line, what happened there, what is wrong and how it is usually put right."""

from __future__ import annotations

from collections.abc import Iterator

from privcheck.reporting._text.numbers import clean
from privcheck.results import Fault


def fault_sentence(fault: Fault) -> str:
    """Return where a fault is, its kind, and what happened there.

    >>> fault_sentence(Fault("raw-decision", "bandit.py", 30, "if reward > 0.9:", "the reward of round 6 is read here"))
    'bandit.py:30: a decision on raw data: the reward of round 6 is read here'
    """
    return clean(f"{fault.place}: {fault.about.title}: {fault.said}")


def excerpt_lines(fault: Fault) -> Iterator[tuple[str, bool]]:
    """Yield the lines of the excerpt with their numbers, or the line at fault alone, and whether each is that line.

    >>> fault = Fault("raw-decision", "bandit.py", 8, "if x:", "", excerpt=("", "if x:", "    y = 1"), excerpt_start=7)
    >>> [line for line, _ in excerpt_lines(fault)]
    ['  7', '> 8  if x:', '  9      y = 1']
    """
    if not fault.excerpt:
        yield f"> {clean(fault.code)}", True
    last = fault.excerpt_start + len(fault.excerpt) - 1
    for number, code in enumerate(fault.excerpt, fault.excerpt_start):
        mark = ">" if number == fault.line else " "
        shown = "".join(character for character in code if character.isprintable())
        yield f"{mark} {number:{len(str(last))}}  {shown}".rstrip(), number == fault.line


def fault_text(fault: Fault) -> list[str]:
    """Return everything about a fault, a line each."""
    return [
        fault_sentence(fault),
        *(f"  {line}" for line, _ in excerpt_lines(fault)),
        f"  What is wrong: {fault.about.meaning}",
        f"  Usual fix: {fault.about.fix}",
    ]
