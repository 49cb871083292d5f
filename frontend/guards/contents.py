"""What containers are compared by: all that they hold, however much that is."""

from __future__ import annotations

import marshal
import types
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..reach.links import Link
from ..reach.walks import Walk, walk_of
from ..signature.signature import static_key
from ..source.own_attributes import own_attributes
from ..source.plain_items import kind_of_key


def is_content(value: Any) -> bool:
    """Whether a value is compared by what it holds, or leads to."""
    walk = walk_of(value)
    return walk is not None and walk.is_content and (not walk.is_bound or any(walk.links(value)))


class ArrayKey:
    """Compares an array by identity."""

    __slots__ = ("array",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ArrayKey) and self.array is other.array


def is_equal(one: Any, other: Any) -> bool:
    """Whether two values that hold nothing are the same to a trace."""
    return one is other or (type(one) is type(other) and bool(key_of(one) == key_of(other)))


def key_of(value: Any) -> Any:
    """What a value that holds nothing is compared by."""
    if isinstance(value, np.generic):
        return (type(value), value.dtype, value.tobytes())
    if isinstance(value, np.ndarray):
        return ArrayKey(value)
    return static_key(value)


def is_plain(value: Any, depth: int = 20) -> bool:
    """Whether a container holds nothing but plain values, all the way down, so that `plain_text` tells what it is."""
    kind = type(value)
    if kind is dict:
        return is_plain((*value, *value.values()), depth)
    return kind in _TOLD or (
        kind in (list, tuple) and depth > 0 and all(is_plain(v, depth - 1) for v in value)
    )


_TOLD = frozenset({int, float, complex, str, bool, type(None)})
"""What has a text of its own: that of bytes is also that of an array with this memory."""


def plain_text(value: Any) -> bytes:
    """What tells at once whether a plain container is as it was: where this is equal. Others may hold the same."""
    try:
        return marshal.dumps(value, 2)  # without references, by which equal containers differ
    except ValueError:
        return b""


def fingerprint(value: Any, skip: frozenset[tuple[Any, ...]] = frozenset()) -> Any:
    """What a container is compared by: for each entry its key. Entries at the paths in `skip` are left out."""
    return _fingerprint(value, skip, (), {})


def _fingerprint(
    value: Any, skip: frozenset[tuple[Any, ...]], path: tuple[Any, ...], around: dict[int, int]
) -> Any:
    if skip and path in skip:
        return None
    kind = type(value)
    if kind in _PLAIN:
        return (kind, value)
    if kind is float and value and value == value:
        return (kind, value)
    walk = walk_of(value)
    if walk is None or not walk.is_content:
        return key_of(value)
    if id(value) in around:
        return ("the container around", len(path) - around[id(value)])
    if isinstance(value, (set, frozenset)):
        return (kind, frozenset(map(key_of, value)))
    if isinstance(value, weakref.ref):
        referent = value()
        if isinstance(referent, types.MethodType):  # of a `WeakMethod`, which makes one each time
            return (kind, static_key(referent.__self__), static_key(referent.__func__))
        return (kind, static_key(referent))  # which keeps nothing alive
    if walk.is_bound and not any(walk.links(value)):
        return key_of(value)
    around[id(value)] = len(path)
    entries = tuple(
        (key, _fingerprint(entry, skip, (*path, key), around)) for key, entry in parts_of(walk, value)
    )
    del around[id(value)]
    return (
        kind,
        getattr(value, "__name__", "") if walk.is_bound else _kinds([key for key, _ in entries]),
        entries,
    )


_PLAIN = frozenset({int, str, bool, type(None), bytes})


def _kinds(keys: list[Any]) -> tuple[Any, ...]:
    kinds = tuple(map(type, keys))
    return kinds if _PLAIN.issuperset(kinds) else tuple(map(kind_of_key, keys))


def parts_of(walk: Walk, value: Any) -> Iterator[tuple[Any, Any]]:
    """What a container holds, each with what leads to it: an index, a key, or a way of another kind."""
    yield from walk.entries(value)
    yield from walk.links(value)
    if walk.is_in_python:
        yield from own_attributes(value).items()


def differences(old: Any, new: Any) -> Iterator[tuple[Any, ...]]:
    """The paths of the entries that differ; an empty one where containers themselves do."""
    if old == new:
        return
    containers = all(isinstance(p, tuple) and len(p) == 3 and isinstance(p[2], tuple) for p in (old, new))
    if not containers or old[:2] != new[:2] or [k for k, _ in old[2]] != [k for k, _ in new[2]]:
        yield ()
        return
    for (key, before), (_, after) in zip(old[2], new[2], strict=True):
        for path in differences(before, after):
            yield (key, *path)


def path_in_words(path: tuple[Any, ...]) -> str:
    """The way to an entry, as a program writes it."""
    text = ""
    for step in path:
        text = step.after(text) if isinstance(step, Link) else f"{text}[{step!r}]"
    return text
