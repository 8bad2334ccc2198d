"""Inequalities of your own: what a notebook enters, what it gets back, and what is refused."""

from __future__ import annotations

import html
import io
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import sympy
from rich.console import Console

from privcheck import PrivcheckError, claims
from privcheck.claims import (
    CLAIMS,
    Claim,
    Effort,
    Findings,
    Reading,
    Relation,
    Variable,
    at_least,
    at_most,
    below,
    counterexample,
    equal,
    examine,
    exp,
    expression,
    kept_findings,
    log,
    maximum,
    positive,
    printed,
    probability,
    sqrt,
    variable,
)
from privcheck.reporting import details, evidence_sentences

LITTLE = Effort(300, 200)
P, EPSILON = probability("p"), Variable("epsilon", 0, 2, low_open=True)
HALF = at_most(log(1 - P.symbol + P.symbol * exp(EPSILON.symbol)), 3 * EPSILON.symbol * P.symbol)
"""3 in place of the printed 6, which holds up to epsilon = 1.9: 2 is above that."""


def mine(*readings: Reading, **changes) -> Claim:
    given = {"id": "mine/half", "place": "draft", "quote": "3 for 6", "kind": "inequality", "readings": readings}
    return Claim(**given | changes)


def test_an_inequality_of_ones_own_is_refuted_or_proven():
    """(e^2 - 1)/2 = 3.19 is above 3, and (e - 1)/1 = 1.72 is below it: the slope at p = 0 decides."""
    assert examine(mine(printed(P, EPSILON, says=HALF)), Effort()).status == "refuted"
    small = Variable("epsilon", 0, 1, low_open=True)
    assert examine(mine(printed(P, small, says=HALF)), Effort()).status == "proven"


def test_findings_about_ones_own_claim_become_tables_and_cite_no_paper():
    found = examine([mine(printed(P, EPSILON, says=HALF))], LITTLE)
    assert isinstance(found, Findings)
    assert list(found.to_frame(library="pandas")["id"]) == ["mine/half"]
    assert r"\cite{mine}" not in found.to_latex()
    assert "@misc{privcheck" in found.to_bibtex()


X = probability("x")
SAYS = at_most(X.symbol, sqrt(X.symbol))


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: mine(readings=printed(X, says=SAYS)), r"readings: got an object of type Reading, .*readings=\(it,\)"),
        (lambda: mine(readings=()), r"readings: got \(\), expected at least one reading"),
        (lambda: mine(readings=(SAYS,)), "readings: got a tuple with an object of type Relation"),
        (lambda: mine(printed(X, says=SAYS), kind="foo"), "kind: got 'foo', expected one of 'inequality'"),
        (lambda: mine(printed(X, says=SAYS), role="proof"), "role: got 'proof'"),
        (lambda: mine(printed(X, says=SAYS), id=3), "id: got 3, expected a text"),
        (lambda: mine(printed(X, says=SAYS), repair="later"), "repair: got an object of type str"),
        (lambda: printed(X, says="x <= 1"), r"says: got an object of type str, .*at_most\(left, right\)"),
        (lambda: printed(X, says=below(X.symbol, 1)), "says: got the strict inequality x < 1"),
        (lambda: printed(X.symbol, says=SAYS), "variables: got a tuple with an object of type Expression"),
        (lambda: printed(says=SAYS), "variables: got none named x"),
        (lambda: printed(X, says=SAYS, assumes=below(X.symbol, 1)), "assumes: got an object of type Relation"),
        (lambda: printed(X, says=SAYS, assumes=(below(EPSILON.symbol, 1),)), "variables: got none named epsilon"),
        (lambda: at_most(X, 1), "expression: got an object of type Variable, .*x.symbol"),
        (lambda: at_least("one", 1), "expression: got 'one'"),
        (lambda: equal(float("nan"), X.symbol), "expression: got nan"),
        (lambda: Relation(X.symbol, "=", X.symbol), "sense: got '='"),
        (lambda: examine(CLAIMS["hu-2021/thm8"], "1m"), "effort: got '1m', expected an Effort"),
        (lambda: examine("hu-2021/nothing"), "id: got 'hu-2021/nothing', expected the id of a claim, or of a theorem"),
        (lambda: examine(["hu-2021/thm8", "nope"]), "id: got 'nope'"),
        (lambda: examine(3), "id: got an object of type int"),
        (lambda: examine(paper="nobody-2020"), "paper: got 'nobody-2020'"),
        (lambda: CLAIMS["nope"], "id: got 'nope'"),
        (lambda: CLAIMS["hu-2021/fact17"], "did you mean 'hu-2021/fact17a' or 'hu-2021/fact17b'"),
    ],
)
def test_bad_input_is_refused_in_one_line(make, told):
    with pytest.raises(PrivcheckError, match=told) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_an_unknown_id_is_a_missing_key():
    assert "nope" not in CLAIMS
    assert CLAIMS.get("nope") is None


