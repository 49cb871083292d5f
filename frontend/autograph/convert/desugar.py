"""Rewrites statements as simpler ones of equal meaning, first of all: `match`, `suppress`, long chains of `elif`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from . import build
from .exits import blocks_of
from .generated import Names
from .patterns import match_as_if

MAX_CHAIN = 24
"""How many branches an `if` may have before the rest of it becomes an `if` of its own."""


def desugared(statements: Sequence[ast.stmt], names: Names) -> list[ast.stmt]:
    """The statements of a function, nested functions left alone; the nodes given are not changed."""
    result: list[ast.stmt] = []
    for node in statements:
        if isinstance(node, ast.Match):
            result += [node] if _is_plain(node) else desugared(match_as_if(node, names), names)
        elif isinstance(node, ast.If) and _chain_length(node) > MAX_CHAIN:
            result += desugared(_split_chain(node, names), names)
        elif isinstance(node, ast.With) and len(node.items) > 1:
            inner = build.copied(node, items=node.items[1:])
            result += desugared([build.copied(node, items=node.items[:1], body=[inner])], names)
        elif isinstance(node, ast.With) and _is_suppression(node):
            result += desugared(_suppression_as_try(node, names), names)
        elif blocks_of(node):
            result.append(_rebuilt(node, names))
        else:
            result.append(node)
    return result


def _is_suppression(node: ast.With) -> bool:
    """Whether a statement is `with contextlib.suppress(...)` or `with suppress(...)`."""
    (first,) = node.items
    call = first.context_expr
    if first.optional_vars is not None or not isinstance(call, ast.Call):
        return False
    return ast.unparse(call.func) in ("suppress", "contextlib.suppress")


def _suppression_as_try(node: ast.With, names: Names) -> list[ast.stmt]:
    """`suppressed = suppress(...)._exceptions; try: ... except suppressed: pass`: exceptions may come at run time."""
    where = node.items[0].context_expr
    place = build.place(where)
    name = names.fresh("suppressed")
    classes = ast.Attribute(where, "_exceptions", ast.Load(), **place)
    handler = ast.ExceptHandler(build.load(name, where), None, [ast.Pass(**place)], **place)
    return [
        build.assign(name, classes, where),
        ast.Try(node.body, [handler], [], [], **build.place(node)),
    ]


def _is_plain(node: ast.Match) -> bool:
    """Whether a `match` was made by `match_as_if`: it only takes a value apart."""
    return getattr(node, "is_plain", False)


def _rebuilt(node: Any, names: Names) -> ast.stmt:
    changes: dict[str, Any] = {}
    for field in ("body", "orelse", "finalbody"):
        old = getattr(node, field, None)
        if old:
            new = desugared(old, names)
            if any(a is not b for a, b in zip(old, new, strict=False)) or len(old) != len(new):
                changes[field] = new
    if isinstance(node, ast.Try) and node.handlers:
        changes["handlers"] = [build.copied(h, body=desugared(h.body, names)) for h in node.handlers]
    result: ast.stmt = build.copied(node, **changes) if changes else node
    return result


def _chain_length(node: ast.If) -> int:
    length = 1
    while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node = node.orelse[0]
        length += 1
    return length


def _split_chain(node: ast.If, names: Names) -> list[ast.stmt]:
    """`if` branches in groups: a flag says whether one of a group was taken.

    The last `else` of a group sets the flag, and the next group stands under it.
    """
    branches = [node]
    while len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        node = node.orelse[0]
        branches.append(node)
    flag = names.fresh("undecided")
    first = branches[0].test
    result: list[ast.stmt] = [build.assign(flag, build.constant(True, first), first)]
    groups = [branches[i : i + MAX_CHAIN] for i in range(0, len(branches), MAX_CHAIN)]
    for index, group in enumerate(groups):
        is_last = index == len(groups) - 1
        where = group[0].test
        taken = [build.assign(flag, build.constant(False, where), where)]
        chain: list[ast.stmt] = list(group[-1].orelse) if is_last else []
        for branch in reversed(group):
            body = branch.body if is_last else [*taken, *branch.body]
            chain = [build.copied(branch, body=body, orelse=chain)]
        if index:
            chain = [ast.If(build.load(flag, where), chain, [], **build.place(where))]
        result += chain
    return result
