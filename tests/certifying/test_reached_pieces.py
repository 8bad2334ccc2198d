"""The pieces that instructions say have run, against marks that are put into the syntax tree before each of them.

Each version of Python has places of its own for its instructions, and some are those of another piece.
"""

from __future__ import annotations

import ast
import importlib
import linecache
import random
import types

import pytest

from privcheck import certify
from privcheck.certifying._own_code import OwnFunction
from privcheck.certifying._private_pieces import candidates
from privcheck.certifying._reached_code import Piece, ReachedCode
from privcheck.certifying._translated.swapped_code import translation


class Marks(ast.NodeTransformer):
    """Call `mark` with the number of a piece before it runs."""

    def __init__(self, numbers: dict[int, int]) -> None:
        self.numbers = numbers

    def visit(self, node: ast.AST) -> ast.AST | list[ast.AST]:
        number = self.numbers.get(id(node))
        inner = self.generic_visit(node)
        if number is None:
            return inner
        call = ast.Call(ast.Name("mark", ast.Load()), [ast.Constant(number)], [])
        if isinstance(node, ast.stmt):
            return [ast.Expr(call), inner]
        return ast.Subscript(ast.Tuple([call, inner], ast.Load()), ast.Constant(1), ast.Load())


def own_function(text: str, file: str) -> OwnFunction:
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict = {}
    exec(compile(text, file, "exec"), names)
    (node,) = ast.parse(text).body
    return OwnFunction(names["f"], node, None, "f")


def both(text: str, *, translated: bool, seeds: tuple[int, ...] = (0,)) -> tuple[set[str], set[str]]:
    """Return the pieces that ran by their instructions, and by the marks; those that are constants are left out."""
    own = own_function(text, f"<pieces {hash(text)}>")
    named = [(piece, node) for piece, node, _ in candidates(own) if _names_something(node)]
    texts = [ast.unparse(node) for _, node in named]
    function, marked = own.function, set()
    if translated:
        function = types.FunctionType(translation(function), function.__globals__, "f")
    reached = ReachedCode([piece for piece, _ in named], [function.__code__])
    tree = Marks({id(node): number for number, (_, node) in enumerate(named)}).visit(ast.Module([own.node], []))
    names = {"mark": marked.add}
    exec(compile(ast.fix_missing_locations(tree), "marked", "exec"), names)
    for seed in seeds:
        with reached:
            found = _result(function, seed)
        assert _result(names["f"], seed) == found
    ran = {piece for number, (piece, _) in enumerate(named) if number in marked}
    by_piece = {piece: part for (piece, _), part in zip(named, texts, strict=True)}
    seen = set(by_piece) - reached.unreached - _without_instructions(named, function)
    return {by_piece[piece] for piece in seen}, {by_piece[piece] for piece in ran}


def _without_instructions(named: list[tuple[Piece, ast.AST]], function: types.FunctionType) -> set[Piece]:
    """Return the pieces that are looked for nowhere: they never count as run."""
    return {piece for piece, _ in named} - ReachedCode([piece for piece, _ in named], [function.__code__]).unreached


def _names_something(node: ast.AST) -> bool:
    return not isinstance(node, ast.Continue | ast.Break | ast.Pass) and any(
        isinstance(part, ast.Name) for part in ast.walk(node)
    )


def _result(function: types.FunctionType, seed: int) -> str:
    coins = random.Random(seed)
    function.__globals__["c"] = lambda: coins.randrange(3)
    try:
        return repr(function([1, 0]))
    except (ValueError, ExceptionGroup, UnboundLocalError) as error:
        return repr(error)


LONG = "len([" + ", ".join(["x + y"] * 200) + "])"
NEVER = {
    "a long element": f"[{LONG} for q in z if x]",
    "an element after a long condition": f"[x + y for q in z if {LONG} < 0]",
    "a condition of several comparisons": "[1 for q in [] if x < y < q]",
    "a condition in a set": "{1 for q in [] if x < y < q}",
    "a condition in a dictionary": "{1: 2 for q in [] if x < y < q}",
    "a condition in a generator": "[*(1 for q in [] if x < y < q)]",
    "a key": "{y: 1 for q in []}",
    "a value after a condition": "{y: q for q in z if x}",
    "a name": "[y for q in []]",
}
ALWAYS = {
    "a key": "{y: 1 for q in z}",
    "a value": "{1: y for q in z}",
    "a key and a value": "{y: q for q in z if z}",
    "a name": "[y for q in z]",
    "a long element": f"[{LONG} for q in z if z]",
    "code that is written twice": "x\n    if z: return not (y if z[0] else z[0])",
}


@pytest.mark.parametrize("translated", [False, True], ids=["as it is written", "translated"])
@pytest.mark.parametrize("name", [*(f"never: {name}" for name in NEVER), *(f"always: {name}" for name in ALWAYS)])
def test_a_piece_has_run_exactly_if_its_mark_was_passed(name, translated):
    expression = NEVER[name[7:]] if name.startswith("never") else ALWAYS[name[8:]]
    by_instructions, by_marks = both(
        f"def f(z):\n    x = y = 0\n    x = {expression}\n    return x, y\n", translated=translated
    )
    assert by_instructions == by_marks


