"""The names of the functions that the backend makes."""

from __future__ import annotations

import re

from ....dialect.mlir import Operation, ir

_KERNEL = re.compile(r"kernel_\d+")
_HOST = re.compile(r"host\.\d+")

EXIT = "weft_exit"
"""Ends the call; a return at the very end of the lowering."""

RESERVE = "weft_reserve"
"""Makes a heap block large enough."""

RELEASE = "weft_release"
"""Frees heap blocks."""

CLEAR = "weft_clear"
"""Makes a table of heap blocks empty."""

POLL = "weft_poll"
"""Asks whether the user wants to interrupt."""

HOST_CALL = "weft_host_call"
"""Calls Python."""

RUNTIME = (RESERVE, RELEASE, CLEAR, POLL)


def kernel_name(number: int) -> str:
    """The name of a kernel."""
    return f"kernel_{number}"


def wrapper_name(function: str) -> str:
    """The name of the function that others call to call a function."""
    return f"{function}.call"


def is_kernel_name(name: str) -> bool:
    """Whether a function is a kernel."""
    return _KERNEL.fullmatch(name) is not None


def is_own_name(name: str) -> bool:
    """Whether the backend makes functions of that name."""
    return bool(_KERNEL.fullmatch(name) or _HOST.fullmatch(name)) or name in (EXIT, HOST_CALL, *RUNTIME)


def is_function_call(op: Operation) -> bool:
    """Whether an op calls a function on arrays, or one of Python: neither a kernel nor a function of the C library."""
    if op.name != "func.call" or is_kernel_name(op.attributes["callee"].value):
        return False
    values = [*op.operands, *op.results]
    return not values or is_host_call(op) or any(isinstance(value.type, ir.ShapedType) for value in values)


def is_host_call(op: Operation) -> bool:
    """Whether an op calls Python."""
    return op.name == "func.call" and _HOST.fullmatch(op.attributes["callee"].value) is not None
