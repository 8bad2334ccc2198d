"""Threads that compute with private values at once: nobody sees terms or features that are not written yet."""

import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from privcheck.private_values import REVEAL, PrivateSource
from privcheck.private_values import _terms as terms_of_sums
from privcheck.private_values._terms import Terms

THREADS = 4


@pytest.fixture
def _quick_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_a_single_number_is_written_out_before_it_is_seen(monkeypatch):
    """Before, another thread saw memory as it was, and charged a release of the number nothing."""
    single, written = Terms.feature(5), []
    write = terms_of_sums._Buffer.write

    def noted(self, *columns):
        written.append(columns)
        with pytest.raises(AttributeError):
            Terms.__dict__["_buffer"].__get__(single)
        write(self, *columns)

    monkeypatch.setattr(terms_of_sums._Buffer, "write", noted)
    assert (single.features.tolist(), len(written)) == ([5], 1)


def at_once(work):
    barrier = Barrier(THREADS)

    def start(number):
        barrier.wait(30.0)
        return work(number)

    with ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(start, range(THREADS)))


@pytest.mark.usefixtures("_quick_switches")
def test_sums_that_grow_out_of_one_sum_keep_apart():
    """Each sum has its own number last; before, one was written over another in the buffer that they share."""
    for _ in range(20):
        source = PrivateSource()
        numbers = [source.scalar(0.5, 0.0, 1.0, datum) for datum in range(2 + THREADS)]
        common = numbers[0] + 2.0 * numbers[1]
        sums = at_once(lambda k, common=common, numbers=numbers: common + (3.0 + k) * numbers[2 + k])
        for k, total in enumerate(sums):
            found = total.terms.tidy()
            assert found.features.tolist() == [0, 1, 2 + k]
            assert found.weights.tolist() == [1.0, 2.0, 3.0 + k]


@pytest.mark.usefixtures("_quick_switches")
def test_features_that_threads_make_belong_to_their_data():
    for _ in range(20):
        source = PrivateSource()
        rows = [source.vector(np.full(8, 0.1 * k), 0.0, 1.0, data=k) for k in range(THREADS)]
        made = at_once(lambda k, rows=rows: rows[k] * rows[k])
        for k, squares in enumerate(made):
            found, table = squares.terms.tidy(), source.features
            assert {table.data[table.owner[j]] for j in found.features.tolist()} == {k}
            assert np.allclose(squares.reveal(REVEAL), (0.1 * k) ** 2)
