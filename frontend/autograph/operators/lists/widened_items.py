"""The items of lists that grow where a further item is of another kind: one that holds both, and arrays of that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .....dialect.errors import UnsupportedError
from ....numpy_api import lookup
from ....runtime_values import kept_texts
from ....tracing.current import required_trace
from ..values.abstract import array_leaves, as_arrays, texts_grow
from ..values.joins import join
from ..values.kinds import (
    ArrayKind,
    Choice,
    Container,
    Kind,
    Mismatch,
    Option,
    Partial,
    Static,
    Text,
    are_alike,
    options_of,
    require_lists_at_most,
)
from ..values.mismatches import control_flow_error
from .items_of_types import widened_types
from .kept_items import refuse_own
from .ragged_arrays import fitted


def static_shape(leaf: ArrayKind) -> tuple[int, ...]:
    if None in leaf.type.shape:
        raise UnsupportedError(
            "the items of a list that grows in a staged loop have sizes that are known only at run time "
            f"({leaf.type}); pad them to one size, or write them into one array"
        )
    return tuple(extent for extent in leaf.type.shape if extent is not None)


def widened_columns(old: Kind, new: Kind, arrays: Iterator[Any], room: Any) -> list[Any]:
    """The arrays of items of a narrow abstract type as those of a wider one."""
    if isinstance(new, ArrayKind) and new.types:
        return widened_types(old, new, arrays, room)
    if isinstance(new, ArrayKind):
        if isinstance(old, Static):
            return [lookup("full")((room,), old.value, dtype=new.type.dtype)]
        return [next(arrays).astype(new.type.dtype)]
    if isinstance(new, Container) and isinstance(old, Container):
        pairs = zip(old.children, new.children, strict=True)
        return [array for before, after in pairs for array in widened_columns(before, after, arrays, room)]
    if isinstance(new, Choice):
        return _widened_choice(old, new, arrays, room)
    if isinstance(new, Text):
        return [next(arrays) if isinstance(old, Text) else _numbers_of_texts(old, arrays, room)]
    if isinstance(new, Partial) and new.inner is not None:
        if isinstance(old, Partial):
            inner = old.inner or new.inner
            return [next(arrays), *widened_columns(inner, new.inner, arrays, room)]
        is_none = isinstance(old, Static) and old.value is None
        flags = lookup("full")((room,), is_none)
        if is_none:
            zeros = lookup("zeros")
            return [
                flags,
                *(zeros((room, *static_shape(leaf)), leaf.type.dtype) for leaf in array_leaves(new.inner)),
            ]
        return [flags, *widened_columns(old, new.inner, arrays, room)]
    return []


def _numbers_of_texts(constant: Kind, arrays: Iterator[Any], room: Any) -> Any:
    """The numbers by which the program carries texts that were known while tracing."""
    trace = required_trace()
    if isinstance(constant, Static):
        return lookup("full")((room,), kept_texts.number_of_text(trace, constant.value))
    assert isinstance(constant, Choice)
    numbers = [kept_texts.number_of_text(trace, text) for text in constant.constants]
    return lookup("take")(lookup("stack")(numbers), next(arrays), axis=0)


def _widened_choice(old: Kind, new: Choice, arrays: Iterator[Any], room: Any) -> list[Any]:
    """The arrays of what is one of several values: the number of which one, and what is carried of each."""
    options = options_of(old)  # type: ignore[arg-type]
    places = [_place_among(option, new) for option in options]
    numbers = next(arrays) if isinstance(old, Choice) else lookup("full")((room,), np.int64(places[0]))
    known = {
        place: [next(arrays) for _ in array_leaves(option)]
        for place, option in enumerate(options)
        if not isinstance(option, Static)
    }
    widened = [_renumbered(numbers, places) if isinstance(old, Choice) else numbers]
    for number, option in enumerate(new.options):
        if isinstance(option, Static):
            continue
        columns = [
            lookup("zeros")((room, *static_shape(leaf)), leaf.type.dtype) for leaf in array_leaves(option)
        ]
        for place in (place for place, found in enumerate(places) if found == number):
            found = widened_columns(options[place], option, iter(known.get(place, ())), room)
            if len(options) == 1:
                columns = found
                continue
            columns = [
                lookup("where")(np.equal(numbers, place), one, other)
                for one, other in zip(found, columns, strict=True)
            ]
        widened += columns
    return widened


def _place_among(option: Option, choice: Choice) -> int:
    """The number of the option of a choice that one of a narrower choice has become."""
    if option in choice.options:
        return choice.options.index(option)
    return next(number for number, wider in enumerate(choice.options) if are_alike(wider, option))


def _renumbered(numbers: Any, places: list[int]) -> Any:
    """The numbers of options among others, which another path may have in front of these."""
    if places == list(range(len(places))):
        return numbers
    return lookup("take")(np.array(places, np.int64), numbers, axis=0)


def join_items(kind: Kind | None, found: Kind) -> Kind:
    """The abstract type of items of two kinds; both are not to be told apart in a list."""
    kind, found = fitted(kind, found)
    require_lists_at_most(found)
    try:
        joined = found if kind is None else as_arrays(join(kind, found, by_type=True))
    except Mismatch as mismatch:
        refuse_own(found)
        problem = str(mismatch).replace("on one path", "at first").replace("on the other", "later")
        raise control_flow_error(
            "the items of a list that grows in a staged loop differ", [f"an item is {problem}"]
        ) from None
    require_lists_at_most(joined)
    return Text() if kind is not None and texts_grow(kind, joined) else joined
