"""What converted code calls instead of Python's builtins, the functions of `math`, and NumPy's array makers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .....dialect.dtypes import ALL_DTYPES
from ....composite.times import datetime64
from ....random.generator import TracedGenerator
from ....runtime_values import effects as printing
from ....runtime_values.kept_exceptions import UnknownException
from ....runtime_values.strings import RuntimeString, format_string, to_string
from ....runtime_values.values import holds_traced
from ....signature.traced_value import CompositeValue, held
from ....tracing.array import TracedArray
from ....tracing.staging import is_traced
from ..lists.dynamic_lists import GrowingList
from ..statements import dict_lookups, effects
from ..statements.generators import Walk
from ..values import looked_up
from ..values.array_iterators import Broadcast, ElementIterator
from ..values.array_parts import ArrayParts, splitting_rows
from ..values.iterables import Filtered, Sequence
from ..values.ranges import Range
from ..values.sequence_iterators import SequenceIterator, iter_
from . import builtins_on_arrays as arrays
from . import builtins_on_lists as lists
from . import listed_elements, plain_lists, random_functions
from .applied_functions import applying_rows, poly1d
from .array_makers import array_makers
from .math_on_arrays import math_rows
from .operator_functions import operator_rows
from .rounding import round_
from .vectorized_functions import vectorized

Function = Callable[..., Any]


def _always(*args: Any) -> bool:
    """The function of ours itself asks for what Python's is enough."""
    return True


def _some_traced(*args: Any) -> bool:
    return any(map(is_traced, args))


def _unknown(value: Any = None, *more: Any) -> bool:
    """The value of the first argument is not known while tracing."""
    return isinstance(value, TracedArray) and value._known() is None


def _only_unknown(*args: Any) -> bool:
    return len(args) == 1 and _unknown(*args)


def _of_object(*args: Any) -> bool:
    return len(args) == 1


def _walked(*args: Any) -> bool:
    """Only the program knows the items."""
    return len(args) == 1 and isinstance(args[0], (Walk, Filtered, GrowingList, Sequence, SequenceIterator))


def _shown(*args: Any) -> bool:
    return len(args) == 1 and (holds_traced(args[0], depth=4) or isinstance(args[0], RuntimeString))


def _other_class(*args: Any) -> bool:
    """The class is not that of what stands for the value: of an exception it is known when the program runs."""
    return len(args) == 1 and isinstance(
        args[0],
        (
            UnknownException,
            TracedArray,
            CompositeValue,
            TracedGenerator,
            GrowingList,
            ArrayParts,
            Range,
            SequenceIterator,
        ),
    )


_ROWS: dict[Any, tuple[Callable[..., bool], Function]] = {
    # Numbers
    bool: (_always, arrays.bool_),
    int: (_only_unknown, arrays.int_),
    float: (_only_unknown, arrays.float_),
    complex: (_some_traced, arrays.complex_),
    round: (_unknown, round_),
    pow: (_some_traced, arrays.pow_),
    isinstance: (_always, arrays.isinstance_),
    type: (_other_class, arrays.type_),
    **{
        dtype.type: (_only_unknown, functools.partial(arrays.scalar, dtype.type))
        for dtype in ALL_DTYPES
        if dtype.isbuiltin == 1
    },
    getattr: (_always, looked_up.getattr_),
    setattr: (_always, looked_up.setattr_),
    delattr: (_always, looked_up.delattr_),
    hasattr: (_always, looked_up.hasattr_),
    vars: (_of_object, looked_up.vars_),
    dir: (_of_object, looked_up.dir_),
    # Iteration
    len: (_always, arrays.len_),
    range: (_some_traced, Range.of),
    enumerate: (_always, arrays.enumerate_),
    zip: (_always, arrays.zip_),
    reversed: (_always, arrays.reversed_),
    map: (_always, arrays.map_),
    filter: (_always, arrays.filter_),
    sum: (_always, arrays.sum_),
    functools.reduce: (_always, arrays.reduce_),
    iter: (_always, iter_),
    next: (_always, arrays.next_),
    np.ndindex: (_always, arrays.ndindex),
    np.ndenumerate: (_always, arrays.ndenumerate),
    np.broadcast: (_always, Broadcast),
    np.nditer: (_always, ElementIterator),
    np.poly1d: (_some_traced, poly1d),
    # Collections as a whole
    any: (_always, lists.any_),
    all: (_always, lists.all_),
    min: (_always, lists.min_),
    max: (_always, lists.max_),
    sorted: (_always, lists.sorted_),
    list: (_always, lists.list_),
    **{kind: (_walked, functools.partial(lists.collected, kind)) for kind in (tuple, set, frozenset, dict)},
    # Text
    print: (_always, printing.print),
    str: (_shown, effects.str_),
    repr: (_shown, lambda value: to_string(value, "r")),
    format: (lambda *args: is_traced(args[0]), lambda value, spec="": format_string((value, None, spec))),
    hex: (_only_unknown, lambda value: format_string((arrays.integer(value), None, "#x"))),
    oct: (_only_unknown, lambda value: format_string((arrays.integer(value), None, "#o"))),
    bin: (_only_unknown, lambda value: format_string((arrays.integer(value), None, "#b"))),
    np.datetime64: (_always, datetime64),
    **dict(math_rows()),
    **{theirs: (_always, ours) for theirs, ours in operator_rows()},
    **{theirs: (_always, ours) for theirs, ours in applying_rows()},
    **{theirs: (_always, ours) for theirs, ours in splitting_rows()},
}
"""For each function when another is called in its place, and which."""


def _choice(theirs: Function, applies: Callable[..., bool], ours: Function) -> Function:
    if applies is _always:
        return ours

    def function(*args: Any, **kwargs: Any) -> Any:
        return (ours if applies(*args, *kwargs.values()) else theirs)(*args, **kwargs)

    function.__name__ = theirs.__name__
    return function


_LOOKING_AT_OBJECTS = frozenset({isinstance, type, getattr, setattr, delattr, hasattr, vars, dir})
"""What looks at a variable itself, not at its array."""


def _on_values(function: Function) -> Function:
    """A function that gets arrays in the places of what holds them."""

    def on_values(*args: Any, **kwargs: Any) -> Any:
        return function(*map(held, args), **kwargs)

    on_values.__name__ = getattr(function, "__name__", "call")
    return on_values


@cache
def _table() -> dict[int, Function]:
    """The replacements, by the identity of what they replace."""
    rows = {
        id(theirs): _choice(theirs, *row)
        if theirs in _LOOKING_AT_OBJECTS
        else _on_values(_choice(theirs, *row))
        for theirs, row in _ROWS.items()
    }
    return rows | {id(theirs): ours for theirs, ours in array_makers().items()}


_FINDERS = (
    lists.join_of,  # before other makers of texts
    effects.maker_of,
    listed_elements.method_of,
    plain_lists.method_of,
    dict_lookups.method_of,
    random_functions.method_of,
)


def replacement_of(function: Any) -> Function | None:
    """What to call instead of a function; None for what is called as it is."""
    for find in _FINDERS:
        if (found := find(function)) is not None:
            return found
    return vectorized(function) if isinstance(function, np.vectorize) else _table().get(id(function))


__all__ = ["replacement_of"]
