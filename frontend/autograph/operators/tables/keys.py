"""Keys of tables: numbers, constants, and tuples of these, and the words by which they are told apart.

Two keys of a table are equal where their words are: an integer is a word, and so are the bits of a float, with one zero
for both. Numbers of one table have one type; what is looked for may have another, `1.0` finds `1`.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType
from typing import Any, NoReturn

import numpy as np

from .....dialect.errors import UnsupportedError
from .....dialect.ops.casts import Bitcast
from ....numpy_api import lookup
from ....runtime_values.kept_texts import as_key
from ....runtime_values.results import RuntimeContainer, RuntimeObject, RuntimeTuple
from ....runtime_values.strings import RuntimeString
from ....runtime_values.values import RuntimeValue
from ....signature.traced_value import CompositeValue
from ....tracing.array import TracedArray, wrap
from ....tracing.current import required_trace
from ....tracing.recorder import Recorder
from ....tracing.staging import apply, cast, raise_where, value_of
from ..lists.lists_in_lists import pool_of
from ..lists.widened_items import join_items
from ..values.abstract import array_leaves, as_arrays, as_promoted_kind, flatten, kind_of
from ..values.iterables import is_text
from ..values.joins import join
from ..values.kinds import (
    ArrayKind,
    Choice,
    Container,
    Growing,
    Kind,
    Mismatch,
    Partial,
    Static,
    Text,
    require_no_growing,
)
from ..values.mismatches import control_flow_error
from ..values.object_handles import PooledObject, handle_of, object_pool_of
from ..values.optional import Chosen, Optional
from .compared_keys import (
    are_compared,
    attribute_kinds,
    attributes_in,
    compared,
    compared_columns,
    compared_kind,
    kind_by_attributes,
    may_be_equal,
    names_of,
    require_one_sort,
)
from .inner_tables import kind_of_inner

INT64 = np.dtype(np.int64)
_FLOAT64 = np.dtype(np.float64)
_NUMBERS = "biuf"
_NAMES = {"b": "bools", "i": "integers", "u": "integers", "f": "floats", "c": "complex numbers"}


def is_run_time_key(key: Any) -> bool:
    """Whether a key, or a part of one, is known only when the program runs."""
    if isinstance(key, tuple):
        return any(map(is_run_time_key, key))
    if isinstance(key, CompositeValue):
        return key.is_one_text
    if isinstance(key, _OF_RUN_TIME) or is_text(key):
        return True
    return any(map(is_run_time_key, attributes_in(key) or ()))


_OF_RUN_TIME = (TracedArray, Chosen, Optional, RuntimeContainer, RuntimeObject, RuntimeTuple)


def require_hashable(key: Any) -> None:
    """Raise what Python raises for what is no key."""
    if isinstance(key, tuple):
        for part in key:
            require_hashable(part)
    elif isinstance(key, RuntimeContainer):
        if key.python_type is not frozenset:
            raise TypeError(f"unhashable type: '{key.python_type.__name__}'")
    elif isinstance(key, TracedArray):
        if key.ndim or not key._is_scalar:
            raise TypeError("unhashable type: 'numpy.ndarray'")
    elif isinstance(key, PooledObject):
        _require_row(handle_of(key)[0])
    elif (attributes := attributes_in(key)) is not None:
        require_hashable(tuple(attributes))
    elif not isinstance(key, RuntimeValue) and not (isinstance(key, CompositeValue) and key.is_one_text):
        hash(key)


def key_kind(key: Any) -> Kind:
    """The abstract type of a key; `TypeError` for what Python does not take, `UnsupportedError` for other things."""
    require_hashable(key)
    if isinstance(key, CompositeValue):
        hash(key)  # says what to write instead
    kind = as_promoted_kind(as_arrays(kind_by_attributes(key, kind_of(key))))
    _require_key(kind)
    return kind


def _require_key(kind: Kind) -> None:
    """Raise unless values of an abstract type can be keys."""
    if isinstance(kind, ArrayKind):
        if kind.is_array and kind.number is None:
            raise TypeError("unhashable type: 'numpy.ndarray'")
        if kind.types:  # of rows, whose columns tell which; other keys have one type that holds all
            _refuse(
                f"a value that is {kind}", "; convert it where the object is made, as in int(v) or float(v)"
            )
        if kind.type.dtype.kind not in _NUMBERS or kind.type.dtype.itemsize > 8:
            _refuse(f"a number of dtype {kind.type.dtype}")
    elif (pool := object_pool_of(kind)) is not None:
        _require_row(pool)
    elif names_of(kind) is not None:
        _require_object(kind)
    elif isinstance(kind, Container):
        _require_tuple(kind)
    elif isinstance(kind, Static):
        hash(kind.value)
    elif isinstance(kind, Partial):
        _refuse(f"a value that is {kind}", "; test it before (if key is not None)")
    elif not isinstance(kind, (Choice, Text)) or (isinstance(kind, Choice) and kind.held):
        _refuse(str(kind))


def _require_tuple(kind: Container) -> None:
    if not issubclass(kind.kind, tuple):
        if kind.kind in (list, dict):
            raise TypeError(f"unhashable type: '{kind.kind.__name__}'")
        _refuse(str(kind))
    for child in kind.children:
        _require_key(child)


def _require_row(pool: Any) -> None:
    """Raise unless objects that are rows of a pool can be keys."""
    if pool.python_class.__hash__ is None:
        raise TypeError(f"unhashable type: '{pool.python_class.__name__}'")
    if pool.has_own_equality or pool.python_class.__hash__ is not object.__hash__:
        kind = pool.kind_of_row()
        if names_of(kind) is None:
            _refuse(
                f"an object of {pool.python_class.__qualname__}, which has an __eq__ or __hash__ of its own,"
            )
        pool.be_keys_by(names_of(kind))
        _require_attributes(kind)


def _require_object(kind: Kind) -> None:
    """Raise unless objects that are told by their attributes can be keys."""
    _require_attributes(kind)
    for part in kind.parts:
        require_no_growing(part)


def _require_attributes(kind: Kind) -> None:
    for part in attribute_kinds(kind):
        if part is None:
            _refuse(f"{kind} without one of the attributes that tell it from others")
        _require_key(part)


def _refuse(what: str, instead: str = "") -> NoReturn:
    raise UnsupportedError(
        f"{what} is a key of a dict or set whose keys only the program knows: such keys are integers, floats, bools, "
        "constants, texts, tuples of these, and objects without an __eq__, or with one that compares attributes, and a "
        f"__hash__ of these{instead}"
    )


def joined_keys(one: Kind | None, other: Kind) -> Kind:
    """The abstract type of keys of two kinds in one table."""
    if one is None or one == other:
        return other
    require_one_sort(one, other)
    _require_alike(one, other)
    try:
        joined = join(one, other)
        if isinstance(joined, Choice) and joined.held:
            raise Mismatch(f"{one} on one path and {other} on the other")
    except Mismatch as mismatch:
        problem = str(mismatch).replace("on one path", "at first").replace("on the other", "later")
        raise control_flow_error(
            "the keys of a dict or set that only the program knows differ", [f"a key is {problem}"]
        ) from None
    _require_key(joined)
    return joined


def _require_alike(one: Kind, other: Kind) -> None:
    """Raise where numbers of two sorts would have to become one: `1` and `1.5` are keys of a dict of Python's."""
    for left, right in zip(array_leaves(one), array_leaves(other), strict=False):
        names = [_NAMES[leaf.type.dtype.kind] for leaf in (left, right)]
        if names[0] != names[1]:
            raise UnsupportedError(
                f"a dict or set has keys that are {names[0]} and keys that are {names[1]}, which only the program "
                "knows: in compiled code its keys are of one type; convert them, as in "
                f"d[{'float' if 'floats' in names else 'int'}(k)]"
            )


