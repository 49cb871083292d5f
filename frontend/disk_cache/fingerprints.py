"""Values of Python as data that has one form in all processes, so that it tells whether one is what a trace found.

A value whose meaning data cannot tell is refused: what a trace saw of it is not stored.
"""

from __future__ import annotations

import builtins
import dataclasses
import linecache
import sys
import types
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any

import numpy as np

from ...backend.cache.files import digest
from ..guards.contents import parts_of
from ..guards.generated import is_generated
from ..guards.set_order import ORDER_OF_SETS, has_order
from ..guards.unbound import UNBOUND
from ..reach.walks import Walk, attributes_of, walk_of
from ..signature.generators import parts_of_generator
from ..source.code_parts import content_of, functions_in
from ..source.modules import OWN_PACKAGE, is_own_module, is_users_module, is_users_object, told
from .objects import is_compared, why_not_seen
from .portable import Data, NotPortable

ARRAY_BYTES = 1 << 24
"""Arrays that are compared by their elements have at most so many bytes."""

_STORED_BYTES = 1 << 12
"""Of larger arrays a digest is stored."""

_DEPTH = 8
_ENTRIES = 1000

_PLAIN = (type(None), bool, int, str, bytes)
_DTYPES = (type(np.dtype(code)) for code in (*"?bhilqBHILQefdFDgGmM", "S1", "U1", "V8"))
_BY_TEXT = frozenset({float, complex, range, type(Ellipsis), type(NotImplemented), *_DTYPES})
"""Types whose values are told by their texts."""


