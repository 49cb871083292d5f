"""Objects with a state that only Python sees: iterators, queues, buffers, files, the environment.

A recording sees what changes in variables, attributes, lists, dicts, sets and arrays, but not in these. One that
converted code made may be used where it was made, as that happens once both while tracing and when the program runs.
One from outside would be used up once for all calls, and one that is used inside of a staged branch or loop once for
all its runs.
"""

from __future__ import annotations

import array
import collections
import contextlib
import io
import warnings
from collections.abc import Callable, Iterable
from enum import Enum
from types import FunctionType, GeneratorType
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError, with_article
from ....guards.call_effects import varying_object
from ....signature.generators import GeneratorStandIn
from ....source.modules import is_own_module, is_users_object, told
from ....tracing.array import TracedArray
from ....tracing.recorder import Recorder
from ....tracing.regions import Region


class MadeObjects:
    """The objects with a hidden state that one recording made, and where."""

    def __init__(self) -> None:
        self.places: dict[int, tuple[Any, Region | None]] = {}
        """None for what was walked by a loop that ended at run time."""
        self.joined: set[int] = set()
        """The identities of those that stand for objects of several paths."""


_BUFFERS = (
    collections.deque, array.array, bytearray, io.StringIO, io.BytesIO, contextlib.ExitStack, np.errstate,
    warnings.catch_warnings,
)  # fmt: skip


def has_hidden_state(value: Any) -> bool:
    """Whether an object has a state that a recording does not see."""
    kind = type(value)
    if isinstance(value, _BUFFERS):
        return True
    if isinstance(value, memoryview):
        return not isinstance(value.obj, bytes)
    advance = told(kind, "__next__")
    is_written_in_python = isinstance(advance, FunctionType)
    return advance is not None and not is_written_in_python and not _is_known(kind)


def _is_known(kind: type) -> bool:
    return is_own_module(kind.__module__) or kind.__module__.partition(".")[0] == "numpy"


def note_made(trace: Recorder, made: Any, given: Iterable[Any] = ()) -> None:
    """Take note of an object that converted code has just made; one that it was given is none, nor are members.

    An enumeration has these before it is asked for one.
    """
    if isinstance(made, Enum):
        return
    is_noted = has_hidden_state(made) or isinstance(made, np.ndarray) or is_users_object(made)
    if is_noted and not any(made is value for value in given):
        trace.state(MadeObjects).places.setdefault(id(made), (made, trace.region))


def was_there(trace: Recorder, value: Any) -> bool:
    """Whether an object is one for all runs of what is being recorded: it was there before, or was made around it."""
    if trace.python_state is not None and trace.python_state.knows(value):
        return True
    made, place = trace.state(MadeObjects).places.get(id(value), (None, None))
    region: Region | None = trace.region
    while region is not None and region is not place:
        region = region.parent
    return made is value and region is not None


def note_walked(trace: Recorder, iterator: Any) -> None:
    """Take note that a loop walks an iterator whose end is known when the program runs, and so what it leaves."""
    if isinstance(iterator, Walked):
        iterator.leave()
    elif has_hidden_state(iterator):
        trace.state(MadeObjects).places[id(iterator)] = (iterator, None)


def require_followed(iterator: Any) -> None:
    """Refuse an iterator whose end is an exception that a branch would have to raise."""
    if isinstance(iterator, Items):
        raise UnsupportedError(
            "a loop over an iterator with a __next__ in Python is ended by run-time values, which then decide on every "
            "further call of __next__: write __iter__ as a generator function (with yield), or walk a list of the items"
        )


def acts(iterator: Any) -> bool:
    """Whether asking an iterator for an item may run code of the user's."""
    return isinstance(iterator, (Walked, GeneratorType, map, filter)) or (
        has_hidden_state(iterator) and type(iterator).__module__ == "itertools"
    )


