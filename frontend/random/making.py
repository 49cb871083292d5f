"""Generators that are made while a trace is recorded: from a seed that is known, or one of the run time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ...dialect.bit_generators import ALGORITHMS, count_of_words, is_generator, layout_of, words_of
from ...dialect.callbacks import repeatable
from ...dialect.errors import UnsupportedError
from ...dialect.types import TensorType
from ..runtime_values.outside_traces import outside_traces
from ..runtime_values.values import Frozen, holds_traced
from ..tracing.array import TracedArray
from ..tracing.recorder import Recorder
from ..tracing.staging import constant, host_call
from .generator import TracedGenerator
from .seeding import words_of_seed


class TracedBitGenerator:
    """A `numpy.random.PCG64`, say, in a trace: what a generator is made of."""

    __slots__ = ("algorithm", "words")

    def __init__(self, algorithm: str, words: TracedArray) -> None:
        self.algorithm = algorithm
        self.words = words

    def __getattr__(self, name: str) -> Any:
        raise UnsupportedError(
            f"{name} of a bit generator is not known in compiled code: draw with a numpy.random.Generator"
        )


def default_rng(trace: Recorder, seed: Any = None) -> Any:
    """As `numpy.random.default_rng`."""
    if isinstance(seed, TracedGenerator) or is_generator(seed):
        return seed
    if isinstance(seed, TracedBitGenerator):
        return generator(trace, seed)
    return generator(trace, bit_generator(trace, "pcg64", seed))


def generator(trace: Recorder, bit_generator: Any) -> Any:
    """As `numpy.random.Generator`."""
    if not isinstance(bit_generator, TracedBitGenerator):
        raise UnsupportedError(
            f"a generator is made of a {type(bit_generator).__name__} that compiled code does not know: make the "
            f"generator outside, and pass it as an argument; {', '.join(ALGORITHMS.values())} can be made inside"
        )
    return TracedGenerator(bit_generator.algorithm, bit_generator.words)


def bit_generator(trace: Recorder, algorithm: str, *args: Any, **kwargs: Any) -> TracedBitGenerator:
    """As `numpy.random.PCG64` and its like; without a seed each call of the compiled function has another one."""
    if layout_of(algorithm) is None:
        raise UnsupportedError(
            f"compiled code does not know how {ALGORITHMS[algorithm]} keeps its state on this machine: make the "
            "generator outside, and pass it as an argument"
        )
    kind: Callable[..., Any] = getattr(np.random, ALGORITHMS[algorithm])

    def state(given: Any, named: Any) -> np.ndarray[Any, Any]:
        return np.array(words_of(np.random.Generator(kind(*given, **named))))

    if algorithm == "pcg64" and not kwargs and len(args) == 1:
        words = words_of_seed(args[0], count_of_words(algorithm))
        if words is not None:
            return TracedBitGenerator(algorithm, words)
    is_known = any(value is not None for value in (*args, *kwargs.values()))
    if is_known and not holds_traced([args, kwargs], depth=4):
        return TracedBitGenerator(algorithm, constant(trace, state(args, kwargs)))
    trace.dependencies.refuse(f"{ALGORITHMS[algorithm]}, which is made when the program runs")
    type = TensorType((count_of_words(algorithm),), np.dtype(np.uint64))
    frozen = Frozen(trace, (args, kwargs))
    thaw = frozen.thaw
    call = outside_traces(lambda *arrays: [state(*thaw(arrays))], ALGORITHMS[algorithm])
    if is_known:  # a seed, which always gives the same
        call = repeatable(call)
    return TracedBitGenerator(algorithm, host_call(trace, call, frozen.operands, [type])[0])


def refuse_object(kind: type) -> NoReturn:
    """Refuse to make an object of a class of generators that compiled code does not know."""
    raise UnsupportedError(
        f"{kind.__module__}.{kind.__qualname__}() makes a random generator that compiled code does not know: make it "
        "outside of the compiled function, where it is kept in a variable or an attribute, or use "
        "np.random.default_rng(seed)"
    )
