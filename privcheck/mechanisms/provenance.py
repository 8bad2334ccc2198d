"""Whose code a mechanism is: shipped and unchanged, or the user's, which is tested before it is trusted."""

from __future__ import annotations

import inspect
import math
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from operator import is_
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from privcheck.accounting import Charge, Concentrated, GaussianDP, Pure, delta_at
from privcheck.arrays import Array
from privcheck.declared import declared_fields
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms.base import Mechanism, Recorder, recording
from privcheck.mechanisms.derived_charge import fault_of_derived

SHIPPED, TESTED, UNTESTED = "shipped", "tested", "untested"
DRAWS = 1000
"""Draws from each of two neighbours on which a user's class is tested; together they take about a tenth of a second."""

FALSE_ALARM = 1e-6
"""Largest probability with which a class that has the law it states is refused."""

EPSILONS = (0.0, 0.5, 1.5)
"""Where the deltas of a user's class are compared with those that its charge implies."""


@dataclass(frozen=True)
class MechanismCode:
    """The code of a mechanism, as a certificate names it.

    Parameters
    ----------
    name : the name of its class.
    module, file : where the class is defined; the file without its folder.
    standing : "shipped" with privcheck; "tested": the user's, and draws at its first use agreed with its charge;
        "untested": the user's, and without the law that a test needs.
    drawn_with : "numpy" if the code draws the noise from its Generator: this class has its law, and draws it under the
        guard. "" if the code releases by the class itself.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from privcheck.mechanisms import Laplace
    >>> print(code_of(Laplace), "or", replace(code_of(Laplace), drawn_with="numpy"))
    Laplace (laplace.py) or Laplace (drawn with numpy)

    """

    name: str
    module: str
    file: str
    standing: str = SHIPPED
    drawn_with: str = ""

    def __str__(self) -> str:
        return f"{self.name} ({f'drawn with {self.drawn_with}' if self.drawn_with else self.file})"


@lru_cache(maxsize=256)
def code_of(cls: type[Mechanism], standing: str = SHIPPED) -> MechanismCode:
    """Return the code of a class of mechanisms."""
    try:
        file = Path(inspect.getfile(cls)).name
    except (OSError, TypeError):
        file = "no file"
    return MechanismCode(cls.__qualname__.rpartition("<locals>.")[2], cls.__module__, file, standing)


def examined(
    mechanism: Mechanism, shape: tuple[int, ...], sensitivity: float, every: Iterable[float] = ()
) -> MechanismCode:
    """Return the code of a mechanism that is about to release something, or refuse it.

    A shipped class must be as it was imported, and an object of it as it was built. Any other class is tested at its
    first use: draws for two values at most `sensitivity` apart have to agree with its `log_ratio` and its `charge`, in
    each currency that the charge bounds. One that derives from a shipped class and draws as that does is charged no
    less than that, at each use.

    Parameters
    ----------
    mechanism : what releases.
    shape : the shape of the value that it releases.
    sensitivity : how far the value may move, in the mechanism's norm.
    every : how far each datum may move it.

    Guarantee
    ---------
    The test does not prove anything; a certificate names the class. A class whose draws have the law that `log_ratio`
    states, and whose `charge` bounds it, is refused with a probability of at most 1e-6.

    Raises
    ------
    PrivcheckError : a shipped mechanism that was changed, or a class that fails the test.

    """
    cls: Any = type(mechanism)  # mypy takes classes for unhashable because their objects may be
    for base in cls.__mro__:
        if base in _ORIGINAL and not _holds_the_same(base) and _changed(base):
            raise _refusal(f"{base.__name__}, of which `{_changed(base)}` was replaced", "derive a class of your own")
    if cls in _ORIGINAL:
        _check_parameters(mechanism)
        return code_of(cls)
    _check_attributes(mechanism)
    base = next(each for each in cls.__mro__ if each in _ORIGINAL)
    if "id" in vars(base) and (fault := fault_of_derived(mechanism, base, {sensitivity, *every} - {0.0})):
        raise _refusal(f"{code_of(cls)}, {fault}", "its charge must be that of the noise that it draws")
    if cls not in _TESTED:
        _TESTED[cls] = _tested(mechanism, shape, sensitivity)
    fault = _TESTED[cls]
    if fault not in (TESTED, UNTESTED):
        raise _refusal(f"{code_of(cls)}, {fault}", "its charge, log_ratio and draw must describe one law")
    return code_of(cls, fault)


