"""Mersenne Twisters that compiled functions make: `np.random.RandomState(seed)` and `random.Random(seed)`.

The state is an array of the trace, which each draw replaces, so that branches, loops, functions and calls in other
threads treat it as any other array; native code draws, or Python of an object that has the state of then.
"""

from __future__ import annotations

import random
import types
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from ...dialect.callbacks import repeatable, with_native
from ...dialect.errors import UnsupportedError
from ...dialect.twister_states import (
    COUNT_OF_WORDS,
    RANDOM,
    TWISTERS,
    new_twister,
    twister_with,
    words_of_twister,
)
from ...dialect.types import TensorType
from ..runtime_values.outside_traces import outside_traces
from ..runtime_values.values import Frozen, holds_traced
from ..tracing.array import TracedArray, wrap
from ..tracing.recorder import Recorder
from ..tracing.staging import cast, host_call, value_of
from . import pythons, run_time_calls
from .generator import TracedSource
from .making import TracedBitGenerator
from .stream import note_draw
from .twister import BY_PYTHON, INT64, NotCompiled, Twister

_STATE = TensorType((COUNT_OF_WORDS,), np.dtype(np.uint64))


class TracedTwister(TracedSource):
    """A `numpy.random.RandomState` or a `random.Random` that is made in a trace."""

    __slots__ = ()

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return _class_of(self.stream.algorithm)

    def __repr__(self) -> str:
        return f"<traced {TWISTERS[self.stream.algorithm]}>"

    def __str__(self) -> str:
        if self.stream.algorithm == RANDOM:
            raise UnsupportedError(
                "a random.Random is shown as its address, which compiled code does not know"
            )
        return "RandomState(MT19937)"

    def __copy__(self) -> TracedTwister:
        if self.stream.algorithm != RANDOM:
            raise UnsupportedError(
                "copy.copy() of a numpy.random.RandomState that is made in compiled code, of which both would draw of "
                "one state: use copy.deepcopy(), or one of them"
            )
        return self.__deepcopy__(None)

    def __deepcopy__(self, memo: Any) -> TracedTwister:
        return TracedTwister(self.stream.algorithm, self.stream.words.copy())

    def __setattr__(self, name: str, value: Any) -> None:
        if name in TracedSource.__slots__:
            object.__setattr__(self, name, value)
        elif self.stream.algorithm == RANDOM:
            raise UnsupportedError(
                f"the attribute {name} of a random.Random that is made in compiled code is set: keep it elsewhere"
            )
        else:
            setattr(new_twister(self.stream.algorithm, 0), name, value)  # which tells why not

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        example = getattr(new_twister(self.stream.algorithm, 0), name)
        if name.startswith("_") or not callable(example):
            raise UnsupportedError(
                f"{name} of a {TWISTERS[self.stream.algorithm]} that is made in compiled code is not known there"
            )
        return types.MethodType(_method(name), self)


def _class_of(algorithm: str) -> type:
    return random.Random if algorithm == RANDOM else np.random.RandomState


@cache
def _method(name: str) -> Callable[..., Any]:
    """What a method of a name does where it is called by code that is not converted."""

    def method(self: TracedTwister, *args: Any, **kwargs: Any) -> Any:
        from . import older  # which needs much of the namespace

        if name == "shuffle":
            raise UnsupportedError(
                f"shuffle of a {TWISTERS[self.stream.algorithm]} is called by code that is not converted: call it in "
                "the compiled function itself"
            )
        found = (pythons if self.stream.algorithm == RANDOM else older).METHODS.get(name)
        if found is not None:
            try:
                return found(twister_in_trace(self), *args, **kwargs)
            except NotCompiled:
                pass
        return run_time_calls.drawn_by_python(self.stream, name)(*args, **kwargs)

    method.__name__ = method.__qualname__ = name
    return method


def twister_in_trace(owner: TracedSource) -> Twister:
    """What numbers are drawn of."""
    return _OwnTwister(owner)


class _OwnTwister(Twister):
    """What numbers are drawn of, where the state is an array of the trace."""

    def __init__(self, owner: TracedSource) -> None:
        self.owner = owner

    @property
    def trace(self) -> Recorder:  # type: ignore[override]
        """The trace that the state is in."""
        return self.owner.stream.trace  # type: ignore[no-any-return]

    def drawn(self, function: str, given: Sequence[Any], count: Any, dtype: np.dtype[Any]) -> Any:
        """Record a draw of so many numbers; the state is another one from now on."""
        if function not in _NATIVE:
            raise NotCompiled
        trace, stream = self.trace, self.owner.stream
        algorithm, make = stream.algorithm, BY_PYTHON[function]

        def call(words: Any, *rest: Any) -> list[Any]:
            twister = twister_with(algorithm, words)
            numbers = np.asarray(make(twister, *rest[:-1], int(rest[-1])), dtype)
            return [words_of_twister(twister), numbers]

        number = cast(count, INT64) if isinstance(count, TracedArray) else np.int64(count)
        operands = [value_of(trace, operand) for operand in (stream.words, *given, number)]
        callback = with_native(outside_traces(call, function), f"weft_twister_own_{function}_{dtype}")
        note_draw(trace)
        trace.dependencies.refuse(f"a {TWISTERS[algorithm]} that is made in the function")
        numbers = TensorType((None if isinstance(count, TracedArray) else int(count),), dtype)
        state, made = trace.host_call(callback, operands, [_STATE, numbers])
        stream.words._write(wrap(trace, state, _STATE))
        return wrap(trace, made, numbers)


_NATIVE = frozenset({
    "uniform", "normal", "exponential", "ratio_normal", "circle_normal",
    "integers", "permutation", "order", "pool", "distinct", "below", "bits",
})  # fmt: skip
"""What native code draws of a state that is data."""


_NO_SEEDS = (np.random.BitGenerator, np.random.SeedSequence, np.random.Generator)


def make_twister(trace: Recorder, algorithm: str, *args: Any, **kwargs: Any) -> TracedTwister:
    """As `numpy.random.RandomState` or `random.Random`; without a seed each call has another one."""
    for given in (*args, *kwargs.values()):
        if isinstance(given, (*_NO_SEEDS, TracedSource, TracedBitGenerator)):
            raise UnsupportedError(
                f"{TWISTERS[algorithm]}() of another generator is not known in compiled code: make it of a "
                "number, or outside of the compiled function"
            )

    def state(given: Any, named: Any) -> np.ndarray[Any, Any]:
        return words_of_twister(new_twister(algorithm, *given, **named))

    is_seeded = any(value is not None for value in (*args, *kwargs.values()))
    trace.dependencies.refuse(f"a {TWISTERS[algorithm]}, which is made when the program runs")
    if is_seeded and not holds_traced([args, kwargs], depth=4):
        state(args, kwargs)  # raises where the seed is none
    frozen = Frozen(trace, (args, kwargs))
    thaw = frozen.thaw
    call = outside_traces(lambda *arrays: [state(*thaw(arrays))], TWISTERS[algorithm])
    if is_seeded:  # which always gives the same
        call = repeatable(call)
    return TracedTwister(algorithm, host_call(trace, call, frozen.operands, [_STATE])[0])
