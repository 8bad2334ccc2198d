"""A release: the page on migration names all that is gone since the one before, and the changelog has a section."""

from __future__ import annotations

import importlib.util
import json
import re
from pathlib import Path

import pytest

import privcheck

HERE = Path(__file__).parent
REPOSITORY = HERE.parent
MIGRATING = (REPOSITORY / "MIGRATING.md").read_text("utf-8")
BEFORE = json.loads((HERE / "released" / "0.1.0.json").read_text("utf-8"))

_spec = importlib.util.spec_from_file_location("public_surface", HERE / "released" / "public_surface.py")
public_surface = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(public_surface)


@pytest.fixture(scope="module")
def now():
    """What this version shows."""
    return public_surface.surface()


def untold(lost, page):
    """Return what is gone and not named on the page: by its last part, or a module by its whole name."""
    words = set(re.findall(r"[\w.-]+", page))
    rows = [*lost["names"], *lost["parameters"], *lost["members"], *lost["options"], *lost["ids"]]
    missing = [row for row in rows if re.split(r"[. ]", row)[-1] not in words]
    return missing + [module for module in lost["modules"] if module not in words]


def test_all_that_is_gone_since_the_last_release_is_named_on_the_page(now):
    lost = public_surface.gone(BEFORE, now)
    assert BEFORE["version"] == "0.1.0"
    assert lost["parameters"]
    assert untold(lost, MIGRATING) == []


def test_no_option_and_no_id_is_gone_as_the_page_says(now):
    lost = public_surface.gone(BEFORE, now)
    assert "No command, option or id of 0.1.0 is gone" in MIGRATING
    assert lost["options"] == lost["ids"] == []
    assert len(BEFORE["commands"]) >= 6
    assert len(BEFORE["ids"]["theorems"]) > 20


def test_what_is_gone_would_be_noticed(now):
    before = json.loads(json.dumps(now))
    before["names"]["privcheck"]["vanished"] = {"parameters": [], "members": []}
    before["names"]["privcheck"]["audit"]["parameters"].append("lost_parameter")
    before["commands"]["audit"].append("--lost-option")
    before["ids"]["algorithms"].append("lost-id")
    lost = public_surface.gone(before, now)
    assert untold(lost, MIGRATING) == [
        "privcheck.vanished",
        "privcheck.audit.lost_parameter",
        "audit --lost-option",
        "lost-id",
    ]
    assert untold(lost, f"{MIGRATING} vanished lost_parameter --lost-option lost-id") == []


def test_names_on_the_page_are_there():
    """The right column, as Python."""
    from privcheck import bounds, reporting
    from privcheck.accounting import BudgetFilter, Charge
    from privcheck.claims import listed_items
    from privcheck.mechanisms import NoisyMax

    assert callable(privcheck.audit)
    assert callable(privcheck.simulate)
    assert callable(listed_items)
    assert Charge.__module__.startswith("privcheck.accounting")
    assert BudgetFilter(1.0) is not None
    assert NoisyMax(score_range=1.0, epsilon=1.0).score_range == 1.0
    with pytest.raises(privcheck.PrivcheckError, match="score_range"):
        NoisyMax(sensitivity=1.0, epsilon=1.0)
    around, between = bounds.Enclosure.around(1.0, absolute=0.5), bounds.Enclosure.between(1.0, 2.0, relative=0.5)
    assert (around.lower, around.upper, between.lower, between.upper) == (0.5, 1.5, 0.5, 3.0)
    for name in ("details", "page", "plot", "save_page"):
        assert callable(getattr(reporting, name))


def test_what_the_page_says_about_guards():
    import numpy as np

    class Still:
        def __init__(self, rng):
            self.rng = rng

        def select(self):
            return 0

        def update(self, action, reward):
            self.last = action

    with pytest.raises(privcheck.PrivcheckError, match='noise="float"'):
        privcheck.guard(Still(None), epsilon=1.0, rng=np.random.default_rng(0))
    guarded = privcheck.guard(Still(None), epsilon=1.0)
    with pytest.raises(privcheck.PrivcheckError, match="nothing was charged"):
        guarded.update(0, 1.0)
    assert guarded.spent == 0.0


def sections():
    """Return the headings of the changelog's versions."""
    text = (REPOSITORY / "CHANGELOG.md").read_text("utf-8")
    return re.findall(r"^## (.*)$", text, re.MULTILINE)


def test_the_changelog_has_a_section_for_this_version():
    version = privcheck.__version__.partition(".dev")[0]
    dated = [heading for heading in sections() if re.fullmatch(r"\d+\.\d+\.\d+ - \d{4}-\d\d-\d\d", heading)]
    assert sections()[0] == "Unreleased"
    assert len(dated) == len(sections()) - 1
    if ".dev" not in privcheck.__version__:
        assert dated[0].startswith(f"{version} - ")
    assert f"to {version}" in MIGRATING.splitlines()[0]
