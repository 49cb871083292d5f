"""Special methods that users write in Python: operators call them, so that they are converted as other methods are."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from ....guards.generated import is_generated
from ....source.modules import is_users_module
from ..interface import operators

NAMES = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
    "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
"""What the methods of the arithmetic operators are called."""

_COMPARISONS = {
    "==": ("__eq__", "__eq__"), "!=": ("__ne__", "__ne__"), "<": ("__lt__", "__gt__"), "<=": ("__le__", "__ge__"),
    ">": ("__gt__", "__lt__"), ">=": ("__ge__", "__le__"),
}  # fmt: skip
"""What the methods of comparisons are called, and those of the other operand."""

_UNARY = {"-": "__neg__", "+": "__pos__", "~": "__invert__"}


def users_method(value: Any, name: str) -> FunctionType | None:
    """The method of a class that a user has written, if that is what Python would call."""
    for base in type(value).__mro__:
        if name in base.__dict__:
            found = base.__dict__[name]
            is_users = isinstance(found, FunctionType) and is_users_module(found.__module__)
            return found if is_users and not is_generated(found) else None
    return None


def has_users_operator(symbol: str, left: Any, right: Any) -> bool:
    """Whether one of two operands has a method for an operator that a user has written."""
    own, reflected = _names("==" if symbol == "!=" and not _has_ne(left, right) else symbol)
    return users_method(left, own) is not None or users_method(right, reflected) is not None


def call_operator(symbol: str, left: Any, right: Any) -> Any:
    """`left symbol right` as Python finds the method: that of a class derived from the other's comes first."""
    if symbol == "!=" and not _has_ne(left, right):
        return operators().not_(call_operator("==", left, right))
    own, reflected = _names(symbol)
    attempts = [(left, own, right), (right, reflected, left)]
    if type(left) is not type(right) and isinstance(right, type(left)):
        attempts.reverse()
    for owner, name, other in (
        attempts if type(left) is not type(right) or symbol in _COMPARISONS else attempts[:1]
    ):
        method = users_method(owner, name)
        if method is not None:
            result = operators().call(method, owner, other)
        else:
            result = getattr(type(owner), name, _missing)(owner, other)
        if result is not NotImplemented:
            return result
    if symbol == "==":
        return left is right
    if symbol == "!=":
        return left is not right
    names = " and ".join(f"'{type(value).__name__}'" for value in (left, right))
    if symbol in _COMPARISONS:
        raise TypeError(f"'{symbol}' not supported between instances of {names}")
    shown = "** or pow()" if symbol == "**" else symbol
    raise TypeError(f"unsupported operand type(s) for {shown}: {names}")


def users_unary(symbol: str, value: Any) -> FunctionType | None:
    """The method of an operator with one operand that a user has written."""
    return users_method(value, _UNARY[symbol])


def users_update(symbol: str, target: Any) -> FunctionType | None:
    """The method of `target symbol= value` that a user has written."""
    return users_method(target, f"__i{NAMES[symbol.removesuffix('=')]}__")


def _names(symbol: str) -> tuple[str, str]:
    if symbol in _COMPARISONS:
        return _COMPARISONS[symbol]
    return f"__{NAMES[symbol]}__", f"__r{NAMES[symbol]}__"


def _has_ne(left: Any, right: Any) -> bool:
    """Whether a user has written `__ne__`, which otherwise is the opposite of `__eq__`."""
    return any(users_method(value, "__ne__") is not None for value in (left, right))


def _missing(owner: Any, other: Any) -> Any:
    return NotImplemented


__all__ = ["call_operator", "has_users_operator", "users_method", "users_unary", "users_update"]
