"""Tables in the terminal."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from privcheck.errors import PrivcheckError
from privcheck.reporting import audit_table, clean, details


def shown(content, width=100):
    console = Console(width=width, file=io.StringIO(), record=True)
    console.print(content)
    return console.export_text()


def test_table_has_the_numbers_in_100_columns(reports):
    text = shown(audit_table(list(reports.values())))
    for part in (
        "rnm-ftnl-published",
        "1.764",
        "1.751",
        "1.799",
        "[1.746, 1.853]",
        "violation",
        "100,000",
        "1.27 s",
        "0.959",
    ):
        assert part in text
    for part in ("(1e-05)", "no claim", "inconclusive", "[8.831, ∞]", "(95 %)"):
        assert part in text
    assert max(len(line) for line in text.splitlines()) <= 100
    assert "…" not in text
    assert "expected" not in text


def test_table_with_expectations_fits_too(reports):
    expected = ["violation", "violation", None, "inconclusive", "inconclusive", "violation", "consistent"]
    text = shown(audit_table(list(reports.values()), expected))
    assert text.count("NOT met") == 1
    assert text.count("ok") == 5
    assert "…" not in text
    for part in ("[0.929, 1.062]", "inconclusive", "100,000", "1.27 s"):
        assert part in text


def test_expectations_have_to_match(reports):
    with pytest.raises(PrivcheckError, match="expected: got 0 verdicts"):
        audit_table([reports["violation"]], [])


def test_target_is_no_markup(reports):
    squeezed = "".join(shown(audit_table([reports["early"]])).split())
    assert "[bold]y[/bold]" in shown(details(reports["early"]))
    assert "[bold]" in squeezed or "[bo" in squeezed


@pytest.mark.parametrize("name", ["violation", "consistent", "unclaimed", "coarse", "early", "unbounded", "long"])
def test_details_of_every_report(reports, name):
    report = reports[name]
    text = shown(details(report))
    assert clean(report.target) in " ".join(text.split())
    runs = f"{report.runs:,} runs per stream" if name != "early" else "no run counted"
    assert f"seed {report.seed}, {runs}, engine kernel" in text
    for note in report.notes:
        assert f"note: {note}" in text
    assert ("Witness" in text) == (report.witness is not None)
    assert max(len(line) for line in text.splitlines()) <= 100


def test_details_show_the_witness(reports):
    text = shown(details(reports["violation"]))
    for part in (
        "v round 3",
        "second  arm 0 ##.#####",
        "0.377 [0.372, 0.382]     more likely",
        "   or: one of 4 rarer",
    ):
        assert part in text


def test_the_simplest_witness_comes_first(reports):
    report = reports["violation"]
    simpler = replace(
        report.witness, first=report.witness.first[2:5], second=report.witness.second[2:5], rounds=(1,),
        streams="round 1: short", event="the actions begin 0, 3",
    )  # fmt: skip
    text = shown(details(replace(report, simplest=simpler, simplest_lower=1.2345)))
    places = [
        text.index(part)
        for part in (
            "\nWitness",
            "streams: round 1: short",
            "event: the actions begin 0, 3",
            "this witness alone shows that epsilon is at least 1.234",
            "The lower bound comes from a finer event on other streams",
            "v round 3",
            "event: the actions begin 0 x 3, 3",
            "\nTo repeat",
        )
    ]
    assert places == sorted(places)
    same = replace(report, simplest=replace(report.witness, event="one"), simplest_lower=1.2345)
    text = shown(details(same))
    assert "finer event on the same streams" in text
    assert text.count("v round 3") == 1


def test_what_a_reader_wants_comes_before_how_it_was_found(reports):
    report = reports["violation"]
    parts = ("claim", "lower bound (95 %)", "\nWitness", "could see", "searched", "resolution", "Clopper-", "To repeat")
    text = shown(details(report))
    places = [text.index(part) for part in parts]
    assert places == sorted(places)


def test_without_a_simpler_witness_there_is_one_heading(reports):
    text = shown(details(reports["violation"]))
    assert "finer event" not in text
    assert "mirror:" not in text


def test_the_second_event_is_told(reports):
    report = reports["violation"]
    mirrored = replace(report, witness=replace(report.witness, mirror="the actions begin 1"))
    text = " ".join(shown(details(mirrored)).split())
    assert "mirror: the actions begin 1; it is more likely on the other stream, and the bound counts both" in text
