"""`contextlib.ExitStack`, as a class of the program's own: what it calls may be converted, and runs at each call."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ....dialect.errors import UnsupportedError
from . import InPlaceOf

_Leave = Callable[[Any, Any, Any], Any]


class ExitStack(InPlaceOf):
    """What compiled code has in the place of an `ExitStack`.

    >>> with ExitStack() as stack:
    ...     _ = stack.callback(print, "last")
    ...     stack.enter_context(contextlib.nullcontext(3))
    3
    last
    """

    python_type = contextlib.ExitStack

    def __init__(self) -> None:
        self._leaves: tuple[_Leave, ...] = ()

    def __weft_parts__(self) -> NoReturn:
        raise UnsupportedError(
            "an ExitStack that the function makes is returned or stored, or given to what cannot be converted: leave "
            "it inside of the function"
        )

    def __enter__(self) -> ExitStack:
        return self

    def enter_context(self, manager: Any) -> Any:
        """Enter a manager, which is left with the stack."""
        if isinstance(manager, contextlib._GeneratorContextManager):
            raise UnsupportedError(
                "a generator function under contextlib.contextmanager is entered by an ExitStack, and would run while "
                "the function is traced: use it in a with statement of its own, or write a class with __enter__ and "
                "__exit__"
            )
        entered = manager.__enter__()
        self.push(manager)
        return entered

    def push(self, leave: Any) -> Any:
        """Let a manager be left, or a function be called as its `__exit__`, with the stack."""

        def leave_manager(kind: Any, error: Any, traceback: Any) -> Any:
            return leave.__exit__(kind, error, traceback)

        self._leaves = (*self._leaves, leave_manager if hasattr(type(leave), "__exit__") else leave)
        return leave

    def callback(self, function: Callable[..., Any], /, *args: Any, **named: Any) -> Callable[..., Any]:
        """Let a function be called with the stack."""

        def leave(kind: Any, error: Any, traceback: Any) -> None:
            function(*args, **named)

        self._leaves = (*self._leaves, leave)
        return function

    def pop_all(self) -> ExitStack:
        """Another stack, which does what this one would have done."""
        other = ExitStack()
        other._leaves, self._leaves = self._leaves, ()
        return other

    def close(self) -> None:
        """Leave all managers now."""
        self.__exit__(None, None, None)

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> bool:
        return self.pop_all().leave(kind, error, traceback)

    def leave(self, kind: Any, error: Any, traceback: Any) -> bool:
        """As `__exit__`, for a block behind which it is emptied whether an exception came or not."""
        return _unwound(self._leaves, kind, error, traceback)


def _unwound(leaves: Sequence[_Leave], kind: Any, error: Any, traceback: Any) -> bool:
    """Call what is called when a stack is left, the last first; whether an exception has been taken."""
    if not leaves:
        return False
    *rest, leave = leaves
    if error is None:
        try:
            leave(None, None, None)
        except BaseException as new:
            if not _unwound(rest, type(new), new, None):
                raise
            return False
        return _unwound(rest, None, None, None)
    if leave(kind, error, traceback):
        _unwound(rest, None, None, None)
        return True
    return _unwound(rest, kind, error, traceback)


IN_PLACE = (ExitStack,)
