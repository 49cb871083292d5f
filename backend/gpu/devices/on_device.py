"""What arrays on devices have in common, for those who ask whether a value is one; to ask loads no driver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


class OnDevice:
    """A value that lies on a GPU."""

    __slots__ = ()

    @property
    def device(self) -> str:
        """Where it lies, as "cuda:0"."""
        raise NotImplementedError

    @property
    def described(self) -> np.ndarray[Any, Any]:
        """Its memory as an array of which no element may be read."""
        raise NotImplementedError

    def ready_on(self, stream: Any) -> int:
        """The address, once a stream waits for what others were asked to do with the memory."""
        raise NotImplementedError

    def viewed(self, view: Callable[[Any], Any]) -> OnDevice:
        """The view that a function takes of the description of the memory."""
        raise NotImplementedError

    def contiguous(self) -> OnDevice:
        """Itself if its elements follow each other in C order, else a copy in which they do."""
        raise NotImplementedError


ARRAYS = (np.ndarray, OnDevice)
"""The classes of arrays that are data."""


def memory_of(value: Any) -> Any:
    """What tells how an array lies in memory: its description where it lies on a device."""
    return value.described if isinstance(value, OnDevice) else value


_GPU_KINDS = (2, 13)
"""The kinds of devices of DLPack that are GPUs of CUDA: their own memory, and memory that the host may use, too."""


def is_foreign_array_on_gpu(value: Any) -> bool:
    """Whether an object of another library holds memory of a GPU, as far as the protocols tell."""
    kind = type(value)
    if isinstance(value, np.ndarray):
        return False
    if hasattr(kind, "__dlpack_device__"):  # this first, as it never raises and takes less time
        return int(value.__dlpack_device__()[0]) in _GPU_KINDS
    if hasattr(kind, "__cuda_array_interface__") or "__cuda_array_interface__" in getattr(
        value, "__dict__", ()
    ):
        try:
            return getattr(value, "__cuda_array_interface__", None) is not None
        except (RuntimeError, TypeError):  # of tensors that need gradients, which lie on a GPU or not
            pass
    return False
