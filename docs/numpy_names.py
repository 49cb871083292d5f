"""What compiled code makes of each name of NumPy and of `scipy.special`: the page `docs/names.md` is made of this."""

from __future__ import annotations

import importlib
import textwrap
import types
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from weft.dialect.dtypes import ALL_DTYPES
from weft.frontend.autograph.operators.builtins import random_functions, replacements
from weft.frontend.guards.call_effects import Does, effect_of
from weft.frontend.numpy_api import dispatch, fft, linalg
from weft.frontend.numpy_api import special as special_functions
from weft.frontend.numpy_api.library_ufuncs import library_name, special_op
from weft.frontend.numpy_api.ufuncs import ops_of_ufuncs
from weft.frontend.random.generator import TracedGenerator
from weft.frontend.tracing.array import TracedArray

COMPILED, LOOPS, CALLED, KNOWN, CONVERTED = "compiled", "loops", "called", "known", "converted"

_TITLES = {
    COMPILED: "Compiled",
    LOOPS: "Loops of the library, which compiled code calls without Python",
    CONVERTED: "Written in Python, which is converted as the program is",
    CALLED: "Called by Python when the program runs",
    KNOWN: "Known while tracing, as in Python",
}

_WHY = {
    "memory": "looks at memory, which the caller knows",
    "types": "text, objects and classes of records are looked at while tracing, outside of what is compiled",
    "width": "no machine but x86 computes with these",
    "subclass": "computes by itself, and is not followed",
    "iterator": "walks with a state of its own; loop over the array, `.flat`, `np.ndindex` or `np.ndenumerate`",
    "object": "gives objects of Python",
    "setting": "changes the array itself; make another one",
    "file": "reads or writes files",
    "buffer": "reads memory that may change; read it outside of the function",
    "text": "makes a text or bytes of values that are known when the program runs; return the array",
}

_UNKNOWN = (
    "does more than compute, or nothing is known of it; call it outside of the function, or by weft.py_call"
)

_REFUSED: dict[str, str] = {
    **dict.fromkeys(("nested_iters", "flatiter"), "iterator"),
    **dict.fromkeys(("matrix", "memmap", "recarray", "bmat", "asmatrix", "ma", "chararray"), "subclass"),
    **dict.fromkeys(
        ("str_", "bytes_", "object_", "void", "character", "flexible", "record", "datetime_as_string"),
        "types",
    ),
    **dict.fromkeys(("busdaycalendar", "rec", "char", "strings"), "types"),
    **dict.fromkeys(("longdouble", "clongdouble", "float128", "complex256"), "width"),
    "frompyfunc": "object",
    "savez_compressed": "file",
    **dict.fromkeys(("frombuffer", "from_dlpack"), "buffer"),
}
"""Names that are refused, and the key of why."""

_REFUSED_METHODS: dict[str, str] = {
    **dict.fromkeys(("ctypes", "data"), "memory"),
    **dict.fromkeys(("getfield", "setfield"), "types"),
    "setflags": "setting",
    **dict.fromkeys(("dump", "dumps", "tobytes"), "text"),
    "tofile": "file",
}
"""The same of methods and attributes of arrays."""


_OF_THE_STATE = ("bytes", "get_state", "set_state")

_KNOWN_CLASSES = (
    "complexfloating", "dtype", "errstate", "finfo", "floating", "generic", "iinfo", "inexact", "integer", "number",
    "printoptions", "signedinteger", "ufunc", "unsignedinteger",
)  # fmt: skip
_KNOWN_FUNCTIONS = (
    "base_repr binary_repr fromfunction fromstring get_include get_printoptions getbufsize geterr "
)
_KNOWN_FUNCTIONS += (
    "datetime_data geterrcall issubdtype min_scalar_type mintypecode typename ScalarType sctypeDict typecodes"
)
"""What answers of types, texts and settings, or makes arrays of what is known."""

_COMPILED_CLASSES = (
    "broadcast", "datetime64", "longlong", "ndarray", "ndenumerate", "ndindex", "nditer", "poly1d", "timedelta64",
    "ulonglong", "vectorize",
)  # fmt: skip


def status(name: str, value: Any) -> str:
    """How a name of NumPy's namespaces is taken, or why it is refused."""
    if isinstance(value, type):
        return _status_of_class(name, value)
    if name in _REFUSED:
        return _WHY[_REFUSED[name]]
    if isinstance(value, np.ufunc):
        if value in ops_of_ufuncs() or value in dispatch._PRODUCTS or special_op(value):
            return COMPILED
        return LOOPS if library_name(value) else CALLED
    if name in _KNOWN_FUNCTIONS.split() or isinstance(value, (int, float, type(None))):
        return KNOWN
    if not callable(value):
        return COMPILED  # `np.r_` and the like
    if replacements.replacement_of(value) is not None or dispatch.has_counterpart(value):
        return COMPILED
    effect = effect_of(value)
    if effect.does is Does.VARIES:
        return effect.why
    return CALLED if effect.does in (Does.COMPUTES, Does.LOOKS) else _UNKNOWN


def _status_of_class(name: str, kind: type) -> str:
    if issubclass(kind, BaseException) or name in _KNOWN_CLASSES:
        return KNOWN
    if name in _COMPILED_CLASSES or any(kind is dtype.type for dtype in ALL_DTYPES):
        return COMPILED
    return _WHY[_REFUSED.get(name, "types")]


