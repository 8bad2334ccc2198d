"""Refused releases in sentences: those that differ only in the round are one."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from privcheck.private_values import describe_data

_ROUND = re.compile(r"(?<= of )round (\d+)(?= to )")


def refusals_told(refusals: Sequence[str]) -> list[str]:
    """Return the sentences about refused releases, those that differ only in the round of the datum as one.

    >>> said = "budget: got a release at b.py:9 that takes the reward of round {} to 2, expected at most 1"
    >>> refusals_told([said.format(9), "other", said.format(8), said.format(3)])
    ['budget: got a release at b.py:9 that takes the reward of rounds 3 and 8-9 to 2, expected at most 1', 'other']
    """
    rounds = defaultdict[str, list[int]](list)
    for refusal in refusals:
        rounds[_ROUND.sub("\0", refusal, 1)] += [int(number) for number in _ROUND.findall(refusal)[:1]]
    return [said.replace("\0", describe_data(found), 1) if found else said for said, found in rounds.items()]
