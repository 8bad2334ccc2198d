"""Certificates: their sentences, their place in an audit, and the terminal."""

from __future__ import annotations

import io
import math
from dataclasses import replace

import pytest
from rich.console import Console

import privcheck
from privcheck.reporting import audit_table, bounds_figure, clean, details, replay_sentence
from privcheck.reporting import page as render_page
from privcheck.reporting._pictures.style import CERTIFIED as COLOUR
from privcheck.reporting._text.both_bounds import certified_text, contradiction, sandwich, upper_bound
from privcheck.reporting._text.certificate_sentences import (
    certificate_sentence,
    certificate_word,
    coverage,
    ledger_sentence,
    reasons,
)
from privcheck.reporting._text.repeating import repeat_certificate
from privcheck.results import UnreachedLine

NAMES = ["granted", "leaky", "refused", "free", "long"]


def shown(content, width=80):
    console = Console(width=width, file=io.StringIO(), record=True)
    console.print(content)
    return console.export_text()


def flat(text):
    return " ".join(text.split())


@pytest.fixture
def audits(reports, certificates):
    consistent = reports["consistent"]
    return {
        "granted": replace(consistent, certificate=certificates["granted"]),
        "refused": replace(consistent, certificate=certificates["refused"]),
        "contradicted": replace(reports["violation"], certificate=certificates["granted"]),
        "early": replace(reports["early"], certificate=certificates["granted"]),
    }


def upper_marks(figure):
    """Return the ends of the brackets and the shaded intervals."""
    axes = figure.axes[0]
    brackets = [line.get_xdata()[1] for line in axes.lines if len(line.get_xdata()) == 4]
    shaded = [(p.get_x(), p.get_x() + p.get_width()) for p in axes.patches if p.get_alpha() is not None]
    return brackets, shaded


# The two halves of an audit


def test_sandwich_is_drawn_between_the_bounds(audits):
    brackets, shaded = upper_marks(bounds_figure([audits["granted"]]))
    assert brackets == [1.0]
    assert shaded == [pytest.approx((0.9591, 1.0))]
    texts = [text.get_text() for text in bounds_figure([audits["granted"]]).axes[0].texts]
    assert "✓ consistent, 0.959 ≤ epsilon ≤ 1.000" in texts


def test_without_a_lower_bound_the_interval_starts_at_0(audits):
    assert upper_marks(bounds_figure([audits["early"]])) == ([1.0], [(0.0, 1.0)])
    assert "at most 1.000" in sandwich(audits["early"])


def test_a_bound_beyond_all_others_is_on_the_axis(audits, certificates):
    far = replace(audits["granted"], certificate=replace(certificates["granted"], epsilon_upper=7.0))
    assert bounds_figure([far]).axes[0].get_xlim()[1] > 7.0


@pytest.mark.parametrize("change", [{"coverage": "explored"}, {"epsilon_upper": None}])
def test_nothing_is_drawn_without_cover_of_all_executions(audits, certificates, change):
    report = replace(audits["granted"], certificate=replace(certificates["granted"], **change))
    figure = bounds_figure([report])
    assert upper_bound(report) is None
    assert upper_marks(figure) == ([], [])
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert "certified upper bound" not in labels
    assert "certi-" not in shown(audit_table([report]), 100)
    assert "certified upper</th>" not in render_page([report])


def test_a_bound_stands_although_lines_never_ran(audits, certificates):
    """The guard holds: it would refuse what these lines may not do."""
    line = UnreachedLine("bandit.py", 12, "self.arm = int(reward > 0.5)")
    unseen = replace(certificates["granted"], complete=False, unreached=[line])
    report = replace(audits["granted"], certificate=unseen)
    assert upper_bound(report) == 1.0
    guarded = replace(report, guarded=True)
    assert upper_marks(bounds_figure([guarded])) == upper_marks(bounds_figure([audits["granted"]]))
    bracket, shaded = upper_marks(bounds_figure([report]))
    assert (bracket, shaded) == (upper_marks(bounds_figure([guarded]))[0], []), "the two halves are not of one policy"


