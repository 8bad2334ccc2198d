"""The bandit of examples/running_mean_bandit.py claims epsilon-DP but releases every reward again and again: a
violation.

Audited as a user would audit a file of their own, in plain Python: two arms, 20 rounds, few runs.
"""

from pathlib import Path

from privcheck.auditing.declared_audit import DeclaredAudit

FILE = Path(__file__).parent.parent / "examples" / "running_mean_bandit.py"

AUDIT = DeclaredAudit(
    f"{FILE}:RunningMeanBandit", 1.0, "violation", 50_000, {"arms": 2, "horizon": 20}, least_lower_bound=2.0
)
