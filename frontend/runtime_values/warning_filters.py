"""`warnings.catch_warnings` in compiled code: the filters that hold for the calls of Python that a block records.

Compiled code itself gives no warnings, so that nothing happens where no Python is called.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from ...dialect.errors import UnsupportedError
from ..tracing.current import current_trace
from ..tracing.recorder import Recorder

if TYPE_CHECKING:
    from ..tracing.regions import Region  # which programs of the disk cache do without

Change: TypeAlias = "tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]"
"""A call that changes filters."""


class _Blocks:
    """The blocks around the present point of a recording, the outermost first: where they are, and their filters."""

    def __init__(self) -> None:
        self.open: list[tuple[Region, list[Change]]] = []


@contextmanager
def own_filters(trace: Recorder) -> Iterator[None]:
    """The filters that are changed from here on are what they were when this ends."""
    blocks = trace.state(_Blocks).open
    blocks.append((trace.region, []))
    count = len(blocks)
    try:
        yield
    finally:
        del blocks[count - 1 :]


def change_filters(trace: Recorder, change: Change) -> bool:
    """Change the filters of the block around; false where there is none."""
    blocks = trace.state(_Blocks).open
    if not blocks:
        return False
    region, changes = blocks[-1]
    if region is not trace.region:
        raise UnsupportedError(
            f"warnings.{change[0].__name__} is called in a branch or loop inside of `with warnings.catch_warnings()`, "
            "and only run-time values tell whether it is: call it at the beginning of the block"
        )
    changes.append(change)
    return True


def under_filters(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that Python calls when the program runs, under the filters of this point of the recording."""
    trace = current_trace()
    if trace is None:
        return function
    changes = [change for _, made in trace.state(_Blocks).open for change in made]
    if not changes:
        return function

    @functools.wraps(function)
    def call(*arrays: Any) -> Any:
        with warnings.catch_warnings():
            for change, args, kwargs in changes:
                change(*args, **kwargs)
            return function(*arrays)

    return call
