"""Shows converted functions as Python source."""

from __future__ import annotations

import ast
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
        import inspect

        return inspect.getsource(function)
    shown: ast.stmt = _Commented().visit(build.copied(definition, decorator_list=[]))
    lines: list[str] = []
    pending = ""
    for line in ast.unparse(shown).strip().split("\n"):
        comment = _COMMENT.match(line)
        if comment:
            pending = f"{comment[1]}# {comment[2]}"
        elif not pending or line:
            lines += [pending, line] if pending else [line]
            pending = ""
    return "\n".join(line for line in lines if line) + "\n"


class _Commented(ast.NodeTransformer):
    """Puts a string that becomes a comment before each generated function."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
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


__all__ = ["to_code"]
