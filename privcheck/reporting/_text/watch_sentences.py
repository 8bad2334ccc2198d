"""What a watch knows, in sentences."""

from __future__ import annotations

import math
import re
import shlex

from privcheck.bandits import ALGORITHMS
from privcheck.enclosure import digits_down, digits_up
from privcheck.feedback import FEEDBACKS
from privcheck.reporting._text.fix_sentences import fix_of, number_in_command
from privcheck.reporting._text.numbers import amount_at_least, amount_at_most, clean, shorten
from privcheck.reporting._text.repeating import played_elsewhere
from privcheck.results import WatchAlarm, WatchedVersion, WatchReport

MARKS = {True: "✗", False: "✓"}
"""Of a watch with and without an alarm that stands."""

OWN_HASH = "[0-9a-f]{16}"
"""What stands for a version to which the user has given no name."""

MOST_NAMED = 16
"""Characters of a version's name that are shown."""

BEFORE = "?"
"""Of one without, in which alarms were raised before."""


def mark(report: WatchReport) -> str:
    """Return the mark of a watch."""
    return BEFORE if report.alarm is None and report.alarms else MARKS[report.alarm is not None]


def counted_nights(report: WatchReport) -> int:
    """Return the number of nights that have counts."""
    return sum(night.lost is None for night in report.nights)


def known(report: WatchReport) -> str:
    """Return what is known, in a few words: those of a badge.

    >>> from privcheck.results._example_results import WATCHED
    >>> known(WATCHED)
    'alarm on night 2 at claim epsilon = 1'
    """
    if report.alarm is not None:
        return f"alarm on night {report.alarm.night} at claim {report.claim}"
    nights, past = counted_nights(report), alarms_before(report)
    since = f" since night {past[-1].night}" if past else ""
    return f"{nights:,} night{'s' * (nights != 1)}, no alarm{since} at claim {report.claim}"


def sentence(report: WatchReport) -> str:
    """Return what was found in one sentence.

    >>> from privcheck.results._example_results import WATCHED
    >>> sentence(WATCHED).partition(" since ")[2]
    'night 1 (version 1) breaks epsilon = 1: evidence 2,000 on night 2, 1,000 needed'
    """
    name = clean(report.name)
    if report.alarm is not None:
        return f"alarm: {alarm_words(report, report.alarm, name)}"
    nights = counted_nights(report)
    if not nights:
        return f"nothing is known of {name} yet: no night was counted"
    counted, past = f"{nights:,} night{'s' * (nights != 1)} of {name} at claim {report.claim}", alarms_before(report)
    said = f"no alarm in {counted}"
    if past:
        raised = "one alarm was" if len(past) == 1 else f"{len(past):,} alarms were"
        said = f"no alarm stands after {counted}, but {raised} raised before, the last on night {past[-1].night:,}"
    return f"{said}: evidence {evidence(report.e_value)}, {needed(report)} needed"


def alarm_words(report: WatchReport, alarm: WatchAlarm, name: str) -> str:
    """Return what an alarm says."""
    first = report.versions[alarm.since - 1]
    return (
        f"a version of {name} since night {first.first_night} ({version_words(first)}) breaks {report.claim}: "
        f"evidence {evidence(alarm.e_value)} on night {alarm.night}, {needed(report)} needed"
    )


def evidence(value: float) -> str:
    """Return evidence, rounded down; all of its digits say nothing where it is large.

    >>> evidence(1.2345), evidence(999.96), evidence(6.7596e30), evidence(math.inf)
    ('1.234', '999.9', '6.7e30', 'over 1e304')
    """
    if math.isinf(value):
        return "over 1e304"
    return amount_at_least(value) if value < 1e6 else digits_down(value, 2).replace("e+0", "e").replace("e+", "e")


def needed(report: WatchReport) -> str:
    """Return the evidence at which an alarm is raised, rounded up.

    >>> from dataclasses import replace
    >>> from privcheck.results._example_results import WATCHED
    >>> needed(WATCHED), needed(replace(WATCHED, error=0.0003)), needed(replace(WATCHED, error=1e-9))
    ('1,000', '3,334', '1e9')
    """
    value = report.needed
    return amount_at_most(value) if value < 1e6 else digits_up(value, 2).replace("e+0", "e").replace("e+", "e")


def version_words(version: WatchedVersion) -> str:
    """Return the number of a version, and its name if the user has given one.

    >>> version_words(WatchedVersion(2, "2.4.1", 3, 1, 0.0)), version_words(WatchedVersion(2, "0f" * 8, 3, 1, 0.0))
    ('version 2, 2.4.1', 'version 2')
    """
    named = "" if re.fullmatch(OWN_HASH, version.code) else f", {shorten(clean(version.code), MOST_NAMED)}"
    return f"version {version.number}{named}"


