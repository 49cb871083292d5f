"""Compiled functions go to other processes as plain functions do: by name where they are found, else by value.

A pickler knows best which it is: `pickle` finds functions by name, `cloudpickle` takes those of `__main__`, of
notebooks and of functions along. So two plain functions stand for a compiled one, under names inside of its own: a
*marker*, which is itself where it was found by name, and a *carrier*, with the code, the globals and the closure.
"""

from __future__ import annotations

import dis
import functools
import linecache
import marshal
import sys
import threading
import types
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np

from ...backend.cache.files import digest
from ..source.carried_sources import files_of, install_files, restore_file
from ..source.code_parts import all_codes, content_of
from ..source.modules import told
from ..source.own_attributes import plain_function_of
from .shipped_code import with_code

_MOST_KEPT = 64
"""So many functions that came by value are kept for those that come again."""

_markers: weakref.WeakKeyDictionary[Any, Callable[[], Any]] = weakref.WeakKeyDictionary()
"""The functions of this process, by their markers."""

_came: OrderedDict[Any, Any] = OrderedDict()
"""The functions that came by value, by what they are, the last one at the end."""

_lock = threading.Lock()


def _marker() -> None:
    """What all markers do."""


def marker_of(function: Any) -> types.FunctionType:
    """What tells whether a compiled function was found by its name; it bears the key of what may be shared."""
    made = types.FunctionType(_marker.__code__, {}, "_marker")
    _name(made, function, "_marker")
    _markers[made] = weakref.ref(function)
    return made


def carrier_of(function: Any) -> Any:
    """A copy of the Python function that is found inside of the compiled one."""
    original = function.python_function
    if not isinstance(original, types.FunctionType):
        return original
    made = types.FunctionType(
        original.__code__,
        original.__globals__,
        original.__name__,
        original.__defaults__,
        original.__closure__,
    )
    made.__kwdefaults__, made.__doc__ = original.__kwdefaults__, original.__doc__
    made.__annotations__ = original.__annotations__
    made.__dict__.update(original.__dict__)
    _name(made, function, "_carrier")
    return made


def _name(made: types.FunctionType, function: Any, name: str) -> None:
    made.__module__ = function.__module__
    made.__qualname__ = f"{function.__qualname__}.{name}"


def uncarried(carrier: Any) -> Any:
    """The Python function of a carrier that came by value."""
    if isinstance(carrier, types.FunctionType):
        carrier.__qualname__ = carrier.__qualname__.removesuffix("._carrier")
    return carrier


def placed(kind: Any, marker: types.FunctionType | str | None) -> Any:
    """The compiled function that a marker stands for, or a key; or one that is not made yet."""
    key = marker
    if isinstance(marker, types.FunctionType):
        known = _markers.get(marker)
        if known is not None and (function := known()) is not None:
            return function
        key = marker.__dict__["key"]
    with _lock:
        function = _came.get(key)
    return kind.__new__(kind) if function is None else function


def note_arrival(key: str | None, function: Any) -> None:
    """Keep a function that came by value for the case that it comes again, if nothing tells the two apart."""
    if key is None:
        return
    with _lock:
        _came[key] = function
        _came.move_to_end(key)
        while len(_came) > _MOST_KEPT:
            _came.popitem(last=False)


Own = TypeVar("Own", bound="Portable")


class Portable:
    """What `Function` does to go to another process."""

    __slots__ = ()
    _own_attributes: frozenset[str]
    __module__: str
    __qualname__: str
    name: str
    python_function: Callable[..., Any]
    _made_by: tuple[Callable[..., Any], tuple[Any, ...]] | None = None
    """The transform and its arguments that make it, in other processes as here."""

    def made_by(self: Own, transform: Callable[..., Any], *args: Any) -> Own:
        """Tell that a transform makes this function of its arguments; returns the function.

        To another process goes what the transform was given, as pickle finds or takes that.
        """
        self._made_by = transform, args
        self._own_attributes |= {"_made_by"}
        return self

    def _make_of(self, python_function: Callable[..., Any], options: dict[str, Any]) -> None:
        """Be the function that `weft.function` makes with these options."""
        raise NotImplementedError

    def options(self) -> dict[str, Any]:
        """What `weft.function` was told."""
        names = ("input_signature", "name", "autograph", "strict", "target", "device", "max_specialisations")
        return {name: getattr(self, name) for name in names}

    def attributes_now(self) -> frozenset[str]:
        """The attributes that it has by itself, when it is made."""
        return frozenset((*vars(self), "_own_attributes", "_marker", "_carrier"))

    def given_attributes(self) -> tuple[tuple[str, Any], ...]:
        """The attributes that it was given by the program."""
        names = sorted(set(vars(self)) - self._own_attributes)
        return tuple((name, getattr(self, name)) for name in names)

    def __reduce__(self) -> str | tuple[Any, ...]:
        """How it is made elsewhere, where its compiled code comes first."""
        return with_code(self, self._reduced())

    def _reduced(self) -> str | tuple[Any, ...]:
        if self._made_by is not None:
            return self._made_by
        if is_named(self):
            return self.__qualname__
        key = key_of(self)
        sent = list(_reached(self.python_function, set()))
        for reached in sent:
            restore_file(reached)  # it may have come itself: schedulers send on what they were sent
        files = files_of(reached.__code__ for reached in sent)
        state = self.options(), self.given_attributes(), sources_of(sent), files, key
        if not is_found(self):
            return placed, (type(self), key), (self.python_function, *state)
        self._marker.__dict__["key"] = key
        return placed, (type(self), self._marker), (self._carrier, *state)

    def __dask_tokenize__(self) -> Any:
        """What tells Dask whether two functions are one: not what was compiled of it."""
        from dask.base import normalize_token

        if is_named(self):
            return "weft.function", self.__module__, self.__qualname__
        return "weft.function", normalize_token(self.python_function), repr(self.options())

    def __setstate__(self, state: Any) -> None:
        if hasattr(self, "python_function"):
            return  # it was found
        carrier, options, given, sources, files, key = state
        install_sources(sources)
        install_files(files)
        for reached in _reached(carrier, set()):
            restore_file(reached)  # before the function is looked up, of which that is a part
        self._make_of(uncarried(carrier), options)
        for name, value in given:
            setattr(self, name, value)
        note_arrival(key, self)

    @functools.cached_property
    def _marker(self) -> types.FunctionType:
        return marker_of(self)

    @functools.cached_property
    def _carrier(self) -> Any:
        return carrier_of(self)


