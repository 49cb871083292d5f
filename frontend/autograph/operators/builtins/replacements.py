"""What converted code calls instead of Python's builtins, the functions of `math`, and NumPy's array makers."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable
from enum import EnumMeta
from functools import cache
from types import BuiltinMethodType, MethodType
from typing import Any, TypeAlias

import numpy as np

from .....dialect.dtypes import all_dtypes
from ....composite import times
from ....random.generator import TracedSource
from ....runtime_values import effects as printing
from ....runtime_values import strings
from ....runtime_values.kept_exceptions import UnknownException
from ....runtime_values.results import RuntimeTuple
from ....runtime_values.values import RuntimeValue, holds_traced
from ....signature.traced_value import CompositeValue, held
from ....source.modules import module_of, told
from ....tracing.array import TracedArray
from ....tracing.staging import is_traced
from ...library import InPlaceOf, deques, polynomials, queues, stacks
from ..interface import operators
from ..lists import dynamic_lists
from ..statements import dict_lookups, effects, generators
from ..tables import becoming, making
from ..tables.python_classes import CLASSES
from ..values import array_iterators, array_parts, iterables, looked_up, ranges, sequence_iterators
from . import (
    array_makers,
    dataclass_functions,
    distributions,
    enumerations,
    finalizers,
    hashes,
    iterator_functions,
    listed_elements,
    masked_arrays,
    math_on_arrays,
    operator_functions,
    ordered_lists,
    plain_lists,
    process_settings,
    random_functions,
    rounding,
    vectorized_functions,
)
from . import builtins_on_arrays as arrays
from . import builtins_on_lists as lists

Function = Callable[..., Any]


def _always(*args: Any) -> bool:
    """The function of ours itself asks for what Python's is enough."""
    return True


def _some_traced(*args: Any) -> bool:
    return any(map(is_traced, args))


def _some_arrays(*args: Any) -> bool:
    return any(isinstance(value, (np.ndarray, TracedArray)) for value in args)


def _unknown(value: Any = None, *more: Any) -> bool:
    """The value of the first argument is not known while tracing."""
    return isinstance(value, TracedArray) and value._known() is None


def _making(kind: type) -> Callable[[], Function]:
    """What gives the maker of a class of dicts or sets, which is loaded when it is asked for."""

    def find() -> Function:
        maker = making.maker_of(kind)
        return lambda *args, **named: maker(*map(_as_list, args), **named)

    return find


def _in_place(kind: type) -> Callable[[], Function]:
    """What gives the maker of an object of a class that is written as programs are."""
    return lambda: functools.partial(operators().call, kind)


def _as_list(items: Any) -> Any:
    """The items of a generator as a list; anything else as it is."""
    return lists.list_(items) if isinstance(items, generators.Walk) else items


def _only_unknown(*args: Any) -> bool:
    return len(args) == 1 and _unknown(*args)


def _unknown_or_text(*args: Any) -> bool:
    return _only_unknown(*args) or (bool(args) and iterables.is_text(args[0]))


def _one_text(*args: Any) -> bool:
    is_one = len(args) == 1 and isinstance(args[0], CompositeValue) and args[0].is_one_text
    return is_one or (len(args) == 1 and iterables.is_text(args[0]))


def _of_object(*args: Any) -> bool:
    return len(args) == 1


def _walked(*args: Any) -> bool:
    """Only the program knows the items."""
    if len(args) != 1:
        return False
    (items,) = args
    is_open = isinstance(items, (dynamic_lists.GrowingList, RuntimeTuple)) or lists.has_unknown_length(items)
    return is_open or lists.is_listed(items) or iterables.is_text(items)


def _shown(*args: Any) -> bool:
    return len(args) == 1 and (holds_traced(args[0], depth=4) or isinstance(args[0], strings.RuntimeString))


def _is_object(*args: Any) -> bool:
    return len(args) == 1 and hashes.is_told_apart(args[0])


def _other_class(*args: Any) -> bool:
    """The class is not that of what stands for the value: of an exception it is known when the program runs."""
    stand_ins = (RuntimeValue, TracedArray, CompositeValue, TracedSource, InPlaceOf, UnknownException)
    return len(args) == 1 and isinstance(args[0], (*stand_ins, sequence_iterators.SequenceIterator))


_Row: TypeAlias = "tuple[Callable[..., bool], Callable[[], Function]]"
"""When another function is called in the place of one, and which: its module is loaded when it is asked for."""

