"""privcheck: how private a sequential learning algorithm really is, and how good it can possibly be.

>>> import privcheck
>>> report = privcheck.audit("rnm-ftnl-published", epsilon=1.0, arms=4, horizon=4, runs=20_000)
>>> report.verdict
'violation'
"""

import lazy_loader

from privcheck import presenting
from privcheck.errors import GuardClosedError, PolicyError, PrivcheckError

__version__ = "0.3.0"

__getattr__, _, _ = lazy_loader.attach_stub(__name__, __file__)

__all__ = [
    "Adversary",
    "AuditReport",
    "BudgetExceededError",
    "Certificate",
    "Contexts",
    "Fix",
    "Frontier",
    "GuardClosedError",
    "GuardedPolicy",
    "Identification",
    "LawBound",
    "LeakError",
    "OneRunBound",
    "PolicyError",
    "PrivcheckError",
    "ReleaseRefusedError",
    "SampleBound",
    "Simulation",
    "StepsReport",
    "Sweep",
    "WatchReport",
    "__version__",
    "audit",
    "bound_from_laws",
    "bound_from_samples",
    "certify",
    "clip",
    "clip_norm",
    "explain",
    "feature",
    "fix",
    "from_command",
    "from_python",
    "from_url",
    "frontier",
    "guard",
    "identify",
    "load",
    "one_hot",
    "one_run",
    "plot",
    "primitive",
    "read_sweep",
    "read_watches",
    "rounded",
    "simulate",
    "steps",
    "sweep",
    "watch",
    "zeros",
]


def __dir__() -> list[str]:
    """Return the public names, for tab completion."""
    return sorted([*__all__, "bounds"])


def _reports() -> presenting.Presenter:
    """Load the reports when the first result is shown."""
    from privcheck import reporting

    return reporting


presenting.presenter = _reports