def state_of(iterator: Any) -> list[Any]:
    """What asking an iterator for an item may change."""
    if isinstance(iterator, GeneratorType):
        return [] if iterator.gi_frame is None else list(iterator.gi_frame.f_locals.values())
    return [iterator]


class Walked:
    """An iterator that is told when a loop may have left it."""

    def leave(self) -> None:
        """Note that it is not known which items are left."""
        raise NotImplementedError


_LISTS_IN_MEMORY = (array.array, bytearray, memoryview)
"""What holds numbers in memory, but is no array."""


def require_own(trace: Recorder | None, value: Any, changes: bool = True) -> None:
    """Refuse to look into an object with a hidden state, or to change one, unless that is the same at each call."""
    if trace is None or isinstance(value, GeneratorStandIn):
        return
    if (why := varying_object(value)) is not None:
        raise UnsupportedError(
            f"this uses {with_article(type(value).__qualname__)} object, which {why}, and would do so once, while "
            f"the function is traced: {INSTEAD.format('use it')}"
        )
    if not has_hidden_state(value):
        return
    made = trace.state(MadeObjects).places.get(id(value))
    kind = type(value).__qualname__
    if made is None or made[0] is not value:
        taken = (
            "np.asarray(x), which shares its memory"
            if isinstance(value, _LISTS_IN_MEMORY)
            else "next(x), list(x)"
        )
        raise UnsupportedError(
            f"this uses {with_article(kind)} from outside of the compiled function, which would be read once, while "
            "the function is traced, although it may hold something else at each call: take what is needed of it "
            f"outside ({taken}), and pass that as an argument"
        )
    if made[1] is None:
        raise UnsupportedError(
            f"a loop that run-time values end has taken items of this {kind}, and which ones are left is known only "
            "when the program runs: walk a list of the items (items = list(iterator)), and take slices of it"
        )
    if changes and made[1] is not trace.region:
        raise UnsupportedError(
            f"{with_article(kind)} that was made before a branch or loop is used inside of it, and only run-time "
            "values tell whether and how often that runs: compiled code cannot follow how it changes there; use a "
            "list, an array or a counter instead"
        )


def of_own(trace: Recorder | None, operator: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """What an operator makes of objects, which are the program's where they have a hidden state; so is what is made."""
    is_by_array = isinstance(left, TracedArray) or isinstance(
        right, TracedArray
    )  # which reads it at each call
    if trace is None or is_by_array or not (has_hidden_state(left) or has_hidden_state(right)):
        return operator(left, right)
    for operand in (left, right):
        require_own(trace, operand, changes=False)  # what changes in a branch or loop is found behind it
    made = operator(left, right)
    note_made(trace, made, (left, right))
    return made


def require_writable(trace: Recorder, array: np.ndarray[Any, Any]) -> None:
    """Refuse to write to an array that compiled code cannot hold, unless the same is written at each call."""
    made = trace.state(MadeObjects).places.get(id(array))
    if made is None or made[0] is not array or made[1] is not trace.region:
        raise UnsupportedError(
            f"this writes to a NumPy array of dtype {array.dtype}, which compiled code cannot hold: it would be "
            "written once, while the function is traced; write to it outside, or in a function for weft.py_call"
        )


INSTEAD = (
    "{} outside of the compiled function and pass the result as an argument, or write "
    "weft.py_call(function, ..., result=weft.TensorSpec(...)), which calls a function of yours whenever the compiled "
    "one runs; a function marked by weft.do_not_convert may do it once, while tracing"
)
"""The three ways out for what compiled code does not call by itself."""


class Items:
    """The items of an object whose iterator, or `__getitem__`, a user has written: one call for each."""

    def __init__(self, following: Callable[[], Any], end: type[Exception]) -> None:
        self._following = following
        self._end: type[Exception] | None = end

    def __iter__(self) -> Items:
        return self

    def __next__(self) -> Any:
        if self._end is None:
            raise StopIteration
        try:
            return self._following()
        except self._end:
            self._end = None
            raise StopIteration from None
