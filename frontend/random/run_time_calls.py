"""Draws that are not compiled: Python makes them when the program runs, in order, with the same numbers.

What comes back is found by a call while tracing, of another generator with a seed of its own, on examples of what is
known at run time only.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...dialect.bit_generators import generator_with, words_of
from ...dialect.errors import UnsupportedError, WeftValueError
from ...dialect.twister_states import TWISTERS, new_twister, twister_with, words_of_twister
from ...dialect.types import TensorType, type_of
from ..numpy_api.arguments import write_into
from ..runtime_values.calls_in_loops import note_call
from ..runtime_values.outside_traces import outside_traces
from ..runtime_values.values import Frozen
from ..signature.signature import flatten_with, unflatten
from ..tracing.array import TracedArray
from ..tracing.layouts import is_contiguous
from ..tracing.recorder import Recorder
from ..tracing.staging import host_call
from .stream import Stream, note_draw

Function = Callable[..., Any]

_NUMBERS = {kind: np.dtype(kind) for kind in (bool, int, float)}

_EXTENTS = (7, 11, 13, 17, 19, 23)
"""Stand for extents that are known at run time only, in examples and so in the shapes of what is made of them."""

_OUT_PLACES = {"random": 2, "standard_normal": 2, "standard_exponential": 3, "standard_gamma": 3}
"""Where methods of generators take the array that they fill by position."""

_INSTEAD = "draw all numbers by one call before the loop (size=n), or by functions that are compiled (docs/random.md)"
_INSTEAD_OF_SEEDS = "call it outside of the loop, if once is enough"

_NO_DRAWS = ("bit_generator", "spawn", "bytes")


def drawn_by_python(stream: Stream, name: str) -> Function:
    """A method of a generator that is called when the program runs, on a generator that has the state of then."""
    algorithm = stream.algorithm
    example, made_with, words_after = _functions_of(algorithm)
    if not callable(getattr(example, name)) or name in _NO_DRAWS or name.startswith("_"):
        raise UnsupportedError(
            f"{name} of a random generator is not known in compiled code: use it outside of the compiled function"
        )

    def draw(*args: Any, **kwargs: Any) -> Any:
        out, args, kwargs = _without_out(name, args, kwargs)
        drawn = _into(out)
        found = _example_result(drawn(getattr(example, name)), args, kwargs)

        def call(words: Any, given: Any, named: Any) -> list[Any]:
            generator = made_with(words)
            made = drawn(getattr(generator, name))(*given, **named)
            return [*([] if found is None else [made]), words_after(generator)]

        words = stream.words
        results = [*([] if found is None else [found]), words.type]
        *numbers, state = _recorded(stream.trace, name, call, (args, kwargs), results, [words._value()])
        words._write(state)
        if found is None:
            return None
        made = _as_python(numbers[0], found)
        return made if out is None else write_into(out, made)

    draw.__name__ = draw.__qualname__ = name
    return draw


def _functions_of(algorithm: str) -> tuple[Any, Function, Function]:
    """Another object with an algorithm, what makes one that has a state, and what gives its state."""
    if algorithm in TWISTERS:
        return new_twister(algorithm, 0), functools.partial(twister_with, algorithm), words_of_twister
    made_with = functools.partial(generator_with, algorithm)
    return np.random.default_rng(0), made_with, lambda generator: words_of(generator).copy()


def draw_later(trace: Recorder, function: Function, args: Any, kwargs: Any) -> Any:
    """Record a call of a method of an object that compiled code does not know: of a number, an array or nothing."""
    name = function.__name__
    owner = function.__self__  # type: ignore[attr-defined]
    out = None
    if isinstance(owner, np.random.Generator):
        out, args, kwargs = _without_out(name, args, kwargs)
    drawn = _into(out)
    found = _example_result(drawn(getattr(_like(owner), name)), args, kwargs)
    trace.dependencies.refuse(f"{name}, which is called when the program runs")

    def call(given: Any, named: Any) -> list[Any]:
        made = drawn(function)(*given, **named)
        return [] if found is None else [made]

    made = _recorded(trace, name, call, (args, kwargs), [] if found is None else [found])
    if found is None:
        return None
    value = _as_python(made[0], found)
    return value if out is None else write_into(out, value)


def _without_out(name: str, args: Any, kwargs: Any) -> tuple[Any, Any, Any]:
    """The array that a method of a generator fills, None for a new one; and the arguments without it."""
    place = _OUT_PLACES.get(name, len(args))
    if len(args) == place + 1 and "out" not in kwargs:
        return args[place], args[:place], kwargs
    return kwargs.get("out"), args, {key: value for key, value in kwargs.items() if key != "out"}


def _into(out: Any) -> Callable[[Function], Function]:
    """Lets a method fill an array like one, which tells how many numbers are drawn, and of which dtype."""
    if out is None:
        return lambda function: function
    if isinstance(out, TracedArray):
        if is_contiguous(out._layout(), out.type) is False:
            raise WeftValueError(
                "Supplied output array must be C-contiguous, writable, aligned, and in machine byte-order."
            )
        if None in out.type.shape:
            raise UnsupportedError(
                "a generator's method that is called by Python fills out=, whose extents are known only when the "
                "program runs: draw into an array whose size is known while tracing"
            )

    def drawn(function: Function) -> Function:
        filled = np.empty(tuple(map(int, out.shape)), out.dtype) if hasattr(out, "shape") else out
        named: Function = functools.wraps(function)(functools.partial(function, out=filled))
        return named

    return drawn


def order_later(trace: Recorder, function: Function, count: int) -> Any:
    """Record a call of a method that shuffles in place, of the numbers up to a count; gives them in their new order."""
    trace.dependencies.refuse(f"{function.__name__}, which is called when the program runs")

    def call(given: Any, named: Any) -> list[Any]:
        numbers = list(range(count))
        function(numbers)
        return [np.asarray(numbers, np.int64)]

    return _recorded(trace, function.__name__, call, ((), {}), [TensorType((count,), np.dtype(np.int64))])[0]


def _like(owner: Any) -> Any:
    """Another generator of the kind of one."""
    if isinstance(owner, np.random.Generator):
        return np.random.Generator(type(owner.bit_generator)(0))
    return type(owner)(0)


class _Found:
    """What a call gives."""

    def __init__(self, value: Any, extents: Sequence[int]) -> None:
        self.number = type(value) if type(value) in _NUMBERS else None
        self.is_array = isinstance(value, np.ndarray)
        known = type_of(np.asarray(value))
        self.type = known.with_shape([None if extent in extents else extent for extent in known.shape])


def _example_result(function: Function, args: Any, kwargs: Any) -> Any:
    """What a function gives for arguments of which some are known at run time only; None for nothing."""
    leaves: list[Any] = []
    structure = flatten_with((args, kwargs), leaves, lambda value: isinstance(value, TracedArray))
    if not leaves:
        return _found(function(*args, **kwargs), (), function.__name__)
    reason: Exception | None = None
    for make in (_rising, _ones):
        extents: list[int] = []
        examples = [make(leaf, number, extents) for number, leaf in enumerate(leaves)]
        given, named = unflatten(structure, examples.__getitem__)
        try:
            return _found(function(*given, **named), extents, function.__name__)
        except (ValueError, TypeError) as error:
            reason = error
    raise UnsupportedError(
        f"{function.__name__} of values that are known at run time only: what it gives could not be found while "
        f"tracing ({reason}); weft.py_call(function, ..., result=weft.TensorSpec(...)) calls a function of yours"
    ) from None


def _found(value: Any, extents: Sequence[int], name: str) -> _Found | None:
    if isinstance(value, (bytes, dict, tuple)):
        raise UnsupportedError(
            f"{name} of random numbers gives no array and no number: call it outside of the compiled function"
        )
    return None if value is None else _Found(value, extents)


def _shape(leaf: TracedArray, extents: list[int]) -> list[int]:
    """The extents of an array, with numbers that stand for unknown ones."""
    shape = []
    for extent in leaf.type.shape:
        if extent is None:
            extent = _EXTENTS[len(extents) % len(_EXTENTS)]
            extents.append(extent)
        shape.append(extent)
    return shape


def _rising(leaf: TracedArray, number: int, extents: list[int]) -> Any:
    """Scalars that are in an order, integers that may be sizes, and arrays that may be probabilities."""
    shape = _shape(leaf, extents)
    if leaf.dtype.kind in "iu" and not shape:
        extent = _EXTENTS[len(extents) % len(_EXTENTS)]
        extents.append(extent)
        return int(extent) if leaf._python_type is not None else leaf.dtype.type(extent)
    if leaf.dtype.kind == "f":
        size = max(1, int(np.prod(shape[-1:], dtype=int)))
        value = np.full(shape, 1 / size if shape else 0.2 * (number + 1), leaf.dtype)
        return value if shape else value[()]
    return _ones(leaf, number, extents)


def _ones(leaf: TracedArray, number: int, extents: list[int]) -> Any:
    made = np.ones(_shape(leaf, extents), leaf.dtype)
    return made if made.ndim else made[()]


def _recorded(
    trace: Recorder,
    name: str,
    call: Function,
    arguments: Any,
    results: Sequence[Any],
    first: Sequence[Any] = (),
) -> list[TracedArray]:
    """Record a call: `call(*first, args, kwargs)` gives the results."""
    types = [found if isinstance(found, TensorType) else found.type for found in results]
    note_draw(trace)
    note_call(trace, f"{name} is called", _INSTEAD if results else _INSTEAD_OF_SEEDS)
    frozen = Frozen(trace, arguments)
    thaw, count = frozen.thaw, len(first)

    def at_run_time(*arrays: Any) -> list[Any]:
        given, named = thaw(arrays[count:])
        made = call(*arrays[:count], given, named)
        return [np.asarray(value, type.dtype) for value, type in zip(made, types, strict=True)]

    return host_call(trace, outside_traces(at_run_time, name), [*first, *frozen.operands], types)


def _as_python(made: TracedArray, found: _Found) -> Any:
    """A result as what Python has: a number of Python's, a scalar or an array."""
    if found.number is not None:
        return made._like_python(found.number)
    return made._as_array(found.is_array)
