"""What a fix says: what certified patches rest on, what was withdrawn, and why none is recommended."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from privcheck.reporting import details, page
from privcheck.reporting._kinds.fix import markdown
from privcheck.reporting._text.fix_sentences import certify_command, provided, sentence, tried_words
from privcheck.results import Fix
from tests.example_results import FIXED_BANDIT

BEST = FIXED_BANDIT.recommended
STUCK = replace(
    FIXED_BANDIT, outcome="none learns", patches=(replace(BEST, standing="not recommended", why="it stops learning"),)
)


def shown(found):
    console = Console(width=400, file=io.StringIO())
    console.print(details(found))
    return console.file.getvalue()


def test_what_a_certificate_rests_on_is_told_if_no_patch_is_recommended():
    told = [line for line in provided(STUCK) if "of patch 1" not in line]
    assert set(told) <= set(provided(FIXED_BANDIT))
    assert any("Without the guard" in line for line in told)
    assert provided(FIXED_BANDIT) == provided(STUCK)


def test_what_was_withdrawn_is_always_told():
    gone = replace(BEST, number=2, standing="withdrawn", why="an audit says no", certificate=None, regret=None)
    for found in (FIXED_BANDIT, STUCK):
        for told in (shown, page):
            assert "withdrew" not in told(found)
            assert "withdrew noisy-rewards: an audit says no" in told(replace(found, patches=(*found.patches, gone)))


def test_regret_that_was_not_measured_is_not_called_a_patch_that_stops_learning():
    assert sentence(STUCK).endswith("and none is recommended: each stops learning")
    (patch,) = STUCK.patches
    unknown = replace(STUCK, patches=(replace(patch, regret=None, why="its regret could not be measured"),))
    assert sentence(unknown).endswith("and none is recommended: its regret could not be measured")
    assert sentence(unknown).startswith("none is known to learn: ")
    assert sentence(STUCK).startswith("none learns: ")
    why = "the regret of the original could not be measured"
    unknown = replace(STUCK, original=None, patches=(replace(patch, why=why),))
    assert sentence(unknown).endswith(f"and none is recommended: {why}")


def test_what_was_tried_is_told_with_why_it_does_not_hold():
    tried = (("noisy-read",), ("noisy-read", "forget"), ("noisy-read",), ("laplace",))
    found = replace(
        FIXED_BANDIT, outcome="nothing certifies", patches=(), tried=tried, refused=("a leak\nat a.py:3", "", "another")
    )
    told = ["tried noisy-read: a leak at a.py:3", "tried noisy-read + forget", "tried laplace"]
    assert tried_words(found) == told
    for show in (shown, page):
        assert all(line in show(found) for line in told)


def test_the_confidence_of_an_audit_is_the_one_that_it_had():
    assert "(99.9 % confidence)" in shown(FIXED_BANDIT)
    told = shown(replace(FIXED_BANDIT, patches=(replace(BEST, audit_confidence=1.0 - 1e-5),)))
    assert "(99.999 % confidence)" in told


def test_a_diff_in_a_summary_is_one_block_whatever_is_in_it():
    """A docstring may have a fence of its own, and names may have characters that do not print."""
    diff = BEST.diff + " ````\n+# \x1b[31m red\n"
    told = markdown(replace(FIXED_BANDIT, patches=(replace(BEST, diff=diff),)))
    assert told.count("\n`````") == 2
    assert "\x1b" not in told
    assert markdown(FIXED_BANDIT).count("\n```") == 2
    assert BEST.diff in markdown(FIXED_BANDIT)


def test_notes_are_shown_and_read_back():
    found = replace(FIXED_BANDIT, notes=("the search ended early",))
    assert "note: the search ended early" in shown(found)
    assert "the search ended early" in page(found)
    assert Fix.from_json(found.to_json()).notes == found.notes


def test_an_audit_without_releases_says_so():
    words = "No release falls into these rounds"
    assert words not in shown(FIXED_BANDIT)
    assert words in shown(replace(FIXED_BANDIT, patches=(replace(BEST, audit_releases=False),)))
    assert "An audit of 2,000 runs per stream of 32 rounds" in shown(FIXED_BANDIT)


def test_numbers_of_a_command_are_written_exactly():
    for epsilon in (0.1234567, 1234567.0):
        found = replace(FIXED_BANDIT, epsilon=epsilon, rewards=(0.0, epsilon))
        words = certify_command(found, BEST).split()
        assert float(words[words.index("--epsilon") + 1]) == epsilon
        assert float(words[words.index("--rewards") + 1].partition(",")[2]) == epsilon


def test_a_smaller_certified_patch_is_shown_beside_the_recommended_one():
    long = replace(BEST, diff=BEST.diff + "+more\n+of it\n")
    small = replace(BEST, number=2, standing="certified", diff=BEST.diff.replace("\n+", "\n+the_small_one = "))
    told = shown(replace(FIXED_BANDIT, patches=(long, small)))
    assert "smaller, and certified too: patch 2 (noisy-rewards, 1 line more); --patch 2 takes it" in told
    assert "+the_small_one = " in told
    others = (replace(BEST, number=2, standing="certified"), replace(small, standing="not certified", why="none"))
    for patches in ((BEST,), (BEST, others[0]), (long, others[1])):
        assert "smaller, and" not in shown(replace(FIXED_BANDIT, patches=patches))
