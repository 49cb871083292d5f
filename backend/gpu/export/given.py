"""What native code of libraries for GPUs calls besides itself: assembly of the library. Python cannot call it."""

from __future__ import annotations

from ...cpu.native_python.intrinsics import only_native


def device_plan() -> int:
    """The address of the plan."""


def usual_driver() -> int:
    """The address of the name of the driver's library."""


def refuse(error: int, number: int, first: int, second: int) -> int:
    """Tell of a failure with two values; its result code."""


def told(error: int, record: int, first: int) -> int:
    """Tell what the error record of a call has, whose places are numbered from `first` on; the result code."""


def allocate(count: int) -> int:
    """The address of so many bytes of the host, or 0."""


def give_back(address: int) -> int:
    """Free them."""


GIVEN = only_native(globals())
