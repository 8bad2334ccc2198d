"""Recorded functions under add-remove neighbours, where the number of rows is private too."""

# ruff: noqa: NPY002  numpy's global generator is what these tests are about

import numpy as np
import pytest

import privcheck
from privcheck.errors import PrivcheckError
from privcheck.reporting._text.certificate_sentences import ledger_sentence
from tests.certifying import third_party

NOT_CALLED = "nothing that was read holds noise of a declared primitive: declare the one that made it"


def explored(target, **options):
    given = {"epsilon": 1.0, "runs": 3, "horizon": 6, "neighbours": "add-remove", "primitives": ["numpy"]}
    return privcheck.certify(target, **given | options)


def test_a_count_and_a_sum_cost_what_one_row_moves():
    count = explored(lambda data, rng: len(data) + np.random.laplace(0.0, 2.0))
    assert (count.ledger_epsilon, count.has_findings) == (pytest.approx(0.5), False)
    total = explored(lambda data, rng: data.sum() + np.random.laplace(0.0, 2.0), rewards=(-1.0, 2.0), epsilon=1.0)
    assert (total.ledger_epsilon, total.has_findings) == (pytest.approx(1.0), False), "a row of 2 is 2 / 2, not 3 / 2"
    assert total.neighbours == "add-remove"


def test_a_public_number_of_rows_is_found_in_every_form():
    mean = explored(lambda data, rng: data.sum() / len(data) + np.random.laplace(0.0, 1.0 / len(data)))
    assert mean.replay.divergences
    assert "is called with other parameters" in mean.replay.first_divergence.reason
    assert NOT_CALLED not in mean.notes
    assert "nothing was charged in 3 recorded runs of 6 rows" in ledger_sentence(mean)
    shape = explored(lambda data, rng: data + np.random.laplace(0.0, 1.0, len(data)))
    assert shape.replay.divergences
    length = explored(lambda data, rng: [data.sum() + np.random.laplace(), len(data)])
    assert "the outputs differ" in length.replay.first_divergence.reason
    raw = explored(lambda data, rng: len(data))
    assert NOT_CALLED in raw.notes
    assert privcheck.certify(  # with a fixed number of rows there is nothing wrong with it
        lambda data, rng: data.sum() / len(data) + np.random.laplace(0.0, 1.0 / len(data)),
        epsilon=1.0,
        horizon=6,
        primitives=["numpy"],
    ).is_inconclusive


def test_a_divergence_can_be_shown_and_read_back(tmp_path):
    found = explored(lambda data, rng: [data.sum() + np.random.laplace(), len(data)])
    found.save_html(tmp_path / "page.html")
    assert "The inputs differ in row" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert privcheck.Certificate.from_json(found.to_json()).to_json() == found.to_json()


def test_policies_have_a_public_horizon():
    with pytest.raises(PrivcheckError, match=r"neighbours: got 'add-remove'.*a policy"):
        explored(third_party.Blocks, arms=2)
    with pytest.raises(PrivcheckError, match=r"neighbours: got 'add-remove'.*with primitives="):
        explored(third_party.Blocks, arms=2, primitives=None)


def test_rows_of_a_group_need_not_follow_each_other():
    """Each sum takes every other row: two successive rows move both by 1, two others move one of them by 2."""

    def by_turns(data, rng):
        return np.array([data[::2].sum(), data[1::2].sum()]) + rng.normal(0.0, 1.0, 2)

    found = explored(by_turns, neighbours="group:2", epsilon=None, mu=1.5)
    assert "takes 2 data together, with the reward of round 2, to mu = 2, expected at most" in found.refusals[0]
    assert explored(by_turns, neighbours="group:2", epsilon=None, mu=2.0).is_inconclusive
