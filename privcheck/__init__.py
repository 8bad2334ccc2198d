"""privcheck: how private a sequential learning algorithm really is, and how good it can possibly be.

>>> import privcheck
>>> report = privcheck.audit("rnm-ftnl-published", epsilon=1.0, arms=4, horizon=4, runs=20_000)
>>> report.verdict
'violation'
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from privcheck.errors import GuardClosedError, PolicyError, PrivcheckError

if TYPE_CHECKING:
    from privcheck.accounting import BudgetExceededError, ReleaseRefusedError
    from privcheck.auditing.audit import audit
    from privcheck.auditing.exact.given_laws import bound_from_laws
    from privcheck.auditing.one_run import one_run
    from privcheck.auditing.samples import bound_from_samples
    from privcheck.certifying.certify import certify
    from privcheck.certifying.guard import GuardedPolicy, guard
    from privcheck.certifying.primitives.declaration import primitive
    from privcheck.privacy import Contexts
    from privcheck.private_values.actions import one_hot
    from privcheck.private_values.clipped_norms import clip_norm
    from privcheck.private_values.integers import rounded
    from privcheck.private_values.leaks import LeakError
    from privcheck.private_values.one_datum import feature
    from privcheck.private_values.source import clip, zeros
    from privcheck.reporting.any_picture import plot
    from privcheck.reporting.explain import explain
    from privcheck.reporting.read_back import load
    from privcheck.results.audit_report import AuditReport
    from privcheck.results.certificate import Certificate
    from privcheck.results.frontier_points import Frontier
    from privcheck.results.law_bound import LawBound
    from privcheck.results.one_run_bound import OneRunBound
    from privcheck.results.sample_bound import SampleBound
    from privcheck.simulation.identify import Identification, identify
    from privcheck.simulation.simulate import Simulation, simulate
    from privcheck.sweeps.run_sweep import sweep
    from privcheck.sweeps.sweep_result import Sweep, read_sweep
    from privcheck.targets.adversary import Adversary
    from privcheck.targets.services.service import from_command, from_python, from_url
    from privcheck.tradeoffs.frontier import frontier

__version__ = "0.2.0.dev0"

__all__ = [
    "Adversary",
    "AuditReport",
    "BudgetExceededError",
    "Certificate",
    "Contexts",
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
    "Sweep",
    "__version__",
    "audit",
    "bound_from_laws",
    "bound_from_samples",
    "certify",
    "clip",
    "clip_norm",
    "explain",
    "feature",
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
    "rounded",
    "simulate",
    "sweep",
    "zeros",
]

_HOMES = {
    "audit": "privcheck.auditing.audit",
    "AuditReport": "privcheck.results.audit_report",
    "bound_from_samples": "privcheck.auditing.samples",
    "SampleBound": "privcheck.results.sample_bound",
    "bound_from_laws": "privcheck.auditing.exact.given_laws",
    "LawBound": "privcheck.results.law_bound",
    "one_run": "privcheck.auditing.one_run",
    "OneRunBound": "privcheck.results.one_run_bound",
    "certify": "privcheck.certifying.certify",
    "Certificate": "privcheck.results.certificate",
    "guard": "privcheck.certifying.guard",
    "primitive": "privcheck.certifying.primitives.declaration",
    "GuardedPolicy": "privcheck.certifying.guard",
    "zeros": "privcheck.private_values.source",
    "clip": "privcheck.private_values.source",
    "clip_norm": "privcheck.private_values.clipped_norms",
    "one_hot": "privcheck.private_values.actions",
    "feature": "privcheck.private_values.one_datum",
    "rounded": "privcheck.private_values.integers",
    "load": "privcheck.reporting.read_back",
    "plot": "privcheck.reporting.any_picture",
    "explain": "privcheck.reporting.explain",
    "LeakError": "privcheck.private_values.leaks",
    "BudgetExceededError": "privcheck.accounting",
    "ReleaseRefusedError": "privcheck.accounting",
    "Adversary": "privcheck.targets.adversary",
    "Contexts": "privcheck.privacy",
    "from_command": "privcheck.targets.services.service",
    "from_python": "privcheck.targets.services.service",
    "from_url": "privcheck.targets.services.service",
    "identify": "privcheck.simulation.identify",
    "Identification": "privcheck.simulation.identify",
    "frontier": "privcheck.tradeoffs.frontier",
    "Frontier": "privcheck.results.frontier_points",
    "simulate": "privcheck.simulation.simulate",
    "Simulation": "privcheck.simulation.simulate",
    "sweep": "privcheck.sweeps.run_sweep",
    "Sweep": "privcheck.sweeps.sweep_result",
    "read_sweep": "privcheck.sweeps.sweep_result",
}


def __getattr__(name: str) -> Any:
    """Import the parts of the public interface when they are first used, so that `privcheck --help` is quick."""
    if name == "bounds":
        return importlib.import_module("privcheck.bounds")
    if name in _HOMES:
        globals()[name] = getattr(importlib.import_module(_HOMES[name]), name)  # found without this function next time
        return globals()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return the public names, for tab completion."""
    return sorted([*__all__, "bounds"])
