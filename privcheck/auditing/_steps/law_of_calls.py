"""A law that the user gives for what a call returns: on two recorded inputs it has a loss, which takes no runs."""

from __future__ import annotations

import inspect
import pickle
import time
from collections.abc import Callable
from types import FunctionType
from typing import Any

from privcheck.auditing._exact.approximate_loss import approximate_loss
from privcheck.auditing._exact.given_density import Density
from privcheck.auditing._law_of_outputs import LawOfOutputs
from privcheck.auditing._steps.compared_values import copied
from privcheck.auditing._steps.forced_calls import signature_of
from privcheck.auditing._steps.isolated_calls import RecordedInput, name_of, played_alone
from privcheck.auditing._steps.search_steps import Step, Steps
from privcheck.errors import PrivcheckError, words
from privcheck.targets import StreamPair

NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
"""Parameters of a law that are arguments of the call, by name."""

MOST_NAMED = 4
"""Functions that an error message names."""


class LawOfCalls:
    """The law of what one of the functions that draw returns.

    Parameters
    ----------
    law : a function whose parameters are some of the call's, by name, and that returns an object with `logpdf(x)` and
        `support()`.

    Raises
    ------
    PrivcheckError : a law without a parameter, or with `*args`, `**kwargs` or parameters without names.
    """

    def __init__(self, law: Callable[..., Any]) -> None:
        expected = "a function whose parameters are named as those of the call, such as law(value, sensitivity)"
        try:
            parameters = inspect.signature(law).parameters.values()
        except (TypeError, ValueError):
            raise PrivcheckError("law", words("a function without a signature"), expected) from None
        wrong = [each.name for each in parameters if each.kind not in NAMED and each.default is inspect.Parameter.empty]
        self.names = tuple(each.name for each in parameters if each.kind in NAMED)
        if wrong or not self.names:
            got = words(f"the parameters {', '.join(wrong)}" if wrong else "a function without parameters")
            raise PrivcheckError("law", got, expected)
        self.needed = {each.name for each in parameters if each.default is inspect.Parameter.empty}
        self.law = law

    def at(self, call: RecordedInput) -> Any:
        """Return the law of what a call returns, from copies of its arguments."""
        given = {name: call.arguments[name] for name in self.names if name in call.arguments}
        return self.law(**copied(given, call.generators))

    def best(self, pairs: list[StreamPair], delta: float, until: float) -> StreamPair:
        """Return the pair of calls that the law tells apart best, of those that are looked at before a time.

        Parameters
        ----------
        pairs : of recorded inputs; of those with equal laws the first one is looked at.
        delta : of the claim.
        until : `time.monotonic()`; one pair is looked at in any case.
        """
        densities: dict[bytes, Density] = {}
        losses: dict[tuple[bytes, bytes], tuple[float, StreamPair]] = {}
        for pair in pairs:
            if losses and time.monotonic() > until:
                break
            one, two = (self._key(given) for given in (pair.first, pair.second))
            if (one, two) not in losses:
                for key, given in ((one, pair.first), (two, pair.second)):
                    if key not in densities:
                        densities[key] = Density(self.of_outputs().at(given), "law")
                losses[one, two] = approximate_loss(densities[one], densities[two], delta), pair
        return max(losses.values(), key=lambda found: found[0])[1]

    def _key(self, given: Any) -> bytes:
        """Return the arguments that the law takes as bytes; of what has none, as many as tell it from all others."""
        call: RecordedInput = given.value
        try:
            return pickle.dumps([call.arguments.get(name) for name in self.names])
        except Exception:  # of the user's own objects
            return id(call).to_bytes(16)

    def of_outputs(self) -> LawOfOutputs:
        """Return it as the law of the mechanism that plays calls alone."""
        return LawOfOutputs(self.at, played_alone)

    def steps(self, found: Steps) -> list[Step]:
        """Return the steps of functions that have all parameters which the law needs."""
        return [step for step in found.steps if self._is_of(found.functions[step.function])]

    def check(self, found: Steps) -> None:
        """Check that it is the law of one function, if there are steps.

        Raises
        ------
        PrivcheckError : none of the functions has its parameters, or several have them.
        """
        numbers = dict.fromkeys(step.function for step in found.steps)
        named = [number for number in numbers if self._is_of(found.functions[number])]
        if len(named) == 1 or not numbers:
            return
        asked = f"a law of {', '.join(self.names)}"
        if named:
            fit = " and of ".join(name_of(found.functions[number]) for number in named[:MOST_NAMED])
            hint = "give the law more of the parameters of the step that it is of"
            raise PrivcheckError("law", words(f"{asked}, parameters of {fit}"), "those of one step", hint)
        there = [f"{each.__qualname__}{signature_of(each)}" for each in map(found.functions.__getitem__, numbers)]
        hint = f"the steps are {', '.join(there[:MOST_NAMED])}"
        raise PrivcheckError("law", words(asked), "parameters of a step, by their names", hint)

    def _is_of(self, function: FunctionType) -> bool:
        return self.needed <= set(signature_of(function).parameters)
