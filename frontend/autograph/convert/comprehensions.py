"""Comprehensions and generator expressions: the element and the condition become functions of the item."""

from __future__ import annotations

import ast
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterable

from . import build
from .expressions import _CONVERTERS, ExpressionConverter
from .plain_loops import ASKING, BUILTINS
from .unsupported import unsupported
from .uses import Comprehension, target_names

_KINDS = {ast.ListComp: "list", ast.SetComp: "set", ast.DictComp: "dict", ast.GeneratorExp: "generator"}

_IN_TURN = ("any", "all", "walk")

_MAY_END = (*_IN_TURN, "any_left", "all_left", "generator", "picked")
"""The kinds that may leave items of an iterator to other code."""

_INNER = defaultdict(lambda: "generator", passed="passed_on", passed_on="passed_on")
"""What inner clauses make for outer ones."""


class ComprehensionConverter(ExpressionConverter):
    """Converts comprehensions."""

    @abstractmethod
    def assign_to(self, target: ast.expr, value: ast.expr, where: ast.stmt) -> None: ...

    def call(self, node: ast.Call) -> ast.expr:
        """A call; `any` and `all` of a generator expression that calls functions, which may do things, ask in turn."""
        asking, given = node.func, node.args[0] if node.args else None
        if (
            isinstance(asking, ast.Name)
            and asking.id in ("any", "all")
            and len(node.args) == 1
            and not self.is_shadowed(asking.id)
            and isinstance(given, ast.GeneratorExp)
        ):
            if self._acts(given):
                return self.comprehension(given, asking.id)
            if len(given.generators) == 1 and not is_new(given.generators[0].iter):
                return self.comprehension(given, f"{asking.id}_left")
        if isinstance(asking, ast.Name) and asking.id == "next" and isinstance(given, ast.GeneratorExp):
            self._in_turn(given, "walk")
        if isinstance(asking, ast.Name) and asking.id == "iter" and given is not None:
            self.note_held(given)
        if isinstance(asking, ast.Name) and self._may_act(node):
            for each in (*node.args, *(keyword.value for keyword in node.keywords)):
                if self._acts(each):
                    self.note_held(each)
        if isinstance(given, (ast.ListComp, ast.GeneratorExp)) and self._only_computes(asking):
            self.in_turn.setdefault(id(given), "passed" if isinstance(given, ast.ListComp) else "passed_on")
        return super().call(node)

    def _only_computes(self, function: ast.expr) -> bool:
        """Whether a function is `sum`, or one of NumPy's, which keep none of the items of a list."""
        if isinstance(function, ast.Name):
            return function.id == "sum" and not self.is_shadowed("sum")
        module = self.module(function.value) if isinstance(function, ast.Attribute) else None
        return module is not None and module.__name__.partition(".")[0] == "numpy"

    def note_loop(self, node: ast.For) -> None:
        """Let a loop make the items of a generator expression in turn, where that does things or the loop may end."""
        walked = node.iter
        if (
            isinstance(walked, ast.Call)
            and isinstance(walked.func, ast.Name)
            and walked.func.id == "enumerate"
        ):
            walked = walked.args[0] if walked.args else walked
        if isinstance(walked, ast.GeneratorExp) and (
            self._acts(walked)
            or any(isinstance(n, (ast.Break, ast.Return)) for part in node.body for n in ast.walk(part))
        ):
            self._in_turn(walked, "walk")

    def note_held(self, node: ast.expr) -> None:
        """Let what asks a generator expression in a variable have its items made, as variables and lists are then."""
        if isinstance(node, (ast.Tuple, ast.List)):
            for entry in node.elts:
                self.note_held(entry)
        if not isinstance(node, ast.GeneratorExp) or len(node.generators) > 1:
            return
        if not node.generators[0].ifs:
            self._in_turn(node, "each")
        elif self._acts(node):
            self._in_turn(node, "picked")

    def _in_turn(self, node: ast.GeneratorExp, kind: str) -> None:
        self.in_turn[id(node)] = kind

    def _acts(self, node: ast.expr) -> bool:
        """Whether an expression calls functions that may do things."""
        return any(map(self._may_act, ast.walk(node)))

    def _may_act(self, node: ast.AST) -> bool:
        if not isinstance(node, ast.Call):
            return isinstance(node, ast.NamedExpr)
        if isinstance(node.func, ast.Name):
            return node.func.id not in BUILTINS or self.is_shadowed(node.func.id)
        is_asking = isinstance(node.func, ast.Attribute) and node.func.attr in ASKING
        return not is_asking and self.module(getattr(node.func, "value", node.func)) is None

    def comprehension(self, node: Comprehension, kind: str = "") -> ast.expr:
        """`weft_.comprehension(kind, iterable, element, condition)`; inner clauses are nested calls, made flat."""
        kind = kind or self.in_turn.get(id(node), _KINDS[type(node)])
        own = {name for clause in node.generators for name in target_names(clause.target)}
        iterable = self.expr(node.generators[0].iter)
        if kind in _MAY_END and not is_new(node.generators[0].iter):
            iterable = build.call("walked", [iterable], node.generators[0].iter)
        shares = self._shares_variables(node, own)
        hidden, self.hidden = self.hidden, self.hidden | own
        try:
            if not shares:
                return self._clause(node, 0, kind, iterable)
            return self._shared(node, kind, iterable, own)
        finally:
            self.hidden = hidden

    def _shares_variables(self, node: Comprehension, own: set[str]) -> bool:
        """Whether its variables must be the same for all items.

        A function in the comprehension sees their latest values; a condition on an unpacked item unpacks it.
        """
        if any(clause.ifs and not isinstance(clause.target, ast.Name) for clause in node.generators):
            return True
        parts: list[ast.AST] = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        for clause in node.generators:
            parts += clause.ifs
        parts += [clause.iter for clause in node.generators[1:]]
        uses = self.uses.of_all(parts)
        return bool(own & uses.captured) or len(own) < sum(
            len(list(target_names(clause.target))) for clause in node.generators
        )

    def _shared(self, node: Comprehension, kind: str, iterable: ast.expr, own: set[str]) -> ast.expr:
        """A function around the comprehension that holds its variables."""
        parameter = self.names.fresh("iterable")
        with self.generated() as body:
            body.statements.extend(build.declare(name, node) for name in sorted(own))
            result = self._clause(node, 0, kind, build.load(parameter, node), own)
        body.statements.append(ast.Return(result, **build.place(node)))
        function = self.define("comprehension", body, node, [parameter])
        return ast.Call(function, [iterable], [], **build.place(node))

    def _clause(
        self,
        node: Comprehension,
        index: int,
        kind: str,
        iterable: ast.expr,
        shared: Iterable[str] = (),
    ) -> ast.expr:
        clause = node.generators[index]
        if clause.is_async:
            raise unsupported(self.context, node, "an asynchronous comprehension", "loop over a list instead")
        is_last = index == len(node.generators) - 1

        def element() -> ast.expr:
            if is_last:
                return self._element_of(node)
            inner = self.expr(node.generators[index + 1].iter)
            return self._clause(node, index + 1, kind if kind in _IN_TURN else _INNER[kind], inner, shared)

        def condition() -> ast.expr:
            tests = clause.ifs
            if len(tests) == 1:
                return self.test(tests[0])
            return self.test(ast.BoolOp(ast.And(), tests, **build.place(tests[0])))

        arguments = [build.constant(kind, node), iterable]
        if clause.ifs:
            element_function = self._function("element", clause.target, element, node, shared, binds=False)
            condition_function = self._function(
                "condition", clause.target, condition, node, shared, binds=True
            )
            arguments += [element_function, condition_function]
        else:
            arguments.append(self._function("element", clause.target, element, node, shared, binds=True))
        keywords = [] if is_last or kind in ("any", "all") else [build.keyword("flat", True, node)]
        return build.call("comprehension", arguments, node, keywords)

    def _element_of(self, node: Comprehension) -> ast.expr:
        if isinstance(node, ast.DictComp):
            return build.tuple_of([self.expr(node.key), self.expr(node.value)], node)
        return self.expr(node.elt)

    def _function(
        self,
        hint: str,
        target: ast.expr,
        make: Callable[[], ast.expr],
        node: ast.AST,
        shared: Iterable[str],
        *,
        binds: bool,
    ) -> ast.expr:
        """A function of the item; it assigns the target unless that was done before, by the condition."""
        shared = set(shared)
        if isinstance(target, ast.Name) and not shared:
            return self.thunk(make, node, hint, [target.id])
        item = self.names.fresh("item")
        first: list[ast.stmt] = []
        if binds or not shared:
            names = sorted(set(target_names(target)) & shared)
            if names:
                first.append(ast.Nonlocal(names, **build.place(target)))
            with self.generated() as body:
                where = ast.Expr(target, **build.place(target))
                self.assign_to(target, build.load(item, target), where)
            first += body.statements
        return self.thunk(make, node, hint, [item], first)


for _kind in _KINDS:
    _CONVERTERS[_kind] = ComprehensionConverter.comprehension
_CONVERTERS[ast.Call] = ComprehensionConverter.call


def is_new(node: ast.expr) -> bool:
    """Whether what is walked is made there, so that nothing else takes items of it."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _MAKING_ITERATORS
    return isinstance(node, (ast.List, ast.Tuple, ast.Constant, ast.GeneratorExp, ast.ListComp))


_MAKING_ITERATORS = frozenset({"range", "enumerate", "zip", "map", "filter", "reversed"})
"""The builtins that make an iterator of their own, or none."""
