"""The K base arms with the largest indices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privcheck.declared import Integer, parameter
from privcheck.errors import PrivcheckError
from privcheck.oracles._base import BASE_ARMS, MOST_BASE_ARMS, Oracle
from privcheck.oracles._compiled_oracles import TOP_K, OracleData


@dataclass(frozen=True)
class TopK(Oracle):
    """Exactly K of m base arms; the reward is the sum of their outcomes.

    Parameters
    ----------
    arms : m, the number of base arms, in [2, 62].
    size : K, at most m.

    Raises
    ------
    PrivcheckError : K above m.

    Examples
    --------
    >>> oracle = TopK(arms=4, size=2)
    >>> oracle([0.1, 0.9, 0.2, 0.9]), oracle.best([0.1, 0.9, 0.2, 0.8])
    ((1, 3), 1.7000000000000002)
    >>> oracle.check([1])
    Traceback (most recent call last):
    privcheck.errors.PrivcheckError: super arm: got {1}, expected 2 of 4 base arms; the oracle has to return one
    """

    arms: int = parameter(BASE_ARMS, typical=(2, 10), doc="m, the number of base arms")
    size: int = parameter(Integer(1, MOST_BASE_ARMS), typical=(1, 2), doc="K, how many are played")

    id: ClassVar[str] = "top-k"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size > self.arms:
            raise PrivcheckError("size", self.size, f"at most m = {self.arms}", "a super arm has at most all base arms")

    def data(self) -> OracleData:
        return OracleData(TOP_K, self.size, np.zeros((0, 2), np.int64), np.zeros(0, np.int64))

    def is_feasible(self, super_arm: tuple[int, ...]) -> bool:
        return len(super_arm) == self.size

    def feasible_here(self) -> str:
        return f"{self.size} of {self.arms} base arms"
