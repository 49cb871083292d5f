"""NumPy's functions that weft does not know: NumPy itself is called when the program runs, which is said once.

What such a call gives is found while tracing (`call_examples.py`); a call that gives something else at run time is a
`TypeError`. Arrays are passed read-only, then and in the examples; what NumPy writes, `out` or the first argument of
some functions, is a copy, which the program then writes to the array.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ...dialect.errors import ConcreteValueError, FallbackWarning, UnsupportedError
from ..guards.call_effects import Does, effect_of
from ..runtime_values import effects
from ..settings import settings
from ..signature.named_tuples import with_items
from ..signature.signature import TensorSpec, constants, flatten_with
from ..source.locations import place_of_user, warn_at
from ..source.plain_items import contents
from ..tracing.array import TracedArray
from ..tracing.learned_sizes import are_learned
from ..tracing.recorder import Recorder
from ..tracing.staging import staged, trace_of
from . import call_examples, memory_order
from .arguments import deliver, write_into

Function = Callable[..., Any]

WRITING = frozenset({
    "copyto", "fill_diagonal", "place", "put", "put_along_axis", "putmask",
    "ufunc.at", "ndarray.fill", "ndarray.partition", "ndarray.put", "ndarray.sort",
})  # fmt: skip
"""The functions that write to their first argument, and give nothing."""

_OF_MEMORY = ("np.lib.array_utils.byte_bounds",)
"""What tells where arrays lie, which those of a call at run time do not."""


def call_natively_or_at_run_time(
    name: str, native: Callable[[], Any], function: Function, args: Any, kwargs: Any, kind: str | None = None
) -> Any:
    """What a native function gives, or where that refuses its arguments a call of NumPy's function at run time.

    `name` is that of the function in programs, `kind` its name in `WRITING`.
    """
    trace = trace_of((args, tuple(kwargs.values())))
    before = None if trace is None or trace.is_eager else _effects(trace)
    try:
        return native()
    except (UnsupportedError, ConcreteValueError) as error:
        is_plain = type(error) in (UnsupportedError, ConcreteValueError)  # not what only the caller knows
        if trace is None or not _may_fall_back() or not is_plain or _effects(trace) != before:
            raise
        refusal = error
    try:
        return call_at_run_time(name, function, args, kwargs, str(refusal), kind)
    except UnsupportedError:
        raise refusal from None


def _effects(trace: Recorder) -> tuple[int, int, int]:
    """What counts the effects that were recorded: all else goes away by itself where nothing uses it."""
    return trace.checks, trace.clock, len(trace.cells)


def call_at_run_time(
    name: str,
    function: Function,
    args: Any,
    kwargs: Any,
    refusal: str,
    kind: str | None = None,
    copies: bool = False,
) -> Any:
    """Record a call of a function by its name in programs; `refusal` says that it is unknown.

    With `copies` it gets copies of arrays: Cython takes none that are read-only.
    Raises `UnsupportedError` where it cannot be told what the call gives, and where it does more than compute.
    """
    does = effect_of(function).does
    if not _may_fall_back() or does not in (Does.COMPUTES, Does.LOOKS) or name in _OF_MEMORY:
        raise UnsupportedError(refusal)
    if kind in WRITING:
        _call_writing(name, function, args, kwargs)
        result = None
    else:
        args, kwargs = _with_named_outputs(function, args, kwargs)
        given = {key: value for key, value in kwargs.items() if key not in _WRITTEN}
        called = _of_copies(function) if copies else function
        result = deliver(_call(name, called, args, given, refusal), kwargs.get("out"))
    warn(name)
    return result


_WRITTEN = ("out", "overwrite_input")
"""Parameters that say what a call may write to: that is the program's, or is left as it is."""


def _with_named_outputs(function: Function, args: Any, kwargs: Any) -> tuple[Any, Any]:
    """The arguments of a call with those as keywords that say what it may write to, and what is behind them."""
    try:
        names = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return args, kwargs
    first = min((names.index(name) for name in _WRITTEN if name in names), default=len(args))
    return args[:first], dict(zip(names[first:], args[first:], strict=False)) | kwargs


