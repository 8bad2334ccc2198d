"""What a certificate says, in sentences."""

from __future__ import annotations

import math
import re
from pathlib import Path

from privcheck.accounting import Pure
from privcheck.mechanisms import SHIPPED, TESTED
from privcheck.private_values import Leak
from privcheck.reporting._text.audit_sentences import plural
from privcheck.reporting._text.certified_amounts import (
    bounded_number,
    budget_words,
    ledger_amount,
    shares_words,
    upper_words,
)
from privcheck.reporting._text.numbers import clean, small
from privcheck.results import UNDER_GUARD, Certificate, Divergence, UnreachedLine

CERTIFIED, UNSEEN, REFUSED, RECORDED = "certified", "inconclusive", "not certified", "no budget"

JOINT = "joint differential privacy"

CERTIFICATE_MARKS = {CERTIFIED: "✓", UNSEEN: "?", REFUSED: "✗", RECORDED: "–"}


NO_EPSILON = ". This noise bounds no epsilon alone: give a budget with --rho, with --mu, or with --epsilon and --delta"


def found_something(certificate: Certificate) -> bool:
    """Tell whether the explored executions leaked, were refused, or diverged in replay."""
    return certificate.has_findings


def certificate_word(certificate: Certificate) -> str:
    """Return "certified", "inconclusive", "not certified" or, without a budget and without a leak, "no budget"."""
    if certificate.granted:
        return CERTIFIED
    if certificate.is_inconclusive:
        return UNSEEN
    return REFUSED if certificate.is_refused else RECORDED


def certificate_sentence(certificate: Certificate) -> str:
    """Return the verdict and what it rests on, in one sentence.

    >>> from privcheck.results._example_results import GRANTED
    >>> certificate_sentence(GRANTED)
    'certified: epsilon is at most 1.000 on every execution of the policy under its guard'
    """
    word = certificate_word(certificate)
    provided = f", {clean(certificate.provided)}" if certificate.provided else ""
    if word == CERTIFIED:
        joint = "" if certificate.contexts is None else f" ({JOINT})"
        return f"{word}{provided}: {upper_words(certificate)} on every execution of the policy under its guard{joint}"
    if word == UNSEEN and certificate.undeclared:
        return f"{word}: {undeclared_words(certificate)}"
    if word == UNSEEN and certificate.primitives:
        return (
            f"{word}: nothing was found in {plural(certificate.replay.replays, 'replay')}, which prove nothing about "
            "other executions"
        )
    if word == UNSEEN and not certificate.uncounted:
        why = reasons(certificate, brief=True)[0]
        return f"{word}{provided}: {upper_words(certificate)} under the guard, but {why}"
    if word == RECORDED:
        released = (
            f"{word}: nothing to certify, and no claim that was put to the test: exit status 0 says only that no leak "
            "was seen; the ledger recorded what the explored executions released"
        )
        return released + (NO_EPSILON if math.isinf(certificate.ledger_epsilon) else "")
    return f"{word}: {'; '.join(reasons(certificate, brief=True))}"


def reasons(certificate: Certificate, *, brief: bool = False) -> list[str]:
    """Return why a certificate is not granted, most serious reason first; never empty. A brief refusal is only named.

    >>> from privcheck.results._example_results import GRANTED
    >>> reasons(GRANTED)
    ['no budget was given']
    """
    found = [certificate.uncounted_words] if certificate.uncounted else []
    if certificate.leaks and not (brief and found):
        others = f" and {plural(len(certificate.leaks) - 1, 'other')}" if len(certificate.leaks) > 1 else ""
        found.append(f"a leak at {place(certificate.leaks[0])}{others}")
    if certificate.replay.divergences:
        found.append(f"{certificate.replay.divergences:,} of {plural(certificate.replay.replays, 'replay')} diverge")
    found += [clean(sentence) for sentence in certificate.contradictions[: 1 if brief else None]]
    found += [clean(use.exceeded_words) for use in certificate.primitive_uses if use.exceeds]
    if certificate.refusals and certificate.primitives:
        why = clean(certificate.refusals[0])
        found.append("the calls cost more than the budget" if brief else in_rows(why) if of_data(certificate) else why)
    elif certificate.refusals:
        which = "" if brief else f" ({clean(certificate.refusals[0])})"
        found.append(f"a release was refused{which}")
    if certificate.is_inconclusive and certificate.unreached and not certificate.uncounted:
        found.append(_unreached(certificate))
    if certificate.undeclared:
        found.append(undeclared_words(certificate))
    if not found and certificate.primitives and certificate.budget is not None:
        found.append("a replay that finds nothing certifies nothing")
    return found or [clean(note) for note in certificate.notes] or ["no budget was given"]


