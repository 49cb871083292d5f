"""The deques that a trace finds, among its arguments or elsewhere: what stands for them holds their items in a list."""

from __future__ import annotations

from collections import deque
from typing import Any

from ..autograph.library.deques import Deque


class OutsideDeques:
    """What stands for each deque that was there before one trace."""

    def __init__(self) -> None:
        self.made: dict[int, tuple[deque[Any], Deque]] = {}
        """The deques by their identities, with what stands for them."""

    def stand_in(self, value: Any) -> Any:
        """What stands for a deque, and for those in it; other values are themselves."""
        if type(value) is not deque:
            return value
        if id(value) not in self.made:
            made = Deque((), value.maxlen)
            self.made[id(value)] = value, made
            made.items_of().extend(map(self.stand_in, value))
        return self.made[id(value)][1]

    def original(self, made: Any) -> deque[Any] | None:
        """The deque that an object stands for, by the identity of that object; None where it stands for none."""
        return next((value for value, stand_in in self.made.values() if id(stand_in) == made), None)
