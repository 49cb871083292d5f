"""Shows converted functions as Python source."""

from __future__ import annotations

import ast
import inspect
import re
from types import FunctionType
from typing import Any

from . import build
from .converter import definition_of

_COMMENT = re.compile(r"""^(\s*)(?:\"{3}|['"])weft comment: (.*?)(?:\"{3}|['"])$""")


def to_code(function: FunctionType) -> str:
    """The source of a converted function, valid Python; that of the original where it is not converted.

    Raises ConversionError for syntax that cannot be converted, OSError where there is no source.
    """
    definition = definition_of(function)
    if definition is None:
        return inspect.getsource(function)
    shown: ast.stmt = _Commented().visit(build.copied(definition, decorator_list=[]))
    return _tidied(ast.unparse(shown).strip().split("\n")) + "\n"


def _tidied(lines: list[str]) -> str:
    """The lines with comments for their markers, and no blank lines but those in texts."""
    found: list[str] = []
    in_text = False
    for line in lines:
        comment = _COMMENT.match(line)
        if comment:
            found.append(f"{comment[1]}# {comment[2]}")
            continue
        if line or in_text:
            found.append(line)
        if line.count('"""') % 2:
            in_text = not in_text
    return "\n".join(found)


class _Commented(ast.NodeTransformer):
    """Puts a string that becomes a comment before each generated function."""

    def visit_Call(self, node: ast.Call) -> Any:
        shown = [keyword for keyword in node.keywords if not _is_hidden_argument(node, keyword)]
        return self.generic_visit(build.copied(node, keywords=shown))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        if getattr(node, "is_hidden", False):
            return []
        comment = getattr(node, "comment", "")
        node = build.copied(node, body=[self.visit(s) for s in node.body])
        flat: list[ast.stmt] = []
        for inner in node.body:
            flat.extend(inner if isinstance(inner, list) else [inner])
        node.body = flat
        if not comment:
            return node
        text = f"weft comment: line {node.lineno}: {comment}"
        return [build.statement(build.constant(text, node)), node]


def _is_hidden_argument(call: ast.Call, keyword: ast.keyword) -> bool:
    """Whether an argument is a hidden function, which operators are given."""
    function = call.func
    return (
        keyword.arg == "plain"
        and isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == build.OPERATORS
    )