def remember() -> None:
    """Take the classes that are defined now as shipped; `privcheck.mechanisms` does so once it has imported them."""
    classes = [Mechanism]
    for cls in classes:
        classes += cls.__subclasses__()
        for base in cls.__mro__[:-1]:
            if base.__module__.startswith("privcheck."):
                _ORIGINAL[base] = dict(vars(base))


_ORIGINAL: dict[type, dict[str, Any]] = {}
_TESTED: WeakKeyDictionary[type[Mechanism], str] = WeakKeyDictionary()
_CALLED = ("__init__", "__post_init__", "__new__", "__getattribute__", "__getattr__", "__eq__")


def _holds_the_same(cls: type) -> bool:
    """Tell whether a class holds the objects that it held at first, in the same order."""
    now, before = vars(cls), _ORIGINAL[cls]
    return len(now) == len(before) and all(map(is_, now.values(), before.values()))


def _changed(cls: type) -> str:
    """Return the name of an attribute of a class that is not what it was; those that only Python sets do not count."""
    now, before, absent = vars(cls), _ORIGINAL[cls], object()
    names = [name for name in {**before, **now} if not name.startswith("__") or name in _CALLED]
    return next((name for name in names if now.get(name, absent) is not before.get(name, absent)), "")


def _check_parameters(mechanism: Mechanism) -> None:
    """Refuse an object of a shipped class whose parameters are not those of one that can be built."""
    cls: Any = type(mechanism)
    values = vars(mechanism)
    try:
        fits = values == vars(_rebuilt(cls, tuple(values.items())))
    except (PrivcheckError, TypeError):
        fits = False
    if not fits:
        raise _refusal(f"a {cls.__name__} that was changed after it was built", "build another one")


def _check_attributes(mechanism: Mechanism) -> None:
    """Refuse an object of a class of others that itself holds what its class states: the class alone is tested."""
    cls: Any = type(mechanism)
    for name in vars(mechanism).keys() - {declared.name for declared in declared_fields(cls)}:
        if hasattr(cls, name):
            raise _refusal(f"a {cls.__name__} with its own `{name}`", "derive a class of your own")


@lru_cache(maxsize=4096)
def _rebuilt(cls: type[Mechanism], values: tuple[tuple[str, Any], ...]) -> Mechanism:
    parameters = {declared.name for declared in declared_fields(cls)}
    return cls(**{name: value for name, value in values if name in parameters})


def _refusal(got: str, hint: str) -> PrivcheckError:
    return PrivcheckError("mechanism", words(got), "a mechanism as it was shipped, or one that passes a test", hint)


