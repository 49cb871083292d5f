"""The abstract types of values: what is known of them while tracing.

`abstract.py` finds them, joins them, and says which SSA values carry a value of each.
"""

from __future__ import annotations

import builtins
import types
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from .....dialect.errors import UnsupportedError
from .....dialect.records import dataclass
from .....dialect.shown_values import shown_value
from .....dialect.types import TensorType, type_of
from ....runtime_values.results import RuntimeObject
from ....runtime_values.values import RuntimeValue
from ....signature.layout_keys import Order
from ....signature.signature import static_key
from ....signature.traced_value import ByValue, CompositeValue
from ....tracing.several_types import TypeOfValue

COMPARED = (bool, int, float, complex, str, bytes, slice, range, np.dtype, ByValue)
"""Values that are the same if they are equal; others are if they are one object."""


def same_static(one: Any, other: Any) -> bool:
    if one is other:
        return True
    if type(one) is not type(other) or isinstance(one, (np.ndarray, np.generic)):
        return False
    if type(one) in (int, str):  # most constants, many of which are compared where calls nest deeply
        return bool(one == other)
    if isinstance(one, types.FunctionType):
        return _are_made_alike(one, other)
    return isinstance(one, COMPARED) and bool(static_key(one) == static_key(other))


def _are_made_alike(one: types.FunctionType, other: types.FunctionType) -> bool:
    """Whether two functions are what one `def` or lambda gave twice, with nothing in them that tells them apart."""
    if one.__code__ is not other.__code__ or one.__globals__ is not other.__globals__:
        return False
    cells = (one.__closure__ or ()), (other.__closure__ or ())
    parts = ((f.__defaults__, f.__kwdefaults__, f.__dict__ or None) for f in (one, other))
    return all(mine is its for mine, its in zip(*cells, strict=True)) and not any(map(any, parts))


def described(value: Any) -> str:
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "biufc":
        return str(type_of(np.asarray(value)))
    text = shown_value(value)
    return text if len(text) < 60 else f"a {type(value).__name__}"


class AbstractType:
    """What all abstract types tell; that of a value with nothing in it tells no more."""

    @property
    def parts(self) -> tuple[Kind, ...]:
        """The abstract types of what is in a value, and carried."""
        return ()

    def with_parts(self, parts: Iterable[Kind]) -> Any:
        """One like this with others for those of its parts; itself where they are the same."""
        return self


@dataclass(frozen=True)
class Static(AbstractType):
    """A Python value that is the same on every path."""

    value: Any

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Static) and same_static(self.value, other.value)

    def __hash__(self) -> int:
        value = self.value
        if isinstance(value, types.FunctionType):
            return id(value.__code__)
        return hash(static_key(value)) if isinstance(value, COMPARED) else id(value)

    def __str__(self) -> str:
        return described(self.value)


@dataclass(frozen=True)
class ArrayKind(AbstractType):
    """An array or number that is computed at run time."""

    type: TensorType
    number: builtins.type | None = None
    """int, float, ... where Python would have a number of its own: weak in promotion."""
    is_array: bool = True
    """Whether NumPy would have an array, also of rank 0."""
    order: Order | None = ()
    """How it lies in memory: the order of its axes, () for row-major order; None where that is not known."""
    types: tuple[TypeOfValue, ...] = ()
    """What it may be where paths leave several types, of which the rest tells what they promote to."""

    def __str__(self) -> str:
        if self.types:
            return " or ".join(map(str, self.types))
        return f"a Python {self.number.__name__}" if self.number else str(self.type)


@dataclass(frozen=True)
class Container(AbstractType):
    """A list, tuple, dict, namedtuple or dataclass of joined entries."""

    kind: Any
    keys: tuple[Any, ...]
    children: tuple[Kind, ...]

    @property
    def parts(self) -> tuple[Kind, ...]:
        return self.children

    def with_parts(self, parts: Iterable[Kind]) -> Container:
        children = tuple(parts)
        return self if children == self.children else Container(self.kind, self.keys, children)

    def __hash__(self) -> int:  # of long lists, which are asked for often
        return hash((self.kind, self.keys, len(self.children), self.children[:8]))

    def __str__(self) -> str:
        inner = ", ".join(map(str, self.children))
        if self.kind is CompositeValue:
            return f"an array or number of dtype {self.keys[0][0]} ({inner})"
        if getattr(self.kind, "python_type", None) is list:
            pool = self.children[0].value  # type: ignore[union-attr]
            return f"one of the lists in {pool.holder} ({pool.kind})"
        held = {tuple: "a tuple", np.ndarray: "an array"}.get(getattr(self.kind, "python_type", object))
        if held is not None:
            return str(self.children[0]).replace("a list", held, 1)
        return f"a {self.kind.__name__} of {len(self.children)} ({inner})"


@dataclass(frozen=True)
class Partial(AbstractType):
    """A value that is there on some paths only: unbound or None on the others."""

    inner: Kind | None
    unbound: bool = False
    none: bool = False

    @property
    def parts(self) -> tuple[Kind, ...]:
        return () if self.inner is None else (self.inner,)

    def with_parts(self, parts: Iterable[Kind]) -> Partial:
        return Partial(next(iter(parts), None), self.unbound, self.none)

    def __str__(self) -> str:
        return f"{'nothing' if self.unbound else 'None'} or {self.inner}"


