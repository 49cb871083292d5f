"""Whose a module is: Python's and NumPy's, weft's own, or the program's."""

from __future__ import annotations

import functools
import sys
from functools import cache
from types import FunctionType
from typing import Any

OWN_PACKAGE = __name__.partition(".")[0]
_LIBRARIES = frozenset(sys.stdlib_module_names) - {"__main__"} | {"numpy", "ml_dtypes"}

_IN_PYTHON = ("numpy.polynomial.",)
"""Modules of libraries whose functions and classes are converted as those of programs are."""


_LIKE_PROGRAMS = (f"{OWN_PACKAGE}.frontend.data.", f"{OWN_PACKAGE}.frontend.autograph.library.")
"""Modules of ours that are written as programs are, for plain Python and compiled code alike: they are converted."""


def is_own_module(name: object) -> bool:
    """Whether a module is part of weft, but for those that are converted as programs are.

    What is in the place of a name, as classes may have it, is none of ours.
    """
    is_ours = isinstance(name, str) and name.partition(".")[0] == OWN_PACKAGE
    return is_ours and not is_like_programs(name)


def is_like_programs(name: object) -> bool:
    """Whether a module is part of weft, and converted as programs are."""
    return isinstance(name, str) and name.startswith(_LIKE_PROGRAMS)


@cache
def is_library(name: str | None) -> bool:
    """Whether a module is Python's or NumPy's own; what those compute in Python alone is not meant."""
    return isinstance(name, str) and name.partition(".")[0] in _LIBRARIES and not name.startswith(_IN_PYTHON)


def is_users_module(name: str | None) -> bool:
    """Whether a module is the program's, or of a library that nothing is known of."""
    return not (is_own_module(name) or is_library(name))


_plain: set[str] = set()
"""The packages and modules whose code is traced as it is."""


def leave_plain(name: str) -> None:
    """Let the code of a module be traced as it is, with that of what is inside of it."""
    _plain.add(name)
    is_plain_module.cache_clear()


@cache
def is_plain_module(name: str | None) -> bool:
    """Whether the code of a module is traced as it is, as the program has said of it or of a package around it."""
    if not isinstance(name, str) or not _plain:
        return False
    parts = name.split(".")
    return any(".".join(parts[: count + 1]) in _plain for count in range(len(parts)))


def has_plain_modules() -> bool:
    """Whether there are modules whose code is traced as it is."""
    return bool(_plain)


def is_of_plain_module(kind: type) -> bool:
    """Whether a class, or one that it is derived from, is of a module whose code is traced as it is."""
    return any(is_plain_module(getattr(base, "__module__", None)) for base in kind.__mro__)


_COLLECTIONS = frozenset({"UserDict", "UserList", "UserString", "ChainMap"})
"""The classes of Python's own `collections` whose methods are converted as those of programs are."""


_ABSTRACT = frozenset({"Mapping", "MutableMapping", "Sequence", "MutableSequence"})
_OF_ABSTRACT = frozenset(
    {"get", "pop", "popitem", "clear", "update", "setdefault", "index", "count", "append", "extend", "remove",
     "reverse", "__contains__"}
)  # fmt: skip
"""The methods that classes of programs inherit of `collections.abc`, written in terms of their own."""


_OF_TOTAL_ORDERING = frozenset(
    function for derived in getattr(functools, "_convert", {}).values() for _, function in derived
)
"""The comparisons that `functools.total_ordering` gives a class, in terms of the one that it has."""


def is_users_function(function: FunctionType, owner: Any = None) -> bool:
    """Whether a function is converted: one of the program's, or a method of a collection that is written in Python.

    `owner` is the object whose method it is: abstract methods are not converted for Python's own classes.
    """
    kind, _, name = function.__qualname__.rpartition(".")
    if function in _OF_TOTAL_ORDERING:
        return True
    if function.__module__ == "collections":
        return kind in _COLLECTIONS
    if function.__module__ in ("collections.abc", "_collections_abc"):
        return kind in _ABSTRACT and name in _OF_ABSTRACT and (owner is None or is_users_object(owner))
    return is_users_module(function.__module__)


def with_source(function: FunctionType) -> FunctionType:
    """A function whose code says where its source is: what Python brings along frozen does not."""
    is_frozen = function.__code__.co_filename.startswith("<frozen ")
    return _with_source(function) if is_frozen else function


@cache
def _with_source(function: FunctionType) -> FunctionType:
    file = getattr(sys.modules.get("_collections_abc"), "__file__", None)
    if file is None or function.__module__ not in ("collections.abc", "_collections_abc"):
        return function
    code = function.__code__.replace(co_filename=file)
    made = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    made.__kwdefaults__, made.__qualname__ = function.__kwdefaults__, function.__qualname__
    made.__module__ = function.__module__
    return made


def is_users_object(value: Any) -> bool:
    """Whether a value is an instance of a class that neither Python nor NumPy nor this package defines."""
    return is_users_module(type(value).__module__)


def told(function: Any, name: str, default: Any = None) -> Any:
    """What a function, or what else is called, says of itself, without asking a `__getattr__` of the program's.

    >>> told([].append, "__self__"), told(sys.intern, "__func__"), told(str.join, "__objclass__")
    ([], None, <class 'str'>)
    """
    try:
        getter: Any = type(function).__getattribute__
        return getter(function, name)
    except AttributeError:
        return default


def module_of(function: Any) -> str:
    """The name of the module that a function says to be of; "" for one that says something else, or nothing.

    What wraps a function says to be of its module (`functools.wraps`): there it is the one in which it was written.

    >>> module_of(sys.intern)
    'sys'
    """
    module = getattr(function, "__module__", None)
    if not isinstance(module, str):
        return ""
    if "__wrapped__" in getattr(function, "__dict__", ()):
        is_function = isinstance(function, FunctionType)
        own = function.__globals__.get("__name__") if is_function else type(function).__module__
        differs = isinstance(own, str) and own.partition(".")[0] != module.partition(".")[0]
        if differs and (is_function or is_own_module(own)):
            return str(own)
    return module