_ROWS: dict[Any, _Row] = {
    # Numbers
    bool: (_always, lambda: arrays.bool_),
    int: (_unknown_or_text, lambda: arrays.int_),
    float: (_unknown_or_text, lambda: arrays.float_),
    complex: (_some_traced, lambda: arrays.complex_),
    round: (_unknown, lambda: rounding.round_),
    pow: (_some_arrays, lambda: arrays.pow_),
    abs: (_some_arrays, lambda: functools.partial(arrays.checked, abs, "unary -")),
    divmod: (_some_arrays, lambda: functools.partial(arrays.checked, divmod, "//")),
    hash: (lambda *args: _shown(*args) or _is_object(*args), lambda: hashes.hash_),
    id: (_is_object, lambda: hashes.id_),
    isinstance: (_always, lambda: arrays.isinstance_),
    issubclass: (_always, lambda: looked_up.issubclass_),
    callable: (_of_object, lambda: arrays.callable_),
    type: (_other_class, lambda: arrays.type_),
    getattr: (_always, lambda: looked_up.getattr_),
    setattr: (_always, lambda: looked_up.setattr_),
    delattr: (_always, lambda: looked_up.delattr_),
    hasattr: (_always, lambda: looked_up.hasattr_),
    vars: (_of_object, lambda: looked_up.vars_),
    dir: (_of_object, lambda: looked_up.dir_),
    dataclasses.replace: (_always, lambda: dataclass_functions.replace_),
    # Iteration
    len: (_always, lambda: arrays.len_),
    range: (_some_traced, lambda: ranges.Range.of),
    enumerate: (_always, lambda: arrays.enumerate_),
    zip: (_always, lambda: arrays.zip_),
    reversed: (_always, lambda: arrays.reversed_),
    map: (_always, lambda: arrays.map_),
    filter: (_always, lambda: iterator_functions.filter_),
    sum: (_always, lambda: arrays.sum_),
    functools.reduce: (_always, lambda: lists.reduce_),
    iter: (_always, lambda: sequence_iterators.iter_),
    next: (_always, lambda: arrays.next_),
    np.ndindex: (_always, lambda: arrays.ndindex),
    np.ndenumerate: (_always, lambda: arrays.ndenumerate),
    np.broadcast: (_always, lambda: array_iterators.Broadcast),
    np.nditer: (_always, lambda: array_iterators.ElementIterator),
    np.poly1d: (_always, _in_place(polynomials.Poly1d)),
    # Collections as a whole
    any: (_always, lambda: lists.any_),
    all: (_always, lambda: lists.all_),
    min: (_always, lambda: functools.partial(lists.extreme, min, "<")),
    max: (_always, lambda: functools.partial(lists.extreme, max, ">")),
    sorted: (_always, lambda: lists.sorted_),
    list: (_always, lambda: lists.list_),
    tuple: (_walked, lambda: lists.tuple_),
    **{kind: (_always, _making(kind)) for kind in CLASSES},
    **{
        kind.python_type: (_always, _in_place(kind))
        for kind in (*deques.IN_PLACE, *queues.IN_PLACE, *stacks.IN_PLACE)
    },
    # Text
    print: (_always, lambda: printing.print),
    str: (_shown, lambda: effects.str_),
    repr: (_shown, lambda: lambda value: strings.to_string(value, "r")),
    format: (
        lambda *args: is_traced(args[0]),
        lambda: lambda value, spec="": strings.format_string((value, None, spec)),
    ),
    ord: (_one_text, lambda: arrays.ord_),
    chr: (_only_unknown, lambda: lambda code: strings.string_of(chr, code)),
    hex: (_only_unknown, lambda: _in_base("#x")),
    oct: (_only_unknown, lambda: _in_base("#o")),
    bin: (_only_unknown, lambda: _in_base("#b")),
    # Settings of the process
    np.seterr: (_always, lambda: process_settings.seterr),
    np.geterr: (_always, lambda: process_settings.geterr),
    warnings.simplefilter: (_always, lambda: process_settings.simplefilter),
    warnings.filterwarnings: (_always, lambda: process_settings.filterwarnings),
    warnings.resetwarnings: (_always, lambda: process_settings.resetwarnings),
    # Weak references
    weakref.finalize: (_always, lambda: finalizers.finalize),
    **{kind: (finalizers.is_with_callback, lambda: finalizers.referred) for kind in finalizers.REFERENCES},
    # Dates
    np.datetime64: (_always, lambda: times.datetime64),
}
"""The builtins, and the classes of NumPy's."""


def _in_base(spec: str) -> Function:
    return lambda value: strings.format_string((arrays.integer(value), None, spec))


def _rows_of_numpy() -> Iterable[tuple[Any, _Row]]:
    """The scalar types, and the functions that call others or split arrays."""
    for dtype in all_dtypes():
        if dtype.isbuiltin == 1:
            yield dtype.type, (_only_unknown, functools.partial(_of_scalar, dtype.type))
    yield from _plain(vectorized_functions.applying_rows())
    yield from _plain(array_parts.splitting_rows())


