"""What is in a data frame or a column of pandas or polars, and what is said beside its values."""

from __future__ import annotations

from typing import Any


def content_of(output: Any) -> Any:
    """Return what is in a data frame or a column of pandas or polars, as a dict or a list; None for other objects.

    An index that does not only count the rows from 0 is a column. Names of columns alone, of an index and of the
    columns, categories that no row needs to have, and what is said beside a frame are read too: a receiver has them.

    >>> import pandas
    >>> content_of(pandas.DataFrame({"n": [1.5]})), content_of(pandas.Series([1.5])), content_of([1.5]) is None
    ({'n': [1.5]}, [1.5], True)
    """
    if not is_frame(output):
        return None
    index: Any = getattr(output, "index", None)
    counted = _only_counts(output)
    labels = [] if counted else index.tolist()
    found: Any
    if type(output).__name__ == "Series":
        found = values = output.to_list()
        if not counted:
            found = dict(zip(labels, values, strict=True)) if len({*labels}) == len(labels) else [labels, values]
        columns = [(output.name, output)]
    else:
        columns = [*output.items()] if index is not None else [(one.name, one) for one in output.get_columns()]
        found = {} if counted else {"index": labels}
        for name, column in columns:
            found[name if name not in found else (name, len(found))] = column.to_list()
    beside = _beside(output, columns)
    return [found, beside] if beside else found


def is_frame(output: Any) -> bool:
    """Tell whether an object is a data frame or a column of pandas or polars, without importing either."""
    kind = type(output)
    return kind.__module__.partition(".")[0] in ("pandas", "polars") and kind.__name__ in ("DataFrame", "Series")


def labels_of(output: Any) -> tuple[Any, ...]:
    """Return what a data frame or a column has beside its values: names and labels; nothing for other objects.

    >>> import pandas
    >>> labels_of(pandas.Series([7.0], ["a"])), labels_of(pandas.Series([7.0])), labels_of([7.0])
    (((), ('a',), ()), (), ())
    """
    if not is_frame(output):
        return ()
    alone = type(output).__name__ == "Series"
    names = () if alone else tuple(output.columns)
    columns = [(output.name, output)] if alone else [(name, output[name]) for name in names if names.count(name) == 1]
    rows = () if _only_counts(output) else tuple(output.index)
    found = (names, rows, tuple(map(repr, _beside(output, columns).items())))
    return found if any(found) else ()


def _only_counts(output: Any) -> bool:
    """Tell whether the labels of the rows are their numbers from 0: those of a part of a frame say which part it is."""
    index = getattr(output, "index", None)
    return index is None or (type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1)


def _beside(output: Any, columns: list[tuple[Any, Any]]) -> dict[str, Any]:
    """Return what is read beside names of columns, labels of rows and values; nothing if there is no more."""
    listed: list[tuple[Any, Any]] = [(name, getattr(column.dtype, "categories", None)) for name, column in columns]
    index = getattr(output, "index", None)
    names = [] if index is None else [*index.names, *getattr(getattr(output, "columns", None), "names", ())]
    own = getattr(output, "name", None) if type(output).__name__ == "Series" else None
    said = {
        "name": [own] if own not in (None, "") else None,
        "names": names if any(name is not None for name in names) else None,
        "categories": [[name, each.to_list()] for name, each in listed if hasattr(each, "to_list")],
        "attrs": dict(getattr(output, "attrs", {})),
    }
    return {what: each for what, each in said.items() if each}
