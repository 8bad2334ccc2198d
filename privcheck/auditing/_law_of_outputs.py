"""A law that the user gives for the outputs of a function of data: the pairs that it tells apart, and whether runs
follow it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from privcheck.arrays import Array
from privcheck.auditing._exact.approximate_loss import approximate_loss
from privcheck.auditing._exact.given_density import Density
from privcheck.auditing._exact.given_laws import bound_from_laws
from privcheck.auditing._exact.law_event import LikelierOutputs, likelier_outputs
from privcheck.auditing._exact.samples_of_a_law import LEAST, fit_of_law
from privcheck.auditing._input_differences import named_pair
from privcheck.auditing._law_verdict import law_events
from privcheck.auditing._search.mutations import variants
from privcheck.auditing._search.palette import key_of, palette
from privcheck.auditing._search.stream_families import spread
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.inference import LawFit
from privcheck.results import LawBound, LawEvent, LawEvidence, Witness
from privcheck.targets import (
    MISSING,
    RANDOM,
    Claim,
    Effort,
    Given,
    Outputs,
    Request,
    Runner,
    Sampler,
    StreamPair,
    all_raised,
    describe_exception,
    input_of,
    is_measurement,
)

MOST_RANKED = 100
"""Candidates that are ranked by the law, one of each family first: about a second's work on the line."""

PARENTS, MOST_VARIANTS = 4, 24
"""The best candidates of which variants are ranked too, and the most variants."""

TRIED = 4
"""Runs on each input of a pair that show whether the target takes it: one that it refuses raises an error in all of
them.
"""

MOST_REFUSED = 20
"""Pairs that a target may refuse while it is tried: not a time, on which a report would then depend."""

MOST_RUNS = 2000
"""Most runs on each input that are compared with its law: enough to see a distance of 0.05 between distribution
functions.
"""

PLAYED_TOGETHER = 50_000
"""Runs on each input that are held at a time while outputs are counted."""

NOT_NUMBERS = "outputs that are not {} real numbers"