def undeclared_words(certificate: Certificate) -> str:
    """Return which random numbers may explain why replays differ: two of them, and how many more there are."""
    named = [clean(one) for one in certificate.undeclared]
    others = f" and {plural(len(named) - 2, 'other')}" if len(named) > 2 else ""
    return f"replays differ, which undeclared randomness may explain: {'; '.join(named[:2])}{others}"


def _unreached(certificate: Certificate) -> str:
    lines = certificate.unreached
    which = f"{plural(len(lines), 'line')} that {'matters' if len(lines) == 1 else 'matter'} for privacy never ran"
    return f"{which}{', the first' if len(lines) > 1 else ','} at {place(lines[0])}"


def place(found: Leak | UnreachedLine) -> str:
    """Return the file's name, without its folder, and the line."""
    return f"{clean(Path(found.file).name)}:{found.line}"


def ledger_sentence(certificate: Certificate) -> str:
    """Return the largest loss in the ledger, the datum that has it, and the releases that it comes from.

    >>> from privcheck.results._example_results import GRANTED
    >>> print(ledger_sentence(GRANTED))
    the largest loss of any datum in 20 guarded runs of 8 rounds is 1, out of a budget of 1: the reward of round 1 is \
released once, after round 1 (bandit.py:7), for a total of 1
    """
    ledger = certificate.ledger
    runs = f"in {plural(certificate.executions, executions_word(certificate))} of {length_words(certificate)}"
    if not ledger.releases:
        if certificate.primitives:
            return f"nothing was charged {runs}"  # replays that differ, or inputs that do not, cost nothing
        nothing = f"nothing was released through a mechanism {runs}"
        unread = ", and no private value was read: none of the budget was spent"
        return nothing + (unread if certificate.coverage == UNDER_GUARD else "")
    budget = "" if certificate.budget is None else f", out of a budget of {budget_words(certificate)}"
    data = "any datum" if ledger.group_size == 1 else f"any {ledger.group_size} data together"
    why = clean(ledger.why())
    if of_data(certificate):
        why = in_rows(why)
    if "is released once, after rounds " in why:
        why = why.replace("after rounds ", "after round ", 1)
    return f"the largest loss of {data} {runs} is {ledger_amount(certificate)}{budget}: {why}"


def in_rows(why: str) -> str:
    """Return what a ledger says, for data that are all there before anything is released.

    >>> in_rows("the reward of round 1 is released once, after rounds 16 (f.py:3), for a total of 1")
    'row 1 is released once (f.py:3), for a total of 1'
    >>> in_rows("the reward of arm 1 in round 3 is released 2 times, after rounds 16, 16 (f.py:3), for a total of 2")
    'column 1 of row 3 is released 2 times (f.py:3), for a total of 2'
    >>> in_rows("a release at b.py:9 that takes the reward of rounds 3 and 8-9 to 2")
    'a release at b.py:9 that takes rows 3 and 8-9 to 2'
    """
    why = re.sub(r"the reward of arm (\d+) in round", r"column \1 of row", why)
    why = re.sub(r"the reward of round(s?)", r"row\1", why)
    return re.sub(r", after rounds [\d., ]+ \(", " (", why)


def length_words(certificate: Certificate) -> str:
    """Return the length of an execution: the rounds of a policy, or the rows of data that a mechanism is given.

    >>> from privcheck.results._example_results import GRANTED
    >>> length_words(GRANTED)
    '8 rounds'
    """
    return plural(certificate.horizon, "row" if of_data(certificate) else "round")


def executions_word(certificate: Certificate) -> str:
    """Return what the executions of a certificate were: guarded, or recorded and replayed.

    >>> from privcheck.results._example_results import GRANTED
    >>> executions_word(GRANTED)
    'guarded run'
    """
    return "recorded run" if certificate.primitives else "guarded run"


