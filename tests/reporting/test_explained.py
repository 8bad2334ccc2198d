"""`privcheck bounds --explain`: a theorem in words, with its conditions and its number on an instance."""

from __future__ import annotations

import math
import re

import pytest

from privcheck import PrivcheckError, explain
from privcheck.bounds import THEOREMS, Instance, evaluate, named_instance
from privcheck.cli import run
from privcheck.reporting import explained

OF_OTHER_PAPERS = ("jourdan-azize-2025/lemma2-kl",)  # it is Azize and Basu's


@pytest.mark.parametrize("name", list(THEOREMS))
def test_every_theorem_is_explained_by_its_own_words(name):
    theorem = THEOREMS[name]
    told = explained(name)
    for part in (theorem.statement, theorem.quantity, theorem.source, *(of.text for of in theorem.conditions)):
        assert part in told
    assert ">>>" not in told
    instance = named_instance("c2", epsilon=1.0, horizon=10**6)
    value = next(bound for bound in evaluate(instance) if bound.id == name)
    assert value.number_text in explained(name, instance)


@pytest.mark.parametrize("name", list(THEOREMS))
def test_every_theorem_has_a_proof_idea(name):
    ideas = re.findall(r"^Proof idea: (.*)$", explained(name), re.MULTILINE)
    assert len(ideas) == 1, "the docstring needs one paragraph that begins with 'Proof idea: '"
    assert 2 <= len(re.findall(r"\.(?= [A-Z]|$)", ideas[0])) <= 4, "two to four sentences"
    named = set(re.findall(r"\b(?:thm|prop|cor|lemma|claim)\d+\w*(?:-\w+)*", ideas[0]))
    assert {f"{name.partition('/')[0]}/{word}" for word in named} - set(OF_OTHER_PAPERS) <= set(THEOREMS)


def test_the_command_explains_with_and_without_an_instance(capsys):
    assert run(["bounds", "--explain", "azize-basu-2022/lemma2"]) == 0
    told = capsys.readouterr().out
    assert "rests on lem2 (refuted)" in told
    assert "On this instance" not in told
    assert run(["bounds", "--instance", "c2", "--epsilon", "1", "--explain", "azize-basu-2022/thm3"]) == 0
    assert "✓ pure differential privacy" in capsys.readouterr().out
    assert run(["bounds", "--explain", "azize-basu-2022/thm33"]) == 2
    assert "for example azize-basu-2022/thm" in capsys.readouterr().err
    with pytest.raises(PrivcheckError, match="privcheck list"):
        explained("nothing")


def test_python_explains_with_the_same_words_and_a_notebook_shows_lists():
    instance = named_instance("c2", epsilon=1.0, horizon=10**6)
    name = "azize-basu-2022/lemma2-kl"
    told = explain(name, instance)
    assert told == explained(name, instance) == repr(told)
    assert explain(evaluate(instance).of(name), instance) == told
    shown = told._repr_html_()
    assert shown.count("<li>") == len(THEOREMS[name].conditions)
    assert shown.startswith(f"<p><b>{name}")
    assert "✓" in shown
    assert "Reg &lt;=" in shown or "&" in shown or "<" not in told


@pytest.mark.parametrize(("name", "near"), [("thm8", "azize-basu-2022/thm8"), (3, "privcheck list")])
def test_an_id_that_is_incomplete_is_completed(name, near):
    with pytest.raises(PrivcheckError, match=near):
        explain(name)
    with pytest.raises(PrivcheckError):
        evaluate(named_instance("c2", epsilon=1.0)).of(name)


WITH_TERMS = [name for name, theorem in THEOREMS.items() if theorem.terms is not None]
INSTANCES = [
    Instance("bernoulli", (0.75, 0.5, 0.7), epsilon=0.2, horizon=10**5),
    Instance("gaussian", (0.75, 0.5, 0.7), epsilon=0.001, horizon=10**3),
    Instance("bernoulli", (0.75, 0.5, 0.7), epsilon=math.inf, horizon=10**5),
]


@pytest.mark.parametrize("instance", INSTANCES, ids=["bernoulli", "gaussian", "no privacy"])
@pytest.mark.parametrize("name", WITH_TERMS)
def test_the_terms_of_a_bound_make_up_its_number(name, instance):
    """Terms of arms add up; terms with a part have the largest for the bound."""
    found = evaluate(instance).of(name)
    if not found.applies:
        pytest.skip("the theorem does not apply")
    rows = THEOREMS[name].terms(instance)
    together = math.fsum if "arm" in rows[0] else max
    assert together(row["term"] for row in rows) == pytest.approx(found.constant or found.value, rel=1e-12)
    assert explained(name, instance).count("\n  - ") == len(rows)


def test_the_active_term_of_a_minimum_is_named():
    near, far = "azize-basu-2022/thm3", Instance("bernoulli", (0.8, 0.1), epsilon=0.1)
    assert "6 epsilon t_inf 0.42, active 6 epsilon t_inf: privacy, term 1.667" in explained(near, far)
    free = Instance("bernoulli", (0.75, 0.5), epsilon=4.0)
    assert "active d_inf: the noise of the rewards" in explained(near, free)
    assert {"azize-basu-2022/thm2", "azize-basu-2022/thm3", "azize-basu-2022/thm3-tight"} <= set(WITH_TERMS)


def test_the_id_of_a_claim_is_recognised():
    with pytest.raises(PrivcheckError, match=r"the id of a claim: `privcheck claims azize-basu-2022/lem2`"):
        explain("azize-basu-2022/lem2")


def test_a_theorem_without_claims_is_recognised_by_the_other_command(capsys):
    assert run(["claims", "azize-basu-2022/thm3-tight"]) == 2
    assert "`privcheck bounds --explain azize-basu-2022/thm3-tight` explains it" in capsys.readouterr().err
