"""`assert_certified`: guarded runs and replays that fail a test when the certificate is not granted."""

from __future__ import annotations

import inspect
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from privcheck.auditing import shown_path
from privcheck.certifying import certify
from privcheck.errors import PrivcheckError
from privcheck.reporting import clean, evidence, fix_command, plural, python_call, replay_sentence, sentence
from privcheck.results import Certificate
from privcheck.targets import EXECUTIONS
from privcheck.testing._assertion import (
    FACT,
    asked,
    assertion,
    called,
    failure,
    known,
    nothing,
    passed,
    refuse_primitives,
)
from privcheck.testing._kept_page import keep_page
from privcheck.testing._project import arms_of, setting
from privcheck.testing._running import current


@assertion
def assert_certified(
    target: Any,
    epsilon: float | None = None,
    *,
    arms: int | None = None,
    horizon: int | None = None,
    runs: int = EXECUTIONS,
    seed: int | None = None,
    **options: Any,
) -> Certificate:
    """Fail unless a policy that releases through privcheck's mechanisms is certified within its budget under its guard.

    Parameters
    ----------
    target, epsilon, arms, horizon : as for `privcheck.certify`; a budget is required, and with `delta`, `rho` or `mu`
        it is one of (epsilon, delta)-DP, zCDP or Gaussian DP. The project's settings replace what is missing, as in
        `assert_private`.
    runs : guarded executions, each on its own stream, at least 1.
    seed : by default that of `--privcheck-seed`, or 0.
    **options : other options of `privcheck.certify` but `primitives`: record and replay certifies nothing, so a test
        asserts that it has found nothing, `assert not privcheck.certify(target, ..., primitives="numpy").has_findings`.

    Returns
    -------
    Certificate : the granted certificate.

    Raises
    ------
    PrivacyFailure : a leak, a refused release, a replay that diverges, or lines that matter for privacy and never ran:
        a longer horizon or more runs may reach them.
    PrivcheckError : bad input, or a policy that breaks its contract.

    Source: `privcheck.certify`.

    Examples
    --------
    >>> assert_certified("adap-ucb", 1.0, arms=2, horizon=8).epsilon_upper
    1.0
    >>> assert_certified("adap-ucb(epsilon=0.25)", rho=0.1, arms=2, horizon=8).rho_upper
    0.1
    """
    nothing(target)
    known(options, certify)
    refuse_primitives(options.get("primitives"))
    if options.get("rho") is options.get("mu") is None:
        epsilon = setting("epsilon", epsilon)
    if epsilon is options.get("rho") is options.get("mu") is None:
        raise PrivcheckError("epsilon", None, "a budget: epsilon, rho or mu", "without a budget nothing is certified")
    how = asked(seed, runs)
    arms, horizon = arms_of(target, arms), setting("horizon", horizon)
    certificate = certify(target, epsilon=epsilon, arms=arms, horizon=horizon, runs=how.runs, seed=how.seed, **options)
    call = python_call(certificate)
    certificate = replace(certificate, target=called(certificate.target))
    told = f"{clean(certificate.target)}: {sentence(certificate)}"
    if not certificate.granted:
        chance = f"{FACT}; but code that is not certified may still satisfy its claim"
        command = fix_command(certificate, _place(target))
        found = [*evidence(certificate), *keep_page(certificate), *([f"fix: {command}"] if command else [])]
        raise failure(told, found, chance, how, call)
    explored = plural(certificate.executions, "guarded run")
    passed(f"{told} ({explored} of {plural(certificate.horizon, 'round')}; {replay_sentence(certificate)})")
    return certificate


def _place(target: Any) -> str:
    """Return the file and the name of a target that is a class at the top level of a file, or its place; else "-"."""
    if isinstance(target, str):
        given, _, name = target.rpartition(":")
        return f"{_from_the_root(given)}:{name}" if given.endswith(".py") else target
    file = None
    if isinstance(target, type) and "." not in target.__qualname__:
        with suppress(TypeError, OSError):
            file = inspect.getsourcefile(target)
    return "-" if file is None else f"{_from_the_root(file)}:{target.__name__}"


def _from_the_root(file: str) -> str:
    """Return a path from the root of the project, from which the replay is called too, if the file lies below it."""
    config, path = current().config, Path(file).resolve()
    if config is None or not path.is_relative_to(config.rootpath.resolve()):
        return shown_path(file)
    return path.relative_to(config.rootpath.resolve()).as_posix()
