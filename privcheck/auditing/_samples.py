"""A bound from two samples: scores, symbols or outputs of runs that somebody else has made."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from privcheck.arrays import refuse_masks
from privcheck.auditing._confirmation.evidence import evidence_of, settle
from privcheck.auditing._confirmation.shares_of_runs import taken
from privcheck.auditing._scoring.output_views import output_views
from privcheck.auditing._witness import describe
from privcheck.declared import OrNone, Real, check
from privcheck.errors import PolicyError, PrivcheckError, words
from privcheck.inference import DELTA, EPSILON, LEVEL
from privcheck.results import SampleBound
from privcheck.targets import Outputs, Sides, StreamPair, alike, outputs_from_batch, outputs_of

LEAST_OUTPUTS = 20
"""With fewer on each input, nothing is left to count after events have been chosen."""

NO_ACCIDENT = 1e-6
"""Samples in which outputs repeat as often as they do in independent ones with this probability are refused."""

UNKNOWN_PAIR = StreamPair(np.zeros((1, 1)), np.ones((1, 1)), "the two inputs of the samples")
"""Stands for the inputs, which only their owner knows."""


def bound_from_samples(
    first: Any,
    second: Any,
    *,
    delta: float = 0.0,
    epsilon: float | None = None,
    confidence: float = 0.95,
    error: float = 1e-3,
) -> SampleBound:
    """Bound epsilon from below by outputs of independent runs on two neighbouring inputs, chosen before the runs.

    Parameters
    ----------
    first, second : equally many outputs, at least 20 each: an array with one row for a run, or a list. An output is a
        number (a score, say), an integer, a string, None, or a tuple, list or array of these.
    delta : delta of the bound and of the claim, in [0, 1).
    epsilon : the claim; by default there is none, and no verdict.
    confidence : of each bound, in [0.5, 1).
    error : a true claim is refuted with at most this probability, in (0, 0.5].

    Returns
    -------
    SampleBound : the bounds, the verdict and the event. They hold if the runs are independent; a violation is one of
        any claim that covers these two inputs.

    Raises
    ------
    PrivcheckError : samples of unequal length, with NaN, of fewer than 20 outputs, of different kinds of output, with
        the same keys in another order, or in which every output is there twice, or an option out of its range.

    Source
    ------
    As the second half of `privcheck.audit`: some outputs serve to learn scores and to choose events, and others to
    count them. The outputs are shuffled first, so that their order does not matter.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = bound_from_samples(rng.laplace(1.0, size=20_000), rng.laplace(0.0, size=20_000), epsilon=0.5)
    >>> found.verdict, 0.9 < found.epsilon_lower < 1.0
    ('violation', True)
    """
    delta, epsilon = check("delta", delta, DELTA), check("epsilon", epsilon, OrNone(EPSILON))
    level = 1.0 - check("confidence", confidence, Real(0.5, 1.0, high_open=True))
    error = check("error", error, LEVEL)
    sides = _outputs("first", first), _outputs("second", second)
    runs = len(sides[0])
    if len(sides[1]) != runs:
        got = words(f"{len(sides[1]):,} outputs")
        raise PrivcheckError("second", got, f"as many as in the first sample, {runs:,}", "drop some, chosen at random")
    if runs < LEAST_OUTPUTS:
        raise PrivcheckError("first", words(f"{runs} outputs"), f"at least {LEAST_OUTPUTS}", "do more runs")
    if sides[0].numbers.shape[1] + sides[0].symbols.shape[1] == 0:
        raise PrivcheckError("first", words("outputs without content"), "at least one number or symbol each")
    if sides[0].numbers.shape[1] != sides[1].numbers.shape[1]:
        raise PrivcheckError("second", words("outputs of another kind"), "outputs like those of the first sample")
    _check_alike(first, second)
    _check_keys(first, second)
    for name, side in zip(("first", "second"), sides, strict=True):
        _check_once(name, side)
    one, two = alike([_shuffled(side, number) for number, side in enumerate(sides)])
    both: Sides = one, two
    chosen = settle(UNKNOWN_PAIR, both, runs, level, delta, output_views, claim=epsilon)
    assert chosen is not None, "all runs are there"
    tally = chosen.counter(taken(both, chosen.folds.counting))
    evidence = evidence_of(chosen, tally, level, delta)
    lower, winner = evidence.lower(level)
    witness = describe(UNKNOWN_PAIR, winner, tally, level * winner.share)
    verdict = None
    if epsilon is not None:
        verdict = "violation" if evidence.lower(error)[0] > epsilon else "not refuted"
    assert evidence.tradeoff is not None
    return SampleBound(
        epsilon_lower=max(0.0, lower),
        delta=delta,
        confidence=1.0 - level,
        epsilon=epsilon,
        delta_lower=None if epsilon is None else evidence.delta_lower(epsilon, level),
        verdict=verdict,
        error=error,
        runs=runs,
        counted_runs=evidence.runs,
        event=witness.event,
        likelier=witness.more_likely,
        probability_first=witness.probability_first,
        probability_second=witness.probability_second,
        tradeoff=evidence.tradeoff,
    )


def _outputs(name: str, sample: Any) -> Outputs:
    refuse_masks(name, sample)
    try:
        array = _array(sample)
        if array.dtype.kind in "biuf" and array.ndim:
            found = outputs_from_batch(array, len(array))
        else:
            found = outputs_of(list(sample))
            if len({_kind(output) for output in sample}) > 1:
                raise PolicyError("output", words("outputs of different types"), "outputs of one type")
        if np.isnan(found.numbers).any():
            raise PolicyError("output", words("NaN, or lists of numbers of different lengths"), "numbers")
        return found
    except (PolicyError, ValueError, TypeError, IndexError, OverflowError) as error:
        got = words(error.value if isinstance(error, PolicyError) else f"{type(sample).__name__}: {error}")
        raise PrivcheckError(
            name, got, "outputs of one kind, none NaN", "numbers, integers, strings or tuples"
        ) from None


def _array(sample: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """Return a sample as an array, of objects if its outputs have different lengths."""
    try:
        return np.asarray(sample)
    except ValueError:
        return np.empty(0, object)


def _kind(output: Any) -> str:
    """Return which kinds of parts an output has: outputs of a sample are all of one kind."""
    if isinstance(output, np.ndarray):
        output = output.tolist()
    if isinstance(output, list | tuple):
        return "+".join(sorted({_kind(part) for part in output}))
    return "real" if isinstance(output, numbers.Real) and not isinstance(output, numbers.Integral) else "discrete"


def _check_alike(first: Any, second: Any) -> None:
    """Refuse samples whose outputs differ by how they were stored: texts and numbers, or floats of two precisions."""
    one, two = _stored_as(first), _stored_as(second)
    if None not in (one | two) and one and two and one.isdisjoint(two):
        seen, before = (" and ".join(sorted(map(str, kinds))) for kinds in (two, one))
        got = words(f"{seen} outputs, and {before} in the first sample")
        raise PrivcheckError("second", got, "outputs stored like those of the first sample", "convert one of them")


def _check_keys(first: Any, second: Any) -> None:
    """Refuse samples that have the same keys, in another order: that is how they were written, and would tell them
    apart.
    """
    one, two = (set(_keys(sample)) for sample in (first, second))
    for keys in one:
        if keys not in two and any(set(keys) == set(others) for others in two - one):
            got = words("the same keys in another order")
            raise PrivcheckError("second", got, "keys in the order of the first sample", "sort the keys of both")


def _keys(sample: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the keys of every dict in a sample, in their order."""
    if isinstance(sample, Mapping):
        yield tuple(sample)
        sample = list(sample.values())
    if isinstance(sample, list | tuple) or (isinstance(sample, np.ndarray) and sample.dtype.kind == "O"):
        for part in sample:
            if isinstance(part, Mapping | list | tuple):
                yield from _keys(part)