def test_contradiction_is_loud_everywhere(audits):
    report = audits["contradicted"]
    wrong = contradiction(report)
    assert wrong.startswith("CONTRADICTION: epsilon = 1 is refuted at level 0.001, and certified of the same policy.")
    assert "These cannot both hold" in wrong
    assert sandwich(report) is None
    assert wrong in flat(shown(details(report), 100))
    page = render_page([report])
    assert f'<p class="alarm"><strong>{wrong}' in page
    figure = bounds_figure([report])
    assert upper_marks(figure) == ([1.0], [])
    assert any("CONTRADICTION" in text.get_text() for text in figure.axes[0].texts)
    assert wrong in figure.get_label()


@pytest.mark.parametrize(("lower", "above"), [(1.0, False), (1.0 + 1e-12, False), (1.001, True)])
def test_a_lower_bound_above_the_upper_one_is_told_and_is_no_contradiction(audits, lower, above):
    """Such bounds are above the truth in up to 5 % of audits; a contradiction needs a refutation at level `error`."""
    report = replace(audits["granted"], epsilon_lower=lower)
    assert contradiction(report) is None
    assert ("is above 1.000" in sandwich(report)) is above
    assert contradiction(replace(report, verdict="violation")) is not None
    assert contradiction(replace(report, verdict="violation", observe="releases")) is None
    assert contradiction(replace(report, epsilon_lower=None)) is None


def test_no_contradiction_with_a_bound_that_is_not_certified(reports, certificates):
    assert contradiction(replace(reports["violation"], certificate=certificates["refused"])) is None
    assert contradiction(reports["violation"]) is None


def test_details_and_page_name_the_upper_bound(audits):
    granted = "≤ 1 on every execution of the guarded reference policy"
    assert certified_text(audits["granted"]) == granted
    assert granted in flat(shown(details(audits["granted"]), 100))
    assert granted in render_page([audits["granted"]])
    assert sandwich(audits["granted"]) in render_page([audits["granted"]])
    why = flat(shown(details(audits["refused"]), 100))
    assert "certified upper bound none: a release was refused (budget: got a release at rnm.py:123" in why


def test_table_has_a_column_of_upper_bounds_when_there_is_one(audits, reports):
    text = shown(audit_table([audits["granted"], audits["contradicted"], audits["refused"]]), 100)
    assert "1.000" in text
    assert "upper" in text
    assert max(len(line) for line in text.splitlines()) <= 100
    expected = ["consistent"] * 2
    wide = shown(audit_table([audits["granted"], reports["violation"]], expected), 100)
    for part in ("[0.929, 1.062]", "consistent", "200,000", "NOT met", "1.000"):
        assert part in wide
    assert "…" not in wide


@pytest.mark.parametrize("width", [7.2, 3.7])
def test_bounds_with_certificates_are_inside_their_picture(audits, width):
    figure = bounds_figure(list(audits.values()), width=width)
    figure.canvas.draw()
    drawn = figure.get_tightbbox(figure.canvas.get_renderer())
    full_width, full_height = figure.get_size_inches()
    assert 0.0 <= drawn.x0 < drawn.x1 <= full_width
    assert 0.0 <= drawn.y0 < drawn.y1 <= full_height
    texts = figure.axes[0].texts
    for name, result in zip(texts[::2], texts[1::2], strict=True):
        assert name.get_window_extent().x1 < result.get_window_extent().x0
    legend = figure.axes[0].get_legend()
    assert COLOUR in {handle.get_markeredgecolor() for handle in legend.get_lines()}


# Sentences


