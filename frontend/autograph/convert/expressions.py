"""Expressions: conditions become operators over functions, so that either side runs only where it is chosen."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from . import build
from .emitter import FRAME_CALLS, FRAME_READERS, Emitter
from .unsupported import unsupported

_SYMBOLS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_RELATIONS = {ast.Is: "is_", ast.IsNot: "is_not_", ast.In: "in_", ast.NotIn: "not_in_"}


class ExpressionConverter(Emitter):
    """Converts expressions."""

    def expr(self, node: ast.expr) -> ast.expr:
        """The converted expression; the node itself where nothing changes."""
        converter = _CONVERTERS.get(type(node))
        result: ast.expr = self.rebuilt(node) if converter is None else converter(self, node)
        return result

    def exprs(self, nodes: Sequence[ast.expr]) -> list[ast.expr]:
        """Several converted expressions."""
        return [self.expr(node) for node in nodes]

    def rebuilt(self, node: Any) -> Any:
        """The node with converted children."""
        changes = {}
        for name in node._fields:
            old = getattr(node, name, None)
            if isinstance(old, ast.expr):
                new: Any = self.expr(old)
                if new is not old:
                    changes[name] = new
            elif isinstance(old, list):
                new = [self._rebuilt_item(item) for item in old]
                if any(a is not b for a, b in zip(old, new, strict=True)):
                    changes[name] = new
        return build.copied(node, **changes) if changes else node

    def _rebuilt_item(self, item: Any) -> Any:
        """An item of a list in a node: `{**a}` has None among its keys, operators are nodes without children."""
        if isinstance(item, ast.expr):
            return self.expr(item)
        return self.rebuilt(item) if isinstance(item, ast.keyword) else item

    def thunk_of(self, node: ast.expr, hint: str = "value") -> ast.expr:
        """A function of a user's expression."""
        return self.thunk(lambda: self.expr(node), node, hint)

    # Names

    def name(self, node: ast.Name) -> ast.expr:
        """A name; one that may be unbound is read by an operator that says so."""
        if not isinstance(node.ctx, ast.Load):
            return node
        if self.may_be_unbound(node):
            return self.checked(node)
        # What handlers leave unbound is bound wherever it is read, or the name might be unbound.
        is_tried = node.id in self.facts.tried and node.id not in self.hidden
        return build.call("bound", [node], node) if is_tried else node

    def latest(self, converted: ast.expr) -> ast.expr:
        """What a variable holds now, where Python itself looks at it: a list may have become one that grows."""
        if not isinstance(converted, ast.Name):
            return converted  # operators see to it themselves
        return build.call("latest", [converted], converted)

    def starred(self, node: ast.Starred) -> ast.expr:
        """`*items`."""
        value = self.expr(node.value)
        return build.copied(node, value=self.latest(value) if isinstance(node.ctx, ast.Load) else value)

    def list_display(self, node: ast.List) -> ast.expr:
        """`[a, *b]`: what is unpacked may hold any number of items."""
        if not isinstance(node.ctx, ast.Load) or not any(isinstance(item, ast.Starred) for item in node.elts):
            display: ast.expr = self.rebuilt(node)
            return display
        return build.call("list_display", [self._display_item(item) for item in node.elts], node)

    def tuple_display(self, node: ast.Tuple) -> ast.expr:
        """`(a, *b)`."""
        if not isinstance(node.ctx, ast.Load) or not any(isinstance(item, ast.Starred) for item in node.elts):
            display: ast.expr = self.rebuilt(node)
            return display
        return build.call("tuple_display", [self._display_item(item) for item in node.elts], node)

    def dict_display(self, node: ast.Dict) -> ast.expr:
        """`{a: b, **c}`: keys may be known at run time only."""
        if all(isinstance(key, ast.Constant) for key in node.keys):
            display: ast.expr = self.rebuilt(node)
            return display
        parts = [
            build.tuple_of([self.expr(each) for each in (key, value) if each is not None], value)
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        return build.call("dict_display", parts, node)

    def set_display(self, node: ast.Set) -> ast.expr:
        """`{a, *b}`."""
        if all(isinstance(item, ast.Constant) for item in node.elts):
            display: ast.expr = self.rebuilt(node)
            return display
        return build.call("set_display", [self._display_item(item) for item in node.elts], node)

    def _display_item(self, item: ast.expr) -> ast.expr:
        if isinstance(item, ast.Starred):
            return build.call("spread", [self.expr(item.value)], item)
        return self.expr(item)

    def may_be_unbound(self, node: ast.Name) -> bool:
        """Whether a name may have no value here, in a way that Python itself would not report as the user's."""
        is_unsure = id(node) in self.facts.unbound or node.id in self.facts.around
        return is_unsure and node.id not in self.hidden

    def checked(self, node: ast.Name) -> ast.expr:
        """`weft_.load(lambda: y, "y")`; `weft_.load_free` for a variable of a function around this one."""
        read = ast.Lambda(build.parameters((), node), build.load(node.id, node), **build.place(node))
        arguments = [read, build.constant(self.context.mangled(node.id), node)]
        if node.id in self.facts.around or id(node) in self.facts.free:
            return build.call("load_free", arguments, node)
        return build.call("load", arguments, node)

    def named(self, node: ast.NamedExpr) -> ast.expr:
        """`(y := x)`: y is a variable of the user's function, wherever this ends up."""
        self.body.bound.add(node.target.id)
        return build.copied(node, value=self.expr(node.value))

    # Conditions

    def test(self, node: ast.expr) -> ast.expr:
        """A converted expression of which only the truth matters: `if items and items[0] > 0`.

        Operands of `and` and `or` need not have values of one type then.
        """
        if isinstance(node, ast.BoolOp) and not all(map(_is_truth, node.values)):
            return self._decision(node, self.test, [build.keyword("tested", True, node)])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return build.call("not_", [self.test(node.operand)], node)
        return self.expr(node)

    def bool_op(self, node: ast.BoolOp) -> ast.expr:
        """`and`, `or`."""
        return self._decision(node, self.expr, [])

    def _decision(
        self, node: ast.BoolOp, convert: Callable[[ast.expr], ast.expr], keywords: list[ast.keyword]
    ) -> ast.expr:
        method = "and_" if isinstance(node.op, ast.And) else "or_"
        first, *rest = node.values
        thunks = [self.thunk(lambda value=value: convert(value), value, "value") for value in rest]  # type: ignore[misc]
        return build.call(method, [convert(first), *thunks], node, keywords)

    def unary(self, node: ast.UnaryOp) -> ast.expr:
        """`not`."""
        if isinstance(node.op, ast.Not):
            return self.test(node)
        return build.copied(node, operand=self.expr(node.operand))

    def if_exp(self, node: ast.IfExp) -> ast.expr:
        """`a if c else b`."""
        test = self.test(node.test)
        return build.call("if_exp", [test, self.thunk_of(node.body), self.thunk_of(node.orelse)], node)

    def compare(self, node: ast.Compare) -> ast.expr:
        """Comparisons, chained ones too."""
        return self._chain(self.expr(node.left), node.ops, node.comparators, node)

    def _chain(
        self, left: ast.expr, ops: Sequence[ast.cmpop], operands: Sequence[ast.expr], node: ast.Compare
    ) -> ast.expr:
        if len(ops) == 1:
            return self._comparison(left, ops[0], self.expr(operands[0]), node)
        middle = operands[0]
        here: ast.expr = self.expr(middle)
        again: Callable[[], ast.expr]
        if self.is_stable(middle, operands[1:]):
            again = lambda: self.expr(middle)  # noqa: E731
        else:
            temporary = self.names.fresh("value")
            here = ast.NamedExpr(build.store(temporary, middle), here, **build.place(middle))
            again = lambda: build.load(temporary, middle)  # noqa: E731
        first = self._comparison(left, ops[0], here, node)
        rest = self.thunk(lambda: self._chain(again(), ops[1:], operands[1:], node), node)
        return build.call("and_", [first, rest], node)

    def _comparison(self, left: ast.expr, op: ast.cmpop, right: ast.expr, node: ast.Compare) -> ast.expr:
        method = _RELATIONS.get(type(op))
        if method is not None:
            return build.call(method, [left, right], node)
        if not _any_constant(left, right):
            return build.call("compare", [build.constant(_SYMBOLS[type(op)], node), left, right], node)
        return ast.Compare(left, [op], [right], **build.place(node))

    def is_stable(self, node: ast.expr, others: Sequence[ast.expr]) -> bool:
        """Whether an expression has no effects, and evaluating others does not change its value."""
        stack = [node]
        while stack:
            inner = stack.pop()
            if isinstance(inner, ast.Name):
                if not self._is_stable_name(inner, others):
                    return False
            elif isinstance(inner, (ast.BinOp, ast.UnaryOp, ast.Tuple, ast.Slice)):
                stack.extend(child for child in ast.iter_child_nodes(inner) if isinstance(child, ast.expr))
            elif not isinstance(inner, ast.Constant):
                return False
        return True

    def _is_stable_name(self, node: ast.Name, others: Sequence[ast.expr]) -> bool:
        if node.id in self.hidden:
            return True
        if (
            node.id not in self.scope.locals
            or node.id in self.scope.uses.rebound
            or self.may_be_unbound(node)
        ):
            return False
        return not any(node.id in self.uses.of(other).stores for other in others)

    # Calls, attributes, items

    def call(self, node: ast.Call) -> ast.expr:
        """`f(a)`; what looks at the calling frame is called directly."""
        if hasattr(node, "operator"):
            return build.call(node.operator, self.exprs(node.args), node)
        function = node.func
        if (
            isinstance(function, ast.Name)
            and function.id in FRAME_CALLS
            and not (function.id in ("vars", "dir") and node.args)
            and not self.is_shadowed(function.id)
        ):
            return self._frame_call(node, function.id)
        is_spread = any(isinstance(item, ast.Starred) for item in node.args)
        arguments = [self.expr(function), *map(self._display_item, node.args)]
        return build.call(
            "call_spread" if is_spread else "call",
            arguments,
            node,
            [self.rebuilt(item) for item in node.keywords],
        )

    def _frame_call(self, node: ast.Call, name: str) -> ast.expr:
        if name == "super" and not node.args and not node.keywords:
            first = self.scope.first_parameter
            if first is None or self.context.class_name is None:
                return node  # an error, which Python reports
            return build.copied(node, args=[build.load("__class__", node), build.load(first, node)])
        needs_frame = name in FRAME_READERS and not node.args
        if needs_frame and self.body.is_generated:
            raise unsupported(
                self.context,
                node,
                f"{name}() inside of a condition, loop, try statement, comprehension or after an early return",
                "it looks at the variables of the function that calls it: call it at the top of the function, or "
                "name the variables you need",
            )
        if needs_frame and name in ("locals", "vars"):
            return self._variables(node)
        return self.rebuilt(node)  # type: ignore[no-any-return]

    def _variables(self, node: ast.Call) -> ast.expr:
        """`locals()` without the names that conversion made."""
        uses = self.scope.uses
        names = sorted((self.scope.locals | uses.loads | uses.captured) - self.names.given)
        name, value = self.names.fresh("name"), self.names.fresh("value")
        items = ast.Call(
            ast.Attribute(node, "items", ast.Load(), **build.place(node)), [], [], **build.place(node)
        )
        shown = build.tuple_of([build.constant(text, node) for text in names], node)
        test = ast.Compare(build.load(name, node), [ast.In()], [shown], **build.place(node))
        pair = ast.Tuple(
            [build.store(name, node), build.store(value, node)], ast.Store(), **build.place(node)
        )
        clause = ast.comprehension(pair, items, [test], 0)
        return ast.DictComp(build.load(name, node), build.load(value, node), [clause], **build.place(node))

    def attribute(self, node: ast.Attribute) -> ast.expr:
        """`o.x`; attributes of modules of Python, NumPy and weft are read as they are."""
        if not isinstance(node.ctx, ast.Load):
            return build.copied(node, value=self.expr(node.value))
        if self.is_known_module(node.value):
            return self.rebuilt(node)  # type: ignore[no-any-return]
        name = build.constant(self.context.mangled(node.attr), node)
        return build.call("attr", [self.expr(node.value), name], node)

    def subscript(self, node: ast.Subscript) -> ast.expr:
        """`x[i]`."""
        if getattr(node, "is_plain", False):
            return self.rebuilt(node)  # type: ignore[no-any-return]
        if not isinstance(node.ctx, ast.Load):
            return build.copied(node, value=self.expr(node.value), slice=self.expr(node.slice))
        return build.call("item", [self.expr(node.value), self.index(node.slice)], node)

    def index(self, node: ast.expr) -> ast.expr:
        """What stands in brackets, as a value: slices are made by `weft_.index[...]`."""
        items = node.elts if isinstance(node, ast.Tuple) else [node]
        converted = self.expr(node)
        if not any(isinstance(item, ast.Slice) for item in items):
            return converted
        return ast.Subscript(build.operator("index", node), converted, ast.Load(), **build.place(node))

    def bin_op(self, node: ast.BinOp) -> ast.expr:
        """Arithmetic; long sums are walked without recursion."""
        spine = []
        left: ast.expr = node
        while isinstance(left, ast.BinOp):
            spine.append(left)
            left = left.left
        result = self.expr(left)
        for inner in reversed(spine):
            right = self.expr(inner.right)
            if isinstance(inner.op, ast.Mult) or (
                isinstance(inner.op, ast.Add) and not _any_constant(result, right)
            ):
                result, right = self.latest(result), self.latest(right)
            if isinstance(inner.op, ast.Mod) and _is_text(inner.left):
                result = build.call("percent", [result, right], inner)
                continue
            same = result is inner.left and right is inner.right
            result = inner if same else build.copied(inner, left=result, right=right)
        return result

    # Strings

    def joined(self, node: ast.JoinedStr) -> ast.expr:
        """f-strings: texts, and `(value, conversion, format)` for each field."""
        if not any(isinstance(part, ast.FormattedValue) for part in node.values):
            return node
        return build.call("fstring", [self._part(part, node) for part in node.values], node)

    def _part(self, part: ast.expr, node: ast.JoinedStr) -> ast.expr:
        if not isinstance(part, ast.FormattedValue):
            return part
        conversion = chr(part.conversion) if part.conversion >= 0 else None
        spec: ast.expr = build.constant(None, node)
        if isinstance(part.format_spec, ast.JoinedStr):
            texts = part.format_spec.values
            constant = len(texts) == 1 and isinstance(texts[0], ast.Constant)
            spec = texts[0] if constant else self.expr(part.format_spec)
            if not texts:
                spec = build.constant("", node)
        return build.tuple_of([self.expr(part.value), build.constant(conversion, part), spec], part)

    def refused(self, node: ast.expr) -> ast.expr:
        """What cannot be converted."""
        raise unsupported(
            self.context,
            node,
            "await in a function that is compiled",
            "call the function from asynchronous code",
        )


def _any_constant(*operands: ast.expr) -> bool:
    """Whether an operand is a number or text, which is neither added to lists nor equal to one."""
    return any(isinstance(operand, ast.Constant) for operand in operands)


def _is_truth(node: ast.expr) -> bool:
    """Whether the value of an expression is a truth itself, or the truths of the entries of an array."""
    if isinstance(node, ast.BoolOp):
        return all(map(_is_truth, node.values))
    return isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


_CONVERTERS: dict[type[ast.expr], Callable[[Any, Any], ast.expr]] = {
    ast.Name: ExpressionConverter.name,
    ast.NamedExpr: ExpressionConverter.named,
    ast.BoolOp: ExpressionConverter.bool_op,
    ast.UnaryOp: ExpressionConverter.unary,
    ast.IfExp: ExpressionConverter.if_exp,
    ast.Compare: ExpressionConverter.compare,
    ast.Call: ExpressionConverter.call,
    ast.Attribute: ExpressionConverter.attribute,
    ast.Subscript: ExpressionConverter.subscript,
    ast.BinOp: ExpressionConverter.bin_op,
    ast.JoinedStr: ExpressionConverter.joined,
    ast.List: ExpressionConverter.list_display,
    ast.Tuple: ExpressionConverter.tuple_display,
    ast.Dict: ExpressionConverter.dict_display,
    ast.Set: ExpressionConverter.set_display,
    ast.Starred: ExpressionConverter.starred,
    ast.Await: ExpressionConverter.refused,
}
"""Filled up by the modules that convert functions and comprehensions."""
