"""The test that `privcheck init --from` writes for a class of one's own."""

from __future__ import annotations

import ast
import math
import os
import re
import shlex
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from privcheck.errors import PrivcheckError, words

if TYPE_CHECKING:
    from privcheck.privacy import Contexts

TEMPLATE = Path(__file__).parents[1] / "skeleton" / "test_privacy_of.py.txt"

CLAIM = {"epsilon": 1.0, "arms": 2, "horizon": 16}
"""What the assertions say where neither the project nor the constructor says it."""

OF_SEVERAL_ARMS = ("rewards", "reward_vector", "losses", "outcomes")
"""What `update` calls its last argument where it receives more than one reward."""

RUNS = """    runs = pytestconfig.getoption("--privcheck-budget") or 20_000  # a night asks for more
"""
"""Of the audit, by default: the 5,000 that are usual in tests left a binary tree with the noise of one level
inconclusive. With contexts each `select` plays on a copy, and 20,000 take two minutes: there the usual ones are played.
"""


def privacy_test_of(place: Path, target: str, contexts: Contexts | None = None) -> tuple[str, str]:
    """Return the path, in a project, and the text of a test of a class, which is read and not imported.

    Parameters
    ----------
    place : the folder of the project. With a claim in `[tool.privcheck]` of its pyproject.toml, the test has none.
    target : "path/to/file.py:Class".
    contexts : what contexts look like, for a class whose `update` takes them.

    Raises
    ------
    PrivcheckError : no class in a file that can be read, or one whose `update` takes other arguments.
    """
    module, _, name = target.rpartition(":")
    if not module.endswith(".py") or not name.isidentifier():
        raise PrivcheckError("from", target, "path/to/file.py:Class", "name the class after a colon")
    line = _class_in(Path(module), name)
    _check_update(line, target, contexts)
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")
    path = f"tests/test_privacy_of_{snake}.py"
    own = Path(os.path.relpath(Path(module).resolve(), (place / "tests").resolve())).as_posix()
    of_project = _own(place)
    stated = "epsilon" in of_project
    played = _played(line, contexts)
    claim = _arguments(played if stated else _values_of(line, contexts) | played)
    claim += "" if contexts is None else ", contexts=CONTEXTS"
    more = not stated and "runs" not in of_project and contexts is None
    text = TEMPLATE.read_text(encoding="utf-8")
    values = {"class": name, "file": _written(own), "imports": "", "contexts": ""}
    libraries = _libraries(Path(module), place)
    ask, certified = _certified(libraries, claim, asked_of(place, target, contexts))
    values |= {"assertions": f"{ask}assert_private", "certified": certified}
    values |= {"fixture": "", "runs": "", "audited": claim}
    if more:
        values |= {"fixture": "pytestconfig", "runs": RUNS, "audited": f"{claim}, runs=runs"}
    if contexts is not None:
        values["imports"], values["contexts"] = "from privcheck import Contexts\n", f"\nCONTEXTS = {_as_code(contexts)}"
    for key, value in (values | {"name": snake}).items():
        text = text.replace(f"${{{key}}}", value)
    return path, text


OF_THEIR_OWN = ("opendp", "diffprivlib")
"""Libraries that take a value and return a noisy one: they cannot be given private values, and are declared instead."""

CERTIFIED = """def test_no_line_of_${name}_leaks():
    # Guarded runs charge every release, and report every leak with its line.
"""
OTHERS = """    # The file imports {}. A library that reads a reward, other than by numpy's functions, leaks it: if
    # one is named here, leave this test out and keep the audit. See "Third-party code" in privcheck's documentation.
"""
NO_CERTIFICATE = """# No certificate is asked for: rewards are plain numbers to {}, and a guarded run has none.
# Record and replay its noise instead: {}


"""


def _certified(libraries: list[str], claim: str, asked: str) -> tuple[str, str]:
    """Return what is imported for the test of a certificate, and that test, or why there is none."""
    if own := [name for name in libraries if name in OF_THEIR_OWN]:
        command = f"privcheck certify {asked} --primitives {','.join(own)}"
        return "", NO_CERTIFICATE.format(" and ".join(own), command)
    told = OTHERS.format(", ".join(libraries)) if libraries else ""
    return "assert_certified, ", f"{CERTIFIED}{told}    assert_certified(TARGET{claim})\n\n\n"


def _libraries(file: Path, place: Path) -> list[str]:
    """Return the packages of others that a file imports, but for those whose numbers a guard follows."""
    found = set[str]()
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module)
    first = {"privcheck.adapters" if name.startswith("privcheck.adapters") else name.split(".")[0] for name in found}
    known = {"numpy", "scipy", "privcheck", *sys.stdlib_module_names}
    folders = (file.parent, place, place / "src")
    own = {
        name for name in first for folder in folders if (folder / name).is_dir() or (folder / f"{name}.py").is_file()
    }
    return sorted(first - known - own)


def _shell_path(place: Path, module: str) -> str:
    """Return the path of a file from the folder of a project."""
    return Path(os.path.relpath(Path(module).resolve(), place.resolve())).as_posix()


def _as_code(contexts: Contexts) -> str:
    norm = "" if contexts.norm is None else f", norm={contexts.norm!r}"
    return f"Contexts(shape={contexts.shape!r}{norm})  # every entry in [-1, 1] by default: see low= and high="


def watched_as(place: Path, target: str, contexts: Contexts | None = None) -> str:
    """Return the arguments with which `privcheck watch` plays a class from the folder of a project, in a shell."""
    if _shell_path(place, target.rpartition(":")[0]).startswith("../"):
        raise PrivcheckError("from", target, f"a file below {place}", "the workflow plays what its repository has")
    return asked_of(place, target, contexts)


