"""The search for patches: edits for what a look finds, then another look, the cheapest first."""

from __future__ import annotations

import ast
import heapq
from collections.abc import Iterator
from itertools import count
from typing import NamedTuple

from privcheck.fixing._charged import charged
from privcheck.fixing._edits.edit import Edit, Proposal
from privcheck.fixing._edits.idle import without_idle_noise
from privcheck.fixing._edits.proposals import proposals
from privcheck.fixing._edits.universal import universal
from privcheck.fixing._look import Charged, Finding, Setting, computing, fails, look
from privcheck.fixing._program import NotEditableError, Program
from privcheck.fixing._source_text import SourceText

FEWEST = 10
"""Rounds of a look at the original, at least."""

KEPT, TARGETED = 5, 3
"""Patches that a search returns at most, and after how many without universal edits it goes no further."""

VARIANTS = {"no-idle-noise": "", "latest-released": "released-blocks", "clipped-latest-released": "released-blocks"}
"""Edits that make a variant of a patch, not another one, each with the edit that it is a variant of."""


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
    refused : what was found in each of them, in words; an empty text for a patch.
    unfit : why edits that fit most bandits cannot be made here, in words.
    looks : how often a program was looked at.
    finding : of the original; None if there is nothing to fix.
    is_cut : whether the looks or the time were over before everything was tried.
    """

    patches: tuple[Patch, ...]
    tried: tuple[tuple[Edit, ...], ...]
    looks: int
    finding: Finding | None
    is_cut: bool = False
    refused: tuple[str, ...] = ()
    unfit: tuple[str, ...] = ()


class Move(NamedTuple):
    """An edit that was made, and where: for which finding, and the statement that this was found in."""

    proposal: Proposal
    finding: Finding | None
    method: str
    statement: str


class Step(NamedTuple):
    """A program on the way from the original, and how it was made."""

    text: str
    moves: tuple[Move, ...] = ()

    @property
    def edits(self) -> tuple[Edit, ...]:
        return tuple(move.proposal.edit for move in self.moves)

    @property
    def cost(self) -> int:
        return sum(edit.cost for edit in self.edits)

    @property
    def made(self) -> frozenset[tuple[str, str]]:
        """Its edits and their sites: a patch that has those of another one, and more, can do without the rest."""
        return frozenset((move.proposal.edit.name, move.proposal.site) for move in self.moves)

    @property
    def kind(self) -> frozenset[str]:
        """The names of its edits, of which some are variants of one."""
        return frozenset(VARIANTS.get(edit.name, edit.name).removeprefix("clipped-") for edit in self.edits) - {""}

    @property
    def is_quiet(self) -> bool:
        """Whether idle noise was left out."""
        return any(edit.name == "no-idle-noise" for edit in self.edits)

    @property
    def is_universal(self) -> bool:
        return any(edit.family == "universal" for edit in self.edits)


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


def longer(setting: Setting) -> Setting:
    """Return the second setting in which the original is looked at: what is asked for, over as many rounds as `other`.

    With another epsilon or more arms a bandit that keeps what was asked for would look as if it leaked.
    """
    return other(setting)._replace(epsilon=setting.epsilon, arms=setting.arms)


def measured(setting: Setting) -> tuple[Setting, ...]:
    """Return the settings in which charges are measured: the two of a search, and one with still more rounds."""
    second = other(setting)
    return setting._replace(runs=2), second._replace(runs=1), setting._replace(horizon=other(second).horizon, runs=1)


def search(
    source: SourceText, class_name: str, setting: Setting, *, looks: int = 40, edits: int = 5, seconds: float = 60.0
) -> Found:
    """Return patches of a program in which looks at two settings find nothing, if the program itself leaks.

    Parameters
    ----------
    source : the file.
    class_name : the bandit in it.
    setting : where to look; the second setting is `other`.
    looks : how often a program is looked at, at most.
    edits : of one patch at most.
    seconds : of computing, after which no other look is begun; importing the file does not count.

    Raises
    ------
    NotEditableError : the class is not there.
    SyntaxError : the file is no Python.
    """
    return _Search(source, class_name, setting, looks, edits, seconds).found()


class _Search:
    """The programs that are waiting for a look, and what was found so far."""

    def __init__(
        self, source: SourceText, class_name: str, setting: Setting, looks: int, edits: int, seconds: float
    ) -> None:
        self.source, self.class_name, self.setting = source, class_name, setting
        self.most_looks, self.most_edits, self.until = looks, edits, computing() + seconds
        self.looks, self.tried, self.patches = 0, list[tuple[Edit, ...]](), list[Step]()
        self.refused, self.unfit = list[str](), list[str]()
        self.start = self._program(source.text)
        self._seen: dict[str, Finding | None] = {}
        self._charged: dict[str, tuple[Charged, ...]] = {}
        self._waiting: list[tuple[int, int, Step]] = []
        self._numbers = count()
        self._fails: bool | None = None  # whether the original fails in the second setting

    def found(self) -> Found:
        finding = self._look_at_original()
        if finding is None:
            return Found((), (), self.looks, None)
        low, high = self.setting.rewards
        for proposal in universal(self.start, low, high, self.setting.epsilon, self.unfit):
            self._try(Step(proposal.text, (Move(proposal, None, "", ""),)), at_once=True)
        self._propose(Step(self.source.text), finding)
        while not self._is_over() and (step := self._next()) is not None:
            self._try(step)
        is_cut = self._is_exhausted() and not self._has_enough and self._next() is not None
        chosen = tuple(Patch(step.text, step.edits, step.cost) for step in self._chosen())
        return Found(
            chosen,
            tuple(self.tried),
            self.looks,
            finding,
            is_cut,
            tuple(self.refused),
            tuple(dict.fromkeys(self.unfit)),
        )

    def _is_over(self) -> bool:
        return self._has_enough or self._is_exhausted()

    @property
    def _has_enough(self) -> bool:
        return len({step.kind for step in self.patches if not step.is_universal}) >= TARGETED

    def _is_exhausted(self) -> bool:
        return self.looks >= self.most_looks or computing() >= self.until

    def _next(self) -> Step | None:
        while self._waiting:
            step = heapq.heappop(self._waiting)[2]
            if step.text not in self._seen and not any(other.made < step.made for other in self.patches):
                return step
        return None

    def _look_at_original(self) -> Finding | None:
        """Return what is to be fixed. That more rounds take too long is none of it, nor that so many do."""
        setting, text = self.setting, self.source.text
        found = self._look_in(text, setting)
        while found is not None and found.kind == "time" and setting.horizon // 2 >= FEWEST:
            setting = setting._replace(horizon=setting.horizon // 2, runs=1)
            found = self._look_in(text, setting)
        if found is None and setting is self.setting:
            found = self._look_in(text, longer(setting))
            found = None if found is not None and found.kind == "time" else found
        self.looks, self._seen[text] = self.looks + 1, found
        return found

    def _look(self, text: str) -> Finding | None:
        """Return what two looks find in a text, the second in another setting."""
        if text not in self._seen:
            self.looks += 1
            self._seen[text] = self._look_in(text, self.setting) or self._look_elsewhere(text)
        return self._seen[text]

    def _look_elsewhere(self, text: str) -> Finding | None:
        """Return what a look in the second setting finds, without its further arm if the original cannot have it."""
        second = other(self.setting)
        found = self._look_in(text, second)
        if found is None or found.kind != "failure":
            return found
        if self._fails is None:
            self.until += second.importing
            self._fails = fails(self.source, self.class_name, second)
        return self._look_in(text, second._replace(arms=self.setting.arms)) if self._fails else found

    def _look_in(self, text: str, setting: Setting) -> Finding | None:
        self.until += setting.importing
        return look(text, self.class_name, setting, self.source.path)

    def _program(self, text: str) -> Program:
        return Program(text, self.class_name, self.source.newline)

    def _try(self, step: Step, *, at_once: bool = False) -> None:
        """Keep a program in which nothing is found as a patch, as small as it can be; otherwise propose more edits.

        If `at_once`, the edits of other Generators are tried without waiting for their turn.
        """
        finding = self._look(step.text)
        self._told(step, finding)
        if finding is not None:
            last = step.moves[-1]
            if finding.kind == "failure" and (instead := last.proposal.instead) is not None:
                self._try(Step(instead.text, (*step.moves[:-1], last._replace(proposal=instead))), at_once=at_once)
            elif len(step.moves) < self.most_edits:
                self._propose(step, finding, at_once=at_once)
            return
        step = self._minimal(step)
        if step.text in {other.text for other in self.patches}:
            return
        self.patches.append(step)
        idle = without_idle_noise(self._program(step.text), self.start)
        if idle is not None and not self._is_exhausted():
            quiet = Step(idle.text, (*step.moves, Move(idle, None, "", "")))
            left = self._look(quiet.text)
            self._told(quiet, left)
            if left is None:
                self.patches.append(quiet)

    def _told(self, step: Step, finding: Finding | None) -> None:
        """Note what was tried, and what was found in it."""
        own = str(self.source.path.absolute())
        self.tried.append(step.edits)
        self.refused.append("" if finding is None else finding.sentence.replace(own, str(self.source.path)))

    def _propose(self, step: Step, finding: Finding, *, at_once: bool = False) -> None:
        for proposal in self._proposals(step.text, finding):
            method, statement = self._place(step.text, finding)
            new = Step(proposal.text, (*step.moves, Move(proposal, finding, method, statement)))
            if at_once and proposal.edit.name == "own-generator":
                self._try(new)
                continue
            heapq.heappush(self._waiting, (new.cost, next(self._numbers), new))

    def _proposals(self, text: str, finding: Finding) -> list[Proposal]:
        if finding.kind == "again":
            finding = finding._replace(charged=self._charged_in(text))
        try:
            return proposals(self._program(text), finding, self.setting)
        except (NotEditableError, SyntaxError):
            return []

    def _charged_in(self, text: str) -> tuple[Charged, ...]:
        """Return what a datum is charged without a budget, in three settings that differ in arms and rounds."""
        if text not in self._charged:
            settings = measured(self.setting)
            self.until += sum(setting.importing for setting in settings)
            self._charged[text] = charged(text, self.source.path, self.class_name, settings)
        return self._charged[text]

    def _place(self, text: str, finding: Finding) -> tuple[str, str]:
        """Return the method and the code of the statement that something was found in."""
        found = self._program(text).at_line(finding.line)
        return ("", "") if found is None else (found[0].name, ast.unparse(found[1]))

    def _minimal(self, step: Step) -> Step:
        """Return the patch without the edits that it can do without."""
        number = 0
        while len(step.moves) > 1 and number < len(step.moves):
            if self._is_exhausted():
                break
            smaller = self._again([*step.moves[:number], *step.moves[number + 1 :]])
            if smaller is not None and self._look(smaller.text) is None:
                step = smaller
            else:
                number += 1
        return step

    def _again(self, moves: list[Move]) -> Step | None:
        """Make edits from the original on, each where it was made before; return None if one has no such place."""
        step = Step(self.source.text)
        for move in moves:
            found = next((each for each in self._like(step.text, move)), None)
            if found is None:
                return None
            step = Step(found.text, (*step.moves, move._replace(proposal=found)))
        return step

    def _like(self, text: str, move: Move) -> Iterator[Proposal]:
        """Yield the proposals that make an edit in another text."""
        program, edit = self._program(text), move.proposal.edit
        if edit.family == "universal":
            low, high = self.setting.rewards
            for each in universal(program, low, high, self.setting.epsilon):
                yield from (p for p in (each, each.instead) if p is not None and p.edit.name == edit.name)
        elif move.finding is not None:
            lines = [
                statement.lineno
                for method, statement in program.statements()
                if method.name == move.method and ast.unparse(statement) == move.statement
            ]
            for line in lines or [move.finding.line]:
                for each in self._proposals(text, move.finding._replace(line=line)):
                    for p in (each, each.instead):
                        if p is not None and (p.edit.name, p.site) == (edit.name, move.proposal.site):
                            yield p

    def _chosen(self) -> list[Step]:
        """Return the patches to keep, the cheapest first.

        Regret decides between them, so they should differ: one of each kind comes before variants, and of each kind the
        one without idle noise, if there is one. Where that noise explored, the variant with it is better.
        """
        kinds: dict[frozenset[str], list[Step]] = {}
        for step in sorted(self.patches, key=lambda step: step.cost):
            kinds.setdefault(step.kind, []).append(step)
        best = {kind: next((s for s in steps if s.is_quiet), steps[0]) for kind, steps in kinds.items()}
        targeted = [step for step in best.values() if not step.is_universal]
        always = {_universal_name(step): step for step in best.values() if step.is_universal}
        told = [step for step in self.patches if self._gives_latest(step)][:1]
        if told:
            always.pop("latest-block", None)  # it would hear the same
        told = told or _of(always, "latest-block") or _of(always, "noisy-blocks")
        order = [*targeted[:2], *told, *_of(always, "noisy-rewards")]
        order += [step for step in kinds[targeted[0].kind] if not step.is_quiet][:1] if targeted else []
        order += [*_of(always, "noisy-counts"), *targeted[2:], *_of(always, "noisy-blocks")]
        order += [step for step in self.patches if not step.is_universal or _universal_name(step) in always]
        return sorted(list({step.text: step for step in order}.values())[:KEPT], key=lambda step: step.cost)

    def _gives_latest(self, step: Step) -> bool:
        """Return whether a patch learns from the latest released mean of rewards, and is not otherwise changed."""
        made = [move.proposal for move in step.moves]
        return len(made) == 1 and made[0].edit.name == "latest-released" and made[0].site == self.start.told()[2]


def _of(steps: dict[str, Step], *names: str) -> list[Step]:
    return [steps[name] for name in names if name in steps]


def _universal_name(step: Step) -> str:
    return next(edit.name for edit in step.edits if edit.family == "universal").removeprefix("clipped-")
