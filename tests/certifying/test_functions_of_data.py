"""A function of data where only a policy can be played is refused in its own words, rows and columns."""

import pytest

import privcheck
from privcheck.errors import PrivcheckError
from privcheck.reporting._text.certificate_facts import certificate_rows


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


def test_a_fix_says_that_it_is_no_class_before_it_asks_for_arms():
    with pytest.raises(PrivcheckError, match=r"^target: got .*, which is a function"):
        privcheck.fix(f"{__file__}:noisy_sum", epsilon=1.0)


def test_the_certificate_of_a_function_speaks_of_rows():
    rows = dict(certificate_rows(privcheck.certify(noisy_sum, epsilon=1.0, horizon=4, runs=2, primitives="numpy")))
    assert "in 2 recorded runs of 4 rows is 1, " in rows["ledger"]
    assert ": row 1 is released once (test_functions_of_data.py:" in rows["ledger"]
    assert rows["explored"].startswith("2 recorded runs of 4 rows, a mechanism of data with 1 column")
