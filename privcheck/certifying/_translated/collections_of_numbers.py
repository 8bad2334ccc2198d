"""Numbers that code hands over in a deque, a view of a dictionary or by an iterator: they are put in a list first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, ValuesView
from typing import Any


def in_a_list(value: Any, *, iterators: bool = True) -> Any:
    """Return the numbers of a deque, of the values of a dictionary or of an iterator in a list; others as they are.

    >>> in_a_list(deque([1, 2])), in_a_list({"a": 3}.values()), in_a_list(map(abs, [-4])), in_a_list("text")
    ([1, 2], [3], [4], 'text')
    """
    if type(value) in (list, tuple):
        return value
    is_one = isinstance(value, deque | list) or (iterators and isinstance(value, ValuesView | Iterator))
    return list(value) if is_one else value


def of_collection(function: Callable[..., Any], *, iterators: bool = True) -> Callable[..., Any]:
    """Return a function that is given the numbers of its first argument in a list."""

    def apply(*values: Any, **options: Any) -> Any:
        if values:
            values = (in_a_list(values[0], iterators=iterators), *values[1:])
        return function(*values, **options)

    return apply


def of_one_collection(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `min`, `max` or `sorted`, which are given the numbers of an argument that stands alone in a list.

    What they return for an empty one is left out where there are some.
    """

    def apply(*values: Any, **options: Any) -> Any:
        if len(values) == 1:
            values = (in_a_list(values[0]),)
            if "default" in options and type(values[0]) in (list, tuple) and values[0]:
                options.pop("default")
        return function(*values, **options)

    return apply
