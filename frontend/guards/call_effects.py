"""What a call of something that is not converted does: the one table of it, for converted code and for the disk cache.

A call that computes gives the same for the same arguments; in every process, or as long as this one lives. Others have
an effect, or give something else each time: these run when the program runs, where the type of their result is known,
or are refused. So is what nothing is known of.
"""

from __future__ import annotations

import array
import builtins
import collections
import datetime
import enum
import functools
import io
import logging
import random
import re
import sys
import time
import types
import warnings
import weakref
from collections.abc import Callable, Collection
from pathlib import PurePath
from typing import Any

import numpy as np

from ...dialect.records import NamedTuple
from ..source.modules import OWN_PACKAGE, is_own_module, is_users_module, module_of, told
from ..source.own_attributes import has_fields
from .generated import is_generated
from .library_functions import is_library_function


class Does(enum.Enum):
    """What a call does."""

    COMPUTES = enum.auto()
    """It gives the same for the same arguments in every process, and does nothing else."""
    LOOKS = enum.auto()
    """It gives the same as long as the process lives: its result may be kept, but not stored."""
    ACTS = enum.auto()
    """It has an effect, or gives something else each time, of a type that is known: it runs when the program runs."""
    VARIES = enum.auto()
    """It has an effect, or gives something else each time, and cannot run in a compiled program by itself."""
    UNKNOWN = enum.auto()
    """Nothing is known of it."""


class CallEffect(NamedTuple):
    """What a call does, and more of that."""

    does: Does
    result: type | None = None
    """The type of the result of what acts."""
    why: str = ""
    """What varies, in words."""


_COMPUTES, _LOOKS, _UNKNOWN = (CallEffect(does) for does in (Does.COMPUTES, Does.LOOKS, Does.UNKNOWN))


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _functions(module: Any, names: str) -> list[Any]:
    return [getattr(module, name) for name in names.split() if hasattr(module, name)]


_BUILTINS = _functions(
    builtins,
    "abs all any bin bool bytes callable chr complex dict divmod enumerate filter float format frozenset hex int "
    "isinstance issubclass iter len list map max min next oct ord pow range repr reversed round set slice sorted str "
    "sum tuple type zip",
) + [str.maketrans, bytes.maketrans]
_LOOKING_BUILTINS = _functions(
    builtins,
    "ascii bytearray classmethod delattr dir getattr hasattr hash id memoryview object property setattr staticmethod "
    "super vars globals locals",
)

_MODULES = _words(
    "math cmath operator _operator functools _functools itertools collections dataclasses copy string numbers "
    "typing"
)
"""The modules whose functions compute."""

_LOOKING_MODULES = _words(
    "_abc _bisect _blake2 _bz2 _collections _collections_abc _contextvars _csv _datetime _decimal _hashlib _heapq "
    "_json _md5 _pydatetime _pydecimal _sha1 _sha2 _sha256 _sha3 _sha512 _sre _statistics _struct _typing _weakref "
    "_weakrefset abc array ast base64 binascii bisect bz2 calendar collections.abc colorsys contextlib contextvars "
    "copyreg datetime decimal difflib enum fractions genericpath graphlib gzip hashlib heapq hmac html inspect "
    "ipaddress json json.decoder json.encoder keyword lzma ml_dtypes ntpath pickle _pickle pathlib pathlib._local "
    "platform posixpath pprint queue re re._compiler reprlib sched statistics struct textwrap token types "
    "typing_extensions unicodedata urllib.parse weakref zlib zoneinfo"
)
"""The modules whose functions compute with what this process, its locale and its settings are."""

_OWNERS = (
    list, tuple, dict, set, frozenset, str, bytes, int, float, complex, bool, range, slice, np.ndarray, np.generic,
    np.dtype, np.ufunc,
)  # fmt: skip
"""What the methods of compute."""

_LOOKING_OWNERS = (
    collections.deque, re.Pattern, re.Match, datetime.date,
    datetime.time, datetime.timedelta, datetime.tzinfo, array.array, bytearray, memoryview, PurePath, io.StringIO,
    io.BytesIO, enum.Enum, types.SimpleNamespace, types.MappingProxyType, weakref.ref, functools.partial,
    types.GeneratorType,
)  # fmt: skip
"""What the methods of may be called while tracing; those that hold a state of their own are watched besides."""

_LOOKING_CLASSES = (("fractions", "Fraction"), ("decimal", "Decimal"), ("decimal", "Context"))
"""More of them, in modules that most programs do not load."""


def _looking_owners() -> tuple[type, ...]:
    loaded = [
        getattr(sys.modules[module], name) for module, name in _LOOKING_CLASSES if module in sys.modules
    ]
    return (*_LOOKING_OWNERS, *loaded)


