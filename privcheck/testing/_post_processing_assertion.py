"""`assert_unchanged_by`: post-processing of a release does not depend on the data behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from privcheck.arrays import Table
from privcheck.auditing import differences
from privcheck.certifying import changed_tables, random_table, unexplained_divergence
from privcheck.declared import Integer, check
from privcheck.errors import PrivcheckError, words
from privcheck.mechanisms import DivergenceError, ForcedTape, Tape, recording
from privcheck.privacy import Contexts, Relation
from privcheck.reporting import divergence_sentences, streams_told
from privcheck.targets import CertifySettings, Claim, Game, is_mechanism, load_policy
from privcheck.testing._assertion import FACT, asked, assertion, failure, name_of, nothing, passed
from privcheck.testing._project import arms_of, setting

Pair = tuple[Table, Table]

STREAMS = 4
"""Random streams of which every round is changed."""

SEEDS = 10
"""Seeds of the coins and the noise for every change."""

REPEATS = 3
"""How often, with each seed, a run is repeated on the same data before a difference is blamed on them."""

Diverges = Callable[[Pair], list[str] | None]
"""What differs on a pair of streams, in words; None when nothing differs."""


@assertion
def assert_unchanged_by(
    target: Any,
    neighbours: str = "row",
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    rho: float | None = None,
    mu: float | None = None,
    arms: int | None = None,
    horizon: int | None = None,
    rewards: tuple[float, float] = (0.0, 1.0),
    feedback: str = "bandit",
    contexts: Contexts | None = None,
    streams: int = STREAMS,
    seed: int | None = None,
) -> int:
    """Fail when a change of the data changes what a policy or function does although releases and coins are the same.

    Post-processing costs no privacy when it is a function of what was released. A run is recorded, then repeated on
    neighbouring data with the same coins and with every release forced to its recorded value: the actions, or the
    output, must be the same.

    Parameters
    ----------
    target : a policy as for `privcheck.certify`, which may also draw its noise from its Generator, or a function
        `f(data, rng)` that releases through privcheck's mechanisms.
    neighbours : which changes: "row", "reward", "group:k" or, with `contexts`, "context-reward".
    epsilon, delta, rho, mu : for factories that take them.
    arms, horizon : by default those of the project's settings, or 2 and 16; `f(data, rng)` is given tables of `horizon`
        rows and `arms` columns.
    rewards, feedback, contexts : as for `privcheck.certify`.
    streams : random streams, at least 1, of which every round is changed, one at a time, as are two constant streams.
    seed : by default that of `--privcheck-seed`, or 0.

    Returns
    -------
    The number of changes that were tried.

    Raises
    ------
    PrivacyFailure : unreleased data affect the post-processing; with the simplest pair of streams that shows it.
    PrivcheckError : bad input, or a target whose runs also differ on the same data.

    Source: post-processing, Dwork and Roth (2014), Proposition 2.1.

    Examples
    --------
    >>> assert_unchanged_by("adap-ucb", epsilon=1.0, horizon=8)
    48
    """
    nothing(target)
    how = asked(seed, check("streams", streams, Integer(1)))
    if rho is mu is None:
        epsilon = setting("epsilon", epsilon)
    settings = CertifySettings.of(
        epsilon=epsilon, delta=delta, rho=rho, mu=mu, rewards=rewards, feedback=feedback, neighbours=neighbours,
        contexts=contexts, seed=how.seed,
    )  # fmt: skip
    game = settings.game
    arms = arms_of(target, arms)
    count = check("arms", 2 if arms is None else arms, Integer(1))
    length = check("horizon", setting("horizon", horizon, 16), Integer(1))
    released = _Released()
    with_seed = (
        _of_function(target, released)
        if is_mechanism(target)
        else _of_policy(target, settings.claim, game, length, count, released)
    )
    diverges = _with_every_seed(with_seed, how.seed)
    rng = np.random.default_rng([how.seed, 0])
    tables = [random_table(rng, length, count, game, number) for number in range(how.runs + 2)]
    for table, end in zip(tables, game.rewards, strict=False):
        table[:, :count] = end
    pairs = [pair for table in tables for pair in changed_tables(rng, table, count, game)]
    for pair in pairs:
        if diverges(pair):
            first, second = _simplest(pair, diverges, game.relation, contexts, count)
            if any(diverges((first, first)) for _ in range(REPEATS)):
                got = words("a target that does something else on the same data, with the same coins and releases")
                hint = "draw from the Generator that it is given, and let nothing depend on clocks or earlier runs"
                raise PrivcheckError("target", got, "runs that data, coins and releases decide", hint)
            told = f"{name_of(target)}: what it does after its releases depends on data that were not released"
            witness = streams_told(first, second, game.rewards, None if contexts is None else count)
            witness += diverges((first, second)) or []
            witness.append(f"{REPEATS * SEEDS} repeats on the first stream alone differed in nothing.")
            call = f"privcheck.testing.assert_unchanged_by({name_of(target)}, {neighbours!r}, ..., seed={how.seed})"
            raise failure(told, witness, FACT, how, call)
    told = f"{name_of(target)}: unchanged by {len(pairs):,} changes of one datum in {length:,} rounds"
    blind = "nothing was released in them: is the horizon long enough?"
    passed(f"{told} when its releases are the same" if released.any else f"{told}, and {blind}")
    return len(pairs)


@dataclass
class _Released:
    """Whether any run made a release."""

    any: bool = False


def _with_every_seed(diverges: Callable[[Pair, int], list[str] | None], seed: int) -> Diverges:
    def first_found(pair: Pair) -> list[str] | None:
        found = (diverges(pair, seed + number) for number in range(SEEDS))
        return next((words for words in found if words is not None), None)

    return first_found


def _of_policy(
    target: Any, claim: Claim, game: Game, horizon: int, arms: int, released: _Released
) -> Callable[[Pair, int], list[str] | None]:
    loaded = load_policy(target)
    policy = loaded.target(claim, game, horizon, loaded.arms(arms))

    def diverges(pair: Pair, seed: int) -> list[str] | None:
        found, any_release = unexplained_divergence(
            policy.build, pair, seed, policy.feedback, game.contexts, game.relation, game.rewards
        )
        released.any |= any_release
        return None if found is None else divergence_sentences(found, contextual=game.contexts is not None)

    return diverges


def _of_function(function: Callable[..., Any], released: _Released) -> Callable[[Pair, int], list[str] | None]:
    def diverges(pair: Pair, seed: int) -> list[str] | None:
        tape, coins = Tape(np.random.default_rng([seed, 1])), np.random.default_rng([seed, 0])
        before = coins.bit_generator.state
        with recording(tape):
            output = _whole(function(pair[0].copy(), coins))
        released.any |= bool(tape.releases)
        forced = ForcedTape(tape.releases)
        try:
            with recording(forced):
                other = _whole(function(pair[1].copy(), np.random.default_rng([seed, 0])))
        except DivergenceError as divergence:
            return [f"{divergence}."]
        if forced.position < len(tape.releases):
            return [f"release {forced.position + 1} happens on only one stream."]
        if not differences(output, other):
            return None
        if not tape.releases and coins.bit_generator.state != before:
            got = words("a function that draws from rng and releases nothing through privcheck's mechanisms")
            hint = "a mechanism makes its noise known; `privcheck.audit` takes the function as it is"
            raise PrivcheckError("target", got, "releases by privcheck.mechanisms", hint)
        return [f"Outputs: {output} and {other}."]

    return diverges


def _whole(output: Any) -> Any:
    """Return an output that can be read twice: what is released while an iterator is read belongs to the run."""
    return list(output) if isinstance(output, Iterator) else output


def _simplest(pair: Pair, diverges: Diverges, related: Relation, contexts: Contexts | None, arms: int) -> Pair:
    while True:
        for simpler in related.shrink(*pair, contexts):
            if len(simpler[0]) >= arms and diverges(simpler):
                pair = simpler
                break
        else:
            return pair
