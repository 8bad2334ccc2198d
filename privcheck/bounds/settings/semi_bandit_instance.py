"""A combinatorial semi-bandit, described by the constants that its bounds depend on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from privcheck.bounds.settings.setting import Setting
from privcheck.declared import POSITIVE, Budget, Integer, OrNone, parameter
from privcheck.errors import PrivcheckError


@dataclass(frozen=True)
class SemiBanditInstance(Setting):
    """A combinatorial semi-bandit: super arms of at most K of m base arms, whose outcomes in [0, 1] are all seen.

    Parameters
    ----------
    arms : number m of base arms, at least 2.
    size : largest number K of base arms in a super arm, from 1 to m.
    epsilon : privacy budget, of local or of central epsilon-DP as the theorem says, from 0 to infinity.
    gap : Delta, difference between the best and every other super arm (or the smallest one), above 0.
    smooth_inf : B_inf, with `|r_mu(S) - r_nu(S)| <= B_inf max |mu - nu|`; None when not known.
    smooth_one : B_1, the same with the sum of `|mu - nu|`; None when not known.
    horizon : number of rounds T; None when only asymptotics are wanted.

    Raises
    ------
    PrivcheckError : a value outside its range, more base arms in a super arm than there are.

    Examples
    --------
    >>> SemiBanditInstance(arms=6, size=2, epsilon=1.0, gap=0.1, smooth_one=1.0).size
    2
    """

    setting: ClassVar[str] = "a combinatorial semi-bandit"

    arms: int = parameter(Integer(2), typical=(2, 100), doc="m, number of base arms")
    size: int = parameter(Integer(1), typical=(1, 10), doc="K, base arms in a super arm")
    epsilon: float = parameter(Budget(), typical=(0.01, 10.0), doc="epsilon, privacy budget")
    gap: float = parameter(POSITIVE, typical=(0.01, 0.3), doc="Delta, gap of the super arms")
    smooth_inf: float | None = parameter(OrNone(POSITIVE), typical=(0.5, 10.0), doc="B_inf", default=None)
    smooth_one: float | None = parameter(OrNone(POSITIVE), typical=(0.5, 10.0), doc="B_1", default=None)
    horizon: int | None = parameter(OrNone(Integer(1)), typical=(100, 10**7), doc="T, number of rounds", default=None)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size > self.arms:
            raise PrivcheckError("size", self.size, f"at most arms = {self.arms}", "a super arm is a set of base arms")
