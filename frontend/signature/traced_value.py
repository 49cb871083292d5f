"""What stands for an array while a program is recorded, and what holds one, as far as those below know them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ...dialect.errors import UnsupportedError
from ...dialect.types import TensorType


class TracedValue:
    """Something that is known by its type only, while a trace is recorded."""

    __slots__ = ()

    @property
    def type(self) -> TensorType:
        """The tensor type."""
        raise NotImplementedError


COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
"""The comparison operators."""


class Compared:
    """A base of what is compared by one method, which gets the operator."""

    __slots__ = ()

    def _compared(self, symbol: str, other: Any) -> Any:
        raise NotImplementedError

    def __eq__(self, other: object) -> Any:
        return self._compared("==", other)

    def __ne__(self, other: object) -> Any:
        return self._compared("!=", other)

    def __lt__(self, other: Any) -> Any:
        return self._compared("<", other)

    def __le__(self, other: Any) -> Any:
        return self._compared("<=", other)

    def __gt__(self, other: Any) -> Any:
        return self._compared(">", other)

    def __ge__(self, other: Any) -> Any:
        return self._compared(">=", other)


class StandIn(Compared):
    """Stands for a list, dict, set or view of Python's, of which only the program knows what is in it.

    A new kind of container is a class that says what `length` and `holds` are, and has a sequence of its items
    (`__weft_items__`) and the methods of `python_type`, as far as there are such.
    """

    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 2000
    python_type: Any
    """What Python has in its place."""
    refusal = "{} is not supported for what only the program knows"
    """What is said of methods that there are not."""

    @property
    def length(self) -> Any:
        """The number of items, a traced int."""
        raise NotImplementedError

    def holds(self, item: Any) -> Any:
        """`item in self`."""
        raise NotImplementedError

    def __weft_items__(self) -> Any:
        raise NotImplementedError

    def __weft_truth__(self) -> Any:
        return np.greater(self.length, 0)

    def __bool__(self) -> NoReturn:
        bool(self.length > 0)
        raise AssertionError("a traced truth has no value")

    def __len__(self) -> int:
        return int(self.length)

    def __contains__(self, item: Any) -> bool:
        return bool(self.holds(item))

    @property
    def in_python(self) -> Any:
        """What Python has in its place, with nothing in it."""
        return self.python_type()

    def __getattr__(self, name: str) -> Any:
        getattr(self.in_python, name)  # raises what Python does
        if name.startswith("__"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute {name!r}")
        self.refuse(f"{name}()")

    def refuse(self, what: str) -> NoReturn:
        """Raise for what it cannot do."""
        raise UnsupportedError(self.refusal.format(what))


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