def _check_once(name: str, outputs: Outputs) -> None:
    """Refuse a sample that has every output twice, or k times: its runs are fewer than its outputs.

    Of n independent outputs let u different ones be seen. If n were a Poisson number, their counts would be
    independent, and each that is not 0 a multiple of k > 1 with probability at most 1/2. A Poisson number of mean n is
    n with probability at least 1 / (e sqrt(n)), so that all u counts are multiples with probability at most
    e sqrt(n) 2^-u.
    """
    rows = np.concatenate([outputs.symbols.astype(np.float64), outputs.numbers], axis=1)
    counts = np.unique(rows, axis=0, return_counts=True)[1]
    times = int(np.gcd.reduce(counts))
    if times > 1 and math.e * math.sqrt(len(rows)) * 2.0 ** -len(counts) < NO_ACCIDENT:
        got = words(f"every output {times} times, or a multiple of that")
        raise PrivcheckError(name, got, "the output of each run once", "give each run once, with randomness of its own")


def _stored_as(sample: Any) -> set[str | None]:
    """Return how the parts of outputs are stored: texts, bytes, integers, or floats and their precision."""
    if isinstance(sample, np.ndarray | np.generic) and sample.dtype.kind != "O":
        kind = sample.dtype.kind
        return {{"U": "text", "S": "bytes", "f": f"float{8 * sample.dtype.itemsize}"}.get(kind, "integer")}
    if isinstance(sample, list | tuple | np.ndarray):
        return {kind for part in sample for kind in _stored_as(part)}
    if sample is None:
        return {None}
    kinds = {str: "text", bytes: "bytes", float: "float64"}
    return {kinds.get(type(sample), "integer" if isinstance(sample, int) else "other")}


def _shuffled(outputs: Outputs, number: int) -> Outputs:
    order = np.random.default_rng(number).permutation(len(outputs))
    return Outputs(outputs.symbols[order], outputs.numbers[order], names=outputs.names)
