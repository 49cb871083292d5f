"""Statements: the blocks of `if`, `while`, `for` and `try` become functions that operators run or record."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from . import build, plain_loops
from .comprehensions import is_new
from .functions import FunctionConverter
from .generated import nothing
from .unsupported import unsupported


class StatementConverter(FunctionConverter):
    """Converts single statements; how blocks follow each other is in `blocks.py`."""

    def statement(self, node: ast.stmt) -> None:
        """Convert a statement that control leaves at its end only, or by a jump that it is itself."""
        if isinstance(node, (ast.If, ast.While, ast.For, ast.Try, ast.With)):
            self.emit(build.statement(self.compound(node)))
            return
        converter = _CONVERTERS.get(type(node))
        if converter is None:
            self.emit(node)
        else:
            converter(self, node)

    def compound(self, node: ast.stmt) -> ast.expr:
        """The call that runs a compound statement; its value is the exit."""
        converted: ast.expr = _COMPOUND[type(node)](self, node)
        return converted

    def function_of(
        self, hint: str, block: Sequence[ast.stmt], where: ast.AST, comment: str = ""
    ) -> ast.expr:
        """The name of a function of a block, None for an empty one."""
        if not block:
            return nothing(where)
        with self.generated() as body:
            self.block(block)
        return self.define(hint, body, where, comment=comment)

    # Compound statements

    def if_(self, node: ast.If) -> ast.expr:
        """`if`."""
        return self.branch(node.test, node.body, node.orelse, [node])

    def branch(
        self,
        test: ast.expr,
        then: Sequence[ast.stmt],
        otherwise: Sequence[ast.stmt],
        covered: Sequence[ast.stmt],
    ) -> ast.expr:
        """`weft_.if_(test, then, otherwise)`; `covered` are the user's statements that it stands for."""
        condition = self.test(test)
        source = ast.unparse(test) if _is_short(test) else "..."
        functions = [
            self.function_of("then", then, test, f"if {source}:"),
            self.function_of("else", otherwise, test, f"if {source}: ... else:"),
        ]
        return build.call("if_", [condition, *functions], test, self.dead_keyword(covered, test))

    def while_(self, node: ast.While) -> ast.expr:
        """`while`."""
        test = self.thunk(lambda: self.test(node.test), node.test, "test")
        body = self.function_of("body", node.body, node.test, "while:")
        orelse = self.function_of("else", node.orelse, node.test, "while: ... else:")
        return build.call("while_", [test, body, orelse], node.test, self._loop_keywords(node, node.test))

    def for_(self, node: ast.For) -> ast.expr:
        """`for`."""
        self.note_loop(node)
        iterable = self.expr(node.iter)
        if not is_new(node.iter):
            iterable = build.call("walked", [iterable], node.iter)
        item = self.names.fresh("item")
        with self.generated() as inner:
            self.note_targets(node.target)
            where: Any = node.target
            self.assign_to(node.target, build.load(item, node.target), where)
            self.block(node.body)
        comment = f"for {ast.unparse(node.target)}:" if _is_short(node.target) else "for:"
        body = self.define("body", inner, node.target, [item], comment)
        orelse = self.function_of("else", node.orelse, node.iter, "for: ... else:")
        keywords = self._loop_keywords(node, node.iter)
        if not self.exits.jumps_of(node.body).isdisjoint({"break", "return"}):
            keywords.append(build.keyword("leaves", True, node.iter))
        return build.call("for_", [iterable, body, orelse], node.iter, keywords)

    def _loop_keywords(self, node: ast.For | ast.While, where: ast.expr) -> list[ast.keyword]:
        """`dead="names", plain=function`, where there are any."""
        keywords = self.dead_keyword([node], where)
        if not plain_loops.is_plain(self, node):
            return keywords
        ticks = self.names.fresh("ticks")
        with self.generated() as body:
            body.bound.update(self.uses.of(node).stores)
            self.emit(*plain_loops.ticking(node, ticks))
        function = self.define("plain", body, where, [ticks], is_hidden=True)
        return [*keywords, ast.keyword("plain", function, **build.place(where))]

    def try_(self, node: ast.Try) -> ast.expr:
        """`try`."""
        where = build.start_of(node, len("try"))
        body = self.function_of("body", node.body, where, "try:")
        handlers = [self._handler(handler) for handler in node.handlers]
        orelse = self.function_of("else", node.orelse, where, "try: ... else:")
        final = self.function_of("finally", node.finalbody, where, "finally:")
        arguments = [body, build.tuple_of(handlers, where), orelse, final]
        return build.call("try_", arguments, where, self.dead_keyword([node], where))

    def _handler(self, node: ast.ExceptHandler) -> ast.expr:
        where = node.type or node.body[0]
        types = self.thunk_of(node.type, "types") if node.type is not None else nothing(where)
        name = node.name
        parameters = [] if name is None else [self.names.fresh("error")]
        with self.generated() as inner:
            if name is None:
                self.block(node.body)
            else:
                self._bound_while(name, parameters[0], node)
        comment = f"except {ast.unparse(node.type)}:" if node.type is not None else "except:"
        function = self.define("handler", inner, where, parameters, comment)
        shown = None if name is None else self.context.mangled(name)
        return build.tuple_of([types, build.constant(shown, where), function], where)

    def _bound_while(self, name: str, error: str, node: ast.ExceptHandler) -> None:
        """The block of a handler; the name of the exception is unbound however it ends, as Python does it."""
        where = node.type or node.body[0]
        self.body.bound.add(name)
        self.emit(build.assign(name, build.load(error, where), where))
        with self.collected() as block:
            self.block(node.body)
        unbind: list[ast.stmt] = [
            build.assign(name, nothing(where), where),
            ast.Delete([ast.Name(name, ast.Del(), **build.place(where))], **build.place(where)),
        ]
        self.emit(ast.Try(block or [ast.Pass(**build.place(where))], [], [], unbind, **build.place(where)))

    def with_(self, node: ast.With) -> ast.expr:
        """`with`, of one context manager."""
        (item,) = node.items
        where = item.context_expr
        manager = self.expr(where)
        entered = self.names.fresh("entered")
        with self.generated() as inner:
            if item.optional_vars is not None:
                target: Any = item.optional_vars
                self.note_targets(target)
                self.assign_to(target, build.load(entered, target), target)
            self.block(node.body)
        body = self.define(
            "body", inner, where, [entered], f"with {ast.unparse(item)}:" if _is_short(where) else "with:"
        )
        return build.call("with_", [manager, body], where, self.dead_keyword([node], where))

    def match(self, node: ast.Match) -> None:
        """What is left of `match`: the structure of a value, which is known while tracing."""
        cases = []
        for case in node.cases:
            self.body.bound.update(self.uses.of(case.pattern).stores)
            with self.collected() as inner:
                self.block(case.body)
            cases.append(ast.match_case(case.pattern, case.guard, inner))
        self.emit(build.copied(node, cases=cases))

    # Simple statements

    def expression(self, node: ast.Expr) -> None:
        """An expression as a statement."""
        value = self.expr(node.value)
        self.emit(build.copied(node, value=value))

    def assertion(self, node: ast.Assert) -> None:
        """`assert`, which -O drops."""
        if not __debug__:
            return
        message = nothing(node) if node.msg is None else self.thunk_of(node.msg, "message")
        self.emit(build.statement(build.call("assert_", [self.test(node.test), message], node)))

    def raise_(self, node: ast.Raise) -> None:
        """`raise`; without an exception it raises the one that is handled."""
        error = nothing(node) if node.exc is None else self.thunk_of(node.exc, "error")
        cause = nothing(node) if node.cause is None else self.thunk_of(node.cause, "cause")
        self.emit(build.statement(build.call("raise_", [error, cause], node)))

    def import_(self, node: ast.Import | ast.ImportFrom) -> None:
        """Imports bind names."""
        self.body.bound.update(self.uses.of(node).stores)
        self.emit(node)

    def declaration(self, node: ast.Global | ast.Nonlocal) -> None:
        """`global` and `nonlocal` are written again, at the top of each function that needs them."""

    def type_alias(self, node: Any) -> None:
        """`type X = ...`."""
        self.note_targets(node.name)
        self.emit(node)

    def refused_statement(self, node: ast.stmt) -> None:
        """Syntax that has no conversion."""
        what, instead = _REFUSED[type(node).__name__]
        raise unsupported(self.context, node, what, instead)


