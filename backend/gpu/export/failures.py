"""What may go wrong in a library for GPUs besides what its programs raise."""

from __future__ import annotations

from ....dialect.records import NamedTuple
from ...cpu.export.interface import BAD_ARGUMENT, DEVICE_ERROR, FAILURES, OUT_OF_MEMORY
from ...planning.plan import Site
from ..driver.library import MINIMUM_DRIVER, describe_version
from ..machine.call_context import GRAPHED, RESERVE_HOST

SET_CONTEXT = GRAPHED + 1
"""What was asked of the driver, besides what native code of programs asks: to make a context current."""
KEEP_RECORD = GRAPHED + 2
"""And memory for what a kernel notes."""

_OF_CALLS = (
    "cuLaunchKernel of kernel {1} gives {0:driver}",
    "cuMemcpyDtoHAsync_v2 gives {0:driver}",
    "cuMemcpyHtoDAsync_v2 gives {0:driver}",
    "cuMemcpyDtoDAsync_v2 gives {0:driver}",
    "the host has no block of {1} bytes",
    "cuMemAllocFromPoolAsync gives {0:driver}",
    "cuMemFreeAsync gives {0:driver}",
    "cuTensorMapEncodeTiled gives {0:driver}",
    "cuGraphLaunch gives {0:driver}",
    "cuCtxSetCurrent gives {0:driver}",
    "cuMemAlloc_v2 gives {0:driver}",
)
"""In the order of what is asked for: `call_context`, and behind that what is above."""

_NEEDED = f"CUDA {describe_version(MINIMUM_DRIVER)} or newer"


class _Numbers(NamedTuple):
    """The failures of libraries for GPUs, by the order of their numbers."""

    no_device: Site
    no_place: Site
    no_driver: Site
    no_such_driver: Site
    other_driver: Site
    lacking: Site
    old: Site
    no_context: Site
    no_state: Site
    not_saved: Site
    no_host_memory: Site
    other_gpu: Site
    no_pools: Site
    refused: Site
    no_memory: Site


def _numbers(target: str) -> _Numbers:
    def bad(text: str) -> Site:
        return Site(BAD_ARGUMENT, text, 0, "")

    def failed(text: str, values: int = 0) -> Site:
        return Site(DEVICE_ERROR, text, values, "")

    return _Numbers(
        bad("the device of the call is NULL"),
        bad("the address where the handle goes is NULL"),
        failed("there is no CUDA driver: libcuda.so.1 cannot be loaded"),
        failed("the driver that was given cannot be loaded"),
        bad("the library was opened with another driver before"),
        failed(f"the driver has no {{0:text}}: the library needs one for {_NEEDED}", 1),
        failed(f"the driver is one for CUDA {{0}}.{{1}}, and the library needs one for {_NEEDED}", 2),
        bad("no context was given, and none is current"),
        bad("the state is NULL"),
        bad("the bytes are not those that a state of this library was saved as"),
        Site(OUT_OF_MEMORY, "the host has no block of {1} bytes", 2, ""),
        failed(f"the library is for {target}, and the GPU has the compute capability {{0}}.{{1}}", 2),
        failed("the GPU has no memory pools"),
        failed("{1:text} gives {0:driver}", 2),
        Site(OUT_OF_MEMORY, "the GPU has no block of {1} bytes", 2, ""),
    )


def failures_of(target: str) -> tuple[Site, ...]:
    """All of them, behind what libraries for processors may find."""
    of_calls = [
        Site(OUT_OF_MEMORY if what == RESERVE_HOST else DEVICE_ERROR, text, 2, "")
        for what, text in enumerate(_OF_CALLS)
    ]
    return (*FAILURES, *_numbers(target), *of_calls)


_FIRST = len(FAILURES) + 1
_FIELDS = _Numbers._fields


class Number:
    """The numbers of the failures, for native code."""

    NO_DEVICE = _FIRST + _FIELDS.index("no_device")
    NO_PLACE = _FIRST + _FIELDS.index("no_place")
    NO_DRIVER = _FIRST + _FIELDS.index("no_driver")
    NO_SUCH_DRIVER = _FIRST + _FIELDS.index("no_such_driver")
    OTHER_DRIVER = _FIRST + _FIELDS.index("other_driver")
    LACKING = _FIRST + _FIELDS.index("lacking")
    OLD = _FIRST + _FIELDS.index("old")
    NO_CONTEXT = _FIRST + _FIELDS.index("no_context")
    NO_STATE = _FIRST + _FIELDS.index("no_state")
    NOT_SAVED = _FIRST + _FIELDS.index("not_saved")
    NO_HOST_MEMORY = _FIRST + _FIELDS.index("no_host_memory")
    OTHER_GPU = _FIRST + _FIELDS.index("other_gpu")
    NO_POOLS = _FIRST + _FIELDS.index("no_pools")
    REFUSED = _FIRST + _FIELDS.index("refused")
    NO_MEMORY = _FIRST + _FIELDS.index("no_memory")
    OF_CALLS = _FIRST + len(_FIELDS)
    """Of the first of what is asked in calls."""
