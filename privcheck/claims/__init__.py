"""The papers' claims, put to the test: statements are searched for counterexamples and proven where possible.

A claim is a statement as it is printed, never a verdict. `examine` says what was found about it, with evidence that
`replay` checks again. It needs mpmath and sympy, which `pip install 'privcheck[claims]'` brings.
"""

from privcheck.claims.claim import Claim, Order, Reading, Relation
from privcheck.claims.confirmation import Counterexample, counterexample
from privcheck.claims.examine import Effort, examine, replay
from privcheck.claims.finding import STATUSES, Finding, Findings, ReadingFinding, findings_from_json
from privcheck.claims.registry_of_claims import CLAIMS

__all__ = [
    "CLAIMS",
    "STATUSES",
    "Claim",
    "Counterexample",
    "Effort",
    "Finding",
    "Findings",
    "Order",
    "Reading",
    "ReadingFinding",
    "Relation",
    "counterexample",
    "examine",
    "findings_from_json",
    "replay",
]
