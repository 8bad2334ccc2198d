"""What refused releases would have taken rounds to, from the sentences in which a certificate tells of them."""

from __future__ import annotations

import re

from privcheck.results import Certificate

_TAKES = re.compile(r" that takes .*\bround (\d+) to (?:(epsilon|rho|mu) = )?([0-9.e+-]+)(?=,? )")


def refused_totals(certificate: Certificate, currency: str) -> dict[int, float]:
    """Return the largest total that a refused release would have taken each round to, in a currency.

    >>> from dataclasses import replace
    >>> from privcheck.results._example_results import GRANTED
    >>> said = "budget: got a release at b.py:9 that takes the reward of round 3 to 1.5, expected at most 1 per datum"
    >>> refused_totals(replace(GRANTED, refusals=[said]), "epsilon"), refused_totals(GRANTED, "epsilon")
    ({3: 1.5}, {})
    """
    found: dict[int, float] = {}
    for refusal in certificate.refusals:
        if (told := _TAKES.search(refusal)) is not None and (told[2] or "epsilon") == currency:
            number = int(told[1])
            found[number] = max(found.get(number, 0.0), float(told[3]))
    return found
