"""That audits seed the generators of their process is said wherever somebody with a service looks for it."""

from pathlib import Path

import pytest

import privcheck

DOCS = Path(__file__).parents[2] / "docs"
SAID = "not audit in the process of a service"


@pytest.mark.parametrize("page", ["audit.md", "services.md"])
def test_a_page_says_so(page):
    assert SAID in " ".join((DOCS / page).read_text(encoding="utf-8").split())


def test_the_reference_says_so():
    assert SAID in " ".join(str(privcheck.audit.__doc__).split())
