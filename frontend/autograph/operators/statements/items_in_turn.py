"""Generator expressions whose items are made in turn, for what may end before it has asked for all of them.

Such are those that a `for` statement walks and those that `next` gets; what other functions get they walk to the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .....dialect.errors import UnsupportedError
from ..branches.conditions import is_staged
from ..branches.exits import BREAK, Exit
from ..values.sequence_iterators import Held
from .for_loops import for_
from .generators import Consumer, Walk, first_of
from .statements import if_


class ItemsInTurn(Walk):
    """`element(item) for item in iterable if condition(item)`; with `flat`, what `element` gives is walked too."""

    def __init__(
        self,
        iterable: Any,
        element: Callable[[Any], Any],
        condition: Callable[[Any], Any] | None,
        flat: bool,
    ) -> None:
        self._iterable = iterable
        self._element = element
        self._condition = condition
        self._flat = flat

    def feed(self, consumer: Consumer) -> None:
        self._fed(consumer)

    def _fed(self, consumer: Consumer) -> Any:
        """Give the items to a consumer; whether it has said to end."""
        has_ended: Any = False
        condition = self._condition

        def end() -> Exit:
            nonlocal has_ended
            has_ended = True
            return BREAK

        def give(item: Any) -> Exit:
            made = self._element(item)
            return if_(made._fed(consumer) if self._flat else consumer(made), end)

        for_(
            self._iterable,
            give if condition is None else lambda item: if_(condition(item), lambda: give(item)),
        )
        return has_ended

    def __iter__(self) -> Iterator[Any]:
        iterable = self._iterable.iterator if isinstance(self._iterable, Held) else self._iterable
        return lazily(iterable, self._element, self._condition, self._flat)

    def __weft_next__(self, *default: Any) -> Any:
        return first_of(self, default)


def lazily(
    iterable: Any, element: Callable[[Any], Any], condition: Callable[[Any], Any] | None, flat: bool
) -> Iterator[Any]:
    """The items of a generator expression, each made when it is asked for, as tracing knows which are taken."""
    for item in iterable:
        test = True if condition is None else condition(item)
        if is_staged(test):
            raise UnsupportedError(
                "a generator expression is asked for its items one by one, and only the program knows which of them "
                "are taken: write a while loop that counts, or walk it by a for statement"
            )
        if test and flat:
            yield from element(item)
        elif test:
            yield element(item)
