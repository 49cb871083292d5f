"""What NumPy has to call: functions, ufuncs and their methods, methods of arrays, with names of parameters."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import weft

_METHODS_WITHOUT_SIGNATURE: dict[str, list[str]] = {
    "reshape": ["*shape", "order", "copy"],
    "transpose": ["*axes"],
    "ravel": ["order"],
    "flatten": ["order"],
    "astype": ["dtype!", "order", "casting", "subok", "copy"],
    "sum": ["axis", "dtype", "out", "keepdims", "initial", "where"],
    "prod": ["axis", "dtype", "out", "keepdims", "initial", "where"],
    "mean": ["axis", "dtype", "out", "keepdims", "where"],
    "std": ["axis", "dtype", "out", "ddof", "keepdims", "where", "mean", "correction"],
    "var": ["axis", "dtype", "out", "ddof", "keepdims", "where", "mean", "correction"],
    "max": ["axis", "out", "keepdims", "initial", "where"],
    "min": ["axis", "out", "keepdims", "initial", "where"],
    "any": ["axis", "out", "keepdims", "where"],
    "all": ["axis", "out", "keepdims", "where"],
    "argmax": ["axis", "out", "keepdims"],
    "argmin": ["axis", "out", "keepdims"],
    "argsort": ["axis", "kind", "order", "stable"],
    "sort": ["axis", "kind", "order", "stable"],
    "clip": ["min", "max", "out", "dtype", "where", "casting"],
    "compress": ["condition!", "axis", "out"],
    "conj": ["out"],
    "conjugate": ["out"],
    "cumsum": ["axis", "dtype", "out"],
    "cumprod": ["axis", "dtype", "out"],
    "diagonal": ["offset", "axis1", "axis2"],
    "dot": ["b!", "out"],
    "fill": ["value!"],
    "nonzero": [],
    "put": ["indices!", "values!", "mode"],
    "repeat": ["repeats!", "axis"],
    "round": ["decimals", "out"],
    "searchsorted": ["v!", "side", "sorter"],
    "squeeze": ["axis"],
    "swapaxes": ["axis1!", "axis2!"],
    "take": ["indices!", "axis", "out", "mode"],
    "trace": ["offset", "axis1", "axis2", "dtype", "out"],
    "view": ["dtype"],
    "copy": ["order"],
    "partition": ["kth!", "axis", "kind"],
    "argpartition": ["kth!", "axis", "kind"],
    "choose": ["choices!", "out", "mode"],
    "item": [],
    "tolist": [],
    "__len__": [],
    "__abs__": [],
    "__neg__": [],
    "__invert__": [],
    "__bool__": [],
    "__float__": [],
    "__int__": [],
    "__array__": ["dtype"],
    "__add__": ["x!"],
    "__pow__": ["x!"],
    "__rpow__": ["x!"],
    "__matmul__": ["x!"],
    "__floordiv__": ["x!"],
    "__mod__": ["x!"],
    "__iadd__": ["x!"],
    "__eq__": ["x!"],
    "__lt__": ["x!"],
    "__and__": ["x!"],
    "__lshift__": ["x!"],
    "__divmod__": ["x!"],
    "__truediv__": ["x!"],
    "__getitem__": ["indices!"],
    "__setitem__": ["indices!", "x!"],
    "__round__": [],
    "__complex__": [],
    "__index__": [],
    "__copy__": [],
}


@dataclass(frozen=True)
class Target:
    """What can be called, and its parameters."""

    name: str
    function: Callable[..., Any]
    required: tuple[str, ...]
    optional: tuple[str, ...]
    keyword_only: frozenset[str] = frozenset()
    variadic: str = ""


def _method(name: str, array: Any, *args: Any, **kwargs: Any) -> Any:
    found = getattr(array, name)(*args, **kwargs)
    return array if found is None else found


def _attribute(name: str, array: Any) -> Any:
    return getattr(array, name)


def _ufunc_at(ufunc: Any, array: Any, *args: Any) -> Any:
    ufunc.at(array, *args)
    return array


def _of_signature(name: str, function: Callable[..., Any]) -> Target | None:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    P = inspect.Parameter
    required = tuple(
        p.name for p in parameters if p.default is P.empty and p.kind not in (P.VAR_KEYWORD, P.VAR_POSITIONAL)
    )
    optional = tuple(p.name for p in parameters if p.default is not P.empty)
    only = frozenset(p.name for p in parameters if p.kind is P.KEYWORD_ONLY)
    variadic = "".join(p.name for p in parameters if p.kind is P.VAR_POSITIONAL)
    return Target(name, function, required, optional, only, variadic)


_UFUNC_KEYWORDS = ("out", "where", "casting", "order", "dtype", "subok")


def _ufunc_targets(name: str, ufunc: np.ufunc) -> Iterator[Target]:
    inputs = tuple(f"x{i + 1}" for i in range(ufunc.nin))
    yield Target(name, ufunc, inputs, _UFUNC_KEYWORDS, frozenset(_UFUNC_KEYWORDS))
    if ufunc.nin == 2 and ufunc.nout == 1 and ufunc.signature is None:
        keywords = ("axis", "dtype", "out", "keepdims", "initial", "where")
        yield Target(f"{name}.reduce", ufunc.reduce, ("array",), keywords, frozenset(keywords))
        yield Target(
            f"{name}.accumulate", ufunc.accumulate, ("array",), keywords[:2], frozenset(keywords[:2])
        )  # NumPy crashes on some out=
        yield Target(f"{name}.outer", ufunc.outer, inputs, ("dtype", "out"), frozenset(("dtype", "out")))
        yield Target(f"{name}.at", functools.partial(_ufunc_at, ufunc), ("array", "indices", "b"), ())
    elif ufunc.nin == 1 and ufunc.nout == 1:
        yield Target(f"{name}.at", functools.partial(_ufunc_at, ufunc), ("array", "indices"), ())


def _left_out(name: str) -> bool:
    """What reads files, makes text or empty memory, or is no function of arrays."""
    return name in {
        "fromfile",
        "frombuffer",
        "save",
        "load",
        "empty",
        "empty_like",
        "show_config",
        "show_runtime",
        "__getattr__",
        "__dir__",
    }


def _targets() -> Iterator[Target]:
    for name in sorted(set(dir(weft)) & set(dir(np))):
        function = getattr(np, name)
        if isinstance(function, np.ufunc):
            yield from _ufunc_targets(f"np.{name}", function)
        elif callable(function) and not isinstance(function, type) and not _left_out(name):
            yield _of_signature(f"np.{name}", function) or _like_ours(name, function)
    for name in sorted(set(weft.linalg.__all__) & set(dir(np.linalg))):
        found = _of_signature(f"np.linalg.{name}", getattr(np.linalg, name))
        if found is not None:
            yield found
    for name, parameters in _METHODS_WITHOUT_SIGNATURE.items():
        required = ("array", *(p[:-1] for p in parameters if p.endswith("!")))
        optional = tuple(p for p in parameters if not p.endswith("!") and not p.startswith("*"))
        variadic = "".join(p[1:] for p in parameters if p.startswith("*"))
        keyword_only = frozenset(
            {"keepdims", "initial", "where", "mean", "correction", "dtype", "casting", "stable", "copy"}
        )
        yield Target(f".{name}", functools.partial(_method, name), required, optional, keyword_only, variadic)
    for name in (
        "T",
        "real",
        "imag",
        "shape",
        "size",
        "ndim",
        "dtype",
        "nbytes",
        "itemsize",
        "mT",
        "flat",
        "strides",
    ):
        yield Target(f".{name}", functools.partial(_attribute, name), ("array",), ())


def _like_ours(name: str, function: Callable[..., Any]) -> Target:
    """Functions without a signature have that of ours."""
    ours = _of_signature(f"np.{name}", getattr(weft, name))
    assert ours is not None, name
    return Target(ours.name, function, ours.required, ours.optional, ours.keyword_only, ours.variadic)


TARGETS = list(_targets())
"""All that is called."""
