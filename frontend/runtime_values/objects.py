"""Python objects that are known only when the compiled function runs: the attributes of an exception that it caught."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, NoReturn

import numpy as np

from ...dialect.errors import ConcreteValueError
from ...dialect.types import TensorType
from ..tracing.current import required_trace
from ..tracing.number_types import number_type
from ..tracing.staging import host_call
from .kept_exceptions import held_of
from .outside_traces import only_computes, outside_traces
from .strings import RuntimeString
from .values import Frozen, RuntimeValue, is_unborn


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


def attribute_of(error: BaseException, name: str) -> Any:
    """An attribute of a caught exception: a number or text where that is known of it."""
    held = held_of(error)
    shown = f"{type(error).__name__}.{name}"
    if name == "args" and ("args",) in held:
        whole = RuntimeObject(error, attrgetter("args"), shown)
        return tuple(_known(whole[k], held["args", k]) for k in range(held["args",]))
    return _known(RuntimeObject(error, attrgetter(name), shown), held.get((name, None)))


TEXT = "text"
"""What is known of a value that is a text."""


def held_by(error: BaseException) -> tuple[tuple[Any, Any], ...]:
    """What is known of the arguments and attributes of an exception that is raised: numbers of which types, texts."""
    if is_unborn(error):
        return ()
    attributes = {name: value for name, value in vars(error).items() if not name.startswith("_")}
    return (
        (("args",), len(error.args)),
        *((("args", k), _kind_of(value)) for k, value in enumerate(error.args)),
        *(((name, None), _kind_of(value)) for name, value in attributes.items()),
    )


def _kind_of(value: Any) -> Any:
    """The dtype and the type in Python of a number, `TEXT`, or None where neither is known."""
    if isinstance(value, (str, RuntimeString)):
        return TEXT
    number = number_type(value)
    if number is None and not isinstance(value, np.generic) and not getattr(value, "_is_scalar", False):
        return None
    dtype = np.result_type(value) if number is None or not isinstance(value, number) else np.dtype(number)
    is_held = dtype.kind in "biufc" and not (isinstance(value, int) and abs(value) >= 1 << 63)
    return (str(dtype), number) if is_held else None


def _known(value: RuntimeObject, kind: Any) -> Any:
    """A part of an exception as what is known of it."""
    if kind is None:
        return value
    if kind == TEXT:
        return RuntimeString(required_trace(), (value,), str, repr(value))
    name, number = kind
    frozen, dtype = Frozen(required_trace(), (value,)), np.dtype(name)
    thaw = frozen.thaw

    def take(*arrays: Any) -> list[Any]:
        return [np.asarray(thaw(arrays)[0], dtype)]

    call = only_computes(outside_traces(take, "except"))
    (found,) = host_call(required_trace(), call, frozen.operands, [TensorType((), dtype)])
    return found if number is None else found._like_python(number)


def class_of(error: BaseException) -> RuntimeObject:
    """The class of a caught exception."""
    return RuntimeObject(error, type, "the class of an exception")