@pytest.mark.parametrize(
    ("point", "told"),
    [
        ({"p": 0.5}, "point: got no epsilon, expected a number for each of p, epsilon"),
        ({}, "point: got no p, epsilon"),
        ({"p": 0.5, "epsilon": 1, "delta": 0}, "point: got delta, of which it does not speak"),
        ({"p": "half", "epsilon": 1}, "point: got values that are no finite numbers"),
        ({"p": float("inf"), "epsilon": 1}, "point: got values that are no finite numbers"),
    ],
)
def test_a_point_that_is_no_point_is_not_called_unrefuted(point, told):
    with pytest.raises(PrivcheckError, match=told):
        counterexample(printed(P, EPSILON, says=HALF), point)


def test_a_point_may_be_plain_numbers():
    reading = printed(P, EPSILON, says=HALF)
    assert counterexample(reading, {"p": 0.001, "epsilon": 2}) is not None
    assert counterexample(reading, {"p": "1/1000", "epsilon": 1}) is None


def test_python_takes_ids_theorems_and_papers_as_the_command_does():
    assert [of.id for of in examine("azize-basu-2022/lemma2", LITTLE)] == ["azize-basu-2022/lem2"]
    assert [of.id for of in examine("azize-basu-2022/thm5", LITTLE)] == [
        "azize-basu-2022/thm5-bilinear", "azize-basu-2022/thm5-rho", "azize-basu-2022/thm5-orthonormal",
        "azize-basu-2022/thm5-alternative",
    ]  # fmt: skip
    found = examine(["hu-2021/fact17b", CLAIMS["azize-basu-2022/thm2-constant"]], LITTLE)
    assert repr(found).splitlines()[:2] == ["2 claims: 1 refuted, 1 proven", "  hu-2021/fact17b: refuted"]
    assert [of.id for of in examine(["hu-2021/fact17b", "chen-2020/thm2"], LITTLE, paper="chen-2020")] == [
        "chen-2020/thm2"
    ]
    assert repr(found[:1][0]) == "<hu-2021/fact17b: refuted>"


def test_one_claim_is_one_claim():
    (found,) = examine(["hu-2021/fact17b"], LITTLE)
    assert repr(Findings([found])).startswith("1 claim: 1 refuted")


def test_a_notebook_shows_the_evidence_and_what_follows():
    by_id = {found.id: found for found in kept_findings()}
    shown = by_id["azize-basu-2022/eq12"]._repr_html_()
    assert "7.80317889415" in shown
    assert html.escape(by_id["azize-basu-2022/eq12"].consequence) in shown
    assert "azize-basu-2022/eq12" in kept_findings()._repr_html_()


def test_the_kept_run_is_loaded_and_saved_as_a_page(tmp_path):
    kept = kept_findings()
    assert {found.id for found in kept} == set(CLAIMS)
    assert isinstance(kept.to_frame(library="pandas"), pd.DataFrame)
    kept.save(tmp_path / "claims.html")
    assert "azize-basu-2022/lem2" in (tmp_path / "claims.html").read_text(encoding="utf-8")


def test_what_a_user_needs_is_in_one_place():
    needed = {"Variable", "absolute", "at_least", "at_most", "ceiling", "equal", "exp", "expression", "log", "maximum"}
    needed |= {"minimum", "positive", "printed", "probability", "sqrt", "total", "variable", "integer", "kept_findings"}
    assert needed <= set(claims.__all__)
    assert positive("n").symbol


@pytest.mark.parametrize("ends", [
    ("a", 1), (None, 1), (True, 2), (1j, 2), (math.nan, 1), (1, 0), (0, -math.inf), (math.inf, math.inf), ([], 1),
    (sympy.oo, 1), (0, sympy.Rational(1, 3)),
])  # fmt: skip
def test_ends_that_are_no_domain_are_refused(ends):
    with pytest.raises(PrivcheckError, match=r"low of x|high of x|domain: got x from"):
        Variable("x", *ends)
    with pytest.raises(PrivcheckError, match=r"domain: got n from 1/3 to 0\.5, expected a range with an integer"):
        Variable("n", Fraction(1, 3), 0.5, integer=True)


