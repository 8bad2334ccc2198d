"""Targets that leak as published or real code has leaked, each beside its correct version, all as black boxes."""

from __future__ import annotations

from . import contextual, continual, learners, selections, sparse_vectors, sums

TWINS = [
    *sums.TWINS, *selections.TWINS, *sparse_vectors.TWINS, *continual.TWINS, *learners.TWINS, *contextual.TWINS,
]  # fmt: skip
