"""Values that are of one type on one path and of another on the other: what carries them out of a branch.

`y = np.float32(1) if c else 2` is carried as a number of the dtype that both promote to, beside the number of the type
that it has, and, for each type whose values that dtype does not all hold, a value of that type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from .....dialect.mlir import Value
from .....dialect.records import replace
from ....tracing.array import TracedArray, wrap
from ....tracing.recorder import Recorder
from ....tracing.several_types import MOST_TYPES, SeveralTypes, ToldApart, TypeOfValue, as_promoted
from ....tracing.staging import cast, value_of
from .array_kinds import (
    INT,
    absent_array,
    array_of_value,
    array_value,
    as_array_kind,
    join_arrays,
    promoted,
)
from .kinds import ArrayKind, Kind, Static


def join_types(left: Kind, right: Kind) -> ArrayKind:
    """The numbers or arrays of two paths, which keep their types."""
    one, other = as_array_kind(left), as_array_kind(right)
    assert one is not None, "a number or array"
    assert other is not None, "a number or array"
    joined = join_arrays(one, other, keeps_types=True)  # which refuses arrays of different ranks
    types: dict[Any, TypeOfValue] = {}
    for found in (*types_of(left), *types_of(right)):
        known = types.get(found.key)
        types[found.key] = found if known is None else _merged(known, found)
    if not 1 < len(types) <= MOST_TYPES:
        return join_arrays(one, other)
    return replace(joined, types=tuple(sorted(types.values(), key=_place)))


def _place(type_: TypeOfValue) -> tuple[bool, int, int]:
    """What orders types, so that a value that is handed on keeps the number of its type."""
    dtype = type_.type.dtype
    return type_.number is None, dtype.num, dtype.itemsize


def types_of(kind: Kind) -> tuple[TypeOfValue, ...]:
    """What a number or array may be."""
    if isinstance(kind, ArrayKind) and kind.types:
        return kind.types
    plain = as_array_kind(kind)
    assert plain is not None, "a number or array"
    is_number = isinstance(kind, Static) and not isinstance(kind.value, np.ndarray)
    constant = kind.value if is_number and isinstance(kind, Static) else None
    return (TypeOfValue(plain.type, plain.number, plain.is_array, plain.order, constant),)


def as_carried(kind: ArrayKind, number: Any) -> ArrayKind:
    """How a loop carries a value of several types: the number from before the loop is known where it is still there.

    Floats are carried as those of NumPy, which are floats, too: `best = -np.inf` is how searches begin.
    """
    if {type_.key for type_ in kind.types} == _FLOATS:
        return promoted(kind)
    if isinstance(number, (TracedArray, np.ndarray)) or as_array_kind(Static(number)) is None:
        return kind
    (known,) = types_of(Static(number))
    return replace(kind, types=tuple(known if type_.key == known.key else type_ for type_ in kind.types))


_FLOATS = {(np.dtype(np.float64), float), (np.dtype(np.float64), None)}


def _merged(one: TypeOfValue, other: TypeOfValue) -> TypeOfValue:
    """One type for two that differ in nothing but shapes, layouts and constants."""
    shape = tuple(a if a == b else None for a, b in zip(one.type.shape, other.type.shape, strict=True))
    is_same = one.constant is not None and Static(one.constant) == Static(other.constant)
    return TypeOfValue(
        one.type.with_shape(shape),
        one.number,
        one.is_array and other.is_array,
        one.order if one.order == other.order else None,
        one.constant if is_same else None,
    )


def carried_as(kind: ArrayKind) -> list[tuple[TypeOfValue, list[int]]]:
    """The types as which a value is carried beside the promoted one, with the numbers of those that are carried so.

    Numbers of one dtype are carried as one.
    """
    found: dict[Any, tuple[TypeOfValue, list[int]]] = {}
    for number, type_ in enumerate(kind.types):
        if not type_.is_held_by(kind.type.dtype):
            key = type_.key if type_.type.rank else type_.type.dtype
            found.setdefault(key, (type_, []))[1].append(number)
    return list(found.values())


def carried_kinds(kind: ArrayKind) -> list[ArrayKind]:
    """The abstract types of what carries a value of several types."""
    return [promoted(kind), ArrayKind(INT), *(_as_kind(type_) for type_, _ in carried_as(kind))]


def without_constants(kind: ArrayKind) -> ArrayKind:
    """The abstract type of a value that may be any of its types."""
    return replace(kind, types=tuple(replace(type_, constant=None) for type_ in kind.types))


def _as_kind(type_: TypeOfValue) -> ArrayKind:
    return ArrayKind(type_.type, type_.number, type_.is_array, type_.order)


def flatten_types(trace: Recorder, value: Any, kind: ArrayKind) -> list[Value]:
    """The SSA values that carry a value of one or several of the types."""
    keys = [type_.key for type_ in kind.types]
    is_several = isinstance(value, ToldApart) and not value.is_written
    own = value.types if is_several else types_of(_kind_of(value))
    numbers = [keys.index(type_.key) for type_ in own if type_.key in keys]
    if len(numbers) < len(own):  # written since, as an array of the dtype that they promote to
        numbers, is_several = [_nearest(kind, value)], False
    if not is_several:
        choice = value_of(trace, np.int64(numbers[0]))
    elif numbers == list(range(len(numbers))):
        choice = value_of(trace, value._choice)
    else:
        renumbered: Any = np.int64(numbers[-1])
        for number, new in reversed(list(enumerate(numbers[:-1]))):
            renumbered = np.where(np.equal(value._choice, number), np.int64(new), renumbered)
        choice = value_of(trace, renumbered)
    carried = [array_value(trace, as_promoted(value), promoted(kind)), choice]
    for type_, among in carried_as(kind):
        there = [place for place, number in enumerate(numbers) if number in among]
        if not there:
            carried.append(absent_array(trace, _as_kind(type_)))
        elif is_several:
            carried.append(_one_option(trace, value, there, _as_kind(type_)))
        else:
            carried.append(array_value(trace, as_promoted(value), _as_kind(type_)))
    return carried


def _one_option(trace: Recorder, value: SeveralTypes, places: Sequence[int], kind: ArrayKind) -> Value:
    """The SSA value of the one of some options that a value is, which have one dtype."""
    *others, last = (array_value(trace, value.option(place), kind) for place in places)
    for place, other in zip(places, others, strict=False):
        if other != last:
            is_one: Any = np.equal(value._choice, place)
            last = value_of(trace, np.where(is_one, wrap(trace, other), wrap(trace, last)))
    return last


def _kind_of(value: Any) -> Kind:
    if not isinstance(value, TracedArray):
        return Static(value)
    number = value._python_type
    return ArrayKind(value.type, number if isinstance(number, type) else None, not value._is_scalar)


def _nearest(kind: ArrayKind, value: Any) -> int:
    """The type that is most like that of a value which has none of them."""
    own = value if isinstance(value, TracedArray) else np.asarray(value)
    number = own._python_type if isinstance(own, TracedArray) else type(value)
    alike = [place for place, type_ in enumerate(kind.types) if type_.type.dtype == own.dtype]
    same = [place for place in alike if kind.types[place].number is number]
    return (same or alike or [len(kind.types) - 1])[0]


def unflatten_types(trace: Recorder, kind: ArrayKind, values: Iterator[Value]) -> SeveralTypes:
    """The value of several types that SSA values carry."""
    plain = array_of_value(trace, promoted(kind), next(values))
    choice = wrap(trace, next(values), INT)
    carried: dict[int, Value] = {}
    for _, numbers in carried_as(kind):
        carried |= dict.fromkeys(numbers, next(values))
    options: list[Callable[[], Any]] = []
    for number, type_ in enumerate(kind.types):
        if type_.constant is not None:
            options.append(partial(_itself, type_.constant))
        elif number in carried:
            options.append(partial(_itself, array_of_value(trace, _as_kind(type_), carried[number])))
        else:
            options.append(partial(_narrowed, plain, type_))
    made = SeveralTypes(plain._storage, choice, kind.types, options)
    made._python_type = plain._python_type
    return made


def _itself(value: Any) -> Any:
    return value


def _narrowed(value: TracedArray, type_: TypeOfValue) -> Any:
    """A number of a dtype that holds all those of a type, as one of that type."""
    number = cast(value, type_.type.dtype)
    trace = value._storage.trace
    return array_of_value(trace, _as_kind(type_), number._value())
