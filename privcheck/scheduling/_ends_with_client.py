"""What is loaded into the scheduler and the workers of "local:N", and into the processes of any worker: they end when
the process that started them does.
"""

from __future__ import annotations

import os
import threading
import time
from typing import Any

LOOKED = 1.0
"""Seconds between two looks at the parent."""


def dask_setup(_: Any) -> None:
    """Begin to look; Dask calls this when it starts a scheduler, or the nanny of a worker."""
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOKED)
    os._exit(1)
