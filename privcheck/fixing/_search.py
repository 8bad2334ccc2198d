"""The search for patches: edits for what a look finds, then another look, the cheapest first."""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

from privcheck.fixing._edits.edit import Edit, Proposal
from privcheck.fixing._edits.proposals import proposals
from privcheck.fixing._edits.universal import universal
from privcheck.fixing._look import Finding, Setting, look
from privcheck.fixing._program import NotEditableError, Program
from privcheck.fixing._source_text import SourceText

KEPT = 5
"""Patches that a search returns at most."""


class Patch(NamedTuple):
    """A program in which a look found nothing.

    Parameters
    ----------
    text : the whole file.
    edits : in the order in which they were made.
    cost : the sum of theirs.
    """

    text: str
    edits: tuple[Edit, ...]
    cost: int


class Found(NamedTuple):
    """What a search found.

    Parameters
    ----------
    patches : at most five, the cheapest first; no edit of any can be left out.
    tried : the edits of every program that was looked at.
    looks : how often a program was looked at.
    finding : of the original; None if there is nothing to fix.
    """

    patches: tuple[Patch, ...]
    tried: tuple[tuple[Edit, ...], ...]
    looks: int
    finding: Finding | None


class Step(NamedTuple):
    """A program on the way from the original: what was proposed, and for which finding."""

    text: str
    edits: tuple[Edit, ...]
    made: tuple[Proposal, ...]

    @property
    def cost(self) -> int:
        return sum(edit.cost for edit in self.edits)


def other(setting: Setting) -> Setting:
    """Return the second setting of a search, in which what is fitted to the first does not hold.

    There is one arm more, half of epsilon and about three times as many rounds.
    """
    return setting._replace(
        epsilon=setting.epsilon / 2.0,
        arms=setting.arms + 1,
        horizon=3 * setting.horizon + 7,
        runs=max(1, setting.runs // 3),
        seed=setting.seed + 1,
    )


class Search:
    """The programs that are waiting for a look, and what was found so far."""

    def __init__(self, source: SourceText, class_name: str, setting: Setting, looks: int, seconds: float) -> None:
        self.source, self.class_name, self.setting = source, class_name, setting
        self.most, self.until, self.looks = looks, time.monotonic() + seconds, 0
        self.tried: list[tuple[Edit, ...]] = []
        self.patches: list[Patch] = []
        self._seen: dict[str, Finding | None] = {}
        self._waiting: list[tuple[int, int, Step]] = []
        self._numbers = count()

    @property
    def is_over(self) -> bool:
        return self.looks >= self.most or time.monotonic() >= self.until

    def found(self, text: str) -> Finding | None:
        """Return what two looks find in a text, the second in another setting."""
        if text not in self._seen:
            self.looks += 1
            self._seen[text] = look(text, self.class_name, self.setting, self.source.path) or look(
                text, self.class_name, other(self.setting), self.source.path
            )
        return self._seen[text]

    def program(self, text: str) -> Program:
        return Program(text, self.class_name, self.source.newline)

    def wait(self, step: Step) -> None:
        """Put a program among those that are waiting."""
        heapq.heappush(self._waiting, (step.cost, next(self._numbers), step))

    def next(self) -> Step | None:
        while self._waiting:
            step = heapq.heappop(self._waiting)[2]
            if step.text not in self._seen:
                return step
        return None


def search(
    source: SourceText, class_name: str, setting: Setting, *, looks: int = 40, edits: int = 5, seconds: float = 60.0
) -> Found:
    """Return patches of a program in which looks at two settings find nothing.

    Parameters
    ----------
    source : the file.
    class_name : the bandit in it.
    setting : where to look.
    looks, seconds : how often and how long at most.
    edits : of one patch at most.

    Raises
    ------
    NotEditableError : the class is not there.
    SyntaxError : the file is no Python.
    """
    state = Search(source, class_name, setting, looks, seconds)
    start = state.program(source.text)
    finding = state.found(source.text)
    if finding is None:
        return Found((), (), state.looks, None)
    low, high = setting.rewards
    always = [Step(each.text, (each.edit,), (each,)) for each in universal(start, low, high, setting.epsilon)]
    for step in always:
        _look_at(state, step, edits)
    _go_on(state, source.text, (), (), finding, edits)
    while not state.is_over and len(state.patches) < KEPT and (step := state.next()) is not None:
        _look_at(state, step, edits)
    patches = sorted(state.patches, key=lambda patch: patch.cost)
    return Found(tuple(patches[:KEPT]), tuple(state.tried), state.looks, finding)


def _look_at(state: Search, step: Step, most: int) -> None:
    """Keep a program in which nothing is found as a patch; otherwise propose more edits."""
    state.tried.append(step.edits)
    finding = state.found(step.text)
    if finding is None:
        state.patches.append(Patch(step.text, step.edits, step.cost))
    elif len(step.edits) < most:
        _go_on(state, step.text, step.edits, step.made, finding, most)


def _go_on(
    state: Search,
    text: str,
    edits: tuple[Edit, ...],
    made: tuple[Proposal, ...],
    finding: Finding,
    most: int,
) -> None:
    for proposal in _proposed(state, text, finding):
        state.wait(Step(proposal.text, (*edits, proposal.edit), (*made, proposal)))


def _proposed(state: Search, text: str, finding: Finding) -> Iterator[Proposal]:
    try:
        yield from proposals(state.program(text), finding, state.setting)
    except (NotEditableError, SyntaxError):
        return
