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
from .....dialect.types import TensorType
from ....runtime_values import kept_texts
from ....runtime_values.results import RuntimeContainer, RuntimeLength, RuntimeTable
from ....runtime_values.values import RuntimeValue
from ....signature.composite_arrays import array_of
from ....signature.traced_value import CompositeValue
from ....tracing.array import TracedArray, wrap
from ....tracing.recorder import Recorder
from ....tracing.several_types import SeveralTypes
from ....tracing.staging import constant, value_of
from ..interface import operators
from .array_kinds import (
    BOOL as BOOL,
)
from .array_kinds import (
    INT as INT,
)
from .array_kinds import (
    absent_array,
    array_of_value,
    array_value,
    join_arrays,
    mlir_type_of,
    order_of,
    promoted,
)
from .array_kinds import (
    as_array_kind as as_array_kind,
)
from .composites import COMPOSITES, container_class, parts_of_composite
from .kinds import (
    ArrayKind as ArrayKind,
)
from .kinds import (
    Choice as Choice,
)
from .kinds import (
    Container as Container,
)
from .kinds import (
    Growing as Growing,
)
from .kinds import (
    Kind as Kind,
)
from .kinds import (
    Mismatch as Mismatch,
)
from .kinds import (
    Partial as Partial,
)
from .kinds import (
    Static as Static,
)
from .kinds import (
    Tabled as Tabled,
)
from .kinds import (
    Text as Text,
)
from .kinds import (
    require_lists_at_most as require_lists_at_most,
)
from .kinds import (
    require_no_growing as require_no_growing,
)
from .made_objects import attributes_of_made, note_joined
from .optional import Chosen, MaybeUnbound, Optional
from .program_locations import UNBOUND
from .several_kinds import absent_types, carried_types_of, flatten_types, join_types, unflatten_types

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
        return Choice(tuple(map(Static, value.options)))
    if isinstance(value, TracedArray):
        number = value._python_type
        order = () if value.ndim < 2 else order_of(value._layout())
        is_number = number if isinstance(number, type) else None
        types = value.types if isinstance(value, SeveralTypes) and not value.is_written else ()
        return ArrayKind(value.type, is_number, not value._is_scalar, order, types)
    if isinstance(value, _BECOMING):
        value = operators().latest(value)
    if isinstance(value, RuntimeLength) and value.joined_parts() is None:
        return Growing(value.kind)
    if isinstance(value, RuntimeTable):
        kind: Kind = operators().kind_of_table(value)
        return kind
    parts = parts_of(value)
    if parts is not None:
        if any(value is one for one in around):
            return Static(value)
        keys, children = parts
        inside = (*around, value)
        return Container(container_class(value), keys, tuple(kind_of(child, inside) for child in children))
    return Static(value)