class Fingerprints:
    """Makes data of values, and remembers which functions' code it has seen."""

    def __init__(self, only_tests: Callable[[str | None], bool] | None = None) -> None:
        self._only_tests = only_tests
        """Whether a program only asks what is in a set under a name; without, nobody asks."""
        self.name: str | None = None
        """The name of what is looked at."""
        self.codes: set[int] = set()
        """The code of these functions, by identity, is part of what was made."""
        self._open: list[Any] = []
        self._classes: dict[int, tuple[type, Data]] = {}
        """The classes that were looked at as such, by identity, with their data."""

    @property
    def is_inside(self) -> bool:
        """Whether what is looked at is part of a function or a class."""
        return bool(self._open)

    def of(self, value: Any, depth: int = 0, skip: frozenset[tuple[Any, ...]] = frozenset()) -> Data:
        """The data of a value; raises NotPortable. Entries of containers at the paths in `skip` are left out."""
        kind = type(value)
        if kind in _PLAIN:
            return (kind.__name__, value)
        if kind in _BY_TEXT:
            return (kind.__name__, repr(value))  # tells -0.0 from 0.0, and nan is nan
        if depth > _DEPTH:
            raise NotPortable(f"a {kind.__name__} that is nested deeply")
        maker = _MAKERS.get(kind)
        if maker is not None:
            return maker(self, value, depth, skip)
        if isinstance(value, np.generic) and kind.__module__ == "numpy" and not value.dtype.hasobject:
            return ("number", value.dtype.str, value.tobytes())
        if isinstance(value, type):
            return self._class(value, depth)
        known = _known_object(value)
        if known is not None:
            return known
        walk = walk_of(value)
        if walk is not None and walk.is_content and not is_users_object(value):
            return self._walked(walk, value, depth)
        if is_users_object(value):
            if self.is_inside:
                raise NotPortable(f"a {kind.__qualname__} object in a class or in the defaults of a function")
            return self._object(value, depth)
        return self._of_ours(value, depth)

    def _walked(self, walk: Walk, value: Any, depth: int) -> Data:
        """What is compared by what it holds or leads to: methods of containers, partials, views of dicts."""
        if isinstance(value, weakref.ref):
            raise NotPortable("a weak reference")
        name = getattr(value, "__name__", "") if walk.is_bound else ""
        parts = tuple((str(way), self.of(part, depth + 1)) for way, part in parts_of(walk, value))
        if walk.is_bound and not parts:
            raise NotPortable(f"the method {name}")
        return (type(value).__qualname__, name, parts)

    def _object(self, value: Any, depth: int) -> Data:
        """An object by its class and the names of its attributes, or by all that its class compares."""
        kind = type(value)
        reason = why_not_seen(kind)
        if reason is not None:
            raise NotPortable(reason)
        held = sorted((attributes_of(value) or {}).items())
        content = tuple(self.of(part, depth + 1) for _, part in held) if is_compared(kind) else ()
        return ("object", self._class(kind, 0), tuple(name for name, _ in held), content)

    def named(self, name: str | None, value: Any, depth: int = 0, **options: Any) -> Data:
        """The data of what has a name, by which functions read it."""
        before, self.name = self.name, name
        try:
            return self.of(value, depth, **options)
        finally:
            self.name = before

    def require_order(self, entries: Collection[Any]) -> None:
        """Refuse a set that may have been walked in an order that is another one in each process."""
        if self._only_tests is not None and not has_order(entries) and not self._only_tests(self.name):
            raise NotPortable(ORDER_OF_SETS)

    def key(self, value: Any, depth: int) -> Data:
        """The data of an entry of a set or of a key."""
        if is_users_object(value):
            raise NotPortable(f"a {type(value).__qualname__} object in a set or as a key")
        if isinstance(value, (type, types.FunctionType)) and not is_found(value):
            raise NotPortable(f"{value.__qualname__} in a set or as a key, which is not found under its name")
        return self.of(value, depth)

    def _of_ours(self, value: Any, depth: int) -> Data:
        """The data of what this package makes: it tells its parts."""
        parts = getattr(type(value), "fingerprint_parts", None)
        if is_own_module(type(value).__module__) and parts is not None:
            return (type(value).__name__, *(self.of(part, depth + 1) for part in parts(value)))
        raise NotPortable(f"a {type(value).__qualname__} object")

    def root(self, function: Callable[..., Any]) -> Data:
        """The function that is compiled; its variables outside are compared by guards."""
        if isinstance(function, types.MethodType):
            return ("method", self.root(function.__func__), self.of(function.__self__))
        if isinstance(function, types.FunctionType):
            return self.function(function, with_state=False)
        return self.of(function)

    def function(self, function: types.FunctionType, depth: int = 0, with_state: bool = True) -> Data:
        """A function: its code and source, its defaults, and what it encloses and holds if that is wanted."""
        if any(function is known for known in self._open):
            return ("this function", len(self._open))
        self._open.append(function)
        try:
            return (
                "function",
                function.__module__,
                function.__name__,
                function.__qualname__,
                self.code(function.__code__),
                source_lines(function.__code__),
                self.of(function.__defaults__, depth + 1),
                self.of(function.__kwdefaults__, depth + 1),
                tuple(
                    self._cell(name, cell, depth + 1)
                    for name, cell in zip(
                        function.__code__.co_freevars, function.__closure__ or (), strict=True
                    )
                )
                if with_state
                else (),
                self.of(_attributes(function), depth + 1),
            )
        finally:
            self._open.pop()

    def _cell(self, name: str, cell: types.CellType, depth: int) -> Data:
        value = content_of(cell, UNBOUND)
        # Functions that are compiled read the arrays and objects in their cells through guards of their own.
        if is_users_object(value):
            return ("an object", type(value).__module__, type(value).__qualname__)
        return ("an array",) if isinstance(value, np.ndarray) else self.named(name, value, depth)

    def code(self, code: types.CodeType) -> Data:
        """The code of a function, with all that it defines."""
        self.codes.add(id(code))
        constants = tuple(map(self._constant, code.co_consts))
        lines = getattr(code, "co_linetable", b"")
        return (
            code.co_name, code.co_filename, code.co_firstlineno, code.co_flags, code.co_argcount,
            code.co_posonlyargcount, code.co_kwonlyargcount, code.co_code, constants, code.co_names, code.co_varnames,
            code.co_freevars, code.co_cellvars, bytes(lines), getattr(code, "co_exceptiontable", b""),
        )  # fmt: skip

    def _constant(self, constant: Any) -> Data:
        if isinstance(constant, types.CodeType):
            return self.code(constant)
        # What is done with a set that is a constant is known from the code.
        return _set_data(self, constant) if isinstance(constant, frozenset) else self.of(constant)

    def _class(self, value: type, depth: int) -> Data:
        """A class: by name if it is Python's or NumPy's, else with all that it defines."""
        if not is_users_module(value.__module__):
            if "<locals>" in value.__qualname__:
                raise NotPortable(f"the class {value.__qualname__}")
            return ("class", value.__module__, value.__qualname__)
        if any(value is known for known in self._open):
            return ("this class", value.__qualname__)
        if type(value) is not type:
            raise NotPortable(f"the class {value.__qualname__}")
        if self._open:
            return self._users_class(value, depth)
        if id(value) not in self._classes:
            self._classes[id(value)] = (value, self._users_class(value, depth))
        return self._classes[id(value)][1]

    def _users_class(self, value: type, depth: int) -> Data:
        self._open.append(value)
        try:
            members = tuple(
                (name, self._member(name, member, depth + 1))
                for name, member in sorted(vars(value).items())
                if name not in _OF_EVERY_CLASS
            )
            bases = tuple(self.of(base, depth + 1) for base in value.__bases__)
            return ("user's class", value.__module__, value.__qualname__, value.__name__, bases, members)
        finally:
            self._open.pop()

    def _member(self, name: str, member: Any, depth: int) -> Data:
        if isinstance(member, (staticmethod, classmethod)):
            return (type(member).__name__, self._member(name, member.__func__, depth))
        if isinstance(member, property):
            functions = (member.fget, member.fset, member.fdel)
            return ("property", *(self.of(function, depth) for function in functions))
        if isinstance(member, (types.MemberDescriptorType, types.GetSetDescriptorType)):
            return ("slot",)
        if is_generated(member):
            return ("generated",)  # by dataclasses and namedtuple: the fields tell what it does
        kind = type(member)
        if kind.__module__ in ("collections", "_collections") and kind.__name__ == "_tuplegetter":
            return ("field",)
        if kind.__module__ == "dataclasses" and kind.__name__ == "_DataclassParams":
            return (repr(member),)
        if (
            isinstance(member, dict)
            and member
            and all(isinstance(f, dataclasses.Field) for f in member.values())
        ):
            return tuple(self._field(field, depth) for field in member.values())
        return self.named(name, member, depth)

    def _field(self, field: dataclasses.Field[Any], depth: int) -> Data:
        defaults = (field.default, field.default_factory)
        known = (None if d is dataclasses.MISSING else self.of(d, depth) for d in defaults)
        return (field.name, *known, field.init, bool(getattr(field, "kw_only", False)))


