"""Iterables whose items compiled code fetches when it runs: generators, loaders of other libraries.

The types of the items are those of the first one, which is fetched when they are asked for and kept for the loop. An
iterable among the arguments is data: a number by which the running program finds it; the types are part of the
signature.
"""

from __future__ import annotations

import itertools
import sys
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import Any

import numpy as np

from ...dialect.dtypes import is_element
from ...dialect.errors import WeftTypeError
from ...dialect.records import NamedTuple, dataclass
from ...dialect.types import TensorType
from ..source.locations import is_installed
from ..source.modules import OWN_PACKAGE
from .feed_keys import FeedParts
from .signature import (
    Leaf,
    Node,
    Structure,
    TensorSpec,
    child_path,
    constants,
    flatten_with,
    is_array,
    unflatten,
)
from .traced_value import ByValue

_NUMBERS = (bool, int, float, complex)
"""Python's numbers, which are arrays of rank 0 in items."""


class ItemSpec(NamedTuple):
    """What is known of the items of an iterable."""

    structure: Structure
    types: tuple[TensorType, ...]
    kinds: tuple[type | None, ...]
    """For each array the type of Python's number that it is; None for NumPy's."""
    flat: Any
    """The class of a tuple or list of arrays; None for other structures."""
    is_declared: bool = False
    """Whether someone has said it, so that numbers and lists become arrays of these types."""

    def __repr__(self) -> str:
        return _told(self.structure, self.types)

    def _are_alike(self, arrays: Any) -> bool:
        """Whether arrays have just these types; most have."""
        if len(arrays) != len(self.types):
            return False
        for array, wanted in zip(arrays, self.types, strict=True):
            if type(array) is not np.ndarray or array.shape != wanted.shape or array.dtype != wanted.dtype:
                return False
        return True

    def arrays(self, item: Any, place: str) -> list[Any]:
        """The arrays of an item, all of these types; TypeError for another one, which names it by its place."""
        if type(item) is self.flat and self._are_alike(item):
            return list(item)
        leaves: list[Any] = []
        if self.is_declared:
            item = _conformed(self.structure, self.types, item)
        if (given := flatten_with(item, leaves, _is_leaf)) != self.structure:
            raise WeftTypeError(
                f"{place} is {_told(given, leaves)}, and {self._origin()} {_told(self.structure, self.types)}: all "
                "items are alike"
            )
        arrays = list(map(self._array, leaves, self.types))
        for number, (array, wanted) in enumerate(zip(arrays, self.types, strict=True)):
            if array.shape != wanted.shape or array.dtype != wanted.dtype:
                self._require(number, array, wanted, place)
        return arrays

    def _array(self, leaf: Any, wanted: TensorType) -> Any:
        takes = self.is_declared and type(leaf) in _NUMBERS
        if takes and np.result_type(leaf, wanted.dtype) == wanted.dtype:
            return np.asarray(leaf, wanted.dtype)
        return np.asarray(leaf)

    def _origin(self) -> str:
        return "the element_spec is" if self.is_declared else "the first one was"

    def _require(self, number: int, array: Any, wanted: TensorType, place: str) -> None:
        spec = TensorSpec(array.shape, array.dtype) if is_element(array.dtype) else None
        same_rank = spec is not None and len(spec.shape) == len(wanted.shape)
        fits = same_rank and all(w in (None, g) for w, g in zip(wanted.shape, array.shape, strict=True))
        if array.dtype == wanted.dtype and fits:
            return
        path = next((path for index, path in _paths(self.structure, "") if index == number), "")
        part = f"{place}, in {path}," if path else place
        shown = array.dtype if spec is None else spec.type
        raise WeftTypeError(
            f"{part} is {shown}, and {self._origin()} {wanted}: all items have one dtype and shape. Of a last smaller "
            "batch: leave it out (drop_last, drop_remainder), or say which extents vary, "
            "weft.data.Dataset.from_iterable(items, weft.TensorSpec([None, ...], dtype))"
        )

    def zeros(self) -> list[Any]:
        """Arrays of these types, for behind the end."""
        return [np.zeros([extent or 0 for extent in type.shape], type.dtype) for type in self.types]


