"""What functions and classes are: their code, which are registered as subclasses, what generic functions call."""

from __future__ import annotations

import types
import weakref
from collections.abc import Callable
from typing import Any

from ..signature.signature import static_key
from ..source.plain_items import contents
from .guards import Guard
from .handles import Handle, Owner
from .unbound import UNBOUND


class Code(Guard):
    """The code of a function that a trace has recorded, and its defaults where nothing can change in them.

    It compares no value, as functions that are recorded are told by their code anyway.
    """

    handles = ()

    def __init__(self, handle: Owner) -> None:
        super().__init__(handle)
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

    def changed_place(self) -> tuple[Handle, tuple[Any, ...]] | None:
        return None


def has_plain_defaults(function: types.FunctionType) -> bool:
    """Whether the defaults of a function are values that hold nothing."""
    return all(isinstance(value, _PLAIN) for value in function.__defaults__ or ())


_PLAIN = (int, float, complex, str, bytes, type(None))


class Answer(Guard):
    """What Python answers to a question about some classes and functions, which has no place of its own."""

    handles = ()

    def __init__(self, words: str, ask: Callable[..., Any], *about: Any) -> None:
        self._words = words
        """What is asked, for people."""
        self._ask = ask
        self._about = tuple(map(weakref.ref, about))
        self._answer = ask(*about)

    def holds(self) -> bool:
        return not self.is_gone() and bool(self._ask(*(known() for known in self._about)) == self._answer)

    def is_gone(self) -> bool:
        return any(known() is None for known in self._about)

    def changed(self) -> str:
        return f"{self._words} changed"

    def changed_place(self) -> tuple[Handle, tuple[Any, ...]] | None:
        return None


def subclass(kind: type, classes: tuple[type, ...]) -> Answer:
    """Whether a class is one of abstract ones, with which it may be registered."""
    names = " or ".join(other.__name__ for other in classes)
    words = f"whether {kind.__name__} is a subclass of {names}"
    return Answer(words, lambda kind, *others: [issubclass(kind, other) for other in others], kind, *classes)


def dispatched(function: types.FunctionType, kind: type) -> Answer:
    """The function that a generic one calls for a class."""
    words = f"what {function.__name__} calls for a class"
    return Answer(words, lambda function, kind: static_key(function.dispatch(kind)), function, kind)


def decimal_context() -> Answer:
    """The settings by which decimal numbers are computed, of the thread that runs."""
    return Answer("the context of decimal", _decimal_settings)


def _decimal_settings() -> Any:
    import decimal

    context = decimal.getcontext()
    traps = {signal for signal, is_trapped in context.traps.items() if is_trapped}
    return context.prec, context.rounding, context.Emin, context.Emax, context.capitals, context.clamp, traps


def is_decimal(value: Any) -> bool:
    """Whether a value is a decimal number, holds some, or is what computes with them."""
    if isinstance(value, (list, tuple, dict)):
        entries = contents(value)
        return any(type(entry).__module__ == "decimal" for entry in entries)
    module = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", None)
    return module in ("decimal", "_decimal", "_pydecimal")
