"""What stands for a generator while a trace is recorded: its methods record draws, which change its state.

The methods have NumPy's signatures and give NumPy's numbers. The state is an array of the trace, which is written in
place, so that branches, loops and functions treat it as any other array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...dialect.dtypes import as_dtype
from ...dialect.errors import WeftTypeError
from ...dialect.op import Op
from ...dialect.ops.random import RandomFloats
from ..numpy_api.arguments import write_into
from ..signature.generators import generator_of
from ..tracing.array import TracedArray
from ..tracing.extents import product, split_shape
from ..tracing.staging import emit
from .sizes import require_size, shape_of_size


class TracedGenerator:
    """A `numpy.random.Generator` in a trace."""

    __slots__ = ("_algorithm", "_words")

    def __init__(self, algorithm: str, words: TracedArray) -> None:
        self._algorithm = algorithm
        self._words = words

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return np.random.Generator

    def __repr__(self) -> str:
        return f"<traced numpy.random.Generator({self._algorithm})>"

    def __weft_parts__(self) -> tuple[Any, Callable[[Any], Any]]:
        """The state, and what makes a generator of it: the one whose state it is, or a new one."""
        algorithm = self._algorithm
        return self._words, lambda words: generator_of(algorithm, words)

    def draw(self, op_class: type[Op], operands: tuple[Any, ...], shape: Any, **attributes: Any) -> Any:
        """Record a draw: the numbers; the state is another one from now on."""
        attribute, dims = split_shape(shape)
        values = (self._words, *operands, *dims)
        attributes |= {"algorithm": self._algorithm, "shape": attribute}
        numbers, state = emit(self._words._storage.trace, op_class, values, attributes)
        self._words._write(state)
        return numbers

    def floats(self, distribution: str, size: Any, dtype: Any, out: Any) -> Any:
        """Numbers of a distribution, as NumPy gives them: a Python float where no size is asked for."""
        wanted = as_dtype(dtype)
        if wanted not in (np.float32, np.float64):
            raise WeftTypeError(f"Unsupported dtype {wanted!r} for {distribution}")
        if out is not None:
            require_size(out, size, wanted)
            size = out.shape
        shape = () if size is None else shape_of_size(size)
        count = product(shape)
        numbers = self.draw(RandomFloats, (), (count,), distribution=distribution, dtype=wanted)
        if size is None:
            return numbers[0].astype(np.float64)._like_python(float)
        shaped = numbers.reshape(shape)
        return shaped if out is None else write_into(out, shaped)

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """As `numpy.random.Generator.random`."""
        return self.floats("uniform", size, dtype, out)


__all__ = ["TracedGenerator"]
