"""Routines of LAPACK and BLAS as SciPy wraps them: Python calls them when the program runs, which is said once.

What a routine gives stands in its docstring. It is not called while tracing: a routine trusts what it is given, such as
the places of pivots, and would read anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.errors import UnsupportedError
from ..runtime_values import effects
from ..signature.signature import TensorSpec
from .run_time_calls import call_at_run_time, require_fallback, warn

_ARRAY = re.compile(r"rank-(\d+) array\('(\w)'\).*?(?: and (\w+) storage)?$")
_NUMBERS: dict[str, type] = {"int": int, "float": float, "complex": complex}


def call_routine(routine: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Record a call of what f2py has made of a routine; what it may overwrite is a copy."""
    name = routine.__name__.partition(" ")[2] or routine.__name__
    given = {key: value for key, value in kwargs.items() if not key.startswith("overwrite_")}
    specs = _results(routine, name, args, given)
    refusal = f"{name} is not supported in compiled code"
    if specs is None:
        raise UnsupportedError(f"{refusal}: its docstring does not tell what it gives")
    require_fallback(refusal)

    def call(given: Any, named: Any) -> Any:
        made = routine(*given, **named)
        return tuple(np.asarray(part) for part in (made if isinstance(made, tuple) else (made,)))

    call.__name__ = name
    made = effects.py_call(call, args, given, result=tuple(spec for spec, _ in specs))
    warn(name)
    parts = tuple(
        part._as_array() if kind is None else part._like_python(kind)
        for part, (_, kind) in zip(made, specs, strict=True)
    )
    return parts if len(parts) > 1 else parts[0]


def call_compiled(function: Callable[..., Any], name: str, args: Any, kwargs: Any) -> Any:
    """Record a call of a library's compiled function, of which examples tell what it gives."""
    refusal = f"{name} is not supported in compiled code like this"
    return call_at_run_time(name, function, args, kwargs, refusal, copies=True)


def _results(
    routine: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> list[tuple[TensorSpec, type | None]] | None:
    """The types of what a routine gives, and of which those of numbers of Python's; None where nothing tells."""
    text = routine.__doc__ or ""
    head, _, results = text.partition("Returns\n-------\n")
    called = re.match(r"(?:(.*?) = )?\w+\((.*)\)", head.partition("\n")[0])
    if called is None or called[1] is None:
        return None
    parameters = [word for word in re.split(r"[,\[\]]", called[2]) if word]
    given = dict(zip(parameters, args, strict=False)) | kwargs
    lines = dict(line.split(" : ", 1) for line in results.splitlines() if " : " in line)
    found: list[tuple[TensorSpec, type | None]] = []
    for result in called[1].split(","):
        line = lines.get(result, "").strip()
        array = _ARRAY.match(line)
        if array is not None:
            # What lies in the memory of an argument has its rank.
            source = given.get(array[3])
            rank = int(array[1]) if source is None else np.ndim(source)
            found.append((TensorSpec((None,) * rank, np.dtype(array[2])), None))
        elif line in _NUMBERS:
            found.append((TensorSpec((), np.dtype(_NUMBERS[line])), _NUMBERS[line]))
        else:
            return None
    return found
