"""The true privacy loss of a shipped mechanism or algorithm on a pair of neighbouring inputs, and the worst pair."""

from __future__ import annotations

from typing import Any

from privcheck.accounting import LossLaw
from privcheck.arrays import Array
from privcheck.auditing._exact import adap_ucb_loss as adap_ucb
from privcheck.auditing._exact import rnm_ftnl_loss as rnm_ftnl
from privcheck.bandits import RNMFTNL, AdaPUCB, Algorithm
from privcheck.declared import Real, check
from privcheck.enclosure import Enclosure
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms import Mechanism
from privcheck.privacy import as_table

SOLVED = {AdaPUCB: adap_ucb, RNMFTNL: rnm_ftnl}
"""The algorithms whose exact law is known; mechanisms say theirs by `law_of_pair`."""


def exact_loss(target: Any, pair: Any) -> Enclosure | None:
    """Return the true loss of `target` between two inputs: the largest |ln(P(event) / Q(event))| over all events.

    Parameters
    ----------
    target : a mechanism, or the spec of a shipped algorithm, whose actions are observed.
    pair : (first, second), or an object with these attributes: two exact values of a mechanism (scores of a noisy
        maximum, streams of a tree); two reward tables of shape (T, K), which fix the horizon, of an algorithm.

    Returns
    -------
    An enclosure of the loss, from a closed form or quadrature. None if no closed form of the law is known: where a
    mechanism's `law_of_pair` returns None, for any other target, and for AdaP-UCB with more than two arms, beyond 64
    rounds, or with an epsilon or alpha so extreme that some actions have probability below 1e-280.

    Raises
    ------
    PrivcheckError : `pair` is not a pair, or its parts are not inputs of the target.

    Source: the law of each mechanism, cited there; Azize and Basu (2022), Algorithm 1; Hu, Huang, Mehta and Hegde,
    Algorithm 4.

    Examples
    --------
    >>> from privcheck.bandits import ALGORITHMS
    >>> from privcheck.mechanisms import Laplace, NoisyMax
    >>> exact_loss(Laplace.with_scale(2.0), (0.0, 1.0)).value
    0.5
    >>> round(exact_loss(NoisyMax.with_scale(1.0), ([0.0, 2.0], [1.0, 1.0])).value, 7)
    1.3068528
    >>> import numpy as np
    >>> table = np.ones((4, 2))
    >>> other = np.where(np.arange(4)[:, None] == 0, 0.0, table)
    >>> round(exact_loss(ALGORITHMS["adap-ucb"](arms=2, epsilon=1.0), (table, other)).value, 7)
    0.8532796

    """
    law = _law_of_pair(target, pair)
    return None if law is None else law.loss()


def exact_delta(target: Any, pair: Any, epsilon: float) -> Enclosure | None:
    """Return the true delta at epsilon >= 0: the largest P(event) - e^epsilon Q(event) over events, in either order.

    The parameters, errors and source are those of `exact_loss`.

    >>> from privcheck.mechanisms import RandomisedResponse
    >>> round(exact_delta(RandomisedResponse(categories=2, epsilon=1.0), (0, 1), 0.0).value, 7)
    0.4621172
    """
    budget = check("epsilon", epsilon, Real(0.0))
    law = _law_of_pair(target, pair)
    return None if law is None else law.delta(budget)


def worst_pair(algorithm: Algorithm, horizon: int) -> tuple[Array, Array] | None:
    """Return the two tables of shape (T, K) in [0, 1] that differ in one row and have the largest exact loss.

    None if they are not known: for other algorithms, for AdaP-UCB beyond 40 rounds, and for horizons at which no action
    depends on a reward. The proofs are in `adap_ucb.worst_tables` and `rnm_ftnl.worst_tables`.

    >>> from privcheck.bandits import ALGORITHMS
    >>> algorithm = ALGORITHMS["rnm-ftnl-published"](arms=3, epsilon=1.0)
    >>> [table.tolist() for table in worst_pair(algorithm, 2)]
    [[[0.0, 1.0, 1.0], [0.0, 0.0, 0.0]], [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]
    >>> round(exact_loss(algorithm, worst_pair(algorithm, 2)).value, 7)
    1.4245743
    """
    module = _solved(algorithm)
    found: tuple[Array, Array] | None = None if module is None else module.worst_tables(algorithm, horizon)
    return found


def _law_of_pair(target: Any, pair: Any) -> LossLaw | None:
    try:
        first, second = (pair.first, pair.second) if hasattr(pair, "first") else pair
    except (TypeError, ValueError):
        got = words(f"an object of type {type(pair).__name__}")
        raise PrivcheckError("pair", got, "a pair (first, second) of inputs") from None
    if isinstance(target, Algorithm):
        one, two = as_table(first, target.arms), as_table(second, target.arms)
        if one.shape != two.shape:
            raise PrivcheckError("pair", words(f"shapes {one.shape} and {two.shape}"), "two tables of the same shape")
        module = _solved(target)
        return None if module is None else module.action_laws(target, one, two)
    return target.law_of_pair(first, second) if isinstance(target, Mechanism) else None


def _solved(algorithm: Algorithm) -> Any:
    """Return the module that has the exact laws of an algorithm's actions; None if there is none."""
    return next((module for solved, module in SOLVED.items() if isinstance(algorithm, solved)), None)