def item_spec(item: Any) -> ItemSpec | None:
    """What the first item says of all; None for one that holds no arrays, or other things than these and texts."""
    leaves: list[Any] = []
    structure = flatten_with(item, leaves, _is_leaf)
    if not leaves or not all(_is_known(constant) for constant in constants(structure)):
        return None
    kinds = tuple(type(leaf) if type(leaf) in _NUMBERS else None for leaf in leaves)
    arrays = [leaf if isinstance(leaf, TensorSpec) else np.asarray(leaf) for leaf in leaves]
    if not all(is_element(array.dtype) for array in arrays):
        return None
    types = tuple(TensorType(tuple(a.shape), a.dtype) for a in arrays)
    return ItemSpec(structure, types, kinds, None if any(kinds) else _flat(structure))


def _flat(structure: Structure) -> Any:
    """The class of a tuple or list of arrays; None for other structures."""
    if not isinstance(structure, Node) or structure.kind not in (list, tuple):
        return None
    return structure.kind if all(isinstance(child, Leaf) for child in structure.children) else None


def _is_leaf(value: Any) -> bool:
    return type(value) in _NUMBERS or is_array(value)


def _is_known(constant: Any) -> bool:
    return constant is None or isinstance(constant, (str, bytes))


def _paths(structure: Structure, path: str) -> Iterator[tuple[int, str]]:
    """The numbers of the arrays in a structure, with what they are called."""
    if isinstance(structure, Leaf):
        yield structure.index, path
    elif isinstance(structure, Node):
        for place, child in enumerate(structure.children):
            yield from _paths(child, child_path(path, structure.kind, structure.keys, place))


def _told(structure: Structure, leaves: Any) -> str:
    return str(unflatten(structure, lambda number: _Shown(leaves[number])))


class _Shown:
    """An array in a message: its type."""

    def __init__(self, leaf: Any) -> None:
        self._text = str(leaf) if isinstance(leaf, TensorType) else _type_told(leaf)

    def __repr__(self) -> str:
        return self._text


def _type_told(leaf: Any) -> str:
    array = np.asarray(leaf)
    return str(TensorType(array.shape, array.dtype)) if is_element(array.dtype) else str(array.dtype)


# Iterables


class Feed:
    """An iterable, as far as it was walked to know the types of its items."""

    def __init__(self, number: int, name: str, iterable: Callable[[], Any]) -> None:
        self.number = number
        self.name = name
        self._iterable = iterable
        self._spec: ItemSpec | None = None
        self._begun: tuple[Iterator[Any], list[Any]] | None = None

    def spec(self) -> ItemSpec | None:
        """What is known of the items; None where there are none, or where compiled code cannot hold them."""
        if self._spec is None and (first := self._first()):
            self._spec = item_spec(first[0])
        return self._spec

    def is_at_end(self) -> bool:
        """Whether there are no items."""
        return not self._first()

    def _first(self) -> list[Any]:
        if self._begun is None:
            iterator = iter(self._iterable())
            self._begun = iterator, list(itertools.islice(iterator, 1))
        first = self._begun[1]
        if not first:
            self._begun = None  # it may have items when it is asked again
        return first

    def start(self) -> Iterator[Any]:
        """The items for a loop that begins, also the first one that was looked at."""
        if self._begun is None:
            return iter(self._iterable())
        iterator, first = self._begun
        self._begun = None
        return itertools.chain(first, iterator)


_feeds: dict[int, Feed] = {}
"""By their numbers."""

_by_identity: dict[int, Feed] = {}

_held: OrderedDict[int, Any] = OrderedDict()
"""The last iterables that nothing can refer to weakly."""

_MOST_HELD = 64

_numbers = itertools.count(1)


def feed_of(value: Any) -> Feed:
    """The feed of an iterable: one for each object."""
    known = _by_identity.get(id(value))
    if known is not None:
        return known
    number = next(_numbers)

    def forget(_: Any = None, key: int = id(value)) -> None:
        _feeds.pop(number, None)
        _by_identity.pop(key, None)

    name = (
        getattr(value.make, "__name__", "generator")
        if isinstance(value, Called)
        else type(value).__qualname__
    )
    try:
        feed = Feed(number, name, weakref.ref(value, forget))
    except TypeError:
        feed = Feed(number, name, lambda: value)
        _held[number] = forget
        if len(_held) > _MOST_HELD:
            _held.popitem(last=False)[1]()
    _feeds[number] = _by_identity[id(value)] = feed
    return feed


