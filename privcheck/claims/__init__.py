"""The papers' claims, put to the test: statements are searched for counterexamples and proven where possible.

A claim is a statement as it is printed, never a verdict. `examine` says what was found about it, with evidence that
`replay` checks again. It needs mpmath and sympy, which `pip install 'privcheck[claims]'` brings.

Inequalities of your own are entered in the same way: variables with their domains, an expression on each side, and
`at_most`, `at_least` or `equal` between them.

>>> from privcheck.claims import Claim, at_most, examine, exp, log, positive, printed, probability
>>> p, epsilon = probability("p"), positive("epsilon")
>>> said = at_most(log(1 + p.symbol * (exp(epsilon.symbol) - 1)), epsilon.symbol * p.symbol)
>>> reading = printed(p, epsilon, says=said)
>>> examine(Claim("mine/step2", "Proof of Lemma 1", "ln(...) <= epsilon p", "inequality", (reading,))).status
'refuted'
"""

import lazy_loader

__getattr__, __dir__, _ = lazy_loader.attach_stub(__name__, __file__)

__all__ = [
    "CLAIMS",
    "FAULTS",
    "STATUSES",
    "Claim",
    "Effort",
    "Expression",
    "Finding",
    "Findings",
    "Order",
    "Reading",
    "ReadingFinding",
    "Relation",
    "Variable",
    "absolute",
    "at_least",
    "at_most",
    "below",
    "causes",
    "ceiling",
    "choose",
    "counterexample",
    "equal",
    "examine",
    "exp",
    "expression",
    "findings_from_json",
    "integer",
    "kept_findings",
    "log",
    "log2",
    "maximum",
    "minimum",
    "positive",
    "printed",
    "probability",
    "replay",
    "sqrt",
    "total",
    "variable",
]