_OF_NUMPY = _words(
    "load loads loadtxt genfromtxt fromfile memmap open_memmap DataSource fromregex save savez savez_compressed "
    "savetxt tofile dump show_config show_runtime info seterr seterrcall setbufsize set_printoptions printoptions "
    "set_string_function test"
)
"""Functions of NumPy that read or change something besides their arguments."""

_LOOKING_IN_NUMPY = _words(
    "geterr geterrcall getbufsize get_printoptions from_dlpack array2string array_repr array_str "
    "format_float_positional format_float_scientific __repr__ __str__ __format__ frombuffer get_include"
)

_NUMPY_MODULES = ("numpy", "numpy.linalg", "numpy.fft", "numpy.exceptions")

_OF_WEFT = frozenset({"trace_print", "run_functions_eagerly", "eager"})

# What acts, or varies

_ACTING: list[tuple[Any, type | None]] = [
    *((f, float) for f in _functions(time, "time perf_counter monotonic process_time thread_time")),
    *(
        (f, int)
        for f in _functions(time, "time_ns perf_counter_ns monotonic_ns process_time_ns thread_time_ns")
    ),
    (time.sleep, None),
    (warnings.warn, None),
    *((f, None) for f in _functions(logging, "debug info warning error critical exception log")),
]
_ACTING_METHODS: list[tuple[type, frozenset[str], type | None]] = [
    (logging.Logger, _words("debug info warning error critical exception log"), None),
    (logging.LoggerAdapter, _words("debug info warning error critical exception log"), None),
    (io.TextIOBase, frozenset({"write"}), int),
    (io.IOBase, frozenset({"flush", "writelines"}), None),
]

_ASSERTIONS = _words(
    "assert_allclose assert_almost_equal assert_approx_equal assert_array_almost_equal assert_array_almost_equal_nulp "
    "assert_array_compare assert_array_equal assert_array_less assert_array_max_ulp assert_equal assert_string_equal"
)
"""The functions of `numpy.testing` that look at values, and raise."""

_RANDOM = "draws a random number"
_CLOCK = "reads the clock"
_ENVIRONMENT = "looks at the environment of the process"
_FILES = "reads or writes files"
_SETTINGS = "changes settings of the process"
_PROCESSES = "deals with threads or processes"
_INPUT = "reads what the user types"

_VARYING_MODULES = {
    "random": _RANDOM, "_random": _RANDOM, "secrets": _RANDOM, "uuid": _RANDOM, "_uuid": _RANDOM,
    "time": _CLOCK, "os": _ENVIRONMENT, "posix": _ENVIRONMENT, "nt": _ENVIRONMENT, "_io": _FILES, "io": _FILES,
    "shutil": _FILES, "tempfile": _FILES, "glob": _FILES, "fileinput": _FILES, "csv": _FILES, "_pyio": _FILES,
    "subprocess": _PROCESSES, "_posixsubprocess": _PROCESSES, "threading": _PROCESSES, "_thread": _PROCESSES,
    "multiprocessing": _PROCESSES, "concurrent": _PROCESSES, "signal": _PROCESSES, "asyncio": _PROCESSES,
    "socket": "talks to other machines", "_socket": "talks to other machines", "urllib": "talks to other machines",
    "http": "talks to other machines", "warnings": _SETTINGS, "_warnings": _SETTINGS, "logging": _SETTINGS,
    "locale": _SETTINGS, "_locale": _SETTINGS, "gc": _SETTINGS, "sys": _SETTINGS, "getpass": _INPUT,
}  # fmt: skip
"""Modules whose functions do something else, or give something else, each time."""

_VARYING: list[tuple[Any, str]] = [
    (builtins.open, _FILES),
    (builtins.input, _INPUT),
    *((f, _SETTINGS) for f in _functions(np, "seterr seterrcall setbufsize set_printoptions printoptions")),
    *(
        (f, _FILES)
        for f in _functions(np, "load loadtxt genfromtxt fromfile memmap save savez savetxt fromregex")
    ),
]
_LOOKING: list[Any] = [
    *_functions(sys, "exit getsizeof getrecursionlimit intern getrefcount"),
    *_functions(logging, "getLogger getLevelName"),
    io.StringIO,
    io.BytesIO,
    np.errstate,
    warnings.catch_warnings,
]

_COMPILED_LIBRARIES = _words("scipy.spatial._distance_pybind scipy.fft._pocketfft.pypocketfft")
"""Compiled modules whose functions look at what they are given, compute, and write to none of it."""