def feed_with(number: int) -> Feed:
    """The feed of an iterable that is an argument of the call."""
    return _feeds[number]


def is_fed(value: Any) -> bool:
    """Whether an object is an iterable of another library, which is not converted."""
    kind: Any = type(value)
    # What stands for a value in a trace is asked for nothing: it may refuse.
    if not hasattr(kind, "__iter__") or not _is_of_library(kind):
        return False
    is_container = isinstance(value, (list, tuple, dict, set, frozenset, str, bytes, type))
    return not is_container and not is_array(value)


def _is_of_library(kind: type) -> bool:
    """Whether a class is of an installed package, and not of this one, which may be installed there, too."""
    if str(kind.__module__).partition(".")[0] == OWN_PACKAGE:
        return False
    return is_installed(getattr(sys.modules.get(kind.__module__), "__file__", None) or "")


class ElementTypes(ByValue):
    """The types of the items of an iterable, as someone has said them: nested `TensorSpec`."""

    __slots__ = ("items", "nested")

    def __init__(self, nested: Any) -> None:
        self.nested = nested
        items = item_spec(nested)
        if items is None or not all(isinstance(leaf, TensorSpec) for leaf in _leaves(nested)):
            raise WeftTypeError(f"the types of elements are nested weft.TensorSpec, not {nested!r}")
        self.items: ItemSpec = items._replace(is_declared=True)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ElementTypes) and self.items == other.items

    def __hash__(self) -> int:
        return hash(self.items)


def _conformed(structure: Structure, types: Sequence[TensorType], item: Any) -> Any:
    """An item with arrays where a structure has them: a list there becomes one."""
    if isinstance(structure, Leaf):
        return np.asarray(item, types[structure.index].dtype) if type(item) in (list, tuple) else item
    is_alike = isinstance(structure, Node) and type(item) is structure.kind
    if not isinstance(structure, Node) or not is_alike or len(item) != len(structure.children):
        return item
    if structure.kind in (list, tuple):
        children = zip(structure.children, item, strict=True)
        return structure.kind(_conformed(child, types, part) for child, part in children)
    if structure.kind is dict and set(item) == set(structure.keys):
        named = zip(structure.keys, structure.children, strict=True)
        return {key: _conformed(child, types, item[key]) for key, child in named}
    return item


def _leaves(nested: Any) -> list[Any]:
    leaves: list[Any] = []
    flatten_with(nested, leaves, _is_leaf)
    return leaves


@dataclass(frozen=True)
class Called:
    """What a function gives that makes an iterable, called for each walk."""

    make: Callable[..., Any]
    arguments: tuple[Any, ...]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.make(*self.arguments))


@dataclass(frozen=True)
class Typed:
    """An iterable whose items are of given types."""

    iterable: Any
    types: ElementTypes

    def __iter__(self) -> Iterator[Any]:
        name = feed_of(self.iterable).name
        for number, item in enumerate(self.iterable):
            arrays = self.types.items.arrays(item, f"item {number} of {name}")
            yield unflatten(self.types.items.structure, [a if a.ndim else a[()] for a in arrays].__getitem__)


# Arguments


def feeds_in(structure: Structure) -> Iterator[tuple[Any, int]]:
    """The iterables among arguments that are data, with the numbers of their leaves."""
    if isinstance(structure, Node):
        if structure.kind is FeedParts:
            constant, leaf = structure.children
            yield constant.value, leaf.index
        else:
            for child in structure.children:
                yield from feeds_in(child)


_begins_again: ContextVar[bool] = ContextVar("begins_again", default=False)


def begins_again() -> bool:
    """Whether a trace may ask to begin again with an iterable as data; else it stays a constant."""
    return _begins_again.get()


def set_begins_again(value: bool) -> bool:
    """Say so, and return what was said before."""
    before = _begins_again.get()
    _begins_again.set(value)
    return before


class FeedNeeded(BaseException):
    """The trace has to begin again, as a loop walks an iterable among the arguments. Nothing in between takes it."""

    def __init__(self, value: Any) -> None:
        super().__init__(value)
        self.value = value
