"""Leaks that only some streams, or only some functions of the outputs, show: what a search has to look for."""

from __future__ import annotations

from . import alternating, confined, contexts, interior, linear, trees

TWINS = [*trees.TWINS, *linear.TWINS, *interior.TWINS, *alternating.TWINS, *contexts.TWINS, *confined.TWINS]
