"""Arrays that lie on a GPU, where functions that make arrays are given them."""

from __future__ import annotations

from typing import Any

from ...backend.gpu.on_device import is_foreign_array_on_gpu
from ...dialect.dtypes import DTypeLike, as_dtype
from ...dialect.errors import WeftValueError
from ..tracing.current import current_trace


def array_on_gpu(value: Any, dtype: DTypeLike | None, copy: bool | None) -> Any:
    """What lies on a GPU as an array there, as `asarray` gives it; None for what does not, and in a trace."""
    if current_trace() is not None or not is_foreign_array_on_gpu(value):
        return None
    from ...backend.gpu.arrays.array import DeviceArray  # most programs need no driver
    from ...backend.gpu.arrays.foreign import foreign_array

    array: Any = value if isinstance(value, DeviceArray) else foreign_array(value)
    if dtype is None or as_dtype(dtype) == array.dtype:
        return array.copy() if copy else array
    if copy is False:
        raise WeftValueError("Unable to avoid copy while creating an array as requested.")
    return array.astype(dtype)


__all__ = ["array_on_gpu"]
