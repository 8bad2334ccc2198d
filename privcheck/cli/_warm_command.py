"""`privcheck warm`."""

from __future__ import annotations

import sys
import time
from typing import Annotated, Any

import typer

OWN = "code of your own"
"""What every audit of a policy in Python needs compiled, whatever it is."""


def warm(
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Shipped algorithms that will be used, or `all`.")
    ] = None,
) -> int:
    """Compile ahead of time, for images and CI, so that the first audit does not.

        privcheck warm
        privcheck warm adap-ucb dp-se

    Without an id, the little that audits of your own code need. Compiled code is kept in the user's cache, or below
    NUMBA_CACHE_DIR, under the versions of Python, numba and numpy and a hash of the source: another installation of the
    same version finds it there. In a Dockerfile, set NUMBA_CACHE_DIR to a folder that the user of the service may read,
    and run this after the installation; in CI, keep the folder between runs. Who may write there decides what runs.

    Exit status: 0, or 2 for bad input.
    """
    from privcheck.bandits import ALGORITHMS
    from privcheck.errors import PrivcheckError
    from privcheck.kernels import cache_folder

    asked = list(ALGORITHMS) if ids == ["all"] else list(dict.fromkeys(ids or []))
    for name in asked:
        if name not in ALGORITHMS:
            raise PrivcheckError("id", name, "shipped algorithms, or all", "`privcheck list` names them")
    for name in (OWN, *asked):
        before = time.process_time()
        _play(None if name == OWN else name)
        sys.stdout.write(f"{name}: {time.process_time() - before:.1f} s of processor time\n")
    sys.stdout.write(f"compiled code is kept in {cache_folder()}, if privcheck is installed, and otherwise beside it\n")
    return 0


def _play(name: str | None) -> None:
    """Audit a policy and, if it is a shipped one that plays for regret, simulate it, each with few runs."""
    from privcheck.auditing import audit
    from privcheck.bandits import ALGORITHMS, BestArmAlgorithm
    from privcheck.simulation import simulate

    if name is None:
        audit(_Coins, epsilon=1.0, arms=2, horizon=2, runs=200, seed=0)
        return
    spec = ALGORITHMS[name]
    budget: dict[str, Any] = {"epsilon": 1.0} if spec.private else {}
    if spec.audit_setting is not None and spec.audit_setting.epsilon is None:
        budget = {"rho": 0.5}
    if spec.approximate:
        budget["delta"] = 1e-6
    audit(name, **budget, runs=200, seed=0)
    if spec.feedback == "bandit" and not issubclass(spec, BestArmAlgorithm):
        simulate(name, [0.75, 0.5], horizon=100, runs=2, **budget)


class _Coins:
    """Plays arms by fair coins."""

    def __init__(self, rng: Any) -> None:
        self._rng = rng

    def select(self) -> int:
        return int(self._rng.integers(2))

    def update(self, action: int, reward: float) -> None:
        pass
