"""dpcrpy: sums under continual release."""

from __future__ import annotations

from typing import Any

from audits.wild.implementation import Project, Wild

PACKAGE = Project("dpcrpy", "1.0.0", "Apache-2.0", package="dpcrpy")

PAIR = ([1.0] * 7, [0.0] + [1.0] * 6)


def binary_tree() -> Any:
    """Release all prefixes by a binary tree."""
    from dpcrpy import BinMech, noiMech

    return lambda data: [float(mechanism.dpRelease(x)[0]) for mechanism in [tree(BinMech, noiMech)] for x in data]


def honaker() -> Any:
    """Release all prefixes by a binary tree whose nodes are estimated from those below."""
    from dpcrpy import Honaker, noiMech

    return lambda data: [float(mechanism.dpRelease(x)[0]) for mechanism in [tree(Honaker, noiMech)] for x in data]


def fourier() -> Any:
    """Release all prefixes by factors of a matrix, with Gaussian noise."""
    from dpcrpy import FDA, noiMech

    return lambda data: [
        float(mechanism.dpRelease(x)[0]) for mechanism in [FDA(3, noiMech.GaussNoiMech(1.0, 1e-5))] for x in data
    ]


def tree(kind: Any, noise: Any) -> Any:
    """Return a tree of three levels above its leaves, with Laplace noise for epsilon 1."""
    return kind(3, noise.LapNoiMech(1.0))


ITEM = "one item of the stream"
AUDITS = (
    Wild("dpcrpy-binary", "`BinMech`", PACKAGE, binary_tree, 1.0, ITEM, pair=PAIR),
    Wild("dpcrpy-honaker", "`Honaker`", PACKAGE, honaker, 1.0, ITEM, pair=PAIR),
    Wild("dpcrpy-fda", "`FDA`", PACKAGE, fourier, 1.0, ITEM, delta=1e-5, pair=PAIR),
)
