"""Lists whose items are numbers of several types: columns that hold them, and what NumPy and an order make of these.

`d = [float("inf")] * n; d[s] = 0` holds an int among floats. Each item lies as a number of the dtype that the types
promote to, beside the number of its type, and, for each type whose values that dtype does not all hold, as one of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np

from ....numpy_api import lookup
from ....runtime_values.result_spec import OfNumber
from ..interface import operators
from ..values.array_kinds import require_to_fit
from ..values.kinds import ArrayKind, Kind, Static
from ..values.several_kinds import carried_as, types_of

_INT64 = np.dtype(np.int64)
_FLOAT64 = np.dtype(np.float64)


def _columns_of(kind: ArrayKind, columns: Iterator[Any]) -> tuple[Any, dict[int, Any], Any]:
    """The number of the type of each item, for each type that is carried by itself all items, and all promoted ones."""
    promoted, which = next(columns), next(columns)
    carried: dict[int, Any] = {}
    for _, numbers in carried_as(kind):
        carried |= dict.fromkeys(numbers, next(columns))
    return which, carried, promoted


def _items_by_type(kind: ArrayKind, columns: Iterator[Any]) -> tuple[Any, list[Any]]:
    """The number of the type of each item, and for each type all items as ones of it; else anything lies there."""
    which, carried, promoted = _columns_of(kind, columns)
    return which, [
        carried[number] if number in carried else promoted.astype(type_.type.dtype)
        for number, type_ in enumerate(kind.types)
    ]


def known_columns(items: Sequence[Any], kind: ArrayKind) -> list[np.ndarray[Any, Any]] | None:
    """The columns of numbers that are known while tracing; None where there are others among them."""
    numbers = {type_.number or type_.type.dtype.type: number for number, type_ in enumerate(kind.types)}
    which = [numbers.get(type(item), -1) for item in items]
    if -1 in which:
        return None
    ints = [item for item in items if type(item) is int]
    for item in (min(ints), max(ints)) if ints else ():
        require_to_fit(item, kind.type.dtype)
    carried = [
        np.array(
            [item if number in among else 0 for item, number in zip(items, which, strict=True)],
            type_.type.dtype,
        )
        for type_, among in carried_as(kind)
    ]
    return [np.array(items, kind.type.dtype), np.array(which, np.int64), *carried]


def widened_types(old: Kind, new: ArrayKind, columns: Iterator[Any], room: Any) -> list[Any]:
    """The columns of items of fewer types as those of more."""
    full, zeros = lookup("full"), lookup("zeros")
    keys = [type_.key for type_ in new.types]
    places = [keys.index(type_.key) for type_ in types_of(old)]
    if isinstance(old, ArrayKind) and old.types:
        which, items = _items_by_type(old, columns)
        numbers = lookup("take")(np.array(places, np.int64), which, axis=0)
    else:
        items = [full((room,), old.value) if isinstance(old, Static) else next(columns)]
        numbers = full((room,), np.int64(places[0]))
    parts = [(numbers, place, item) for place, item in zip(places, items, strict=True)]
    carried = []
    for type_, among in carried_as(new):
        there = [part for part in parts if part[1] in among]
        dtype = type_.type.dtype
        carried.append(_one_of(there, dtype) if there else zeros((room,), dtype))
    return [_one_of(parts, new.type.dtype), numbers, *carried]


def _one_of(parts: Sequence[tuple[Any, int, Any]], dtype: np.dtype[Any]) -> Any:
    """For each item the one of its type, as a number of a dtype; `parts` are what tells the types, these, and items."""
    known: dict[int, Any] = {}  # one column may hold items of several types
    for which, number, items in parts:
        known.setdefault(id(items), (items.astype(dtype), []))[1].append(np.equal(which, number))
    (made, _), *others = known.values()
    for values, flags in others:
        made = lookup("where")(reduce(np.logical_or, flags), values, made)
    return made


def stacked_types(kind: ArrayKind, columns: Iterator[Any]) -> Any:
    """The array that NumPy makes of items: its dtype is one that holds those which are there."""
    which, items = _items_by_type(kind, columns)
    dtypes = [type_.type.dtype for type_ in kind.types]
    order = sorted(range(len(dtypes)), key=lambda number: (dtypes[number].kind not in "fc", -number))

    def found(rest: list[int], there: tuple[int, ...], dtype: np.dtype[Any] | None) -> Callable[[], Any]:
        """The array where it is known which of some types are there; the others are in the rest."""
        if dtype is not None and all(np.promote_types(dtype, dtypes[one]) == dtype for one in rest):
            parts = [(which, number, items[number]) for number in (*there, *rest)]
            return partial(_one_of, parts, dtype)
        if not rest:
            return lambda: lookup("zeros")(which.shape, np.float64)
        one, *others = rest
        wider = dtypes[one] if dtype is None else np.promote_types(dtype, dtypes[one])
        return lambda: operators().if_exp(
            np.any(np.equal(which, one)),
            found(others, (*there, one), wider),
            found(others, there, dtype),
        )

    return found(order, (), None)()


def ranks_of_types(kind: ArrayKind, columns: Iterator[Any]) -> list[Any]:
    """Numbers that are in the order of the items, those that decide first in front."""
    which, items = _items_by_type(kind, columns)
    dtype = reduce(np.promote_types, (type_.type.dtype for type_ in kind.types))
    ranks = _one_of([(which, number, item) for number, item in enumerate(items)], dtype)
    if dtype.kind != "f":
        return [ranks]
    where, rests = lookup("where"), []
    for number, type_ in enumerate(kind.types):
        if type_.type.dtype.kind in "iu" and type_.type.dtype.itemsize == 8:
            rests.append((number, _rounded_away(items[number], ranks)))
    none: Any = lookup("zeros")(which.shape, _INT64)
    rest = reduce(lambda others, one: where(np.equal(which, one[0]), one[1], others), rests, none)
    return [ranks, rest] if rests else [ranks]


def _rounded_away(integers: Any, rounded: Any) -> Any:
    """What integers are more than the floats to which they were rounded."""
    limits = np.iinfo(integers.dtype)
    is_beyond: Any = np.greater_equal(rounded, float(limits.max))  # which the integers do not reach
    inside = lookup("where")(is_beyond, 0.0, rounded).astype(integers.dtype)
    behind = integers - integers.dtype.type(limits.max) - integers.dtype.type(1)
    return lookup("where")(is_beyond, behind, integers - inside).astype(_INT64)


def holds_of_types(kind: ArrayKind, columns: Iterator[Any], item: Any) -> Any:
    """Which items equal another one."""
    which, carried, promoted = _columns_of(kind, columns)
    equal: Any = np.equal(promoted, item)
    for number, items in carried.items():
        equal = lookup("where")(np.equal(which, number), np.equal(items, item), equal)
    return equal


def number_of_types(kind: ArrayKind) -> type:
    """Made of what lies in the columns for an item: the number of its type."""
    makers: list[type] = [type_.number or type_.type.dtype.type for type_ in kind.types]
    places = {number: place for place, (_, numbers) in enumerate(carried_as(kind), 1) for number in numbers}

    class OneOfTypes(OfNumber):
        number = 1
        shown_as = " or ".join(maker.__name__ for maker in makers)

        @classmethod
        def listed(cls, *columns: list[Any]) -> list[Any]:
            promoted, which, *carried = columns
            held = [promoted, *carried]
            return [makers[number](held[places.get(number, 0)][row]) for row, number in enumerate(which)]

        @classmethod
        def alike(cls, number: int, column: Callable[[int], list[Any]]) -> list[Any]:
            place, maker = places.get(number, 0), makers[number]
            items = column(place + (place > 0))  # the second column is that of the numbers
            return items if type(items[0]) is maker else list(map(maker, items))

    return OneOfTypes