class LawOfOutputs:
    """The law of the outputs of a function of data, on the user's word.

    Parameters
    ----------
    law : `law(data)` returns an object with `logpdf(x)` and `support()`.
    mechanism : the function itself, which is given the same data.
    """

    def __init__(self, law: Callable[[Any], Any], mechanism: Any) -> None:
        self.law, self.plain = law, is_measurement(mechanism)
        self._densities: dict[Any, Density] = {}

    def at(self, data: Any) -> Any:
        """Return the law on an input, which is a copy of its own."""
        try:
            return self.law(input_of(data, plain=self.plain))
        except PrivcheckError:
            raise
        except Exception as error:
            expected = "a function law(data) of the data that the target is given"
            raise PolicyError("law", words(describe_exception(error)), expected) from None

    def bound(self, pair: StreamPair, delta: float, epsilon: float | None) -> LawBound:
        """Return bounds on epsilon at delta, and on delta at a claimed epsilon, on a pair."""
        try:
            return bound_from_laws(self.at(pair.first), self.at(pair.second), delta=delta, epsilon=epsilon)
        except PrivcheckError as error:
            side, point, method = error.parameter.partition(".")
            if side not in ("first", "second"):
                raise
            name = f"law(data){point}{method} on the {side} input"
            raise PrivcheckError(name, error.value, error.expected, error.hint) from None

    def fit(self, data: Any, outputs: Outputs) -> LawFit:
        """Test runs on an input against its law.

        Raises
        ------
        PrivcheckError : outputs that are not as many real numbers as the law is of.
        """
        law = self.at(data)
        size = Density(law, "law(data)").dimensions
        numbers, complete = _numbers(outputs, size)
        if not complete.any():
            got = words(NOT_NUMBERS.format(size))
            raise PolicyError("law", got, "the law of the output", "encode=f, say, with the law of what f returns")
        if not complete.all():
            nowhere = ((-math.inf, math.inf),) * size
            return LawFit(0.0, nowhere, float(complete.mean()), 1.0, f"some {NOT_NUMBERS.format(size)}")
        return fit_of_law(numbers[:, 0] if size == 1 else numbers, law)

    def best_first(self, pairs: list[StreamPair], delta: float, effort: Effort, runner: Runner) -> list[StreamPair]:
        """Return the candidates, with the pair that the law tells apart best before the others.

        It is one of the candidates, or a variant of one. A random pair on which the law raises an error is not ranked.
        One that the target does not take is passed over: what that shows is for runs to judge.

        Parameters
        ----------
        pairs : the candidates.
        delta : of the claim.
        effort : the seed, and how many pairs are ranked.
        runner : plays the target; keys of its runs begin with (6, 2).
        """
        if len(pairs) == 1:
            return pairs
        seeds = (np.random.SeedSequence(effort.seed, spawn_key=(6, 2, number)) for number in itertools.count())
        taken = partial(_taken, runner=runner, seeds=seeds)
        ranked = self._ranked(spread(pairs, min(MOST_RANKED, effort.pairs or len(pairs))), delta)
        parents = [*itertools.islice(taken(ranked), PARENTS)] or ranked[:1]
        rows, known = palette(pairs), {key_of(pair) for pair in pairs}
        every = [variant for parent in parents for variant in variants(parent, rows)]
        new = list({key_of(variant): variant for variant in every if key_of(variant) not in known}.values())
        later = self._ranked([parents[0], *(replace(pair, base=RANDOM) for pair in new[:MOST_VARIANTS])], delta)
        best = next(taken(later), parents[0])
        return [best, *(pair for pair in pairs if pair is not best)]

    def evidence(self, pair: StreamPair, sampler: Sampler, runs: int, claim: Claim) -> LawEvidence:
        """Return what the law says of a pair, which was chosen without runs, and what fresh runs say of both.

        Parameters
        ----------
        pair : the pair.
        sampler : plays the runs; requests are keyed (6, side).
        runs : the planned runs per stream of the audit: all of them if the law refutes the claim, to count the outputs
            that it names, and otherwise at most `MOST_RUNS`, to test the law.
        claim : the claim and the level of the verdict.
        """
        for data in (pair.first, pair.second):
            self._density(data)  # what is no law is refused by this name
        bound, number = self.bound(pair, claim.delta, claim.epsilon), max(min(runs, MOST_RUNS), max(LEAST))
        proposed = None
        if bound.verdict == "violation":
            assert claim.epsilon is not None
            proposed = likelier_outputs(self.at(pair.first), self.at(pair.second), claim.epsilon)
        every = number if proposed is None else max(runs, number)
        counted, fits = np.zeros((2, 2), np.int64), list[LawFit]()
        together = max(1, -(-PLAYED_TOGETHER // sampler.chunk_runs)) * sampler.chunk_runs
        for begin in range(0, every, together):
            size = min(together, every - begin)
            requests = [Request(pair, side, size, (6, side), planned=every, begin=begin) for side in (0, 1)]
            played = sampler.play(requests, lambda _: None)
            if not begin:
                number = min(number, size)
                fits = [
                    self.fit(data, outputs[:number])
                    for data, outputs in zip((pair.first, pair.second), played, strict=True)
                ]
            for place, event in enumerate(proposed or ()):
                counted[place] += [_inside(event, outputs) for outputs in played]
        worse = int(fits[1].p_value < fits[0].p_value)
        p_value, events = min(1.0, 2.0 * fits[worse].p_value), tuple[LawEvent, ...]()
        if proposed is not None:
            events, of_counts = law_events(proposed, counted, every, claim)
            p_value = min(1.0, 2.0 * min(p_value, of_counts))
        side, follows = ("first", "second")[worse], p_value > claim.error
        return LawEvidence(bound, named_pair(pair), fits[worse], side, p_value, number, follows, events=events)

    def loss(self, pairs: list[StreamPair], witness: Witness, delta: float, known: LawEvidence | None) -> float | None:
        """Return the loss by the law on the pair of a witness: at least this much, and exact up to quadrature.

        None if the pair consists of objects, and another one has the same description.

        Parameters
        ----------
        pairs : the candidates, the first of which `known` is about.
        witness : the pair in words and, unless it consists of objects, as tables.
        delta : that of the claim.
        known : what the law says of the first candidate.
        """
        if isinstance(pairs[0].first, Given):
            alike = [pair for pair in pairs if named_pair(pair) == witness.streams]
        else:
            like = np.asarray(pairs[0].first)
            shape, kind = (-1, *like.shape[1:]) if like.ndim else (), like.dtype
            first, second = (table.astype(kind).reshape(shape) for table in (witness.first, witness.second))
            alike = [StreamPair(first, second)]
        if len(alike) != 1:
            return None
        same = alike[0] is pairs[0] or (alike[0].rounds and key_of(alike[0]) == key_of(pairs[0]))
        return (known.bound if known and same else self.bound(alike[0], delta, None)).epsilon_lower

    def _ranked(self, pairs: list[StreamPair], delta: float) -> list[StreamPair]:
        losses = [self._approximate(pair, delta) for pair in pairs]
        order = sorted(range(len(pairs)), key=lambda i: -losses[i])
        return [pairs[i] for i in order]

    def _approximate(self, pair: StreamPair, delta: float) -> float:
        try:
            return approximate_loss(self._density(pair.first), self._density(pair.second), delta)
        except PrivcheckError:
            if pair.base != RANDOM:
                raise
            return -1.0

    def _density(self, data: Any) -> Density:
        key = id(data) if isinstance(data, Given) else (np.shape(data), np.asarray(data).tobytes())
        if key not in self._densities:
            self._densities[key] = Density(self.at(data), "law(data)")
        return self._densities[key]


def _taken(
    pairs: Iterable[StreamPair], runner: Runner, seeds: Iterator[np.random.SeedSequence]
) -> Iterator[StreamPair]:
    """Yield the pairs on both inputs of which a target puts anything out; once it has refused `MOST_REFUSED`, or ended
    no run of one within its time limit, that is believed of all pairs that are not random.
    """
    left = MOST_REFUSED
    for pair in pairs:
        if left == 0:
            taken = pair.base != RANDOM
        else:
            try:
                taken = _is_taken(pair, runner, next(seeds))
                left -= not taken
            except PolicyError:  # each of them may take as long as the limit
                taken, left = False, 0
        if taken:
            yield pair


def _is_taken(pair: StreamPair, runner: Runner, seed: np.random.SeedSequence) -> bool:
    return not any(all_raised(runner.play(data, TRIED, seed)) for data in (pair.first, pair.second))


def _numbers(outputs: Outputs, size: int) -> tuple[Array, Any]:
    """Return the real numbers of each run, and which runs put out so many and nothing else."""
    if outputs.numbers.shape[1] != size:
        return outputs.numbers, np.zeros(len(outputs), bool)
    other = (outputs.symbols != MISSING).any(axis=1)
    return outputs.numbers, ~np.isnan(outputs.numbers).any(axis=1) & ~other


def _inside(event: LikelierOutputs, outputs: Outputs) -> int:
    """Return how many runs put out real numbers in an event, and nothing else."""
    numbers, complete = _numbers(outputs, event.law.dimensions)
    return int(event.contains(numbers[complete]).sum()) if complete.any() else 0
