"""Whether debuggers and profilers are to know the lines of a program: an attribute of its module."""

from __future__ import annotations

from ...dialect.mlir import Module, ir

DEBUG_INFO = "weft.debug_info"


def mark_debugged(module: Module, is_wanted: bool) -> None:
    """Let the backend keep the lines of a module, if that is wanted."""
    if is_wanted:
        module.operation.attributes[DEBUG_INFO] = ir.UnitAttr.get(module.operation.context)


def is_debugged(module: Module) -> bool:
    """Whether the lines of a module are kept."""
    return DEBUG_INFO in module.operation.attributes


__all__ = ["DEBUG_INFO", "is_debugged", "mark_debugged"]
