"""`weft.init_scope`: what is computed once, while a function is traced."""

from __future__ import annotations

from collections.abc import Callable

from .current import current_trace, remembering, set_current_trace, set_remembering


class init_scope:
    """A `with` block that runs in plain Python, now, also while a function is traced or a tape is open.

    Arrays made in it are NumPy's, functions run, also compiled ones, and random numbers are drawn: once for each
    trace, in a branch or loop, too, whichever way it goes and however often it runs. Weights are made so that are built
    at the first call. Arrays of the function that is traced are not known there, and variables hold what they held
    before the call. Using an array of the function in the block raises WeftValueError.

    >>> @weft.function
    ... def f(x):
    ...     with weft.init_scope():
    ...         table = np.cumsum(np.ones(3))
    ...         print("made", table)
    ...     return x * table
    >>> f(np.ones(3)), f(np.ones(3))
    made [1. 2. 3.]
    (array([1., 2., 3.]), array([1., 2., 3.]))
    """

    def __init__(self) -> None:
        self._open: list[Callable[[], None]] = []
        """What ends the blocks that are open."""

    def __enter__(self) -> None:
        """Set aside what is recorded."""
        trace, recorder = current_trace(), remembering()
        end = trace.python_state.aside() if trace is not None and trace.python_state is not None else None
        set_current_trace(None)
        set_remembering(None)
        if trace is not None:
            trace.set_aside += 1

        def resume() -> None:
            set_current_trace(trace)
            set_remembering(recorder)
            if trace is not None:
                trace.set_aside -= 1
            if end is not None:
                end()

        self._open.append(resume)

    def __exit__(self, *raised: object) -> None:
        """Go on recording."""
        self._open.pop()()
