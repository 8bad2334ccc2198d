"""Named arrays as a Parquet file: a row for each, with its shape, its type and its numbers."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray[Any, np.dtype[Any]]]


def same_arrays(one: Arrays, two: Arrays) -> bool:
    """Tell whether arrays are equal, bit by bit.

    >>> same_arrays({"a": np.array([np.nan])}, {"a": np.array([np.nan])}), same_arrays({}, {"a": np.zeros(1)})
    (True, False)
    """
    return one.keys() == two.keys() and all(
        (one[name].dtype, one[name].shape, one[name].tobytes()) == (array.dtype, array.shape, array.tobytes())
        for name, array in two.items()
    )


def as_parquet(arrays: Mapping[str, np.ndarray[Any, np.dtype[Any]]]) -> bytes:
    """Return the content of a file that pandas, polars and others read: name, dtype, shape, integers or reals."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = []
    for name, array in arrays.items():
        real = array.dtype.kind == "f"
        flat = array.ravel()
        kept: Any = flat.astype(np.float64) if real else flat.astype(np.int64)
        numbers = {"integers": None if real else kept, "reals": kept if real else None}
        rows.append({"name": name, "dtype": array.dtype.str, "shape": list(array.shape), **numbers})
    types = {"name": pa.string(), "dtype": pa.string(), "shape": pa.list_(pa.int64())}
    types |= {"integers": pa.list_(pa.int64()), "reals": pa.list_(pa.float64())}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows, schema=pa.schema(list(types.items()))), sink, compression="zstd")
    content: bytes = sink.getvalue().to_pybytes()
    return content


def from_parquet(content: bytes) -> Arrays:
    """Return the arrays of a file, with their types and to the last bit."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pq.read_table(pa.BufferReader(content))
    found: Arrays = {}
    for place, (name, dtype, shape) in enumerate(
        zip(*(table[column].to_pylist() for column in ("name", "dtype", "shape")), strict=True)
    ):
        column = table["reals" if np.dtype(dtype).kind == "f" else "integers"]
        numbers = column[place].values.to_numpy(zero_copy_only=False)
        found[name] = np.asarray(numbers, dtype=np.dtype(dtype)).reshape(shape).copy()
    return found


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that is there in whole or not at all, even if the process is killed or the machine loses power."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with unfinished.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
