"""Make a failing program smaller, as long as it fails in the same way: by statements, by calls, by expressions."""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator

from .program import IMPORTS

Candidates = Iterator[tuple[int, ast.Module]]
"""Smaller programs, each with its number; those before the first that is wanted are left out."""

_LISTS = ("body", "orelse", "finalbody", "handlers", "cases")
_CONSTANTS = ("0", "1")


def minimised(text: str, fails: Callable[[str], bool], seconds: float = 60.0) -> str:
    """A small program for which `fails` holds, as it does for this one."""
    end = time.monotonic() + seconds
    best = text.removeprefix(IMPORTS)
    is_changed = True
    while is_changed and time.monotonic() < end:
        is_changed = False
        for candidates in (
            _without_calls,
            _without_statements,
            _without_parameters,
            _unwrapped,
            _without_items,
            _with_parts,
        ):
            place = 0
            while time.monotonic() < end:
                found = _first(candidates(ast.parse(best), place), best, fails, end)
                if found is None:
                    break
                best, place, is_changed = *found, True
    return IMPORTS + best + "\n"


def _first(
    candidates: Candidates, best: str, fails: Callable[[str], bool], end: float
) -> tuple[str, int] | None:
    """The first smaller program that fails, and where among the candidates it is."""
    for place, tree in candidates:
        if time.monotonic() > end:
            return None
        try:
            text = ast.unparse(ast.fix_missing_locations(tree))
            compile(text, "candidate", "exec")
        except (SyntaxError, ValueError, TypeError, RecursionError):
            continue
        if len(text) < len(best) and fails(IMPORTS + text + "\n"):
            return text, place
    return None


def _assigned(tree: ast.Module, name: str) -> ast.expr | None:
    """What a global is made of."""
    for node in tree.body:
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and node.targets[0].id == name
        ):
            return node.value
    return None


def _without_calls(tree: ast.Module, first: int) -> Candidates:
    """Without one of the calls."""
    calls = _assigned(tree, "CALLS")
    for place in range(first, len(calls.elts) if isinstance(calls, ast.List) else 0):
        changed = copy.deepcopy(tree)
        del _assigned(changed, "CALLS").elts[place]  # type: ignore[union-attr]
        yield place, changed


def _without_parameters(tree: ast.Module, first: int) -> Candidates:
    """Without a parameter, in all calls."""
    function = next((n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "f"), None)
    for place in range(first, len(function.args.args) if function is not None else 0):
        changed = copy.deepcopy(tree)
        calls, options = _assigned(changed, "CALLS"), _assigned(changed, "OPTIONS")
        made = (
            [call.body for call in calls.elts if isinstance(call, ast.Lambda)]
            if isinstance(calls, ast.List)
            else []
        )
        made = [
            value.func.body if isinstance(value, ast.Call) and isinstance(value.func, ast.Lambda) else value
            for value in made
        ]
        if isinstance(options, ast.Dict) and options.values:
            made += options.values
        for value in made:
            if isinstance(value, (ast.Tuple, ast.List)) and place < len(value.elts):
                del value.elts[place]
        del next(n for n in changed.body if isinstance(n, ast.FunctionDef) and n.name == "f").args.args[place]
        yield place, changed


def _statement_lists(tree: ast.AST) -> list[tuple[ast.AST, str]]:
    return [
        (node, field)
        for node in ast.walk(tree)
        for field in _LISTS
        if isinstance(getattr(node, field, None), list) and getattr(node, field)
    ]


def _without_statements(tree: ast.Module, first: int) -> Candidates:
    """Without some statements that follow each other, long rows first."""
    place = 0
    for index, (node, field) in enumerate(_statement_lists(tree)):
        length = len(getattr(node, field))
        size = length
        while size:
            for start in range(0, length, size):
                place += 1
                if place < first:
                    continue
                changed = copy.deepcopy(tree)
                owner, _ = _statement_lists(changed)[index]
                items = getattr(owner, field)
                del items[start : start + size]
                if not items and field == "body" and not isinstance(owner, ast.Module):
                    items.append(ast.Pass())
                yield place, changed
            size //= 2


def _unwrapped(tree: ast.Module, first: int) -> Candidates:
    """With the body of a statement in its place."""
    place = 0
    for index, (node, field) in enumerate(_statement_lists(tree)):
        for position, statement in enumerate(getattr(node, field)):
            for inner in ("body", "orelse", "finalbody"):
                if not getattr(statement, inner, None) or isinstance(
                    statement, (ast.FunctionDef, ast.ClassDef)
                ):
                    continue
                place += 1
                if place < first:
                    continue
                changed = copy.deepcopy(tree)
                owner, _ = _statement_lists(changed)[index]
                items = getattr(owner, field)
                items[position : position + 1] = getattr(items[position], inner)
                yield place, changed


def _item_lists(tree: ast.AST) -> list[tuple[ast.AST, str]]:
    return [
        (node, field)
        for node in _but_values(tree)
        for field in ("elts", "values", "args", "keywords", "targets", "generators", "ifs", "decorator_list")
        if isinstance(getattr(node, field, None), list) and getattr(node, field)
    ]


def _without_items(tree: ast.Module, first: int) -> Candidates:
    """Without a call, an item of a list, or an argument."""
    place = 0
    for index, (node, field) in enumerate(_item_lists(tree)):
        for position in range(len(getattr(node, field))):
            place += 1
            if place < first:
                continue
            changed = copy.deepcopy(tree)
            owner, _ = _item_lists(changed)[index]
            del getattr(owner, field)[position]
            if isinstance(owner, ast.Dict):
                del owner.keys[position]
            yield place, changed


def _but_values(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those inside of the lists of values that arrays of arguments are made of."""
    yield tree
    for child in ast.iter_child_nodes(tree):
        if not (
            isinstance(tree, ast.Call)
            and isinstance(child, ast.List)
            and ast.unparse(tree.func) == "np.array"
        ):
            yield from _but_values(child)


def _expressions(tree: ast.AST) -> list[tuple[ast.AST, str, int | None]]:
    found: list[tuple[ast.AST, str, int | None]] = []
    for node in _but_values(tree):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                found.append((node, field, None))
            elif isinstance(value, list):
                found += [(node, field, i) for i, item in enumerate(value) if isinstance(item, ast.expr)]
    return found


def _with_parts(tree: ast.Module, first: int) -> Candidates:
    """With an expression replaced by one of its parts, or by a number."""
    place = 0
    for index, (node, field, position) in enumerate(_expressions(tree)):
        value = getattr(node, field)
        expression = value if position is None else value[position]
        if isinstance(getattr(expression, "ctx", None), (ast.Store, ast.Del)):
            continue
        parts = [child for child in ast.iter_child_nodes(expression) if isinstance(child, ast.expr)]
        constants = [ast.parse(text, mode="eval").body for text in _CONSTANTS]
        if not isinstance(expression, (ast.Constant, ast.Name)):
            parts += constants
        for part in parts:
            place += 1
            if place < first:
                continue
            changed = copy.deepcopy(tree)
            owner, _, _ = _expressions(changed)[index]
            if position is None:
                setattr(owner, field, copy.deepcopy(part))
            else:
                getattr(owner, field)[position] = copy.deepcopy(part)
            yield place, changed


_WAYS = (_without_calls, _without_statements, _without_parameters, _unwrapped, _without_items, _with_parts)

__all__ = ["minimised"]
