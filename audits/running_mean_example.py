"""The bandit of examples/running_mean_bandit.py claims epsilon-DP but releases every reward again and again: the
expected verdict is "violation".

Audited as users would audit their own file, in plain Python: two arms, 20 rounds, few runs.
"""

from pathlib import Path

from privcheck.auditing._declared_audit import DeclaredAudit

FILE = Path(__file__).parent.parent / "examples" / "running_mean_bandit.py"

AUDIT = DeclaredAudit(
    f"{FILE}:RunningMeanBandit", 1.0, "violation", 50_000, {"arms": 2, "horizon": 20}, least_lower_bound=2.0
)