def width_of(kind: Kind) -> int:
    """The number of words of a key: at least one."""
    return max(len(array_leaves(compared_kind(kind))), 1)


def are_words(kind: Kind) -> bool:
    """Whether the keys are their own words."""
    leaves = array_leaves(kind)
    return len(leaves) == 1 and leaves[0].type.dtype == INT64 and all(are_compared(kind))


def word_of(number: Any) -> Any:
    """The words of numbers of one dtype, an array of them or one."""
    if number.dtype.kind in "biu":
        return cast(number, INT64)
    return apply(Bitcast, np.add(cast(number, _FLOAT64), np.float64(0.0)), dtype=INT64)


def words_of_columns(columns: tuple[Any, ...], kind: Kind) -> Any:
    """The words of all keys of an abstract type, those of each side by side."""
    words = [word_of(column) for column in compared_columns(iter(columns), kind)]
    return words[0] if len(words) == 1 else lookup("stack")(words, axis=1).reshape(-1)


def words_of(key: Any, kind: Kind) -> list[Any]:
    """The words of a key that is put into a table; raises `ValueError` for a NaN when the program runs."""
    trace = required_trace()
    key, kind = compared(key, kind)
    numbers = [wrap(trace, value) for value in flatten(trace, _with_texts(trace, key, kind), kind)]
    for number in numbers:
        if number.dtype.kind == "f":
            raise_where(np.isnan(number), ValueError, _NAN)
    return [word_of(number) for number in numbers] or [np.int64(0)]