def next_step(report: WatchReport) -> str:
    """Return what to run after an alarm: an audit of the code that is played now; empty without an alarm.

    >>> from dataclasses import replace
    >>> from privcheck.results._example_results import WATCHED
    >>> print(next_step(replace(WATCHED, target="bandit.py:Bandit")))
    next: privcheck audit bandit.py:Bandit --epsilon 1 --arms 2 --horizon 16, which shows both streams; patches: \
privcheck fix bandit.py:Bandit --epsilon 1 --arms 2
    """
    if report.alarm is None:
        return ""
    elsewhere = played_elsewhere(report.target)
    named = elsewhere or re.fullmatch(r"\S+:\w+", report.target) or report.target.partition("(")[0] in ALGORITHMS
    if not named or report.feedback in FEEDBACKS.contextual:
        return "next: audit the versions since then, with the options of the watch"
    amounts = {name: getattr(report, name) for name in ("epsilon", "delta", "rho", "mu")}
    budget = {name: number_in_command(amount) for name, amount in amounts.items() if amount is not None}
    options = {**budget, "arms": report.arms or None}
    options |= {"horizon": report.horizon, "neighbours": report.neighbours, "observe": report.observe}
    options |= {"feedback": report.feedback, "rewards": ",".join(map(number_in_command, report.rewards))}
    usual = {"delta": ("0",), "neighbours": ("row",), "observe": ("actions",), "feedback": ("bandit", "mechanism")}
    usual |= {"rewards": ("0,1",)}
    given = [f"--{name} {value}" for name, value in options.items() if value and value not in usual.get(name, ())]
    given += ["--guarded"] * report.guarded
    target = elsewhere or shlex.quote(clean(report.target))
    also = f", with the {' and '.join(f'--{name}' for name in report.given)} of the watch," if report.given else ","
    said = f"next: privcheck audit {target} {' '.join(given)}{also} which shows both streams"
    game = report.feedback, report.neighbours, report.rewards
    patch = ""
    if report.epsilon is not None and not (report.delta or report.guarded):
        patch = fix_of(report.target, report.epsilon, report.arms, *game)
    return f"{said}; patches: {patch}" if patch else said


EVENT_RUNS = "first, second: runs of the night on the first and on the second stream that were in the event"


def first_part(event: str) -> str:
    """Return the first part of an event, and how many others there are.

    >>> first_part("arm 1 in round 2 (3 % vs 1 %); or arm 0 in round 2 (2 % vs 0 %); or one of 2 rarer ones")
    'arm 1 in round 2 (3 % vs 1 %), or others'
    """
    first, others, _ = event.partition("; or ")
    return f"{first}, or others" if others else first


def alarms_before(report: WatchReport) -> list[WatchAlarm]:
    """Return the alarms before the versions that are played now."""
    return [alarm for alarm in report.alarms if alarm is not report.alarm]


PAST = 5
"""Past alarms of a watch that are listed one by one, the newest."""


def trusted(report: WatchReport) -> list[str]:
    """Return what stands beside what is known: what it rests on first."""
    return [*([] if report.seeded else [UNSEEDED]), *report.notes]


def past_alarms(report: WatchReport) -> list[str]:
    """Return what the alarms before the versions that are played now have said, the newest first."""
    past = alarms_before(report)
    told = [
        f"alarm on night {alarm.night}, when {version_words(report.versions[alarm.version - 1])} was played: "
        f"{alarm_words(report, alarm, clean(report.name))}; other versions have been played since"
        for alarm in reversed(past[-PAST:])
    ]
    return [*told, *([f"and {len(past) - PAST:,} earlier ones"] if len(past) > PAST else [])]


def meaning(report: WatchReport) -> list[str]:
    """Return what the evidence does and does not mean."""
    said = [
        f"While all versions of the code satisfy {report.claim}, an alarm is ever raised with probability at most "
        f"{report.error:g}, over all nights and versions together, provided that runs are independent of each other "
        "and of everything before them, and that no night of another copy of the store decides what is played here.",
        "No alarm is no proof of privacy: the watch looks at the pairs of streams that its searches found.",
        "An alarm is about some version since the one that it names, not about the one that is played now. It stands "
        "until other code is played; evidence against that begins with it.",
    ]
    return said if report.seeded else [*said, UNSEEDED]


UNSEEDED = (
    "The target has no seeds: that its runs are independent is taken on your word, and a night that was begun "
    "and not counted is lost."
)
