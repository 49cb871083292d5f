"""What a trace may call: only what gives the same for the same arguments in every process, and does nothing else.

The lists are of what is known to be so. A program whose trace called anything else is not stored.
"""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from ..source.modules import is_own_module
from .generated import is_generated

_BUILTINS = frozenset(
    getattr(builtins, name)
    for name in (
        "abs", "all", "any", "bin", "bool", "bytes", "callable", "chr", "complex", "dict", "divmod", "enumerate",
        "filter", "float", "format", "frozenset", "hex", "int", "isinstance", "issubclass", "iter", "len", "list",
        "map", "max", "min", "next", "oct", "ord", "pow", "range", "repr", "reversed", "round", "set", "slice",
        "sorted", "str", "sum", "tuple", "type", "zip",
    )
)  # fmt: skip

_MODULES = frozenset(
    {"math", "cmath", "operator", "_operator", "functools", "_functools", "itertools", "collections", "dataclasses",
     "copy", "string", "numbers", "fractions", "typing"}
)  # fmt: skip

_OWNERS = (
    list, tuple, dict, set, frozenset, str, bytes, int, float, complex, bool, range, slice, np.ndarray, np.generic,
    np.dtype, np.ufunc,
)  # fmt: skip
"""What the methods of may be called."""

_OF_NUMPY = frozenset(
    {"load", "loads", "loadtxt", "genfromtxt", "fromfile", "memmap", "open_memmap", "DataSource", "fromregex", "save",
     "savez", "savez_compressed", "savetxt", "tofile", "dump", "show_config", "show_runtime", "info", "seterr",
     "geterr", "seterrcall", "geterrcall", "setbufsize", "getbufsize", "set_printoptions", "get_printoptions",
     "printoptions", "from_dlpack", "array2string", "array_repr", "array_str", "format_float_positional",
     "format_float_scientific", "set_string_function", "__repr__", "__str__", "__format__",
     "frombuffer", "test", "get_include"}
)  # fmt: skip
"""Functions of NumPy that read or change something besides their arguments."""

_NUMPY_MODULES = ("numpy", "numpy.linalg", "numpy.fft", "numpy.exceptions")

_OF_WEFT = frozenset({"trace_print", "set_verbosity", "run_functions_eagerly", "eager"})


def why_impure(function: Callable[..., Any], takes_functions: bool) -> str | None:
    """Why calling something may give another result in another process; None where it gives the same."""
    name = getattr(function, "__qualname__", None) or type(function).__qualname__
    if function is print:
        return None  # which prints when the function runs
    if takes_functions and name != "py_call":
        return f"{name}, which got a function"
    return (
        None
        if _is_pure(function)
        else f"{name}, of which it is not known that it does nothing else than compute"
    )


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
            return function in _BUILTINS or _is_pure_module(function.__module__, function.__name__)
        if isinstance(owner, type):
            return issubclass(owner, _OWNERS)
        return isinstance(owner, _OWNERS) and function.__name__ not in _OF_NUMPY
    if isinstance(
        function, (types.MethodWrapperType, types.MethodDescriptorType, types.WrapperDescriptorType)
    ):
        return isinstance(getattr(function, "__self__", None), _OWNERS) or function.__objclass__ in _OWNERS
    if getattr(type(function), "fingerprint_parts", None) is not None:
        return True  # a weft.function, whose own function is noted when it runs
    return _is_pure_module(getattr(function, "__module__", None), getattr(function, "__name__", ""))


def _is_pure_module(module: str | None, name: str) -> bool:
    module = module or ""
    if is_own_module(module):
        return name not in _OF_WEFT
    if module.partition(".")[0] == "numpy":
        return not module.startswith("numpy.random") and name not in _OF_NUMPY and _is_in_numpy(module)
    return module in _MODULES


def _is_in_numpy(module: str) -> bool:
    return module in _NUMPY_MODULES or module.startswith(
        ("numpy._core", "numpy.lib", "numpy.linalg", "numpy.fft")
    )


def _is_pure_class(kind: type) -> bool:
    if (
        kind in _BUILTINS
        or issubclass(kind, (np.generic, np.dtype))
        or kind in (np.ndarray, np.finfo, np.iinfo)
    ):
        return kind.__module__ in ("builtins", "numpy", "numpy.dtypes")
    if is_own_module(kind.__module__) or kind is np.errstate:
        return True
    if issubclass(kind, BaseException):
        return not any(
            isinstance(vars(base).get(name), types.FunctionType) for base in kind.__mro__ for name in _MAKING
        )
    if _has_fields_only(kind):
        return True
    return kind.__module__ in ("collections", "itertools", "fractions", "functools")


_MAKING = ("__init__", "__new__")
"""Methods that run when an object is made."""


def _has_fields_only(kind: type) -> bool:
    """Whether a class is a named tuple or a dataclass in which nobody has written a method."""
    is_record = (issubclass(kind, tuple) and hasattr(kind, "_fields")) or hasattr(
        kind, "__dataclass_fields__"
    )
    members = [member for base in kind.__mro__[:-1] if base is not tuple for member in vars(base).values()]
    functions = [getattr(member, "__func__", member) for member in members]
    return is_record and not any(
        isinstance(member, property) or (isinstance(member, types.FunctionType) and not is_generated(member))
        for member in functions
    )


__all__ = ["why_impure"]
