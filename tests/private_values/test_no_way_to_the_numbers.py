"""No public attribute of a private value, and none of Python's usual ways to look into an object, shows its number."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest

from privcheck.certifying import Session
from privcheck.privacy import relation
from privcheck.private_values import PrivateSource, zeros
from privcheck.private_values._columns import Column
from privcheck.private_values._features import FeatureTable

SECRET = 0.73159264358979
DIGITS = "0.731592643"


def values():
    """A number, a view of an array, a sum, a product, a clipped and an action's chosen row, and what wraps them."""
    session = Session(relation("row"), (0.0, 1.0), 1.0, np.random.default_rng(0), round=1)
    reward, table = session.reward(SECRET, 0), zeros((2, 2))
    table[1] += reward
    row = session.source.vector([SECRET, SECRET / 2.0], 0.0, 1.0, 2, l2_norm=2.0)
    action = PrivateSource().action(1, 2, 3)
    return [reward, table[1], reward * 2.0 + 1.0, reward * reward, reward.clip(0.0, 0.5), row, row[:1], action]


def numbers_in(item):
    """The numbers that an object is or holds."""
    if isinstance(item, (bool, str, bytes)) or item is None:
        return []
    if issubclass(type(item), (int, float, np.number)):  # a private number says that it is a float
        return [float(item)]
    if isinstance(item, np.ndarray) and item.dtype.kind in "iuf":
        return item.ravel().astype(float).tolist()
    if isinstance(item, dict):
        return [x for part in (*item.keys(), *item.values()) for x in numbers_in(part)]
    if isinstance(item, (list, tuple, set, frozenset, Column)):
        return [x for part in item for x in numbers_in(part)]
    return []


def shows(item):
    secrets = [SECRET, SECRET / 2.0, SECRET * 2.0 + 1.0, SECRET * SECRET]
    found = any(np.isclose(x, secret, rtol=1e-12, atol=0.0) for x in numbers_in(item) for secret in secrets)
    return found or (isinstance(item, (str, bytes)) and DIGITS in str(item))


def crawl(start, most=4000):
    """Return the paths of public attributes and items, breadth first, at which a secret is found."""
    paths, seen, found = [("value", start)], {id(start)}, []
    keep = [start]
    for path, item in paths:
        if shows(item):
            found.append(path)
        if issubclass(type(item), (str, bytes, int, float, np.ndarray, np.generic, type)) or len(paths) > most:
            continue
        children = []
        if isinstance(item, (list, tuple, set, frozenset)):
            children = [(f"{path}[{i}]", part) for i, part in enumerate(item)]
        elif isinstance(item, dict):
            children = [(f"{path}[{key!r}]", part) for key, part in item.items()]
        for name in sorted({*dir(item), *dir(type(item))}):
            if not name.startswith("_"):
                try:
                    children.append((f"{path}.{name}", getattr(item, name)))
                except Exception as error:
                    children.append((f"{path}.{name} raises", f"{error!r} {vars(error)}"))
        for child, part in children:
            if id(part) not in seen:
                seen.add(id(part))
                keep.append(part)
                paths.append((child, part))
    return found


def test_no_path_of_public_attributes_ends_in_a_number_of_the_data():
    for value in values():
        assert crawl(value) == []


def test_the_crawl_finds_a_path(monkeypatch):
    monkeypatch.setattr(FeatureTable, "hidden", property(lambda self: list(self._hidden)), raising=False)
    assert crawl(values()[0])[0] == "value.source.features.hidden"


WAYS = {
    "repr": repr, "str": str, "format": "{}".format, "format with a specification": "{:.3f}".format, "bytes": bytes,
    "vars": vars, "dict": lambda x: x.__dict__, "pickle": pickle.dumps, "reduce": lambda x: x.__reduce__(),
    "reduce_ex": lambda x: x.__reduce_ex__(2), "json": json.dumps,
    "json by text": lambda x: json.dumps(x, default=str),
    "array interface": lambda x: x.__array_interface__, "array struct": lambda x: x.__array_struct__,
    "array": np.asarray, "buffer": memoryview, "float": float, "iterating": list, "copy": copy.copy,
    "deep copy": copy.deepcopy,
    "length hint": lambda x: x.__length_hint__(), "source": lambda x: pickle.dumps(x.source),
    "source in vars": lambda x: repr(vars(x.source)), "table": lambda x: pickle.dumps(x.source.features),
    "copied table": lambda x: copy.copy(x.source.features), "copied source": lambda x: copy.deepcopy([x.source]),
    "dlpack": np.from_dlpack, "print as numpy does": lambda x: np.array2string(np.array([x], object)),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_python_shows_no_number(way):
    for value in values():
        try:
            shown = WAYS[way](value)
        except Exception as error:
            shown = f"{error!r} {vars(error)}"
        assert not shows(shown)
        assert crawl(shown) == []
        if isinstance(shown, bytes):
            assert np.float64(SECRET).tobytes() not in shown
            assert np.float64(SECRET).tobytes()[::-1] not in shown
