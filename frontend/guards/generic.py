"""What functions and classes are: their code, which are registered as subclasses, what generic functions call."""

from __future__ import annotations

import types
import weakref
from typing import Any

from .guards import Guard, reference_to
from .handles import Owner
from .unbound import UNBOUND


class Code(Guard):
    """The code of a function that a trace has recorded, and its defaults where nothing can change in them.

    It looks at no handle, as functions that are recorded are told by their code anyway.
    """

    __slots__ = ("code", "defaults", "handle")

    def __init__(self, handle: Owner) -> None:
        self.handle = handle
        function = handle.get()
        self.code = function.__code__
        self.defaults = function.__defaults__ if has_plain_defaults(function) else UNBOUND
        """UNBOUND where what is in them is compared by another guard."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Code, (self.handle,)

    def holds(self) -> bool:
        function = self.handle.get()
        return function is not UNBOUND and (
            function.__code__ is self.code
            and (self.defaults is UNBOUND or function.__defaults__ is self.defaults)
        )

    def is_gone(self) -> bool:
        return self.handle.is_gone()

    def changed(self) -> str:
        is_code = getattr(self.handle.get(), "__code__", None) is not self.code
        return f"the {'code' if is_code else 'defaults'} of {self.handle.name} changed"


def has_plain_defaults(function: types.FunctionType) -> bool:
    """Whether the defaults of a function are values that hold nothing."""
    return all(isinstance(value, _PLAIN) for value in function.__defaults__ or ())


_PLAIN = (int, float, complex, str, bytes, type(None))


class Subclass(Guard):
    """Whether a class is one of abstract ones, with which it may be registered."""

    __slots__ = ("_answers", "_classes", "_kind")

    def __init__(self, kind: type, classes: tuple[type, ...]) -> None:
        self._kind = weakref.ref(kind)
        self._classes = tuple(map(weakref.ref, classes))
        self._answers = self._now()

    def _now(self) -> Any:
        kind, classes = self._kind(), [reference() for reference in self._classes]
        if kind is None or None in classes:
            return None
        return [issubclass(kind, other) for other in classes if other is not None]

    def holds(self) -> bool:
        return bool(self._now() == self._answers)

    def is_gone(self) -> bool:
        return self._now() is None

    def changed(self) -> str:
        kind, classes = self._kind(), [reference() for reference in self._classes]
        names = " or ".join(other.__name__ for other in classes if other is not None)
        return f"whether {'a class' if kind is None else kind.__name__} is a subclass of {names} changed"


class Dispatched(Guard):
    """The function that a generic one calls for a class."""

    __slots__ = ("_found", "_function", "_kind", "_name")

    def __init__(self, function: types.FunctionType, kind: type, found: Any) -> None:
        self._name = function.__name__
        self._function = weakref.ref(function)
        self._kind = weakref.ref(kind)
        self._found = reference_to(found)

    def holds(self) -> bool:
        function: Any = self._function()
        kind = self._kind()
        if function is None or kind is None:
            return False
        return function.dispatch(kind) is self._found()

    def is_gone(self) -> bool:
        return self._function() is None or self._kind() is None or self._found() is None

    def changed(self) -> str:
        return f"what {self._name} calls for a class changed"


class DecimalContext(Guard):
    """The settings by which decimal numbers are computed, of the thread that runs."""

    __slots__ = ("_settings",)

    def __init__(self) -> None:
        self._settings = _decimal_settings()

    def holds(self) -> bool:
        return bool(_decimal_settings() == self._settings)

    def changed(self) -> str:
        return "the context of decimal changed"


def _decimal_settings() -> Any:
    import decimal

    context = decimal.getcontext()
    traps = {signal for signal, is_trapped in context.traps.items() if is_trapped}
    return context.prec, context.rounding, context.Emin, context.Emax, context.capitals, context.clamp, traps


def is_decimal(value: Any) -> bool:
    """Whether a value is a decimal number, holds some, or is what computes with them."""
    if isinstance(value, (list, tuple, dict)):
        entries = value.values() if isinstance(value, dict) else value
        return any(type(entry).__module__ == "decimal" for entry in entries)
    module = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    return module in ("decimal", "_decimal", "_pydecimal")
