"""Bad input is answered with what to type, in the words of the command line or of Python."""

import pytest

import privcheck
from privcheck.cli import run
from privcheck.errors import PrivcheckError

FIVE = """
class Five:
    def __init__(self, rng, arms=5, epsilon=1.0): ...
    def select(self): return 0
    def update(self, action, reward): ...

class Any(Five):
    def __init__(self, rng, arms): ...
"""
MEANS = ["--means", "0.5,0.4", "--horizon", "100", "--runs", "2"]


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["audit", "five.py:Five", "--epsilon", "1"], "it has 5 by default: give --arms 5"),
        (["certify", "five.py:Five", "--epsilon", "1"], "it has 5 by default: give --arms 5"),
        (["audit", "five.py:Any", "--epsilon", "1"], "expected the number of arms of the policy; give --arms 2"),
        (
            ["simulate", "adap-ucb", "--epsilon", "1", "--environment", "gaussian", "--with", "deviation=1", *MEANS],
            "clip them, with --environment gaussian --with outside=clip",
        ),
        (
            ["simulate", "ucb", "--environment", "truncated-gaussian", *MEANS],
            "are locations, deviation: give --with locations=0.5,0.4 in place of --means",
        ),
        (
            ["simulate", "ucb", "--environment", "beta", "--with", "spread=1", *MEANS],
            "the parameters of beta are means, concentration",
        ),
        (["frontier", "adap-ucb", "--epsilon", "1", *MEANS], "No such option: --epsilon; did you mean --epsilons? `"),
    ],
)
def test_what_to_type(arguments, hint, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "five.py").write_text(FIVE)
    assert run(arguments) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert hint in said


def test_what_is_typed_works(capsys):
    clipped = ["--environment", "gaussian", "--with", "outside=clip", "--with", "deviation=1"]
    assert run(["simulate", "adap-ucb", "--epsilon", "1", *clipped, *MEANS]) == 0
    given = ["--environment", "truncated-gaussian", "--with", "locations=0.5,0.4", "--with", "deviation=0.2"]
    assert run(["simulate", "ucb", *given, *MEANS[2:]]) == 0


@pytest.mark.parametrize("function", [privcheck.certify, privcheck.audit])
def test_the_fault_of_a_number_in_quotation_marks_is_the_marks(function):
    with pytest.raises(PrivcheckError) as raised:
        function("adap-ucb", epsilon="1")
    assert str(raised.value).startswith("epsilon: got '1', expected ")
    assert str(raised.value).endswith("; write the number without quotation marks")
    for wrong in ("-1", "one"):
        with pytest.raises(PrivcheckError, match="a privacy budget is positive"):
            function("adap-ucb", epsilon=wrong)
