"""The choices of a guarded policy that no reward has closed yet: an `update` is let in only for one of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

from privcheck.errors import PrivcheckError, words
from privcheck.feedback import Feedback


class OpenChoices:
    """How many choices of each action are open; a choice opens one, and the reward of its action closes one.

    Which rounds they are is not kept, so that memory does not grow with them.

    Parameters
    ----------
    kind : of feedback; one whose `update` names no action counts nothing.
    counts : how many are open.
    """

    def __init__(self, kind: Feedback, counts: Counter[Hashable] | None = None) -> None:
        self._kind, self._counts = kind, Counter[Hashable]() if counts is None else counts
        self._name = next((name for name in ("action", "actions") if name in kind.told), None)
        self._place = -1 if self._name is None else kind.told.index(self._name)
        self._one = type(kind).opens is Feedback.opens  # nearly always: a choice is one action

    @property
    def counts(self) -> Counter[Hashable]:
        """How many choices of each action are open."""
        return self._counts

    def copy(self) -> OpenChoices:
        """Return the same counts, to check calls to come."""
        return OpenChoices(self._kind, self._counts.copy())

    def open(self, action: Any) -> None:
        """Count what `select` has answered."""
        if self._name is None:
            return
        counts = self._counts
        for opened in (action,) if self._one else self._kind.opens(action):
            counts[opened] = counts.get(opened, 0) + 1

    def has(self, told: Sequence[Any]) -> bool:
        """Return whether all that an `update` names is open; arguments that are wrong are not."""
        if self._name is None:
            return True
        try:
            if self._one:
                return told[self._place] in self._counts
            opened = self._kind.opens(told[self._place])
            return all(self._counts[action] >= count for action, count in Counter(opened).items())
        except TypeError:
            return False

    def close(self, told: Sequence[Any]) -> None:
        """Count what an `update` was told of; one that a ledger has from before this rule may find nothing open."""
        if self._name is None:
            return
        counts, action = self._counts, told[self._place]
        for closed in (action,) if self._one else self._kind.opens(action):
            if (left := counts.get(closed, 0) - 1) > 0:
                counts[closed] = left
            else:
                counts.pop(closed, None)

    def refusal(self, told: Sequence[Any], chosen: str = "") -> PrivcheckError:
        """Return why an `update` is not let in; where the action is private, the error depends on the calls alone.

        Parameters
        ----------
        told : its arguments.
        chosen : the id under which its action was chosen; "" if there is none.
        """
        assert self._name is not None
        chooses, learns = f"{self._kind.chooses}()", f"{self._kind.learns}()"
        if chosen:
            got = words(f"a choice, that of {chosen!r}, whose reward was told by {learns} under another id or none")
            hint = f"without the id of a {chooses} it takes any open choice: give it that id; nothing was charged"
            return PrivcheckError(learns, got, "a choice whose reward was not told yet", hint)
        hint = f"call {chooses} before {learns}: each choice takes its reward once; nothing was charged"
        if self._name not in self._kind.public:
            got = words(f"a reward for which no {chooses} is open")
            return PrivcheckError(learns, got, f"a {chooses} whose reward was not told yet", hint)
        what = "an action" if self._name == "action" else "actions"
        expected = f"{what} that {chooses} has chosen and whose reward was not told yet"
        given = told[self._place]
        got = given.tolist() if hasattr(given, "tolist") else given
        return PrivcheckError(self._name, got, expected, hint)
