"""What stores changes of Python's state in the middle of a call; loaded without anything that traces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...dialect.records import NamedTuple
from ..guards.handles import running
from .updates import Updates


class StoredValue(NamedTuple):
    """A value that is made of some of the operands of the call that stores it."""

    first: int
    last: int
    thaw: Callable[[Sequence[Any]], Sequence[Any]]

    def with_found(self, leaves: Sequence[Any], bound: Any) -> Sequence[Any]:
        """The arrays of the call: nothing is found in it."""
        return leaves

    def build(self, outputs: Sequence[Any], leaves: Sequence[Any]) -> Any:
        """The value of a call."""
        return self.thaw(outputs[self.first : self.last])[0]


def storing(updates: Updates) -> Callable[..., None]:
    """A function that makes the changes of the call that runs, from the arrays that it is called with."""

    def store(*arrays: Any) -> None:
        updates.require_apart(running.bound)
        updates.apply(arrays, (), running.bound)

    return store
