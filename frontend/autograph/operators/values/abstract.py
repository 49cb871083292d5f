"""What is known while tracing of a value that a branch or loop gives: its abstract type, and how types are joined.

An abstract type says which SSA values carry a Python value (`flatten`), and builds the value again from them
(`unflatten`). Joining two gives one that holds what either path gives, or notes why there is none.
"""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, TypeGuard

import numpy as np

from .....dialect.mlir import Type, Value
from ....reach.walks import attributes_of
from ....runtime_values import kept_texts
from ....runtime_values.results import HeldInList, RuntimeContainer, RuntimeLength
from ....runtime_values.values import RuntimeValue
from ....signature.composite_arrays import array_of
from ....signature.named_tuples import parts_of_record, record_of
from ....signature.traced_value import CompositeValue
from ....source.own_attributes import has_fields
from ....tracing.array import TracedArray, wrap
from ....tracing.packed_items import are_of_one_array
from ....tracing.recorder import Recorder
from ....tracing.several_types import ToldApart
from ....tracing.staging import constant, value_of
from ..interface import operators
from .array_kinds import (
    BOOL,
    INT,
    absent_array,
    array_of_value,
    array_value,
    as_array_kind,
    mlir_type_of,
    order_of,
    promoted,
)
from .composites import COMPOSITES, container_class, parts_of_composite
from .kinds import (
    ArrayKind,
    Choice,
    Container,
    Growing,
    Kind,
    Option,
    Partial,
    Static,
    Tabled,
    Text,
    are_alike,
    options_of,
)
from .made_objects import attributes_of_made, note_joined
from .optional import Chosen, MaybeUnbound, Optional
from .program_locations import UNBOUND
from .several_kinds import (
    carried_kinds,
    flatten_types,
    unflatten_types,
    without_constants,
)

# Finding out


def kind_of(value: Any, around: tuple[Any, ...] = ()) -> Kind:
    """The abstract type of a Python value as it is, in containers `around`: one of these again is itself alone."""
    if value is UNBOUND:
        return Partial(None, unbound=True)
    if isinstance(value, MaybeUnbound):
        inner = kind_of(value.value)
        if isinstance(inner, Partial):
            return Partial(inner.inner, unbound=True, none=inner.none)
        return Partial(inner, unbound=True)
    if isinstance(value, Optional):
        return Partial(kind_of(value.value), none=True)
    if isinstance(value, Chosen):
        return Choice(tuple(_kinds_of_options(value)))
    if isinstance(value, TracedArray):
        number = value._python_type
        order = () if value.ndim < 2 else order_of(value._layout())
        is_number = number if isinstance(number, type) else None
        types = value.types if isinstance(value, ToldApart) and not value.is_written else ()
        return ArrayKind(value.type, is_number, not value._is_scalar, order, types)
    if isinstance(value, _BECOMING):
        value = operators().latest(value)
    kind: Kind | None = value.abstract_type() if isinstance(value, RuntimeContainer) else None
    if kind is not None:
        return kind
    parts = parts_of(value)
    if parts is not None:
        if any(value is one for one in around):
            return Static(value)
        keys, children = parts
        return Container(container_class(value), keys, _kinds_of(children, (*around, value)))
    return Static(value)


_MANY = 64
"""From so many items on it is asked whether they are of one abstract type before each is looked at."""


def _kinds_of(children: list[Any], around: tuple[Any, ...]) -> tuple[Kind, ...]:
    if len(children) >= _MANY and are_of_one_array(children):
        numbers = {child._python_type for child in children}
        if len(numbers) == 1:
            return (kind_of(children[0]),) * len(children)
    return tuple(kind_of(child, around) for child in children)


def _kinds_of_options(chosen: Chosen) -> Iterator[Option]:
    for number, option in enumerate(chosen.options):
        kind = with_carried_texts(kind_of(option)) if number in chosen.held else Static(option)
        assert not isinstance(kind, (Partial, Choice)), "an option is one value"
        yield kind