def is_routine(function: Callable[..., Any]) -> bool:
    """Whether something is what f2py has made of a routine, of LAPACK or BLAS."""
    return type(function).__name__ == "fortran"


def computes_in_c(function: Callable[..., Any]) -> bool:
    """Whether something computes with arrays in compiled code of a library."""
    return isinstance(function, types.BuiltinFunctionType) and function.__module__ in _COMPILED_LIBRARIES


_VARYING_OWNERS: tuple[tuple[type, str], ...] = (
    (random.Random, _RANDOM),
    (type(__import__("os").environ), _ENVIRONMENT),
    (io.IOBase, _FILES),
)
_PATHS_ON_DISK = _words(
    "absolute chmod cwd exists expanduser glob group hardlink_to home is_dir is_file is_mount is_symlink iterdir "
    "lchmod lstat mkdir open owner read_bytes read_text readlink rename replace resolve rglob rmdir samefile stat "
    "symlink_to touch unlink walk write_bytes write_text"
)
_NOW = frozenset({"now", "utcnow", "today"})


def effect_of(function: Callable[..., Any]) -> CallEffect:
    """What a call of something does that is neither replaced nor converted; the user's own functions are not judged."""
    if isinstance(function, np.ufunc) or is_own_module(getattr(function, "__module__", None)):
        return _COMPUTES if _is_pure(function) else _LOOKS
    owner = told(function, "__self__")
    if isinstance(owner, types.ModuleType):
        owner = None
    if is_routine(function) or computes_in_c(function) or is_library_function(function):
        return _LOOKS
    plain = told(function, "__func__", function)
    for known, result in _ACTING:
        if plain is known:
            return CallEffect(Does.ACTS, result)
    name = told(function, "__name__", "")
    for kind, names, result in _ACTING_METHODS:
        if name in names and isinstance(owner, kind) and not isinstance(owner, (io.StringIO, io.BytesIO)):
            return CallEffect(Does.ACTS, result)
    if name in _ASSERTIONS and module_of(plain).startswith("numpy.testing"):
        return CallEffect(Does.ACTS)
    why = _how_it_varies(function, owner, name)
    if why is not None:
        return CallEffect(Does.VARIES, why=why)
    if isinstance(function, np.vectorize):
        return _UNKNOWN
    if _is_pure(function):
        return _COMPUTES
    return _LOOKS if _only_looks(function, owner, name) else _UNKNOWN


def varying_object(value: Any) -> str | None:
    """Why reading an object gives something else each time, in words; None for other objects."""
    for kind, why in _VARYING_OWNERS:
        if isinstance(value, kind) and not isinstance(value, (io.StringIO, io.BytesIO)):
            return why
    return None


def _how_it_varies(function: Any, owner: Any, name: str) -> str | None:
    for known, reason in _VARYING:
        if function is known:
            return reason
    if name == "setcontext" and getattr(function, "__module__", None) in ("decimal", "_decimal"):
        return _SETTINGS
    if is_one_of(function, _LOOKING):
        return None
    if isinstance(owner, (io.StringIO, io.BytesIO)):
        return None
    if owner is not None:
        kind = owner if isinstance(owner, type) else type(owner)
        if (why := varying_object(owner)) is not None:
            return why
        if kind.__module__.startswith("numpy.random"):
            return _RANDOM
        if issubclass(kind, PurePath) and name in _PATHS_ON_DISK:
            return _FILES
        if issubclass(kind, datetime.date) and name in _NOW:
            return _CLOCK
        module = kind.__module__ if kind.__module__ != "builtins" else ""
    else:
        module = module_of(function)
    if module.startswith("numpy.random"):
        return _RANDOM
    return _VARYING_MODULES.get(module) or (
        _VARYING_MODULES.get(module.partition(".")[0]) if module not in _LOOKING_MODULES else None
    )


def _only_looks(function: Any, owner: Any, name: str) -> bool:
    if is_one_of(function, _LOOKING_BUILTINS) or is_one_of(function, _LOOKING):
        return True
    if isinstance(function, types.MethodWrapperType) and function.__objclass__ is object:
        return True  # `super().__setattr__`
    if owner is not None and not isinstance(owner, type):
        return (
            isinstance(owner, (*_looking_owners(), *_OWNERS))
            or hasattr(type(owner), "__next__")
            or type(owner).__module__ in (_MODULES | _LOOKING_MODULES)
        )
    declared = told(function, "__objclass__", owner if isinstance(owner, type) else None)
    if declared is not None and (
        issubclass(declared, (*_looking_owners(), *_OWNERS, BaseException)) or declared is object
    ):
        return True
    module = getattr(function, "__module__", None) or type(function).__module__
    if module.partition(".")[0] == "numpy":
        return name in _LOOKING_IN_NUMPY or (_is_in_numpy(module) and name not in _OF_NUMPY)
    if isinstance(function, type):
        return (
            is_users_module(module)
            or module in (_MODULES | _LOOKING_MODULES)
            or issubclass(function, BaseException)
            or module == "builtins"
        )
    return module in _MODULES or module in _LOOKING_MODULES


