"""What a traced function returns: nested arrays are taken apart, what cannot be taken apart is refused."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError
from ..signature.generators import parts_of_generator
from ..signature.signature import Structure, constants, flatten_with
from ..signature.traced_value import ArrayHolder
from ..source.modules import is_own_module
from ..tracing.array import TracedArray
from .holders import parts_of_changeable
from .result_spec import list_of
from .values import RuntimeValue, holder_of, holds_traced

_CONTAINERS = "lists, tuples, dicts, namedtuples and dataclasses"


def flatten_results(
    value: Any,
    leaves: list[Any],
    is_found: Callable[[Any], bool] = lambda _: False,
    attributes_of: Callable[[Any], dict[str, Any] | None] = lambda _: None,
) -> Structure:
    """Take the value that a function returned apart; traced and NumPy arrays go to `leaves`, and what is found again.

    Everything else is a constant; a constant that holds traced arrays, or that would run the function's own code
    later, is an `UnsupportedError`.
    """
    try:
        structure = flatten_with(value, leaves, lambda part: _is_array(part) or is_found(part), attributes_of)
    except RecursionError:
        raise UnsupportedError(
            "the result is nested too deeply, through some hundreds of containers and objects; return the arrays and "
            "numbers in it"
        ) from None
    for constant in constants(structure):
        kind = type(constant).__qualname__
        if isinstance(constant, (Iterator, AsyncIterator, Awaitable)):
            raise UnsupportedError(
                f"the result holds a {kind} object, whose code would run after the tracing of the function has ended; "
                "return a list or a tuple"
            )
        if not isinstance(constant, ArrayHolder) and holds_traced(constant, depth=3):
            raise UnsupportedError(
                f"the result holds a traced array inside of a {kind} object, which weft.function cannot take apart; "
                f"return {_CONTAINERS}"
            )
    return structure


class RuntimeNone(RuntimeValue):
    """A value that is None where a condition holds at run time; AutoGraph's optional values are such."""

    __slots__ = ()
    is_none: TracedArray
    value: Any

    def at_run_time(self) -> tuple[Any, Callable[[Any], Any]]:
        """The condition and the value."""
        return (self.is_none, self.value), lambda parts: None if parts[0] else parts[1]


def present(value: Any) -> Any:
    """A value that is known not to be None where it is asked for, whatever a condition at run time may be."""
    return value.value if isinstance(value, RuntimeNone) else value


class RuntimeContainer(RuntimeValue):
    """A list, dict or set whose size is known at run time."""

    kind: Any
    """The abstract type of its items, None where there was none yet."""
    python_type: type
    candidates: tuple[Any, ...] = ()
    """The containers of which it is one in Python, as a condition or the number of iterations decides."""

    @property
    def heap(self) -> Any:
        """What its items lie in together with those of others, for one that is told by its place there."""
        return None

    @property
    def lies_in(self) -> tuple[Any, ...]:
        """The pools of lists, of which it is one or has some."""
        return ()

    def widen(self, kind: Any) -> None:
        """Have a wider abstract type from now on."""
        raise NotImplementedError

    def abstract_type(self) -> Any:
        """What is known of it while tracing, for one that is carried as a whole; else None."""
        return None

    def is_as_made(self) -> bool:
        """Whether it surely holds what the container of Python's did that became it."""
        return False

    def state(self) -> list[Any]:
        """What it holds now: others as soon as it is changed."""
        raise NotImplementedError

    def as_separate(self) -> RuntimeContainer:
        """Another one that holds the same, where it is one of several that lie together."""
        return self

    def as_now(self) -> Any:
        """One of its own that holds the same; itself where it never changes."""
        return self


class RuntimeObject(RuntimeValue):
    """An object of the program's of which there are as many as it makes; AutoGraph's pooled objects are such."""

    __slots__ = ()

    def in_pool(self) -> tuple[Any, Any]:
        """What it lies in, and its number there."""
        raise NotImplementedError


