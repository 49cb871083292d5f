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
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, ClassVar

from ..source.modules import is_own_module, is_users_module
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


class Walk:
    """One kind of object."""

    kinds: ClassVar[tuple[type, ...]] = ()
    keeps: ClassVar[Keeps] = Keeps.NOTHING
    has_attributes: ClassVar[bool] = False
    """Whether an instance may have attributes besides, which change."""
    is_content: ClassVar[bool] = False
    """Whether two objects are equal when they hold equal things; else only an object itself is equal to it."""
    is_bound: ClassVar[bool] = False
    """Whether it is a method of what it leads to."""
    is_in_python: ClassVar[bool] = False
    """Whether what it holds is in its attributes, where methods in Python read it that are not converted."""

    def links(self, value: Any) -> Iterable[tuple[Link, Any]]:
        """What it leads to in ways that nothing replaces."""
        return ()

    def entries(self, value: Any) -> Iterable[tuple[Any, Any]]:
        """What it holds, by index or key."""
        return ()

    def members(self, value: Any) -> Iterable[Any]:
        """What it holds that is not found by an index."""
        return ()


def _linked(value: Any, *names: str) -> list[tuple[Link, Any]]:
    return [(link(name), getattr(value, name, None)) for name in names]


class _Lists(Walk):
    kinds = (list,)
    keeps = Keeps.ITEMS
    has_attributes = True
    is_content = True

    def entries(self, value: Any) -> Iterable[tuple[Any, Any]]:
        return enumerate(list.__iter__(value))


class _Tuples(Walk):
    kinds = (tuple,)
    is_content = True

    def entries(self, value: Any) -> Iterable[tuple[Any, Any]]:
        return enumerate(tuple.__iter__(value))


class _Dicts(Walk):
    kinds = (dict,)
    keeps = Keeps.ENTRIES
    has_attributes = True
    is_content = True

    def entries(self, value: Any) -> Iterable[tuple[Any, Any]]:
        is_ordered = isinstance(value, collections.OrderedDict)  # which has an order of its own
        return collections.OrderedDict.items(value) if is_ordered else dict.items(value)

    def members(self, value: Any) -> Iterable[Any]:
        return dict.keys(value)


class _Sets(Walk):
    kinds = (set, frozenset)
    keeps = Keeps.MEMBERS
    has_attributes = True
    is_content = True

    def members(self, value: Any) -> Iterable[Any]:
        return list(value)


class _Deques(Walk):
    kinds = (collections.deque,)
    keeps = Keeps.BUFFER
    is_content = True

    def links(self, value: Any) -> Iterable[tuple[Link, Any]]:
        return _linked(value, "maxlen")

    def entries(self, value: Any) -> Iterable[tuple[Any, Any]]:
        return enumerate(list(value))


class _Buffers(Walk):
    kinds = (bytearray, array.array)
    keeps = Keeps.BUFFER


class _Views(Walk):
    """Views of dicts, and what shows a mapping that it does not let anybody change."""

    kinds: ClassVar[tuple[type, ...]] = (
        type({}.keys()), type({}.values()), type({}.items()), types.MappingProxyType,
    )  # fmt: skip
    is_content = True

    def links(self, value: Any) -> Iterable[tuple[Link, Any]]:
        found = link("the mapping")
        return [(found, found.get(value))]


class _BoundMethods(Walk):
    """Methods of containers and of other objects of Python's own, taken of them: `append = out.append`."""

    kinds = (types.BuiltinMethodType, types.MethodWrapperType)
    is_content = True
    is_bound = True

    def links(self, value: Any) -> Iterable[tuple[Link, Any]]:
        owner = value.__self__
        return [] if isinstance(owner, (types.ModuleType, type, type(None))) else [(link("__self__"), owner)]


class _Methods(Walk):
    kinds = (types.MethodType,)
    is_content = True
    is_bound = True

    def links(self, value: Any) -> Iterable[tuple[Link, Any]]:
        return _linked(value, "__self__", "__func__")


class _Partials(Walk):
    kinds = (functools.partial,)
    has_attributes = True
    is_content = True

    def links(self, value: Any) -> Iterable[tuple[Link, Any]]:
        return _linked(value, "func", "args", "keywords")


class _Functions(Walk):
    """Functions: their variables are walked by who knows which of them are the program's."""

    kinds = (types.FunctionType,)
    has_attributes = True

    def links(self, value: Any) -> Iterable[tuple[Link, Any]]:
        return _linked(value, "__defaults__", "__kwdefaults__")


