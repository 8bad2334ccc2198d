"""Readers believe no field of another type: text is no number, a number no truth value, NaN no bound."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import privcheck
from privcheck import AuditReport, Certificate, SampleBound, Simulation
from privcheck.cli import run
from privcheck.errors import PrivcheckError
from privcheck.reporting._result_files import read_result
from privcheck.results._example_results import CERTIFIED, GRANTED, VIOLATION
from privcheck.results._simulation_files import read_csv
from privcheck.serialise import array, read_fields, read_json, to_json, well_typed

CONTEXTUAL = replace(GRANTED, contexts=privcheck.Contexts((2, 3), norm=1.0), feedback="contextual")
BOUNDS = ["bounds", "--means", "0.7,0.5", "--epsilon", "1", "--horizon", "1e4"]
COMMANDS = {
    "bounds": BOUNDS,
    "curve": [*BOUNDS, "--curve", "epsilon"],
    "simulation": ["simulate", "ucb", "imed", "--means", "0.7,0.5", "--horizon", "20", "--runs", "3", "--compare"],
}


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Return the JSON of a result of each kind."""
    found = {
        "audit": VIOLATION.to_json(),
        "certified audit": CERTIFIED.to_json(),
        "certificate": GRANTED.to_json(),
        "contextual certificate": CONTEXTUAL.to_json(),
    }
    for kind, command in COMMANDS.items():
        file = tmp_path_factory.mktemp("written") / "result.json"
        assert run([*command, "--json", str(file)]) == 0
        found[kind] = file.read_text()
    return found


KINDS = ["audit", "certified audit", "certificate", "contextual certificate", *COMMANDS]


def read(text, folder):
    file = folder / "result.json"
    file.write_text(text)
    return read_result(file)


def is_refused(text, folder):
    try:
        read(text, folder)
    except PrivcheckError:
        return True
    return False


def places(value, path=()):
    """Return the paths of all values in JSON that are neither objects nor lists."""
    if isinstance(value, dict | list):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        return [place for key, item in entries for place in places(item, (*path, key))]
    return [path]


def changed(content, path, value):
    other = copy.deepcopy(content)
    place = other
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return other


def wrong(value):
    """Return values of other types, the most treacherous first: what reads like the right one."""
    if isinstance(value, bool):
        return [str(value).lower(), int(value), None]
    if isinstance(value, int | float):
        return [str(value), True, float("nan"), [value], None]
    return [7, True, [value], {"text": value}] if isinstance(value, str) else [False, [], {}]


@pytest.mark.parametrize("kind", KINDS)
def test_every_result_is_read(kind, texts, tmp_path):
    assert read(texts[kind], tmp_path).kind in kind


