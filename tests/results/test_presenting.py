"""Results ask `privcheck.presenting` for pages and pictures; `import privcheck` says who answers, and loads nothing."""

import subprocess
import sys

import pytest

from privcheck import presenting
from privcheck.results._example_results import GRANTED, VIOLATION


def python(code):
    return subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True).stdout


def test_reports_are_loaded_when_a_result_is_shown():
    loaded = "print('privcheck.reporting' in sys.modules)"
    code = (
        f"import sys; from privcheck.results._example_results import GRANTED; {loaded}; GRANTED._repr_html_(); {loaded}"
    )
    assert python(code).split() == ["False", "True"]


@pytest.mark.parametrize("first", ["privcheck.bounds", "privcheck.claims._finding", "privcheck.results._certificate"])
def test_whatever_is_imported_first_results_can_be_shown(first):
    assert python(f"import {first}; from privcheck import presenting; print(presenting.presenter().__name__)") == (
        "privcheck.reporting\n"
    )


def test_another_presenter_is_asked(monkeypatch, tmp_path):
    class Loud:
        def notebook(self, result):
            return f"<b>{type(result).__name__}</b>"

        def save_page(self, result, path):
            path.write_text("loud")

        def plot(self, result, path, **options):
            return options

    monkeypatch.setattr(presenting, "presenter", Loud)
    assert VIOLATION._repr_html_() == "<b>AuditReport</b>"
    assert GRANTED.plot(picture="divergence") == {"picture": "divergence"}
    GRANTED.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == "loud"


def test_without_a_presenter_there_is_an_error(monkeypatch):
    monkeypatch.setattr(presenting, "presenter", presenting._nobody)
    with pytest.raises(NotImplementedError):
        VIOLATION._repr_html_()
