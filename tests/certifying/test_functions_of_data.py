"""A function of data where only a policy can be played is refused in its own words, rows and columns."""

import pytest
from rich.console import Console

import privcheck
from privcheck.errors import PrivcheckError
from privcheck.reporting import details


def noisy_sum(data, rng):
    return float(data.sum()) + rng.laplace(0.0, 1.0)


CALLS = {
    "certify": lambda: privcheck.certify(noisy_sum, epsilon=1.0),
    "certify, with arms": lambda: privcheck.certify(noisy_sum, epsilon=1.0, arms=2),
    "guard": lambda: privcheck.guard(noisy_sum, epsilon=1.0, arms=2),
    "simulate": lambda: privcheck.simulate(noisy_sum, [0.7, 0.5], horizon=6, runs=2),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_function_of_data_is_no_policy(name):
    with pytest.raises(PrivcheckError) as caught:
        CALLS[name]()
    assert str(caught.value).partition(": ")[2] == (
        "got noisy_sum, a mechanism that is given data, expected a policy with select() and update(); audit it, or "
        "certify it with primitives='numpy', which records and replays its noise; there horizon is the number of rows "
        "of the data, arms that of their columns"
    )


def test_the_certificate_of_a_function_speaks_of_rows():
    console = Console(width=400)
    with console.capture() as said:
        console.print(details(privcheck.certify(noisy_sum, epsilon=1.0, horizon=4, runs=2, primitives="numpy")))
    assert "in 2 recorded runs of 4 rows is 1, " in said.get()
    assert ": row 1 is released once (test_functions_of_data.py:" in said.get()
    assert "2 recorded runs of 4 rows, a mechanism of data with 1 column" in said.get()
