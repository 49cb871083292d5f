"""Functions of the user's: nested definitions and lambdas are converted in place, so that they share variables."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections.abc import Sequence

from . import build
from .assignment_statements import AssignmentConverter
from .definite_assignment import names_read_by_class
from .desugar import desugared
from .expressions import _CONVERTERS
from .unsupported import unsupported
from .uses import Scope, scope_of


class FunctionConverter(AssignmentConverter):
    """Converts function definitions and lambdas."""

    @abstractmethod
    def block(self, statements: Sequence[ast.stmt]) -> None:
        """Convert statements at the end of the present function."""

    def function_def(self, node: ast.FunctionDef) -> None:
        """A nested definition; generator functions and what they hold stay as they are."""
        self.body.bound.add(node.name)
        self.emit(self.converted_function(node))

    def class_def(self, node: ast.ClassDef) -> None:
        """A nested class stays as it is; its methods are converted when they are called."""
        self.body.bound.add(node.name)
        self.names.unsure |= self.facts.at_times
        for name, _ in names_read_by_class(node, self.uses):
            if self.may_be_unbound(name):
                self.body.bound.add(name.id)
                self.emit(build.assign(name.id, self.checked(name), name))
        made = build.operator("class_made", node)
        self.emit(build.copied(node, decorator_list=[made, *node.decorator_list]))

    def async_def(self, node: ast.AsyncFunctionDef) -> None:
        """A nested coroutine function stays as it is."""
        self.body.bound.add(node.name)
        self.emit(node)

    def converted_function(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """The definition with a converted body."""
        arguments = self.arguments(node.args)
        if self.uses.of_all(node.body).yields:
            self.names.unsure |= self.facts.at_times
            return build.copied(node, args=arguments)
        return build.copied(node, args=arguments, body=self.function_body(node))

    def function_body(self, node: ast.FunctionDef) -> list[ast.stmt]:
        """The converted statements of a function."""
        statements = list(node.body)
        docstring = []
        if ast.get_docstring(node, clean=False) is not None:
            docstring = [statements.pop(0)]
        statements = desugared(statements, self.names)
        scope = scope_of(node.name, node.args, statements, self.uses)
        self.require_free(scope, node)
        with self.owner(scope, statements) as body:
            self.block(statements)
        where = statements[0] if statements else node
        written = body.declarations(where) + _gathering(node) + body.statements
        return docstring + written or [ast.Pass(**build.place(node))]

    def require_free(self, scope: Scope, node: ast.AST) -> None:
        """Raise where the function uses the name of the operators."""
        uses = scope.uses
        name = build.OPERATORS
        if name in scope.locals | uses.loads | uses.captured | uses.globals | uses.nonlocals:
            raise unsupported(
                self.context, node, f"the name {name}", "converted code uses it; give yours another name"
            )

    def arguments(self, node: ast.arguments) -> ast.arguments:
        """Parameters with converted defaults."""
        defaults = self.exprs(node.defaults)
        keyword_defaults = [None if value is None else self.expr(value) for value in node.kw_defaults]
        return build.copied(node, defaults=defaults, kw_defaults=keyword_defaults)

    def user_lambda(self, node: ast.Lambda) -> ast.expr:
        """A lambda of the user's; one that takes statements becomes a definition."""
        arguments = self.arguments(node.args)
        if self.uses.of(node.body).yields:
            return build.copied(node, args=arguments)
        scope = scope_of("<lambda>", node.args, [node.body], self.uses)
        self.require_free(scope, node)
        body_place = build.place(node.body)
        result = ast.Return(node.body, **body_place)
        with self.owner(scope, [result]) as body:
            value = self.expr(node.body)
        statements = body.declarations(node.body) + body.statements
        if not statements:
            return build.copied(node, args=arguments, body=value)
        statements.append(build.copied(result, value=value))
        return self._lambda_definition(node, arguments, statements)

    def _lambda_definition(
        self, node: ast.Lambda, arguments: ast.arguments, statements: list[ast.stmt]
    ) -> ast.expr:
        """`def lambda_1(...)` before the statement; defaults are evaluated where the lambda stands."""
        defaults = [*arguments.defaults, *(value for value in arguments.kw_defaults if value is not None)]
        name = self.names.function("lambda")
        if all(isinstance(value, ast.Constant) for value in defaults):
            self.emit(build.function(name, arguments, statements, node))
            return build.load(name, node)
        names = [self.names.fresh("default") for _ in defaults]
        loads = iter([build.load(default, node) for default in names])
        inner = build.copied(
            arguments,
            defaults=[next(loads) for _ in arguments.defaults],
            kw_defaults=[None if value is None else next(loads) for value in arguments.kw_defaults],
        )
        definition = build.function(name, inner, statements, node)
        maker = self.names.function("make_lambda")
        made = ast.Return(build.load(name, node), **build.place(node))
        self.emit(build.function(maker, build.parameters(names, node), [definition, made], node))
        return ast.Call(build.load(maker, node), defaults, [], **build.place(node))


_CONVERTERS[ast.Lambda] = FunctionConverter.user_lambda


def _gathering(node: ast.FunctionDef) -> list[ast.stmt]:
    """`args = weft_.gathered(args)` of a function with `*args`."""
    if node.args.vararg is None:
        return []
    name, where = node.args.vararg.arg, node.args.vararg
    value = build.call("gathered", [build.load(name, where)], where)
    return [ast.Assign([ast.Name(name, ast.Store(), **build.place(where))], value, **build.place(where))]
