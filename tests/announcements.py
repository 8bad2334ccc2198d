"""What long work says of itself on standard error."""

from __future__ import annotations

import re

ANNOUNCED = re.compile(r"privcheck: .*(, which may take minutes| done in \d+ s(, about \d+ s left)?)")


def without_announcements(text: str) -> list[str]:
    """Return the lines on standard error but for those in which long work says, without a terminal, how far it is."""
    return [line for line in text.splitlines() if not ANNOUNCED.fullmatch(line)]
