"""What other rooms may use of the reports: the names in `privcheck.reporting`, which take results of every kind."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import privcheck
from privcheck import reporting
from privcheck.errors import PrivcheckError
from privcheck.reporting import (
    _kinds as kinds,
)
from privcheck.reporting import (
    check_plot,
    details,
    evidence,
    markdown,
    plot,
    python_call,
    save_page,
    sentence,
)
from privcheck.reporting._presented import KINDS, kind_of
from tests.example_results import GRANTED, VIOLATION

_spec = importlib.util.spec_from_file_location("imports", Path(__file__).parents[1] / "imports.py")
reader = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(reader)

PACKAGE = Path(privcheck.__file__).parent
MODULES = {module.name for module in pkgutil.iter_modules(kinds.__path__)}


def inner_names(package):
    """Return the imports of the reports, outside of them, that are no public name of the package."""
    public = {f"privcheck.reporting.{name}" for name in reporting.__all__} | {"privcheck.reporting"}
    lines = [line for file in package.rglob("*.py") for line in reader.imports(file)]
    outside = [line for line in lines if reader.room_of_file(line.file, package) != "reporting"]
    return [line.target for line in outside if reader.room(line.target) == "reporting" and line.target not in public]


def test_other_rooms_import_public_names_only():
    assert inner_names(PACKAGE) == []


@pytest.mark.parametrize("line", ["from privcheck.reporting._text import numbers", "import privcheck.reporting._kinds"])
def test_an_inner_name_is_noticed(line, tmp_path):
    (tmp_path / "cli").mkdir()
    (tmp_path / "cli" / "twin.py").write_text(f"def later():\n    {line}\n", encoding="utf-8")
    assert inner_names(tmp_path)


@pytest.mark.parametrize("name", reporting.__all__)
def test_every_public_name_is_found(name):
    assert getattr(reporting, name) is not None
    assert name in dir(reporting)


def test_another_name_is_refused():
    with pytest.raises(AttributeError, match="attribute nothing"):
        reporting.nothing  # noqa: B018


def test_the_reports_load_what_is_asked_for():
    code = "import sys; from privcheck import reporting; loaded = set(sys.modules); reporting.clean; print(*loaded)"
    found = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True).stdout
    assert "privcheck.reporting" in found.split()
    assert not {"numpy", "rich", "matplotlib"} & set(found.split())


# Kinds of results


@pytest.mark.parametrize("module", sorted(MODULES))
def test_every_kind_is_registered_and_can_be_shown(module):
    assert module in KINDS.values()
    shown = importlib.import_module(f"privcheck.reporting._kinds.{module}")
    assert shown.details or shown.page


def test_every_registered_kind_has_its_module():
    assert set(KINDS.values()) == MODULES


def test_a_class_of_the_same_name_is_no_result():
    Plan = type("Plan", (), {"__module__": "mine"})
    assert kind_of(Plan()) is None
    Mine = type("Mine", (type(VIOLATION),), {"__module__": "mine"})
    assert kind_of(Mine.__new__(Mine)) is kind_of(VIOLATION)


@pytest.mark.parametrize("show", [details, evidence, markdown, plot, python_call, sentence])
def test_what_is_no_result_is_refused(show):
    with pytest.raises(PrivcheckError, match="result: got an object of type int"):
        show(3)


def test_a_page_of_what_has_none_is_refused(tmp_path):
    with pytest.raises(PrivcheckError, match="result: got an object of type int"):
        save_page(3, tmp_path / "page.html")
    assert not list(tmp_path.iterdir())


def test_each_medium_says_the_same(tmp_path):
    for result in (VIOLATION, GRANTED):
        told = sentence(result)
        assert told in markdown(result).replace("\\", "")
        save_page(result, tmp_path / "page.html")
        assert told.partition(": ")[2] in (tmp_path / "page.html").read_text(encoding="utf-8")
        assert python_call(result).startswith(("privcheck.audit('rnm-ftnl", "privcheck.certify('adap-ucb"))


@pytest.mark.parametrize(("kind", "picture"), [("audit", "ledger"), ("certificate", "witness")])
def test_pictures_of_other_kinds_are_refused(kind, picture):
    with pytest.raises(PrivcheckError, match=f"picture: got {picture!r}"):
        check_plot(kind, None, picture)