def replay_sentence(certificate: Certificate) -> str:
    """Return what transcript replay found.

    >>> from privcheck.results._example_results import GRANTED
    >>> replay_sentence(GRANTED)
    'none of 32 transcripts diverges on a neighbouring stream; their largest loss is 1'
    """
    replay = certificate.replay
    if not replay.replays:
        return "no transcript was replayed"
    loss = small(replay.largest_loss, 6)
    if math.isinf(certificate.ledger.epsilon):
        loss += ", which is no bound: this noise bounds the loss of no single transcript"
    transcripts = plural(replay.replays, "transcript")
    if certificate.undeclared and not certificate.primitives:
        return (
            f"of {transcripts}, every difference may be due to undeclared randomness: the code does not repeat itself"
        )
    if not replay.divergences and certificate.undeclared:
        return f"of {transcripts}, every difference may be due to undeclared randomness; their largest loss is {loss}"
    if not replay.divergences:
        return f"none of {transcripts} diverges on a neighbouring stream; their largest loss is {loss}"
    diverge = "diverges" if replay.divergences == 1 else "diverge"
    some = f"{replay.divergences:,} of {transcripts} {diverge} on a neighbouring stream"
    return some if replay.divergences == replay.replays else f"{some}; the largest loss of the others is {loss}"


def of_data(certificate: Certificate) -> bool:
    """Tell whether a certificate is about a function of data, whose rows are no rounds."""
    return certificate.feedback == "mechanism"


def divergence_of(certificate: Certificate, divergence: Divergence) -> list[str]:
    """Return the first divergence of a certificate, in the words for its target."""
    if of_data(certificate):
        return [
            f"The inputs differ in row {divergence.round}: {clean(divergence.reason)}.",
            "Both runs used the same coins and were given the same releases.",
        ]
    return divergence_sentences(divergence, contextual=certificate.contexts is not None)


def divergence_sentences(divergence: Divergence, *, contextual: bool = False) -> list[str]:
    """Return the first divergence, what it is and why it is a leak."""
    if not divergence.actions_first and not divergence.actions_second:
        return [
            f"The streams differ in round {divergence.round}: {clean(divergence.reason)}.",
            "Both runs used the same coins and were given the same releases.",
        ]
    one, two = ("nothing" if not actions else f"arm {actions[-1]}" for actions in _last(divergence))
    same = divergence.actions_first == divergence.actions_second
    played = (
        "the runs have played the same arms, but their releases differ"
        if same
        else f"the run on the first stream plays {one} and the run on the second plays {two}"
    )
    return [
        f"In round {divergence.round}, {played}: {clean(divergence.reason)}.",
        "Both runs used the same coins and were given the same releases.",
        *(["In the rounds that differ, the contexts differ as well; they are not drawn."] if contextual else []),
    ]


