"""How the abstract types of what several paths give are joined: the least one that holds what each of them gives."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from ....runtime_values.results import RuntimeContainer, RuntimeTuple
from ....runtime_values.values import RuntimeValue
from ....signature.traced_value import CompositeValue
from ....tracing.array import TracedArray
from ..interface import operators
from .abstract import BOUNDS, as_arrays, as_promoted_kind, bounds_of, is_made_text, is_text_kind, parts_of
from .array_kinds import as_array_kind, join_arrays
from .kinds import (
    Choice,
    Container,
    Growing,
    Kind,
    Mismatch,
    Option,
    Partial,
    Static,
    Tabled,
    Text,
    are_alike,
    options_of,
)
from .several_kinds import join_types


def join(left: Kind | None, right: Kind | None, by_type: bool = False) -> Kind:
    """The least abstract type that holds what both paths give; None is a path that never gets here.

    Numbers and arrays of two types are promoted, unless they are joined by type. Raises `Mismatch` when there is none.
    """
    if left is None or right is None:
        present = left if right is None else right
        assert present is not None, "one path of two gets here"
        return present if by_type else as_promoted_kind(present)
    if not by_type:
        left, right = as_promoted_kind(left), as_promoted_kind(right)
    if left == right:
        return left
    if isinstance(left, Partial) or isinstance(right, Partial) or _is_none(left) or _is_none(right):
        return _join_partial(left, right, by_type)
    if _is_array(left) or _is_array(right):
        raise Mismatch(f"{left} on one path and {right} on the other")  # they are joined by their values then
    if _is_list(left) and _is_list(right) and not _have_same_length(left, right):
        return _join_lists(left, right)
    if _are_tables(left, right):
        joined: Kind = operators().join_tables(left, right)
        return joined
    if slice in (getattr(left, "kind", None), getattr(right, "kind", None)):
        left, right = _as_bounds(left), _as_bounds(right)
    return _join_present(left, right, by_type)


def _join_present(left: Kind, right: Kind, by_type: bool) -> Kind:
    """What holds two values that are there, and no lists of several lengths or tables."""
    if isinstance(left, Choice) or isinstance(right, Choice):
        return _join_constants(left, right) or _join_unlike(left, right, by_type)
    if isinstance(left, Container) and isinstance(right, Container) and _are_joined_entries(left, right):
        return _join_containers(left, right, by_type)
    one, other = as_array_kind(left), as_array_kind(right)
    if one is None and other is None and (choice := _join_constants(left, right)) is not None:
        return choice
    if one is None or other is None or one.type.rank != other.type.rank:
        return _join_unlike(left, right, by_type)
    return join_types(left, right) if by_type else join_arrays(one, other)


def _is_array(kind: Kind) -> bool:
    """Whether a value is one array on all paths."""
    return isinstance(kind, Static) and isinstance(kind.value, TracedArray)


def _are_joined_entries(left: Container, right: Container) -> bool:
    """Whether two containers are joined as one; others, as tuples of two lengths, are told apart."""
    return are_alike(left, right) or (left.kind is right.kind and issubclass(left.kind, dict))


def _join_unlike(left: Kind, right: Kind, by_type: bool) -> Choice | Container:
    """One of several values that are not alike; what is alike on both sides is joined."""
    if any(isinstance(k, Container) and issubclass(k.kind, RuntimeContainer) for k in (left, right)):
        raise Mismatch(f"{left} on one path and {right} on the other")  # which another recording may join
    options: list[Option] = []
    for option in (*_alternatives(left, right), *_alternatives(right, left)):
        place = next((n for n, known in enumerate(options) if are_alike(known, option)), None)
        if place is None:
            options.append(option)
        elif options[place] != option:
            joined = join(options[place], option, by_type)
            assert not isinstance(joined, (Partial, Choice)), "what is alike is carried as one"
            options[place] = joined
    choice = Choice(tuple(options))
    are_many = len(options) > MOST_OPTIONS or len(choice.held) > MOST_HELD
    if (are_many or any(map(is_grown_tuple, options))) and (grown := _join_tuples(options)) is not None:
        return grown
    if are_many:
        raise Mismatch(f"{left} on one path and {right} on the other")
    return choice


def is_grown_tuple(kind: Kind | None) -> bool:
    """Whether a value is a tuple of any length."""
    return isinstance(kind, Container) and issubclass(kind.kind, RuntimeTuple)


def _join_tuples(options: list[Option]) -> Container | None:
    """A tuple of any length, in the place of many of different lengths with items that are alike; None for others."""
    items: list[Any] = []
    for option in options:
        if not isinstance(option, Container) or not (option.kind is tuple or is_grown_tuple(option)):
            return None
        held: list[Any] = list(option.children)
        if option.kind is not tuple and isinstance(held[0], Growing):
            held = [held[0].item]
        items += [as_arrays(each) for each in held if each is not None]
    try:
        item = functools.reduce(functools.partial(join, by_type=True), items) if items else None
    except Mismatch:
        return None
    return None if _is_unlike(item) else Container(operators().grown_tuple(), (), (Growing(item),))


def _alternatives(kind: Kind, other: Kind) -> Iterator[Option]:
    """What a value may be that is not alike another. Raises `Mismatch` for what has to stay one object."""
    assert not isinstance(kind, Partial), "what may be absent is joined by itself"
    for option in options_of(kind):
        value = option.value if isinstance(option, Static) else None
        if isinstance(value, np.ndarray):
            array = as_array_kind(option)
            if array is None:
                raise Mismatch(f"{kind} on one path and {other} on the other")
            yield array
        elif is_made_text(option):
            yield Text()
        elif isinstance(value, RuntimeContainer) or (
            isinstance(value, (list, dict, set, tuple)) and parts_of(value) is not None
        ):  # the caller tells what it holds
            raise Mismatch(f"{kind} on one path and {other} on the other")
        elif isinstance(value, RuntimeValue):
            raise Mismatch(
                f"{kind} on one path and {other} on the other: objects that are made when the program runs "
                "cannot be carried out of a branch or loop; print them or raise them where they are made"
            )
        else:
            yield option


MOST_HELD = 4
"""Of how many values that are not alike, and not constants, one may be carried."""


def _are_constant(kind: Kind) -> bool:
    """Whether a value is one of constants."""
    if not isinstance(kind, (Static, Choice)):
        return False
    return all(isinstance(option, Static) and not is_made_text(option) for option in options_of(kind))


def _are_tables(left: Kind, right: Kind) -> bool:
    """Whether two values are joined as dicts or sets whose keys only the program knows."""
    kinds = (left, right)
    if any(isinstance(kind, Tabled) for kind in kinds):
        return all(map(_is_table, kinds))
    return all(isinstance(kind, Static) and _is_table(kind) for kind in kinds)


def _is_table(kind: Kind) -> bool:
    """Whether a value is a dict or set."""
    if isinstance(kind, Static):
        return isinstance(kind.value, (dict, set, frozenset))
    return isinstance(kind, Tabled) or (isinstance(kind, Container) and issubclass(kind.kind, dict))


def _join_constants(left: Kind, right: Kind) -> Choice | Text | None:
    """One of several constants, or a text; None for what is neither, and for very many constants."""
    if is_text_kind(left) and is_text_kind(right) and not (_are_constant(left) and _are_constant(right)):
        return Text()
    if not isinstance(left, (Static, Choice)) or not isinstance(right, (Static, Choice)):
        return None
    found = dict.fromkeys((*options_of(left), *options_of(right)))
    options = tuple(option for option in found if isinstance(option, Static))
    if len(options) < len(found) or any(isinstance(option.value, np.ndarray) for option in options):
        return None
    if all(isinstance(option.value, RuntimeContainer) for option in options):
        raise Mismatch(
            "one of two lists or dicts of lists that were there before, of which compiled code keeps the lists apart: "
            "make new ones on each path ([list(row) for row in rows])"
        )
    if any(isinstance(option.value, RuntimeValue) for option in options):
        return None
    if len(options) <= MOST_OPTIONS:
        return Choice(options)
    return Text() if is_text_kind(left) and is_text_kind(right) else None


def _as_bounds(kind: Kind) -> Kind:
    """A slice whose bounds are known, as one whose bounds are not."""
    if isinstance(kind, Static) and isinstance(kind.value, slice):
        return Container(slice, BOUNDS, tuple(map(Static, bounds_of(kind.value))))
    return kind


MOST_OPTIONS = 64
"""Among how many Python values a run-time condition may choose."""


def _join_partial(left: Kind, right: Kind, by_type: bool) -> Kind:
    unbound = none = False
    inner: Kind | None = None
    for side in (left, right):
        if isinstance(side, Partial):
            unbound, none = unbound or side.unbound, none or side.none
            part = side.inner
        else:
            part = side
        if part is not None and _is_none(part) and not (_is_none(left) and _is_none(right)):
            none, part = True, None
        if part is not None:
            inner = part if inner is None else join(inner, part, by_type)
    if inner is None and none:
        return Partial(Static(None), unbound) if unbound else Static(None)
    return Partial(inner, unbound, none)


def _is_list(kind: Kind) -> bool:
    return isinstance(kind, Growing) or (isinstance(kind, Container) and kind.kind is list)


def _have_same_length(left: Kind, right: Kind) -> bool:
    """Whether two lists have as many items while tracing."""
    if not isinstance(left, Container) or not isinstance(right, Container):
        return False
    return len(left.children) == len(right.children)


def _join_lists(left: Kind, right: Kind) -> Growing:
    """Lists whose lengths differ become one whose length is known at run time."""
    item: Kind | None = None
    for side in (left, right):
        found = side.children if isinstance(side, Container) else (getattr(side, "item", None),)
        for child in found:
            if child is not None:
                item = (
                    as_arrays(child)
                    if item is None
                    else as_arrays(join(item, as_arrays(child), by_type=True))
                )
    return Growing(item)


def _join_containers(left: Container, right: Container, by_type: bool) -> Kind:
    if left.kind is right.kind and issubclass(left.kind, dict) and left.keys != right.keys:
        return _join_dicts(left, right)
    if left.kind is not right.kind or left.keys != right.keys or len(left.children) != len(right.children):
        raise Mismatch(f"{left} on one path and {right} on the other")
    children = tuple(join(*pair, by_type) for pair in zip(left.children, right.children, strict=True))
    if issubclass(left.kind, (CompositeValue, RuntimeValue)) and any(map(_is_unlike, children)):
        raise Mismatch(f"{left} on one path and {right} on the other")
    return Container(left.kind, left.keys, children)


def _is_unlike(kind: Kind | None) -> bool:
    """Whether a value is one of several that are not alike."""
    return isinstance(kind, Choice) and bool(kind.held)


def _join_dicts(left: Container, right: Container) -> Kind:
    """Dicts of several keys, or of the same ones in another order, as one whose keys only the program knows."""
    if set(left.keys) == set(right.keys):
        problem = Mismatch(f"{left} whose keys are in another order on the other path: use one order")
        try:
            value = functools.reduce(join, map(as_arrays, (*left.children, *right.children)))
        except Mismatch:
            raise problem from None
        if _is_unlike(value):
            raise problem
    joined: Kind = operators().join_tables(left, right)
    return joined


def _is_none(kind: Kind) -> bool:
    return isinstance(kind, Static) and kind.value is None
