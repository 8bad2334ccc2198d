"""What a frontier says where the theory has nothing for a reader, and in which words."""

import pytest
from rich.console import Console

from privcheck.environments import Beta, Gaussian, TruncatedGaussian
from privcheck.reporting import details
from privcheck.reporting._pages.page_frontier import render_frontier
from privcheck.reporting._pictures.frontier_picture import frontier_figure
from privcheck.results import Frontier, FrontierBound, FrontierPoint
from privcheck.tradeoffs import frontier
from tests.tradeoffs.test_frontier import First

QUICK = {"epsilons": [1.0], "horizon": 50, "runs": 2, "audit_runs": 0, "certificates": False}
MEANS = [0.9, 0.1]


@pytest.mark.parametrize(
    "place",
    [TruncatedGaussian(MEANS, 0.2), Beta(MEANS, 4.0), Gaussian(MEANS, 0.2, outside="clip")],
    ids=lambda place: place.id,
)
def test_why_there_is_no_theory_is_told(place):
    found = frontier("adap-ucb", place, **QUICK)
    (remark,) = found.remarks
    assert found.bounds == ()
    assert remark.startswith(f"theory: none is shown, because no shipped theorem covers the rewards of {place.id};")
    page = render_frontier(found)
    assert remark in page
    assert "rate times ln T" not in page, "explains a number that is not there"


def test_with_a_theory_nothing_is_missing():
    found = frontier("adap-ucb", MEANS, **QUICK)
    assert found.bounds
    assert found.remarks == ()
    assert "rate times ln T" in render_frontier(found)


def test_a_policy_that_no_upper_bound_is_about_is_named():
    long = QUICK | {"horizon": 100_000, "runs": 1}
    found = frontier([First, "adap-kl-ucb"], MEANS, **long)
    assert {bound.upper_id for bound in found.bounds if bound.epsilon == 1.0} == {"azize-basu-2022/thm8-explicit"}
    assert [remark for remark in found.remarks if remark.startswith("theory")] == [
        "theory: no upper bound is about First; those shown hold only for the algorithms that they name"
    ]
    trivial = frontier(First, MEANS, **QUICK)
    assert {bound.upper_id for bound in trivial.bounds} == {"trivial/horizon-times-gap"}, "holds for every policy"
    assert trivial.remarks == ()


def test_a_verdict_is_the_same_word_everywhere():
    """One who reads "not refuted" in the table and "inconclusive" in the file has to ask which it is."""
    points = tuple(
        FrontierPoint(f"policy {n}", 1.0, 5.0, 0.1, 4.0, 6.0, 9, 0.5, verdict, 1.0)
        for n, verdict in enumerate(["consistent", "inconclusive", "violation", None])
    )
    found = Frontier("c2", (0.5, 0.4), (), 100, 0, 0.95, points, ())
    with (console := Console(width=80)).capture() as shown:
        console.print(details(found))
    rows = {line[1:9]: line for line in shown.get().splitlines()}
    page = render_frontier(found)
    for row in found.rows("points"):
        if row["verdict"] is not None:
            assert row["verdict"] in rows[row["policy"]]
            assert f">{row['verdict']}<" in page
    assert "inconclusive: not refuted by an audit of few pairs" in shown.get()
    assert " verdict " in shown.get()
    decided = Frontier("c2", (0.5, 0.4), (), 100, 0, 0.95, points[:1], ())
    with console.capture() as shown:
        console.print(details(decided))
    assert "inconclusive" not in shown.get()


def test_the_legend_says_what_the_lines_hold_for():
    ids = ("azize-basu-2022/thm3-tight", "azize-basu-2022/thm8-explicit", "trivial/horizon-times-gap")
    point = FrontierPoint("one", 1.0, 5.0, 0.1, 4.0, 6.0, 9)

    def told(*uppers):
        bounds = tuple(FrontierBound(x, 9.0, ids[0], 20.0, upper) for x, upper in zip((0.5, 1.0), uppers, strict=True))
        figure = frontier_figure(Frontier("c2", (0.5, 0.4), (), 100, 0, 0.95, (point,), bounds))
        return [text.get_text().replace("\n", " ") for text in figure.legends[0].get_texts()][:2]

    rate, both = told(*ids[1:])
    assert (
        rate == "lower bound as T → ∞, c ln T: at this T, regret may lie below it (Azize & Basu 2022, Thm. 3 (tight))"
    )
    only = "upper bound of AdaP-KLUCB only (Azize & Basu 2022, Thm. 8 (explicit))"
    assert both == f"{only}, or T × largest gap, which no regret exceeds"
    assert told(ids[1], ids[1])[1] == only
    assert told(ids[2], ids[2])[1] == "T × largest gap, which no regret exceeds"
