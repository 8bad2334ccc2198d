"""Sensitivities of the statistics that the mechanisms release."""

from __future__ import annotations

from privcheck.declared import Integer, check
from privcheck.privacy._neighbours import Relation, refuse_adding, relation
from privcheck.privacy._stream_tables import check_rewards


def block_sum_sensitivity(neighbours: str | Relation, length: int, rewards: tuple[float, float] = (0.0, 1.0)) -> float:
    """Return the L1 sensitivity of the sum of one arm's rewards over a block of rounds.

    s = min(k, n) (hi - lo), with k = 1 for "row" and "reward" and n the rounds in the block.

    The sum takes at most one entry from each round. Replacing a row or a single reward therefore moves one summand,
    within [lo, hi]: by at most hi - lo, attained by lo -> hi. Under "group:k" at most min(k, n) summands move, attained
    when all of them go from lo to hi.

    Parameters
    ----------
    neighbours : "row", "reward" or "group:k", or a `Relation`.
    length : n >= 1, the number of rounds in the block.
    rewards : (lo, hi), lo < hi, in the unit of the rewards.

    Returns
    -------
    s, in the unit of the rewards.

    Guarantee
    ---------
    For pure differential privacy the block may depend on released values (adaptive parallel composition): for a fixed
    sequence of actions its rounds are fixed, so a datum enters one block only. A block that depends on raw rewards is
    not covered.

    Raises
    ------
    PrivcheckError : an unknown relation, n < 1, or not lo < hi.

    Source: Dwork, McSherry, Nissim and Smith (2006); Azize and Basu (2022), the privacy of their adaptive episodes.

    Examples
    --------
    >>> block_sum_sensitivity("row", 8), block_sum_sensitivity("group:3", 2, rewards=(-1.0, 1.0))
    (1.0, 4.0)

    """
    low, high = check_rewards(rewards)
    rounds: int = check("length", length, Integer(1))
    return min(_resolve(neighbours).limit, rounds) * (high - low)


def block_mean_sensitivity(neighbours: str | Relation, length: int, rewards: tuple[float, float] = (0.0, 1.0)) -> float:
    """Return the L1 sensitivity of the mean of one arm's rewards over a block of rounds.

    s = min(k, n) (hi - lo) / n: the sum's sensitivity divided by the length n, which neighbours share because they have
    the same rounds and, for a fixed sequence of actions, the same block.

    Parameters, guarantee and errors are those of `block_sum_sensitivity`.

    Source: Azize and Basu (2022), Algorithm 1: Laplace noise of scale 1 / (n epsilon) on a block mean.

    Examples
    --------
    >>> block_mean_sensitivity("row", 8), block_mean_sensitivity("group:3", 2)
    (0.125, 1.0)

    """
    rounds: int = check("length", length, Integer(1))
    return block_sum_sensitivity(neighbours, rounds, rewards) / rounds


def score_range(
    neighbours: str | Relation,
    rewards: tuple[float, float] = (0.0, 1.0),
    *,
    arms: int | None = None,
    length: int | None = None,
) -> float:
    """Return the range of score differences of the K sums of rewards per arm: what a noisy maximum is sensitive to.

    r = largest value over neighbours of max_j d_j - min_j d_j, where d_j is the change of arm j's sum over the same
    rounds (full information). "reward": hi - lo. "row": 2 (hi - lo). "group:k": 2 min(k, n) (hi - lo). One arm: 0.

    One row moves each d_j by at most hi - lo in either direction, independently of the other arms: d_i = hi - lo
    (lo -> hi) and d_j = lo - hi (hi -> lo) together give the range 2 (hi - lo). Monotone changes (all up or all down)
    would give hi - lo only; noise calibrated to that costs 2 epsilon when a row is replaced. A single reward changes
    one d_j and leaves the others at 0.
    Under "group:k" every changed row among the n rounds adds its own d, and attains the bound with the same i and j.
    With one arm max and min are the same.

    Parameters
    ----------
    neighbours : "row", "reward" or "group:k", or a `Relation`.
    rewards : (lo, hi), lo < hi, in the unit of the rewards.
    arms : K >= 1; None for any K >= 2.
    length : n >= 1, the number of rounds summed; None for any number.

    Returns
    -------
    r, in the unit of the rewards.

    Raises
    ------
    PrivcheckError : an unknown relation, K < 1, n < 1, or not lo < hi.

    Source: Dwork and Roth (2014), Claim 3.9, for monotone changes; the argument above for replacement.

    Examples
    --------
    >>> score_range("row"), score_range("reward"), score_range("group:3"), score_range("row", arms=1)
    (2.0, 1.0, 6.0, 0.0)

    """
    low, high = check_rewards(rewards)
    related = _resolve(neighbours)
    count = related.limit if length is None else min(related.limit, check("length", length, Integer(1)))
    if arms is not None and check("arms", arms, Integer(1)) == 1:
        return 0.0
    return (2.0 if related.unit == "row" else 1.0) * count * (high - low)


def _resolve(neighbours: str | Relation) -> Relation:
    related = neighbours if isinstance(neighbours, Relation) else relation(neighbours)
    refuse_adding(related, "a block of a stream", "adding a row moves a sum by the largest absolute value of one")
    return related
