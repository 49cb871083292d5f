"""What converted code may ask an exception that it caught when it runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from .....dialect.types import TensorType
from ....runtime_values.exception_callbacks import is_instance_of
from ....runtime_values.kept_exceptions import UnknownException
from ....runtime_values.values import Frozen
from ....tracing.array import TracedArray
from ....tracing.staging import host_call
from ..statements.statements import current


def is_caught(error: UnknownException, kinds: Any) -> TracedArray:
    """Whether an exception whose class is known at run time belongs to some classes."""
    trace = current()
    frozen = Frozen(trace, (error,))
    call = is_instance_of(frozen.thaw, kinds)
    (found,) = host_call(trace, call, frozen.operands, [TensorType((), np.dtype(bool))])
    return found._like_python(bool)


__all__ = ["is_caught"]
