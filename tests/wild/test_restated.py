"""Faults seen in the code of others, restated: arguments without privcheck, and audits of each and of its twin."""

from __future__ import annotations

import functools
import importlib
import math
import sys
from pathlib import Path

import numpy as np
import pytest

import privcheck

REPOSITORY = Path(__file__).parents[2]
sys.path.insert(0, str(REPOSITORY))  # `audits` is not installed

restated = importlib.import_module("tests.wild.restated")
sequential = importlib.import_module("tests.wild.restated_sequential")
FAULTS = (*restated.EVERYTHING, *sequential.EVERYTHING)
audited = importlib.import_module("audits.wild.implementations").everything()
EACH = pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.id)


@EACH
def test_an_argument_refutes_the_claim_and_not_that_of_the_corrected_twin(fault):
    assert fault.loss() > 1.4 * fault.claimed
    assert fault.loss(right=True) <= fault.claimed * (1.0 + 1e-9)
    assert all((fault.what, fault.cause, fault.effect, fault.remedy, fault.upstream))


def played(fault, *, right, runs=3000, **options):
    """Audit a restatement on its two inputs."""

    def target(data, rng):
        return fault.play(np.asarray(data), rng, right=right)

    first, second = fault.pair
    streams = (first, second)
    return privcheck.audit(target, streams=streams, runs=runs, seed=0, **fault.claim, **options)


@EACH
def test_an_audit_refutes_the_claim(fault):
    assert played(fault, right=False, runs=8000 if fault.loss() < 2.0 else 3000).verdict == "violation"


@pytest.mark.chance(1e-7, "one audit of a true claim at this error")
@EACH
def test_an_audit_does_not_refute_the_corrected_twin(fault):
    assert played(fault, right=True, runs=1500, error=1e-7).verdict != "violation"


@EACH
def test_a_fault_that_was_not_reported_is_not_on_the_site(fault):
    pages = "\n".join(file.read_text("utf-8") for file in (REPOSITORY / "docs").rglob("*.md"))
    shown = fault.cause in pages or fault.project.name in pages
    assert shown != fault.upstream.startswith(restated.UNREPORTED)


def test_none_is_audited_already():
    known = {wild.project.name for wild in audited}
    assert not known & {fault.project.name for fault in FAULTS}
    assert len({fault.id for fault in FAULTS}) == len(FAULTS) >= 10


# The packages themselves, where they are installed


@pytest.mark.chance(0.0, "no report of the 3,000 can fail this, whatever is drawn")
def test_the_package_puts_the_true_value_first():
    client = pytest.importorskip("multi_freq_ldpy.pure_frequency_oracles.SS").SS_Client
    reports = [client(0, restated.VALUES, 1.0).tolist() for _ in range(3000)]
    if any(0 in report[1:] for report in reports):
        pytest.skip("this version of multi-freq-ldpy shuffles its reports: the fault is fixed")
    assert any(report[0] == 0 for report in reports)
    law = restated.law_of_subset(0, 1.0, right=False)
    assert {tuple(report) for report in reports} <= set(law)


@pytest.mark.chance(0.0, "no report of the 3,000 can fail this, whatever is drawn")
def test_the_package_never_clears_a_true_bit():
    client = pytest.importorskip("pure_ldp.frequency_oracles.rappor.rappor_client").RAPPORClient
    number = functools.partial(int, base=10)
    made = client(restated.flip(1.0), restated.BITS, [[number]], num_of_cohorts=1, index_mapper=lambda value: value)
    reports = [made.privatise(0)[0] for _ in range(3000)]
    if not all(report[0] == 1 for report in reports):
        pytest.skip("this version of pure-ldp clears true bits: the fault is fixed")
    law = restated.law_of_rappor(0, 1.0, right=False)
    assert all(law[tuple(report)] > 0.0 for report in reports)


def test_the_package_adds_one_number_to_all_entries():
    operation = pytest.importorskip("eeprivacy.operations").PrivateVectorClampedMeanLaplace
    mean = operation(lower_bound=0.0, upper_bound=1.0, k=2, N=1)
    seen = [mean.execute(vectors=[vector], epsilon=1.0, delta=0.0) for vector in restated.SWAPPED for _ in range(3)]
    differences = np.round(np.diff(seen, axis=1).ravel(), 9).tolist()
    if len(set(differences)) > 2:
        pytest.skip("this version of eeprivacy draws for each entry: the fault is fixed")
    assert differences == [1.0] * 3 + [-1.0] * 3


def test_a_loss_of_impossible_reports_is_infinite():
    assert restated.loss_of_rappor() == math.inf
    assert restated.loss_of_subset() == math.inf
    assert restated.loss_of_rappor(right=True) == pytest.approx(1.0)
