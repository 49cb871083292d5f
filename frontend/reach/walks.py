"""What objects lead to, what of it may change, and how they are compared: a small class for each kind of object.

The snapshots of branches and loops remember what is reached so, guards compare it, and the disk cache writes it down.
"""

from __future__ import annotations

import _thread
import array
import collections
import contextlib
import contextvars
import enum
import functools
import types
import weakref
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from ...dialect.records import dataclass
from ..source.modules import is_own_module, is_users_module, told
from ..source.own_attributes import own_attribute, own_attributes
from .links import Link, link


class Keeps(enum.Enum):
    """What of an object may change."""

    NOTHING = enum.auto()
    ITEMS = enum.auto()
    """The items of a list."""
    ENTRIES = enum.auto()
    """The entries of a dict."""
    MEMBERS = enum.auto()
    """The members of a set."""
    BUFFER = enum.auto()
    """The content of a collection that compiled code cannot change."""
    VARIABLE = enum.auto()
    """The one value of a variable of the context."""


def _linked(value: Any, *names: str) -> list[tuple[Link, Any]]:
    return [(link(name), getattr(value, name, None)) for name in names]


def _linking(*names: str) -> Callable[[Any], list[tuple[Link, Any]]]:
    return lambda value: _linked(value, *names)


def _no_parts(value: Any) -> tuple[()]:
    return ()


@dataclass(frozen=True)
class Walk:
    """One kind of object."""

    kinds: tuple[type, ...] = ()
    keeps: Keeps = Keeps.NOTHING
    has_attributes: bool = False
    """Whether an instance may have attributes besides, which change."""
    is_content: bool = False
    """Whether two objects are equal when they hold equal things; else only an object itself is equal to it."""
    is_bound: bool = False
    """Whether it is a method of what it leads to."""
    is_in_python: bool = False
    """Whether what it holds is in its attributes, where methods in Python read it that are not converted."""
    links: Callable[[Any], Iterable[tuple[Link, Any]]] = _no_parts
    """What it leads to in ways that nothing replaces."""
    entries: Callable[[Any], Iterable[tuple[Any, Any]]] = _no_parts
    """What it holds, by index or key."""
    members: Callable[[Any], Iterable[Any]] = _no_parts
    """What it holds that is not found by an index."""


def _entries_of_dict(value: Any) -> Iterable[tuple[Any, Any]]:
    is_ordered = isinstance(value, collections.OrderedDict)  # which has an order of its own
    return collections.OrderedDict.items(value) if is_ordered else dict.items(value)


def _mapping_of(value: Any) -> list[tuple[Link, Any]]:
    return [(link("the mapping"), link("the mapping").get(value))]


def _owner_of(value: Any) -> list[tuple[Link, Any]]:
    owner = value.__self__
    return [] if isinstance(owner, (types.ModuleType, type, type(None))) else [(link("__self__"), owner)]


def _links_of_class(value: Any) -> Iterable[tuple[Link, Any]]:
    if not is_users_module(value.__module__):
        return ()
    members = [(link(name), member) for name, member in vars(value).items() if _leads_somewhere(name, member)]
    is_plain = type(value) is type and len(value.__mro__) <= 2
    return [*members, *([] if is_plain else _linked(value, "__bases__", "__class__"))]


def _leads_somewhere(name: str, member: Any) -> bool:
    """Whether a member of a class may lead to something that changes."""
    kind = type(member)
    if kind is types.FunctionType:
        return bool(member.__closure__ or member.__defaults__ or member.__kwdefaults__ or member.__dict__)
    return name not in _OF_EVERY_CLASS and kind not in _WITHOUT_PARTS


_OF_EVERY_CLASS = frozenset(
    {"__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__slots__", "__static_attributes__",
     "__firstlineno__", "__orig_bases__", "__parameters__", "__annotate_func__", "__annotations_cache__",
     "__abstractmethods__", "_abc_impl", "__match_args__", "__dataclass_fields__", "__dataclass_params__",
     "_value2member_map_"}
)  # fmt: skip
"""Not what a program put there: an enumeration remembers combinations of its flags that were made."""
_WITHOUT_PARTS = frozenset(
    {int, float, complex, bool, str, bytes, type(None), types.MemberDescriptorType, types.GetSetDescriptorType,
     types.WrapperDescriptorType, types.MethodDescriptorType, types.BuiltinFunctionType, types.ModuleType}
)  # fmt: skip


_COLLECTIONS: tuple[type, ...] = (
    collections.UserDict, collections.UserList, collections.UserString, collections.ChainMap, weakref.WeakSet,
    weakref.WeakValueDictionary, weakref.WeakKeyDictionary,
)  # fmt: skip
_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()), types.MappingProxyType)