def parts_of(value: Any) -> tuple[tuple[Any, ...], list[Any]] | None:
    """Keys and entries of a container that is joined entry by entry."""
    kind = type(value)
    if kind in (list, tuple):
        return (), list(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        keys, entries = parts_of_record(value)
        return keys, list(entries)
    if kind in (dict, OrderedDict):
        return tuple(value), list(value.values())
    if kind is slice and any(isinstance(b, (TracedArray, RuntimeValue)) for b in bounds_of(value)):
        return BOUNDS, bounds_of(value)
    if isinstance(value, COMPOSITES):
        return parts_of_composite(value)
    if isinstance(value, RuntimeValue):
        joined = value.joined_parts()
        keys = value.keys if isinstance(value, HeldInList) else ()
        return None if joined is None else (keys, joined)
    if has_fields(type(value)):
        names = [f.name for f in dataclasses.fields(value) if hasattr(value, f.name)]
        return tuple(names), [getattr(value, name) for name in names]
    attributes = attributes_of_made(value)
    return None if attributes is None else (tuple(attributes), list(attributes.values()))


BOUNDS = ("start", "stop", "step")


def bounds_of(value: slice) -> list[Any]:
    return [value.start, value.stop, value.step]


def as_arrays(kind: Kind) -> Kind:
    """The abstract type with numbers carried as arrays, and texts that the program makes by their numbers."""
    if isinstance(kind, ArrayKind) and kind.types:
        return without_constants(kind) if kind.type.rank == 0 else promoted(kind)
    if isinstance(kind, Static) and isinstance(kind.value, TracedArray):
        return as_arrays(kind_of(kind.value))
    made: Kind = kind.with_parts(map(as_arrays, kind.parts))
    return Text() if is_made_text(made) else as_array_kind(made) or made


def with_carried_texts(kind: Kind) -> Kind:
    """The abstract type with texts that are made when the program runs by their numbers."""
    made: Kind = kind.with_parts(map(with_carried_texts, kind.parts))
    return Text() if is_made_text(made) else made


def texts_grow(before: Kind, after: Kind) -> bool:
    """Whether texts become longer each time, so that there is no end to what they may be.

    Those before may be among those after, or are all of them where it is asked of one abstract type.
    """
    if not isinstance(before, Choice) or not isinstance(after, Choice) or not is_text_kind(after):
        return False
    known, found = before.constants, after.constants
    found = found if before is after else found[len(known) :]
    return any(
        text and text != new and (new.startswith(text) or new.endswith(text))
        for new in found
        for text in known
    )


def is_made_text(kind: Kind) -> TypeGuard[Static]:
    return isinstance(kind, Static) and _is_made(kind.value)


def _is_made(value: Any) -> bool:
    return isinstance(value, RuntimeValue) and value.is_made_text


def is_text_kind(kind: Kind) -> bool:
    """Whether values are texts, known while tracing or not."""
    if isinstance(kind, (Static, Choice)):
        return all(
            isinstance(option, Text)
            or (isinstance(option, Static) and (isinstance(option.value, str) or _is_made(option.value)))
            for option in options_of(kind)
        )
    return isinstance(kind, Text)


def holds_types(kind: Kind | None) -> bool:
    """Whether something in a value is of one of several types."""
    own = isinstance(kind, ArrayKind) and bool(kind.types)
    return own or (kind is not None and any(map(holds_types, kind.parts)))


def as_promoted_kind(kind: Kind) -> Kind:
    """An abstract type in which values of several types are of the dtype that these promote to."""
    made: Kind = kind.with_parts(map(as_promoted_kind, kind.parts))
    return promoted(made) if isinstance(made, ArrayKind) else made


# To SSA values and back


def array_leaves(kind: Kind | None) -> list[ArrayKind]:
    """The arrays and numbers that carry a value."""
    if isinstance(kind, ArrayKind):
        return carried_kinds(kind) if kind.types else [kind]
    if isinstance(kind, (Growing, Tabled)):
        return list(map(ArrayKind, operators().types_of(kind)))
    parts = [] if kind is None else [leaf for part in kind.parts for leaf in array_leaves(part)]
    if isinstance(kind, Partial):
        return [ArrayKind(BOOL)] * (kind.unbound + kind.none) + parts
    return [ArrayKind(INT)] * isinstance(kind, (Choice, Text)) + parts


def carried_types(kind: Kind) -> list[Type]:
    """The types of the SSA values that carry a value."""
    return [mlir_type_of(leaf.type) for leaf in array_leaves(kind)]


def column_leaves(kind: Kind | None) -> list[ArrayKind]:
    """What a list holds of each item: the arrays in it, and beside one that is an array which of the caller's it is."""
    has_origin = isinstance(kind, ArrayKind) and kind.type.rank > 0
    return [*array_leaves(kind), *[ArrayKind(INT)] * has_origin]


_BECOMING = (list, dict, set, RuntimeLength)
"""What may have become something else, of a size that only the program knows."""


def flatten(trace: Recorder, value: Any, kind: Kind) -> list[Value]:
    """The SSA values, in the current region, that carry a value as its abstract type says."""
    if isinstance(value, _BECOMING):
        value = operators().latest(value)
    if isinstance(kind, ArrayKind):
        return flatten_types(trace, value, kind) if kind.types else [array_value(trace, value, kind)]
    if isinstance(kind, Container):
        if issubclass(kind.kind, HeldInList):
            value = kind.kind.of(value)
        parts = parts_of(value)
        if kind.kind is slice:
            parts = BOUNDS, bounds_of(value)
        if parts is None and (attributes := attributes_of(value)) is not None:
            parts = tuple(attributes), list(attributes.values())  # a key from outside of the function
        assert parts is not None, "the value has the structure of its abstract type"
        keys, children = parts
        if keys != kind.keys:
            named = dict(zip(keys, children, strict=True))
            children = [named[key] for key in kind.keys]
        return [v for child, k in zip(children, kind.children, strict=True) for v in flatten(trace, child, k)]
    if isinstance(kind, Partial):
        return _flatten_partial(trace, value, kind)
    if isinstance(kind, Choice):
        return _flatten_choice(trace, value, kind)
    if isinstance(kind, Text):
        return [value_of(trace, kept_texts.number_of_text(trace, value))]
    if isinstance(kind, (Growing, Tabled)):
        pairs = zip(operators().columns_of(value, kind), array_leaves(kind), strict=True)
        return [array_value(trace, column, leaf) for column, leaf in pairs]
    return []


def _flatten_choice(trace: Recorder, value: Any, kind: Choice) -> list[Value]:
    """The number of the chosen option, and what is carried of those that may be chosen."""
    if isinstance(value, Chosen):
        options = list(zip(value.options, _kinds_of_options(value), strict=True))
    else:
        found = kind_of(value) if kind.held else Static(value)
        assert not isinstance(found, (Partial, Choice)), "an option is one value"
        options = [(value, found)]
    numbers = [_place_of(value, found, kind) for value, found in options]
    carried = [_option_number(trace, value, numbers)]
    for number, option in enumerate(kind.options):
        if not isinstance(option, Static):
            there = [place for place, found in enumerate(numbers) if found == number]
            carried += _flatten_option(trace, value, [(place, options[place][0]) for place in there], option)
    return carried


def _flatten_option(trace: Recorder, value: Any, there: list[tuple[int, Any]], kind: Option) -> list[Value]:
    """What is carried of an option, which is one of those of a value that are alike it."""
    if not there:
        return absent_values(trace, kind)
    (_, one), *others = there
    if others and not isinstance(kind, ArrayKind):  # lists may be of several lengths
        return flatten(trace, value.among([place for place, _ in there]).each(lambda chosen: chosen), kind)
    carried = flatten(trace, one, kind)
    for place, other in others:
        is_other: Any = np.equal(value.index, place)
        carried = [
            value_of(trace, np.where(is_other, wrap(trace, new), wrap(trace, old)))
            for new, old in zip(flatten(trace, other, kind), carried, strict=True)
        ]
    return carried


def _place_of(value: Any, found: Option, kind: Choice) -> int:
    """The number of the option that a value is: a constant by itself, or else as what is carried."""
    constant = found if isinstance(found, Static) else Static(value)
    for number, option in enumerate(kind.options):
        if option in (found, constant):
            return number
    return next(n for n, option in enumerate(kind.options) if are_alike(option, found))


def _option_number(trace: Recorder, value: Any, numbers: list[int]) -> Value:
    """The number of the chosen option, given those of the options of a value that is one of several."""
    if not isinstance(value, Chosen):
        return value_of(trace, np.int64(numbers[0]))
    if numbers == list(range(len(numbers))):
        return value_of(trace, value.index)
    return value_of(trace, constant(trace, np.asarray(numbers))[value.index])


def _flatten_partial(trace: Recorder, value: Any, kind: Partial) -> list[Value]:
    unbound: Any = value is UNBOUND
    if isinstance(value, MaybeUnbound):
        unbound, value = value.unbound, value.value
    none: Any = value is None
    if isinstance(value, Optional):
        none, value = value.is_none, value.value
    flags = [flag for flag, wanted in ((unbound, kind.unbound), (none, kind.none)) if wanted]
    values = [value_of(trace, flag) for flag in flags]
    if kind.inner is None:
        return values
    is_absent = value is UNBOUND or (value is None and kind.none)
    return values + (absent_values(trace, kind.inner) if is_absent else flatten(trace, value, kind.inner))


def absent_values(trace: Recorder, kind: Kind) -> list[Value]:
    """SSA values of the right types for a path on which they are never looked at."""
    return [absent_array(trace, leaf) for leaf in array_leaves(kind)]


def unflatten(trace: Recorder, kind: Kind, values: Iterator[Value]) -> Any:
    """The Python value of an abstract type on SSA values."""
    if isinstance(kind, Static):
        return kind.value
    if isinstance(kind, ArrayKind):
        if kind.types:
            return unflatten_types(trace, kind, values)
        return array_of_value(trace, kind, next(values))
    if isinstance(kind, Container):
        children = [unflatten(trace, child, values) for child in kind.children]
        return rebuilt(kind, children)
    if isinstance(kind, Choice):
        index = wrap(trace, next(values), INT)
        held = frozenset(n for n, option in enumerate(kind.options) if not isinstance(option, Static))
        return Chosen(index, tuple(unflatten(trace, option, values) for option in kind.options), held)
    if isinstance(kind, Text):
        return kept_texts.text_of_number(trace, wrap(trace, next(values), INT))
    if isinstance(kind, (Growing, Tabled)):
        return operators().of_columns(
            kind, [wrap(trace, next(values), leaf.type) for leaf in array_leaves(kind)]
        )
    unbound = wrap(trace, next(values), BOOL) if kind.unbound else None
    none = wrap(trace, next(values), BOOL) if kind.none else None
    inner: Any = UNBOUND if kind.inner is None else unflatten(trace, kind.inner, values)
    if none is not None:
        inner = Optional(none, inner)
    if unbound is None or inner is UNBOUND:
        return inner
    return MaybeUnbound(unbound, inner)


def rebuilt(kind: Container, children: list[Any]) -> Any:
    """The container of an abstract type with some entries."""
    made = kind.kind
    if made in (list, tuple):
        return made(children)
    if made is slice:
        return slice(*children)
    if made in (dict, OrderedDict):
        return made(zip(kind.keys, children, strict=True))
    if issubclass(made, tuple):
        return record_of(made, kind.keys, tuple(children))
    if made is CompositeValue:
        return array_of(kind.keys[0][0], children)
    if issubclass(made, RuntimeValue):
        return made.of_joined_parts(children)
    instance = object.__new__(made)
    for name, child in zip(kind.keys, children, strict=True):
        object.__setattr__(instance, name, child)
    note_joined(instance)
    return instance