def _is_short(node: ast.expr) -> bool:
    """Whether an expression fits on a line, to be shown in a comment."""
    one_line = getattr(node, "lineno", 0) == getattr(node, "end_lineno", 1)
    return one_line and (node.end_col_offset or 0) - node.col_offset <= 60


_REFUSED = {
    "TryStar": ("except*", "catch the exception group with except, and look at its exceptions"),
    "AsyncFor": ("async for", "call the function from asynchronous code"),
    "AsyncWith": ("async with", "call the function from asynchronous code"),
}

_COMPOUND: dict[type[ast.stmt], Callable[[Any, Any], ast.expr]] = {
    ast.If: StatementConverter.if_,
    ast.While: StatementConverter.while_,
    ast.For: StatementConverter.for_,
    ast.Try: StatementConverter.try_,
    ast.With: StatementConverter.with_,
}

_CONVERTERS: dict[type[ast.stmt], Callable[[Any, Any], None]] = {
    ast.Assign: StatementConverter.assign,
    ast.AnnAssign: StatementConverter.ann_assign,
    ast.AugAssign: StatementConverter.aug_assign,
    ast.Delete: StatementConverter.delete,
    ast.FunctionDef: StatementConverter.function_def,
    ast.AsyncFunctionDef: StatementConverter.async_def,
    ast.ClassDef: StatementConverter.class_def,
    ast.Match: StatementConverter.match,
    ast.Expr: StatementConverter.expression,
    ast.Assert: StatementConverter.assertion,
    ast.Raise: StatementConverter.raise_,
    ast.Import: StatementConverter.import_,
    ast.ImportFrom: StatementConverter.import_,
    ast.Global: StatementConverter.declaration,
    ast.Nonlocal: StatementConverter.declaration,
    **{getattr(ast, name): StatementConverter.refused_statement for name in _REFUSED if hasattr(ast, name)},
}
if hasattr(ast, "TypeAlias"):
    _CONVERTERS[ast.TypeAlias] = StatementConverter.type_alias