def _last(divergence: Divergence) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the actions of the round of the divergence, empty where a run had ended before."""
    start = divergence.round - 1
    return divergence.actions_first[start:], divergence.actions_second[start:]


def coverage(certificate: Certificate) -> list[str]:
    """Return what a certificate covers and what it does not, an item of one or two sentences each."""
    if certificate.primitives:
        return _explored(certificate)
    explored = (
        f"{plural(certificate.executions, 'guarded execution')} of {plural(certificate.horizon, 'round')} and "
        f"{plural(certificate.arms, 'arm')}"
    )
    if certificate.coverage == UNDER_GUARD:
        first = [
            f"It covers every execution of the policy under privcheck.guard with a budget of "
            f"{budget_words(certificate)}: the guard lets it release within the budget and refuses "
            f"any release beyond it. {explored} were explored; none leaked and none was refused a release.",
            f"Without the guard nothing is refused: an execution that was not explored, or {_later(certificate)}, may "
            "then leak, or release more. What code decides there by a count, a date or the end of a list is named "
            "under 'rests on' where it was found, and not all of it is found; what it computes from improbable noise, "
            "such as a number between 0.5 and 0.5001, may not have been seen.",
        ]
        if certificate.unreached:
            first.append(
                f"{UNREACHED} of the explored executions. What they do was not seen: if they leak or overspend, the "
                "guard stops the policy there, and without the guard nothing does. A longer horizon or more runs may "
                "reach them."
            )
    else:
        first = [
            f"It covers only {explored} and the replays. The ledger, the leaks and the replays show what happened "
            f"there; no upper bound on {bounded_number(certificate)} follows.",
        ]
        if certificate.refusals and not certificate.leaks:
            first.append(
                "The filter refused a release before its noise was drawn. The policy does not fit into this budget: "
                "it needs more noise, fewer releases or a larger budget."
            )
    rewards = f"[{certificate.rewards[0]:g}, {certificate.rewards[1]:g}]"
    return [
        *first,
        *_tables(certificate),
        *_jointly(certificate),
        f"It assumes rewards in {rewards} and the neighbour relation {certificate.neighbours!r}; a reward outside the "
        "range is refused.",
        f"It applies only to the code of {clean(certificate.target)} as it ran, not to a faster engine or to the "
        "theorem behind it.",
        _observed(certificate),
        *mechanism_sentences(certificate),
        "It assumes code that is honest but may be mistaken. It does not cover timing, memory or floating-point "
        "artefacts.",
        "Replay is a test, not a proof: it sees only the streams and seeds that it tries.",
    ]


def _later(certificate: Certificate) -> str:
    return "one on more rows" if of_data(certificate) else "a later round of one that was"


def _observed(certificate: Certificate) -> str:
    if of_data(certificate):
        return "An observer is taken to see the output and what mechanisms release, and nothing else."
    return (
        "An observer is taken to see the actions and what mechanisms release, and nothing else: what the policy keeps "
        "in its attributes may be raw."
    )


def _explored(certificate: Certificate) -> list[str]:
    """Return what record and replay cover, and what they do not."""
    return [
        f"It covers only the {plural(certificate.executions, 'recorded run')} and their "
        f"{plural(certificate.replay.replays, 'replay')} on neighbouring streams. No upper bound on epsilon follows: "
        "another stream or other coins may show more.",
        "It takes the declared primitives to be as private as their laws say, at the distances that were measured, and "
        "takes randomness that is not declared for coins. A release by a primitive that is not declared is found only "
        "if it changes what is compared.",
        "Compared are the actions or outputs, and which primitive is called on which line with which parameters; not "
        "what is printed, logged or written to files.",
        *(
            [
                "The ledger adds up what the calls lose at worst. The largest loss of the transcripts is that of the "
                "outputs which were drawn, so it may be smaller."
            ]
            if certificate.ledger.releases
            else []
        ),
        *_jointly(certificate),
    ]


def mechanism_sentences(certificate: Certificate) -> list[str]:
    """Return what a certificate takes on trust about the mechanisms that released something.

    >>> from privcheck.results._example_results import GRANTED
    >>> mechanism_sentences(GRANTED)
    []
    """
    shipped = [clean(str(code)) for code in certificate.mechanisms if code.standing == SHIPPED]
    of_privcheck = " of privcheck" if all(not code.drawn_with for code in certificate.mechanisms) else ""
    found = [f"It takes {', '.join(shipped)}{of_privcheck} to be as private as documented, and the noise to be random."]
    for code in certificate.trusted:
        how = (
            "draws at its first use agreed with its charge, which proves nothing"
            if code.standing == TESTED
            else "it does not state its law, so it was not even tested"
        )
        found.append(f"It takes {clean(str(code))} to be as private as it charges: it is not part of privcheck; {how}.")
    return found if shipped else found[1:]


UNREACHED = "Some lines that touch a private value, make a release or draw random numbers ran in none"


def _tables(certificate: Certificate) -> list[str]:
    """Say what a bound that is not of pure DP is about, and how delta is shared."""
    if certificate.budget is None or isinstance(certificate.budget, Pure):
        return []
    shares = f"; its shares of delta were fixed before the first run: {shares_words(certificate)}"
    return [
        "It is about two fixed tables of rewards that differ in one datum: definitions that fix the actions and speak "
        f"of the rewards that were seen are equivalent to it for pure DP only{shares if certificate.shares else ''}."
    ]


def _jointly(certificate: Certificate) -> list[str]:
    contexts = certificate.contexts
    if contexts is None:
        return []
    norm = "" if contexts.norm is None else f" and vectors of norm at most {contexts.norm:g}"
    return [
        f"The notion of privacy is {JOINT}: it bounds what the actions of all other rounds reveal about the context "
        "and the reward of one round. The action of a round may depend on the context of that round, which `select` "
        "reads on a throw-away copy of the policy. What its code reaches outside of the policy (globals, attributes of "
        "classes and functions, closures, caches) is put back after each `select`; files, and what extension modules "
        "keep, are assumed to hold no context.",
        f"It assumes contexts of shape {contexts.shape} with entries in [{contexts.low:g}, {contexts.high:g}]{norm}.",
    ]
