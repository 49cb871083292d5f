"""What is done with the code of converted functions: it gets the user's names, so that tracebacks read as before."""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import field
from inspect import CO_OPTIMIZED
from types import CodeType
from typing import Any

from ....dialect.records import dataclass


def find_code(code: CodeType, name: str) -> CodeType:
    """The function or class of a name directly in other code."""
    return next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)


@dataclass(frozen=True)
class Renaming:
    """Which functions in converted code are whose."""

    is_generated: Callable[[CodeType], bool]
    """Whether conversion made a function for a statement or expression of the function around it."""
    lambdas: Set[str]
    """Definitions that stand for lambdas of the user's."""
    found: dict[str, str] = field(default_factory=dict)
    """New qualified names by old ones, of all functions so far."""


def renamed(code: CodeType, name: str, qualified_name: str, old_name: str, how: Renaming) -> CodeType:
    """The code with the user's names; generated functions in it are called as the function that they are part of.

    `old_name` is the qualified name that it was compiled with. It may be a constant, too: classes set theirs, and
    Python 3.10 keeps that of each nested function.
    """
    separator = ".<locals>." if code.co_flags & CO_OPTIMIZED else "."
    names = {old_name: qualified_name}
    how.found[old_name] = qualified_name
    how.found[f"{old_name}.<locals>"] = f"{qualified_name}.<locals>"
    constants: list[Any] = []
    for constant in code.co_consts:
        if not isinstance(constant, CodeType):
            constants.append(constant)
            continue
        old = f"{old_name}{separator}{constant.co_name}"
        if how.is_generated(constant):
            inner, outer = name, qualified_name
        else:
            inner = "<lambda>" if constant.co_name in how.lambdas else constant.co_name
            outer = f"{qualified_name}{separator}{inner}"
            compiled_name: str = getattr(constant, "co_qualname", old)
            if compiled_name != old:
                # A global function, or one with type parameters, which Python nests once more.
                old = compiled_name
                owner = old.removesuffix(f".{constant.co_name}")
                outer = f"{how.found[owner]}.{inner}" if owner in how.found else old
        names[old] = outer
        constants.append(renamed(constant, inner, outer, old, how))
    constants = [names.get(c, c) if isinstance(c, str) else c for c in constants]
    changes: dict[str, Any] = {"co_consts": tuple(constants), "co_name": name}
    if hasattr(code, "co_qualname"):
        changes["co_qualname"] = qualified_name
    return code.replace(**changes)