_OF_EVERY_CLASS = frozenset(
    {"__dict__", "__weakref__", "__doc__", "__module__", "__annotations__", "__slots__",
     "__static_attributes__", "__firstlineno__", "__orig_bases__", "__annotate_func__", "__annotations_cache__"}
)  # fmt: skip


def _attributes(function: types.FunctionType) -> tuple[tuple[str, Any], ...] | None:
    """The attributes that the user has given to a function; what `functools.wraps` names is not read."""
    given = {name: value for name, value in vars(function).items() if name != "__wrapped__"}
    return tuple(sorted(given.items())) if given else None


def _items(fingerprints: Fingerprints, value: Any, depth: int, skip: frozenset[tuple[Any, ...]]) -> Data:
    if len(value) > _ENTRIES:
        raise NotPortable(f"a {type(value).__name__} of {len(value)} entries")
    return (type(value).__name__, *_entries(fingerprints, enumerate(value), depth, skip))


def _entries(
    fingerprints: Fingerprints,
    entries: Iterable[tuple[Any, Any]],
    depth: int,
    skip: frozenset[tuple[Any, ...]],
) -> Iterator[Data]:
    for key, entry in entries:
        inside = frozenset(path[1:] for path in skip if path and path[0] == key)
        yield ("data",) if () in inside else fingerprints.of(entry, depth + 1, inside)


def _dict(
    fingerprints: Fingerprints, value: dict[Any, Any], depth: int, skip: frozenset[tuple[Any, ...]]
) -> Data:
    if len(value) > _ENTRIES:
        raise NotPortable(f"a dict of {len(value)} entries")
    keys = tuple(fingerprints.key(key, depth + 1) for key in value)
    return ("dict", keys, tuple(_entries(fingerprints, value.items(), depth, skip)))


