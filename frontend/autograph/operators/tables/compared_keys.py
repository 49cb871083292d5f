"""What tells keys apart: of objects the attributes that their class compares, and anything else itself.

An object that is a row of a pool is told by its attributes as they are when it is put in; they are not changed then.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

from .....dialect.errors import UnsupportedError
from ....guards.compared_fields import compared_fields
from ....guards.generated import is_generated
from ....reach.walks import attributes_of
from ....source.modules import is_users_object
from ....source.own_attributes import own_attribute
from ....tracing.current import required_trace
from ..values.abstract import array_leaves, kind_of
from ..values.kinds import Choice, Container, Kind, Static
from ..values.looked_up import note_special
from ..values.object_handles import PooledObject, handle_of, object_pool_of


def names_of(kind: Kind) -> tuple[str, ...] | None:
    """The attributes by which objects of an abstract type are told apart; None for other values."""
    if not isinstance(kind, Container):
        return None
    pool = object_pool_of(kind)
    names: tuple[str, ...] | None = compared_fields(kind.kind if pool is None else pool.python_class)
    return names


def attributes_in(key: Any) -> list[Any] | None:
    """What an object is told by; None for other values, and objects that are told by what they are."""
    pool, number = handle_of(key) if isinstance(key, PooledObject) else (None, None)
    python_class: Any = type(key) if pool is None else pool.python_class
    names = compared_fields(python_class)
    if names is None:
        return None
    note_special(python_class, "__eq__", "__hash__")
    return [own_attribute(key, name) if pool is None else pool.get(number, name) for name in names]


def kind_by_attributes(key: Any, kind: Kind) -> Kind:
    """The abstract type of a key, of which an object from outside is one like those that the function makes."""
    if isinstance(kind, Container) and type(key) is tuple:
        return kind.with_parts(map(kind_by_attributes, key, kind.children))
    python_class: Any = type(key)
    if not isinstance(kind, Static) or compared_fields(python_class) is None:
        return kind
    attributes = attributes_of(key) or {}
    found = Container(python_class, tuple(attributes), tuple(map(kind_of, attributes.values())))
    choices = required_trace().choices
    if choices.own_objects is None and None not in choices.own_items:
        return found
    if array_leaves(found):
        refuse_itself(python_class)
    return kind  # the object itself, which is changed, or asked which it is


def refuse_itself(python_class: Any) -> NoReturn:
    """Refuse keys that would have to be the objects that they are."""
    raise UnsupportedError(
        f"a {python_class.__qualname__} is a key of a dict or set whose keys only the program knows, which holds a "
        "copy; the function changes it, or asks which object it is (a is b): make another object instead of "
        "changing one that is a key, and compare by =="
    )


def require_one_sort(one: Kind, other: Kind) -> None:
    """Refuse objects as keys that are themselves beside ones that are copies."""
    for itself, copy in ((one, other), (other, one)):
        if not isinstance(copy, Container) or names_of(copy) is None:
            continue
        for option in itself.options if isinstance(itself, Choice) else (itself,):
            if isinstance(option, Static) and type(option.value) is copy.kind:
                refuse_itself(copy.kind)


def objects_from_outside(key: Any, kind: Kind) -> Iterator[Any]:
    """The objects in a key that its table holds by their attributes, and which the function has not made."""
    if isinstance(kind, Container) and type(key) is tuple:
        for part, child in zip(key, kind.children, strict=True):
            yield from objects_from_outside(part, child)
    elif isinstance(kind, Container) and isinstance(kind_of(key), Static):
        yield key


def attribute_kinds(kind: Kind) -> tuple[Kind | None, ...]:
    """The abstract types of these attributes; None for one that no object has."""
    assert isinstance(kind, Container)
    pool, names = object_pool_of(kind), names_of(kind) or ()
    if pool is not None:
        return tuple(pool.kind_of_attribute(name) for name in names)
    children = dict(zip(kind.keys, kind.children, strict=True))
    return tuple(children.get(name) for name in names)


def compared(key: Any, kind: Kind) -> tuple[Any, Kind]:
    """A key with tuples of what tells objects apart in place of these, and its abstract type."""
    if not isinstance(kind, Container):
        return key, kind
    parts = key
    kinds: tuple[Kind | None, ...] = kind.children
    if names_of(kind) is not None:
        parts, kinds = attributes_in(key) or (), attribute_kinds(kind)
    elif not issubclass(kind.kind, tuple):
        return key, kind
    made = [compared(part, child) for part, child in zip(parts, kinds, strict=True) if child is not None]
    return tuple(key for key, _ in made), Container(tuple, (), tuple(kind for _, kind in made))


def compared_kind(kind: Kind) -> Kind:
    """The abstract type of what tells keys apart."""
    if not isinstance(kind, Container):
        return kind
    parts: tuple[Kind | None, ...]
    if names_of(kind) is not None:
        parts = attribute_kinds(kind)
    elif issubclass(kind.kind, tuple):
        parts = kind.children
    else:
        return kind
    return Container(tuple, (), tuple(compared_kind(part) for part in parts if part is not None))


def are_compared(kind: Kind) -> list[bool]:
    """Which of the arrays that carry a key tell it from others."""
    if isinstance(kind, Container):
        names = names_of(kind)
        if names is not None and object_pool_of(kind) is None:
            pairs = zip(kind.keys, kind.children, strict=True)
            return [name in names and each for name, child in pairs for each in are_compared(child)]
        if issubclass(kind.kind, tuple):
            return [each for child in kind.children for each in are_compared(child)]
        if names is not None:
            return [False]
    return [True] * len(array_leaves(kind))


def compared_columns(columns: Iterator[Any], kind: Kind) -> Iterator[Any]:
    """Of the arrays that carry keys, or of the attributes that their numbers lead to, those that tell keys apart."""
    own = [next(columns) for _ in array_leaves(kind)]
    if not isinstance(kind, Container):
        yield from own
        return
    names, pool, rest = names_of(kind), object_pool_of(kind), iter(own)
    if names is not None and pool is not None:
        for name, child in zip(names, attribute_kinds(kind), strict=True):
            assert child is not None
            yield from compared_columns(iter([array[own[0]] for array in pool.arrays_of(name)]), child)
    elif names is not None:
        for name, child in zip(kind.keys, kind.children, strict=True):
            found = list(compared_columns(rest, child))
            yield from found if name in names else ()
    elif issubclass(kind.kind, tuple):
        for child in kind.children:
            yield from compared_columns(rest, child)
    else:
        yield from own


def may_be_equal(key: Any, kind: type) -> bool:
    """Whether what is looked for may be equal to objects of another class."""
    equals: Any = type(key).__eq__
    own = is_users_object(key) and not is_generated(equals) and equals is not object.__eq__
    return own or (isinstance(key, kind) and not is_generated(kind.__eq__))
