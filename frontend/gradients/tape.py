"""`weft.GradientTape`: gradients of what is computed in a `with` block by the arrays that it reads."""

from __future__ import annotations

from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any

from ...dialect.errors import WeftTypeError, WeftValueError
from ..tracing.current import current_trace
from .eager_tape import EagerTape
from .independent import described, has_derivative
from .recording import delivered
from .structures import map_leaves
from .tape_requests import Recording
from .traced_tape import TracedTape


class GradientTape:
    """Gradients of what is computed in a `with` block, by the arrays from outside that it reads.

    Arguments, attributes, globals and what was computed before are seen without being named: `gradient` takes them,
    also after they were written, and what the block computes itself. What it writes in place or computes in a branch or
    loop is `watch`ed before it is used, and so are Python numbers. Tapes nest, and may be asked any number of times,
    inside of the block and behind it, also those that are not `persistent`. With `watch_accessed_variables=False` a
    tape sees only what is watched.

    In plain Python, where nothing is compiled, a tape sees variables and what is watched: `x = tape.watch(x)` gives an
    array that remembers what is computed of it. Python looks at its elements (`if`, `print`), and what is written to it
    is written to x; taking them where a gradient would be lost is an error (`float(x)`, writes into arrays of NumPy's).

    >>> @weft.function
    ... def slope(x):
    ...     with weft.GradientTape() as tape:
    ...         y = x**3
    ...     return tape.gradient(y, x)
    >>> slope(np.array([1.0, 2.0]))
    array([ 3., 12.])
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._sees_reads = watch_accessed_variables
        self._recording: Recording | None = None
        self._is_open = False

    def __enter__(self) -> GradientTape:
        """Look at the arrays that are read from now on."""
        if self._is_open:
            raise WeftValueError("this tape is open already: make another one, weft.GradientTape()")
        self._recording = self._begun()
        self._is_open = True
        return self

    def _begun(self) -> Recording:
        trace = current_trace()
        return EagerTape(self._sees_reads) if trace is None else TracedTape(trace, self._sees_reads)

    def __exit__(self, *raised: object) -> None:
        """The block has ended."""
        self._entered().close()
        self._is_open = False

    def watch(self, x: Any) -> Any:
        """x, by which gradients are asked for: what this block has computed, or a number, which comes back as another.

        x is an array or number, or a list, tuple, dict or dataclass of these. Raises `TypeError` for what has no
        derivative, `ValueError` outside of the block.

        >>> @weft.function
        ... def slope(x):
        ...     with weft.GradientTape() as tape:
        ...         y = tape.watch(x * 2)
        ...         z = y * y
        ...     return tape.gradient(z, y)
        >>> slope(np.float64(3.0))
        np.float64(12.0)
        """
        recording = self._in_block("watch")

        def watched(leaf: Any, path: str) -> Any:
            if not has_derivative(leaf):
                raise WeftTypeError(
                    f"{path} is {described(leaf)}, by which there is no derivative; convert it to floating point"
                )
            return recording.watch(leaf, path)

        return map_leaves(watched, x, "x")

    def stop_recording(self) -> Paused:
        """A `with` block whose values are constants for this tape; other tapes go on.

        >>> @weft.function
        ... def slope(x):
        ...     with weft.GradientTape() as tape:
        ...         y = x * x
        ...         with tape.stop_recording():
        ...             scale = np.sum(y)
        ...         y = y / scale
        ...     return tape.gradient(y, x)
        >>> slope(np.array([1.0, 2.0]))
        array([0.4, 0.8])
        """
        return Paused(self._in_block("stop_recording").paused())

    def reset(self) -> None:
        """Forget all that was seen: the `with` block begins here. Raises `ValueError` in a branch or loop inside."""
        if not self._in_block("reset").is_here:
            raise WeftValueError("a tape is reset where it was entered, not in a branch or loop inside")
        self._entered().close()
        self._recording = self._begun()

    def gradient(
        self, y: Any, x: Any, output_gradients: Any = None, unconnected_gradients: str = "none"
    ) -> Any:
        """The gradient of y by x, of the structure, shapes and dtypes of x.

        y is an array of real numbers, or several in a list, tuple, dict or dataclass, of which the gradient is that of
        their sum, or of the sum weighted by `output_gradients`, of y's structure. x is an array that the block has read
        or that was watched, or several, or an object, for which a dict tells the gradients by those of its arrays that
        were read (`{"w": ..., "layers[0].b": ...}`). What y does not depend on has the gradient None, or zeros with
        `unconnected_gradients="zero"`. The gradient by an array that was written is by its value when the tape was
        entered. Raises `TypeError` for what has no derivative, `ValueError` for what the tape did not see.

        >>> @weft.function
        ... def step(w, x):
        ...     with weft.GradientTape() as tape:
        ...         loss = np.sum((x @ w - 1) ** 2)
        ...     w -= 0.25 * tape.gradient(loss, w)
        >>> w = np.zeros(2)
        >>> step(w, np.eye(2))
        >>> w
        array([0.5, 0.5])
        """
        connected_only = _is_connected_only(unconnected_gradients)
        return delivered(self._entered().gradient(y, x, output_gradients, connected_only))

    def jacobian(self, y: Any, x: Any, unconnected_gradients: str = "none") -> Any:
        """All derivatives of an array of real numbers by x: its shape is y's, followed by x's; else as `gradient`.

        >>> @weft.function
        ... def derivatives(x):
        ...     with weft.GradientTape() as tape:
        ...         y = x**2
        ...     return tape.jacobian(y, x)
        >>> derivatives(np.array([1.0, 2.0]))
        array([[2., 0.],
               [0., 4.]])
        """
        return delivered(self._entered().jacobian(y, x, _is_connected_only(unconnected_gradients)))

    def batch_jacobian(self, y: Any, x: Any, unconnected_gradients: str = "none") -> Any:
        """The derivatives of each item of y, along its first axis, by the same item of x: no item depends on others.

        Its shape is that of y, followed by that of an item of x. Where items do depend on others, it has the sums of
        these derivatives. Raises what `jacobian` raises, and `ValueError` for another number of items.

        >>> @weft.function
        ... def derivatives(x):
        ...     with weft.GradientTape() as tape:
        ...         y = x**2
        ...     return tape.batch_jacobian(y, x)
        >>> derivatives(np.array([[1.0, 2.0], [3.0, 4.0]]))
        array([[[2., 0.],
                [0., 4.]],
        <BLANKLINE>
               [[6., 0.],
                [0., 8.]]])
        """
        return delivered(self._entered().batch_jacobian(y, x, _is_connected_only(unconnected_gradients)))

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables that were read or watched, in that order.

        >>> w, b = weft.Variable(2.0, name="w"), weft.Variable(1.0, name="b", trainable=False)
        >>> with weft.GradientTape() as tape:
        ...     y = w * 3 + b
        >>> [variable.name for variable in tape.watched_variables()]
        ['w']
        """
        return self._entered().variables()

    def _in_block(self, method: str) -> Recording:
        recording = self._entered()
        if not self._is_open:
            raise WeftValueError(
                f"a tape looks at what is done inside of its `with` block: call {method} there"
            )
        return recording

    def _entered(self) -> Recording:
        if self._recording is None:
            raise WeftValueError("the tape was not entered: compute in `with weft.GradientTape() as tape:`")
        return self._recording


class Paused:
    """A `with` block in which a tape does not record."""

    def __init__(self, manager: AbstractContextManager[None]) -> None:
        self._manager = manager

    def __enter__(self) -> None:
        """Take what is read from now on for constants."""
        self._manager.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Record again."""
        self._manager.__exit__(kind, error, traceback)


def _is_connected_only(unconnected_gradients: str) -> bool:
    if unconnected_gradients not in ("none", "zero"):
        raise WeftValueError(f'unconnected_gradients is "none" or "zero", not {unconnected_gradients!r}')
    return unconnected_gradients == "none"
