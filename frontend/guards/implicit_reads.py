"""What Python reads by itself of objects: in methods that operators, `len`, `in` and the like call.

Nothing tells a trace when `a + b` calls a method of a user's class, which is not converted, so all that such methods of
the objects met may read is taken to be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import FunctionType

from ..source.modules import is_plain_module, is_users_module
from ..source.name_uses import name_uses

_NOT_IMPLICIT = frozenset(
    {
        "__init__", "__new__", "__call__", "__repr__", "__str__", "__format__", "__del__", "__reduce__",
        "__getstate__", "__setstate__", "__init_subclass__", "__class_getitem__", "__copy__", "__deepcopy__", "__dir__",
        "__getitem__", "__reduce_ex__", "__sizeof__", "__post_init__",
    }
)  # fmt: skip
"""Methods that converted code calls in the open, or that run outside of traces."""


@cache
def implicit_reads(kind: type) -> frozenset[str]:
    """The attributes that the methods of a class read which Python calls by itself, and the methods these call."""
    found: set[str] = set()
    pending = [
        method for name, method in _methods(kind) if name.startswith("__") and name not in _NOT_IMPLICIT
    ]
    pending += [member.fset for member in vars(kind).values() if isinstance(member, property)]  # type: ignore[misc]
    methods = dict(_methods(kind))
    seen: set[FunctionType] = set()
    while pending:
        method = pending.pop()
        if not isinstance(method, FunctionType) or method in seen:
            continue
        seen.add(method)
        names = name_uses(method.__code__).attributes.all
        found |= names
        pending += [methods[name] for name in names if name in methods]
    return frozenset(found)


def _methods(kind: type) -> Iterator[tuple[str, FunctionType]]:
    """The methods that users wrote, those of base classes first; what stays as it is, is read but once."""
    for base in reversed(kind.__mro__):
        if is_users_module(base.__module__) and not is_plain_module(base.__module__):
            for name, member in vars(base).items():
                if isinstance(member, FunctionType) and member.__module__ == base.__module__:
                    yield name, member