_WALKS = (
    Walk((list,), Keeps.ITEMS, True, True, entries=lambda value: enumerate(list.__iter__(value))),
    Walk((tuple,), is_content=True, entries=lambda value: enumerate(tuple.__iter__(value))),
    Walk((dict,), Keeps.ENTRIES, True, True, entries=_entries_of_dict, members=dict.keys),
    Walk((set, frozenset), Keeps.MEMBERS, True, True, members=list),
    Walk(
        (collections.deque,),
        Keeps.BUFFER,
        is_content=True,
        links=_linking("maxlen"),
        entries=lambda value: enumerate(list(value)),
    ),
    Walk((bytearray, array.array), Keeps.BUFFER),
    # Views of dicts, and what shows a mapping that it does not let anybody change.
    Walk(_VIEWS, is_content=True, links=_mapping_of),
    # Methods of containers and of other objects of Python's own, taken of them: `append = out.append`.
    Walk((types.BuiltinMethodType, types.MethodWrapperType), is_content=True, is_bound=True, links=_owner_of),
    Walk((types.MethodType,), is_content=True, is_bound=True, links=_linking("__self__", "__func__")),
    Walk(
        (functools.partial,), has_attributes=True, is_content=True, links=_linking("func", "args", "keywords")
    ),
    # The variables of functions are walked by who knows which of them are the program's.
    Walk((types.FunctionType,), has_attributes=True, links=_linking("__defaults__", "__kwdefaults__")),
    # What `functools.lru_cache` makes, and the members of classes that hold functions.
    Walk((functools._lru_cache_wrapper,), has_attributes=True, links=_linking("__wrapped__")),
    Walk(
        (property, staticmethod, classmethod, functools.cached_property, functools.partialmethod),
        links=_linking("fget", "fset", "fdel", "__func__", "func", "args", "keywords"),
    ),
    Walk(
        (weakref.ref,),
        has_attributes=True,
        is_content=True,
        links=lambda value: [(link("the referent"), value())],
    ),
    Walk(
        (weakref.ProxyType, weakref.CallableProxyType),
        links=lambda value: [(link("what it stands for"), link("what it stands for").get(value))],
    ),
    Walk((contextvars.ContextVar,), Keeps.VARIABLE),
    Walk((BaseException,), has_attributes=True, links=_linking("args", "__cause__", "__context__")),
    # What is another object in each thread.
    Walk((_thread._local,), has_attributes=True),
    # Collections in Python, whose methods are not converted: what they hold is compared where they are found.
    Walk(_COLLECTIONS, has_attributes=True, is_content=True, is_in_python=True),
    # Classes of the program: what their members lead to, as methods that hold a list of the function around.
    Walk((type,), links=_links_of_class),
)
"""All kinds; the first that fits says what an object is."""

_OBJECTS = Walk(has_attributes=True)
"""Instances of classes of the program, and of libraries that keep their state in attributes."""

_WITHOUT_STATE = frozenset({"builtins", "numpy", "functools", "itertools", "collections", "re"})
"""Packages whose other objects hold nothing in attributes that programs change."""


@cache
def walk_of_kind(kind: type) -> Walk | None:
    """How instances of a class are walked; None for those that lead nowhere."""
    found = next((walk for walk in _WALKS if issubclass(kind, walk.kinds)), None)
    if found is not None:
        return found
    module = getattr(kind, "__module__", "")
    is_library = module.partition(".")[0] in _WITHOUT_STATE and not is_users_module(module)
    is_foreign = is_library or is_own_module(module)
    return None if is_foreign else _OBJECTS


def walk_of(value: Any) -> Walk | None:
    """How an object is walked; None for one that leads nowhere."""
    kind: Any = type(value)
    return walk_of_kind(kind)


def attributes_of(value: Any) -> dict[str, Any] | None:
    """The attributes that an object has itself, with its slots; None for one of which they are not followed."""
    kind: Any = type(value)
    state = told(kind, "__weft_state__")
    if state is not None:
        return {name: getattr(value, name) for name in state}
    if is_own_module(kind.__module__) and (given := getattr(kind, "given_attributes", None)) is not None:
        return dict(given(value))
    walk = walk_of_kind(kind)
    if walk is None or not walk.has_attributes:
        return None
    if kind.__module__ == "builtins":
        return _unhidden(kind, own_attributes(value)) if walk.keeps is Keeps.NOTHING else None
    attributes = dict(own_attributes(value))
    for slot in _slots_of(kind):
        with contextlib.suppress(AttributeError):
            attributes[slot] = own_attribute(value, slot)
    return attributes


def _unhidden(kind: type, attributes: dict[str, Any]) -> dict[str, Any]:
    """Attributes but for those that nobody finds, as those of the class come first: `__kwdefaults__` of a function."""
    known = kind.__dict__
    return {name: held for name, held in attributes.items() if not hasattr(known.get(name), "__set__")}


@cache
def _slots_of(kind: type) -> tuple[str, ...]:
    return tuple(_slots(kind))


def _slots(kind: type) -> Iterator[str]:
    for base in kind.__mro__:
        slots = base.__dict__.get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            if slot not in ("__dict__", "__weakref__"):
                yield _mangled(base, slot)


def _mangled(kind: type, name: str) -> str:
    """What Python calls a private slot."""
    is_private = name.startswith("__") and not name.endswith("__")
    return f"_{kind.__name__.lstrip('_')}{name}" if is_private else name
