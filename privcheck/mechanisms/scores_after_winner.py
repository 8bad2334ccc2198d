"""The noisy scores behind a noisy maximum that was released before them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from privcheck.declared import Integer, parameter
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import active_recorder
from privcheck.mechanisms.laplace import Laplace
from privcheck.mechanisms.noisy_max import NoisyMax
from privcheck.mechanisms.prefix_stream import refused

_MOST = 10_000_000
"""Tries after which drawing is given up."""


@dataclass(frozen=True)
class ScoresAfterWinner(Laplace):
    r"""Release scores with the Laplace noise whose largest was released before: Laplace noise given the winner.

    Parameters
    ----------
    sensitivity, epsilon, given_scale : as for `Laplace`.
    winner : the index that `NoisyMax` with Laplace noise of this scale has released for these scores.

    Guarantee
    ---------
    Notion: pure differential privacy, of the winner and the scores together: s / b, as `Laplace`, however little the
    winner was charged.
    Neighbours: those for which s was computed.
    Released: all noisy scores, once.
    What one datum can change: the scores, by at most s in L1.
    That holds only after this winner was released. By themselves the scores would lose what the winner does on top, so
    while a recorder is active, such as a guard, `release` is refused: the guard makes these releases where code reads
    noisy scores after their argmax, of which it knows the winner.
    Noise: vectors of Laplace noise are drawn until the largest noisy score is the winner's. K draws are expected on
    average over winners, since one that has probability p needs 1 / p.
    Ties: nothing is compared but the winner, and ties have probability zero.
    Proof: winner and scores together have the law of the scores alone, of which the winner is a function.

    Source: the proof above.

    Examples
    --------
    >>> import numpy as np
    >>> scores = ScoresAfterWinner.with_scale(1.0, winner=1).release([3.0, 0.0], np.random.default_rng(0))
    >>> int(np.argmax(scores))
    1
    """

    samples_exactly: ClassVar[bool] = True

    winner: int = parameter(Integer(0), default=0, typical=(0, 1), doc="the index that was released", hint="from 0")

    def release(self, value: Any, rng: np.random.Generator | None, *, secure: bool = False) -> Any:
        """Return the noisy scores; refused while a recorder is active, which cannot know that the winner was released.

        Raises
        ------
        PrivcheckError : a recorder is active.
        """
        if active_recorder() is not None:
            got, expected = words("scores after a winner that may not have been released"), "scores with Laplace noise"
            hint = "release the scores with Laplace, which is charged for their winner too, and take the argmax of them"
            raise refused(PrivcheckError("mechanism", got, expected, hint))
        return super().release(value, rng, secure=secure)

    def draw(self, value: Any, rng: np.random.Generator | None, *, secure: bool = False) -> Any:
        """Return noisy scores of which that of the winner is the largest."""
        for _ in range(_MOST):
            found = super().draw(value, rng, secure=secure)
            if int(np.argmax(found)) == self.winner:
                return found
        got = words(f"a winner that {_MOST} draws did not have")
        raise PrivcheckError("winner", got, "the index that was released for these scores")

    def log_ratio(self, output: npt.ArrayLike, value: npt.ArrayLike, other: npt.ArrayLike) -> Any:
        """Return what the scores add to the log-ratio of their winner."""
        of_winner = NoisyMax.with_scale(self.scale).log_ratio(self.winner, value, other)
        return super().log_ratio(output, value, other) - of_winner