def _with_texts(trace: Recorder, key: Any, kind: Kind) -> Any:
    """A key with texts whose numbers are those of all equal ones."""
    if isinstance(kind, Text):
        return as_key(trace, key)
    if not isinstance(kind, Container) or not any(isinstance(leaf, Text) for leaf in kind.children):
        return key
    return tuple(_with_texts(trace, *pair) for pair in zip(key, kind.children, strict=True))


_NAN = (
    "a nan is a key of a dict or set: Python tells such keys apart by which object they are, which compiled code "
    "cannot; leave it out, or use another number for it"
)


def sought_words(key: Any, kind: Kind) -> tuple[list[Any], Any] | None:
    """The words of a key that is looked for, and whether it can be there at all; None where it surely cannot."""
    pairs = list(_matched(required_trace(), key, kind_of(key), kind))
    if None in pairs:
        return None
    words, is_possible = [], True
    for word, fits in pairs:
        words.append(word)
        if fits is not True:
            is_possible = fits if is_possible is True else np.logical_and(is_possible, fits)
    return words or [np.int64(0)], is_possible


def _matched(trace: Recorder, key: Any, found: Kind, kind: Kind) -> Iterator[Any]:
    """For each number in a key its word and whether it has one; None where there is no such key."""
    if isinstance(kind, Text):
        fits = isinstance(key, str) or is_text(key)
        yield (as_key(trace, key).kept, True) if fits else None
    elif isinstance(kind, Container) and not issubclass(kind.kind, tuple) and not isinstance(key, Optional):
        yield from _matched_object(trace, key, found, kind)
    elif isinstance(kind, Container) and not isinstance(key, Optional):
        is_tuple = isinstance(key, tuple) and isinstance(found, Container)
        if not is_tuple or len(key) != len(kind.children):
            yield None
            return
        for part, child in zip(key, kind.children, strict=True):
            yield from _matched(trace, part, kind_of(part), child)
    elif isinstance(key, Optional):
        yield from _present(trace, key, kind)
    elif isinstance(kind, ArrayKind):
        number = as_promoted_kind(as_arrays(found))
        if isinstance(key, int) and not -(2**63) <= key < 2**63:
            yield _large(key, kind.type.dtype)
            return
        if not isinstance(number, ArrayKind):
            yield None
            return
        _require_key(number)
        yield as_number(wrap(trace, value_of(trace, key)), kind.type.dtype)
    elif isinstance(kind, Choice):
        yield _option(trace, key, found, kind)
    elif found != kind:
        yield None


