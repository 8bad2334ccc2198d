"""How to repeat an audit or a certificate: one Python call, and one command line that does the same."""

from __future__ import annotations

import ast
import shlex
from dataclasses import dataclass
from typing import Any, NamedTuple

from privcheck.accounting import Concentrated, GaussianDP
from privcheck.auditing import Unwritten
from privcheck.bandits import ALGORITHMS
from privcheck.privacy import ADD_REMOVE, Contexts
from privcheck.reporting._text.numbers import clean
from privcheck.results import AuditReport, Certificate
from privcheck.targets import CertifySettings, Settings

ALWAYS = ("epsilon", "seed")
"""Options that a call shows even where they have their defaults."""

USUAL_SHARES = {"gdp": 1.0}
"""The shares of delta where none were asked for."""

OF_MECHANISMS = {"feedback": "mechanism", "arms": 0}
"""What a report says of a mechanism where no option was given: its data may have one dimension."""


_FUNCTIONS = {"encode": "reads the outputs", "law": "gives the law of the outputs"}
"""Options that are functions, and what these do: a report has the place of each, or the name of the option."""

NOT_REPEATABLE = (
    "It cannot be repeated exactly: the random numbers of the target have no seed. Independence of the runs is taken "
    "on your word."
)
"""What stands in place of a call for an audit whose runs have no seeds."""

WIDTH = 78
"""Columns within which a call is folded, so that no terminal breaks it in a place where it may not be broken."""


@dataclass(frozen=True)
class Call:
    """A call on one line, or folded; as text it is on one line.

    Parameters
    ----------
    parts : its parts, between which it may be folded.
    comment : what the user has to supply because it was not given as text; may be empty.
    continued : what stands at the end of a line that goes on.

    """

    parts: tuple[str, ...]
    comment: str
    continued: str = ""

    def __str__(self) -> str:
        return " ".join(self.parts) + (f"  # {self.comment}" if self.comment else "")

    def folded(self) -> str:
        """Return the call on several short lines, which can be pasted together, and its comment after it.

        >>> print(Call(("f(1,", "a=" + "2" * 72 + ",", "b=3)"), "").folded())
        f(1,
            a=222222222222222222222222222222222222222222222222222222222222222222222222,
            b=3)
        """
        lines = [self.parts[0]]
        for part in self.parts[1:]:
            if len(lines[-1]) + 1 + len(part) + len(self.continued) <= WIDTH:
                lines[-1] += f" {part}"
            else:
                lines[-1] += self.continued
                lines.append(f"    {part}")
        return "\n".join([*lines, *([f"# {self.comment}"] if self.comment else [])])


class Repeat(NamedTuple):
    """The two ways to repeat a result."""

    python: Call
    command: Call


def repeat_audit(report: AuditReport) -> Repeat:
    r"""Return the Python call and the command line that give the same report, however the audit was limited.

    >>> from privcheck.results._example_results import VIOLATION
    >>> print(repeat_audit(VIOLATION).command.folded())
    privcheck audit 'rnm-ftnl-published(arms=4, epsilon=1)' --epsilon 1.0 \
        --arms 4 --horizon 8 --feedback full --runs 100000 --seed 0
    """
    options = {}
    for field, declared in Settings.repeated().items():
        value = getattr(report, field)
        usual = (declared.default, OF_MECHANISMS.get(declared.name, declared.default))
        always = declared.name in ALWAYS and (
            declared.name != "epsilon" or report.claimed in (None, ("epsilon", value))
        )
        if always or value not in usual:
            options[declared.name] = value
    if report.randomness == "seeded" and report.engine in ("command", "service"):
        options["randomness"] = "seeded"
    streams = report.streams
    options |= {name: place for name in _FUNCTIONS if (place := getattr(report, name)) is not None}
    if streams is None and report.pairs is None and report.screened_pairs == 1:  # written by an earlier version
        streams = Unwritten.PAIR
    return _repeat("audit", report.target, options, streams, in_file=_fit_in_a_file(report))


def _fit_in_a_file(report: AuditReport) -> bool:
    """Return whether numpy.save writes the two inputs of a report, arrays of one shape, as `--streams` reads them."""
    if report.witness is None:
        return report.neighbours != ADD_REMOVE
    first, second = report.witness.first, report.witness.second
    return bool(first.shape == second.shape and first.size)


def how_to_repeat(report: AuditReport) -> list[str]:
    """Return the folded calls that repeat an audit; none if its runs have no seeds.

    >>> from dataclasses import replace
    >>> from privcheck.results._example_results import VIOLATION
    >>> len(how_to_repeat(VIOLATION)), how_to_repeat(replace(VIOLATION, randomness="independent"))
    (2, [])
    """
    return [] if report.randomness == "independent" else [call.folded() for call in repeat_audit(report)]


def repeat_certificate(certificate: Certificate) -> Repeat:
    """Return the Python call and the command line that give the same certificate.

    >>> from privcheck.results._example_results import GRANTED
    >>> print(repeat_certificate(GRANTED).python.folded())
    privcheck.certify('adap-ucb(arms=2, epsilon=1, alpha=3.1)', epsilon=1.0,
        arms=2, horizon=8, runs=20, seed=0)
    """
    named: dict[str, Any] = {"epsilon": certificate.epsilon_claimed, "runs": certificate.executions}
    named["rho"] = certificate.budget.rho if isinstance(certificate.budget, Concentrated) else None
    named["mu"] = certificate.budget.mu if isinstance(certificate.budget, GaussianDP) else None
    named["accountants"] = certificate.shares if certificate.shares not in ({}, USUAL_SHARES) else None
    always = {"seed", "runs"} | ({"epsilon"} if named["rho"] is named["mu"] is None else set())
    options = {}
    for declared in CertifySettings.options():
        value = named.get(declared.name, getattr(certificate, declared.name, None))
        usual = (declared.default, OF_MECHANISMS.get(declared.name, declared.default))
        if declared.name in always or value not in usual:
            options[declared.name] = value
    if not certificate.primitives:
        options.pop("primitives", None)
    return _repeat("certify", certificate.target, options, None)


