"""The tape of transcript replay: records every release, or returns the recorded releases on another stream."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privcheck.mechanisms.base import Mechanism, Recorder


class DivergenceError(Exception):
    """A replayed run released something other than the recorded run: another mechanism, or one release too many."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.actions: list[int] = []


@dataclass(frozen=True)
class RecordedRelease:
    """One release on the tape."""

    mechanism: Mechanism
    value: Any
    output: Any


@dataclass
class Tape(Recorder):
    """Records the releases of one run; the noise comes from its own Generator, so the policy's coins stay the same.

    >>> from privcheck.mechanisms import Laplace
    >>> from privcheck.mechanisms.base import recording
    >>> tape = Tape(np.random.default_rng(0))
    >>> with recording(tape):
    ...     output = Laplace(sensitivity=1.0, epsilon=1.0).release(0.5, None)
    >>> tape.releases[0].output == output
    True
    """

    noise: np.random.Generator
    releases: list[RecordedRelease] = field(default_factory=list)
    clock: Callable[[], int] = lambda: 0
    """The current round, if the tape is played in rounds."""

    def release(self, mechanism: Mechanism, value: Any, *, secure: bool) -> Any:  # noqa: ARG002
        """Draw a release, record it and return it."""
        output = mechanism.draw(value, self.noise)
        self.releases.append(RecordedRelease(mechanism, np.array(value, float), output))
        return _own(output)


@dataclass
class ForcedTape(Recorder):
    """Returns the recorded releases in order, and adds up how much more likely they were on the recorded stream.

    `log_ratio` is ln(density of the releases given the recorded values / given the values of this run): the exact
    privacy loss of that transcript, provided that the two runs play the same actions.
    """

    recorded: list[RecordedRelease]
    position: int = 0
    log_ratio: float = 0.0
    clock: Callable[[], int] = lambda: 0
    values: list[Any] = field(default_factory=list)
    """What was behind the releases of this run: the same object as in the recorded run where the numbers are equal."""
    played: list[int] = field(default_factory=list)
    """What a policy has played in this run."""

    @property
    def is_finished(self) -> bool:
        """Whether every recorded release was made again."""
        return self.position == len(self.recorded)

    def release(self, mechanism: Mechanism, value: Any, *, secure: bool) -> Any:  # noqa: ARG002
        """Return the recorded release and compare the two values behind it."""
        if self.position >= len(self.recorded):
            raise DivergenceError(f"release {self.position + 1} happens on one stream only")
        was = self.recorded[self.position]
        self.position += 1
        now = np.array(value, float)
        if mechanism != was.mechanism or now.shape != was.value.shape:
            raise DivergenceError(
                f"release {self.position} is made with another mechanism or shape on the other stream"
            )
        alike = now == was.value
        if alike if now.ndim == 0 else alike.all():  # of one number `all` takes longer than the rest
            self.values.append(was.value)
        else:
            self.values.append(now)
            self.log_ratio += float(mechanism.log_ratio(was.output, was.value, now))
        return _own(was.output)


def _own(output: Any) -> Any:
    """Return an output that its caller may change in place; the tape keeps the one that was released."""
    return output.copy() if isinstance(output, np.ndarray) else output
