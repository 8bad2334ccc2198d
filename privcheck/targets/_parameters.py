"""The parameters of a function or class that are left to its caller: `functools.partial` has given none of them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

BY_POSITION = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def given_by_partial(function: Callable[..., Any]) -> dict[str, Any]:
    """Return the keywords that partial functions have given: they may be given anew, but were meant.

    >>> given_by_partial(partial(partial(dict, a=1), a=2, b=3)), given_by_partial(dict)
    ({'a': 2, 'b': 3}, {})
    """
    given: dict[str, Any] = {}
    while isinstance(function, partial):
        given, function = function.keywords | given, function.func
    return given


def open_parameters(function: Callable[..., Any]) -> list[inspect.Parameter] | None:
    """Return the parameters that are left to the caller; None if they cannot be read.

    >>> [each.name for each in open_parameters(partial(lambda data, rng, scale: None, scale=2.0))]
    ['data', 'rng']
    """
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    given = given_by_partial(function)
    return [each for each in parameters if each.name not in given]