def _repeat(
    function: str, target: str, options: dict[str, Any], streams: str | None, *, in_file: bool = True
) -> Repeat:
    """Return both calls; `streams` is the Python text of the user's own pair, which may not fit in a file."""
    place, word, missing, missing_file = repr(target), shlex.quote(target), [], []
    elsewhere = played_elsewhere(target)
    if elsewhere is not None:
        place, word = f"privcheck.{target}", elsewhere
    elif not _is_text(target):
        place, word = "target", "FILE.py:NAME"
        missing.append(f"target: {clean(target)}")
        missing_file.append(f"FILE.py:NAME: the place of {clean(target)}")
    arguments = [place, *(f"{name}={_python(value)}" for name, value in options.items())]
    for name, what in _FUNCTIONS.items():
        if options.get(name) == name:
            missing.append(f"{name}: the function that {what}")
            missing_file.append(f"{name.upper()}.py:NAME: the place of the function that {what}")
            arguments = [part.replace(f"{name}='{name}'", f"{name}={name}") for part in arguments]
    words = [word, *(part for name, value in options.items() for part in _command(name, value))]
    contexts, given = options.get("contexts"), False
    if contexts is not None and (contexts.low, contexts.high) != (Contexts.low, Contexts.high):
        missing_file.append(f"entries of contexts in [{contexts.low:g}, {contexts.high:g}] can be given in Python only")
    if streams is not None:
        arguments.append(f"streams={streams}")
        given, (place_of, what) = streams[0] in "\"'", _GIVEN_BY.get(streams, ("", ""))
        file = f"{place_of}.py:NAME" if place_of else "pair.npy"
        words.append(f"--streams {shlex.quote(ast.literal_eval(streams)) if given else file}")
        missing += [_MISSING[streams]] if streams in _MISSING else []
        saved = "pair.npy: the two streams, saved by numpy.save"
        saved = saved if in_file else "a pair of inputs other than arrays of one shape can be given in Python only"
        saved = f"{file}: the place of the {what}" if place_of else saved
        missing_file += [] if given else [saved]
    parts = [f"privcheck.{function}({arguments[0]},", *(f"{part}," for part in arguments[1:-1])]
    last = f"{arguments[-1]})"
    parts += [last] if streams is None or given else last.split(" ")
    return Repeat(
        Call(tuple(parts), "; ".join(missing)),
        Call((f"privcheck {function} {words[0]}", *words[1:]), "; ".join(missing_file), " \\"),
    )


_GIVEN_BY = {Unwritten.FUNCTION: ("DRAW", "function"), Unwritten.ADVERSARY: ("ADVERSARY", "adversary")}
"""Streams that only Python code gives: the name of its file in a call, and what it is."""

_MISSING = {
    Unwritten.PAIR: "pair: the two streams of the witness",
    Unwritten.FUNCTION: f"{Unwritten.FUNCTION}: the function that draws pairs",
    Unwritten.ADVERSARY: f"{Unwritten.ADVERSARY}: the privcheck.Adversary of the witness",
}
"""What the user has to supply where streams are named only."""


def _is_text(target: str) -> bool:
    """Tell whether a report's name of a target is also how a user gives it: a place, or a shipped id in full."""
    return ":" in target or (target.partition("(")[0] in ALGORITHMS and target.endswith(")"))


def played_elsewhere(target: str) -> str | None:
    """Return the options of the command line that name what another program plays; None for other targets.

    >>> played_elsewhere("from_command(['./bandit', '-x'], timeout=30.0)")
    "--command './bandit -x' --timeout 30.0"
    """
    function = target.partition("(")[0]
    if function not in ("from_command", "from_url", "from_python") or not target.endswith(")"):
        return None
    try:
        call = ast.parse(target, mode="eval").body
        assert isinstance(call, ast.Call)
        given = [ast.literal_eval(argument) for argument in call.args]
        named = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    except (SyntaxError, ValueError, AssertionError):
        return None
    words = {
        "from_command": lambda: [f"--command {shlex.quote(shlex.join(given[0]))}"],
        "from_url": lambda: [f"--url {shlex.quote(given[0])}"],
        "from_python": lambda: [shlex.quote(given[1]), f"--python {shlex.quote(given[0])}"],
    }[function]()
    return " ".join([*words, *(part for name, value in named.items() for part in _command(name, value))])


def _python(value: Any) -> str:
    return f"{'privcheck.' if isinstance(value, Contexts) else ''}{value!r}"


def _command(name: str, value: Any) -> list[str]:
    """Return an option of the command line with its value; None and False are said by leaving it out."""
    flag = f"--{name.replace('_', '-')}"
    if name in _FUNCTIONS and value == name:
        return [f"{flag} {name.upper()}.py:NAME"]
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, Contexts):
        norm = [] if value.norm is None else [f"--context-norm {value.norm!r}"]
        return [f"{flag} {','.join(map(str, value.shape))}", *norm]
    if isinstance(value, dict):
        value = ",".join(f"{key}={share!r}" for key, share in value.items())
    if isinstance(value, list):
        value = ",".join(value)
    if name == "tradeoff":
        value = ",".join(f"{a!r}:{b!r}" for a, b in value)
    text = ",".join(map(repr, value)) if isinstance(value, tuple) else str(value)
    return [f"{flag}={text}" if text.startswith("-") else f"{flag} {shlex.quote(text)}"]
