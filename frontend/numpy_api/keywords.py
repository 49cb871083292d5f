"""Calls with the arguments of NumPy's own signatures: which of them compiled code takes, and what it says of others."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

import numpy as np

from ...dialect.errors import UnsupportedError, WeftTypeError, WeftValueError
from ..tracing.array import TracedArray, wrap
from .arguments import NO_VALUE

_UNIVERSAL = {"like": None, "subok": True, "order": "K", "where": True, "casting": "same_kind", "out": None}
"""What NumPy takes for keywords whose defaults its builtin functions do not tell."""


def called(
    name: str, ours: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], theirs: Any = None
) -> Any:
    """`ours(*args, **kwargs)`, the function of ours that stands for NumPy's; errors name keywords it does not take.

    What NumPy takes, and means what leaving it out means, is left out. Raises `UnsupportedError` for others that NumPy
    takes, and `TypeError` for arguments that NumPy does not take, either.
    """
    for keyword, choices in _CHOICES.items():
        _require_choice(keyword, choices, kwargs.get(keyword))
    names, most = _parameters(ours)
    if most is not None and len(args) > most:
        args, kwargs = _by_name(args, kwargs, theirs, most)
    if names is not None and not names.issuperset(kwargs):
        defaults = _defaults(theirs)
        kwargs = {
            key: value
            for key, value in kwargs.items()
            if key in names or not _says_nothing(value, defaults.get(key, NO_VALUE))
        }
        unknown = [key for key in kwargs if key not in names]
        if unknown:
            _refuse(name, unknown[0], defaults, names)
    if most is not None and len(args) > most:
        raise WeftTypeError(
            f"{name} takes {most} positional arguments in compiled code, but {len(args)} were given"
        )
    result = ours(*args, **kwargs)
    return _as_made(result) if name.rpartition(".")[2] in _MAKING else result


_MAKING = frozenset(
    {"dot", "inner", "kron", "matmul", "matvec", "outer", "roll", "solve", "tensordot", "vecdot", "vecmat"}
)
"""Functions of NumPy's that make arrays, where ours may give views of what they have made."""


def _as_made(result: Any) -> Any:
    """A result as an array of its own, where it is a view."""
    if not isinstance(result, TracedArray) or not result._path or not result.ndim:
        return result
    made = wrap(result._storage.trace, result._value(), result.type)
    made._storage.layout = result._layout()
    return made


def _by_name(
    args: tuple[Any, ...], kwargs: dict[str, Any], theirs: Any, most: int
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with those that our function does not take by position as keywords."""
    try:
        parameters = list(inspect.signature(theirs).parameters.values())
    except (TypeError, ValueError):
        return args, kwargs
    moved = parameters[most : len(args)]
    can_move = len(args) <= len(parameters) and all(
        p.kind is p.POSITIONAL_OR_KEYWORD and p.name not in kwargs for p in moved
    )
    if not can_move:
        return args, kwargs
    named = {p.name: value for p, value in zip(moved, args[most:], strict=True)}
    return args[:most], {**named, **kwargs}


_CHOICES = {"order": ("C", "F", "A", "K"), "casting": ("no", "equiv", "safe", "same_kind", "unsafe")}
"""What some keywords may be in all functions that have them."""


def _require_choice(keyword: str, choices: tuple[str, ...], value: Any) -> None:
    """Raise NumPy's error for an unknown order or casting rule."""
    if keyword == "casting" and value is not None and not isinstance(value, str):
        raise WeftTypeError(f"casting must be str, not {getattr(value, '_class_name', type(value).__name__)}")
    if not isinstance(value, str) or value in choices or (keyword == "order" and value.upper() in choices):
        return
    listing = f"{', '.join(map(repr, choices[:-1]))}{',' * (keyword == 'order')}"
    listing = f"{listing} or {choices[-1]!r}" if keyword == "order" else f"{listing}, {choices[-1]!r}"
    raise WeftValueError(f"{keyword} must be one of {listing} (got {value!r})")


@cache
def _parameters(function: Callable[..., Any]) -> tuple[frozenset[str] | None, int | None]:
    """The names that may be keywords, and how many arguments may have none; None where there is no end of these."""
    parameters = inspect.signature(function).parameters.values()
    kinds = {parameter.kind for parameter in parameters}
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = frozenset(parameter.name for parameter in parameters if parameter.kind in named)
    placed = sum(parameter.kind in (inspect.Parameter.POSITIONAL_ONLY, named[0]) for parameter in parameters)
    return (
        None if inspect.Parameter.VAR_KEYWORD in kinds else names,
        None if inspect.Parameter.VAR_POSITIONAL in kinds else placed,
    )


@cache
def _defaults(theirs: Any) -> dict[str, Any]:
    """The keywords of NumPy's function, with what leaving them out means."""
    if isinstance(theirs, np.ufunc):
        return _UNIVERSAL | {
            "dtype": None,
            "signature": None,
            "axes": None,
            "axis": NO_VALUE,
            "keepdims": False,
        }
    try:
        parameters = inspect.signature(theirs).parameters.values()
    except (TypeError, ValueError):
        return _UNIVERSAL
    told = {p.name: p.default for p in parameters if p.default is not inspect.Parameter.empty}
    is_open = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)
    return _UNIVERSAL | told if is_open else told


def _says_nothing(value: Any, default: Any) -> bool:
    return value is NO_VALUE or value is default or (isinstance(value, (bool, str)) and value == default)


def _refuse(name: str, keyword: str, defaults: dict[str, Any], names: frozenset[str]) -> NoReturn:
    if keyword not in defaults:
        raise WeftTypeError(f"{name}() got an unexpected keyword argument {keyword!r}")
    shown = ", ".join(sorted(names & defaults.keys())) or "none"
    raise UnsupportedError(
        f"{name}({keyword}=...) is not supported in compiled code, which takes of the keywords: {shown}; leave it out, "
        "or call the function outside and pass the result as an argument"
    )
