"""The Bernoulli instances of Azize and Basu 2022, Section 6 and Appendix G."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from privcheck.environments._bernoulli import Bernoulli, published_means


@dataclass(frozen=True)
class C1(Bernoulli):
    """C1 of Azize and Basu 2022: means 0.75, 0.70, 0.70, 0.70, 0.70."""

    means: tuple[float, ...] = published_means(0.75, 0.70, 0.70, 0.70, 0.70)
    id: ClassVar[str] = "c1"


@dataclass(frozen=True)
class C2(Bernoulli):
    """C2 of Azize and Basu 2022: means 0.75, 0.625, 0.5, 0.375, 0.25."""

    means: tuple[float, ...] = published_means(0.75, 0.625, 0.5, 0.375, 0.25)
    id: ClassVar[str] = "c2"


@dataclass(frozen=True)
class C3(Bernoulli):
    """C3 of Azize and Basu 2022: means 0.75, 0.53125, 0.375, 0.28125, 0.25."""

    means: tuple[float, ...] = published_means(0.75, 0.53125, 0.375, 0.28125, 0.25)
    id: ClassVar[str] = "c3"


@dataclass(frozen=True)
class C4(Bernoulli):
    """C4 of Azize and Basu 2022: means 0.75, 0.71875, 0.625, 0.46875, 0.25."""

    means: tuple[float, ...] = published_means(0.75, 0.71875, 0.625, 0.46875, 0.25)
    id: ClassVar[str] = "c4"


@dataclass(frozen=True)
class Figure3(Bernoulli):
    """Figure 3 of Azize and Basu 2022: means 0.8, 0.1, 0.1, 0.1, 0.1."""

    means: tuple[float, ...] = published_means(0.8, 0.1, 0.1, 0.1, 0.1)
    id: ClassVar[str] = "ab22-figure3"
