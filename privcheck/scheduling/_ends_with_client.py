"""Processes that end when the one that they work for does, even if that was killed before they had begun."""

from __future__ import annotations

import os
import shutil
import threading
import time

from privcheck.scheduling._living_processes import WAITS

LOOKED = 1.0
"""Seconds between two looks at the parent."""


def end_with(parent: int, folder: str = "") -> None:
    """Begin to look whether the parent of this process is still the one that started it.

    Parameters
    ----------
    parent : its number, handed over by itself: who asks for it here may find the process that takes in orphans.
    folder : is removed when the parent has ended; "" for none.
    """
    threading.Thread(target=_watch, args=(parent, folder), daemon=True, name=f"{WAITS}its parent").start()


def _watch(parent: int, folder: str) -> None:
    while os.getppid() == parent:
        time.sleep(LOOKED)
    if folder:
        shutil.rmtree(folder, ignore_errors=True)
    os._exit(1)
