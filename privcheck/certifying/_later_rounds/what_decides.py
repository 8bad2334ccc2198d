"""What decides how private values are used: scales of noise, weights, how often they are released, and why."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from privcheck.certifying._later_rounds.around_statements import conditions, ends, loops, opened_by, sides, taken_away
from privcheck.certifying._later_rounds.kept_functions import KeptFunctions
from privcheck.certifying._later_rounds.names_given import TAKES_AWAY, NamesGiven, amount_of
from privcheck.certifying._later_rounds.shared_objects import PARTS
from privcheck.certifying._later_rounds.shared_values import SharedValues
from privcheck.certifying._later_rounds.what_forgets import Forgetting, Node
from privcheck.certifying._observed_values import ObservedValues
from privcheck.certifying._own_code import OwnCode, OwnFunction
from privcheck.certifying._private_expressions import PrivateExpressions
from privcheck.certifying._syntax import (
    CHOOSES,
    COINS,
    HOLDS,
    PUBLIC_CALLS,
    RELEASES,
    Name,
    arguments_of,
    called_name,
    computes_name,
    given,
    is_property,
    method_name,
    names_of,
    passed,
)

Giving = tuple[ast.AST, OwnFunction, set[Name]]
"""A statement in a function, with the names to which it gives something."""


class Deciding:
    """The statements that give something to what private values are noised, scaled and looped over by, or return it.

    These are arguments of draws and releases, what a private value is computed with or given to, what a loop around
    either counts, and the conditions under which a private value is touched or forgotten. What gives something to a
    name in them decides how the value is used, and so does what gives something to a name that such a statement reads,
    and so on, through the arguments of own functions too: a line that sets the scale of the noise, or that lets nothing
    be forgotten any more, may spoil a release that has run a hundred times.

    Loops and conditions around what decides are followed, but not where an arm is chosen; so are draws that are kept
    under a name that decides. Places that hold private values are left out: giving them something else forgets. But it
    spoils them if they were given noise alone, or if it is another function or a container of another size, if they
    hold an amount of noise, too, or if a release happens only as long as they hold nothing. To return before a reward
    is forgotten that was released keeps it.

    Parameters
    ----------
    code : the target's own code.
    expressions : tells what is private, and what is called.
    observed : tells what is, where what was seen says whether noise released it.
    nodes : statements and conditional expressions.
    touched : those of them that touch a private value.
    kept : functions that places held.
    reaches : tells whether an expression names a place where a function is kept that touches one.
    seen : what places held when the code ran.
    """

    def __init__(
        self,
        code: OwnCode,
        expressions: PrivateExpressions,
        observed: PrivateExpressions,
        nodes: Iterable[Node],
        touched: Iterable[Node],
        kept: KeptFunctions,
        reaches: Callable[[ast.AST, OwnFunction], bool],
        seen: ObservedValues,
    ) -> None:
        self._code, self._expressions, self._reaches = code, expressions, reaches
        self._loops, self._conditions = cache(loops), cache(conditions)
        self._names = NamesGiven(code, expressions, kept)
        self._kept, shared = kept, SharedValues(expressions, seen)
        self._forgetting = Forgetting(code, expressions, observed, self._names, kept, shared)
        self._used, self._mixed, self._emptied, self._asked = (set[Name]() for _ in range(4))
        nodes, touched = [*nodes], [*touched]
        self._busy = {own for _, own in touched}
        self.found: list[Node] = []
        for node, own in touched:
            for part in self._amounts(node, own):
                self._used.update(self._names.reads(part, own))
                self.found += [(side, own) for side in sides(part)]
        forgets = self._forgetting
        forgetting = self._with_calls(nodes, forgets.forgets)
        emptying = [(node, own) for node, own in touched if forgets.removes(node, own)]
        removing = forgets.with_calls(
            [*nodes, *touched], [*emptying, *((node, own) for node, own in nodes if forgets.forgets(node, own))]
        )
        self._used.update(forgets.chosen_by(removing))
        for node, own in (*emptying, *forgetting, *removing):
            for part in (*taken_away(node), *self._loops(own).get(node, ())):
                self._used.update(self._names.reads(part, own))
        told = self._told((*nodes, *touched))
        drawn = [(node, own, self._gives_amounts(node, own)) for node, own in touched]
        releasing = self._with_calls([*nodes, *touched], self._uses_noise)
        self._later = not self._beside_updates().isdisjoint(own for _, own in releasing)
        self._follow(nodes, touched, drawn, told)
        self._let_run(nodes, [*touched, *forgetting], drawn)
        self._emptied -= self._memos((*nodes, *touched))
        self._let_release(releasing)
        noise = self._noise_alone((*nodes, *touched))
        self.found += [
            (node, own) for node, own in nodes if forgets.spoils(node, own, noise) or self._empties(node, own)
        ]
        for node, own in (*nodes, *touched):
            self.found += forgets.shared_sides(node, own)
        self.found += forgets.left_before(nodes, removing, releasing)
        self._add_callers(nodes)
        decided = [(node, own) for node, own in touched if not self._used.isdisjoint(self._names.gives(node, own))]
        self.found += [(side, own) for node, own in (*self.found, *decided) for side in sides(node)]

    def _gives_amounts(self, node: ast.AST, own: OwnFunction) -> set[Name]:
        """Return the names to which a statement that draws and names nothing private gives something.

        Coins that nobody has read are private as rewards are, so that names stand for how much they hold, too.
        """
        alone = self._is_noise_alone(node, own, self._is_noise)
        names = {*self._names.gives(node, own)} if alone else set()
        return {*names, *map(amount_of, names)}

    def _follow(
        self, nodes: list[Node], touched: list[Node], drawn: list[Giving], told: dict[Name, list[Node]]
    ) -> None:
        """Find what gives something to the used names, and what gives something to the names that it reads.

        What touches a private value or draws is found already; what it reads is followed, too.
        """
        left = [(node, own, given_to) for node, own in nodes if (given_to := {*self._names.gives(node, own)})]
        private, before = [(node, own, {*self._names.gives(node, own)}) for node, own in touched], -1
        while before != (before := len(self._used) + len(self._mixed)):
            self._follow_parameters(told)
            self._used.update(*map(self._names.shared_by, self._used))
            for node, own, given_to in private:
                if not self._mixed.isdisjoint(given_to):
                    self._mixed.update(self._names.private_reads(node, own))
                    self._used.update(self._names.reads(node, own))
            used = self._used | self._mixed
            deciding = [one for one in (*left, *drawn) if not used.isdisjoint(one[2])]
            self.found += [(node, own) for node, own, given_to in left if not used.isdisjoint(given_to)]
            left, drawn = ([one for one in some if used.isdisjoint(one[2])] for some in (left, drawn))
            for node, own, given_to in deciding:
                self._used.update(self._reads(node, own))
                self._asked.update(name for test in self._asks(node, own) for name in self._names.reads(test, own))
                if not self._mixed.isdisjoint(given_to):
                    self._mixed.update(self._names.private_reads(node, own))

    def _reads(self, node: ast.AST, own: OwnFunction) -> Iterator[Name]:
        """Yield the names that say what a statement gives, and how often it does so."""
        for part in (node, *self._loops(own).get(node, ())):
            yield from self._names.reads(part, own)

    def _asks(self, node: ast.AST, own: OwnFunction) -> list[ast.expr]:
        """Return the conditions under which a statement runs, unless an arm is chosen there, or they only end all."""
        tests = [] if self._chooses(node, own) else [test for test, is_end in self._tests(node, own) if not is_end]
        return [test for test in tests if not self._chooses(test, own)]

    def _tests(self, node: ast.AST, own: OwnFunction) -> Iterator[tuple[ast.expr, bool]]:
        """Yield the conditions under which a node runs, and whether they end all: every later round returns at once."""
        for test, _ in self._conditions(own).get(node, ()):
            yield test, not self._later and self._expressions.is_update(own) and test in ends(own)

    def _let_run(self, nodes: list[Node], touched: list[Node], drawn: list[Giving]) -> None:
        """Find what changes the conditions under which these run, other than to make every later round return at once.

        What such a statement reads is followed, too, but not where it chooses: which arm is played is not.
        """
        used, ended = {*self._asked}, set[Name]()
        for node, own in self._with_calls(touched, self._uses_private):
            for test, is_end in self._tests(node, own):
                (ended if is_end else used).update(self._names.reads(test, own))
        told = self._told([*nodes, *touched])
        given_to_names = [(node, own, {*self._names.gives(node, own)}) for node, own in nodes]
        before = -1
        while before != (before := len(used)):
            for name in [name for name in told if name in used]:
                for value, own in told.pop(name):
                    used.update(self._names.reads(value, own))
            for node, own, given_to in (*given_to_names, *drawn):
                if not (used.isdisjoint(given_to) or self._chooses(node, own)):
                    used.update(self._reads(node, own))
                    used.update(name for test in self._asks(node, own) for name in self._names.reads(test, own))
        self._used |= used
        for node, own, given_to in given_to_names:
            if not used.isdisjoint(given_to) or not ended.isdisjoint(given_to - {*self._names.set_true(node, own)}):
                self.found.append((node, own))

    def _let_release(self, releasing: list[Node]) -> None:
        """Take note of what lets a release happen as long as it is not there."""
        for node, own in releasing:
            for test, wanted in self._conditions(own).get(node, ()):
                for place in opened_by(test, wanted):
                    self._emptied.update(self._names.behind(place, own))

    def _memos(self, nodes: Iterable[Node]) -> set[Name]:
        """Return what is given an entry where it has none: what is taken out of it is computed again."""
        found = set[Name]()
        for node, own in nodes:
            targets = node.targets if isinstance(node, ast.Assign) else []
            held = [self._names.behind(target, own) for target in targets if isinstance(target, ast.Subscript)]
            for test, _ in self._conditions(own).get(node, ()) if held else ():
                asked = [part for one in ast.walk(test) if isinstance(one, ast.Compare) for part in one.comparators]
                found.update(name for part in asked for name in self._names.behind(part, own) if name in held[0])
        return found

    def _beside_updates(self) -> set[OwnFunction]:
        """Return the functions that a round may call otherwise than for what receives the rewards."""
        found, more = set[OwnFunction](), self._code.roots - {*self._code.updates()}
        while more:
            found |= more
            more = {called for own in more for called in self._expressions.called(own.node, own)} - found
        return found

    def _chooses(self, node: ast.AST, own: OwnFunction) -> bool:
        """Tell whether a statement takes the answer of an own function, or of one that chooses entries."""
        calls = [part for part in ast.walk(node) if isinstance(part, ast.Call) and not self._is_noise(part, own)]
        if not isinstance(node, ast.Return) and any(True for _ in self._expressions.called(node, own)):
            return True
        return any(called_name(call) in CHOOSES or any(k.arg == "key" for k in call.keywords) for call in calls)

    def _empties(self, node: ast.AST, own: OwnFunction) -> bool:
        """Tell whether a statement takes away what kept a release from happening, or what decides its noise."""
        given_to = {*self._names.gives(node, own)} - {*self._names.set_true(node, own)}
        if not self._emptied.isdisjoint(given_to):
            return isinstance(node, ast.Assign | ast.AnnAssign | ast.Delete)
        calls = [part for part in ast.walk(node) if isinstance(part, ast.Call) and method_name(part) in TAKES_AWAY]
        places = [self._names.behind(call.func.value, own) for call in calls if isinstance(call.func, ast.Attribute)]
        return any(not self._emptied.isdisjoint(place) for place in places)

    def _add_callers(self, nodes: list[Node]) -> None:
        """Find what calls functions in which something is found that gives more than their result, or sets them off."""
        busy = {own for node, own in self.found if {*self._names.gives(node, own)} - {(own, "return")}}
        more = left = [*nodes]
        while more:
            more = [(node, own) for node, own in left if not busy.isdisjoint(self._calls(node, own))]
            left = [one for one in left if one not in more]
            busy.update(own for _, own in more)
            self.found += more

    def _calls(self, node: ast.AST, own: OwnFunction) -> Iterator[OwnFunction]:
        """Yield the own functions that a statement calls, those that set an attribute included."""
        yield from self._expressions.called(node, own)
        yield from (one for one, _ in self._kept.named(node, own))
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load):
                yield from self._expressions.methods(part.attr)

    def _uses_noise(self, node: ast.AST, own: OwnFunction) -> bool:
        """Tell whether a statement draws or releases more than a coin, as for an arm."""
        calls = (part for part in ast.walk(node) if isinstance(part, ast.Call))
        return any(self._is_noise(call, own) and method_name(call) not in COINS for call in calls)

    def _uses_private(self, node: ast.AST, own: OwnFunction) -> bool:
        """Tell whether a statement names what is private, or draws or releases more than a coin."""
        return self._uses_noise(node, own) or self._mentions(node, own)

    def _with_calls(self, nodes: Iterable[Node], is_one: Callable[[ast.AST, OwnFunction], bool]) -> list[Node]:
        """Return the nodes of which something holds, and what calls functions with such nodes."""
        left = [*nodes]
        more = [(node, own) for node, own in left if is_one(node, own)]
        return self._forgetting.with_calls(left, more)

    def _mentions(self, node: ast.AST, own: OwnFunction) -> bool:
        """Tell whether a part of the code names a place that holds something private."""
        places = (part for part in ast.walk(node) if isinstance(part, ast.Name | ast.Attribute))
        return any(self._expressions.holds(place, own) for place in places)

    def _amounts(self, node: ast.AST, own: OwnFunction) -> Iterator[ast.AST]:
        """Yield what decides in a statement how much of a private value is released, and with how much noise."""
        is_private, calls = self._expressions.private, any(True for _ in self._expressions.called(node, own))
        for part in ast.walk(node):
            if isinstance(part, ast.Call) and self._is_noise(part, own):
                yield from (part.func, *arguments_of(part))
                for one in () if method_name(part) in COINS else _beside_location(part):
                    self._mixed.update(self._names.private_reads(one, own))
                    self._emptied.update(name for place in _taken_from(one) for name in self._names.behind(place, own))
            elif isinstance(part, ast.BinOp):
                both = [(one, is_private(one, own)) for one in (part.left, part.right)]
                yield from (one for one, private in both if not private and (both[0][1] or both[1][1]))
            elif isinstance(part, ast.Subscript) and isinstance(part.ctx, ast.Load):
                if is_private(part.value, own) or self._reaches(part.value, own):
                    yield part.slice
            elif isinstance(part, ast.Call) and called_name(part) not in PUBLIC_CALLS:
                parts = [(one, is_private(one, own)) for one in arguments_of(part)]
                given_to = any(private for _, private in parts)
                holder = part.func.value if isinstance(part.func, ast.Attribute) else None
                callees = self._expressions.callees(part, own)
                yield from self._says_which(part, own, callees, given_to=given_to)
                keeps = called_name(part) in HOLDS or bool(callees)
                if not keeps and (given_to or is_private(holder, own)):
                    yield from (one for one, private in parts if not private)
        if calls or isinstance(node, ast.expr) or self._uses_private(node, own):
            yield from self._loops(own).get(node, ())

    def _says_which(
        self, call: ast.Call, own: OwnFunction, callees: list[OwnFunction], *, given_to: bool
    ) -> Iterator[ast.AST]:
        """Yield what says which function is called that touches private values, and what a cache asks it for."""
        busy = [one for one in callees if one in self._busy]
        if given_to or (busy and not any(isinstance(part, ast.Subscript) for part in ast.walk(call.func))):
            self._used.update(self._names.which(call, own))
            yield from sides(call.func)
        if any(map(is_property, busy)):
            yield from arguments_of(call)
        if computes_name(call):
            yield from call.args[1:]

    def _told(self, nodes: Iterable[Node]) -> dict[Name, list[Node]]:
        """Return what the parameters of own functions are given, by all calls."""
        found = defaultdict[Name, list[Node]](list)
        for node, own in nodes:
            for call in (part for part in ast.walk(node) if isinstance(part, ast.Call)):
                for callee in self._expressions.callees(call, own):
                    for name, value in passed(call, own, callee):
                        found[callee, name].append((value, own))
        return found

    def _follow_parameters(self, told: dict[Name, list[Node]]) -> None:
        """Let what the used parameters are given be used, and so on."""
        before = -1
        while before != (before := len(self._used)):
            for name in [name for name in told if name in self._used]:
                for value, own in told.pop(name):
                    self._used.update(self._names.reads(value, own))
                    self.found += [(side, own) for side in sides(value)]

    def _noise_alone(self, nodes: Iterable[Node]) -> set[Name]:
        """Return the names and attributes that are given noise to which nothing private was added yet."""
        found = set[Name]()
        for node, own in nodes:
            for target, value in (pair for part in ast.walk(node) for pair in given(part)):
                if value is not None and self._is_noise_alone(value, own):
                    found.update(names_of(target, own))
            call = node.value if isinstance(node, ast.Expr) else None
            if isinstance(call, ast.Call) and any(self._is_noise_alone(part, own) for part in arguments_of(call)):
                found.update(name for name in self._names.gives(node, own) if amount_of(name) in self._used)
        return found

    def _is_noise_alone(
        self, value: ast.AST, own: OwnFunction, draws: Callable[[ast.Call, OwnFunction], bool] | None = None
    ) -> bool:
        """Tell whether code, or an own function that it calls, draws, and neither reads what is private."""
        parts = [(value, own), *((each.node, each) for each in self._expressions.called(value, own))]
        every = [(part, one) for node, one in parts for part in ast.walk(node)]
        draws = draws or self._expressions.draws
        if not any(isinstance(part, ast.Call) and draws(part, one) for part, one in every):
            return False
        places = [(part, one) for part, one in every if isinstance(part, ast.Name | ast.Attribute)]
        return not any(isinstance(part.ctx, ast.Load) and self._expressions.holds(part, one) for part, one in places)

    def _is_noise(self, call: ast.Call, own: OwnFunction) -> bool:
        name = method_name(call)
        return name in RELEASES or (name != "" and self._expressions.draws(call, own))


def _beside_location(call: ast.Call) -> list[ast.expr]:
    """Return what a draw or a release is given besides the value to which noise is added."""
    return [*call.args[1:], *(keyword.value for keyword in call.keywords if keyword.arg not in ("loc", "value"))]


def _taken_from(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the containers of which an expression takes entries."""
    for part in ast.walk(node):
        if isinstance(part, ast.Subscript):
            yield part.value
        elif isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr in PARTS:
            yield part.func.value