class RuntimeTable(RuntimeContainer):
    """A dict or set whose keys are known at run time; AutoGraph's tables are such."""

    make: Callable[[Any], Any]
    """Makes what Python has of the keys, or of pairs of keys and values."""

    def at_run_time(self) -> tuple[Any, Callable[[Any], Any]]:
        """The items, as a list."""
        return self.listed(), self.make

    def listed(self) -> RuntimeLength:
        """The keys of a set, or the pairs of keys and values of a dict."""
        raise NotImplementedError


class HeldInList(RuntimeValue):
    """A value that branches, loops and lists carry as a list of what it holds."""

    keys: tuple[Any, ...] = ()
    """What is known of it besides."""

    @classmethod
    def of(cls, items: Any) -> HeldInList:
        """One that holds what a value does."""
        raise NotImplementedError

    @classmethod
    def holding(cls, keys: tuple[Any, ...], items: Any) -> HeldInList:
        """One with such keys that holds a list."""
        raise NotImplementedError

    @staticmethod
    def made_of(keys: tuple[Any, ...], items: list[Any]) -> Any:
        """What Python has of the items, given the keys of its abstract type."""
        raise NotImplementedError


class RuntimeTuple(HeldInList):
    """A tuple whose length is known at run time; AutoGraph's grown tuples are such."""

    make = tuple

    def at_run_time(self) -> tuple[Any, Callable[[Any], Any]]:
        """The items, as a list."""
        return self.listed(), tuple

    @staticmethod
    def made_of(keys: tuple[Any, ...], items: list[Any]) -> Any:
        return tuple(items)

    def listed(self) -> RuntimeLength:
        """Its items."""
        raise NotImplementedError


class RuntimeLength(RuntimeContainer):
    """A list whose length is known at run time; AutoGraph's growing lists are such."""

    python_type = list

    def in_pools(self) -> tuple[Any, Callable[[Any, Sequence[Any]], Any]] | None:
        """Itself with numbers for what lies in pools, and what puts their lists in these places; None for none."""
        return None

    def at_run_time(self) -> tuple[Any, Callable[[Any], Any]]:
        """The items, stacked."""
        item, columns = self.columns()
        kinds = [is_python for _, is_python in columns]
        return [column for column, _ in columns], lambda arrays: list_of(item, arrays, kinds)

    def let_join(self, other: Any, is_new: bool = True) -> bool:
        """Let another list that may be in the place of this one become what is carried as this is; whether it did.

        It is new, or from before the branch or loop that is being recorded, which is recorded again then.
        """
        return False

    def columns(self) -> tuple[Structure, list[tuple[TracedArray, bool]]]:
        """The structure of an item, and for each array in it all of them stacked, and whether they are Python's."""
        raise NotImplementedError

    def origins(self) -> TracedArray | None:
        """Which of the caller's arrays each item is; None where no item is an array."""
        raise NotImplementedError


class RuntimeChoice(RuntimeValue):
    """One of several constants and objects, chosen at run time; AutoGraph's chosen values are such."""

    __slots__ = ()
    index: TracedArray
    options: tuple[Any, ...]
    held: frozenset[int]
    """The places of the options that are carried: arrays, and objects and lists by what they hold."""

    def at_run_time(self) -> tuple[Any, Callable[[Any], Any]]:
        """The index, and what is carried of the options."""
        constants = {n: option for n, option in enumerate(self.options) if n not in self.held}
        carried = {n: self.options[n] for n in sorted(self.held)}
        return (self.index, carried), lambda made: {**constants, **made[1]}[int(made[0])]


def _is_array(value: object) -> bool:
    if isinstance(value, ArrayHolder):
        return False
    if isinstance(value, (TracedArray, np.ndarray, np.generic, RuntimeValue)) or holder_of(value) is not None:
        return True
    if parts_of_generator(value) is not None:
        return True
    if parts_of_changeable(value) is not None:
        return type(value) is not set or not holds_traced(value, depth=3)
    if is_own_module(type(value).__module__) and hasattr(value, "sequence") and hasattr(value, "python_type"):
        raise UnsupportedError(
            f"the result holds what {value.python_type.__name__}() gives, whose items only the program makes; "
            "return a list of them"
        )
    return isinstance(value, BaseException) and holds_traced(value, depth=3)
