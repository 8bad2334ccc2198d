"""The papers that shipped algorithms come from."""

from __future__ import annotations

from collections.abc import Iterable

from privcheck.bibliography import cited_in


def papers_of(targets: Iterable[str]) -> tuple[str, ...]:
    """Return the BibTeX keys of the papers behind targets, each an id or a spec as text; none for those of users.

    >>> papers_of(["adap-ucb(arms=2)", "my_bandit.py:MyBandit"])
    ('azize-basu-2022',)
    """
    from privcheck.bandits import ALGORITHMS

    ids = [target.partition("(")[0] for target in targets]
    found = [cited_in(ALGORITHMS[name].source) for name in ids if name in ALGORITHMS]
    return tuple(dict.fromkeys(key for keys in found for key in keys))
