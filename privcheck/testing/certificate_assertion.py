"""`assert_certified`: guarded runs and replays that fail a test when the certificate is not granted."""

from __future__ import annotations

from typing import Any

from privcheck.certifying.certify import certify
from privcheck.reporting.text.audit_sentences import plural
from privcheck.reporting.text.certificate_sentences import (
    certificate_sentence,
    divergence_sentences,
    place,
    repeat_certificate,
    replay_sentence,
)
from privcheck.reporting.text.numbers import clean
from privcheck.results.certificate import Certificate
from privcheck.targets.settings import EXECUTIONS
from privcheck.testing.assertion import FACT, asked, assertion, failure, known, nothing, passed
from privcheck.testing.witness_text import streams_told


@assertion
def assert_certified(
    target: Any,
    epsilon: float,
    *,
    arms: int | None = None,
    horizon: int | None = None,
    runs: int = EXECUTIONS,
    seed: int | None = None,
    **options: Any,
) -> Certificate:
    """Fail unless a policy that releases through privcheck's mechanisms is certified to be epsilon-DP under its guard.

    Parameters
    ----------
    target, epsilon, arms, horizon : as for `privcheck.certify`.
    runs : guarded executions, each on its own stream, at least 1.
    seed : by default that of `--privcheck-seed`, or 0.
    **options : other options of `privcheck.certify`.

    Returns
    -------
    Certificate : the granted certificate.

    Raises
    ------
    PrivacyFailure : a leak, a refused release, a replay that diverges, or no release at all.
    PrivcheckError : bad input, or a policy that breaks its contract.

    Source: `privcheck.certify`.

    Examples
    --------
    >>> assert_certified("adap-ucb", 1.0, arms=2, horizon=8).epsilon_upper
    1.0
    """
    nothing(target)
    known(options, certify)
    how = asked(seed, runs)
    certificate = certify(target, epsilon=epsilon, arms=arms, horizon=horizon, runs=how.runs, seed=how.seed, **options)
    told = f"{clean(certificate.target)}: {certificate_sentence(certificate)}"
    if not certificate.granted:
        chance = f"{FACT}; but code that is not certified may still satisfy its claim"
        raise failure(told, _found(certificate), chance, how, repeat_certificate(certificate))
    explored = plural(certificate.executions, "guarded run")
    passed(f"{told} ({explored} of {plural(certificate.horizon, 'round')}; {replay_sentence(certificate)})")
    return certificate


def _found(certificate: Certificate) -> list[str]:
    lines = [f"Leak at {place(leak)}: {clean(str(leak))}" for leak in certificate.leaks]
    lines += [f"Refused: {clean(refusal)}" for refusal in certificate.refusals]
    lines += [f"Note: {clean(note)}" for note in certificate.notes]
    divergence = certificate.replay.first_divergence
    if divergence is not None:
        contextual = certificate.contexts is not None
        arms = certificate.arms if contextual else None
        lines += streams_told(divergence.first, divergence.second, certificate.rewards, arms)
        lines += divergence_sentences(divergence, contextual=contextual)
    return lines
