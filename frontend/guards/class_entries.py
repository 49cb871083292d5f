"""What classes hold: what a trace found there is looked up again at each call."""

from __future__ import annotations

import types
from collections.abc import Sequence
from typing import Any

from ..source.modules import is_users_module
from .guards import Compared, Skip, reference_to
from .handles import Bound, Handle, Member


def defining_class(kind: type, name: str) -> type | None:
    """The class that defines a name for a class and its instances, if it is one of the user's; else None."""
    found = next((base for base in kind.__mro__ if name in vars(base)), None)
    return found if found is not None and is_users_module(found.__module__) else None


class ClassNames(Handle):
    """All that a class itself defines."""

    __slots__ = ("kind",)

    def __init__(self, kind: type) -> None:
        super().__init__(f"the attributes of {kind.__name__}")
        self.kind = kind

    def __reduce__(self) -> tuple[Any, ...]:
        return ClassNames, (self.kind,)

    def get(self, bound: Bound | None = None) -> Any:
        return dict(vars(self.kind))


class Method(Compared):
    """An attribute that is a method of a function, which is held weakly."""

    __slots__ = ("reference",)

    def __init__(self, handle: Member, method: types.MethodType) -> None:
        self.handle: Member = handle
        self.reference = reference_to(method.__func__)

    def __reduce__(self) -> tuple[Any, ...]:
        return _method_now, (self.handle,)

    def looks_at(self) -> Sequence[tuple[Handle, Skip]]:
        return [(self.handle, None)]  # what it is is part of the class

    def holds(self) -> bool:
        method = self.handle.get()
        return type(method) is types.MethodType and method.__func__ is self.reference()

    def is_gone(self) -> bool:
        return self.reference() is None

    def changed(self) -> str:
        return f"the method {self.handle.name} is another function"


def _method_now(handle: Member) -> Method:
    return Method(handle, handle.get())
