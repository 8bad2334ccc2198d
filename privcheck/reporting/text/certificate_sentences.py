"""What a certificate says, in sentences."""

from __future__ import annotations

from pathlib import Path

from privcheck.private_values.leaks import Leak
from privcheck.reporting.text.audit_sentences import plural
from privcheck.reporting.text.numbers import at_most, clean, small
from privcheck.results.certificate import Certificate
from privcheck.results.replay_result import Divergence

CERTIFIED, REFUSED, RECORDED = "certified", "not certified", "no budget"

JOINT = "joint differential privacy"

CERTIFICATE_MARKS = {CERTIFIED: "✓", REFUSED: "✗", RECORDED: "–"}


def found_something(certificate: Certificate) -> bool:
    """Tell whether the explored executions leaked, were refused, or diverged in replay."""
    return bool(certificate.leaks or certificate.refusals or certificate.replay.divergences)


def certificate_word(certificate: Certificate) -> str:
    """Return "certified", "not certified" or, without a budget and without a leak, "no budget"."""
    if certificate.granted:
        return CERTIFIED
    return RECORDED if certificate.epsilon_claimed is None and not found_something(certificate) else REFUSED


def certificate_sentence(certificate: Certificate) -> str:
    """Return the verdict and what it rests on, in one sentence.

    >>> from privcheck.reporting.example_results import GRANTED
    >>> certificate_sentence(GRANTED)
    'certified: epsilon is at most 1.000 on every execution of the policy under its guard'
    """
    word = certificate_word(certificate)
    if word == CERTIFIED:
        upper = at_most(certificate.epsilon_upper)
        joint = "" if certificate.contexts is None else f" ({JOINT})"
        return f"{word}: epsilon is at most {upper} on every execution of the policy under its guard{joint}"
    if word == RECORDED:
        return f"{word}: nothing to certify; the ledger recorded what the explored executions released"
    return f"{word}: {'; '.join(reasons(certificate, brief=True))}"


def reasons(certificate: Certificate, *, brief: bool = False) -> list[str]:
    """Return why a certificate is not granted, most serious reason first; never empty. A brief refusal is only named.

    >>> from privcheck.reporting.example_results import GRANTED
    >>> reasons(GRANTED)
    ['no budget was given']
    """
    found = []
    if certificate.leaks:
        others = f" and {plural(len(certificate.leaks) - 1, 'other')}" if len(certificate.leaks) > 1 else ""
        found.append(f"a leak at {place(certificate.leaks[0])}{others}")
    if certificate.replay.divergences:
        found.append(f"{certificate.replay.divergences:,} of {plural(certificate.replay.replays, 'replay')} diverge")
    if certificate.refusals:
        which = "" if brief else f" ({clean(certificate.refusals[0])})"
        found.append(f"a release was refused{which}")
    return found or [clean(note) for note in certificate.notes] or ["no budget was given"]


def place(leak: Leak) -> str:
    """Return the file's name, without its folder, and the line."""
    return f"{clean(Path(leak.file).name)}:{leak.line}"


def ledger_sentence(certificate: Certificate) -> str:
    """Return the largest loss in the ledger, the datum that has it, and the releases that it comes from.

    >>> from privcheck.reporting.example_results import GRANTED
    >>> print(ledger_sentence(GRANTED))
    the largest loss of any datum in 20 guarded runs of 8 rounds is 1, out of a budget of 1: the reward of round 1 is \
released once, after round 1 (bandit.py:7), for a total of 1
    """
    ledger = certificate.ledger
    runs = f"in {plural(certificate.executions, 'guarded run')} of {plural(certificate.horizon, 'round')}"
    if not ledger.releases:
        return f"nothing was released through a mechanism {runs}"
    budget = (
        "" if certificate.epsilon_claimed is None else f", out of a budget of {small(certificate.epsilon_claimed, 6)}"
    )
    data = "any datum" if ledger.group_size == 1 else f"any {ledger.group_size} data together"
    why = clean(ledger.why())
    if "is released once, after rounds " in why:
        why = why.replace("after rounds ", "after round ", 1)
    return f"the largest loss of {data} {runs} is {small(certificate.ledger_epsilon, 6)}{budget}: {why}"


def replay_sentence(certificate: Certificate) -> str:
    """Return what transcript replay found.

    >>> from privcheck.reporting.example_results import GRANTED
    >>> replay_sentence(GRANTED)
    'none of 32 transcripts diverges on a neighbouring stream; their largest loss is 1'
    """
    replay = certificate.replay
    if not replay.replays:
        return "no transcript was replayed"
    loss = small(replay.largest_loss, 6)
    if not replay.divergences:
        transcripts = plural(replay.replays, "transcript")
        return f"none of {transcripts} diverges on a neighbouring stream; their largest loss is {loss}"
    diverge = "diverges" if replay.divergences == 1 else "diverge"
    some = f"{replay.divergences:,} of {plural(replay.replays, 'transcript')} {diverge} on a neighbouring stream"
    return some if replay.divergences == replay.replays else f"{some}; the largest loss of the others is {loss}"


