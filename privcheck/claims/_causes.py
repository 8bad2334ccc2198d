"""Why printed forms fail: one cause for everything that fails for the same reason, and what kind of fault it is.

A cause says nothing about whether a claim fails: that is found by the verifier. It says how to read what was found.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

STATEMENT, STEP, RANGE, MISPRINT, READING = "statement", "step", "range", "misprint", "reading"

FAULTS = {
    STATEMENT: "a numbered statement, or a claim that the paper relies on, is false as it is printed",
    STEP: "a step of a printed proof is false; the statement that it serves may still hold",
    RANGE: "true in the usual range of a parameter or away from an edge; the text prints no such range",
    MISPRINT: "a sign, an index, a letter or a factor is wrong, and the rest of the text shows what is meant",
    READING: "false only if a loose sentence is taken to the letter; a fair reader takes it otherwise",
}
"""The faults, and what each says, the gravest first."""

GRAVE = (STATEMENT, STEP)
"""The faults that lists show unless they are asked for others."""


@dataclass(frozen=True)
class Cause:
    """One reason for which printed forms fail.

    Parameters
    ----------
    id : paper and name, such as "hu-2021/noisy-maximum".
    wrong : what is wrong, in a sentence.
    words : the words of the paper on which this rests, as they stand in the quote of one of the claims.
    faults : the kind of fault of each claim that fails for this reason.
    remains : what remains true.
    rests : which published results rest on what fails.
    """

    id: str
    wrong: str
    words: str
    faults: Mapping[str, str]
    remains: str = ""
    rests: str = ""


def cause(name: str, wrong: str, words: str, *, remains: str = "", rests: str = "", **by_fault: str) -> Cause:
    """Return a cause, the claims of each fault being given as ids of its paper, separated by spaces.

    >>> cause("hu-2021/sign", "A sign.", "X >=", misprint="fact17b").faults
    {'hu-2021/fact17b': 'misprint'}
    """
    paper = name.partition("/")[0]
    faults = {
        claim if "/" in claim else f"{paper}/{claim}": fault
        for fault, claims in by_fault.items()
        for claim in claims.split()
    }
    return Cause(name, wrong, words, faults, remains, rests)