@pytest.mark.parametrize("third", [Fraction(1, 3), "1/3", Decimal("0.25"), np.float64(0.25)])
def test_ends_may_be_fractions(third):
    """x^2 >= third^2 from there on, with equality at the end, which no float may pass."""
    x = Variable("x", third, 1)
    says = at_least(x.symbol * x.symbol, expression(Fraction(str(third))) ** 2)
    assert examine(Claim("me/x", "p", "q", "inequality", (printed(x, says=says),)), LITTLE).status == "proven"
    assert x.searched[0] >= Fraction(str(third))
    twin = at_least(x.symbol, expression(Fraction(str(third))) + "1/1000")
    assert examine(Claim("me/x", "p", "q", "inequality", (printed(x, says=twin),)), LITTLE).status == "refuted"


def test_what_computer_algebra_stumbles_over_is_no_error():
    x = probability("x")
    for left, right in (
        (log(x.symbol) / log(x.symbol), 1),
        (log(0 * x.symbol), log(0 * x.symbol)),
        (1 / (0 * x.symbol), 1),
    ):
        examine(Claim("me/x", "p", "q", "identity", (printed(x, says=equal(left, right)),)), LITTLE)


def test_a_comparison_names_the_function_to_use():
    with pytest.raises(PrivcheckError, match=r"expected a relation; say at_most\(left, right\)"):
        _ = log(variable("x")) <= 1


@pytest.mark.parametrize("value", [
    sympy.zoo, sympy.nan, sympy.oo, sympy.I, True, None, "", "zoo", math.nan, 1j, [], np.array([1, 2]), 10**400,
])  # fmt: skip
def test_what_is_no_number_is_refused_in_one_line(value):
    x = probability("x")
    tries = {
        "low": lambda: Variable("x", value, math.inf),
        "region": lambda: Variable("x", 0, math.inf, region=(value, 1)),
        "special": lambda: Variable("x", 0, 2, specials=(value,)),
        "side": lambda: at_most(x.symbol, value),
        "points": lambda: Effort(points=value),
        "seed": lambda: Effort(seed=value),
    }
    for name, call in tries.items():
        if isinstance(value, int) and value > 1 and name in ("side", "points", "seed"):
            continue
        with pytest.raises(PrivcheckError) as caught:
            call()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("options", [
    {"region": (1, 0.5)}, {"region": (0,)}, {"region": 1}, {"region": "01"}, {"region": (0, math.inf)},
    {"region": np.array(3)}, {"specials": 3}, {"specials": "12"}, {"specials": (math.inf,)},
])  # fmt: skip
def test_regions_and_special_values_are_checked(options):
    with pytest.raises(PrivcheckError, match=f"{next(iter(options))} of x: got"):
        Variable("x", 0, math.inf, **options)


def test_a_name_is_a_text():
    with pytest.raises(PrivcheckError, match="name: got"):
        Variable([], 0, 1)


def test_a_status_says_no_more_than_holds_under_every_reading():
    x, wide = probability("x"), Variable("x", 0, math.inf, region=(0, 1))
    true = Reading("small", (x,), at_most(x.symbol, 1))
    on_region = Reading("large", (wide,), at_most(wide.symbol, 2 + wide.symbol**2))
    unknown = Reading("in words", (x,), None)

    def status(*readings):
        return examine(Claim("me/x", "p", "q", "inequality", readings), LITTLE).status

    assert (status(true), status(on_region)) == ("proven", "verified-on-region")
    assert status(true, on_region) == status(on_region, true) == "verified-on-region"
    assert status(true, unknown) == "not-refuted"


def test_a_share_stands_beside_the_status():
    """Both sides meet at x = 1/3, inside of a box, which therefore cannot be proven."""
    x = probability("x")
    says = at_least(maximum(3 * x.symbol, 1), (3 * x.symbol + 1) / 2)
    found = examine(Claim("me/x", "p", "q", "inequality", (printed(x, says=says),)), Effort(300, 24))
    assert found.status == "verified-on-region"
    share = found.readings[0].evidence["share"]
    assert 0.9 < share < 0.999
    printed_share = f"verified-on-region ({math.floor(1000 * share) / 10:.1f} % of it)"
    assert repr(found) == f"<me/x: {printed_share}>"
    assert f"  me/x: {printed_share}" in repr(Findings([found]))
    (sentence,) = evidence_sentences(found)
    assert sentence.endswith("; the rest of the domain is not proven")
    console = Console(width=200, file=io.StringIO())
    console.print(details(Findings([found])))
    assert f"me/x  verified-on-region ({math.floor(1000 * share) / 10:.1f} % of it)\n" in console.file.getvalue()