def test_verdicts(certificates):
    words = [certificate_word(certificates[name]) for name in NAMES]
    assert words == ["certified", "not certified", "not certified", "no budget", "certified"]
    sentence = certificate_sentence(certificates["leaky"])
    assert sentence == "not certified: a leak at <my> bandit.py:12 and 1 other; 58 of 64 replays diverge"
    assert "nothing to certify" in certificate_sentence(certificates["free"])
    assert not any("private" in certificate_word(certificate) for certificate in certificates.values())


def test_a_leak_without_a_budget_is_not_passed_over(certificates):
    assert certificate_word(replace(certificates["leaky"], epsilon_claimed=None)) == "not certified"
    nothing = replace(certificates["leaky"], leaks=[], replay=replace(certificates["leaky"].replay, divergences=0))
    assert reasons(nothing) == ["<nothing> was released"]


def test_ledger_and_replay_sentences(certificates):
    assert "after round 1 (bandit.py:7)" in ledger_sentence(certificates["granted"])
    assert "nothing was released" in ledger_sentence(certificates["leaky"])
    group = replace(certificates["granted"].ledger, group_size=3)
    assert "any 3 data together" in ledger_sentence(replace(certificates["granted"], ledger=group))
    assert replay_sentence(certificates["leaky"]).startswith("58 of 64 transcripts diverge")
    every = replace(certificates["leaky"].replay, replays=58)
    assert replay_sentence(replace(certificates["leaky"], replay=every)).endswith("neighbouring stream")


@pytest.mark.parametrize("name", NAMES)
def test_coverage_says_what_is_left_out(certificates, name):
    text = " ".join(coverage(certificates[name]))
    for part in (
        "honest but may be mistaken",
        "not cover timing, memory or floating-point artefacts",
        "only to the code of",
    ):
        assert part in text
    assert ("every execution" in text) == certificates[name].granted
    assert ("no upper bound on epsilon follows" in text) != certificates[name].granted


def test_repeating(certificates):
    call = str(repeat_certificate(certificates["long"]).python)
    assert "epsilon=2.0" in call
    assert "rewards=(-1.0, 1.0), feedback='full'" in call


# The terminal


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("name", NAMES)
def test_details_of_every_certificate(certificates, name, width):
    certificate = certificates[name]
    text = shown(details(certificate), width)
    assert max(len(line) for line in text.splitlines()) <= width
    assert "…" not in text
    said = flat(text)
    assert clean(certificate.target) in said
    assert certificate_sentence(certificate) in said
    assert ledger_sentence(certificate) in said
    assert replay_sentence(certificate) in said
    for note in certificate.notes:
        assert note in said
    assert ("Leaks" in said) == bool(certificate.leaks)
    assert ("First divergence" in said) == (certificate.replay.first_divergence is not None)


def test_details_show_leaks_refusals_and_the_divergence(certificates):
    text = shown(details(certificates["leaky"]), 100)
    for part in ("<my> bandit.py:12", "in update", "rounds 1-2 and 7", "other.py:40", "data (1, 0)", "/home/other.py"):
        assert part in text
    for part in ("In round 7, the run on the first stream plays arm 0", "v round 5", "0 1 0 1 0 1 1"):
        assert part in text
    refused = shown(details(certificates["refused"]), 100)
    assert "rnm.py:123" in refused
    assert "and 2 others" in refused


def test_a_real_certificate_has_its_numbers():
    certificate = privcheck.certify("ucb", epsilon=1.0, horizon=6, runs=3)
    said = flat(shown(details(certificate), 100))
    leak = certificate.leaks[0]
    assert f"ucb.py:{leak.line}" in said
    assert f"{certificate.replay.divergences} of {certificate.replay.replays}" in said
    assert "3 guarded executions of 6 rounds" in said


def test_a_gaussian_policy_without_a_budget_is_told_which_flags_to_give(certificates):
    gaussian = replace(certificates["free"], ledger_epsilon=math.inf, ledger_mu=1.0)
    for flag in ("--rho", "--mu", "--epsilon and --delta"):
        assert flag in certificate_sentence(gaussian)
        assert flag not in certificate_sentence(certificates["free"])
