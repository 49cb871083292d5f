"""What is done with the code of converted functions: it gets the user's names, so that tracebacks read as before."""

from __future__ import annotations

from collections.abc import Callable, Set
from types import CodeType
from typing import Any
from weakref import ref


def find_code(code: CodeType, name: str) -> CodeType:
    """The function or class of a name directly in other code."""
    return next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)


def renamed(
    code: CodeType,
    name: str,
    qualified_name: str,
    is_generated: Callable[[CodeType], bool],
    lambdas: Set[str],
) -> CodeType:
    """The code with the user's names; generated functions in it are called as the function that they are part of.

    `lambdas` are definitions that stand for lambdas of the user's.
    """
    constants = []
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if is_generated(constant):
                constant = renamed(constant, name, qualified_name, is_generated, lambdas)
            else:
                inner = "<lambda>" if constant.co_name in lambdas else constant.co_name
                outer = f"{qualified_name}.<locals>.{inner}"
                constant = renamed(constant, inner, outer, is_generated, lambdas)
        constants.append(constant)
    changes: dict[str, Any] = {"co_consts": tuple(constants), "co_name": name}
    if hasattr(code, "co_qualname"):
        changes["co_qualname"] = qualified_name
    return code.replace(**changes)


class CodeTable:
    """Remembers something for code objects, by identity, as long as they live."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[ref[CodeType], Any]] = {}

    def get(self, code: CodeType) -> Any:
        """What is remembered, or None."""
        entry = self._found.get(id(code))
        return None if entry is None or entry[0]() is not code else entry[1]

    def set(self, code: CodeType, value: Any) -> None:
        """Remember a value."""
        key = id(code)
        self._found[key] = (ref(code, lambda _: self._found.pop(key, None)), value)

    def __len__(self) -> int:
        return len(self._found)


__all__ = ["CodeTable", "find_code", "renamed"]
