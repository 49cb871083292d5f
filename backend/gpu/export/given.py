"""What native code of libraries for GPUs calls besides itself: assembly of the library. Python cannot call it."""

from __future__ import annotations

from ....dialect.errors import InternalError


def device_plan() -> int:
    """The address of the plan."""
    raise _only_native()


def usual_driver() -> int:
    """The address of the name of the driver's library."""
    raise _only_native()


def refuse(error: int, number: int, first: int, second: int) -> int:
    """Tell of a failure with two values; its result code."""
    raise _only_native()


def told(error: int, record: int, first: int) -> int:
    """Tell what the error record of a call has, whose places are numbered from `first` on; the result code."""
    raise _only_native()


def allocate(count: int) -> int:
    """The address of so many bytes of the host, or 0."""
    raise _only_native()


def give_back(address: int) -> int:
    """Free them."""
    raise _only_native()


def _only_native() -> InternalError:
    return InternalError("native code was called as Python")


GIVEN = ("device_plan", "usual_driver", "refuse", "told", "allocate", "give_back")
