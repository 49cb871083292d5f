"""What a recording asks of the state of Python that was there before it: arrays, attributes, functions."""

from __future__ import annotations

from types import FunctionType
from typing import Any, Protocol

from ..signature.traced_value import TracedValue


class ExternalState(Protocol):
    """The state that was there before the recording: what is read of it becomes guards and inputs."""

    def input_of(self, array: Any) -> TracedValue | None:
        """The traced array that stands for an array which was there before; None for another one."""

    def data_of(self, array: Any) -> TracedValue | None:
        """As `input_of`, also for an array under a name that held another one before."""

    def writable(self, array: Any) -> Any:
        """The traced array to write to in the place of one that was there before."""

    def attribute(self, owner: Any, name: str, value: Any) -> Any:
        """Take note that an attribute is read; returns what the recording works with."""

    def meet(self, function: FunctionType) -> None:
        """Guard what the code of a function reads by name, before it runs for the first time."""

    def include_in(self, snapshot: Any) -> None:
        """Let a snapshot remember all that was met so far and can be changed."""

    def has_changed(self) -> bool:
        """Whether the recording changed anything of it so far."""

    def store_now(self) -> None:
        """Record that the call stores here what it changed so far: it ends with an exception."""


__all__ = ["ExternalState"]