def _of_copies(function: Function) -> Function:
    """A function that gets copies of arrays. Raises `UnsupportedError` where it writes to them, which would be lost."""

    def call(*given: Any, **named: Any) -> Any:
        copies, copies_by_name = writable_copies(given), writable_copies(named)
        made = function(*copies, **copies_by_name)
        for own, copy in zip(_arrays((given, named)), _arrays((copies, copies_by_name)), strict=True):
            if own.tobytes() != copy.tobytes():
                raise UnsupportedError(f"{function.__name__}() writes to an array that it is given")
        return made

    return call


def _arrays(value: Any) -> Iterator[np.ndarray[Any, Any]]:
    if isinstance(value, np.ndarray):
        yield value
    for part in contents(value) if isinstance(value, (dict, list, tuple)) else ():
        yield from _arrays(part)


def writable_copies(value: Any) -> Any:
    """A value with arrays of its own, as Cython takes none that may not be written."""
    if isinstance(value, (tuple, list)):
        return with_items(value, map(writable_copies, value))
    if isinstance(value, dict):
        return {key: writable_copies(part) for key, part in value.items()}
    return value.copy() if isinstance(value, np.ndarray) else value


def _call(name: str, function: Function, args: Any, kwargs: Any, refusal: str) -> Any:
    """Record a call of a function that writes to nothing."""
    leaves: list[Any] = []
    structure = flatten_with(
        (args, kwargs), leaves, lambda value: isinstance(value, (TracedArray, np.ndarray))
    )
    if any(callable(value) and not isinstance(value, type) for value in constants(structure)):
        raise UnsupportedError(f"{refusal}; it gets a function, which would run in Python")
    found = call_examples.found_by_examples(function, structure, leaves, refusal)

    def call(given: Any, named: Any) -> Any:
        return found.made(function(*given, **named))

    call.__name__ = name
    return like_found(found, effects.py_call(call, args, kwargs, result=found.spec), name, leaves)


def _call_writing(name: str, function: Function, args: Any, kwargs: Any) -> None:
    """Record a call of a function that writes to its first argument."""
    target, *others = args
    trace = trace_of((target, *others, *kwargs.values()))
    assert trace is not None
    if isinstance(target, np.ndarray) and trace.python_state is not None:
        target = trace.python_state.writable(target)
    if not isinstance(target, TracedArray):
        raise UnsupportedError(f"{name} writes to what is no array of the program; make it with weft.zeros")

    def call(array: Any, given: Any, named: Any) -> Any:
        written = np.array(array)
        function(written, *given, **named)
        return written

    call.__name__ = name
    spec = TensorSpec(target.type.shape, target.dtype)
    write_into(target, effects.py_call(call, target, tuple(others), kwargs, result=spec))


def like_found(found: call_examples.Found, made: Any, name: str, leaves: Sequence[Any]) -> Any:
    """What a call returned, in the classes that were found."""
    if isinstance(found, call_examples.Group):
        parts = [like_found(part, item, name, leaves) for part, item in zip(found.parts, made, strict=True)]
        return found.shown(parts)
    if found.kind in call_examples.NUMBERS:
        return made._like_python(found.kind)
    made = made._as_array(found.kind is np.ndarray)
    for place in found.shown:
        made = memory_order.copy_for_view(made, staged(made._storage.trace, leaves[place]), name)
    return made


def _may_fall_back() -> bool:
    """Whether NumPy may be called; not for sizes that were learned, as what needs it may be compiled for known ones."""
    return settings.fallback and not are_learned()


def require_fallback(refusal: str) -> None:
    """Raise `UnsupportedError`, with a refusal, where nothing may be called by Python."""
    if not _may_fall_back():
        raise UnsupportedError(refusal)


def warn(name: str) -> None:
    message = (
        f"{name} is not compiled: it is called in Python whenever the program comes here "
        "(weft.settings.fallback = False refuses such functions)"
    )
    warn_at(place_of_user(innermost=True), message, FallbackWarning)
