"""Code that asks what a number is, or gives it to a library, does under record and replay what it does alone."""

from __future__ import annotations

import json
import numbers
import pickle
import statistics
from collections.abc import Iterable, Sized

import numpy as np
import pandas as pd
import pytest

from privcheck import certify
from privcheck.errors import PrivcheckError


def a_number_of_json(data, noise):
    return json.dumps({"sum": data.sum() + noise[0]})


def a_float(data, noise):
    found = data.sum() + noise[0]
    return found if isinstance(found, float) else data.sum()


def a_number(data, noise):
    found = data.sum() + noise[0]
    return found if isinstance(found, numbers.Number) and np.isscalar(found) else data.sum()


def another_shape(data, noise):
    noise.shape = (2, 2)
    return data.reshape(2, 2) + noise


def a_column_in_place(data, noise):
    table = pd.DataFrame({"rows": data})
    table["rows"] += noise
    return table["rows"].tolist()


def a_series_in_place(data, noise):
    found = pd.Series(data)
    found -= noise
    found *= 2.0
    return found.tolist()


def a_table_in_place(data, noise):
    table = pd.DataFrame(data.reshape(2, 2), columns=["one", "two"])
    table += noise.reshape(2, 2)
    return table.to_numpy()


def methods_of_a_number(data, noise):
    mean = (data.sum() + noise[0]).clip(0.0, 4.0).round(3)
    return mean.item(), mean.astype(int).tolist(), mean.max()


def indented_json(data, noise):
    return json.dumps({"rows": list(data + noise)}, indent=1)


def mean_of_noisy_rows(data, noise):
    return statistics.mean(x + z for x, z in zip(data, noise, strict=True))


def spread_of_noisy_rows(data, noise):
    noisy = [x + z for x, z in zip(data.tolist(), noise, strict=True)]
    return statistics.stdev(noisy), statistics.pvariance(noisy)


def no_list(data, noise):
    found = data.sum() + noise[0]
    is_list = isinstance(found, Iterable | Sized) or hasattr(found, "__len__") or np.iterable(found)
    return data.sum() if is_list else found


def no_text(data, noise):
    found = data.sum() + noise[0]
    return data.sum() if found == "unknown" or found in ("", None) else f"{found}"


def a_pickled_number(data, noise):
    found = pickle.loads(pickle.dumps(data.sum() + noise[0]))
    return found if isinstance(found, float) else data.sum()


def noise_of_each_row(data, noise):
    drawn = iter(noise)
    found = pd.Series(data).apply(lambda x: x + next(drawn))
    return found.round(1).tolist() if found.dtype == float else data


def a_column_of_a_list(data, noise):
    table = pd.DataFrame({"rows": [x + z for x, z in zip(data, noise, strict=True)]})
    return table.agg(["mean", "max"]).to_numpy() if table.rows.dtype == float else data


def a_record_for_each_row(data, noise):
    table = pd.DataFrame([{"row": x + z} for x, z in zip(data, noise, strict=True)])
    return table.describe().loc["mean", "row"] if table.row.dtype == float else data


def noise_of_each_group(data, noise):
    drawn, table = iter(noise), pd.DataFrame({"group": [0, 0, 1, 1], "x": data})
    return table.groupby("group").x.agg(lambda column: column.sum() + next(drawn)).tolist()


PROGRAMS = [
    methods_of_a_number,
    indented_json,
    mean_of_noisy_rows,
    spread_of_noisy_rows,
    no_list,
    no_text,
    a_pickled_number,
    noise_of_each_row,
    a_column_of_a_list,
    a_record_for_each_row,
    noise_of_each_group,
    a_number_of_json,
    a_float,
    a_number,
    another_shape,
    a_column_in_place,
    a_series_in_place,
    a_table_in_place,
]


def certified(program, scale):
    given = {"epsilon": 1.0 + 1e-9, "horizon": 4, "runs": 3, "primitives": ["numpy"]}
    return certify(lambda data, rng: program(data, rng.laplace(0.0, scale, 4)), **given)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_what_a_library_takes_is_released_once(program):
    found = certified(program, 1.0)
    assert not found.has_findings, found
    assert found.undeclared == []
    assert found.ledger_epsilon == pytest.approx(1.0)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_half_of_its_noise_is_refused(program):
    assert certified(program, 0.5).refusals


def test_code_that_takes_floats_alone_is_told_what_to_give_it():
    def measured(data, rng):
        return memoryview(data + rng.laplace(0.0, 1.0, 4)).tolist()

    with pytest.raises(PrivcheckError, match=r"np\.asarray\(x\)"):
        certify(measured, epsilon=1.0, horizon=4, primitives=["numpy"])
    assert json.JSONEncoder.default.__code__.co_filename == json.encoder.__file__


def test_an_array_is_no_json_with_noise_either():
    with pytest.raises(PrivcheckError, match="not JSON serializable"):
        certify(lambda data, rng: json.dumps(data + rng.laplace(size=4)), horizon=4, primitives=["numpy"])
