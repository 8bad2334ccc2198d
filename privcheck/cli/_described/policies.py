"""The policies of `privcheck simulate` and `privcheck frontier`, and the labels that they are given."""

from __future__ import annotations

from pathlib import Path

from privcheck.errors import PrivcheckError


def labelled(texts: list[str]) -> list[str] | dict[str, str]:
    """Return policies as they were given, or by label if any has one: LABEL=POLICY.

    An `=` among the parameters of a shipped id or in the path of a file that exists begins no policy. Beside labels, a
    policy without one is called what was typed.

    Raises
    ------
    PrivcheckError : two equal labels.

    Examples
    --------
    >>> labelled(["adap-ucb(alpha=3)", "ucb"])
    ['adap-ucb(alpha=3)', 'ucb']
    >>> labelled(["DP-TS (ours)=dp_ts.py:DPTS", "Lazy=lazy-dp-ts", "adap-ucb(alpha=3)"])
    {'DP-TS (ours)': 'dp_ts.py:DPTS', 'Lazy': 'lazy-dp-ts', 'adap-ucb(alpha=3)': 'adap-ucb(alpha=3)'}
    """
    pairs = [_split(text) for text in texts]
    if all(label is None for label, _ in pairs):
        return texts
    found: dict[str, str] = {}
    for label, policy in pairs:
        called = policy if label is None else label
        if called in found:
            raise PrivcheckError(
                "policies", called, "a label for each policy", "two have this one: give them LABEL=..."
            )
        found[called] = policy
    return found


def _split(text: str) -> tuple[str | None, str]:
    from privcheck.bandits import ALGORITHMS

    label, equals, policy = text.partition("=")
    if not equals or text.partition("(")[0] in ALGORITHMS or Path(text.rpartition(":")[0] or text).is_file():
        return None, text
    return label.strip(), policy.strip()
