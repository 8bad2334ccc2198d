"""`privcheck.certify`: an upper bound on the privacy loss from the releases that a policy makes, and where it leaks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from privcheck.accounting import spent
from privcheck.certifying._build_certificate import build_certificate
from privcheck.certifying._code_coverage import CodeCoverage
from privcheck.certifying._execution import drive_guarded
from privcheck.certifying._explored_streams import REPLAYED, changed_tables, random_table, replayed_seeds
from privcheck.certifying._later_rounds.nothing_released import why_nothing_released
from privcheck.certifying._later_rounds.reads_between import reads_between
from privcheck.certifying._later_rounds.second_looks import HeldNumbers, SecondLooks
from privcheck.certifying._noisy_replay import noisy_replay
from privcheck.certifying._outside.clean_process import Surroundings, start_early
from privcheck.certifying._outside.contradictions import Contradictions
from privcheck.certifying._outside.draws_of_threads import DrawsOfRuns
from privcheck.certifying._outside.foreign_draws import foreign_draws
from privcheck.certifying._outside.fresh_process import in_fresh_process
from privcheck.certifying._outside.left_behind import LeftBehind, leaks_to_a_later_one
from privcheck.certifying._outside.logged_values import messages_noticed
from privcheck.certifying._outside.outside_access import Accesses, watched
from privcheck.certifying._outside.own_generators import OF_CHILDREN, UNCOUNTED, OwnGenerators
from privcheck.certifying._outside.playing_again import NO_REPLAY, NOT_THE_SAME, Again, replayed_or_why
from privcheck.certifying._outside.release_generators import about_generators, noise_of_children
from privcheck.certifying._outside.same_path import other_ways, set_in_select
from privcheck.certifying._outside.state_apart import Build, from_clean
from privcheck.certifying._outside.trusted_base import trusted_base
from privcheck.certifying._outside.wrapped_alone import plays, said_if
from privcheck.certifying._primitives.noise_recorded import with_noise_recorded
from privcheck.certifying._primitives.record_and_replay import recorded_certificate
from privcheck.certifying._replay import replay
from privcheck.certifying._session import Session
from privcheck.certifying._translated.swapped_code import translated
from privcheck.declared import named_options
from privcheck.errors import PrivcheckError
from privcheck.feedback import FEEDBACKS, kind
from privcheck.generators import UnlikelyDraws
from privcheck.privacy import ROW, Contexts
from privcheck.private_values import Leak
from privcheck.progress import Advancing, progress
from privcheck.results import Certificate, ReplayResult
from privcheck.targets import EXECUTIONS, CertifySettings, Claim, Game, Target, load, load_policy


@named_options
def certify(
    target: Any,
    *,
    epsilon: float | None = None,
    delta: float = 0.0,
    rho: float | None = None,
    mu: float | None = None,
    accountants: dict[str, float] | None = None,
    arms: int | None = None,
    horizon: int | None = None,
    rewards: tuple[float, float] = (0.0, 1.0),
    feedback: str = "bandit",
    neighbours: str = ROW,
    contexts: Contexts | None = None,
    runs: int = EXECUTIONS,
    primitives: Any = None,
    seed: int = 0,
) -> Certificate:
    """Certify that a policy which releases through privcheck's mechanisms stays within its budget on every execution.

    Its noise may also come from the numpy Generator that it is built with, as in `value + self.rng.laplace(0, scale)`:
    reading such a value is its release. The policy runs under a guard: its rewards arrive wrapped, the sensitivity of
    everything it releases is computed, a ledger charges every datum, and a filter refuses any release that would exceed
    the budget. Its transcripts are then replayed on neighbouring streams with ordinary rewards.

    Parameters
    ----------
    target : as for `privcheck.audit`; the reference of a shipped algorithm is certified, not its kernel.
    epsilon : the budget of the filter, in pure DP; without any budget the ledger only records, and nothing is
        certified.
    delta : with epsilon, the delta of an (epsilon, delta)-DP budget, in [0, 1).
    rho : the budget in zCDP, in place of epsilon.
    mu : the budget in Gaussian DP, in place of epsilon. A factory receives those of epsilon, delta, rho and mu that are
        given and that its signature names.
    accountants : with delta, the share of delta of each accountant: {"gdp": 1.0} by default; "zcdp" and "rdp" are
        others, and "pure", which needs no share, always takes part.
    arms, rewards, neighbours : as for `privcheck.audit`.
    horizon : the number of rounds per execution T; by default 16, twice the number of arms if that is more, or the
        rounds within which a shipped algorithm makes a release.
    feedback : "bandit", "full", "contextual" (`select(context)`, `update(context, action, reward)`), "semi-bandit"
        (`select()` returns base arms, `update` receives their outcomes) or "identification" (also `stopped` and
        `recommend()`).
    contexts : what contexts look like; required by "contextual" feedback, which also needs
        neighbours="context-reward".
    runs : number of guarded executions, each on its own stream, that look for leaks and refusals; with `primitives`, of
        recorded ones.
    primitives : noise primitives of code that cannot be rewritten: "numpy", "random", "scipy", "opendp", "diffprivlib",
        what `privcheck.primitive` returns, its place as "file.py:NAME", or a list of these. The code then runs without
        the guard, as it is: the inputs of its primitives are compared on neighbouring streams with their outputs
        forced. `target` may also be a mechanism `f(data, rng)`, under `neighbours="add-remove"` too. Nothing is
        certified: the coverage is "explored".
    seed : seed of the streams, the coins and the noise.

    Returns
    -------
    Certificate

    Guarantee
    ---------
    When `upper` is not None, the policy run under `privcheck.guard` with this budget satisfies it on every execution:
    each release stays within the budget or is refused. It is then epsilon-DP, (epsilon, delta)-DP, rho-zCDP or mu-GDP,
    for the neighbours of `neighbours`, of which each is a fixed table of rewards. Under contextual feedback it is so
    jointly: the bound is on what the actions of all other rounds reveal about a round's context and rewards. With delta
    an accountant may go on while its own epsilon, at its own share of delta, is within the budget; the shares are fixed
    before the first run, because the best accountant of a finished run would cost all their deltas. `granted` says
    more: the policy is also `complete`, which means that every line of the target's own code that matters for privacy
    ran in some execution, and none leaked or was refused a release; `unreached` lists the lines that did not run. It
    covers the code that ran, provided that it is honest (it may be mistaken); timing, memory and floating-point
    artefacts are outside its scope. Mechanisms built from a scale keep a budget up to a relative 4e-9; those built from
    a budget have as much more noise.

    Examples
    --------
    >>> certificate = certify("adap-ucb", epsilon=1.0, arms=2, horizon=16)
    >>> certificate.coverage, certificate.epsilon_upper
    ('all-executions-under-guard', 1.0)
    >>> certify("adap-ucb(epsilon=0.25)", mu=0.5, arms=2, horizon=16).upper
    GaussianDP(mu=0.5)
    """
    options = dict(locals())
    del options["target"]
    settings = CertifySettings.of(**options)
    start_early()
    if settings.game.primitives is not None:
        return recorded_certificate(load(target), settings)
    with watched() as outside:
        loaded = load_policy(target)
    count = loaded.arms(settings.game.arms)
    claim, game = loaded.settled(settings.claim, settings.game, count)
    if game.feedback not in FEEDBACKS.guarded:
        expected = f"one of {', '.join(map(repr, FEEDBACKS.guarded))}"
        raise PrivcheckError("feedback", game.feedback, expected, "other kinds cannot be certified yet")
    length = game.rounds(count, loaded.warm_up(claim, game, count))
    policy = loaded.target(claim, game, length, count)
    found = certified(policy, claim, game, length, settings.effort.runs, settings.effort.seed, outside.built)
    return with_noise_recorded(found, policy, replace(settings, claim=claim, game=game))


def certified(
    policy: Target, claim: Claim, game: Game, length: int, runs: int, seed: int, read: Sequence[str] = ()
) -> Certificate:
    """Return the certificate that guarded runs and replayed transcripts of a policy give.

    Parameters
    ----------
    policy : the policy to run under the guard.
    claim : `budget` is that of the filter.
    game : the range of rewards, the neighbour relation and the contexts.
    length : T, the rounds of one execution.
    runs : number of guarded executions.
    seed : of the streams, the noise and the coins.
    read : files that were read when the policy was loaded.

    Raises
    ------
    PrivcheckError : a policy that cannot be certified.
    """
    before, left = Surroundings.now(), LeftBehind()
    with watched() as outside, from_clean(policy.build, left) as build, translated(build):
        return _certified(policy, build, claim, game, length, runs, seed, before, outside, left, read)


def _certified(
    policy: Target,
    build: Build,
    claim: Claim,
    game: Game,
    length: int,
    runs: int,
    seed: int,
    before: Surroundings,
    outside: Accesses,
    left: LeftBehind,
    read: Sequence[str],
) -> Certificate:
    count, budget = policy.arms, claim.budget
    if length < count:
        raise PrivcheckError("horizon", length, f"at least the number of arms, {count}", "raise the horizon")
    of_both = {policy.feedback, game.feedback}
    if len(of_both) > 1 and of_both.intersection(FEEDBACKS.contextual):
        raise PrivcheckError("feedback", game.feedback, f"{policy.feedback!r}, which {policy.name} takes")
    rng = np.random.default_rng([seed, 0])
    tables = [random_table(rng, length, count, game, number) for number in range(runs)]
    sessions, drawn = list[Session](), set[str]()
    coverage, elsewhere = CodeCoverage(policy.feedback), DrawsOfRuns()
    own, likely, finished = OwnGenerators(), runs - runs // UNLIKELY, 0
    chosen = set[int]()
    texts, lent, logged, held = set[str](), set[str](), set[str](), HeldNumbers()
    pairs = [pair for table in tables[:REPLAYED] for pair in changed_tables(rng, table, count, game)]
    with progress(f"certifying {policy.name}", runs + len(pairs)) as advance:
        for number, table in enumerate(tables):
            noise, coins = (np.random.default_rng([seed, number, purpose]) for purpose in (1, 2))
            session = Session(game.relation, game.rewards, budget, noise, game.contexts, claim.accountants)
            session.coins.drawn, session.source.on_change = drawn, session.note
            session.source.on_text, session.source.on_lent = texts.add, lent.add
            rare, draws = number >= likely, list[Any]()
            if rare:  # what fails for unlikely draws may never do so, and unlikely seeds may be equal ones
                chances = np.random.default_rng([seed, number, 4])
                draws.append(partial(UnlikelyDraws, chances=chances, named=coverage.constants))
                session.noise = UnlikelyDraws.of_releases(noise, np.random.default_rng([seed, number, 5]))
            session.watches_generators = not rare
            noticed, fails = nullcontext() if rare else own.noticed(), [PrivcheckError] if rare else []
            alone = partial(plays, build, table, [seed, number], policy.feedback, game.contexts)
            drawing = elsewhere.noticed(None if rare else alone)
            passing = leaks_to_a_later_one([each.leaks for each in sessions])
            with passing, said_if(alone), drawing, noticed, messages_noticed(logged.add), suppress(*fails):
                with coverage.building():
                    played = build(session.generator(coins, *draws))
                with coverage.watching(played):
                    run = drive_guarded(played, table, session, policy.feedback)
                chosen.update(run.actions)
                left.look_into(run.started, run.context)
                finished += 1
            held.look(played, session, coverage.instances)
            sessions.append(session)
            advance(1)
        seeds = list(range(seed, seed + replayed_seeds(len(pairs) * length)))
        found, again = Contradictions(claim, game, length), Again()
        forgotten, of_select = set[str](), list[str]()
        refused, told = any(session.refusals for session in sessions), Advancing(pairs, advance)
        play: Callable[[], ReplayResult | None] = partial(
            replay, build, told, seeds, policy.feedback, game.contexts, found.replayed, again
        )
        if any(session.has_drawn for session in sessions):
            play = partial(
                noisy_replay,
                build,
                told,
                seeds,
                policy.feedback,
                game.contexts,
                game.relation,
                game.rewards,
                partial(forgotten.add, set_in_select()),
                again,
            )
        has_leaked = any(session.leaks for session in sessions)
        replayed, notes = replayed_or_why(play, refused=refused, leaked=has_leaked)
    worst = max(sessions, key=_loss)
    leaks = _different(leak for session in sessions for leak in session.leaks)
    failed = 0 if leaks else runs - finished
    looks = SecondLooks(build, policy.feedback, game, count, seed, tables, held)
    if not (leaks or refused):
        leaks = _different(looks.leaks_after())
    unreached = coverage.unreached
    ran = min(length, max(map(kind(policy.feedback).ended, sessions)))
    stops = "stopped" in kind(policy.feedback).attributes  # by itself: a longer horizon gives it no more rounds
    late = [] if refused else coverage.late(length if stops else ran)  # nor one that is refused a release
    refusals = list(dict.fromkeys(str(refusal) for session in sessions for refusal in session.refusals))
    notes += dict.fromkeys(note for session in sessions for note in session.notes)
    anew, spawned = own.seeded_anew, noise_of_children(session.release_generators for session in sessions)
    known = any(session.leaks for session in sessions[:likely])
    moved = elsewhere.of_code(has_leaked=known) if leaks or replayed.divergences else []
    uncounted = sorted({*moved, *anew.values(), *(["numpy"] if spawned else [])})
    uncounted = uncounted if leaks or replayed.divergences else []
    alone = partial(plays, build, tables[0], [seed, 0], policy.feedback, game.contexts)
    undeclared = foreign_draws(alone) if again.differs and not uncounted else []
    replayed, notes = again.settled(replayed), [*notes, *([NOT_THE_SAME] if undeclared else [])]
    if uncounted:  # equal streams would differ, too
        replayed = NO_REPLAY
        notes.append(
            "to the guard, what such noise is added to is raw, so the leaks may be none: record it, or to get a "
            "certificate draw it from the Generator that the policy is built with, as in self.rng.laplace(0.0, scale)"
        )
        notes += [*map(UNCOUNTED.format, anew), *map(OF_CHILDREN.format, spawned)]
        notes += elsewhere.doubts(moved, leaks)
    elif leaks and not any(session.ledger.releases or session.has_drawn for session in sessions):
        notes.append(why_nothing_released(unreached, late, ran))
    notes += outside.told
    spoken_against = bool(leaks or refusals or notes or replayed.divergences or uncounted)
    holds = not spoken_against and budget is not None
    open_notes = [*coverage.notes, *outside.played, *([DRAWN.format(" and ".join(sorted(drawn)))] if drawn else [])]
    open_notes += [] if leaks else reads_between(sessions)
    copied, generators = about_generators(session.release_generators for session in sessions)
    open_notes += copied
    if holds and not copied:
        player = found.player(build, policy.feedback)
        otherwise, of_select = other_ways(player, [tables[0], *tables[2:3]], seed, game.rewards, count, pairs[:4])
        open_notes += otherwise or forgotten
        open_notes += looks.unseen() + left.told()
    goes_on = holds and not (open_notes or unreached or coverage.knows_horizon)
    leaks, ended = looks.later(budget, claim.accountants) if goes_on else (leaks, [])
    holds, spoken_against, late = holds and not leaks, spoken_against or bool(leaks), [*late, *ended]
    open_notes += left.told() if goes_on and holds else []
    notes += open_notes
    if holds:
        found.of_guarded(build, pairs, seed, policy.feedback)
        if not (found.guarded or found.plain or found.unsettled or unreached or open_notes):
            notes += in_fresh_process(policy, pairs, seed, found, before)
        notes += found.unsettled
    contradictions = (*found.guarded, *found.plain) if holds else ()
    return build_certificate(
        policy,
        claim,
        game,
        length,
        seed,
        by=worst.filter,
        ledger=worst.ledger,
        replay=replayed,
        executions=runs,
        refusals=refusals,
        notes=notes,
        holds=holds and not found.guarded,
        complete=not (spoken_against or unreached or open_notes or contradictions or found.unsettled),
        contradictions=contradictions,
        rests_on=trusted_base(played, sessions, [*read, *outside.built], contextual=game.contexts is not None)
        | generators
        | _never_chosen(chosen, policy)
        | _rare(failed, runs - likely, coins=any(session.source.coin_lines for session in sessions))
        | _other_sizes({size for session in sessions for size in session.sizes})
        | ({TEXTS: sorted(texts)} if texts else {})
        | ({LOGGED: sorted(logged)} if logged else {})
        | ({LENT: sorted(lent)} if lent else {})
        | ({LATER: late} if late else {})
        | ({OF_SELECT: of_select} if of_select else {})
        | ({NOT_RUN: coverage.left_out} if coverage.left_out and not unreached else {}),
        leaks=leaks,
        unreached=unreached,
        uncounted=uncounted,
        undeclared=undeclared,
        mechanisms=sorted({replace(code, drawn_with=of) for s in sessions for code, of in s.mechanisms}, key=str),
        accountant=_accountant(worst),
    )


def _different(leaks: Iterable[Leak]) -> list[Leak]:
    """Return the first leak of each kind at each line."""
    found: dict[tuple[str, int, str], Leak] = {}
    for leak in leaks:
        found.setdefault((leak.file, leak.line, leak.operation), leak)
    return list(found.values())


def _loss(session: Session) -> tuple[float, float]:
    """Return the largest loss of any datum in the notion of the budget, and in Gaussian DP where none is finite."""
    ledger = session.ledger
    amount = ledger.epsilon if session.filter is None else spent(session.filter, ledger).amount
    return amount, ledger.total.mu


def _accountant(session: Session) -> str | None:
    """Return the accountant by which the loss is the smallest; None if there is no loss or no budget."""
    if session.filter is None or not session.ledger.releases:
        return None
    return spent(session.filter, session.ledger).accountant


def _never_chosen(chosen: set[int], policy: Target) -> dict[str, list[str]]:
    """Return the arms that no execution chose, which the policy may not have at all."""
    if not FEEDBACKS[policy.feedback].one_arm_a_round:
        return {}
    never = [str(arm) for arm in range(policy.arms) if arm not in chosen]
    return {NEVER_CHOSEN: [f"{', '.join(never)}; if the policy has fewer arms, say so"]} if never else {}


def _rare(failed: int, unlikely: int, *, coins: bool) -> dict[str, list[str]]:
    """Return what was not seen of rare coins: runs with unlikely draws that failed, or that there was none."""
    if not unlikely and coins:
        return {RARE: [f"no run had unlikely draws (give {UNLIKELY} runs or more)"]}
    return {RARE: [f"{failed} of {unlikely} runs with unlikely draws failed"]} if failed else {}


UNLIKELY = 4
"""In one of so many guarded runs, many public draws are unlikely: what rare coins decide is seen there."""


def _other_sizes(sizes: set[int]) -> dict[str, list[str]]:
    """Return which sizes of batches ran: a mean of fewer rewards than it has noise for costs more."""
    return {OTHER_SIZES: [f"those that ran have {', '.join(map(str, sorted(sizes)))}"]} if sizes else {}


OTHER_SIZES = "what happens in batches of other sizes, such as a shorter last one"
RARE = "what rare coins decide"
NEVER_CHOSEN = "what arms do that no execution chose"
DRAWN = (
    "select() draws from {}, and how often may depend on the context, on which later draws then depend: the guard "
    "gives select() coins of its own, the code alone does not; draw from the Generator that the policy is built with"
)
TEXTS = "texts by repr() of private values, taken to be shown to nobody and used for nothing"
LOGGED = "private numbers in messages of logging, taken not to be written"
LENT = "arrays that other code was given before rewards were written into them, taken not to be kept by it"
LATER = "what later rounds do"
OF_SELECT = "what select() sets, which the guard drops and code alone keeps"
NOT_RUN = "lines or parts of them that never ran and, by what they say, do not matter for privacy"
