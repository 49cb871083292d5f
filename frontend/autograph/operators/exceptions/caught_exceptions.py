"""What converted code may ask an exception that it caught when it runs."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from .....dialect.types import TensorType
from ....runtime_values.exception_callbacks import is_instance_of
from ....runtime_values.objects import class_of
from ....runtime_values.values import Frozen
from ....tracing.array import TracedArray
from ....tracing.catcher import UnknownException
from ..statements.statements import current


def is_caught(error: UnknownException, kinds: Any) -> TracedArray:
    """Whether an exception whose class is known at run time belongs to some classes."""
    trace = current()
    frozen = Frozen(trace, (error,))
    call = is_instance_of(frozen.thaw, kinds)
    (found,) = trace.host_call(call, frozen.operands, [TensorType((), np.dtype(bool))])
    return found._like_python(bool)


def type_(*args: Any) -> Any:
    """`type`: that of an exception may be known at run time only."""
    if len(args) == 1 and isinstance(args[0], UnknownException):
        return class_of(args[0])
    return builtins.type(*args)


REPLACEMENTS: dict[Any, Callable[..., Any]] = {builtins.type: type_}
"""What converted code calls instead of a builtin."""

__all__ = ["REPLACEMENTS", "is_caught", "type_"]
