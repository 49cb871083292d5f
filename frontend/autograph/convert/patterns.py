"""`match` as a chain of `if`: values are compared by operators, structure is taken apart by Python itself.

The attributes that a pattern of a class asks for are read by an operator, as all attributes are, into a tuple.

match point:                       subject_1 = point
    case (0, y) if y > 1:    ->    matched_1 = False
        body                       whole_1 = taken_apart(subject_1, ...)
    case None:                     match whole_1:
        other                          case (part_1, part_2):
                                           matched_1 = True
                                   if matched_1 and part_1 == 0 and (y := part_2, y > 1)[-1]:
                                       body
                                   elif subject_1 is None:
                                       other
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from ....dialect.records import dataclass
from . import build
from .generated import Names

MAX_CASES = 16
"""How many cases are nested before the rest becomes an `if` of its own."""


def match_as_if(node: ast.Match, names: Names) -> list[ast.stmt]:
    """Statements that mean the same as a `match`."""
    subject = names.fresh("subject")
    first = build.assign(subject, node.subject, node.subject)
    if len(node.cases) <= MAX_CASES:
        return [first, *_cases(node.cases, subject, names)]
    flag = names.fresh("undecided")
    result: list[ast.stmt] = [first, build.assign(flag, build.constant(True, node.subject), node.subject)]
    for start in range(0, len(node.cases), MAX_CASES):
        cases = [_deciding(case, flag) for case in node.cases[start : start + MAX_CASES]]
        where = cases[0].pattern
        chain = _cases(cases, subject, names)
        test = build.load(flag, where)
        result += chain if not start else [ast.If(test, chain, [], **build.place(where))]
    return result


def _deciding(case: ast.match_case, flag: str) -> ast.match_case:
    """A case that says that later ones are not to be looked at."""
    where = case.pattern
    decided = build.assign(flag, build.constant(False, where), where)
    return ast.match_case(case.pattern, case.guard, [decided, *case.body])


def _cases(cases: Sequence[ast.match_case], subject: str, names: Names) -> list[ast.stmt]:
    """The chain of `if`; what takes the value apart for a case stands in the `else` of the one before."""
    rest: list[ast.stmt] = []
    for case in reversed(cases):
        test = _Test(names)
        test.pattern(case.pattern, subject)
        conditions, body = test.conditions, case.body
        if case.guard is not None:
            conditions = [*conditions, _guard(test.captures, case.guard)]
        else:
            body = [*(build.assign(name, value, value) for name, value in test.captures), *body]
        if conditions:
            condition = _all_of(conditions, case.pattern)
            body = [ast.If(condition, body, rest, **build.place(case.pattern))]
        rest = [*test.statements, *body]
    return rest


def _all_of(conditions: list[ast.expr], where: ast.AST) -> ast.expr:
    return conditions[0] if len(conditions) == 1 else ast.BoolOp(ast.And(), conditions, **build.place(where))


def _guard(captures: Sequence[tuple[str, ast.expr]], guard: ast.expr) -> ast.expr:
    """`(name := part, guard)[-1]`: the names of the pattern are bound before the guard, also where it fails."""
    if not captures:
        return guard
    bindings = [
        ast.NamedExpr(build.store(name, value), value, **build.place(value)) for name, value in captures
    ]
    both = build.tuple_of([*bindings, guard], guard)
    last = ast.Subscript(both, build.constant(-1, guard), ast.Load(), **build.place(guard))
    last.is_plain = True  # type: ignore[attr-defined]
    return last


@dataclass
class _Test:
    """What a pattern asks of a value."""

    names: Names
    statements: list[ast.stmt] = field(default_factory=list)
    """They take the value apart."""
    conditions: list[ast.expr] = field(default_factory=list)
    """They must all be true, in this order."""
    captures: list[tuple[str, ast.expr]] = field(default_factory=list)
    """What the pattern binds when it matches."""
    later: list[tuple[ast.pattern, str]] = field(default_factory=list)
    """Choices and patterns of classes inside of others, and the parts that they are about."""

    def pattern(self, node: ast.pattern, subject: str) -> None:
        """Note what a pattern asks of a variable."""
        if isinstance(node, ast.MatchAs):
            if node.pattern is not None:
                self.pattern(node.pattern, subject)
            if node.name is not None:
                self.captures.append((node.name, build.load(subject, node)))
        elif _is_value(node):
            self.conditions.append(self._value(node, subject))
        else:
            self._structure(node, subject)

    def _value(self, node: ast.pattern, subject: str) -> ast.expr:
        """The comparison of a variable with a literal, a constant, or several of them."""
        if isinstance(node, ast.MatchOr):
            choices = [self._value(choice, subject) for choice in node.patterns]
            return ast.BoolOp(ast.Or(), choices, **build.place(node))
        if isinstance(node, ast.MatchClass):
            arguments = [
                build.load(subject, node),
                node.cls,
                build.constant(0, node),
                build.tuple_of([], node),
            ]
            parts = _operator_call("class_parts", arguments, node)
            return ast.Compare(parts, [ast.IsNot()], [build.constant(None, node)], **build.place(node))
        if isinstance(node, ast.MatchSingleton):
            op: ast.cmpop = ast.Is()
            value: ast.expr = build.constant(node.value, node)
        else:
            assert isinstance(node, ast.MatchValue)
            op, value = ast.Eq(), node.value
        return ast.Compare(build.load(subject, node), [op], [value], **build.place(node))

    def _structure(self, node: ast.pattern, subject: str) -> None:
        """Let Python take the value apart; names and values in the pattern become captures of temporaries."""
        if isinstance(node, ast.MatchClass) and _has_parts(node):
            self._class(node, subject)
            return
        if isinstance(node, ast.MatchOr):
            self._choice(node, subject)
            return
        if isinstance(node, (ast.MatchSequence, ast.MatchMapping)):  # which None never is
            is_there = ast.Compare(build.load(subject, node), [ast.IsNot()], [build.constant(None, node)])
            self.conditions.append(ast.copy_location(is_there, node))
        flag = self.names.fresh("matched")
        self.conditions.append(build.load(flag, node))
        outline = self._outline(node)
        found = [build.assign(flag, build.constant(True, node), node), *self._parts_inside()]
        shape = [
            build.load(subject, node),
            build.constant(isinstance(node, ast.MatchMapping), node),
            build.constant(_has_structure_inside(node), node),
        ]
        whole = self.names.fresh("whole")
        plain = ast.Match(
            build.load(whole, node), [ast.match_case(outline, None, found)], **build.place(node)
        )
        plain.is_plain = True  # type: ignore[attr-defined]
        self.statements += [
            build.assign(flag, build.constant(False, node), node),
            build.assign(whole, _operator_call("taken_apart", shape, node), node),
            plain,
        ]

    def _parts_inside(self) -> list[ast.stmt]:
        """What takes apart the parts that Python does not, once all else of the pattern has matched."""
        before, self.statements = self.statements, []
        later, self.later = self.later, []
        for node, part in later:
            self._structure(node, part)
        inside, self.statements = self.statements, before
        return inside

    def _choice(self, node: ast.MatchOr, subject: str) -> None:
        """Try alternatives one after the other, which all capture the same names."""
        flag, parts = self.names.fresh("matched"), dict[str, str]()
        rest: list[ast.stmt] = []
        for choice in reversed(node.patterns):
            test = _Test(self.names)
            test.pattern(choice, subject)
            body: list[ast.stmt] = [build.assign(flag, build.constant(True, choice), choice)]
            for name, value in test.captures:
                if name not in parts:
                    parts[name] = self.names.fresh(name)
                    self.names.bound_on_some_paths.add(parts[name])
                body.append(build.assign(parts[name], value, choice))
            if test.conditions:
                body = [ast.If(_all_of(test.conditions, choice), body, rest, **build.place(choice))]
            rest = [*test.statements, *body]
        self.statements += [build.assign(flag, build.constant(False, node), node), *rest]
        self.conditions.append(build.load(flag, node))
        self.captures += [(name, build.load(part, node)) for name, part in parts.items()]

    def _class(self, node: ast.MatchClass, subject: str) -> None:
        """Match the tuple of the attributes that a pattern asks for."""
        parts = self.names.fresh("parts")
        count = build.constant(len(node.patterns), node)
        names = build.tuple_of([build.constant(name, node) for name in node.kwd_attrs], node)
        call = _operator_call("class_parts", [build.load(subject, node), node.cls, count, names], node)
        self.statements.append(build.assign(parts, call, node))
        sequence = ast.MatchSequence([*node.patterns, *node.kwd_patterns], **build.place(node))
        self._structure(sequence, parts)

    def _outline(self, node: Any) -> Any:
        """The pattern with temporaries in the place of names, values, and what Python does not take apart."""
        if isinstance(node, ast.MatchAs):
            return self._capture(node)
        if isinstance(node, (ast.MatchOr, ast.MatchClass)) and not _is_value(node):
            part = self.names.fresh("part")
            self.later.append((node, part))
            return ast.MatchAs(None, part, **build.place(node))
        if _is_value(node):
            if _is_text(node):
                return node
            part = self.names.fresh("part")
            self.conditions.append(self._value(node, part))
            return ast.MatchAs(None, part, **build.place(node))
        changes: dict[str, Any] = {}
        for name in ("patterns", "kwd_patterns"):
            if hasattr(node, name):
                changes[name] = [self._outline(inner) for inner in getattr(node, name)]
        if isinstance(node, ast.MatchStar) and node.name is not None:
            changes["name"] = self._part(node.name, node)
        if isinstance(node, ast.MatchMapping) and node.rest is not None:
            changes["rest"] = self._part(node.rest, node)
        return build.copied(node, **changes)

    def _capture(self, node: ast.MatchAs) -> ast.pattern:
        if node.name is None:
            return node
        if node.pattern is None:
            return build.copied(node, name=self._part(node.name, node))
        inner = self._outline(node.pattern)
        if isinstance(inner, ast.MatchAs) and inner.name is not None:
            self.captures.append((node.name, build.load(inner.name, node)))
            return inner
        return build.copied(node, pattern=inner, name=self._part(node.name, node))

    def _part(self, name: str, node: ast.pattern) -> str:
        part = self.names.fresh("part")
        self.captures.append((name, build.load(part, node)))
        return part


def _has_structure_inside(node: ast.pattern) -> bool:
    """Whether a pattern takes parts of a value apart, too."""
    return any(
        isinstance(inner, (ast.MatchSequence, ast.MatchMapping)) and inner is not node
        for inner in ast.walk(node)
    )


def _has_parts(node: ast.MatchClass) -> bool:
    """Whether a pattern asks for more than the class of a value."""
    return bool(node.patterns or node.kwd_patterns)


def _operator_call(operator: str, arguments: list[ast.expr], where: ast.AST) -> ast.expr:
    """A call that becomes one of an operator: conversion puts its name in the place of a literal."""
    call = ast.Call(build.constant(operator, where), arguments, [], **build.place(where))
    call.operator = operator  # type: ignore[attr-defined]
    return call


def _is_value(node: ast.pattern) -> bool:
    """Whether a pattern only compares with values, or asks for classes."""
    if isinstance(node, ast.MatchOr):
        return all(_is_value(choice) for choice in node.patterns)
    if isinstance(node, ast.MatchClass):
        return not _has_parts(node)
    return isinstance(node, (ast.MatchValue, ast.MatchSingleton))


def _is_text(node: ast.pattern) -> bool:
    """Whether a pattern is a string: no array is equal to one, so Python may compare it."""
    if not isinstance(node, ast.MatchValue) or not isinstance(node.value, ast.Constant):
        return False
    return isinstance(node.value.value, (str, bytes))
