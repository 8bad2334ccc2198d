"""The table of all settings: what it plays exists, and a few runs give its rows."""

import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from privcheck.bandits import ALGORITHMS

PLACE = Path(__file__).parents[2] / "benchmarks" / "settings.py"


@pytest.fixture(scope="module")
def settings():
    spec = importlib.util.spec_from_file_location("settings_table", PLACE)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    yield spec.loader.exec_module(module) or module
    del sys.modules[spec.name]


def test_every_policy_of_the_table_can_be_built(settings):
    for setting in settings.SETTINGS:
        place = setting.place()
        arms = len(place) if isinstance(place, Sequence) else place.arms
        roles = [entry.role for entry in setting.entries]
        assert {"published", "not private"} <= set(roles)
        for entry in setting.entries:
            spec = ALGORITHMS[entry.policy](arms=arms, **entry.options)
            assert spec.private == (entry.role != "not private" or entry.policy == "rnm-ftnl")
    named = {entry.policy for setting in settings.SETTINGS for entry in setting.entries}
    assert {"ldp-ucb", "ldp-kl-ucb", "ldp-imed", "ctb-tt", "ldp-tt", "adac-ucb", "gaussian-glr-imed"} <= named


def test_a_few_runs_fill_a_row_and_the_page(settings, tmp_path):
    rows = settings.table(3, 0, ["full information"])
    assert [row.count("|") for row in rows] == [9] * len(rows)
    assert len(rows) == 4
    page = tmp_path / "page.md"
    page.write_text("Before.\n\n| setting | old |\n|---|---|\n| gone | 1 |\n\nAfter.\n", "utf-8")
    settings.write(page, rows)
    assert page.read_text("utf-8").split("\n") == ["Before.", "", *rows, "", "After.", ""]


def test_a_row_has_the_mean_the_median_and_the_largest(settings):
    setting = settings.SETTINGS[0]
    row = settings.row(setting, setting.entries[0], np.array([1.0, 2.0, 9.0]))
    assert row.endswith("| 3 | 4 ± 2.5 | 2 |  | 9 |")
    assert " | 99 | " in settings.row(setting, setting.entries[0], np.arange(1.0, 101.0))


def test_lower_bounds_are_those_of_the_theory(settings):
    from privcheck.bounds import characteristic_time

    expected = characteristic_time("bernoulli", (0.9, 0.5), 1.0).value * np.log(1 / 0.024)
    assert settings.least_rounds((0.9, 0.5), 1.0) == pytest.approx(expected)
    (best,) = [setting.bound() for setting in settings.SETTINGS if setting.name == "best arm"]
    assert best == pytest.approx(3473, abs=1), "the value on the page of best-arm identification"
    (local,) = [setting.bound() for setting in settings.SETTINGS if setting.name == "best arm, local"]
    assert local == pytest.approx(2423, abs=1), "the value on the page of local privacy"