class _Direct(Recorder):
    """Draws for mechanisms that a user's mechanism is made of."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng

    def release(self, mechanism: Mechanism, value: Any, *, secure: bool) -> Any:  # noqa: ARG002
        return mechanism.draw(value, self.rng)


def _tested(mechanism: Mechanism, shape: tuple[int, ...], sensitivity: float) -> str:
    """Return TESTED, UNTESTED if the law is not known, or what is wrong, in words.

    With L = log_ratio(output, v, w) and A = {L >= 0}, P_w(A) = E_v[e^-L; A], and both sides are means of numbers in
    [0, 1]; likewise for the complement with v and w exchanged. By Hoeffding's inequality each of the two differences of
    means exceeds sqrt(ln(8 / p) / n) with a probability of at most p / 4.

    No loss may exceed the epsilon of the charge, unless it sets a delta aside. And for the epsilons above, delta is
    E_v[(1 - e^(epsilon - L))+], again a mean of numbers in [0, 1]. Each of these means, for either order of v and w,
    is above what the charge allows by more than sqrt(ln(12 / p) / (2 n)) with a probability of at most p / 12.
    """
    rng = np.random.default_rng(0)
    with recording(_Direct(rng)), np.errstate(all="ignore"):
        try:
            pairs = _neighbours(mechanism, shape, sensitivity)
            level = FALSE_ALARM / len(pairs)
            faults = [_compared(mechanism, *pair, rng, level) for pair in pairs]
        except Exception:
            return UNTESTED
    return next(filter(None, faults), TESTED)


def _compared(mechanism: Mechanism, one: Any, two: Any, distance: float, rng: Any, level: float) -> str:
    """Return what is wrong with the draws for two neighbours, in words; each is found by chance with that level."""
    charge = mechanism.charge(distance)
    allowed = [_delta(charge, epsilon) for epsilon in EPSILONS]
    at_one, at_two = (_losses(mechanism, value, one, two, rng) for value in (one, two))
    limit = charge.epsilon * (1.0 + 1e-6) + 1e-9 if charge.delta == 0.0 else math.inf
    if not max(np.abs(at_one).max(), np.abs(at_two).max()) <= limit:
        return "whose log_ratio exceeds its charge"
    ahead = np.where(at_one >= 0.0, np.exp(-at_one), 0.0).mean() - (at_two >= 0.0).mean()
    behind = np.where(at_two < 0.0, np.exp(at_two), 0.0).mean() - (at_one < 0.0).mean()
    if max(abs(ahead), abs(behind)) > math.sqrt(math.log(8.0 / level) / DRAWS):
        return "whose draws do not have the law of its log_ratio"
    slack = math.sqrt(math.log(4.0 * len(EPSILONS) / level) / (2.0 * DRAWS))
    for losses, (epsilon, most) in product((at_one, -at_two), zip(EPSILONS, allowed, strict=True)):
        if np.where(losses > epsilon, -np.expm1(epsilon - losses), 0.0).mean() > most + slack:
            return "whose log_ratio exceeds its charge"
    return ""


def _delta(charge: Charge, epsilon: float) -> float:
    """Return the smallest delta that a charge implies at an epsilon, by the best of its currencies.

    From rho it follows by conversion, or by Pinsker's inequality, because rho bounds the Kullback-Leibler divergence.
    """
    bounds = ((Pure, charge.epsilon), (Concentrated, charge.rho), (GaussianDP, charge.mu))
    found = [float(delta_at(kind(x), epsilon)) for kind, x in bounds if x < math.inf]
    return min(1.0, math.sqrt(charge.rho / 2.0), *found) + charge.delta


FAR = 1000.0
"""How far an entry moves, as a multiple of the scale of the noise, if any movement counts the same."""


def _neighbours(mechanism: Mechanism, shape: tuple[int, ...], sensitivity: float) -> list[tuple[Any, Any, float]]:
    """Return pairs of values, as far apart as costs at most about 1, and their distance.

    The values of the first differ in one entry. In norms in which that is not the worst, there is another pair: with
    all entries moved alike in L2 norms of arrays, with an entry that is moved far where changed entries are counted.
    """
    lowest, highest = mechanism.integers or (-math.inf, math.inf)
    if mechanism.sensitivity_norm == "range of score differences" and math.prod(shape) < 2:
        raise PrivcheckError("value", words("one score"), "several scores")
    largest = getattr(mechanism, "sensitivity", None) or sensitivity or 1.0
    charge = mechanism.charge(largest)
    costs = (charge.epsilon, charge.mu, math.sqrt(2.0 * charge.rho))
    distance = float(largest) / max(1.0, next(cost for cost in costs if cost < math.inf))
    if mechanism.integers is not None:
        distance = float(max(1, math.floor(distance)))
    one = np.full(
        shape, max(0.0, lowest) if highest > 0.0 else lowest, float if mechanism.integers is None else np.int64
    )
    two = one.copy()
    two[(0,) * len(shape)] += distance
    pairs = [(one, two, distance)]
    if mechanism.sensitivity_norm in ("L2", "Frobenius") and one.size > 1 and mechanism.integers is None:
        pairs.append((one, one + distance / math.sqrt(one.size), distance))
    if mechanism.sensitivity_norm == "number of changed entries":
        far = one.copy()
        far[(0,) * len(shape)] = min(highest, FAR) if mechanism.integers else FAR * _scale(mechanism)
        pairs.append((one, far, 1.0))
    return pairs if shape else [(one.item(), two.item(), distance) for one, two, distance in pairs]


def _scale(mechanism: Mechanism) -> float:
    """Return the scale of the noise; 1 if the mechanism has none."""
    try:
        return float(mechanism.scale)
    except (NotImplementedError, AttributeError, PrivcheckError):
        return 1.0


def _losses(mechanism: Mechanism, value: Any, one: Any, two: Any, rng: np.random.Generator) -> Array:
    """Return the log-ratios of draws: all at once, or where `log_ratio` takes only one, those of different draws."""
    outputs = [mechanism.draw(value, rng) for _ in range(DRAWS)]
    with suppress(Exception):
        found = np.asarray(mechanism.log_ratio(np.asarray(outputs), one, two), np.float64)
        if found.shape == (DRAWS,):
            return found
    keys = [np.asarray(output).tobytes() for output in outputs]
    different = dict(zip(keys, outputs, strict=True))
    known = {key: float(mechanism.log_ratio(output, one, two)) for key, output in different.items()}
    return np.array([known[key] for key in keys])
