"""What the adapters share: a factory that seeds the objects of a library from the Generator of the audit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.targets import describe_exception

SEEDS = 2**30
"""Seeds are below: as many as coba's generator has states, and numpy and scikit-learn take all of them."""

OTHERWISE = "or wrap it in a class with select() and update(), and give that to privcheck without an adapter"
"""What to do about an object of another library."""

Randomise = Callable[[float, np.random.Generator], Any]


@dataclass(frozen=True)
class Adapter:
    """A factory of policies, as `privcheck.audit` takes it.

    Parameters
    ----------
    name : its name in reports.
    labels : the library's names of the arms; arm i of the audit is the i-th.
    build : returns the library's object for an integer seed.
    adapt : returns the policy for that object, the labels and a Generator.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> def adapt(seed, labels, rng):
    ...     return SimpleNamespace(seed=seed, labels=labels)
    >>> adapter = Adapter("a name", ["left", "right"], lambda seed: seed, adapt)
    >>> adapter.arms, adapter(np.random.default_rng(0))
    (2, namespace(seed=913350807, labels=['left', 'right']))
    """

    name: str
    labels: list[Any]
    build: Callable[[int], Any]
    adapt: Callable[[Any, list[Any], np.random.Generator], Any]

    @property
    def arms(self) -> int:
        """K, the number of arms."""
        return len(self.labels)

    @property
    def __name__(self) -> str:
        """Its name in reports."""
        return self.name

    def __call__(self, rng: np.random.Generator, arms: int | None = None) -> Any:
        """Return a new policy whose randomness comes from `rng`: the seed of the library, and what is drawn here."""
        if arms not in (None, self.arms):
            raise PolicyError("arms", arms, f"{self.arms}, the number of arms of {self.name}", "leave arms out")
        return self.adapt(self.build(int(rng.integers(SEEDS))), self.labels, rng)


def probe(build: Any, methods: tuple[str, ...], what: str, example: str, declared_seed: Callable[[Any], Any]) -> Any:
    """Return what a function builds from a seed, or refuse it.

    It is called with two seeds: the objects have to be two, and where they say which seed they have, two seeds.

    Parameters
    ----------
    build : the user's function.
    methods : that an object needs.
    what : what to call an object, with its article.
    example : a call that would have been right.
    declared_seed : returns the seed that an object says it has, None when it does not say.

    Raises
    ------
    PrivcheckError : something else than a function, a function that raises, objects without the methods, the same
        object twice, or a fixed seed.
    """
    expected = f"a function of a seed that returns {what}"
    if not callable(build):
        got = words(f"an object of type {type(build).__name__}")
        raise PrivcheckError("build", got, expected, f"every run needs a new one: write {example}")
    first, second = (_built(build, seed, expected, example) for seed in (1, 2))
    if isinstance(first, type):
        got = words(f"one that returns the class {first.__name__} itself")
        raise PrivcheckError("build", got, expected, f"write {example}")
    missing = [name for name in methods if not callable(part(first, name, expected))]
    if missing:
        got = words(f"an object of type {type(first).__name__}, which has no method {missing[0]}()")
        raise PrivcheckError("build", got, expected, f"write {example}; {OTHERWISE}")
    if first is second:
        got = words(f"the same {type(first).__name__} for two seeds")
        raise PrivcheckError("build", got, f"a new {type(first).__name__} from every call", f"write {example}")
    seeds = declared_seed(first), declared_seed(second)
    if seeds[0] is not None and np.array_equal(*seeds):
        got = words(f"a {type(first).__name__} with the seed {seeds[0]}, whatever seed the function is given")
        hint = f"noise that is the same in every run protects nothing: write {example}"
        raise PrivcheckError("build", got, f"{what} with the seed that the function is given", hint)
    return first


def part(found: Any, name: str, expected: str, default: Any = None) -> Any:
    """Return an attribute of what a function built, or the default without it; one that raises is refused."""
    try:
        return getattr(found, name, default)
    except Exception as error:
        got = words(f"an object of type {type(found).__name__}, whose {name} raises {describe_exception(error)}")
        raise PrivcheckError("build", got, expected, "fix this error first") from None


def _built(build: Callable[[int], Any], seed: int, expected: str, example: str) -> Any:
    try:
        return build(seed)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        got = words(f"one that raises {describe_exception(error)}")
        raise PrivcheckError("build", got, expected, f"write {example}") from None


def check_labels(parameter: str, labels: Any, hint: str) -> list[Any]:
    """Return the library's names of the arms as a list, or refuse them: there are at least two, all different."""
    try:
        found = list(labels)
        distinct = all(one != other for place, one in enumerate(found) for other in found[:place])
    except (TypeError, ValueError):
        found, distinct = [], False
    if len(found) < 2 or not distinct:
        raise PrivcheckError(parameter, labels, "a list of at least two different arms", hint)
    return found


def check_randomise(randomise: Any) -> None:
    """Refuse what cannot be called with a reward and a Generator."""
    if randomise is not None and not callable(randomise):
        hint = "as in randomise=lambda reward, rng: response.release(reward, rng)"
        raise PrivcheckError("randomise", randomise, "a function of a reward and a numpy Generator, or None", hint)


def vector(context: Any) -> Any:
    """Return a round's context, or refuse one that is no vector.

    >>> vector(np.ones(2)).tolist()
    [1.0, 1.0]
    """
    if np.ndim(context) != 1:
        hint = "one row of features per arm is not supported here; give contexts=privcheck.Contexts(shape=(d,))"
        raise PolicyError("contexts", words(f"shape {np.shape(context)}"), "one vector per round, shape (d,)", hint)
    return context
