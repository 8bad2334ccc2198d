"""Factories of user targets: importing them from files and modules, and checking their parameters."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import traceback
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from privcheck.errors import PrivcheckError, words
from privcheck.targets._fresh_imports import (
    Held,
    executed,
    imported_anew,
    imported_now,
    importing_beside,
    packages_around,
    refuse_other_copy,
    without_those_of_others,
)
from privcheck.targets._other_names import what_to_do
from privcheck.targets._parameters import BY_POSITION, given_by_partial, open_parameters

PACKAGE = Path(__file__).parents[1]

FACTORY_KEYWORDS = ("arms", "epsilon", "delta", "horizon", "rho", "mu")
OWN_ARMS = frozenset(
    f"{count}{what}" for count in ("n_", "num_", "nb_", "number_of_", "n", "num") for what in ("arms", "actions")
)
"""Parameters that give the number of arms under another name; `K` and others may mean something else."""


@dataclass(frozen=True)
class Location:
    """Where a factory is defined: a file or module and a name in it, from which worker processes can load it.

    Parameters
    ----------
    module, name : a path that ends in .py or the name of a module, and a name defined there.
    key : distinguishes this location from the same place at another time, when the file may have been different.
    imported : the modules that were at hand when it was loaded in this process.
    """

    module: str
    name: str
    key: str = field(default_factory=lambda: uuid.uuid4().hex, repr=False)
    imported: Held = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def is_file(self) -> bool:
        return self.module.endswith(".py")

    @property
    def packages(self) -> tuple[list[Path], bool]:
        """The folders of the packages of a file, the innermost first, and whether it imports relatively."""
        return packages_around(Path(self.module), Path(self.module).read_bytes())

    def __getstate__(self) -> dict[str, Any]:
        """Return what a worker process is sent: a file is found from any working directory."""
        return (
            self.__dict__ | {"imported": {}} | ({"module": str(Path(self.module).absolute())} if self.is_file else {})
        )

    def __str__(self) -> str:
        """Return file:name, with the file relative to the working directory if it lies below it."""
        if self.is_file and Path(self.module).resolve().is_relative_to(Path.cwd()):
            below = str(Path(self.module).resolve().relative_to(Path.cwd()))
            return f"{'./' * below.startswith('-')}{below}:{self.name}"  # in a command it is no option
        return f"{self.module}:{self.name}"

    def load(self) -> Callable[..., Any]:
        """Import the file or module and return the named factory; raise PrivcheckError if that fails."""
        with imported_anew():
            module = _import_file(Path(self.module)) if self.is_file else _import_module(self.module, self.name)
        self.imported.update(imported_now())
        if not hasattr(module, self.name):
            public = [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")]
            raise PrivcheckError(
                "target",
                f"{self.module}:{self.name}",
                f"a name that {self.module} defines",
                f"it defines {', '.join(public) or 'nothing callable'}",
            )
        return getattr(module, self.name)  # type: ignore[no-any-return]

    def load_once(self) -> Callable[..., Any]:
        """Do the same in a worker process, which is given the location with every task but imports it only once."""
        return _loaded(self)


@lru_cache(maxsize=1)
def _loaded(location: Location) -> Callable[..., Any]:
    return location.load()


def function_at(place: Any) -> Any:
    """Return the function at a place, FILE.py:NAME or package.module:NAME; anything else as it is.

    >>> function_at("math:sqrt")(4.0), function_at(abs) is abs
    (2.0, True)
    """
    if not isinstance(place, str | Path) or ":" not in str(place):
        return place
    module, _, name = str(place).rpartition(":")
    return Location(module, name).load()


def _import_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise PrivcheckError("target", str(path), "an existing Python file", "check the path")
    try:
        source = path.read_bytes()
    except OSError:  # said by the loader
        source = b""
    with importing_beside(path, source) as name:
        with without_those_of_others() as hidden:
            refuse_other_copy(path, name)
            module = _executed(path, name)
        if hidden:  # it has imported all of its modules itself
            return module
        with without_those_of_others() as others:  # the file itself may say where modules are found
            return _executed(path, name) if others else module


def _executed(path: Path, name: str) -> ModuleType:
    try:
        return executed(path, name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _import_failed(str(path), error) from None


def _import_module(name: str, attribute: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name in (name, name.partition(".")[0])
        place = Path(*name.split("."))
        file = place.with_suffix(".py") if missing and place.name else None
        hint = f"write {file}:{attribute}" if file is not None and file.is_file() else "fix this error first"
        raise _import_failed(name, error, hint) from None


def _import_failed(name: str, error: BaseException, hint: str = "fix this error first") -> PrivcheckError:
    got = words(f"{name}, which raises {describe_exception(error)}")
    return PrivcheckError(
        "target", got, "a target that can be imported", "" if isinstance(error, PrivcheckError) else hint
    )


def classes_in(path: str) -> list[str]:
    """Return the names of the public classes of a Python file; none if it cannot be read.

    >>> classes_in(__file__)
    ['Location']
    """
    try:
        tree = ast.parse(Path(path).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return []
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]


def takes_generator(factory: Any) -> bool:
    """Return whether the first parameter of a factory may be a Generator: it is none of those passed by name.

    >>> takes_generator(lambda rng, arms: None), takes_generator(lambda arms: None)
    (True, False)
    """
    parameters = open_parameters(factory)
    if parameters is None:
        return True
    positional = [p for p in parameters if p.kind in (*BY_POSITION, p.VAR_POSITIONAL)]
    return bool(positional) and positional[0].name not in FACTORY_KEYWORDS


def factory_parameters(factory: Callable[..., Any]) -> set[str]:
    """Return the names of the parameters that are left to the caller of a factory; none if they cannot be read.

    >>> sorted(factory_parameters(lambda rng, arms, **options: None))
    ['**options', 'arms', 'rng']
    """
    return {f"**{p.name}" if p.kind is p.VAR_KEYWORD else p.name for p in open_parameters(factory) or ()}


def about_first_parameter(factory: Callable[..., Any]) -> str:
    """Return that the first parameter of a factory is given the Generator, unless its name says that it expects one.

    >>> about_first_parameter(lambda n_arms: None), about_first_parameter(lambda rng: None)
    ('its first parameter, n_arms, is given a numpy Generator', '')
    """
    name = next((p.name for p in open_parameters(factory) or ()), "")
    expected = any(part in name.lower() for part in ("rng", "rand", "gen"))
    return "" if expected or not name else f"its first parameter, {name}, is given a numpy Generator"


def own_defaults(factory: Callable[..., Any]) -> dict[str, Any]:
    """Return what a factory is never passed: what `functools.partial` gives, and defaults under names of its own.

    >>> own_defaults(lambda rng, arms=2, eps=1.0: None)
    {'eps': 1.0}
    """
    own = [p for p in (open_parameters(factory) or [])[1:] if p.name not in FACTORY_KEYWORDS]
    return {p.name: p.default for p in own if p.default is not p.empty} | given_by_partial(factory)


def no_arms(factory: Callable[..., Any] | None = None) -> PrivcheckError:
    """Return the refusal of a policy whose number of arms is not known, with the default of its factory.

    >>> no_arms(lambda rng, arms=5: None).hint, no_arms().hint
    ('it has 5 by default: give arms=5, or --arms 5', 'give arms=2, or --arms 2')
    """
    parameters = () if factory is None else open_parameters(factory) or ()
    usual = next((p.default for p in parameters if p.name == "arms"), None)
    hint = f"it has {usual} by default: " if type(usual) is int else ""
    number = usual if type(usual) is int else 2
    return PrivcheckError(
        "arms", None, "the number of arms of the policy", f"{hint}give arms={number}, or --arms {number}"
    )


def refuse_notebook(target: Any) -> None:
    """Refuse a notebook, with the name of what it defines or without: Python imports none."""
    if isinstance(target, str) and re.search(r"\.ipynb(:\w*)?$", target):
        hint = "a notebook cannot be imported: write the cell to a .py file, as `%%writefile bandit.py` at its top does"
        raise PrivcheckError("target", target, "path/to/file.py:name", hint)


def own_arms(factory: Callable[..., Any], asked: int | None) -> int | None:
    """Return the number of arms that a parameter of a factory's own has, such as n_arms=2, or that a partial gives.

    Raises
    ------
    PrivcheckError : another number is asked for, which the policy would not be told.

    >>> own_arms(lambda rng, n_arms=2: None, None), own_arms(lambda rng, arms=2: None, 3)
    (2, None)
    """
    if "arms" in factory_parameters(factory):
        return None
    for name, value in own_defaults(factory).items():
        if name.lower().strip("_") in {"arms", *OWN_ARMS} and type(value) is int:
            if asked not in (None, value):
                expected = f"{value}, the default of the target's parameter {name}"
                hint = f"or pass it on: def target(rng, arms): return {_name_of(factory)}(rng, {name}=arms)"
                raise PrivcheckError("arms", asked, expected, hint)
            return value
    return None


def check_built_arms(policy: Any, arms: int | None) -> None:
    """Refuse a policy that was built with another number of arms, in an attribute such as n_arms, than it is to play.

    Parameters
    ----------
    policy : as it was built.
    arms : the number that it is to play; None if it is not known.

    >>> check_built_arms(type("Two", (), {"n_arms": 2})(), 2)
    """
    held: dict[str, Any] = {}
    for each in reversed(type(policy).__mro__):
        held |= vars(each)
    held |= getattr(policy, "__dict__", {})
    for name, value in held.items():
        is_count = name.lower().strip("_") in {"arms", *OWN_ARMS} and type(value) is int and value > 0
        if is_count and arms not in (None, value):
            expected = f"{value}, the attribute {name} of {type(policy).__name__}"
            raise PrivcheckError("arms", arms, expected, f"give arms={value}, or have its constructor take arms")


def factory_arguments(
    factory: Callable[..., Any],
    keywords: dict[str, Any],
    methods: Sequence[str] = ("select", "update"),
    *,
    takes_rng: bool = True,
) -> dict[str, Any]:
    """Return the keywords to pass to a factory besides its Generator; refuse a factory that needs anything else.

    Parameters
    ----------
    factory : a class or function.
    keywords : the values that there are.
    methods : the two methods that choose and that receive rewards, and possibly others.
    takes_rng : whether its first parameter is the Generator; if not, it draws its random numbers from elsewhere.
    """
    from privcheck.targets._mechanism import refuse_mechanism  # here, since that module needs this one

    refuse_mechanism(factory, "target")
    if not callable(factory):
        raise PrivcheckError(
            "target", factory, "a class or function that takes a Generator", "pass the class itself, not an object"
        )
    lacking = [name for name in methods[:2] if not callable(getattr(factory, name, None))]
    if isinstance(factory, type) and lacking:
        missing = lacking[0]
        raise PrivcheckError(
            "target",
            words(f"class {factory.__name__}, which has no method {missing}()"),
            f"a class with {methods[0]}() and {methods[1]}()",
            what_to_do(factory, "a bandit is any object with these two methods"),
        )
    parameters = open_parameters(factory)
    if parameters is None:
        return {}
    named = {p.name for p in parameters if p.kind is not p.POSITIONAL_ONLY}
    required = [
        p.name
        for p in parameters
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]
    if takes_rng and not takes_generator(factory):
        raise PrivcheckError(
            "target",
            words(f"a factory with the parameters ({', '.join(p.name for p in parameters)})"),
            "a numpy Generator (rng) as its first parameter",
            "all randomness of the policy must come from it; for an audit of one that draws from the global generators "
            "of numpy or Python say randomness='seeded', from the operating system randomness='independent'",
        )
    first = parameters[0].name if takes_rng else ""
    unknown = [name for name in required if name not in FACTORY_KEYWORDS and name != first]
    if unknown:
        raise PrivcheckError(
            "target",
            words(f"a factory that requires {', '.join(unknown)}"),
            f"a first parameter rng, and no others required but {', '.join(FACTORY_KEYWORDS)}",
            f"wrap it in a function that supplies the others: {_wrapper(factory, parameters, first)}",
        )
    own_arms(factory, keywords.get("arms"))
    arguments = {name: keywords.get(name) for name in FACTORY_KEYWORDS if name in named}
    for name in required:
        if name in arguments and arguments[name] is None:
            raise PrivcheckError(name, None, "a value, because the target's factory requires it", f"give {name}")
    return {name: value for name, value in arguments.items() if value is not None}


def _wrapper(factory: Any, parameters: list[inspect.Parameter], first: str) -> str:
    """Return a function of one line that gives a factory what it requires; what only its author knows is `...`.

    >>> def factory(gen, window, arms, *, lag=3, horizon=8): ...
    >>> _wrapper(factory, list(inspect.signature(factory).parameters.values()), "gen")
    'def target(rng, arms, horizon): return factory(rng, window=..., arms=arms, horizon=horizon)'
    """
    given, passed = list[str](), list[str]()
    for p in parameters:
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        known = p.name in FACTORY_KEYWORDS
        if p.name != first and not known and p.default is not p.empty:
            continue
        passed += [p.name] * known
        value = "rng" if p.name == first else p.name if known else "..."
        given.append(value if p.name == first or p.kind is p.POSITIONAL_ONLY else f"{p.name}={value}")
    return f"def target({', '.join(['rng', *passed])}): return {_name_of(factory)}({', '.join(given)})"


def _name_of(factory: Any) -> str:
    return str(getattr(getattr(factory, "func", factory), "__name__", "Policy"))


def describe_exception(error: BaseException) -> str:
    """Return the exception in words, with the file and line that raised it; for one of ours, that of its caller."""
    every = list(traceback.extract_tb(error.__traceback__))
    frames = [frame for frame in every if not Path(frame.filename).is_relative_to(PACKAGE)]
    if not isinstance(error, PrivcheckError):  # which may be an error of a shipped algorithm
        frames = frames or every
    frames = [frame for frame in frames if "numpy" not in Path(frame.filename).parts] or frames  # its caller, likewise
    known = frames and not frames[-1].filename.startswith("<frozen")
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if known else ""
    return f"{type(error).__name__}: {_text_of(error)}{where}"


def _text_of(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as of_text:  # the exception is a user's, and so is its __str__
        return f"<an exception whose text raises {type(of_text).__name__}>"
