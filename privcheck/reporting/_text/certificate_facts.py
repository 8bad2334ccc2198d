"""The numbers of a certificate with their names, and its refused releases in sentences."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence

from privcheck.enclosure import digits_up
from privcheck.private_values import describe_data
from privcheck.reporting._text import numbers
from privcheck.reporting._text.audit_sentences import plural
from privcheck.reporting._text.certificate_sentences import (
    JOINT,
    found_something,
    in_rows,
    ledger_sentence,
    length_words,
    of_data,
    reasons,
    replay_sentence,
)
from privcheck.reporting._text.certified_amounts import accountant_words, upper_row
from privcheck.results import UNDER_GUARD, Certificate, PrimitiveUse

_ROUND = re.compile(r"(?<= of )round (\d+)(?= to )")


def certificate_rows(certificate: Certificate) -> list[tuple[str, str]]:
    """Return the names of the numbers of a certificate, and the numbers.

    >>> from privcheck.results._example_results import GRANTED
    >>> certificate_rows(GRANTED)[:2]
    [('budget', 'epsilon = 1'), ('certified upper bound', '1.000')]
    """
    explored = plural(certificate.executions, "recorded run" if certificate.primitives else "guarded execution")
    covers = "bounded under the guard" if certificate.coverage == UNDER_GUARD else f"only the {explored} explored"
    rows = [
        ("budget", numbers.budget_text(certificate.budget)),
        ("certified upper bound", upper_row(certificate)),
        ("covers", covers),
        ("ledger", ledger_sentence(certificate)),
        *([("accountant", accountant_words(certificate))] if certificate.shares else []),
        ("mechanisms", numbers.clean(", ".join(map(str, certificate.mechanisms))) or "none"),
        ("rests on", rests_on(certificate)),
        ("replay", replay_sentence(certificate)),
        ("leaks", f"{len(certificate.leaks):,}" if certificate.leaks else "none seen"),
        ("refused releases", f"{len(certificate.refusals):,}" if certificate.refusals else "none"),
        ("complete", complete_words(certificate)),
    ]
    if certificate.primitives:
        left_out = ("mechanisms", "rests on", "leaks", "refused releases", "complete")
        rows = [row for row in rows if row[0] not in left_out] + [_use(use) for use in certificate.primitive_uses]
    played = f"{plural(certificate.arms, 'arm')}, {certificate.feedback} feedback"
    if of_data(certificate):
        played = f"a mechanism of data with {plural(certificate.arms or 1, 'column')}"
    setting = f"{explored} of {length_words(certificate)}, {played}; neighbour relation: {certificate.neighbours}"
    notion = [] if certificate.contexts is None else [("notion", JOINT)]
    return [*rows[:2], *notion, *rows[2:], ("explored", setting)]


def rests_on(certificate: Certificate) -> str:
    """Return what a certificate rests on besides privcheck and the mechanisms that it names.

    >>> from privcheck.results._example_results import GRANTED
    >>> rests_on(GRANTED)
    'nothing, provided that rewards lie in [0, 1]'
    """
    kinds = [f"{kind}: {', '.join(names)}" for kind, names in certificate.rests_on.items()]
    named = numbers.clean("; ".join(kinds)) or "nothing"
    if certificate.coverage != UNDER_GUARD:
        return named
    return f"{named}{', ' if named == 'nothing' else '; '}provided that {data_as_declared(certificate)}"


def complete_words(certificate: Certificate) -> str:
    """Return whether every line that matters ran and did no harm, and what it means if not.

    >>> from privcheck.results._example_results import GRANTED
    >>> complete_words(GRANTED)
    'yes: every line that matters for privacy ran within 8 rounds, and none leaked or was refused a release; what \
later rounds decide by value was not seen'
    """
    if certificate.complete:
        within = plural(certificate.horizon, "round")
        later = "more rows" if of_data(certificate) else "later rounds"
        return (
            f"yes: every line that matters for privacy ran within {within}, and none leaked or was refused a release; "
            f"what {later} decide by value was not seen"
        )
    if certificate.unreached and not found_something(certificate):
        return f"no: {plural(len(certificate.unreached), 'line')} never ran: {NEVER_RAN}"
    return f"no: {'; '.join(reasons(certificate, brief=True))}"


NEVER_RAN = "a leak there stops the guarded policy, and would leak without it"


def data_as_declared(certificate: Certificate) -> str:
    """Return what every bound takes of the data, in words.

    >>> from privcheck.results._example_results import GRANTED
    >>> data_as_declared(GRANTED)
    'rewards lie in [0, 1]'
    """
    given = "rewards" if certificate.contexts is None else "contexts are as declared and rewards"
    low, high = certificate.rewards
    return f"{given} lie in [{low:g}, {high:g}]"


def _use(use: PrimitiveUse) -> tuple[str, str]:
    """Return what was measured at one line: how far the inputs of a primitive move, and what that costs.

    >>> _use(PrimitiveUse("numpy.random.laplace", "bandit.py:7", 32, "L1", None, 0.5, None, 1.0))
    ('bandit.py:7', 'numpy.random.laplace, 32 pairs of inputs: at most 0.5 apart (L1), which costs epsilon = 1')
    """
    said = f"{numbers.clean(use.name)}, {plural(use.calls, 'pair')} of inputs: "
    said += (
        "their distance is not known"
        if use.measured is None
        else f"at most {digits_up(use.measured)} apart ({use.metric})"
    )
    if use.declared is not None:
        said += f", {'more than' if use.exceeds else 'within'} the sensitivity {use.declared:.6g} that the code states"
    if use.epsilon is None:
        return numbers.clean(use.location), f"{said}; its law is not known, so that nothing was charged"
    cost = f"epsilon = {digits_up(use.epsilon)}" if use.epsilon < math.inf else "no bounded epsilon without a delta"
    return numbers.clean(use.location), f"{said}, which costs {cost}"


def refusals_told(certificate: Certificate) -> list[str]:
    """Return the sentences about refused releases, those that differ only in the round of the datum as one.

    Of data that are all there before anything is released, the rows are named.
    """
    told = said_once(certificate.refusals)
    return [in_rows(said) for said in told] if of_data(certificate) else told


def said_once(refusals: Sequence[str]) -> list[str]:
    """Return sentences about refused releases, those that differ only in the round of the datum as one.

    >>> said = "budget: got a release at b.py:9 that takes the reward of round {} to 2, expected at most 1"
    >>> said_once([said.format(9), "other", said.format(8), said.format(3)])
    ['budget: got a release at b.py:9 that takes the reward of rounds 3 and 8-9 to 2, expected at most 1', 'other']
    """
    rounds = defaultdict[str, list[int]](list)
    for refusal in refusals:
        rounds[_ROUND.sub("\0", refusal, 1)] += [int(number) for number in _ROUND.findall(refusal)[:1]]
    return [said.replace("\0", describe_data(found), 1) if found else said for said, found in rounds.items()]
