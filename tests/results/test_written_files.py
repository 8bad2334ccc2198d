"""Files of each kind of result and of each schema version, as they were written then, are opened."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import privcheck
from privcheck import Certificate, Simulation
from privcheck.errors import PrivcheckError
from privcheck.reporting._read_back import READERS
from privcheck.reporting._result_files import FIELDS, read_result
from privcheck.schema_versions import READABLE_VERSIONS, SCHEMA_VERSION

WRITTEN = Path(__file__).parent / "written"
FILES = sorted(WRITTEN.glob("*/*.json"))
ADDED = {"provided", "given"}
"""Fields that the newest version has got since the files were written."""

NOT_LOADED = ("curve", "simulation", "watches")
"""What the index of a folder shows, but `load` does not: the JSON holds too little."""


def id_of(file: Path) -> str:
    """Return an id that is the same wherever the repository lies."""
    return f"{file.parent.name}/{file.stem}"


@pytest.mark.parametrize("file", FILES, ids=id_of)
def test_a_file_says_its_version(file):
    assert json.loads(file.read_text(encoding="utf-8"))["schema_version"] == int(file.parent.name)


def test_every_version_and_every_kind_is_there():
    assert [int(folder.name) for folder in sorted(WRITTEN.iterdir())] == list(READABLE_VERSIONS)
    newest = [json.loads(file.read_text(encoding="utf-8")) for file in FILES if file.parent.name == str(SCHEMA_VERSION)]
    for needed in (*(fields for fields, _ in READERS), *FIELDS.values()):
        assert any(needed <= set(content) for content in newest), needed
    names = {folder.name: {file.name for file in folder.iterdir()} for folder in WRITTEN.iterdir()}
    assert names["1"] < names["2"] < names["3"]


@pytest.mark.parametrize("file", [file for file in FILES if file.stem not in NOT_LOADED], ids=id_of)
def test_it_is_loaded_and_written_as_the_newest_version(file):
    found = privcheck.load(file)
    again = found.to_json()
    assert json.loads(again)["schema_version"] == SCHEMA_VERSION
    assert privcheck.load(file) == found  # also where it holds arrays
    if file.parent.name == str(SCHEMA_VERSION) and file.stem not in ("bounds", "claims"):  # these say more
        then, now = json.loads(file.read_text(encoding="utf-8")), json.loads(again)
        assert {name: now[name] for name in then} == then
        assert set(now) - set(then) <= ADDED


def test_results_with_other_arrays_are_not_equal():
    report = privcheck.load(WRITTEN / str(SCHEMA_VERSION) / "audit.json")
    witness = report.witness
    assert replace(report, witness=replace(witness, first=witness.first.copy())) == report
    assert replace(report, witness=replace(witness, first=1.0 - witness.first)) != report
    assert replace(report, witness=replace(witness, first=witness.first[:-1])) != report
    assert replace(report, witness=None) != report


@pytest.mark.parametrize("file", [file for file in FILES if file.stem.split("_")[0] in FIELDS], ids=id_of)
def test_the_index_of_a_folder_shows_it(file):
    row = read_result(file)
    assert row.kind == file.stem.split("_")[0]
    assert row.page is None or "<html" in row.page()


@pytest.mark.parametrize("version", READABLE_VERSIONS)
def test_certificates_of_every_version_say_whether_they_are_complete(version):
    certificates = {
        name: Certificate.from_json((WRITTEN / str(version) / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("certificate", "certificate_refused", "certificate_inconclusive")
    }
    assert [found.granted for found in certificates.values()] == [True, False, False]
    assert [found.complete for found in certificates.values()] == [True, False, False]
    granted, refused, unseen = certificates.values()
    assert (granted.coverage, refused.coverage) == ("all-executions-under-guard", "explored")
    assert not granted.is_inconclusive
    assert not refused.is_inconclusive
    if version > 1:  # with which lines that never ran came
        assert (unseen.coverage, unseen.is_inconclusive) == ("all-executions-under-guard", True)
        assert unseen.unreached


@pytest.mark.parametrize("version", ["2", "3"])
def test_a_simulation_is_loaded(version):
    assert isinstance(privcheck.load(WRITTEN / version / "simulation.npz"), Simulation)


def test_a_version_that_does_not_exist_yet_is_refused(tmp_path):
    content = json.loads((WRITTEN / "3" / "certificate.json").read_text(encoding="utf-8"))
    file = tmp_path / "later.json"
    file.write_text(json.dumps(content | {"schema_version": SCHEMA_VERSION + 1}))
    with pytest.raises(PrivcheckError, match="schema_version is 4, but this privcheck reads 1, 2 or 3"):
        privcheck.load(file)