def _of_modules() -> Iterable[tuple[str, dict[str, str]]]:
    """The statuses in NumPy's namespaces, under their titles."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is deprecated says so
        main = {name: getattr(np, name) for name in np.__all__ if not name.startswith("_")}
    functions = {
        name: value
        for name, value in main.items()
        if not isinstance(value, types.ModuleType) and name != "test"
    }
    yield "np", {name: status(name, value) for name, value in functions.items()}
    for title, module, ours in (("np.linalg", np.linalg, linalg), ("np.fft", np.fft, fft)):
        names = [name for name in module.__all__ if not isinstance(getattr(module, name), types.ModuleType)]
        yield (
            title,
            {
                name: COMPILED if name in ours.__all__ else status(name, getattr(module, name))
                for name in names
            },
        )


def _of_methods() -> dict[str, str]:
    """The statuses of methods and attributes of arrays."""
    names = [name for name in dir(np.ndarray) if not name.startswith("_")]
    there = {name: COMPILED if hasattr(TracedArray, name) else _UNKNOWN for name in names}
    return there | {name: _WHY[key] for name, key in _REFUSED_METHODS.items() if name in there}


def _of_random() -> Iterable[tuple[str, dict[str, str]]]:
    """The statuses of methods of generators, and of the functions of `np.random`."""
    methods = [name for name in dir(np.random.Generator) if not name.startswith("_")]
    refused = dict.fromkeys(("bit_generator", "spawn"), "gives generators; make them outside of the function")
    compiled = {name: COMPILED if name in vars(TracedGenerator) else CALLED for name in methods}
    yield "methods of np.random.Generator", compiled | refused
    statuses = {}
    for name in np.random.__all__:
        value = getattr(np.random, name)
        is_method = isinstance(getattr(value, "__self__", None), np.random.RandomState)
        if name not in _OF_THE_STATE and (is_method or name in random_functions.OF_NUMPY):
            statuses[name] = CALLED
        elif id(value) in random_functions._makers():
            maker = random_functions._makers()[id(value)]
            refuses = getattr(maker, "func", None) is random_functions._refuse
            statuses[name] = (
                "makes generators that are not compiled; make them outside" if refuses else COMPILED
            )
        else:
            statuses[name] = "changes or reads the state of the process; call it outside of the function"
    yield "np.random", statuses


def _of_special() -> dict[str, str]:
    """The statuses in `scipy.special`."""
    special = importlib.import_module("scipy.special")  # no dependency
    statuses = {}
    for name in special.__all__:
        value = getattr(special, name)
        if isinstance(value, types.ModuleType) or (
            isinstance(value, type) and issubclass(value, BaseException)
        ):
            continue
        if name in special_functions.__all__:
            statuses[name] = COMPILED
        elif isinstance(value, np.ufunc):
            statuses[name] = status(name, value)
        elif isinstance(value, types.FunctionType):
            statuses[name] = CONVERTED
        else:
            statuses[name] = COMPILED if dispatch.has_counterpart(value) else _UNKNOWN
    return statuses


def tables() -> Iterable[tuple[str, dict[str, str]]]:
    """All namespaces: a title, and the status of each name."""
    yield from _of_modules()
    yield "methods and attributes of np.ndarray", _of_methods()
    yield from _of_random()
    yield "scipy.special", _of_special()


def page() -> str:
    """The page of all names, in Markdown."""
    parts = [INTRODUCTION.format(numpy=_version(np.__version__), scipy=_version(_scipy_version()))]
    for title, statuses in tables():
        parts.append(f"\n## {title}\n")
        for key, words in _TITLES.items():
            names = sorted(name for name, found in statuses.items() if found == key)
            if names:
                parts.append(_paragraph(f"{words} ({len(names)}):", names))
        refused: dict[str, list[str]] = {}
        for name, found in statuses.items():
            if found not in _TITLES:
                refused.setdefault(found, []).append(name)
        for why, names in sorted(refused.items()):
            parts.append(_paragraph(f"Refused ({why}):", sorted(names)))
    return "\n".join(parts)


def _paragraph(words: str, names: Iterable[str]) -> str:
    text = f"{words} {', '.join(f'`{name}`' for name in names)}."
    return textwrap.fill(text, 120, break_long_words=False, break_on_hyphens=False) + "\n"


def _version(text: str) -> str:
    return ".".join(text.split(".")[:2])


def _scipy_version() -> str:
    version: str = importlib.import_module("scipy").__version__
    return version


def versions() -> tuple[str, str]:
    """The versions of NumPy and SciPy that the page is for."""
    return _version(np.__version__), _version(_scipy_version())


INTRODUCTION = """# The names of NumPy

Generated from the namespaces of NumPy {numpy} and SciPy {scipy} by `make docs`: what compiled code makes of each name.
What is compiled runs without Python; for some arguments Python may be called instead, which a `weft.FallbackWarning`
says, as of all that is [called when the program runs](semantics.md), but for draws of [random numbers](random.md).
Where all arguments are known while tracing, functions are called then, once. Ufuncs have their methods: `reduce`,
`accumulate`, `outer`, `reduceat` and `at`.
"""

__all__ = ["page", "status", "tables", "versions"]
