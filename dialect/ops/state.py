"""Mutable cells, and the op that ends a call with an error."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ..errors import PythonNumberError, WeftTypeError, WeftValueError, format_message
from ..op import (
    Array,
    Attributes,
    Cost,
    Effect,
    ExtentSource,
    Op,
    Operand,
    Operands,
    RefType,
    String,
    TensorType,
    axis_of,
)


class AllocRef(Op, name="alloc_ref", family="state", cost=Cost.CHEAP):
    """Make a mutable cell that holds a tensor."""

    initial: Operand
    effects = (Effect.ALLOCATE,)

    @staticmethod
    def infer(initial: TensorType) -> RefType:
        return RefType(initial)

    @staticmethod
    def extent_source(types: Sequence[TensorType], attributes: Attributes, axis: int) -> ExtentSource:
        return None  # what is written later may be of another extent


class ReadRef(Op, name="read_ref", family="state", cost=Cost.CHEAP):
    """Read the tensor that a cell holds now."""

    ref: Operand
    effects = (Effect.READ,)
    extent_source = axis_of(0)

    @staticmethod
    def infer(ref: RefType) -> TensorType:
        if not isinstance(ref, RefType):
            raise WeftTypeError(f"weft.read_ref reads a !weft.ref, not {ref}")
        return ref.tensor


class WriteRef(Op, name="write_ref", family="state", cost=Cost.CHEAP):
    """Replace the tensor that a cell holds."""

    ref: Operand
    value: Operand
    results = 0
    effects = (Effect.WRITE,)

    @staticmethod
    def infer(ref: RefType, value: TensorType) -> None:
        if not isinstance(ref, RefType) or ref.tensor != value:
            raise WeftTypeError(f"weft.write_ref cannot write {value} to {ref}")


class RaiseIf(Op, name="raise_if", family="state", cost=Cost.CHEAP):
    """End the call with a Python exception when the condition holds; `message` is formatted with the values."""

    condition: Operand
    values: Operands
    error: String
    message: String
    results = 0
    effects = (Effect.CONTROL,)

    @staticmethod
    def infer(condition: TensorType, values: tuple[TensorType, ...], error: str, message: str) -> None:
        # After the lowering a boolean is an i8 in memory; the op itself stays for the backend.
        if condition.rank != 0 or condition.dtype.name not in ("bool", "int8"):
            raise WeftTypeError(f"weft.raise_if needs a bool[] condition, not {condition}")
        for value in values:
            if value.rank != 0 or value.dtype.name != "int64":
                raise WeftTypeError(f"weft.raise_if formats i64[] values, not {value}")
        exception_type(error)
        if not _shows(message, len(values)):
            raise WeftValueError(f"weft.raise_if cannot show {len(values)} values as {message!r}")

    @staticmethod
    def evaluate(condition: Array, values: tuple[Array, ...], error: str, message: str) -> tuple[Array, ...]:
        if condition:
            raise exception_type(error)(format_message(message, values))
        return ()


_BRACES = re.compile(r"\{\{|\}\}|(\{(\d{0,2})(?::float(?:16|32|64))?\})", re.ASCII)
"""Braces, and numbers in them: nothing else of what `str.format` takes, as messages come from files, too."""


def _shows(message: str, count: int) -> bool:
    """Whether a message is a text that shows some of so many numbers: by place, or one after the other."""
    rest = _BRACES.sub("", message)
    places = [found[2] for found in _BRACES.finditer(message) if found[1]]
    counted = [int(place) for place in places if place]
    if "{" in rest or "}" in rest or (counted and len(counted) < len(places)):
        return False
    return max(counted, default=len(places) - 1) < count


EXCEPTIONS: dict[str, type[Exception]] = {
    error.__name__: error
    for error in (
        IndexError,
        ValueError,
        TypeError,
        ZeroDivisionError,
        OverflowError,
        FloatingPointError,
        ArithmeticError,
        AssertionError,
        AttributeError,
        KeyError,
        LookupError,
        NotImplementedError,
        RuntimeError,
        Exception,
        NameError,
        UnboundLocalError,
        MemoryError,
        RecursionError,
        np.linalg.LinAlgError,
        StopIteration,
        WeftValueError,
        PythonNumberError,
    )
}
"""The exceptions that compiled code may raise, by name."""


def exception_type(name: str) -> type[Exception]:
    """The exception class that an `error` attribute names."""
    if name not in EXCEPTIONS:
        raise WeftTypeError(f"weft.raise_if cannot raise {name}; it can raise {', '.join(EXCEPTIONS)}")
    return EXCEPTIONS[name]