def _of_scalar(kind: type) -> Function:
    return functools.partial(arrays.scalar, kind)


def _plain(rows: Iterable[tuple[Any, Function]]) -> Iterable[tuple[Any, _Row]]:
    for theirs, ours in rows:
        yield theirs, (_always, functools.partial(_the, ours))


def _rows_of_math() -> Iterable[tuple[Any, _Row]]:
    for theirs, (applies, ours) in math_on_arrays.math_rows():
        yield theirs, (applies, functools.partial(_the, ours))


def _the(function: Function) -> Function:
    return function


def _choice(theirs: Function, applies: Callable[..., bool], ours: Function) -> Function:
    if applies is _always:
        return ours

    def function(*args: Any, **kwargs: Any) -> Any:
        return (ours if applies(*args, *kwargs.values()) else theirs)(*args, **kwargs)

    function.__name__ = theirs.__name__
    return function


_LOOKING_AT_OBJECTS = frozenset({isinstance, issubclass, type, getattr, setattr, delattr, hasattr, vars, dir})
"""What looks at a variable itself, not at its array."""


def _on_values(function: Function) -> Function:
    """A function that gets arrays in the places of what holds them."""

    def on_values(*args: Any, **kwargs: Any) -> Any:
        return function(*map(held, args), **kwargs)

    on_values.__name__ = told(function, "__name__", "call")
    return on_values


_FAMILIES: dict[str, Callable[[], Iterable[tuple[Any, _Row]]]] = {
    "numpy": _rows_of_numpy,
    "math": _rows_of_math,
    "cmath": _rows_of_math,
    "itertools": lambda: _plain(iterator_functions.iterator_rows()),
    "_operator": lambda: _plain(operator_functions.operator_rows()),
    **dict.fromkeys(("_heapq", "heapq", "_bisect"), lambda: _plain(ordered_lists.ROWS)),
}
"""By the package that functions say to be of, the rows that are made when one of them is called."""


@cache
def _rows(package: str) -> dict[int, tuple[Any, _Row]]:
    """The rows for the functions of a package, by the identity of what they replace."""
    further = _FAMILIES[package]() if package in _FAMILIES else ()
    return {id(theirs): (theirs, row) for theirs, row in (*_ROWS.items(), *further)}


@cache
def _made(identity: int, package: str) -> Function:
    theirs, (applies, find) = _rows(package)[identity]
    ours = _choice(theirs, applies, find())
    return ours if theirs in _LOOKING_AT_OBJECTS else _on_values(ours)


@cache
def _makers() -> dict[int, Function]:
    """What is called instead of NumPy's functions that make arrays, by their identities."""
    return {id(theirs): ours for theirs, ours in array_makers.array_makers().items()}


_FROM_KEYS = (dict.fromkeys, OrderedDict.fromkeys)


def _finders(function: Any) -> Iterable[Callable[[Any], Function | None]]:
    """What tells, for a method of a kind of object, or a class, whether another function is called in its place."""
    owner = told(function, "__self__")
    if isinstance(function, (BuiltinMethodType, MethodType)) and function in _FROM_KEYS:
        yield making.from_keys
    if owner is itertools.chain:
        yield iterator_functions.chain_from_iterable
    if isinstance(owner, str):
        yield lists.join_of  # before other makers of texts
        yield effects.maker_of
    elif isinstance(function, type) and issubclass(function, BaseException):
        yield effects.maker_of
    elif isinstance(function, EnumMeta):
        yield enumerations.member_of
    elif isinstance(owner, np.ufunc):
        yield vectorized_functions.reduceat_of
    elif isinstance(owner, TracedArray):
        yield listed_elements.method_of
    elif type(owner) in (list, tuple):
        yield plain_lists.method_of
    elif type(owner) in CLASSES:
        yield dict_lookups.method_of
        yield becoming.method_of
    yield random_functions.method_of
    yield distributions.method_of


def replacement_of(function: Any) -> Function | None:
    """What to call instead of a function; None for what is called as it is."""
    for find in _finders(function):
        if (found := find(function)) is not None:
            return found
    if isinstance(function, np.vectorize):
        return vectorized_functions.vectorized(function)
    if isinstance(function, np.ufunc):
        return None  # which asks traced arrays what it does
    package = module_of(function).partition(".")[0]
    if package == "numpy" and (masked := masked_arrays.masked_row(function)) is not None:
        return masked
    if package == "numpy" and (maker := _makers().get(id(function))) is not None:
        return maker
    package = package if package in _FAMILIES else ""
    return _made(id(function), package) if id(function) in _rows(package) else None
