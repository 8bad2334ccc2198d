"""Privacy tests that add nights of evidence to a store."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from privcheck.testing import PrivacyFailure
from privcheck.testing._running import Running, running
from privcheck.testing._watched_assertion import add_night
from privcheck.watching import read_watches
from tests.watching.policies import Leaking

pytest_plugins = ["pytester"]

SUITE = """
import pytest
from policies import Blocks

@pytest.mark.privacy(epsilon=1.0, arms=2, horizon=4, runs=600, pairs=10_000)
def test_with_an_option_that_a_watch_has_not():
    return Blocks

@pytest.mark.privacy(epsilon=1.0, arms=2, horizon=4, runs=600)
def test_blocks():
    return Blocks
"""


@pytest.fixture
def suite(imported, plugin, pytester, monkeypatch):
    for name in ("CI", "BUILD_NUMBER"):
        monkeypatch.delenv(name, raising=False)
    policies = Path(__file__).parents[1].joinpath("watching", "policies.py").read_text(encoding="utf-8")
    pytester.makepyfile(policies=policies, test_watched=SUITE)
    pytester.syspathinsert()
    pytester.options = plugin
    return pytester


def run(suite, *arguments):
    return suite.runpytest_inprocess(*suite.options, "-p", "no:cacheprovider", "--tb=short", *arguments)


@pytest.mark.chance(4e-6, "the level of each of three audits and of a watch")
def test_a_night_is_added_for_each_test_and_an_alarm_fails_it(suite):
    store = suite.path / "watch.sqlite"
    plain = run(suite, "-k", "blocks")
    plain.assert_outcomes(passed=1, deselected=1)
    assert not store.exists()
    first = run(suite, "--privcheck-watch=watch.sqlite", "-k", "blocks")
    first.assert_outcomes(passed=1, deselected=1)
    first.stdout.fnmatch_lines(["*no alarm in 1 night of test_watched.py::test_blocks at claim epsilon = 1*"])
    run(suite, "--privcheck-watch=watch.sqlite", "-k", "blocks").assert_outcomes(passed=1, deselected=1)
    (found,) = read_watches(store)
    assert (found.name, len(found.nights), found.nights[0].runs) == ("test_watched.py::test_blocks", 2, 100)


@pytest.mark.chance(1e-6, "the level of the audit")
def test_options_that_a_watch_has_not_add_no_night(suite):
    result = run(suite, "--privcheck-watch=watch.sqlite", "-k", "option")
    result.stdout.fnmatch_lines(["*no night was added to watch.sqlite: a watch has no pairs*"])
    assert not (suite.path / "watch.sqlite").exists()


@pytest.mark.chance(1e-9, "eight nights of three times the claim")
def test_an_alarm_fails_the_test(tmp_path):
    config = SimpleNamespace(rootpath=tmp_path, inipath=None, getini=lambda _: None)
    with pytest.raises(PrivacyFailure, match=r"alarm: a version of test_it\.py::test_it"):  # noqa: PT012
        for _ in range(8):
            with running(Running("test_it.py::test_it", config=config, watch="watch.sqlite", output="pages")):
                add_night(Leaking, 100, epsilon=1.0, arms=2, horizon=9, error=1e-3)
    (page,) = (tmp_path / "pages").glob("*.html")
    assert "Latest nights" in page.read_text()
