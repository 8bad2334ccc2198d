"""What is said of a watch: the names of versions, evidence of any size, and what to run after an alarm."""

from __future__ import annotations

from dataclasses import replace

import pytest

from privcheck.reporting import details, render_watches, workflow_commands
from privcheck.reporting._pictures.watch_picture import watch_figure
from privcheck.reporting._text.watch_sentences import next_step, past_alarms, sentence
from tests.example_results import WATCHED


def test_versions_that_the_user_names_are_named():
    target = "from_command(['node', 'a b.js'], timeout=5.0)"
    versions = tuple(replace(version, code=f"news-{version.number}.0") for version in WATCHED.versions)
    found = replace(WATCHED, versions=versions, target=target, name="news")
    page, annotation = render_watches([found]), workflow_commands(found)
    table = details(found).renderables[1]
    terminal = [str(cell) for column in table.columns for cell in column.cells]
    assert "2, news-2.0" in terminal
    assert "2, news-2.0" in page
    assert "version 1, news-1.0" in annotation
    later = replace(found, versions=(*versions, replace(versions[1], number=3, code="news-3.0")))
    assert "when version 2, news-2.0 was played" in past_alarms(later)[0]
    assert ", a1b2" not in render_watches([WATCHED]).replace("<td", ""), "a hash is no name"


def test_an_alarm_about_a_command_has_a_command_to_run_next():
    found = replace(WATCHED, target="from_command(['node', 'a b.js'], timeout=5.0)")
    asked = "privcheck audit --command 'node '\"'\"'a b.js'\"'\"'' --timeout 5.0 --epsilon 1 --arms 2 --horizon 16"
    assert next_step(found) == f"next: {asked}, which shows both streams"
    assert "--url http://127.0.0.1:1/ --epsilon" in next_step(replace(found, target="from_url('http://127.0.0.1:1/')"))


def test_what_comes_after_an_alarm_is_played_as_the_watch_was():
    """A leak that only rewards above 1 show is not seen in an audit of rewards from 0 to 1."""
    found = replace(WATCHED, target="bandit.py:Bandit", rewards=(-1.0, 4.0))
    told = next_step(found)
    assert "privcheck audit bandit.py:Bandit --epsilon 1 --arms 2 --horizon 16 --rewards -1,4," in told
    assert told.endswith("privcheck fix bandit.py:Bandit --epsilon 1 --arms 2 --rewards -1,4")
    guarded = next_step(replace(found, guarded=True))
    assert guarded.endswith("--rewards -1,4 --guarded, which shows both streams"), "no file is patched into a guard"


def test_large_evidence_is_short_and_drawn_below_the_edge():
    pytest.importorskip("matplotlib")
    huge = 6_759_679_192_184_062_777_859_128_688_640.0
    for value, shown in ((huge, "6.7e30"), (float("inf"), "over 1e304")):
        alarm = replace(WATCHED.alarms[0], e_value=value)
        nights = (WATCHED.nights[0], replace(WATCHED.nights[1], e_value=value))
        found = replace(WATCHED, alarms=(alarm,), nights=(*nights, replace(nights[1], number=3)))
        assert f"evidence {shown} on night 2, 1,000 needed" in sentence(found), "the night whose evidence it is"
        axes = watch_figure(found).axes[0]
        top = axes.get_ylim()[1]
        assert max(axes.lines[-2].get_ydata()) < top < float("inf")
