"""`privcheck bounds --explain`: a theorem in words, with its conditions and its number on an instance."""

from __future__ import annotations

import re

import pytest

from privcheck import PrivcheckError
from privcheck.bounds import THEOREMS, evaluate, named_instance
from privcheck.cli import run
from privcheck.reporting.text.explained import explained

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
