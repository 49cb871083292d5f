"""What stands for an array while a program is recorded, and what holds one, as far as those below know them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...dialect.types import TensorType


class TracedValue:
    """Something that is known by its type only, while a trace is recorded."""

    __slots__ = ()

    @property
    def type(self) -> TensorType:
        """The tensor type."""
        raise NotImplementedError


class CompositeValue:
    """Stands in a trace for an array whose elements compiled code holds in other arrays: dates, records, texts."""

    __slots__ = ("dtype", "parts")
    __array_priority__ = 2000

    def __init__(self, dtype: np.dtype[Any], parts: tuple[Any, ...]) -> None:
        self.dtype = dtype
        self.parts = parts
        """The arrays that hold it, as its dtype says."""

    @property
    def shape(self) -> tuple[Any, ...]:
        """The shape of the array."""
        raise NotImplementedError

    @property
    def is_one_text(self) -> bool:
        """Whether it is a text of NumPy's, which Python's are equal to, look for, and find entries of dicts by."""
        return False

    @property
    def length(self) -> Any:
        """How many characters a text has."""
        raise NotImplementedError

    def holds(self, text: Any) -> Any:
        """Whether another text, which is known, is part of this one."""
        raise NotImplementedError

    def is_in(self, text: Any) -> Any:
        """Whether a text is part of another one, which is known."""
        raise NotImplementedError

    def example(self) -> Any:
        """What NumPy would have, as far as its class tells."""
        raise NotImplementedError


class ArrayHolder:
    """A base of classes whose objects hold one array each, in `value`, and compute as that: variables of libraries.

    Compiled functions read and write the array as data of each call, and gradients are asked for by the object, as for
    a `weft.Variable`, in which it best keeps the array: that knows of traces and tapes.

    >>> class Weight(weft.ArrayHolder):
    ...     def __init__(self, initial):
    ...         self.held = weft.Variable(initial)
    ...     @property
    ...     def value(self):
    ...         return self.held.value
    >>> weight = Weight([1.0, 2.0])
    >>> with weft.GradientTape() as tape:
    ...     loss = weft.sum(weight) * 3
    >>> tape.gradient(loss, weight)
    array([3., 3.])
    """

    __slots__ = ()

    @property
    def value(self) -> Any:
        """The array; what stands for it while a trace is recorded."""
        raise NotImplementedError


class TracedItems:
    """A list whose items stand in arrays while a program is recorded."""

    __slots__ = ()

    def stacked(self) -> Any:
        """All items as one array, along a new first axis."""
        raise NotImplementedError


class ByValue:
    """Base of constants among arguments that are compared by `==`, not by identity."""

    __slots__ = ()


def held(value: Any) -> Any:
    """The array that an object holds; any other value as it is."""
    return value.value if isinstance(value, ArrayHolder) else value
