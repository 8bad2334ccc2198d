"""Many results on one page: what is read, what is refused, the order, the links, the pages that are written."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import reduce
from operator import getitem
from pathlib import Path
from urllib.parse import unquote

import pytest
from rich.console import Console

from privcheck.accounting import Concentrated, GaussianDP
from privcheck.bounds import ContextualInstance, LinearInstance, curve, evaluate, named_instance
from privcheck.cli import run
from privcheck.errors import PrivcheckError
from privcheck.reporting import (
    read_folder,
    render_bounds,
    save_index,
)
from privcheck.reporting._bounds_files import curve_json, read_bounds
from privcheck.reporting._kinds.folder import details
from privcheck.reporting._pages import page_index
from privcheck.reporting._pages.page_index import render_index
from privcheck.reporting._result_files import json_files, read_result
from privcheck.results import Frontier, FrontierPoint
from privcheck.results._example_results import STEPS
from privcheck.serialise import to_json
from privcheck.simulation import simulate
from privcheck.sweeps import sweep
from tests.example_results import CERTIFIED, FIXED_BANDIT, GRANTED, VIOLATION, WATCHED

NOTIONS = {"rho": Concentrated, "mu": GaussianDP}


@pytest.fixture(scope="module")
def texts(reports, certificates):
    """Return the JSON of one result of every kind and verdict by file name."""
    simulation = simulate(["adap-ucb", "ucb"], [0.75, 0.5], horizon=100, runs=5, epsilon=1.0)
    instance = named_instance("c2", epsilon=1.0, horizon=1e6)
    found = {f"audit-{name}": report.to_json() for name, report in reports.items() if name != "long"}
    found |= {f"certificate-{name}": certificates[name].to_json() for name in ("granted", "leaky", "refused", "free")}
    found["fix-found"] = FIXED_BANDIT.to_json()
    found["fix-nothing"] = replace(FIXED_BANDIT, outcome="nothing certifies", patches=()).to_json()
    found["simulation"] = simulation.to_json()
    found["curve"] = curve_json(curve(instance, "epsilon", [0.1, 1.0]))
    found["bounds"] = bounds_json(instance)
    return found


def bounds_json(instance):
    values = [value.to_dict() for value in evaluate(instance)]
    return to_json({"instance": instance.to_dict(), "bounds": values, "regime": None, "contradictions": []})


@pytest.fixture
def folder(texts, tmp_path):
    """Return a folder of results whose pages are there, so that none needs to be drawn."""
    for name, text in texts.items():
        (tmp_path / f"{name}.json").write_text(text)
        os.utime(tmp_path / f"{name}.json", (1e9, 1e9))
        (tmp_path / f"{name}.html").write_text("a page")
    return tmp_path


def test_every_result_is_read(folder, texts, reports, certificates):
    found = {result.path.stem: result for result in read_folder(folder).results}
    assert set(found) == set(texts)
    kinds = {name: result.kind for name, result in found.items()}
    assert all(kind == name.partition("-")[0] for name, kind in kinds.items())
    for name, report in reports.items():
        if name != "long":
            row = found[f"audit-{name}"]
            assert (row.target, row.claim, row.lower, row.seed) == (
                report.target, report.epsilon_claimed, report.epsilon_lower, report.seed,
            )  # fmt: skip
            assert row.verdict == (report.verdict or "no claim")
            assert row.alarm is (report.verdict == "violation")
    alarms = {name: found[f"certificate-{name}"].alarm for name in ("granted", "leaky", "refused", "free")}
    assert alarms == {"granted": False, "leaky": True, "refused": True, "free": False}
    assert found["certificate-granted"].upper == certificates["granted"].epsilon_upper
    assert found["certificate-refused"].upper is None
    fixes = [(found[f"fix-{name}"].verdict, found[f"fix-{name}"].alarm) for name in ("found", "nothing")]
    assert fixes == [("fixed", False), ("nothing certifies", True)]
    assert "adap-ucb" in found["simulation"].detail
    assert "bernoulli (means 0.75, 0.5)" in found["simulation"].detail
    assert {result.when for result in found.values()} == {1e9}


def test_what_raises_an_alarm_comes_first(folder):
    alarms = [result.alarm for result in read_folder(folder).results]
    assert alarms == sorted(alarms, reverse=True)
    assert sum(alarms) == 5
    verdicts = [result.verdict for result in read_folder(folder).results if not result.alarm]
    assert verdicts.index("inconclusive") < verdicts.index("no claim") < verdicts.index("consistent")


def test_a_contradiction_is_seen_before_what_is_well(tmp_path):
    (tmp_path / "a.json").write_text(CERTIFIED.to_json())
    (tmp_path / "b.json").write_text(replace(CERTIFIED, epsilon_lower=1.01, verdict="violation").to_json())
    first, second = read_folder(tmp_path).results
    assert (first.path.name, first.verdict, first.alarm) == ("b.json", "violation", True)
    assert "CONTRADICTION" in first.detail
    assert (second.verdict, second.upper) == ("consistent", 1.0)


# What cannot be read

STRANGE = {
    "empty": ("", "it is not JSON"),
    "cut": (VIOLATION.to_json()[:-100], "it is not JSON"),
    "deep": ("[" * 100_000, "it is not JSON"),
    "list": ("[1, 2]", "its fields are those of no result that a report lists"),
    "null": ("null", "no result that a report lists"),
    "other": ('{"name": "a package"}', "no result that a report lists"),
    "later": (VIOLATION.to_json().replace('"schema_version": 3', '"schema_version": 4'), "schema_version is 4"),
    "missing": (
        json.dumps({"schema_version": 1, "target": "a", "verdict": None, "epsilon_lower": 1}),
        "missing fields",
    ),
    "typed": (
        VIOLATION.to_json().replace('"epsilon_lower": 1.7643969', '"epsilon_lower": "<b>much</b>"'),
        "wrong type",
    ),
    "verdict": (VIOLATION.to_json().replace('"verdict": "violation"', '"verdict": "<b>fine</b>"'), "wrong type"),
    "nan": (VIOLATION.to_json().replace('"epsilon_lower": 1.7643969', '"epsilon_lower": NaN'), "not JSON"),
    "certificate": (GRANTED.to_json().replace('"releases": [', '"releases": [7, '), "wrong type"),
    "datum": (GRANTED.to_json().replace('"totals": {"1"', '"totals": {"__import__(1)"'), "wrong type"),
    "bounds": ('{"schema_version": 1, "instance": {"family": "x"}, "bounds": [], "contradictions": []}', "family"),
    "bound": ('{"schema_version": 1, "instance": {}, "bounds": [{"id": 1}], "contradictions": []}', "wrong type"),
    "simulation": ('{"schema_version": 1, "results": []}', "wrong type"),
    "rows": ('{"schema_version": 1, "results": [{"policy": "a", "mean": null}]}', "wrong type"),
}


@pytest.mark.parametrize("name", STRANGE)
def test_strange_files_are_refused_with_a_reason(tmp_path, name):
    text, reason = STRANGE[name]
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(PrivcheckError, match=reason):
        read_result(tmp_path / "a.json")


def test_unreadable_files_are_named_and_change_nothing_else(folder, capsys):
    before = len(read_folder(folder).results)
    for name, (text, _) in STRANGE.items():
        (folder / f"strange-{name}.json").write_text(text)
    (folder / "bytes.json").write_bytes(b"\xff\xfe{")
    (folder / "dangling.json").symlink_to(folder / "nowhere")
    (folder / "folder.json").mkdir()
    os.mkfifo(folder / "pipe.json")
    (folder / "two\nlines\x1b[31m.json").write_text("")
    assert run(["report", str(folder)]) == 1
    out, err = capsys.readouterr()
    assert len(err.splitlines()) == len(STRANGE) + 4
    assert "\x1b" not in err
    assert all(line.startswith("privcheck: not read: ") for line in err.splitlines())
    assert "Traceback" not in out + err
    page = (folder / "index.html").read_text(encoding="utf-8")
    assert all(f"strange-{name}.json" in page for name in STRANGE)
    assert "bytes.json" in page
    assert "dangling.json" in page
    assert len(read_folder(folder).results) == before
    assert "<b>much</b>" not in page


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"epsilon_lower": 1e306}, f"{1e306:.3f}"),
        ({"seed": 10**400}, f"1{'0' * 400}"),
        ({"certificate": None, "epsilon_claimed": 1e306, "epsilon_lower": 1e307}, "1e+306"),
    ],
)
def test_numbers_of_any_size_are_shown(tmp_path, changes, shown):
    (tmp_path / "a.json").write_text(json.dumps(json.loads(VIOLATION.to_json()) | changes))
    (tmp_path / "a.html").touch()
    assert run(["report", str(tmp_path)]) == 1
    assert shown in (tmp_path / "index.html").read_text()


def test_links_in_circles_are_no_pages(tmp_path):
    (tmp_path / "a.json").write_text(VIOLATION.to_json())
    for name in ("a.html", "a.htm"):
        (tmp_path / name).symlink_to(tmp_path / name)
    save_index(read_folder(tmp_path), tmp_path / "index.html")
    assert "Written by privcheck" in (tmp_path / "a.html").read_text()


def test_hidden_files_are_left_alone_and_folders_below_are_read(tmp_path):
    for name in ("a.json", "sub/b.json", ".hidden.json", ".git/c.json", "sub/d.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("{}")
    assert [str(file.relative_to(tmp_path)) for file in json_files(tmp_path)] == ["a.json", "sub/b.json"]


def test_links_are_followed_and_nothing_is_read_twice(tmp_path):
    """A link to a folder was once passed over, without a word."""
    for name in ("top/run-1/a.json", "top/.hidden/b.json", "elsewhere/c.json", "elsewhere/below/d.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(VIOLATION.to_json())
    top = tmp_path / "top"
    for name, leads_to in {
        "latest": "run-1", "away": "../elsewhere", "again": "../elsewhere", "below": "../elsewhere/below", "loop": ".",
        "last.json": "run-1/a.json", "one.json": "../elsewhere/c.json", "nowhere": "gone",
    }.items():  # fmt: skip
        (top / name).symlink_to(leads_to)
    (tmp_path / "elsewhere" / "back").symlink_to(top)
    found = [str(file.relative_to(top)) for file in json_files(top)]
    assert found == ["run-1/a.json", "again/c.json", "again/below/d.json"]
    assert len(read_folder(top).results) == 3
    (top / "again").unlink()
    (top / "away").unlink()
    assert [str(file.relative_to(top)) for file in json_files(top)] == ["one.json", "run-1/a.json", "below/d.json"]


def test_sweeps_behind_links_are_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "top").mkdir()
    plan = {"kind": "simulation", "targets": ["ucb"], "environments": ["c2"], "horizons": [20], "options": {"runs": 2}}
    sweep(plan, "kept")
    (tmp_path / "top" / "link").symlink_to(tmp_path / "kept")
    assert len(read_folder(tmp_path / "top").sweeps) == 1


CALM = tuple(replace(night, e_value=1.1) for night in WATCHED.nights)


@pytest.mark.parametrize(
    ("report", "verdict", "said"),
    [
        (WATCHED, "alarm", "breaks epsilon = 1: evidence"),
        (replace(WATCHED, alarms=(), nights=CALM), "no alarm", "no alarm in 2"),
        (replace(WATCHED, alarms=(), nights=(), versions=()), "inconclusive", "nothing is known of"),
        (STEPS, "suspicion", "the call of add_noise alone"),
        (replace(STEPS, suspicion=None), "isolated", "add_noise is"),
    ],
)  # fmt: skip
def test_watches_and_steps_are_rows(report, verdict, said, tmp_path, capsys):
    """Once they were called the output of no command, with status 2."""
    report.save(tmp_path / "a.json")
    assert run(["report", str(tmp_path)]) == (verdict == "alarm")
    out, err = capsys.readouterr()
    assert err == ""
    assert f" {verdict} " in out
    (row,) = read_folder(tmp_path).results
    name, claim = getattr(report, "name", report.target), getattr(report, "epsilon_claimed", 1.0)
    assert (row.target, row.claim, row.alarm) == (name, claim, verdict == "alarm")
    assert said in (tmp_path / "index.html").read_text()
    assert (tmp_path / "a.html").exists()


@pytest.mark.parametrize(
    ("verdicts", "word", "said"),
    [
        (("consistent", "violation"), "violation", "; 1 of 2 audited claims refuted"),
        (("inconclusive", "consistent", "inconclusive"), "inconclusive", "; 2 of 3 audited claims inconclusive"),
        (("consistent",), "consistent", "; 1 of 1 audited claim consistent"),
        ((None,), "evaluated", "100 rounds"),
    ],
)
def test_a_frontier_says_how_many_of_its_audits_its_verdict_is_of(verdicts, word, said, tmp_path):
    points = tuple(FrontierPoint("ucb", 1.0, 2.0, None, 1.0, 3.0, 1, 0.5, verdict) for verdict in verdicts)
    Frontier("c2", (0.5, 0.4), (), 100, 0, 0.95, points, ()).save(tmp_path / "a.json")
    (row,) = read_folder(tmp_path).results
    assert (row.kind, row.verdict, row.alarm) == ("frontier", word, word == "violation")
    assert row.detail.endswith(said)


def test_a_result_that_is_older_than_the_code_of_its_target_says_so(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("class Mine: pass\n")
    for number, target in enumerate(["mine.py:Mine", "mine.py:Mine(arms=2)", "gone.py:Mine", "mine.py", "adap-ucb"]):
        replace(VIOLATION, target=target).save(f"{number}.json")
        os.utime(f"{number}.json", (2e9, 2e9))
    os.utime("mine.py", (1e9, 1e9))
    found = read_folder(".")
    assert [row.outdated for row in found.results] == [""] * 5
    assert "older" not in page_index.headline(found)
    os.utime("mine.py", (2.1e9, 2.1e9))
    old = {row.target for row in read_folder(".").results if row.outdated == "older than mine.py: play it again"}
    assert old == {"mine.py:Mine", "mine.py:Mine(arms=2)"}
    assert run(["report", ".", "--no-pages"]) == 1
    said = capsys.readouterr().out
    assert said.count("older than mine.py") == 2
    assert "; 2 older than the code of their targets" in said
    assert Path("index.html").read_text().count("older than mine.py: play it again") == 2


def places_of_strings(content, path=()):
    """Return the paths of all strings in a JSON value, of lists those in the first two entries."""
    if isinstance(content, str):
        return [path]
    entries = content.items() if isinstance(content, dict) else list(enumerate(content))[:2]
    return [
        found
        for key, value in entries
        if isinstance(value, str | dict | list)
        for found in places_of_strings(value, (*path, key))
    ]


def test_no_string_of_a_file_is_read_as_html(texts, tmp_path, monkeypatch):
    """Pictures, which are slow and drawn from few of them, are left out: their titles are tested with the pictures."""
    for module in ("page_audits", "rendered_parts", "page_bounds"):
        monkeypatch.setattr(f"privcheck.reporting._pages.{module}.inline_picture", lambda *_: "")
    drawn = 0
    for name, text in texts.items():
        for path in places_of_strings(json.loads(text)):
            content = json.loads(text)
            *parents, last = path
            reduce(getitem, parents, content)[last] = "<img src=x>\"'\x1b[31m"
            (tmp_path / "a.json").write_text(json.dumps(content))
            found = read_folder(tmp_path)
            pages = [render_index(found, tmp_path / "index.html", {})]
            for result in found.results:
                with suppress(Exception):  # as the index does
                    pages += [result.page()] if result.page else []
            drawn += len(pages) - 1
            assert not any(sign in page for page in pages for sign in ("<img", "\x1b")), (name, path)
    assert drawn > 100


# The page and its links


def links(page):
    return [address for address in re.findall(r'<a href="([^"]+)"', page) if not address.startswith("#")]


def test_links_lead_to_pages_and_data(folder, tmp_path_factory):
    (folder / "sub").mkdir()
    odd = "a b#c?é&:1"
    (folder / "sub" / f"{odd}.json").write_text(GRANTED.to_json())
    (folder / "sub" / f"{odd}.html").write_text("a page")
    for index in (folder / "index.html", folder / "sub" / "all.html", tmp_path_factory.mktemp("out") / "index.htm"):
        save_index(read_folder(folder), index)
        page = index.read_text(encoding="utf-8")
        found = links(page)
        assert len(found) == 2 * len(read_folder(folder).results)
        assert all((index.parent / unquote(address)).is_file() for address in found)
        assert not any(set(":#?&") & set(address) for address in found)


def test_pages_are_written_where_they_are_missing(texts, reports, tmp_path):
    names = ("audit-violation", "certificate-granted", "bounds", "curve", "simulation")
    for name in names:
        (tmp_path / f"{name}.json").write_text(texts[name])
    save_index(read_folder(tmp_path), tmp_path / "index.html")
    pages = {file.stem for file in tmp_path.glob("*.html")}
    assert pages == {"audit-violation", "certificate-granted", "bounds", "index"}
    reports["violation"].save_html(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_text() == (tmp_path / "audit-violation.html").read_text()
    assert len(links((tmp_path / "index.html").read_text())) == len(names) + 3


def test_only_old_pages_of_our_own_are_written_again(tmp_path):
    (tmp_path / "a.json").write_text(VIOLATION.to_json())
    page, json_file = tmp_path / "a.html", tmp_path / "a.json"
    stamp = 1e9
    for text, age, again in (
        ("my notes", -10, False),
        ("Written by privcheck 0.0", 10, False),
        ("Written by privcheck 0.0", -10, True),
    ):
        page.write_text(text)
        os.utime(json_file, (stamp, stamp))
        os.utime(page, (stamp + age, stamp + age))
        save_index(read_folder(tmp_path), tmp_path / "index.html")
        assert (page.read_text(encoding="utf-8") != text) is again


def test_a_result_called_index_does_not_fight_for_the_name(tmp_path):
    (tmp_path / "index.json").write_text(VIOLATION.to_json())
    for _ in range(2):
        save_index(read_folder(tmp_path), tmp_path / "index.html")
        assert "privcheck results" in (tmp_path / "index.html").read_text()
    assert links((tmp_path / "index.html").read_text()) == ["index.json"]


def test_a_page_that_cannot_be_drawn_is_left_out(tmp_path, monkeypatch):
    (tmp_path / "a.json").write_text(VIOLATION.to_json())

    def fail(*arguments, **settings):
        raise RuntimeError("no ink")

    monkeypatch.setattr("privcheck.reporting._result_files.page", fail)
    save_index(read_folder(tmp_path), tmp_path / "index.html")
    assert links((tmp_path / "index.html").read_text()) == ["a.json"]


def test_the_index_is_the_same_twice_and_says_when(folder):
    found = read_folder(folder)
    page = render_index(found, folder / "index.html", {})
    assert page == render_index(found, folder / "index.html", {})
    assert f"{datetime.fromtimestamp(1e9, UTC):%Y-%m-%d %H:%M}" in page
    assert page_index.headline(found).startswith(f"{len(found.results)} results: 2 violation, 2 not certified, ")


def test_bounds_survive_their_file():
    for instance in (
        named_instance("c2", epsilon=1.0, horizon=1e6),
        named_instance("c2", epsilon=float("inf"), horizon=1e6),
        LinearInstance(((1.0, 0.0), (0.0, 1.0)), (0.5, 0.25), 1.0, 1e5),
        ContextualInstance(dimension=5, epsilon=1.0, horizon=1e5, delta=1e-3, alpha=0.01),
    ):
        values = evaluate(instance)
        found = read_bounds(json.loads(bounds_json(instance)))
        assert found.instance == instance
        assert found == values


def test_the_page_of_bounds_from_a_file_is_that_of_the_bounds(texts):
    values = read_bounds(json.loads(texts["bounds"]))
    instance = values.instance
    original = named_instance("c2", epsilon=1.0, horizon=1e6)
    assert render_bounds(instance, values) == render_bounds(original, evaluate(original))


# The command


def test_exit_status_and_default_place(folder, capsys):
    assert run(["report", str(folder)]) == 1
    assert "✗ violation" in capsys.readouterr().out
    for name in ("audit-violation", "audit-unbounded", "certificate-leaky", "certificate-refused", "fix-nothing"):
        (folder / f"{name}.json").unlink()
    assert run(["report", str(folder), "--html", str(folder / "new" / "all.html")]) == 0
    assert (folder / "new" / "all.html").is_file()


@pytest.mark.parametrize("alarm", ["audit-violation", "certificate-leaky", "certificate-refused", "fix-nothing"])
def test_one_bad_result_is_enough(texts, tmp_path, alarm):
    for name in ("audit-consistent", alarm):
        (tmp_path / f"{name}.json").write_text(texts[name])
        (tmp_path / f"{name}.html").touch()
    assert run(["report", str(tmp_path)]) == 1
    (tmp_path / f"{alarm}.json").unlink()
    assert run(["report", str(tmp_path)]) == 0


def test_a_result_that_was_cut_off_does_not_pass(texts, tmp_path, capsys):
    (tmp_path / "good.json").write_text(texts["audit-consistent"])
    (tmp_path / "cut.json").write_text(texts["audit-violation"][:-100])
    assert run(["report", str(tmp_path)]) == 2
    assert "cut.json: it is not JSON" in capsys.readouterr().err
    (tmp_path / "cut.json").unlink()
    assert run(["report", str(tmp_path)]) == 0


@pytest.mark.parametrize("place", ["nowhere", "file.txt", "empty"])
def test_a_bad_folder_is_refused_in_one_line(tmp_path, capsys, place):
    (tmp_path / "file.txt").touch()
    (tmp_path / "empty").mkdir()
    assert run(["report", str(tmp_path / place)]) == 2
    err = capsys.readouterr().err
    assert err.startswith("privcheck: folder: got ")
    assert len(err.splitlines()) == 1
    assert not list(tmp_path.rglob("*.html"))


@pytest.mark.parametrize("name", ["index.pdf", "folder.html"])
def test_a_bad_place_for_the_index_is_refused_before_anything_is_written(texts, tmp_path, capsys, name):
    (tmp_path / "a.json").write_text(texts["audit-violation"])
    (tmp_path / "folder.html").mkdir()
    assert run(["report", str(tmp_path), "--html", str(tmp_path / name)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"a.json", "folder.html"}


def test_a_page_of_somebody_else_is_not_replaced_unless_it_is_named(folder, capsys):
    index = folder / "index.html"
    index.write_text("my own start page")
    assert run(["report", str(folder)]) == 2
    assert capsys.readouterr().err.startswith(f"privcheck: html: got '{index}', expected a page that privcheck wrote")
    assert index.read_text() == "my own start page"
    for arguments in ([str(folder), "--html", str(index)], [str(folder)]):
        assert run(["report", *arguments]) == 1
        assert "privcheck results" in index.read_text()


def test_a_failed_write_leaves_the_old_index(folder, monkeypatch):
    index = folder / "index.html"
    index.write_text("old: Written by privcheck")

    def fail(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    assert run(["report", str(folder)]) == 2
    assert index.read_text() == "old: Written by privcheck"


@pytest.mark.parametrize("budget", [{"rho": 0.5}, {"mu": 1.0}])
def test_a_certificate_in_another_notion_shows_its_numbers_in_that_notion(tmp_path, budget):
    ((unit, amount),) = budget.items()
    bounds = {"epsilon_claimed": None, "epsilon_upper": None, f"{unit}_upper": amount}
    certificate = replace(GRANTED, budget=NOTIONS[unit](amount), **bounds)
    (tmp_path / "one.json").write_text(certificate.to_json())
    row = read_result(tmp_path / "one.json")
    assert (row.unit, row.claim, row.upper) == (unit, amount, amount)
    console = Console(width=200, record=True)
    console.print(details(read_folder(tmp_path)))
    assert console.export_text().count(f"{unit} {amount:g}") == 2, "the claim and the upper bound"
    assert render_index(read_folder(tmp_path), tmp_path / "index.html", {}).count(f"{unit} {amount:g}") >= 2


def test_a_file_in_place_of_a_folder_is_called_one(tmp_path):
    (tmp_path / "mine.json").write_text("{}")
    with pytest.raises(PrivcheckError, match="this is a file: give its folder"):
        read_folder(tmp_path / "mine.json")
