"""Faults: the lines of a target behind a violation, each with its kind."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from privcheck.in_notebooks import in_cells


@dataclass(frozen=True)
class FaultKind:
    """A kind of fault.

    Parameters
    ----------
    title : in a few words.
    meaning : what is wrong, in one sentence.
    fix : how it is usually put right, in one sentence.
    """

    title: str
    meaning: str
    fix: str


FAULT_KINDS: dict[str, FaultKind] = {
    "released-again": FaultKind(
        "the same data are released again",
        "A reward stays in a statistic that is released several times, and the losses of all releases add up.",
        "Forget the data once they are released, or keep the noisy value and use it again; if it has to be released "
        "again, divide epsilon among the releases, or use a tree (privcheck.mechanisms.BinaryTree).",
    ),
    "budget-not-divided": FaultKind(
        "the budget is not divided",
        "One reward is in several statistics that are released at the same time, and each release spends the budget.",
        "Divide epsilon among the statistics, or release them as one vector with noise for its whole sensitivity.",
    ),
    "too-little-noise": FaultKind(
        "too little noise for the sensitivity",
        "A single release loses more than the claim: the scale of its noise is below sensitivity / epsilon.",
        "Compute how far one reward moves the released value, after every scaling, and use noise of that sensitivity "
        "divided by epsilon.",
    ),
    "unbounded-loss": FaultKind(
        "noise that bounds no epsilon",
        "The loss of this noise is unbounded: no release of it keeps an epsilon without a delta.",
        "Use Laplace noise, or claim a delta (or rho, or mu) and calibrate the noise to it.",
    ),
    "raw-decision": FaultKind(
        "a decision on raw data",
        "A comparison or condition reads rewards to which no noise has been added, and what follows from it is seen.",
        "Decide by the clock or by values that have been released, such as a noisy sum.",
    ),
    "raw-argmax": FaultKind(
        "the best of raw scores",
        "The arm is chosen by scores to which no noise has been added.",
        "Add noise to every score with a draw of its own, or release the choice by privcheck.mechanisms.NoisyMax.",
    ),
    "raw-statistic": FaultKind(
        "a statistic without noise",
        "A statistic of the data, such as a Gram matrix, is used without noise beside others that have some.",
        "Release it with noise for its own sensitivity, and with a share of the budget of its own.",
    ),
    "raw-value": FaultKind(
        "a raw value is used",
        "A function reads rewards to which no noise has been added, and what follows from it is seen.",
        "Release the value with noise first, and compute with what was released.",
    ),
    "context-kept": FaultKind(
        "a context is kept",
        "What `select` reads of a context is kept for later rounds, without noise.",
        "Keep only what `update` receives, and release it with noise.",
    ),
    "noise-used-again": FaultKind(
        "one draw of noise for several values",
        "The same noise is added to several values, so their differences have none.",
        "Draw new noise for every release.",
    ),
    "noise-shared": FaultKind(
        "one draw of noise for all entries",
        "All entries of an array have the same noise, so comparing them shows the data.",
        "Draw the noise with size=, one number for each entry.",
    ),
    "noise-read-first": FaultKind(
        "noise that was looked at before it was added",
        "The noise was compared or rejected before it was added, so it does not have the law that it was drawn from.",
        "Add the noise first and read only the sum; clip what was released, not the noise.",
    ),
    "one-sided-noise": FaultKind(
        "noise that hides changes in one direction only",
        "One-sided noise such as an exponential or a Gumbel draw bounds no loss when the sum is read as a number.",
        "Use Laplace noise, or read nothing but the argmax of scores with such noise.",
    ),
    "noisy-max-misused": FaultKind(
        "not a noisy maximum",
        "The scores or their noise do not make this choice a noisy maximum, or values are read from one for nothing.",
        "Give every score noise of one law and one scale, added and not subtracted before an argmax, and spend budget "
        "of its own on every value that is read.",
    ),
    "fixed-seed": FaultKind(
        "noise from a generator with a seed of its own",
        "The noise comes from a generator that the code seeds itself: it is the same in every run, and hides nothing.",
        "Draw all noise from the Generator that the policy is built with, as in self.rng.laplace(0.0, scale).",
    ),
}
"""The kinds of faults by id."""


@dataclass(frozen=True)
class Fault:
    """A line of the target by which data reach its outputs with less noise than claimed.

    Parameters
    ----------
    kind : one of `FAULT_KINDS`.
    file : relative to the working directory if it lies below it.
    line : counted from 1.
    code : the source line, without its indentation.
    said : what happened there on the streams of the witness, in one sentence.
    data : the rounds whose rewards are behind it.
    excerpt : the lines of the source around it; empty if the source is not at hand.
    excerpt_start : the number of the first of them.

    Examples
    --------
    >>> fault = Fault("raw-decision", "bandit.py", 30, "done = done or reward > 0.9", "it was read")
    >>> fault.place, fault.about.title
    ('bandit.py:30', 'a decision on raw data')
    """

    kind: str
    file: str
    line: int
    code: str
    said: str
    data: tuple[int, ...] = ()
    excerpt: tuple[str, ...] = ()
    excerpt_start: int = 0

    @property
    def about(self) -> FaultKind:
        """What the kind means and how it is usually put right."""
        return FAULT_KINDS.get(self.kind, FaultKind(self.kind, "", ""))

    @property
    def place(self) -> str:
        """The file, without its folder unless it is in one below the working directory, and the line.

        Cells of a notebook are called by their numbers, where these are known.

        >>> Fault("raw-decision", "473283483.py", 19, "", "").place
        'the cell, line 19'
        """
        file = Path(self.file)
        return in_cells(f"{file.name if file.is_absolute() else file.as_posix()}:{self.line}")
