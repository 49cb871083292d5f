"""What converted code may ask an exception that it caught when it runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from .....dialect.errors import AxisError, WeftIndexError, WeftTypeError, WeftValueError
from .....dialect.types import TensorType
from ....runtime_values.exception_callbacks import is_instance_of
from ....runtime_values.kept_exceptions import UnknownException
from ....runtime_values.values import Frozen
from ....tracing.array import TracedArray
from ....tracing.current import required_trace
from ....tracing.staging import host_call


def is_caught(error: UnknownException, kinds: Any) -> TracedArray:
    """Whether an exception whose class is known at run time belongs to some classes."""
    trace = required_trace()
    frozen = Frozen(trace, (error,))
    call = is_instance_of(frozen.thaw, kinds)
    (found,) = host_call(trace, call, frozen.operands, [TensorType((), np.dtype(bool))])
    return found._like_python(bool)


_CLASSES: dict[type, type[Exception]] = {
    WeftIndexError: IndexError,
    WeftTypeError: TypeError,
    WeftValueError: ValueError,
    AxisError: np.exceptions.AxisError,
}
"""The classes of what is raised in the place of Python or NumPy, and theirs."""


def as_in_programs(error: BaseException) -> BaseException:
    """An exception as a handler of the program sees it: it may show the class, or compare it."""
    kind = _CLASSES.get(type(error))
    if kind is None:
        return error
    made = kind(*error.args)
    made.__cause__, made.__context__ = error.__cause__, error.__context__
    made.__suppress_context__ = error.__suppress_context__
    return made.with_traceback(error.__traceback__)
