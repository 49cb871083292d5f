"""What stands for a generator while a trace is recorded: its methods record draws, which change its state.

The methods have NumPy's signatures and give NumPy's numbers; what records the draws is loaded by the first of them. The
state is an array of the trace, which is written in place, so that branches, loops and functions treat it as any other
array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.bit_generators import ALGORITHMS, is_generator
from ..signature.generators import GeneratorStandIn, generator_of
from ..tracing.array import TracedArray
from ..tracing.current import current_trace
from . import run_time_calls
from .stream import Stream


class TracedSource(GeneratorStandIn):
    """What random numbers are drawn of, in a trace."""

    __slots__ = ("stream",)

    def __init__(self, algorithm: str, words: TracedArray) -> None:
        self.stream = Stream(algorithm, words)

    def __weft_parts__(self) -> tuple[Any, Callable[[Any], Any]]:
        """The state, and what makes a generator of it: the one whose state it is, or a new one."""
        algorithm = self.stream.algorithm
        return self.stream.words, lambda words: generator_of(algorithm, words)

    def __eq__(self, other: object) -> bool:
        other = traced_generator(other)
        return isinstance(other, TracedSource) and other.stream.words._storage is self.stream.words._storage

    def __hash__(self) -> int:
        return id(self.stream.words._storage)


class TracedGenerator(TracedSource):
    """A `numpy.random.Generator` in a trace; methods that it does not have are called when the program runs."""

    __slots__ = ()

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return np.random.Generator

    def __repr__(self) -> str:
        return f"<traced numpy.random.Generator({self.stream.algorithm})>"

    def __copy__(self) -> TracedGenerator:
        return self  # as of NumPy's, both draw of one bit generator

    def __deepcopy__(self, memo: Any) -> TracedGenerator:
        return TracedGenerator(self.stream.algorithm, self.stream.words.copy())

    def __str__(self) -> str:
        return f"Generator({ALGORITHMS[self.stream.algorithm]})"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return run_time_calls.drawn_by_python(self.stream, name)

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """As `numpy.random.Generator.random`."""
        from . import floats

        return floats.fill(self.stream, "random", "uniform", size, dtype, out)

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """As `numpy.random.Generator.standard_normal`."""
        from . import floats

        return floats.fill(self.stream, "standard_normal", "normal", size, dtype, out)

    def standard_exponential(
        self, size: Any = None, dtype: Any = np.float64, method: str = "zig", out: Any = None
    ) -> Any:
        """As `numpy.random.Generator.standard_exponential`."""
        from . import floats

        if method == "zig":
            return floats.fill(self.stream, "standard_exponential", "exponential", size, dtype, out)
        if np.dtype(dtype) == np.float32:  # whose logarithms depend on the version of NumPy
            return run_time_calls.drawn_by_python(self.stream, "standard_exponential")(
                size, dtype, method, out
            )
        return floats.fill(self.stream, "standard_exponential", "inverse_exponential", size, dtype, out)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """As `numpy.random.Generator.uniform`."""
        from . import floats

        return floats.uniform(self.stream, low, high, size)

    def normal(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """As `numpy.random.Generator.normal`."""
        from . import floats

        return floats.normal(self.stream, loc, scale, size)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """As `numpy.random.Generator.exponential`."""
        from . import floats

        return floats.exponential(self.stream, scale, size)

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Any:
        """As `numpy.random.Generator.integers`."""
        from . import integers

        return integers.integers(self.stream, low, high, size, dtype, endpoint)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """As `numpy.random.Generator.permutation`."""
        from . import arrangements

        return arrangements.permutation(self.stream, x, axis)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """As `numpy.random.Generator.shuffle`."""
        from . import arrangements

        arrangements.shuffle(self.stream, x, axis)

    def permuted(self, x: Any, *, axis: Any = None, out: Any = None) -> Any:
        """As `numpy.random.Generator.permuted`."""
        from . import arrangements

        return arrangements.permuted(self.stream, x, axis, out)

    def choice(
        self,
        a: Any,
        size: Any = None,
        replace: bool = True,
        p: Any = None,
        axis: int = 0,
        shuffle: bool = True,
    ) -> Any:
        """As `numpy.random.Generator.choice`."""
        from . import choices

        return choices.choice(self.stream, a, size, replace, p, axis, shuffle)


def traced_generator(value: Any) -> Any:
    """What stands for a random generator from outside while a trace is recorded; other values themselves."""
    trace = current_trace() if is_generator(value) else None
    state = None if trace is None else trace.python_state
    return value if state is None else state.generator(value)