@dataclass(frozen=True)
class Choice(AbstractType):
    """One of several values that are not alike: constants, and what is carried (`r = "none"` on one path, an array on
    the other)."""

    options: tuple[Option, ...]

    @property
    def held(self) -> tuple[Option, ...]:
        """Those that are carried: of what is alike there is one."""
        return tuple(option for option in self.options if not isinstance(option, Static))

    @property
    def parts(self) -> tuple[Kind, ...]:
        return self.held

    def with_parts(self, parts: Iterable[Kind]) -> Choice:
        held: Iterator[Any] = iter(parts)
        return Choice(tuple(option if isinstance(option, Static) else next(held) for option in self.options))

    @property
    def constants(self) -> tuple[Any, ...]:
        """What they are, where all are constants."""
        return tuple(option.value for option in self.options if isinstance(option, Static))

    def __str__(self) -> str:
        return " or ".join(dict.fromkeys(map(str, self.options)))  # several objects may look alike


@dataclass(frozen=True)
class Text(AbstractType):
    """A text that is made when the program runs."""

    def __str__(self) -> str:
        return "a text"


@dataclass(frozen=True)
class Growing(AbstractType):
    """A list of items that are alike; how many is known at run time only."""

    item: Kind | None
    """None where there was no item yet."""

    def __str__(self) -> str:
        return f"a list of any length ({self.item})"


@dataclass(frozen=True)
class Tabled(AbstractType):
    """A dict or set whose keys are known at run time only."""

    made: Any
    """What Python has: its class, and how one is made."""
    item: Kind | None
    """A tuple of a key and, in a dict, its value; None where there was no key yet."""
    loses: bool = False
    """Whether keys were taken out of it."""

    def __str__(self) -> str:
        return f"a {self.made.python_type.__name__} of any size ({self.item})"


Option: TypeAlias = "Static | ArrayKind | Container | Text | Growing | Tabled"
Kind: TypeAlias = "Option | Partial | Choice"


def options_of(kind: Option | Choice) -> tuple[Option, ...]:
    """The values among which there is a choice, or the one."""
    return kind.options if isinstance(kind, Choice) else (kind,)


def are_alike(left: Kind, right: Kind) -> bool:
    """Whether two values are carried as one: arrays of one rank, lists, objects of one class with the same attributes.

    Constants are, where they are one; beside what only the program knows a constant number is a number.
    """
    if isinstance(left, Static) and isinstance(right, Static):
        return left == right
    return bool(_family(left) == _family(right))


def _family(option: Kind) -> Any:
    """What is equal for values that are carried as one."""
    if isinstance(option, ArrayKind):
        return option.type.rank
    if isinstance(option, Container) and option.kind is not list:
        is_sequence = option.kind is tuple
        return option.kind, option.keys, len(option.children) if is_sequence else None
    if isinstance(option, (Container, Growing)):
        return list
    if isinstance(option, Tabled):
        return option.made
    if isinstance(option, (Partial, Choice)):
        return option
    value = "" if isinstance(option, Text) else option.value
    if isinstance(value, str) or (isinstance(value, RuntimeValue) and value.is_made_text):
        return str
    is_number = isinstance(value, (bool, int, float, complex, np.generic, np.ndarray))
    return np.ndim(value) if is_number else option


def require_no_growing(kind: Kind | None) -> None:
    """Refuse items of a list that are, or hold, lists of any length themselves."""
    if isinstance(kind, Growing):
        raise UnsupportedError(
            "a list whose length is known only at run time cannot hold another one; keep the items in one list, beside "
            "a list of where each part begins, or pad them to one length"
        )
    if isinstance(kind, Tabled):
        raise UnsupportedError(
            "a list whose length is known only at run time, or a dict whose keys are, cannot hold dicts or sets that "
            "only the program knows: use keys that are tuples (a set of pairs (i, x) instead of a list of sets)"
        )
    if isinstance(kind, Choice) and not all(map(is_plain_kind, kind.held)):
        raise UnsupportedError(
            "a list whose length is known only at run time cannot hold arrays, lists, dicts or objects that are not "
            f"alike ({kind}): keep them in a list for each kind, or keep the numbers and texts that they hold"
        )
    for part in () if kind is None else kind.parts:
        require_no_growing(part)


def is_plain_kind(kind: Kind | None) -> bool:
    """Whether a value has nothing in it that is changed: a number, text or constant, or a tuple of such."""
    if isinstance(kind, ArrayKind):
        return not kind.type.rank
    if isinstance(kind, Container) and issubclass(kind.kind, RuntimeObject):
        return True  # which is a number
    is_changed = isinstance(kind, (Growing, Tabled)) or (isinstance(kind, Container) and not is_tuple(kind))
    return kind is None or (not is_changed and all(map(is_plain_kind, kind.parts)))


def is_tuple(kind: Kind | None) -> TypeGuard[Container]:
    """Whether values are tuples, with or without names for their entries."""
    return isinstance(kind, Container) and issubclass(kind.kind, tuple)


def require_lists_at_most(kind: Kind | None) -> None:
    """Refuse items of a list that are or hold tables, or lists of any length in lists of a known one."""
    while isinstance(kind, Growing):
        kind = kind.item
    if isinstance(kind, Container) and kind.kind is not list:
        for child in kind.children:
            require_lists_at_most(child)
    else:
        require_no_growing(kind)


class Mismatch(Exception):
    """Two paths give values that no abstract type holds; the message says which, both sides named."""