def _set(fingerprints: Fingerprints, value: Any, depth: int, skip: frozenset[tuple[Any, ...]]) -> Data:
    if len(value) > _ENTRIES:
        raise NotPortable(f"a set of {len(value)} entries")
    fingerprints.require_order(value)
    return _set_data(fingerprints, value, depth)


def _set_data(fingerprints: Fingerprints, value: Any, depth: int = 0) -> Data:
    entries = [fingerprints.key(entry, depth + 1) for entry in value]
    return (type(value).__name__, *(entries if has_order(value) else sorted(entries, key=repr)))


def _slice(fingerprints: Fingerprints, value: slice, depth: int, skip: Any) -> Data:
    return ("slice", *(fingerprints.of(part, depth + 1) for part in (value.start, value.stop, value.step)))


def _module(fingerprints: Fingerprints, value: types.ModuleType, depth: int, skip: Any) -> Data:
    if sys.modules.get(value.__name__) is not value:
        raise NotPortable(f"the module {value.__name__}, which is not found under its name")
    return ("module", value.__name__)


def _array(fingerprints: Fingerprints, value: np.ndarray[Any, Any], depth: int, skip: Any) -> Data:
    if fingerprints.is_inside:
        raise NotPortable("an array in a class or in the defaults of a function")  # which no guard compares
    if value.nbytes > ARRAY_BYTES or value.dtype.hasobject:
        raise NotPortable(f"an array of {value.nbytes} bytes")
    content = value.tobytes()
    if len(content) > _STORED_BYTES:
        content = bytes.fromhex(digest(content))
    layout = (value.strides, value.flags.num)
    return ("array", value.dtype.str, value.dtype.name, value.shape, layout, content)


def _function(fingerprints: Fingerprints, value: types.FunctionType, depth: int, skip: Any) -> Data:
    known = _library_object(value)
    return fingerprints.function(value, depth) if known is None else known


def _method(fingerprints: Fingerprints, value: types.MethodType, depth: int, skip: Any) -> Data:
    known = _library_object(value)
    if known is not None:
        return known
    return ("method", fingerprints.of(value.__func__, depth + 1), fingerprints.of(value.__self__, depth + 1))


_MAKERS: dict[type, Any] = {
    list: _items,
    tuple: _items,
    dict: _dict,
    set: _set,
    frozenset: _set,
    slice: _slice,
    types.ModuleType: _module,
    types.FunctionType: _function,
    types.MethodType: _method,
    np.ndarray: _array,
}


def _known_object(value: Any) -> Data | None:
    """What is told without a look inside: nothing, a random generator, or a function of a library."""
    if value is UNBOUND:
        return ("unbound",)
    generator = parts_of_generator(value)
    if generator is not None:
        return ("generator", type(value).__qualname__, generator.algorithm)  # its state is data
    return _library_object(value)


def _library_object(value: Any) -> Data | None:
    """A function of a library, by its name, if it is found under it."""
    if isinstance(value, np.ufunc):
        name = value.__name__
        return ("ufunc", name) if getattr(np, name, None) is value else None
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return None
    if is_users_module(module):
        return None
    if vars(sys.modules[OWN_PACKAGE]).get(name.rpartition(".")[2]) is value:
        return (OWN_PACKAGE, name.rpartition(".")[2])
    owner = told(value, "__self__")
    if owner is not None and owner is not builtins and not isinstance(owner, types.ModuleType):
        return None
    return ("library", module, name) if named_in_module(module, name) is value else None


def named_in_module(module: str, name: str) -> Any:
    """What a module that is imported holds under a name; None where there is nothing."""
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def is_found(value: Any) -> bool:
    """Whether a function or class is what its module holds under its name."""
    return named_in_module(value.__module__, value.__qualname__) is value


def source_lines(code: types.CodeType) -> str:
    """The lines of the source that a function was, or would be, converted from: they may be newer than its code."""
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename)
    return "".join(lines[code.co_firstlineno - 1 : _last_line(code)])


def _last_line(code: types.CodeType) -> int:
    last = max((line for _, _, line in code.co_lines() if line is not None), default=code.co_firstlineno)
    return max([last, *map(_last_line, functions_in(code))])