def parts_of(value: Any) -> tuple[tuple[Any, ...], list[Any]] | None:
    """Keys and entries of a container that is joined entry by entry."""
    kind = type(value)
    if kind in (list, tuple):
        return (), list(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return tuple(value._fields), list(value)
    if kind in (dict, OrderedDict):
        return tuple(value), list(value.values())
    if kind is slice and any(isinstance(b, (TracedArray, RuntimeValue)) for b in _bounds(value)):
        return _BOUNDS, _bounds(value)
    if isinstance(value, COMPOSITES):
        return parts_of_composite(value)
    if isinstance(value, RuntimeValue):
        joined = value.joined_parts()
        return None if joined is None else ((), joined)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [f.name for f in dataclasses.fields(value) if hasattr(value, f.name)]
        return tuple(names), [getattr(value, name) for name in names]
    attributes = attributes_of_made(value)
    return None if attributes is None else (tuple(attributes), list(attributes.values()))


_BOUNDS = ("start", "stop", "step")


def _bounds(value: slice) -> list[Any]:
    return [value.start, value.stop, value.step]


def as_arrays(kind: Kind) -> Kind:
    """The abstract type with numbers carried as arrays, and texts that the program makes by their numbers."""
    if isinstance(kind, Container):
        return Container(kind.kind, kind.keys, tuple(map(as_arrays, kind.children)))
    if isinstance(kind, Partial) and kind.inner is not None:
        return Partial(as_arrays(kind.inner), kind.unbound, kind.none)
    return Text() if _is_made_text(kind) else as_array_kind(kind) or kind


def with_carried_texts(kind: Kind) -> Kind:
    """The abstract type with texts that are made when the program runs by their numbers."""
    if isinstance(kind, Container):
        return Container(kind.kind, kind.keys, tuple(map(with_carried_texts, kind.children)))
    if isinstance(kind, Partial) and kind.inner is not None:
        return Partial(with_carried_texts(kind.inner), kind.unbound, kind.none)
    return Text() if _is_made_text(kind) else kind


def texts_grow(before: Kind, after: Kind) -> bool:
    """Whether texts become longer each time, so that there is no end to what they may be."""
    if not isinstance(before, Choice) or not isinstance(after, Choice) or not _is_text(after):
        return False
    known = [option.value for option in before.options]
    found = [option.value for option in after.options[len(known) :]]
    return any(text and (new.startswith(text) or new.endswith(text)) for new in found for text in known)


def _is_made_text(kind: Kind) -> TypeGuard[Static]:
    return isinstance(kind, Static) and _is_made(kind.value)


def _is_made(value: Any) -> bool:
    return isinstance(value, RuntimeValue) and value.is_made_text


def _is_text(kind: Kind) -> bool:
    """Whether values are texts, known while tracing or not."""
    if isinstance(kind, (Static, Choice)):
        return all(isinstance(option.value, str) or _is_made(option.value) for option in _options(kind))
    return isinstance(kind, Text)


def holds_types(kind: Kind | None) -> bool:
    """Whether something in a value is of one of several types."""
    if isinstance(kind, ArrayKind):
        return bool(kind.types)
    if isinstance(kind, Container):
        return any(map(holds_types, kind.children))
    return isinstance(kind, Partial) and holds_types(kind.inner)


def as_promoted_kind(kind: Kind) -> Kind:
    """An abstract type in which values of several types are of the dtype that these promote to."""
    if isinstance(kind, ArrayKind):
        return promoted(kind)
    if not holds_types(kind):
        return kind
    if isinstance(kind, Container):
        return Container(kind.kind, kind.keys, tuple(map(as_promoted_kind, kind.children)))
    assert isinstance(kind, Partial)
    assert kind.inner is not None
    return Partial(as_promoted_kind(kind.inner), kind.unbound, kind.none)


# Joining


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
    if _is_list(left) and _is_list(right) and not _have_same_length(left, right):
        return _join_lists(left, right)
    if _are_tables(left, right):
        joined: Kind = operators().join_tables(left, right)
        return joined
    if slice in (getattr(left, "kind", None), getattr(right, "kind", None)):
        left, right = _as_bounds(left), _as_bounds(right)
    if isinstance(left, Container) and isinstance(right, Container):
        return _join_containers(left, right, by_type)
    one, other = as_array_kind(left), as_array_kind(right)
    if one is None and other is None and (choice := _join_constants(left, right)) is not None:
        return choice
    if one is None or other is None:
        raise Mismatch(f"{left} on one path and {right} on the other")
    return join_types(left, right) if by_type else join_arrays(one, other)


def _are_constant(kind: Kind) -> bool:
    """Whether a value is one of constants."""
    return isinstance(kind, (Static, Choice)) and not any(map(_is_made_text, _options(kind)))


def _are_tables(left: Kind, right: Kind) -> bool:
    """Whether two values are joined as dicts or sets whose keys only the program knows."""
    kinds = (left, right)
    if any(isinstance(kind, Tabled) for kind in kinds):
        return True
    return all(isinstance(kind, Static) and isinstance(kind.value, (dict, set, frozenset)) for kind in kinds)


def _join_constants(left: Kind, right: Kind) -> Choice | Text | None:
    """One of several constants, or a text; None for what is neither, and for very many constants."""
    if _is_text(left) and _is_text(right) and not (_are_constant(left) and _are_constant(right)):
        return Text()
    if not isinstance(left, (Static, Choice)) or not isinstance(right, (Static, Choice)):
        return None
    options = tuple(dict.fromkeys((*_options(left), *_options(right))))
    if all(isinstance(option.value, RuntimeContainer) for option in options):
        raise Mismatch(
            "one of two lists or dicts of lists that were there before, of which compiled code keeps the lists apart: "
            "make new ones on each path ([list(row) for row in rows])"
        )
    if any(isinstance(option.value, RuntimeValue) for option in options):
        raise Mismatch(
            f"{left} on one path and {right} on the other: objects that are made when the program runs "
            "cannot be carried out of a branch or loop; print them or raise them where they are made"
        )
    if len(options) <= MOST_OPTIONS:
        return Choice(options)
    return Text() if _is_text(left) and _is_text(right) else None


def _as_bounds(kind: Kind) -> Kind:
    """A slice whose bounds are known, as one whose bounds are not."""
    if isinstance(kind, Static) and isinstance(kind.value, slice):
        return Container(slice, _BOUNDS, tuple(map(Static, _bounds(kind.value))))
    return kind


MOST_OPTIONS = 64
"""Among how many Python values a run-time condition may choose."""


def _options(kind: Static | Choice) -> tuple[Static, ...]:
    return kind.options if isinstance(kind, Choice) else (kind,)


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
                item = as_arrays(child) if item is None else join(item, as_arrays(child))
    return Growing(item)


def _join_containers(left: Container, right: Container, by_type: bool) -> Kind:
    same_keys = left.keys == right.keys or (issubclass(left.kind, dict) and set(left.keys) == set(right.keys))
    if left.kind is right.kind and issubclass(left.kind, dict) and not same_keys:
        among: Kind = operators().join_tables(left, right)
        return among
    if left.kind is not right.kind or not same_keys or len(left.children) != len(right.children):
        raise Mismatch(f"{left} on one path and {right} on the other")
    others = right.children
    if left.keys != right.keys:
        by_key = dict(zip(right.keys, right.children, strict=True))
        others = tuple(by_key[key] for key in left.keys)
    children = (join(*pair, by_type) for pair in zip(left.children, others, strict=True))
    return Container(left.kind, left.keys, tuple(children))


def _is_none(kind: Kind) -> bool:
    return isinstance(kind, Static) and kind.value is None


# To SSA values and back


def carried_types(kind: Kind) -> list[Type]:
    """The types of the SSA values that carry a value."""
    if isinstance(kind, ArrayKind):
        return carried_types_of(kind) if kind.types else [mlir_type_of(kind.type)]
    if isinstance(kind, (Choice, Text)):
        return [mlir_type_of(INT)]
    if isinstance(kind, Container):
        return [found for child in kind.children for found in carried_types(child)]
    if isinstance(kind, Growing):
        return [mlir_type_of(t) for t in column_types(kind)]
    if isinstance(kind, Tabled):
        return [mlir_type_of(t) for t in operators().types_of_table(kind)]
    if isinstance(kind, Partial):
        flags = [mlir_type_of(BOOL)] * (kind.unbound + kind.none)
        return flags + ([] if kind.inner is None else carried_types(kind.inner))
    return []


def array_leaves(kind: Kind | None) -> list[ArrayKind]:
    """The arrays in an item of a list."""
    if isinstance(kind, ArrayKind):
        return [kind]
    if isinstance(kind, Container):
        return [leaf for child in kind.children for leaf in array_leaves(child)]
    if isinstance(kind, Partial):
        return [ArrayKind(BOOL)] * (kind.unbound + kind.none) + array_leaves(kind.inner)
    if isinstance(kind, (Choice, Text)):
        return [ArrayKind(INT)]
    return []


def column_leaves(kind: Kind | None) -> list[ArrayKind]:
    """What a list holds of each item: the arrays in it, and beside one that is an array which of the caller's it is."""
    has_origin = isinstance(kind, ArrayKind) and kind.type.rank > 0
    return [*array_leaves(kind), *[ArrayKind(INT)] * has_origin]


def column_types(kind: Growing) -> list[TensorType]:
    """The types of what carries a list: what it holds of all items, and the number of items."""
    require_no_growing(kind.item)
    leaves = [leaf.type for leaf in column_leaves(kind.item)]
    return [*(TensorType((None, *leaf.shape), leaf.dtype) for leaf in leaves), INT]


_BECOMING = (list, dict, set, RuntimeLength)
"""What may have become something else, of a size that only the program knows."""


def flatten(trace: Recorder, value: Any, kind: Kind) -> list[Value]:
    """The SSA values, in the current region, that carry a value as its abstract type says."""
    if isinstance(value, _BECOMING):
        value = operators().latest(value)
    if isinstance(kind, ArrayKind):
        return flatten_types(trace, value, kind) if kind.types else [array_value(trace, value, kind)]
    if isinstance(kind, Container):
        parts = parts_of(value)
        if kind.kind is slice:
            parts = _BOUNDS, _bounds(value)
        assert parts is not None, "the value has the structure of its abstract type"
        keys, children = parts
        if keys != kind.keys:
            named = dict(zip(keys, children, strict=True))
            children = [named[key] for key in kind.keys]
        return [v for child, k in zip(children, kind.children, strict=True) for v in flatten(trace, child, k)]
    if isinstance(kind, Partial):
        return _flatten_partial(trace, value, kind)
    if isinstance(kind, Choice):
        return [_option_number(trace, value, kind)]
    if isinstance(kind, Text):
        return [value_of(trace, kept_texts.number_of_text(trace, value))]
    if isinstance(kind, Growing):
        columns = operators().columns_of_list(value, kind.item)
        types = column_types(kind)
        return [array_value(trace, v, ArrayKind(t)) for v, t in zip(columns, types, strict=True)]
    if isinstance(kind, Tabled):
        columns, types = operators().columns_of_table(value, kind), operators().types_of_table(kind)
        return [array_value(trace, v, ArrayKind(t)) for v, t in zip(columns, types, strict=True)]
    return []


def _option_number(trace: Recorder, value: Any, kind: Choice) -> Value:
    """The number of the chosen option."""
    if not isinstance(value, Chosen):
        return value_of(trace, np.int64(kind.options.index(Static(value))))
    numbers = [kind.options.index(Static(option)) for option in value.options]
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
    if isinstance(kind, ArrayKind):
        if kind.types:
            return absent_types(trace, kind)
        return [absent_array(trace, kind)]
    if isinstance(kind, Container):
        return [v for child in kind.children for v in absent_values(trace, child)]
    if isinstance(kind, (Choice, Text)):
        return [value_of(trace, np.int64(0))]
    if isinstance(kind, Growing):
        return [v for t in column_types(kind) for v in absent_values(trace, ArrayKind(t))]
    if isinstance(kind, Tabled):
        types = operators().types_of_table(kind)
        return [v for t in types for v in absent_values(trace, ArrayKind(t))]
    if isinstance(kind, Partial):
        flags = [value_of(trace, True)] * (kind.unbound + kind.none)
        return flags + ([] if kind.inner is None else absent_values(trace, kind.inner))
    return []


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
        return _rebuilt(kind, children)
    if isinstance(kind, Choice):
        return Chosen(wrap(trace, next(values), INT), tuple(option.value for option in kind.options))
    if isinstance(kind, Text):
        return kept_texts.text_of_number(trace, wrap(trace, next(values), INT))
    if isinstance(kind, Growing):
        return operators().list_of_columns(
            kind.item, [wrap(trace, next(values), t) for t in column_types(kind)]
        )
    if isinstance(kind, Tabled):
        types = operators().types_of_table(kind)
        return operators().table_of_columns(kind, [wrap(trace, next(values), t) for t in types])
    unbound = wrap(trace, next(values), BOOL) if kind.unbound else None
    none = wrap(trace, next(values), BOOL) if kind.none else None
    inner: Any = UNBOUND if kind.inner is None else unflatten(trace, kind.inner, values)
    if none is not None:
        inner = Optional(none, inner)
    if unbound is None or inner is UNBOUND:
        return inner
    return MaybeUnbound(unbound, inner)


def _rebuilt(kind: Container, children: list[Any]) -> Any:
    made = kind.kind
    if made in (list, tuple):
        return made(children)
    if made is slice:
        return slice(*children)
    if made in (dict, OrderedDict):
        return made(zip(kind.keys, children, strict=True))
    if issubclass(made, tuple):
        return made(*children)
    if made is CompositeValue:
        return array_of(kind.keys[0][0], children)
    if issubclass(made, RuntimeValue):
        return made.of_joined_parts(children)
    instance = object.__new__(made)
    for name, child in zip(kind.keys, children, strict=True):
        object.__setattr__(instance, name, child)
    note_joined(instance)
    return instance
