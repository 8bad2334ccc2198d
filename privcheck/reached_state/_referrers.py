"""What refers to an object, also in a process that has frozen what it holds, as servers do before they fork."""

from __future__ import annotations

import gc
from collections.abc import Collection
from typing import Any


def referrers(objects: Collection[Any]) -> list[Any]:
    """Return what refers to one of some objects, their collection too, as far as the garbage collector knows of it.

    `gc.get_referrers` skips what `gc.freeze` has set aside, so that is taken back first. It is not set aside again:
    with it would go what nobody refers to by now, and that could never be collected. Since Python 3.13 the tuple in
    which it is given the objects is named, too.
    """
    if gc.get_freeze_count():
        gc.unfreeze()
    given = tuple(objects)
    return [holder for holder in gc.get_referrers(*given) if holder is not given]
