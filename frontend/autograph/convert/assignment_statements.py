"""Assignments: what is written to items goes through operators; all else stays as it is written."""

from __future__ import annotations

import ast
from typing import TypeGuard

from . import build
from .comprehensions import ComprehensionConverter
from .uses import target_names

_SYMBOLS: dict[type[ast.operator], str] = {
    ast.Add: "+=",
    ast.Sub: "-=",
    ast.Mult: "*=",
    ast.MatMult: "@=",
    ast.Div: "/=",
    ast.Mod: "%=",
    ast.Pow: "**=",
    ast.LShift: "<<=",
    ast.RShift: ">>=",
    ast.BitOr: "|=",
    ast.BitXor: "^=",
    ast.BitAnd: "&=",
    ast.FloorDiv: "//=",
}


class AssignmentConverter(ComprehensionConverter):
    """Converts assignments, updates and deletions."""

    def assign(self, node: ast.Assign) -> None:
        """`a = b = value`."""
        self.note_targets(*node.targets)
        self.note_held(node.value)
        is_display = _is_display(node.value)
        if all(_is_flat(target) or (is_display and _is_flat_pattern(target)) for target in node.targets):
            value = self.expr(node.value)
            targets = [self.target(target) for target in node.targets]
            self.emit(build.copied(node, targets=targets, value=value))
            return
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript):
            self._set_item(node.targets[0], node.value, node)
            return
        value = self.expr(node.value)
        if len(node.targets) > 1:
            temporary = self._temporary(value, node)
            value = build.load(temporary, node.value)
        for target in node.targets:
            self.assign_to(target, value, node)

    def ann_assign(self, node: ast.AnnAssign) -> None:
        """`a: type = value`; in a function the annotation of a variable is not evaluated."""
        if node.value is not None:
            plain = ast.Assign([node.target], node.value, **build.place(node))
            self.assign(plain)
        elif not isinstance(node.target, ast.Name):
            self.emit(build.copied(node, target=self.target(node.target)))

    def note_targets(self, *targets: ast.expr) -> None:
        """Remember which variables the present function binds."""
        for target in targets:
            self.body.bound.update(target_names(target))

    def target(self, node: ast.expr) -> ast.expr:
        """A target without items, with converted objects: `f(x).y` of `f(x).y = 1`."""
        if isinstance(node, ast.Name):
            return node
        result: ast.expr = self.rebuilt(node)
        if isinstance(result, ast.Attribute):
            owner = build.call("changed", [result.value, build.constant(result.attr, node)], node)
            return build.copied(result, value=owner)
        return result

    def assign_to(self, target: ast.expr, value: ast.expr, where: ast.stmt) -> None:
        """Assign a converted value to a target."""
        if isinstance(target, ast.Subscript):
            arguments = [self.expr(target.value), self.index(target.slice), value]
            self.emit(build.statement(build.call("set_item", arguments, target)))
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._unpack(target, value, where)
        else:
            self.emit(ast.Assign([self.target(target)], value, **build.place(where)))

    def _unpack(self, target: ast.Tuple | ast.List, value: ast.expr, where: ast.stmt) -> None:
        """`x[0], y = value`: unpack into temporaries from the first item on, then assign those in order."""
        names: list[ast.expr] = []
        later: list[tuple[ast.expr, str]] = []
        items = [item.value if isinstance(item, ast.Starred) else item for item in target.elts]
        for item in items:
            if not later and _is_flat(item):
                names.append(self.target(item))
                continue
            temporary = self.names.fresh("value")
            later.append((item, temporary))
            names.append(build.store(temporary, item))
        pattern = build.copied(target, elts=names)
        self.emit(ast.Assign([pattern], self._taken_apart(value, target), **build.place(where)))
        for inner, temporary in later:
            self.assign_to(inner, build.load(temporary, inner), where)

    def _taken_apart(self, value: ast.expr, target: ast.Tuple | ast.List) -> ast.expr:
        """`weft_.unpack(value, 1, 0)` for `first, *rest = value`: as many items as there are targets."""
        stars = [place for place, item in enumerate(target.elts) if isinstance(item, ast.Starred)]
        count = len(target.elts)
        if not stars and _is_display(value):
            return value
        counts = [stars[0], count - stars[0] - 1] if stars else [count]
        return build.call("unpack", [value, *(build.constant(number, target) for number in counts)], target)

    def _set_item(self, target: ast.Subscript, value: ast.expr, where: ast.stmt) -> None:
        """`x[i] = value`: Python evaluates the value first, which matters where both have effects or may fail."""
        place = [target.value, target.slice]
        in_order = all(self.is_stable(part, [value]) for part in place) or self.is_stable(value, place)
        converted = self.expr(value)
        if not in_order:
            converted = build.load(self._temporary(converted, where), value)
        self.assign_to(target, converted, where)

    def _temporary(self, value: ast.expr, where: ast.stmt) -> str:
        name = self.names.fresh("value")
        self.emit(build.assign(name, value, where))
        return name

    def aug_assign(self, node: ast.AugAssign) -> None:
        """`y += value`, `x[i] += value`."""
        target = node.target
        if isinstance(target, ast.Subscript):
            self._update(target, "update_item", self.index(target.slice), node)
            return
        if isinstance(target, ast.Attribute):
            name = build.constant(self.context.mangled(target.attr), target)
            self._update(target, "update_attr", name, node)
            return
        self.note_targets(target)
        if isinstance(target, ast.Name) and self.may_be_unbound(target):
            # The variable must have a plain value before it is updated.
            self.emit(build.assign(target.id, self.checked(build.load(target.id, target)), target))
        value = self.expr(node.value)
        if isinstance(target, ast.Name) and isinstance(node.op, (ast.Add, ast.Mult)):
            value = self.latest(value)
            if not isinstance(node.value, ast.Constant) and target.id not in self.uses.of(node.value).stores:
                self.emit(build.assign(target.id, self.latest(build.load(target.id, target)), target))
        self.emit(build.copied(node, target=self.target(target), value=value))

    def _update(
        self, target: ast.Subscript | ast.Attribute, operator: str, part: ast.expr, node: ast.AugAssign
    ) -> None:
        """Python reads the place before it evaluates the value; unless that is a plain variable, it is a function."""
        late = not isinstance(node.value, (ast.Name, ast.Constant)) or not self.is_stable(node.value, [])
        value = self.thunk_of(node.value) if late else self.expr(node.value)
        symbol = build.constant(_SYMBOLS[type(node.op)], node)
        arguments = [self.expr(target.value), part, symbol, value]
        keywords = [build.keyword("late", True, node)] if late else []
        self.emit(build.statement(build.call(operator, arguments, node, keywords)))

    def delete(self, node: ast.Delete) -> None:
        """`del y, x[0]`."""
        self.note_targets(*node.targets)
        for target in node.targets:
            if isinstance(target, ast.Name) and self.may_be_unbound(target):
                self.emit(build.statement(self.checked(build.load(target.id, target))))
            if isinstance(target, ast.Subscript):
                arguments = [self.expr(target.value), self.index(target.slice)]
                self.emit(build.statement(build.call("del_item", arguments, target)))
            else:
                self.emit(ast.Delete([self.target(target)], **build.place(node)))


def _is_pattern(target: ast.expr) -> TypeGuard[ast.Tuple | ast.List]:
    return isinstance(target, (ast.Tuple, ast.List))


def _is_display(node: ast.expr) -> bool:
    """Whether an expression lists all items that its value has."""
    return _is_pattern(node) and not any(isinstance(item, ast.Starred) for item in node.elts)


def _is_flat(target: ast.expr) -> bool:
    """Whether a target takes a value as it is: a name or an attribute."""
    return isinstance(target, (ast.Name, ast.Attribute))


def _is_flat_pattern(target: ast.expr) -> bool:
    """Whether a target takes several values apart, each as it is."""
    if not _is_pattern(target):
        return False
    return all(_is_flat(item.value if isinstance(item, ast.Starred) else item) for item in target.elts)
