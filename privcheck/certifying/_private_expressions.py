"""Which expressions of a target's own code hold private values or Generators, by syntax alone."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence

from privcheck.certifying._later_rounds.called_functions import CalledFunctions
from privcheck.certifying._observed_values import ObservedValues
from privcheck.certifying._own_code import OwnCode, OwnFunction
from privcheck.certifying._reached_code import with_inner
from privcheck.certifying._syntax import (
    CONSTRUCTORS,
    CONTAINERS,
    PUBLIC_ATTRIBUTES,
    PUBLIC_CALLS,
    REACHES_NAMES,
    RELEASES,
    SETTERS,
    Holding,
    Name,
    arguments_of,
    asks_super,
    called_name,
    computes_name,
    given,
    is_global,
    is_global_name,
    is_namespace,
    mentioned,
    method_name,
    named,
    names_of,
    parameters_of,
    passed,
)


class PrivateExpressions(CalledFunctions):
    """Private values and Generators, followed from the arguments of `update` and from what was seen when the code ran.

    What a line that never ran can read is what the names and attributes around it hold. Those were looked at while the
    code around it ran, so it does not matter by which calls, aliases or containers a value came there; syntax has to
    follow it only within what never ran, where one line that touches it is enough, and between two lines.

    Names and attributes keep what they have ever been given: attributes and globals by their name, whatever the object.
    A call of an unknown function is private if one of its arguments is, and the object whose method is given something
    private holds it from then on. A function that may be called by another name than its own, or by Python, is taken
    to be given private arguments. What a release returns is public. Of a Generator only other names are followed, not
    the numbers that are drawn.

    Parameters
    ----------
    code : the target's own code.
    private_arguments : positions of the private arguments of `update`, from 0.
    seen : what held private values when the code ran.
    ran : nodes of statements that have run. If noise is in what such a statement gives to a name, what was seen there
        says whether it released it: by syntax `float(total + noise)` is private.

    Attributes
    ----------
    told : these positions.
    escaped : functions that are mentioned somewhere without being called there.
    """

    def __init__(
        self,
        code: OwnCode,
        private_arguments: Sequence[int],
        seen: ObservedValues,
        ran: Collection[ast.AST] = frozenset(),
    ) -> None:
        super().__init__(code)
        self._seen, self._ran, self._noise = seen, ran, set[Name]()
        self.told = tuple(private_arguments)
        self._attributes = set(seen.attributes)
        self._any_attribute = self._raises_private = False
        self._generators = code.generators | seen.generator_attributes
        self.escaped = {found for own in code.functions for found in mentioned(own, code)}
        self._holding = {own: self._seen_in(own) for own in code.functions}
        for own in code.updates():
            self._told(own, private_arguments)
        amount = -1
        while amount != (amount := self._amount()):
            for own in code.functions:
                self._visit(own)
                self._call_unseen(own)

    def _seen_in(self, own: OwnFunction) -> Holding:
        """Return what was seen in a function; what a function within it that never ran would be given is not known."""
        code, seen = own.function.__code__, self._seen
        given = {name for inner in with_inner(code) if inner not in (code, *seen.ran) for name in parameters_of(inner)}
        private, generators = seen.names.get(code, set()), seen.generators.get(code, set())
        return Holding(private | given, generators | given, returns_private=code in seen.returning)

    def touches(self, node: ast.AST, own: OwnFunction) -> bool:
        """Tell whether an expression mentions a private value, makes a release, or draws from a Generator.

        It may also reach a private value by a name that it does not spell out, by code that is not known, or by handing
        the object that holds it to such code.
        """
        reaches = isinstance(node, ast.Import | ast.ImportFrom) and bool(self._attributes)
        for part in ast.walk(node):
            if isinstance(part, ast.Name | ast.Attribute):
                name = part.id if isinstance(part, ast.Name) else part.attr
                reaches = reaches or (isinstance(part.ctx, ast.Load) and self.private(part, own))
                reaches = reaches or (name in REACHES_NAMES and bool(self._attributes))
                reaches = reaches or (not isinstance(part.ctx, ast.Load) and self._is_own_nature(part, own))
            elif isinstance(part, ast.Constant):
                reaches = reaches or (isinstance(part.value, str) and part.value in self._attributes)
            elif isinstance(part, ast.Call):
                reaches = reaches or method_name(part) in RELEASES or self.draws(part, own)
                reaches = reaches or (computes_name(part) and bool(self._attributes))
        return reaches or self._hands_over(node, own)

    def _is_own_nature(self, place: ast.AST, own: OwnFunction) -> bool:
        """Tell whether a place is the class of an object, or a part of a Generator."""
        held = isinstance(place, ast.Attribute) and self._generator(place.value, own)
        return held or getattr(place, "attr", None) in ("__class__", "__bases__")

    def _hands_over(self, node: ast.AST, own: OwnFunction) -> bool:
        """Tell whether an expression does more with an object whose attributes hold something private than to name
        one of them, to call an own function with it, or to ask for its identity.
        """
        if not self._attributes:
            return False
        harmless, unknown = set[int](), set[int]()
        for part in ast.walk(node):
            if isinstance(part, ast.Call) and (self.callees(part, own) or called_name(part) in PUBLIC_CALLS):
                harmless.update(id(_unstarred(argument)) for argument in arguments_of(part))
            elif isinstance(part, ast.Call):
                unknown.add(id(part.func))
            elif isinstance(part, ast.Compare) and all(isinstance(o, ast.Is | ast.IsNot) for o in part.ops):
                harmless.update(map(id, (part.left, *part.comparators)))
            elif isinstance(part, ast.Attribute) and id(part) not in unknown:
                harmless.add(id(part.value))
        return any(id(part) not in harmless and self._is_holder(part, own) for part in ast.walk(node))

    def _is_holder(self, node: ast.AST, own: OwnFunction) -> bool:
        """Tell whether an expression is an object of which an attribute holds something private."""
        if isinstance(node, ast.Attribute):
            return isinstance(node.ctx, ast.Load) and node.attr in self._seen.holding
        if asks_super(node):
            return True
        is_receiver = isinstance(node, ast.Name) and node.id == own.receiver and own.name not in CONSTRUCTORS
        return isinstance(node, ast.Name) and (
            is_receiver or node.id in self._seen.holders.get(own.function.__code__, ())
        )

    def private(self, node: ast.AST | None, own: OwnFunction) -> bool:
        """Tell whether an expression may be private."""
        if node is None or isinstance(node, ast.Constant):
            return False
        if is_namespace(node) and self._attributes:
            return True
        if isinstance(node, ast.Name):
            held = node.id in self._holding[own].private or (
                is_global_name(node.id, own) and node.id in self._attributes
            )
            return held or (node.id == own.receiver and issubclass(own.owner or object, CONTAINERS))
        if isinstance(node, ast.Attribute):
            if self._any_attribute or node.attr in self._attributes:
                return True
            getters = [f for f in self._code.methods(node.attr) if self._holding[f].returns_private]
            return node.attr not in PUBLIC_ATTRIBUTES and (bool(getters) or self.private(node.value, own))
        if isinstance(node, ast.Call):
            return self._result_is_private(node, own)
        if isinstance(node, ast.Compare) and all(isinstance(o, ast.Is | ast.IsNot) for o in node.ops):
            return False
        return any(self.private(child, own) for child in ast.iter_child_nodes(node))

    def _result_is_private(self, call: ast.Call, own: OwnFunction) -> bool:
        if isinstance(call.func, ast.Name) and call.func.id in PUBLIC_CALLS:
            return False
        callees = self.callees(call, own)
        if callees and not any(f.name == "__init__" for f in callees) and not self.is_plain(call.func):
            return any(self._holding[f].returns_private for f in callees)
        if method_name(call) in RELEASES:
            return False
        return self.private(call.func, own) or any(self.private(part, own) for part in arguments_of(call))

    def draws(self, call: ast.Call, own: OwnFunction) -> bool:
        """Tell whether a call is given a Generator, or is a method of one; own functions are looked into instead."""
        if self.callees(call, own):
            return False
        holder = call.func.value if isinstance(call.func, ast.Attribute) else None
        return any(self._generator(part, own) for part in (holder, *arguments_of(call)))

    def _generator(self, node: ast.AST | None, own: OwnFunction) -> bool:
        """Tell whether an expression may be a Generator or an object that holds one."""
        if isinstance(node, ast.Name):
            return node.id in self._holding[own].generators
        if isinstance(node, ast.Attribute):
            return node.attr in self._generators or (node.attr == "bit_generator" and self._generator(node.value, own))
        if isinstance(node, ast.Subscript | ast.Starred | ast.Await | ast.NamedExpr):
            return self._generator(node.value, own)
        if isinstance(node, ast.IfExp):
            return self._generator(node.body, own) or self._generator(node.orelse, own)
        if isinstance(node, ast.BoolOp):
            return any(self._generator(value, own) for value in node.values)
        if isinstance(node, ast.Call):
            return any(self._holding[f].returns_generator for f in self.callees(node, own))
        return False

    def _told(self, own: OwnFunction, positions: Iterable[int]) -> None:
        names = own.told
        held = self._holding[own].private
        held.update(names[place] for place in positions if place < len(names))
        rest = own.node.args.vararg
        if rest is not None and any(place >= len(names) for place in positions):
            held.add(rest.arg)
        held.update(a.arg for a in own.node.args.kwonlyargs)

    def _amount(self) -> int:
        flags = self._any_attribute + self._raises_private
        return sum(h.amount for h in self._holding.values()) + len(self._attributes) + len(self._noise) + flags

    def _visit(self, own: OwnFunction) -> None:
        """Let names hold what the statements of a function give them."""
        held = self._holding[own]
        if isinstance(own.node, ast.Lambda):
            held.returns_private |= self.private(own.node.body, own)
        for node in ast.walk(own.node):
            for target, value in given(node):
                if self._has_noise(value, own):
                    self._noise.update(names_of(target, own))
                if not self._was_seen(node, value, own):
                    self._bind(target, value, own, in_place=isinstance(node, ast.AugAssign))
            if isinstance(node, ast.Call):
                self._visit_call(node, own, discarded=False)
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
                self._visit_call(node.value, own, discarded=True)
            elif isinstance(node, ast.Return | ast.Yield | ast.YieldFrom):
                self._give_back(node, own)
            elif isinstance(node, ast.Raise):
                self._raises_private |= self.private(node.exc, own)
            elif isinstance(node, ast.ExceptHandler) and node.name and self._raises_private:
                held.private.add(node.name)
            elif isinstance(node, ast.Match) and self.private(node.subject, own):
                names = (getattr(part, "name", None) for case in node.cases for part in ast.walk(case.pattern))
                held.private.update(name for name in names if name)

    def _give_back(self, node: ast.Return | ast.Yield | ast.YieldFrom, own: OwnFunction) -> None:
        """Let a function return what a statement of it does."""
        held = self._holding[own]
        if self._has_noise(node.value, own):
            self._noise.add((own, "return"))
        held.returns_private |= self.private(node.value, own) and not self._was_seen(node, node.value, own)
        held.returns_generator |= self._generator(node.value, own)

    def _was_seen(self, node: ast.AST, value: ast.AST | None, own: OwnFunction) -> bool:
        """Tell whether what a statement gives was looked at where it was given, and has noise in it."""
        return node in self._ran and self._has_noise(value, own)

    def _has_noise(self, value: ast.AST | None, own: OwnFunction) -> bool:
        """Tell whether an expression draws, or names what was given a draw."""
        for part in ast.walk(value) if value is not None and self._ran else ():
            if isinstance(part, ast.Call):
                if self.draws(part, own) or any((one, "return") in self._noise for one in self.callees(part, own)):
                    return True
            elif isinstance(part, ast.Name | ast.Attribute) and not self._noise.isdisjoint(names_of(part, own)):
                return True
        return False

    def _bind(self, target: ast.AST, value: ast.AST | None, own: OwnFunction, *, in_place: bool = False) -> None:
        lists = ast.Tuple | ast.List
        if isinstance(target, lists) and isinstance(value, lists) and len(target.elts) == len(value.elts):
            for one, two in zip(target.elts, value.elts, strict=True):
                self._bind(one, two, own)
            return
        if self.private(value, own):
            (self._fill if in_place else self._hold)(target, own)
        if isinstance(target, ast.Name) and target.id in self._holding[own].filled:
            self._fill(value, own)
        if self._generator(value, own):
            if isinstance(target, ast.Name):
                self._holding[own].generators.add(target.id)
            elif isinstance(target, ast.Attribute):
                self._generators.add(target.attr)

    def _hold(self, target: ast.AST | None, own: OwnFunction) -> None:
        """Let a place hold something private: of `a.b[i]` it is the attribute b."""
        if isinstance(target, ast.Name):
            is_global = is_global_name(target.id, own)
            (self._attributes if is_global else self._holding[own].private).add(target.id)
        elif isinstance(target, ast.Attribute):
            self._attributes.add(target.attr)
        elif isinstance(target, ast.Subscript | ast.Starred):
            if isinstance(target, ast.Subscript) and is_namespace(target.value):
                self._name_attribute(target.slice)
            self._fill(target.value, own)
        elif isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                self._hold(part, own)

    def _fill(self, place: ast.AST | None, own: OwnFunction) -> None:
        """Let an object hold something private: whatever else it is called holds it too."""
        if isinstance(place, ast.Name) and place.id == own.receiver:
            return  # the policy itself: what it holds is known by attribute
        if isinstance(place, ast.Name) and place.id in own.function.__code__.co_varnames:
            self._holding[own].filled.add(place.id)
        if isinstance(place, ast.Name | ast.Attribute | ast.Subscript | ast.Starred | ast.Tuple | ast.List):
            self._hold(place, own)

    def _name_attribute(self, name: ast.AST) -> None:
        """Let the attribute of this name hold something private: any attribute if the name is not spelled out."""
        if isinstance(name, ast.Constant):
            self._attributes.add(str(name.value))
        else:
            self._any_attribute = True

    def _visit_call(self, call: ast.Call, own: OwnFunction, *, discarded: bool) -> None:
        callees = self.callees(call, own)
        for callee in callees:
            self._pass(call, own, callee)
        given_to = [part for part in arguments_of(call) if not self._was_seen(call, part, own)]
        private = [part for part in given_to if self.private(part, own)]
        if private:
            self._construct(call, own)
        if (callees and not self.is_plain(call.func)) or not private or method_name(call) in RELEASES:
            return
        for part in arguments_of(call):
            for callee in named(part, own, self._code):
                self._hold_parameters(callee)
        if isinstance(call.func, ast.Attribute) and not is_global(call.func.value, own):
            self._fill(call.func.value, own)
        for part in call.args if discarded else ():
            self._fill(part, own)
        self._set_attributes(call, own)

    def _set_attributes(self, call: ast.Call, own: OwnFunction) -> None:
        """Let attributes hold what an unknown function may give them: `setattr`, `vars(x).update(...)`, `replace`."""
        if called_name(call) in SETTERS and len(call.args) >= 2 and self.private(call.args[-1], own):
            self._name_attribute(call.args[-2])
        for keyword in call.keywords:
            if keyword.arg == "out":
                self._fill(keyword.value, own)
            elif keyword.arg is not None and self.private(keyword.value, own):
                self._attributes.add(keyword.arg)

    def _construct(self, call: ast.Call, own: OwnFunction) -> None:
        """Let the fields hold what the constructor of a dataclass or a named tuple is given."""
        for fields in {tuple(getattr(cls, "__match_args__", ())) for cls in self._constructed(call.func, own)}:
            for place, part in enumerate(call.args):
                if self.private(part, own):
                    self._attributes.update(fields if isinstance(part, ast.Starred) else fields[place : place + 1])
            for keyword in call.keywords:
                if fields and self.private(keyword.value, own):
                    self._attributes.update(fields if keyword.arg is None else [keyword.arg])

    def _constructed(self, function: ast.expr, own: OwnFunction) -> Iterable[object]:
        """Return of which classes a call may make an object: any, if it does not name what it calls."""
        if isinstance(function, ast.Attribute):
            holder = own.value(function.value.id) if isinstance(function.value, ast.Name) else None
            return [getattr(holder, function.attr, None), *self._code.unnamed]
        named = own.value(function.id) if isinstance(function, ast.Name) else None
        return self._code.classes if named is None else [named]

    def _call_unseen(self, own: OwnFunction) -> None:
        """Let a function hold private arguments if it may be called by a name that is not its own, or by Python."""
        is_special = own.name.startswith("__") and own.name.endswith("__") and own.name not in CONSTRUCTORS
        is_setter = any(getattr(part, "attr", "") == "setter" for part in getattr(own.node, "decorator_list", ()))
        if own in self.escaped or is_special or is_setter or self._code.is_called_unseen(own):
            self._hold_parameters(own)

    def _hold_parameters(self, own: OwnFunction) -> None:
        rest = [part.arg for part in (own.node.args.vararg, own.node.args.kwarg) if part is not None]
        self._holding[own].private.update(own.told, rest, (part.arg for part in own.node.args.kwonlyargs))

    def _pass(self, call: ast.Call, own: OwnFunction, callee: OwnFunction) -> None:
        """Let the parameters of a function hold the arguments of a call."""
        held = self._holding[callee]
        began = callee.function.__code__ in self._seen.ran
        for name, value in passed(call, own, callee):
            if self.private(value, own) and not (began and self._was_seen(call, value, own)):
                held.private.add(name)
            if self._generator(value, own):
                held.generators.add(name)
            if name in held.filled:
                self._fill(value, own)

    def holds(self, place: ast.Name | ast.Attribute, own: OwnFunction) -> bool:
        """Tell whether a name, or an attribute of whatever object, may hold something private."""
        if isinstance(place, ast.Attribute):
            return self._any_attribute or place.attr in self._attributes
        is_held = is_global_name(place.id, own) and place.id in self._attributes
        return is_held or place.id in self._holding[own].private


def _unstarred(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.Starred) else node
