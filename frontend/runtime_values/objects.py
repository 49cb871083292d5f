"""Python objects that are known only when the compiled function runs: the attributes of an exception that it caught."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ...dialect.errors import ConcreteValueError
from .values import RuntimeValue


class RuntimeObject(RuntimeValue):
    """Something that is made of a value known at run time only; its attributes and items are alike."""

    __slots__ = ("_make", "_owner", "_shown")

    def __init__(self, owner: Any, make: Callable[[Any], Any], shown: str) -> None:
        """It is `make(owner)`; `shown` is for people who look while tracing."""
        self._owner = owner
        self._make = make
        self._shown = shown

    def at_run_time(self) -> tuple[Any, Callable[[Any], Any]]:
        """The owner to freeze, and what makes the object of it."""
        return self._owner, self._make

    def __getattr__(self, name: str) -> RuntimeObject:
        if name.startswith("__") and name not in _SHOWN:
            raise AttributeError(f"a value known at run time has no {name}")
        return RuntimeObject(self, lambda owner: getattr(owner, name), f"{self._shown}.{name}")

    def __getitem__(self, key: Any) -> RuntimeObject:
        shown = f"{self._shown}[{key!r}]"
        return RuntimeObject((self, key), lambda parts: parts[0][parts[1]], shown)

    def __repr__(self) -> str:
        return f"<{self._shown}, known at run time>"

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise ConcreteValueError(
            f"{self!r} is part of an exception that was caught when the compiled function runs. Print it, put it into "
            "a text, raise it, or pass it to weft.py_call"
        )

    __str__ = __bool__ = __len__ = __iter__ = __contains__ = __format__ = __call__ = __hash__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __int__ = __float__ = __index__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __array_ufunc__ = __array_function__ = __array__ = __neg__ = __abs__ = _refuse


_SHOWN = ("__cause__", "__context__", "__module__", "__name__", "__qualname__")
"""The attributes with two underscores that are the user's business."""


def attribute_of(error: BaseException, name: str) -> RuntimeObject:
    """An attribute of a caught exception."""
    return RuntimeObject(error, lambda caught: getattr(caught, name), f"{type(error).__name__}.{name}")


def class_of(error: BaseException) -> RuntimeObject:
    """The class of a caught exception."""
    return RuntimeObject(error, type, "the class of an exception")
