"""The options of an audit, each declared once: domain, default, meaning, and what to do if a value is refused.

They stand in four parts, `Claim`, `Game`, `Effort` and `Execution`, each in the file of that name beside this one; code
takes the parts that it reads. A declaration drives the check, the command-line option with its help, the field of the
report that repeats the option, and the call that a report gives for repeating the audit. The signature of
`privcheck.audit` is written out for readers; a test compares it with the declarations.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

from privcheck.declared import check_names, declared_fields
from privcheck.errors import PrivcheckError, words
from privcheck.targets._options.claim_options import Claim
from privcheck.targets._options.effort_options import Effort
from privcheck.targets._options.execution_options import Execution
from privcheck.targets._options.game_options import Game

if TYPE_CHECKING:
    from typing import Self


@dataclass(frozen=True)
class Options:
    """The checked options of a function, in parts.

    A subclass says which parts it has, each a field whose `default_factory` is a `Declared` class, and in `NAMES` which
    options of theirs the function has, in the order of its signature. The others keep their defaults.
    """

    NAMES: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def of(cls, **options: Any) -> Self:
        """Return the options that were given by name, and the defaults of the others.

        Raises
        ------
        PrivcheckError : a value outside its domain, options that contradict each other, or an unknown name.
        """
        check_names(cls.__name__, cls.NAMES, options)
        found = {}
        for name, part in cls._parts().items():
            own = [declared.name for declared in declared_fields(part)]
            found[name] = part(**{option: options[option] for option in own if option in options})
        return cls(**found)

    @classmethod
    def options(cls) -> list[Field[Any]]:
        """Return the declarations, in the order of the signature."""
        declared = {each.name: each for part in cls._parts().values() for each in declared_fields(part)}
        return [declared[name] for name in cls.NAMES]

    @classmethod
    def repeated(cls) -> dict[str, Field[Any]]:
        """Return the declarations of the options that a report repeats, by the report's field.

        >>> Settings.repeated()["epsilon_claimed"].name
        'epsilon'
        """
        names = ((declared, declared.metadata["field"]) for declared in cls.options())
        return {declared.name if name is None else name: declared for declared, name in names if name != ""}

    def value(self, name: str) -> Any:
        """Return the value of an option, whatever part it is in.

        >>> Settings.of(epsilon=1).value("epsilon")
        1.0
        """
        return next(getattr(part, name) for part in map(self._part, self._parts()) if hasattr(part, name))

    def changed(self, **options: Any) -> Self:
        """Return the options with other values.

        >>> Settings.of(epsilon=1).changed(jobs=2).execution.jobs
        2
        """
        parts = {name: self._part(name) for name in self._parts()}
        own = {name: {key: options[key] for key in options if hasattr(part, key)} for name, part in parts.items()}
        return replace(self, **{name: replace(parts[name], **given) for name, given in own.items() if given})

    @classmethod
    def _parts(cls) -> dict[str, Any]:
        """Return the class of each part."""
        return {part.name: part.default_factory for part in fields(cls)}

    def _part(self, name: str) -> Any:
        return getattr(self, name)


@dataclass(frozen=True)
class Settings(Options):
    """The checked options of `privcheck.audit`.

    >>> Settings.of(epsilon=1, horizon=16.0).game.horizon
    16
    """

    NAMES: ClassVar[tuple[str, ...]] = (
        "epsilon", "delta", "arms", "horizon", "rewards", "feedback", "runs", "time_budget", "confidence", "error",
        "observe", "neighbours", "streams", "contexts", "sequential", "seed", "jobs", "guarded", "pairs", "stop_after",
        "encode", "accountants", "law", "randomness", "time_limit", "rho", "mu", "tradeoff", "scheduler", "store",
        "messages", "read_code",
    )  # fmt: skip

    claim: Claim = field(default_factory=Claim)
    game: Game = field(default_factory=Game)
    effort: Effort = field(default_factory=Effort)
    execution: Execution = field(default_factory=Execution)

    def __post_init__(self) -> None:
        profile = self.claim.profile
        if profile is not None and profile.delta_at(0.0) >= 1.0:
            hint = "at epsilon = 0 this one allows a delta of 1, so that no number of runs would refute it"
            given = "tradeoff" if self.claim.tradeoff is not None else profile.name
            raise PrivcheckError(given, getattr(self.claim, given), "a claim that rules something out", hint)
        if self.game.law is not None and self.claim.profile is not None:
            raise PrivcheckError("law", words("a law"), "a claim in epsilon", "its loss is epsilon at a delta")
        if self.effort.read_code and self.effort.streams is not None:
            raise PrivcheckError("read_code", True, "False with streams of your own", "they are all that is played")
        if self.effort.sequential and self.claim.epsilon is None:
            raise PrivcheckError("epsilon", None, "a claim to bet against", "sequential audits end when it is refuted")
        if self.execution.guarded and self.claim.budget is None:
            hint = "a guarded policy needs one: give epsilon=1.0"
            raise PrivcheckError("epsilon", None, "the budget of the guard: epsilon, rho or mu", hint)
        if self.execution.guarded and self.game.observe != "actions":
            hint = "the guard lets nothing but actions out: leave observe out"
            raise PrivcheckError("observe", self.game.observe, "'actions' for a guarded policy", hint)
