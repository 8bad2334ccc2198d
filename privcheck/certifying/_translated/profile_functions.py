"""The profile function of a thread: set for a while, and put back without ending what others measure."""

from __future__ import annotations

import sys
from typing import Any


def set_profile(function: Any) -> None:
    """Set the profile function of this thread, or put back what `sys.getprofile` returned.

    A profiler written in C, such as `cProfile` before Python 3.12, is returned by `sys.getprofile` but is no function:
    only its own `enable` sets it again.

    From Python 3.12 on, in a thread with a trace function, no instruction of the functions that run is reported to
    `sys.monitoring` after that, until events are started again (seen in 3.12.1 and 3.13.0).
    """
    compiled = function is not None and not callable(function)
    sys.setprofile(None if compiled else function)
    if compiled and hasattr(function, "enable"):
        function.enable()
    if sys.version_info >= (3, 12):
        monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        if any(monitoring.get_tool(number) is not None for number in range(6)):
            monitoring.restart_events()
