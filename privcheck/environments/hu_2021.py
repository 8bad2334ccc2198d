"""The Bernoulli instances of Hu, Huang, Mehta and Hegde, Section 6."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from privcheck.environments._bernoulli import Bernoulli, published_means


@dataclass(frozen=True)
class Setting1(Bernoulli):
    """Setting 1 of Hu, Huang, Mehta and Hegde: means 0.75, 0.625, 0.5, 0.375, 0.25."""

    means: tuple[float, ...] = published_means(0.75, 0.625, 0.5, 0.375, 0.25)
    id: ClassVar[str] = "hhmh-setting1"


@dataclass(frozen=True)
class Setting2(Bernoulli):
    """Setting 2 of Hu, Huang, Mehta and Hegde: means 0.5, 0.4, 0.4, 0.4, 0.4."""

    means: tuple[float, ...] = published_means(0.5, 0.4, 0.4, 0.4, 0.4)
    id: ClassVar[str] = "hhmh-setting2"
