"""The errors of privcheck: bad input, and a user's policy that misbehaves."""

from __future__ import annotations

from bounds.errors import PrivcheckError, words

__all__ = ["PolicyError", "PrivcheckError", "words"]


class PolicyError(PrivcheckError):
    """The audited policy raised, played an unknown arm, or is not reproducible from its Generator."""