class _Remembering(Walk):
    """What `functools.lru_cache` makes, and the members of classes that hold functions."""

    kinds = (functools._lru_cache_wrapper,)
    has_attributes = True

    def links(self, value: Any) -> Iterable[tuple[Link, Any]]:
        return _linked(value, "__wrapped__")


class _MembersOfClasses(Walk):
    kinds = (property, staticmethod, classmethod, functools.cached_property, functools.partialmethod)

    def links(self, value: Any) -> Iterable[tuple[Link, Any]]:
        return _linked(value, "fget", "fset", "fdel", "__func__", "func", "args", "keywords")


class _WeakReferences(Walk):
    kinds = (weakref.ref,)
    has_attributes = True
    is_content = True

    def links(self, value: Any) -> Iterable[tuple[Link, Any]]:
        return [(link("the referent"), value())]


class _Proxies(Walk):
    kinds = (weakref.ProxyType, weakref.CallableProxyType)

    def links(self, value: Any) -> Iterable[tuple[Link, Any]]:
        return [(link("what it stands for"), link("what it stands for").get(value))]


class _ContextVariables(Walk):
    kinds = (contextvars.ContextVar,)
    keeps = Keeps.VARIABLE


class _Exceptions(Walk):
    kinds = (BaseException,)
    has_attributes = True

    def links(self, value: Any) -> Iterable[tuple[Link, Any]]:
        return _linked(value, "args", "__cause__", "__context__")


class _Locals(Walk):
    """What is another object in each thread."""

    kinds = (_thread._local,)
    has_attributes = True


class _Collections(Walk):
    """Collections in Python, whose methods are not converted: what they hold is compared where they are found."""

    kinds = (
        collections.UserDict, collections.UserList, collections.UserString, collections.ChainMap, weakref.WeakSet,
        weakref.WeakValueDictionary, weakref.WeakKeyDictionary,
    )  # fmt: skip
    has_attributes = True
    is_content = True
    is_in_python = True


class _Classes(Walk):
    """Classes of the program: what their members lead to, as methods that hold a list of the function around."""

    kinds = (type,)

    def links(self, value: Any) -> Iterable[tuple[Link, Any]]:
        if not is_users_module(value.__module__):
            return ()
        members = [
            (link(name), member) for name, member in vars(value).items() if _leads_somewhere(name, member)
        ]
        around = (
            _linked(value, "__bases__", "__class__")
            if type(value) is not type or len(value.__mro__) > 2
            else []
        )
        return [*members, *around]


def _leads_somewhere(name: str, member: Any) -> bool:
    """Whether a member of a class may lead to something that changes."""
    kind = type(member)
    if kind is types.FunctionType:
        return bool(member.__closure__ or member.__defaults__ or member.__kwdefaults__ or member.__dict__)
    return name not in _OF_EVERY_CLASS and kind not in _WITHOUT_PARTS


_OF_EVERY_CLASS = frozenset(
    {"__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__slots__", "__static_attributes__",
     "__firstlineno__", "__orig_bases__", "__parameters__", "__annotate_func__", "__annotations_cache__",
     "__abstractmethods__", "_abc_impl", "__match_args__", "__dataclass_fields__", "__dataclass_params__"}
)  # fmt: skip
_WITHOUT_PARTS = frozenset(
    {int, float, complex, bool, str, bytes, type(None), types.MemberDescriptorType, types.GetSetDescriptorType,
     types.WrapperDescriptorType, types.MethodDescriptorType, types.BuiltinFunctionType, types.ModuleType}
)  # fmt: skip


class _Objects(Walk):
    """Instances of classes of the program, and of libraries that keep their state in attributes."""

    has_attributes = True


_WALKS: tuple[Walk, ...] = (
    _Lists(), _Tuples(), _Dicts(), _Sets(), _Deques(), _Buffers(), _Views(), _BoundMethods(), _Methods(), _Partials(),
    _Functions(), _Remembering(), _MembersOfClasses(), _WeakReferences(), _Proxies(), _ContextVariables(),
    _Exceptions(), _Locals(), _Collections(), _Classes(),
)  # fmt: skip
"""All kinds; the first that fits says what an object is."""

_OBJECTS = _Objects()

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
    state = getattr(kind, "__weft_state__", None)
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