class Program:
    """A random function of a list z, which asks `c` for coins; no iterable gives a name anything."""

    def __init__(self, seed: int) -> None:
        self.random, self.in_iterable = random.Random(seed), 0

    def text(self) -> str:
        return f"def f(z):\n    x = y = k = q = w = u = 0\n{self.block(1)}    return x, y, z\n"

    def block(self, depth: int) -> str:
        return "".join(self.statement(depth) for _ in range(self.random.randint(1, 2)))

    def iterable(self, depth: int) -> str:
        self.in_iterable += 1
        found = self.expression(depth)
        self.in_iterable -= 1
        return f"range(abs({found}) % 3)"

    def expression(self, depth: int = 0) -> str:
        if depth > 2:
            return self.random.choice(["c()", "x", "y", "len(z)", "k", "-x", "z[0]", "u", "q"])
        e, i = lambda: self.expression(depth + 1), lambda: self.iterable(depth + 1)
        v = self.random.choice("xyqw")
        ways = [
            lambda: "c()",
            lambda: f"({e()} if {e()} else {e()})",
            lambda: f"({e()} and {e()})",
            lambda: f"({e()} or {e()} or {e()})",
            lambda: f"(not {e()})",
            lambda: f"({e()} < {e()} <= {e()})",
            lambda: f"sum([{e()} for {v} in {i()}])",
            lambda: f"sum([{e()} for {v} in {i()} if {e()}])",
            lambda: f"sum({e()} for {v} in {i()} if {e()} if {e()})",
            lambda: f"len({{{e()}: {e()} for {v} in {i()}}})",
            lambda: f"len({{{e()}: {e()} for {v} in {i()} if {e()}}})",
            lambda: f"sum([({e()} + {v}) for {v} in {i()} for q in {i()}])",
            lambda: f"(lambda {v}: {e()})({e()})",
            lambda: f"len([*z, {e()}])",
            lambda: f"len({{{e()} for {v} in z if {e()}}})",
            lambda: f"len(f'{{{e()}}}')" if depth == 2 else e(),
            lambda: f"(u := {e()})" if not self.in_iterable else e(),
            lambda: f"sum([u := {e()} for q in z if {e()}])" if not self.in_iterable else e(),
        ]
        return self.random.choice(ways)()

    def statement(self, depth: int) -> str:
        tab, e, b = "    " * depth, lambda: self.expression(1), lambda more=1: self.block(depth + more)
        ways = [
            lambda: f"{tab}x = {e()}; y = {e()}\n",
            lambda: f"{tab}z[0] += {e()}\n",
            lambda: f"{tab}z.append({e()}); del z[3:]\n",
            lambda: f"{tab}x, y = {e()}, {e()}\n",
            lambda: f"{tab}if {e()}: x = {e()}; y = {e()}\n",
        ]
        if depth < 2:
            ways += [
                lambda: f"{tab}if {e()}:\n{b()}{tab}elif {e()}:\n{b()}{tab}else:\n{b()}",
                lambda: f"{tab}for k in {self.iterable(1)}:\n{b()}{tab}    if {e()}: break\n{b()}{tab}else:\n{b()}",
                lambda: (
                    f"{tab}try:\n{b()}{tab}    if {e()}: raise ValueError\n{b()}{tab}except ValueError:\n{b()}"
                    f"{tab}else:\n{b()}{tab}finally:\n{b()}"
                ),
                lambda: (
                    f"{tab}match ({e()}, {e()}):\n{tab}    case (0, w) if {e()}:\n{b(2)}{tab}    case (q, w):\n{b(2)}"
                ),
                lambda: (
                    f"{tab}try:\n{tab}    if {e()}: raise ExceptionGroup('g', [ValueError(), KeyError()])\n{b()}"
                    f"{tab}except* ValueError: x = {e()}\n{tab}except* KeyError: y = {e()}\n"
                ),
                lambda: (
                    f"{tab}def inner(x, y={e()}):\n{tab}    return {e()}\n{tab}y = inner({e()}) if {e()} else {e()}\n"
                ),
                lambda: f"{tab}if {e()}: return {e()}\n",
            ]
        return self.random.choice(ways)()


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_pieces_of_random_functions(seed):
    text = Program(seed).text()
    for translated in (False, True):
        by_instructions, by_marks = both(text, translated=translated, seeds=(0, 1))
        assert by_instructions == by_marks, text


COPY = "def shown(value, late):\n    return int(value > 0.5) if late else 0\n"
POLICY = """
from {package} import one, two

class Policy:
    def __init__(self, rng):
        self.rng, self.t, self.arm = rng, 0, 0

    def select(self):
        return self.arm

    def update(self, action, reward):
        self.t += 1
        if self.t == 1:
            self.arm = one.shown(reward + self.rng.laplace(0, 1), True) + one.shown(0.0, False)
        self.arm += two.shown(reward, self.t > 20)
"""


def test_a_function_that_is_written_in_two_files_has_run_in_one_of_them(tmp_path, monkeypatch):
    """Their code is equal."""
    package = tmp_path / "written_twice"
    package.mkdir()
    for name, text in {"__init__": "", "one": COPY, "two": COPY, "policy": POLICY.format(package=package.name)}.items():
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    policy = importlib.import_module("written_twice.policy").Policy
    found = certify(policy, epsilon=1.0, arms=2, horizon=4, runs=1)
    assert [(line.file, line.line) for line in found.unreached] == [("two.py", 2)]
    assert not found.granted


def test_a_function_that_every_build_makes_anew_is_seen_in_each():
    """Equal code is asked for its events by itself."""
    text = "def f(z):\n    return len(z) if z else 0\n"
    first, second = (own_function(text, "<made anew>") for _ in range(2))
    pieces = [piece for piece, _, _ in candidates(first)]
    reached = ReachedCode(pieces, [first.function.__code__, second.function.__code__])
    with reached:
        second.function([1])
    assert {piece.start[1] for piece in reached.unreached} == {28}
