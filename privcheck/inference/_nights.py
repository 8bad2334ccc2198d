r"""Evidence against a claim that accumulates over nights and over versions of the code.

Each night a number of pairs of runs is played, one of each pair on each of two neighbouring inputs, and bet on
(`_betting.py`). The inputs, the events and the stakes of a night are fixed before its pairs are played. So the factor
by which a night multiplies the wealth of a bet has an expectation of at most 1, given all earlier nights, if the code
that is played that night satisfies the claim.

For each version k = 1, 2, ... of the code, W_k is the wealth of bets that begin with the first night of version k and
are never started again. If all versions from k on satisfy the claim, W_k is a test supermartingale, and by Ville's
inequality W_k ever reaches k^2 (pi^2 / 6) / error with probability at most error (6 / pi^2) / k^2. These add up to
`error` over all k. So the alarm "a version since k breaks the claim", raised when W_k gets there, is ever false with
probability at most `error`, however many versions and nights there are, and however the versions were chosen by what
was seen before.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import logsumexp

from privcheck.arrays import Array, Codes, Integers
from privcheck.declared import check
from privcheck.inference._betting import DIRECTIONS, SHARES, WEIGHTS, add_block, add_pairs
from privcheck.inference._counts import DELTA, EPSILON, LEVEL
from privcheck.kernels import compiled


class Night(NamedTuple):
    """What was counted in one night.

    Parameters
    ----------
    version : the number of the version of the code that was played, from 1.
    blocks : counts of S on the first, S' on the first, S' on the second and S on the second input, in each block of
        pairs, shape (blocks, events, 4); bets change between blocks.
    lengths : pairs in each block, shape (blocks,).
    past : counts of the night's events in runs that were known before it, shape (events, 4).
    known : the number of these pairs.
    lost : whether the night was begun and its pairs have no outcome: the evidence up to it is then given up, since
        whether they have one may depend on what it would be.
    """

    version: int
    blocks: Integers
    lengths: Integers
    past: Integers
    known: int
    lost: bool = False

    @property
    def pairs(self) -> int:
        """Pairs that were counted."""
        return int(self.lengths.sum())


class Alarm(NamedTuple):
    """An alarm: a version since the one named breaks the claim.

    Parameters
    ----------
    night : the night after which it was raised, from 1.
    since : the number of the version with which the evidence begins.
    version : the version that was played that night.
    e_value : the wealth of the bets since then, times 6 / (pi^2 since^2).
    """

    night: int
    since: int
    version: int
    e_value: float


def counted_night(
    version: int, counted: tuple[Codes, Codes], known: tuple[Codes, Codes], *, lost: bool = False
) -> Night:
    """Return a night.

    Parameters
    ----------
    version : that of the code.
    counted : codes 1 (S), -1 (S') or 0 of the runs on the first and on the second input, shape (pairs, events).
    known : codes of runs that were known before, in the same events.
    lost : as for `Night`.

    Examples
    --------
    >>> ones, none = np.ones((3, 1), np.int8), np.zeros((3, 1), np.int8)
    >>> night = counted_night(1, (ones, none), (ones[:1], none[:1]))
    >>> night.pairs, night.past.tolist(), night.blocks.sum(axis=0).tolist()
    (3, [[1, 0, 0, 0]], [[3, 0, 0, 0]])
    """
    one, two = known
    past = np.stack([(one == 1).sum(0), (one == -1).sum(0), (two == -1).sum(0), (two == 1).sum(0)], axis=1)
    pairs, events = counted[0].shape
    blocks, lengths = np.zeros((pairs, events, 4), np.int64), np.zeros(pairs, np.int64)
    first, second = (np.ascontiguousarray(codes, np.int8) for codes in counted)
    filled, _ = add_pairs(first, second, blocks, lengths, 0, len(one))
    return Night(version, blocks[:filled], lengths[:filled], past.astype(np.int64), len(one), lost)


def wealth_over_nights(nights: Sequence[Night], epsilon: float, delta: float = 0.0) -> Array:
    """Return the logarithm of W_k after every night, shape (versions, nights); 0 before version k has been played.

    Parameters
    ----------
    nights : in their order; version numbers begin with 1 and grow by at most 1 from night to night. All have equally
        many events.
    epsilon, delta : the claim.
    """
    check("epsilon", epsilon, EPSILON)
    check("delta", delta, DELTA)
    if not nights:
        return np.zeros((0, 0))
    blocks, lengths = (np.concatenate(parts) for parts in zip(*((n.blocks, n.lengths) for n in nights), strict=True))
    ends = np.cumsum([len(night.lengths) for night in nights])
    pasts, known = np.stack([night.past for night in nights]), np.array([night.known for night in nights])
    gained = _gained(blocks, lengths, ends, pasts, known, math.exp(epsilon), delta)
    stakes = np.log(WEIGHTS)[None, :] + np.log(DIRECTIONS)[:, None] - math.log(blocks.shape[1])
    lost = np.array([night.lost for night in nights])
    found = np.zeros((nights[-1].version, len(nights)))
    for version in range(1, len(found) + 1):  # what a bet gains in a night does not depend on when it began
        first = next(number for number, night in enumerate(nights) if night.version == version)
        before = gained[first - 1] if first else 0.0
        found[version - 1, first:] = logsumexp(stakes + gained[first:] - before, axis=(1, 2, 3))
        found[version - 1, first:][np.logical_or.accumulate(lost[first:])] = -math.inf
    return found


def mean_wealth(logarithms: Sequence[Array]) -> Array:
    """Return the logarithm of the mean of several wealths; the mean of test supermartingales is one.

    Parameters
    ----------
    logarithms : from `wealth_over_nights` for what one claim implies, each at an epsilon and a delta fixed beforehand.

    >>> np.exp(mean_wealth([np.log([1.0]), np.log([3.0])])).round(6).tolist(), mean_wealth([np.array([0.5])]).tolist()
    ([2.0], [0.5])
    """
    if len(logarithms) == 1:
        return logarithms[0]
    return np.asarray(logsumexp(logarithms, axis=0) - math.log(len(logarithms)))


def penalty(version: int) -> float:
    """Return the logarithm of k^2 pi^2 / 6, by which the wealth since version k has to be larger than 1 / error.

    >>> abs(sum(math.exp(-penalty(k)) for k in range(1, 100_000)) - 1.0) < 1e-5
    True
    """
    return math.log(version * version * math.pi**2 / 6.0)


def alarms_over_nights(nights: Sequence[Night], wealth: Array, error: float) -> tuple[list[Alarm], list[float]]:
    """Return the alarms, and after each night the logarithm of the largest wealth that may raise one, penalty off.

    While an alarm stands, it is that of the evidence that raised it.

    An alarm ends the evidence of all versions up to the one that was played, since it has said what there was to say:
    the next alarm needs evidence that begins with a later version.

    Parameters
    ----------
    nights, wealth : as for and from `wealth_over_nights`.
    error : the probability with which a claim that all versions satisfy is ever said to be broken, at most.
    """
    threshold = -math.log(check("error", error, LEVEL))
    penalties = np.array([penalty(version) for version in range(1, len(wealth) + 1)])
    alarms: list[Alarm] = []
    course: list[float] = []
    for number, night in enumerate(nights):
        ended = alarms[-1].version if alarms else 0
        since = wealth[ended : night.version, number] - penalties[ended : night.version]
        if not since.size:  # the alarm stands
            course.append(float(wealth[alarms[-1].since - 1, number] - penalties[alarms[-1].since - 1]))
            continue
        best = len(since) - 1 - int(since[::-1].argmax())  # of equal ones the latest version
        course.append(float(since[best]))
        if since[best] >= threshold:
            value = math.exp(min(700.0, since[best]))
            alarms.append(Alarm(number + 1, ended + best + 1, night.version, value))
    return alarms, course


@compiled
def _gained(
    blocks: Integers, lengths: Integers, ends: Integers, pasts: Integers, known: Integers, r: float, delta: float
) -> Array:
    """Return the logarithm of what each bet has gained after each night, shape (nights, events, directions, shares).

    Parameters
    ----------
    blocks, lengths : of all nights.
    ends : for each night, the number of blocks up to its end.
    pasts, known : of each night.
    r, delta : e^epsilon and delta.
    """
    events = blocks.shape[1]
    gained = np.zeros((events, DIRECTIONS.shape[0], SHARES.shape[0]))
    found = np.empty((len(ends), events, DIRECTIONS.shape[0], SHARES.shape[0]))
    begin = 0
    for n in range(len(ends)):
        past, pairs = pasts[n].copy(), known[n]
        for t in range(begin, ends[n]):
            for e in range(events):
                add_block(gained[e], past[e], blocks[t, e], pairs, lengths[t], r, delta)
            past += blocks[t]
            pairs += lengths[t]
        begin = ends[n]
        found[n] = gained
    return found
