"""What transcript replay found."""

from __future__ import annotations

from dataclasses import dataclass

from privcheck.arrays import ComparedByValue, Table


@dataclass(frozen=True, eq=False)
class Divergence(ComparedByValue):
    """A leak found by replay: raw data affected the policy's behaviour.

    Parameters
    ----------
    round : the first round, from 1, in which the two runs play different actions or release differently.
    first, second : the two streams.
    actions_first, actions_second : the actions played up to that round.
    reason : what differed, in words.
    """

    round: int
    first: Table
    second: Table
    actions_first: tuple[int, ...]
    actions_second: tuple[int, ...]
    reason: str


@dataclass(frozen=True)
class ReplayResult:
    """Replays of recorded transcripts on neighbouring streams.

    Parameters
    ----------
    replays : number of replays.
    divergences : number of replays in which raw data steered the policy.
    largest_loss : largest absolute log-likelihood ratio of the releases in the other replays; exact for those
        transcripts. It is an observation, not a bound: Gaussian noise bounds the loss of no single transcript, so it
        may exceed the epsilon of an (epsilon, delta) budget that is kept.
    first_divergence : the first divergence; None if there is none.
    """

    replays: int
    divergences: int
    largest_loss: float
    first_divergence: Divergence | None