def _matched_object(trace: Recorder, key: Any, found: Kind, kind: Container) -> Iterator[Any]:
    """The same for keys that are objects."""
    pool = object_pool_of(kind)
    if names_of(kind) is None:
        is_row = pool is not None and found == kind
        yield (word_of(handle_of(key)[1]), True) if is_row else None
    elif type(key) is kind.kind:
        for part, child in zip(attributes_in(key) or (), attribute_kinds(kind), strict=True):
            assert child is not None
            yield from _matched(trace, part, kind_of(part), child)
    else:
        python_class = kind.kind if pool is None else pool.python_class
        if may_be_equal(key, python_class):
            raise UnsupportedError(
                f"a {type(key).__name__} is looked for among keys of a dict or set that are each a "
                f"{python_class.__name__}: whether they are equal is what an __eq__ says that compiled code does not "
                f"ask here; look for a {python_class.__name__}, or go through a list"
            )
        yield None


def _large(key: int, dtype: np.dtype[Any]) -> tuple[Any, bool] | None:
    """The word of an int of more than 64 bits, and that it has one; None where no number of a dtype equals it."""
    if dtype.kind == "u" and 0 <= key < 2 ** (8 * dtype.itemsize):
        return word_of(np.asarray(key, dtype)), True
    if dtype.kind == "f" and abs(key) < 2**1024 and int(float(key)) == key and dtype.type(key) == key:
        return word_of(np.asarray(float(key), dtype)), True
    return None


def _present(trace: Recorder, key: Optional, kind: Kind) -> Iterator[Any]:
    """The words of a key that may be None, and whether each is one of the keys."""
    is_there: Any = np.logical_not(key.is_none)
    for pair in [*_matched(trace, key.value, kind_of(key.value), kind)] or [(np.int64(0), True)]:
        if pair is None:
            yield None
            return
        word, fits = pair
        yield word, is_there if fits is True else np.logical_and(is_there, fits)


def _place_in(text: str, options: tuple[Any, ...]) -> int:
    return options.index(text) if text in options else -1


def _option(trace: Recorder, key: Any, found: Kind, kind: Choice) -> tuple[Any, Any] | None:
    """The number of a constant among those that are keys, and whether it is one; None where it surely is none."""
    options = found.options if isinstance(found, Choice) else (found,)
    if isinstance(key, RuntimeString):
        number: Any = key.ask(int, _place_in, kind.constants)
        return number, np.greater_equal(number, 0)
    if not any(option in kind.options for option in options):
        return None
    known = kind.constants
    if not isinstance(key, Chosen):
        return np.int64(known.index(key)), True
    numbers = np.array([known.index(option) if option in known else -1 for option in key.options])
    place = wrap(trace, value_of(trace, numbers))[key.index]
    return place, np.greater_equal(place, 0)


def as_number(number: TracedArray, dtype: np.dtype[Any]) -> tuple[Any, Any]:
    """The word that a number has among those of a dtype, and whether the dtype holds it."""
    if number.dtype == dtype:
        return word_of(number), True
    there = cast(number, dtype)
    back = cast(there, number.dtype)
    is_held = np.equal(back, number)
    if "f" in (number.dtype.kind, dtype.kind) or "u" in (number.dtype.kind, dtype.kind):
        is_held = np.logical_and(is_held, np.equal(there, number))
    return word_of(there), is_held


def kind_of_value(value: Any) -> Kind:
    """The abstract type of a value of a dict, in which a list is one of any length."""
    return as_value(kind_of(value))


def as_value(kind: Kind) -> Kind:
    """An abstract type as that of a value."""
    if isinstance(kind, Growing):
        return kind
    if isinstance(kind, Container) and kind.kind is list:
        item: Kind | None = None
        for child in kind.children:
            item = join_items(item, as_arrays(child))
        return Growing(item)
    if (inner := kind_of_inner(kind)) is not None:
        return inner
    if (pool := pool_of(kind)) is not None:
        return Growing(pool.kind)
    return as_arrays(kind)


def joined_values(one: Kind | None, other: Kind) -> Kind:
    """The abstract type of values of two kinds."""
    if not isinstance(other, Growing) or not isinstance(one, (Growing, NoneType)):
        joined = join_items(one, other)
        if not isinstance(joined, Growing):  # there is a pool for lists, and none for those in tuples
            require_no_growing(joined)
        return joined
    if one is None or one.item is None:
        return other
    return one if other.item is None else Growing(join_items(one.item, other.item))