def divergence_sentences(divergence: Divergence, *, contextual: bool = False) -> list[str]:
    """Return the first divergence, what it is and why it is a leak."""
    what = "contexts, actions and rewards" if contextual else "rewards"
    one, two = ("nothing" if not actions else f"arm {actions[-1]}" for actions in _last(divergence))
    same = divergence.actions_first == divergence.actions_second
    played = (
        "the runs have played the same arms, but their releases differ"
        if same
        else f"the run on the first stream plays {one} and the run on the second plays {two}"
    )
    return [
        f"In round {divergence.round}, {played}: {clean(divergence.reason)}.",
        f"Both runs used the same coins and were given the same releases, so only {what} that were not released can "
        "explain the difference.",
        *(["In the rounds that differ, the contexts differ as well; they are not drawn."] if contextual else []),
    ]


def _last(divergence: Divergence) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the actions of the round of the divergence, empty where a run had ended before."""
    start = divergence.round - 1
    return divergence.actions_first[start:], divergence.actions_second[start:]


def coverage(certificate: Certificate) -> list[str]:
    """Return what a certificate covers and what it does not, an item of one or two sentences each."""
    explored = (
        f"{plural(certificate.executions, 'guarded execution')} of {plural(certificate.horizon, 'round')} and "
        f"{plural(certificate.arms, 'arm')}"
    )
    if certificate.granted:
        first = [
            f"It covers every execution of the policy under privcheck.guard with a budget of "
            f"{small(certificate.epsilon_claimed or 0.0, 6)}: the guard lets it release within the budget and refuses "
            f"any release beyond it. {explored} were explored; none leaked and none was refused a release.",
            "Without the guard nothing is refused: an execution that was not explored may then release more.",
        ]
    else:
        first = [
            f"It covers only {explored} and the replays. The ledger, the leaks and the replays show what happened "
            "there; no upper bound on epsilon follows.",
        ]
        if certificate.refusals and not certificate.leaks:
            first.append(
                "The filter refused a release before its noise was drawn. The policy does not fit into this budget: "
                "it needs more noise, fewer releases or a larger budget."
            )
    rewards = f"[{certificate.rewards[0]:g}, {certificate.rewards[1]:g}]"
    return [
        *first,
        *_jointly(certificate),
        f"It assumes rewards in {rewards} and the neighbour relation {certificate.neighbours!r}; a reward outside the "
        "range is refused.",
        f"It applies only to the code of {clean(certificate.target)} as it ran, not to a faster engine or to the "
        "theorem behind it.",
        "It assumes code that is honest but may be mistaken. It does not cover timing, memory or floating-point "
        "artefacts.",
        "Replay is a test, not a proof: it sees only the streams and seeds that it tries.",
    ]


def _jointly(certificate: Certificate) -> list[str]:
    contexts = certificate.contexts
    if contexts is None:
        return []
    norm = "" if contexts.norm is None else f" and vectors of norm at most {contexts.norm:g}"
    return [
        f"The notion of privacy is {JOINT}: it bounds what the actions of all other rounds reveal about the context "
        "and the reward of one round. The action of a round may depend on the context of that round, which `select` "
        "reads on a throw-away copy of the policy. Anything kept outside the policy, in globals, class attributes or "
        "files, is assumed to hold no context.",
        f"It assumes contexts of shape {contexts.shape} with entries in [{contexts.low:g}, {contexts.high:g}]{norm}.",
    ]


def repeat_certificate(certificate: Certificate) -> str:
    """Return the call that repeats the certificate, the target left open.

    >>> from privcheck.reporting.example_results import GRANTED
    >>> repeat_certificate(GRANTED)
    'privcheck.certify(target, epsilon=1.0, arms=2, horizon=8, runs=20, seed=0)'
    """
    usual = {"rewards": (0.0, 1.0), "feedback": "bandit", "neighbours": "row", "contexts": None}
    chosen = {"epsilon": certificate.epsilon_claimed, "runs": certificate.executions}
    names = ["epsilon", "arms", "horizon", "rewards", "feedback", "neighbours", "contexts", "runs", "seed"]
    values = {name: chosen.get(name, getattr(certificate, name, None)) for name in names}
    shown = [f"{name}={value!r}" for name, value in values.items() if name not in usual or usual[name] != value]
    return f"privcheck.certify(target, {', '.join(shown)})"