def why_impure(function: Callable[..., Any], takes_functions: bool) -> str | None:
    """Why calling something may give another result in another process; None where it gives the same."""
    name = name_of(function)
    if function is print:
        return None  # which prints when the function runs
    if takes_functions and name != "py_call" and not _is_transform(function):
        return f"{name}, which got a function"
    is_pure = effect_of(function).does is Does.COMPUTES
    return None if is_pure else f"{name}, of which it is not known that it does nothing else than compute"


def _is_transform(function: Callable[..., Any]) -> bool:
    """Whether something is weft's and differentiates functions: they are recorded as any that the program calls."""
    return module_of(function).startswith(f"{OWN_PACKAGE}.frontend.gradients.")


def name_of(function: Callable[..., Any]) -> str:
    """What messages call something that is called, with its module where Python's own names do not tell."""
    return told(function, "__qualname__") or type(function).__qualname__


def is_one_of(function: Callable[..., Any], known: Collection[Callable[..., Any]]) -> bool:
    """Whether a function is one of some, itself; what is called need not have a hash."""
    return any(function is one for one in known)


def _is_pure(function: Callable[..., Any]) -> bool:
    if isinstance(function, np.ufunc):
        return getattr(np, function.__name__, None) is function
    if isinstance(function, type):
        return _is_pure_class(function)
    if isinstance(function, types.BuiltinFunctionType):
        owner = function.__self__
        if isinstance(owner, types.ModuleType) or owner is None:
            return is_one_of(function, _BUILTINS) or _is_pure_module(function.__module__, function.__name__)
        if isinstance(owner, type):
            return issubclass(owner, _OWNERS)
        return isinstance(owner, _OWNERS) and function.__name__ not in _OF_NUMPY | _LOOKING_IN_NUMPY
    if isinstance(
        function, (types.MethodWrapperType, types.MethodDescriptorType, types.WrapperDescriptorType)
    ):
        return isinstance(told(function, "__self__"), _OWNERS) or function.__objclass__ in _OWNERS
    if getattr(type(function), "fingerprint_parts", None) is not None:
        return True  # a weft.function, whose own function is noted when it runs
    return _is_pure_module(getattr(function, "__module__", None), told(function, "__name__", ""))


def _is_pure_module(module: str | None, name: str) -> bool:
    module = module or ""
    if is_own_module(module):
        return name not in _OF_WEFT
    if module.partition(".")[0] == "numpy":
        is_impure = name in _OF_NUMPY or name in _LOOKING_IN_NUMPY
        return not module.startswith("numpy.random") and not is_impure and _is_in_numpy(module)
    return module in _MODULES


def _is_in_numpy(module: str) -> bool:
    return module in _NUMPY_MODULES or module.startswith(
        (
            "numpy._core",
            "numpy.lib",
            "numpy.linalg",
            "numpy.fft",
            "numpy.strings",
            "numpy.char",
            "numpy.polynomial",
        )
    )


def _is_pure_class(kind: type) -> bool:
    if (
        is_one_of(kind, _BUILTINS)
        or issubclass(kind, (np.generic, np.dtype))
        or kind in (np.ndarray, np.finfo, np.iinfo)
    ):
        return kind.__module__ in ("builtins", "numpy", "numpy.dtypes")
    if is_own_module(kind.__module__):
        return True
    if issubclass(kind, BaseException):
        return not any(
            isinstance(vars(base).get(name), types.FunctionType) for base in kind.__mro__ for name in _MAKING
        )
    if _has_fields_only(kind):
        return True
    return kind.__module__ in ("collections", "itertools", "functools")


_MAKING = ("__init__", "__new__")
"""Methods that run when an object is made."""


def _has_fields_only(kind: type) -> bool:
    """Whether a class is a named tuple or a dataclass in which nobody has written a method."""
    is_record = (issubclass(kind, tuple) and hasattr(kind, "_fields")) or has_fields(kind)
    members = [member for base in kind.__mro__[:-1] if base is not tuple for member in vars(base).values()]
    functions = [told(member, "__func__", member) for member in members]
    return is_record and not any(
        isinstance(member, property) or (isinstance(member, types.FunctionType) and not is_generated(member))
        for member in functions
    )