def is_found(function: Any) -> bool:
    """Whether a compiled function is found in its module under its name."""
    found: Any = sys.modules.get(function.__module__)
    for name in told(function, "__qualname__", function.name).split("."):
        found = getattr(found, name, None)
    return found is function


def is_named(function: Any) -> bool:
    """Whether other processes find a compiled function under its name, too."""
    return not _goes_along(function.__module__) and is_found(function)


def _goes_along(module: str) -> bool:
    """Whether other processes get what is in a module by value."""
    if module == "__main__":
        return True
    pickler = sys.modules.get("cloudpickle")
    registered = () if pickler is None else pickler.list_registry_pickle_by_value()
    package = module.split(".")
    return any(".".join(package[: end + 1]) in registered for end in range(len(package)))


# Sources


def sources_of(functions: Iterable[types.FunctionType]) -> dict[str, list[str]]:
    """The source files that other processes may not have: those of `__main__`, with all functions that are reached."""
    files: dict[str, list[str]] = {}
    for reached in functions:
        file = reached.__code__.co_filename
        if _is_sent(reached) and file not in files:
            files[file] = linecache.getlines(file)
    return files


def install_sources(sources: dict[str, list[str]]) -> None:
    """Let the source of functions that came by value be found, where that file is not here, or another one."""
    for file, lines in sources.items():
        if lines and linecache.getlines(file) != lines:
            linecache.cache[file] = (sum(map(len, lines)), None, lines, file)


def _is_sent(function: types.FunctionType) -> bool:
    """Whether a function is not found by its name in another process."""
    if _goes_along(function.__module__):
        return True
    found: Any = sys.modules.get(function.__module__)
    for name in function.__qualname__.split("."):
        found = getattr(found, name, None)
    return plain_function_of(found) is not function


def _reached(value: Any, seen: set[int]) -> Iterator[types.FunctionType]:
    """A function, and those that it reads under names and in its closure, as far as they are sent."""
    value = plain_function_of(value)
    if isinstance(value, type) and _goes_along(value.__module__):
        for member in vars(value).values():
            yield from _reached(told(member, "__func__", member), seen)
    if not isinstance(value, types.FunctionType) or id(value) in seen or not _is_sent(value):
        return
    seen.add(id(value))
    yield value
    for _, found in _read_by(value):
        yield from _reached(found, seen)


def _read_by(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function reads besides its arguments: names of its module, cells of its closure, defaults."""
    names = {name for code in all_codes(function.__code__) for name in code.co_names}
    yield from ((name, function.__globals__[name]) for name in sorted(names & function.__globals__.keys()))
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield name, content_of(cell)
    yield from enumerate_defaults(function)


def enumerate_defaults(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """The defaults of a function, with names."""
    yield from ((str(place), value) for place, value in enumerate(function.__defaults__ or ()))
    yield from (function.__kwdefaults__ or {}).items()


# What may be shared


class _Changing(Exception):
    """Two copies of a function may come to differ."""


def key_of(function: Any) -> str | None:
    """What a function is, with all that it reads; None where that may change, so that each copy has its own."""
    try:
        parts = repr(_parts(function, {}))
    except _Changing:
        return None
    return digest(parts)


def _parts(value: Any, seen: dict[int, int]) -> Any:
    if isinstance(
        value, (bool, int, float, complex, str, bytes, np.generic, np.dtype, type(None), type(...))
    ):
        return type(value).__name__, repr(value)
    if type(value) is tuple:
        return tuple(_parts(item, seen) for item in value)
    if isinstance(value, types.ModuleType):
        return "module", value.__name__
    function = plain_function_of(value)
    settings = None if function is value else value.options()
    if not isinstance(function, types.FunctionType):
        if isinstance(value, (types.BuiltinFunctionType, np.ufunc, type)) and not _goes_along(
            value.__module__
        ):
            return "name", value.__module__, getattr(value, "__qualname__", value.__name__)
        raise _Changing
    if not _is_sent(function):
        return "name", function.__module__, function.__qualname__
    if id(function) in seen:
        return "again", seen[id(function)]
    seen[id(function)] = len(seen)
    if any(_stores(code) for code in all_codes(function.__code__)):
        raise _Changing
    read = tuple((name, _parts(found, seen)) for name, found in _read_by(function))
    return "function", marshal.dumps(function.__code__, 2), read, repr(settings)


def _stores(code: types.CodeType) -> bool:
    """Whether code assigns to names of its module, or of functions around it."""
    return any(
        instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL")
        or (instruction.opname == "STORE_DEREF" and instruction.argval in code.co_freevars)
        for instruction in dis.get_instructions(code)
    )
