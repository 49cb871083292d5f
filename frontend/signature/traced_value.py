"""What stands for an array while a program is recorded, as far as those below the recording know it."""

from __future__ import annotations

from ...dialect.types import TensorType


class TracedValue:
    """Something that is known by its type only, while a trace is recorded."""

    __slots__ = ()

    @property
    def type(self) -> TensorType:
        """The tensor type."""
        raise NotImplementedError


__all__ = ["TracedValue"]
