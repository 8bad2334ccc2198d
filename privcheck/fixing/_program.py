"""A bandit's source as edits see it: the class, its methods, and places in the text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cached_property

from privcheck.fixing._source_text import Span, line_starts, with_spans

Function = ast.FunctionDef


def receiver(method: Function) -> str:
    """Return what a method calls its object.

    >>> receiver(ast.parse("def update(me, /, action): ...").body[0])
    'me'
    """
    taken = [*method.args.posonlyargs, *method.args.args]
    return taken[0].arg if taken else "self"


class NotEditableError(Exception):
    """An edit cannot be made here."""


class Program:
    """A Python text with the class of a bandit in it.

    Parameters
    ----------
    text : of the whole file.
    class_name : a class at its top level.
    newline : of the file.

    Raises
    ------
    SyntaxError : the text is no Python.
    NotEditableError : there is no such class.
    """

    def __init__(self, text: str, class_name: str, newline: str = "\n") -> None:
        self.text, self.newline, self.class_name = text, newline, class_name
        self.tree = ast.parse(text)
        found = [node for node in self.tree.body if isinstance(node, ast.ClassDef) and node.name == class_name]
        if not found:
            raise NotEditableError(f"there is no class {class_name} at the top level")
        self.cls = found[-1]
        self._starts = line_starts(text)
        self.parents: dict[ast.AST, ast.AST] = {}
        for node in ast.walk(self.tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node

    # Places in the text

    def _place(self, line: int, column: int) -> int:
        """Return the character at a line, from 1, and a column in bytes of UTF-8."""
        start = self._starts[line - 1]
        end = self._starts[line] if line < len(self._starts) else len(self.text)
        before = self.text[start:end].encode("utf-8", "surrogatepass")[:column]
        return start + len(before.decode("utf-8", "surrogatepass"))

    def start(self, node: ast.AST) -> int:
        return self._place(node.lineno, node.col_offset)  # type: ignore[attr-defined]

    def end(self, node: ast.AST) -> int:
        return self._place(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def code(self, node: ast.AST) -> str:
        """Return the text of a node."""
        return self.text[self.start(node) : self.end(node)]

    def replace(self, node: ast.AST, new: str) -> Span:
        return self.start(node), self.end(node), new

    def bracketed(self, node: ast.AST) -> str:
        """Return the text of an expression, in brackets if it has several parts."""
        simple = isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant)
        return self.code(node) if simple else f"({self.code(node)})"

    def indent(self, node: ast.AST) -> str:
        """Return what stands before a node in its line, if that is nothing but blanks; otherwise its blanks."""
        start = self._starts[node.lineno - 1]  # type: ignore[attr-defined]
        match = re.compile(r"[ \t\x0c]*").match(self.text, start)
        return match[0] if match else ""

    @cached_property
    def unit(self) -> str:
        """The blanks by which the body of a method is further in than its `def`."""
        for method in self.methods.values():
            own, inner = self.indent(method), self.indent(method.body[0])
            if method.body[0].lineno > method.lineno and inner.startswith(own) and inner != own:
                return inner[len(own) :]
        return "    "

    def stands_alone(self, node: ast.stmt) -> bool:
        """Return whether nothing else but a comment stands in the lines of a statement."""
        first = self._starts[node.lineno - 1]
        end = self.end(node)
        after = re.compile(r"[ \t\x0c]*(#[^\r\n]*)?(?=\r|\n|\Z)").match(self.text, end)
        return not self.text[first : self.start(node)].strip() and after is not None

    # Spans that put statements in

    def before(self, node: ast.stmt, statement: str) -> Span:
        """Return the span that puts a statement before another one; in a line of several, a simple one."""
        start = self.start(node)
        if self._begins_line(node):
            indent = self.indent(node)
            return start, start, statement.replace("\n", f"\n{indent}") + f"\n{indent}"
        if "\n" in statement:
            raise NotEditableError("the statement stands in a line with others")
        return start, start, f"{statement}; "

    def after(self, node: ast.stmt, statement: str) -> Span:
        """Return the span that puts a statement after another one, likewise."""
        end = self.end(node)
        if self.stands_alone(node):
            line = re.compile(r"[^\r\n]*").match(self.text, end)
            end = line.end() if line else end
            indent = self.indent(node)
            return end, end, f"\n{indent}" + statement.replace("\n", f"\n{indent}")
        if "\n" in statement or isinstance(node, ast.If | ast.For | ast.While | ast.With | ast.Try):
            raise NotEditableError("the statement stands in a line with others")
        return end, end, f"; {statement}"

    def _begins_line(self, node: ast.stmt) -> bool:
        return not self.text[self._starts[node.lineno - 1] : self.start(node)].strip()

    def at_head(self, method: Function, statement: str) -> Span:
        """Return the span that puts a statement at the head of a method, after its docstring."""
        first = method.body[0]
        if ast.get_docstring(method, clean=False) is not None:
            return self.after(first, statement)
        if self._begins_line(first):
            return self.before(first, statement)
        if "\n" in statement:
            raise NotEditableError("the method is written in one line")
        return self.before(first, statement)

    def new_method(self, code: str) -> Span:
        """Return the span that adds a method to the end of the class; its lines are indented by this function."""
        last = self.cls.body[-1]
        if not self._begins_line(self.cls.body[0]):
            raise NotEditableError("the class is written in one line")
        end = self.end(last)
        line = re.compile(r"[^\r\n]*").match(self.text, end)
        end = line.end() if line else end
        indent = self.indent(self.cls.body[0])
        lines = [indent + re.sub("^(    )+", lambda m: self.unit * (len(m[0]) // 4), each) for each in code.split("\n")]
        return end, end, "\n\n" + "\n".join(line.rstrip() for line in lines)

    def imported(self, module: str) -> list[Span]:
        """Return the spans that import a module, if the file does not."""
        for node in self.tree.body:
            if isinstance(node, ast.Import) and any(name.name == module and not name.asname for name in node.names):
                return []
        body = self.tree.body
        imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
        if imports:
            return [self.after(imports[-1], f"import {module}")]
        if ast.get_docstring(self.tree, clean=False) is not None:
            span = self.after(body[0], f"\nimport {module}")
            return [span]
        return [self.before(body[0], f"import {module}\n")]

    def applied(self, spans: list[Span]) -> str:
        """Return the text with these pieces replaced, if it is Python then.

        Raises
        ------
        NotEditableError : it is none, or pieces overlap.
        """
        try:
            text = with_spans(self.text, spans, self.newline)
            if slots := self._new_slots(ast.parse(text)):
                text = with_spans(self.text, [*spans, *slots], self.newline)
        except (SyntaxError, ValueError) as error:
            raise NotEditableError(str(error)) from None
        return text

    def _new_slots(self, edited: ast.Module) -> list[Span]:
        """Return the spans that add to the class's `__slots__`, if it has any, what only an edited text sets."""
        cls = [node for node in edited.body if isinstance(node, ast.ClassDef) and node.name == self.class_name][-1]
        nodes = [node for node in ast.walk(cls) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)]
        new = "".join(f', "{name}"' for name in sorted({node.attr for node in nodes} - self.attributes))
        for node in (each for each in self.cls.body if isinstance(each, ast.Assign)):
            slots = node.value.elts if isinstance(node.value, ast.Tuple | ast.List) else []
            if new and slots and "__slots__" in [getattr(target, "id", "") for target in node.targets]:
                place = self.end(slots[-1])
                return [(place, place, new)]
        return []

    # The class

    @cached_property
    def methods(self) -> dict[str, Function]:
        """The methods that the class itself defines."""
        return {node.name: node for node in self.cls.body if isinstance(node, ast.FunctionDef)}

    @cached_property
    def line_of_classes(self) -> list[ast.ClassDef]:
        """The class, and those of its bases that the file defines, from the class upwards."""
        own = {node.name: node for node in self.tree.body if isinstance(node, ast.ClassDef)}
        found, waiting = [], [self.cls]
        while waiting:
            current = waiting.pop(0)
            if current not in found:
                found.append(current)
                waiting += [own[base.id] for base in current.bases if isinstance(base, ast.Name) and base.id in own]
        return found

    def inherited(self, name: str, *, above: bool = False) -> Function | None:
        """Return the method that an object of the class has, if the file defines it; if `above`, that of a base."""
        for each in self.line_of_classes[above:]:
            for node in reversed(each.body):  # of two the later one
                if isinstance(node, ast.FunctionDef) and node.name == name:
                    return node
        return None

    def is_assigned(self, name: str) -> bool:
        """Return whether a class gives a name a value otherwise than by a plain definition, as in `update = learn`."""
        for each in self.line_of_classes:
            inner = [node for node in each.body if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
            for node in (part for statement in inner for part in ast.walk(statement)):
                if isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load):
                    return True
                if isinstance(node, ast.FunctionDef) and node.name == name:
                    return True
        return False

    @cached_property
    def derived(self) -> list[ast.ClassDef]:
        """The classes that the file derives from the class, which use its names with their own."""
        found = [self.cls]
        for node in self.tree.body:  # a class stands below its bases
            own = {each.name for each in found}
            if isinstance(node, ast.ClassDef) and own & {ast.unparse(base) for base in node.bases}:
                found.append(node)
        return found[1:]

    @cached_property
    def attributes(self) -> set[str]:
        """The names of attributes and methods in the class and in those of its bases that the file defines."""
        nodes = [node for each in self.line_of_classes for node in ast.walk(each)]
        found = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        fields = [node.target for node in nodes if isinstance(node, ast.AnnAssign)]
        found |= {field.id for field in fields if isinstance(field, ast.Name)}
        return found | {node.name for node in nodes if isinstance(node, ast.FunctionDef)}

    @cached_property
    def taken(self) -> set[str]:
        """Every name that these classes, and those that are derived from the class, use for whatever."""
        nodes = [node for each in (*self.line_of_classes, *self.derived) for node in ast.walk(each)]
        found = {node.id for node in nodes if isinstance(node, ast.Name)}
        found |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        found |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        return self.attributes | found | {node.arg for node in nodes if isinstance(node, ast.arg)}

    def free(self, name: str) -> str:
        """Return the name, or the first of it with a number, that these classes do not use."""
        number, found = 2, name
        while found in self.taken:
            number, found = number + 1, f"{name}_{number}"
        return found

    @cached_property
    def is_fragile(self) -> bool:
        """Whether the class draws from laws whose parameters are counts: other numbers would stop it, now or later."""
        laws = ("beta", "betavariate", "gamma", "gammavariate", "binomial", "dirichlet")
        nodes = [node for each in self.line_of_classes for node in ast.walk(each)]
        return any(isinstance(node, ast.Attribute) and node.attr in laws for node in nodes)

    @property
    def is_plain_update(self) -> bool:
        """Whether `update` takes the action and the reward alone, and returns nothing."""
        update = self.inherited("update")
        if update is None:
            return True
        own = update.args
        more = own.kwonlyargs or own.kwarg or own.vararg or own.defaults
        return not more and not any(isinstance(node, ast.Return) and node.value for node in ast.walk(update))

    @property
    def is_built_here(self) -> bool:
        """Whether the file itself builds the class, or derives another one from it, which builds it in its own way."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call):
                name = ast.unparse(node.func)
                if name in (self.class_name, "cls", "type(self)", "self.__class__", f"{self.class_name}.__init__"):
                    return True
            if isinstance(node, ast.ClassDef) and self.class_name in map(ast.unparse, node.bases):
                return True
        return False

    def told(self) -> tuple[str, str, str]:
        """Return what `update` calls the policy, the action and the reward."""
        update = self.inherited("update")
        names = ["self", "action", "reward"]
        if update is not None:
            given = [argument.arg for argument in (*update.args.posonlyargs, *update.args.args)]
            if len(given) != 3 or update.args.vararg or self.is_assigned("update"):
                raise NotEditableError("update() does not take an action and a reward")
            names = given
        return names[0], names[1], names[2]

    # Statements

    def statement_of(self, node: ast.AST) -> ast.stmt:
        """Return the innermost statement that a node is in, or is."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def statements(self) -> Iterator[tuple[Function, ast.stmt]]:
        """Yield the statements of the class's methods, each with its method, nested ones too."""
        for method in self.methods.values():
            for node in ast.walk(method):
                if isinstance(node, ast.stmt) and node is not method:
                    yield method, node

    def at_line(self, line: int) -> tuple[Function, ast.stmt] | None:
        """Return the innermost statement of the class that a line is in, with its method; None if there is none."""
        found = [(method, node) for method, node in self.statements() if node.lineno <= line <= (node.end_lineno or 0)]
        return min(found, key=lambda pair: (pair[1].end_lineno or 0) - pair[1].lineno, default=None)

    def all_at_line(self, line: int) -> list[tuple[Function, ast.stmt]]:
        """Return the innermost statements that a line is in: several if they stand in one line."""
        found = [(m, node) for m, node in self.statements() if node.lineno <= line <= (node.end_lineno or 0)]
        inner = {self.parents.get(node) for _, node in found}
        return [(m, node) for m, node in found if node not in inner] or found[:1]
