"""`--html`, `--plot` and `--picture` of every command."""

import xml.etree.ElementTree as ET

import pytest

from privcheck.cli import run

AUDIT = ["audit", "rnm-ftnl-published", "--epsilon", "1", "--arms", "4", "--horizon", "4", "--runs", "2000"]
CERTIFY = ["certify", "adap-ucb", "--epsilon", "1", "--arms", "2", "--horizon", "8", "--runs", "2"]
BOUNDS = ["bounds", "--means", "0.75,0.5", "--epsilon", "1", "--horizon", "1e5"]
SIMULATE = ["simulate", "adap-ucb", "ucb", "--means", "0.75,0.5", "--epsilon", "1", "--horizon", "300", "--runs", "5"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (BOUNDS, "azize-basu-2022/thm3-tight"),
        ([*BOUNDS, "--curve", "horizon"], "Bounds against the rounds T"),
        (SIMULATE, "2 policies on bernoulli (means 0.75, 0.5): 300 rounds, 5 runs"),
    ],
)
def test_pages(command, said, tmp_path, capsys):
    assert run([*command, "--html", "out/page.html"]) == 0
    page = (tmp_path / "out" / "page.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert said in page
    assert capsys.readouterr().out


def test_the_page_does_not_depend_on_json(tmp_path, capsys):
    for extra, name in (([], "a.html"), (["--json", "-"], "b.html")):
        run([*BOUNDS, "--html", name, *extra])
    assert (tmp_path / "a.html").read_text() == (tmp_path / "b.html").read_text()


@pytest.mark.parametrize(
    ("command", "picture", "title"),
    [
        (AUDIT, None, "Lower bounds on epsilon"),
        (AUDIT, "witness", "rnm-ftnl-published"),
        (CERTIFY, None, "Ledger of adap-ucb"),
        (CERTIFY, "ledger", "Ledger of adap-ucb"),
    ],
)
def test_pictures(command, picture, title, tmp_path):
    chosen = [] if picture is None else ["--picture", picture]
    assert run([*command, "--plot", "out/a.svg", *chosen]) in (0, 1, 3)
    root = ET.fromstring((tmp_path / "out" / "a.svg").read_text(encoding="utf-8"))
    assert title in root[0].text
    assert run([*command, "--plot", "out/a.png", *chosen]) in (0, 1, 3)
    assert (tmp_path / "out" / "a.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        ([*AUDIT, "--plot", "a.pdf"], "plot: got 'a.pdf'"),
        ([*AUDIT, "--plot", "a.svg", "--picture", "ledger"], "picture: got 'ledger'"),
        ([*CERTIFY, "--plot", "a.svg", "--picture", "bounds"], "picture: got 'bounds'"),
        ([*CERTIFY, "--plot", "a.svg", "--picture", "divergence"], "certificate: got"),
        ([*BOUNDS, "--html", "a.txt"], "html: got 'a.txt'"),
        ([*SIMULATE, "--html", "a.txt"], "html: got 'a.txt'"),
    ],
)
def test_bad_places_and_pictures(flags, word, tmp_path, capsys):
    assert run(flags) == 2
    err = capsys.readouterr().err
    assert word in err
    assert len(err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