NOT_READ = {"regime", "comparisons", "contradictions", "horizon", "runs"}
"""Fields of bounds and simulations that the index does not use."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_field_of_another_type_is_refused(kind, texts, tmp_path):
    """Each value in turn becomes text, a truth value, NaN, a list or nothing. None of it may be read as it stands.

    None is legal in fields that may have no number, and an integer where a float is declared; the rest is refused.
    """
    content, tried = json.loads(texts[kind]), 0
    for path in places(content):
        if kind in COMMANDS and (path[0] in NOT_READ or path[0] == "curves"):
            continue
        if path[0] == "bounds" and path[1] % 40:  # one in forty theorems
            continue
        value = content
        for key in path:
            value = value[key]
        for other in wrong(value):
            if value is None or (other is None and not isinstance(value, bool)):
                continue
            if isinstance(value, str) and value in ("inf", "-inf"):
                continue
            text = json.dumps(changed(content, path, other))
            tried += 1
            assert is_refused(text, tmp_path), f"{path} = {other!r} was read"
    assert tried > 20


@pytest.mark.parametrize("kind", KINDS)
def test_an_unknown_or_a_missing_field_is_refused(kind, texts, tmp_path):
    content = json.loads(texts[kind])
    assert read(json.dumps(content | {"grnated": True}), tmp_path).kind in kind
    for version in (1, 2):  # which nobody will add fields to
        with pytest.raises(PrivcheckError):
            read(json.dumps(content | {"grnated": True, "schema_version": version}), tmp_path)
    needed = {"target", "granted", "verdict", "instance", "results", "bounds", "values", "schema_version", "runs"}
    for name in needed & set(content) - (NOT_READ if kind in COMMANDS else set()):
        with pytest.raises(PrivcheckError):
            read(json.dumps({key: value for key, value in content.items() if key != name}), tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        {"granted": "false"},
        {"granted": "true"},
        {"granted": 1},
        {"epsilon_upper": 0.5},
        {"epsilon_upper": None},
        {"epsilon_upper": "1.0"},
        {"coverage": "explored"},
        {"coverage": "everything"},
        {"refusals": ["round 3: over budget"]},
        {"refusals": "none"},
        {"replay": {"replays": 32, "divergences": 1, "largest_loss": 1.0, "first_divergence": None}},
    ],
)
def test_a_certificate_that_is_not_granted_is_not_read_as_one(change, tmp_path, capsys):
    content = json.loads(GRANTED.to_json()) | change
    with pytest.raises(PrivcheckError):
        Certificate.from_json(json.dumps(content))
    with pytest.raises(PrivcheckError):
        AuditReport.from_json(json.dumps(json.loads(CERTIFIED.to_json()) | {"certificate": content}))
    (tmp_path / "certificate.json").write_text(json.dumps(content))
    assert run(["report", str(tmp_path)]) == 2
    assert "certified" not in capsys.readouterr().out


def test_the_error_names_the_field():
    text = json.dumps(json.loads(GRANTED.to_json()) | {"granted": "false"})
    with pytest.raises(PrivcheckError, match="fields of the wrong type: granted is 'false'"):
        Certificate.from_json(text)


def test_json_without_nan():
    with pytest.raises(PrivcheckError, match="not JSON"):
        AuditReport.from_json(VIOLATION.to_json().replace("1.7643969", "NaN"))


def test_what_is_made_is_well_typed():
    for result in (VIOLATION, CERTIFIED, GRANTED, CONTEXTUAL):
        assert well_typed(result) is result
    report = privcheck.audit("rnm-ftnl-published", epsilon=1.0, arms=4, horizon=4, runs=2000)
    certificate = privcheck.certify("adap-ucb", epsilon=1.0, arms=2, horizon=4, runs=2, neighbours="reward")
    assert well_typed(report) is report
    assert well_typed(certificate) is certificate


@pytest.mark.parametrize("value", [["0.5"], [True], [[1.0], [1.0, 2.0]], [float("nan")], ["one"], [None]])
def test_arrays_are_numbers(value):
    with pytest.raises(ValueError):
        array(value)


@pytest.mark.parametrize("count", [18.5, 5e-324, 1e30, 10**30, "inf"])
def test_arrays_of_counts_are_integers(count):
    """Counts of a trade-off curve were cut to integers, or overflowed, as they were read."""
    content = json.loads(Path(__file__).with_name("written").joinpath("3", "sample_bound.json").read_text())
    assert SampleBound.from_json(json.dumps(content)).tradeoff is not None
    content["tradeoff"]["more"][3] = count
    with pytest.raises(PrivcheckError, match="integers expected"):
        SampleBound.from_json(json.dumps(content))


@pytest.fixture(scope="module")
def simulation():
    return privcheck.simulate("ucb", [0.7, 0.5], horizon=20, runs=3, checkpoints=4)


@pytest.mark.parametrize(
    "change",
    [
        {"regret": np.full((1, 3, 4), np.nan)},
        {"regret": np.zeros((1, 3, 5))},
        {"regret": np.zeros((1, 0, 4))},
        {"regret": np.full((1, 3, 4), "0.5")},
        {"regret": np.zeros(4)},
        {"round": np.array([1, 5, 5, 20])},
        {"round": np.array(["1", "5", "9", "20"])},
        {"seconds": np.array(["1"])},
        {"description": np.array("[]")},
        {"description": np.array("7")},
    ],
)
def test_arrays_of_a_file_that_are_no_simulation_are_refused(change, simulation, tmp_path):
    file = tmp_path / "all.npz"
    simulation.save_npz(file)
    assert Simulation.read_npz(file).seed == 0
    with np.load(file) as stored:
        arrays = dict(stored)
    np.savez(file, **arrays | change)
    with pytest.raises(PrivcheckError):
        Simulation.read_npz(file)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seed", "0"), ("seed", True), ("engines", [7]), ("engines", "step"), ("environment", "c2"), ("runs", "3"),
        ("runs", 2), ("runs", [3]), ("remarks", 7), ("remarks", [7]), ("shuffle_arms", "no"), ("schema_version", 99),
        ("schema_version", None),
    ],
)  # fmt: skip
def test_descriptions_of_another_type_are_refused(name, value, simulation, tmp_path):
    file = tmp_path / "all.npz"
    simulation.save_npz(file)
    with np.load(file) as stored:
        arrays = dict(stored)
    arrays["description"] = np.array(json.dumps(json.loads(str(arrays["description"])) | {name: value}))
    np.savez(file, **arrays)
    with pytest.raises(PrivcheckError):
        Simulation.read_npz(file)


@pytest.mark.parametrize("place", [4, 6, 8], ids=["version", "flags", "compression"])
def test_an_archive_that_cannot_be_unpacked_is_refused(place, simulation, tmp_path):
    file = tmp_path / "all.npz"
    simulation.save_npz(file)
    content = bytearray(file.read_bytes())
    for start in (content.index(b"PK\x03\x04"), content.index(b"PK\x01\x02") + 2):
        content[start + place] = 99
    file.write_bytes(content)
    with pytest.raises(PrivcheckError):
        Simulation.read_npz(file)


def test_a_table_with_nan_is_refused(simulation, tmp_path):
    file = tmp_path / "table.csv"
    simulation.save_csv(file)
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines[:-1], lines[-1].rpartition(",")[0] + ",nan"]) + "\n")
    with pytest.raises(PrivcheckError, match="not finite"):
        read_csv(file)
    assert Path(file).exists()


@dataclass(frozen=True)
class Grown:
    """As it was first, and with the fields that later versions added."""

    name: str
    places: tuple[tuple[int, float], ...] = ()
    parts: tuple[Grown, ...] = ()
    largest: float | None = None
    words: str = "inf"


def test_one_reader_goes_by_the_declared_types():
    """Among others "inf" is a number where one is declared, and text where text is."""
    whole = Grown("inf", ((1, 0.5), (2, float("-inf"))), (Grown("a"),), float("inf"))
    assert read_json(to_json(whole), Grown, "a test") == whole
    assert read_json('{"schema_version": 1, "name": "b"}', Grown, "a test") == Grown("b")


def test_a_hook_is_told_the_version_of_the_file():
    def renamed(content, make):
        return make({"name" if key == "title" and make.version == 1 else key: of for key, of in content.items()})

    def read(version, **fields):
        return read_fields({"name": "a"} | fields, Grown, "a test", {Grown: renamed}, version)

    assert read(1, parts=[{"title": "b"}]) == Grown("a", parts=(Grown("b"),))
    with pytest.raises(PrivcheckError, match="a test"):
        read(2, parts=[{"title": "b"}])