def asked_of(place: Path, target: str, contexts: Contexts | None = None) -> str:
    """Return the class, its claim and how it is played as arguments of a command in the folder of a project."""
    module, _, name = target.rpartition(":")
    line = _class_in(Path(module), name)
    own = {each: v for each, v in _own(place).items() if each in CLAIM}
    claim = _values_of(line, contexts) | own | _played(line, contexts)
    file = _shell_path(place, module)
    told = []
    if contexts is not None:
        told = [f"--contexts {','.join(map(str, contexts.shape))}"]
        told += [] if contexts.norm is None else [f"--context-norm {contexts.norm}"]
    return " ".join([shlex.quote(f"{file}:{name}"), *(f"--{each} {value}" for each, value in claim.items()), *told])


def _written(text: str) -> str:
    """Return a text as a formatter writes it.

    >>> _written("../bandit.py")
    '"../bandit.py"'
    """
    return repr(text) if '"' in text or "\\" in text or not text.isprintable() else f'"{text}"'


def _class_in(file: Path, name: str) -> list[ast.ClassDef]:
    """Return a class of a file, and after it the classes of this file that it derives from."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError) as error:
        reason = getattr(error, "strerror", None) or getattr(error, "msg", None) or str(error)
        got = words(f"{file}, which cannot be read: {reason}")
        raise PrivcheckError("from", got, "a Python file", "check the path") from None
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    if name not in classes:
        hint = f"the file has {', '.join(classes)}" if classes else "the file has no class at its top level"
        raise PrivcheckError("from", f"{file}:{name}", "a class at the top level of the file", hint)
    line = [classes[name]]
    for each in line:
        named = [base.id for base in each.bases if isinstance(base, ast.Name)]
        line += [classes[base] for base in named if base in classes and classes[base] not in line]
    return line


def _method(line: list[ast.ClassDef], name: str) -> ast.FunctionDef | None:
    """Return the method of this name that stands first in a line of classes."""
    nodes = (node for found in line for node in found.body)
    return next((node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == name), None)


def _check_update(line: list[ast.ClassDef], target: str, contexts: Contexts | None) -> None:
    """Refuse a class whose `update` takes anything but an action and its reward, and with contexts first a context, as
    far as the file itself says.
    """
    update = _method(line, "update")
    if update is None:
        if any(found.bases for found in line):
            return
        got = words(f"{target}, which has no method update()")
        raise PrivcheckError("from", got, "a bandit with select() and update(action, reward)", "")
    taken = [*update.args.posonlyargs, *update.args.args]
    names = [each.arg for each in taken]
    wanted = 3 if contexts is None else 4
    needed = len(taken) - len(update.args.defaults)
    wrong = not needed <= wanted <= len(taken) or None in update.args.kw_defaults
    wrong = wrong or names[wanted - 1] in OF_SEVERAL_ARMS or (contexts is None and "context" in names[:3])
    if wrong and not update.args.vararg and not update.decorator_list:
        got = words(f"{target} with update({ast.unparse(update.args)})")
        hint = "for other kinds of feedback write the test by hand, and say which in its assertions"
        if contexts is None and (needed == 4 or "context" in names[:3]):
            hint = "for contextual feedback say what contexts look like, as in --contexts 2,3 --context-norm 1"
        expected = "update(self, action, reward)" if contexts is None else "update(self, context, action, reward)"
        hint = "leave out --contexts" if contexts is not None and len(taken) == 3 else hint
        raise PrivcheckError("from", got, expected, hint)


def _played(line: list[ast.ClassDef], contexts: Contexts | None) -> dict[str, Any]:
    """Return the options that say how a class is played: what it recommends is part of what an observer sees."""
    if contexts is not None:
        return {"feedback": "contextual"}
    return {} if _method(line, "recommend") is None else {"feedback": "identification"}


def _arguments(options: dict[str, Any]) -> str:
    """Return options as the last arguments of a call.

    >>> _arguments({"epsilon": 0.5, "feedback": "identification"})
    ', epsilon=0.5, feedback="identification"'
    """
    written = {name: _written(value) if isinstance(value, str) else repr(value) for name, value in options.items()}
    return "".join(f", {name}={value}" for name, value in written.items())


def _own(place: Path) -> dict[str, Any]:
    """Return the settings of a project, in `[tool.privcheck]`."""
    try:
        table = tomllib.loads((place / "pyproject.toml").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    tool = table.get("tool")
    own = tool.get("privcheck") if isinstance(tool, dict) else None
    return own if isinstance(own, dict) else {}


def _values_of(line: list[ast.ClassDef], contexts: Contexts | None = None) -> dict[str, Any]:
    r"""Return what the assertions claim: what the constructor takes by default, where that can be claimed.

    >>> _values_of(ast.parse("class A:\n    def __init__(self, rng, arms=3, epsilon=0.5): ...").body)
    {'epsilon': 0.5, 'arms': 3, 'horizon': 16}
    """
    claim: dict[str, Any] = dict(CLAIM)
    init = _method(line, "__init__")
    if init is not None:
        taken = [*init.args.posonlyargs, *init.args.args][::-1]
        given = [*zip(taken, init.args.defaults[::-1], strict=False)]
        given += [
            (each, value) for each, value in zip(init.args.kwonlyargs, init.args.kw_defaults, strict=True) if value
        ]
        for each, value in given:
            number = value.value if isinstance(value, ast.Constant) else None
            if isinstance(number, bool) or not isinstance(number, int | float):
                continue
            if each.arg == "epsilon" and 0.0 < number < math.inf:
                claim["epsilon"] = float(number)
            if each.arg == "arms" and isinstance(number, int) and number >= 2:
                claim["arms"] = number
    if contexts is not None and len(contexts.shape) == 2:  # a row for each arm
        claim["arms"] = contexts.shape[0]
    return claim
