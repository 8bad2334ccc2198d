"""Why nothing was released in guarded runs that leaked."""

from __future__ import annotations

import re
from collections.abc import Sequence

from privcheck.generators import NOISE
from privcheck.results import UnreachedLine

NOTHING = "nothing was released"

DRAW_NOISE = (
    f"{NOTHING}: draw noise from the Generator that the policy is built with, e.g. "
    "value + self.rng.laplace(0.0, scale), or release through privcheck.mechanisms; no other noise is counted"
)

_RELEASES = re.compile(rf"\.(release|{'|'.join(sorted(NOISE))})\(")
_HORIZON = re.compile(r"\(raise --horizon to (\d+)\)")


def why_nothing_released(unreached: Sequence[UnreachedLine], late: Sequence[str], rounds: int) -> str:
    """Return what to do about runs that leaked and released nothing.

    Parameters
    ----------
    unreached : the lines that matter for privacy and did not run.
    late : what the code decides beyond the rounds that ran, as `CodeCoverage.late` says it.
    rounds : how many ran.

    >>> line = UnreachedLine("bandit.py", 12, "self.sums += self.rng.normal(0, 2.0, 3)")
    >>> print(why_nothing_released([line], ["line 9 of bandit.py compares with 50 (raise --horizon to 51)"], 8))
    nothing was released: bandit.py:12, which draws noise or releases, never ran in the 8 rounds played; once the leak \
is fixed, --horizon 51 reaches it
    >>> why_nothing_released([], [], 8) == DRAW_NOISE
    True
    """
    waiting = next((line for line in unreached if _RELEASES.search(line.text)), None)
    if waiting is None:
        return DRAW_NOISE
    horizons = [int(found[1]) for sentence in late if (found := _HORIZON.search(sentence))]
    then = f"--horizon {max(horizons)} reaches it" if horizons else "a longer --horizon may reach it"
    played = "1 round" if rounds == 1 else f"{rounds} rounds"
    return (
        f"{NOTHING}: {waiting.file}:{waiting.line}, which draws noise or releases, never ran in the "
        f"{played} played; once the leak is fixed, {then}"
    )
