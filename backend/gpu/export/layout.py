"""What native code of a library for GPUs finds where: the driver's functions, the plan of the library, its handles.

The plan is a constant of the library. A handle is what opening makes for a context: modules, kernels, constants on the
device, and frames, of which a call has one for itself if it needs memory that stays.
"""

from __future__ import annotations

from ..driver.signatures import SIGNATURES
from ..machine.call_context import CONTEXT_LENGTH, DRIVER_SYMBOLS
from ..machine.graph_code import EXECUTABLE, HANDLE

_OWN = (
    "cuInit",
    "cuDriverGetVersion",
    "cuGetErrorName",
    "cuGetErrorString",
    "cuCtxGetCurrent",
    "cuCtxSetCurrent",
    "cuCtxGetDevice",
    "cuCtxSynchronize",
    "cuDeviceGetAttribute",
    "cuDeviceTotalMem_v2",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
    "cuModuleGetFunction",
    "cuFuncSetAttribute",
    "cuMemAlloc_v2",
    "cuMemFree_v2",
    "cuMemPoolCreate",
    "cuMemPoolDestroy",
    "cuMemPoolSetAttribute",
    "cuMemsetD8Async",
    "cuGraphExecDestroy",
    "cuGraphDestroy",
)
FUNCTIONS = (*DRIVER_SYMBOLS, *_OWN)
"""The functions of the driver by their numbers: those that compiled programs call, and those of opening and closing."""
assert all(name in SIGNATURES for name in FUNCTIONS)


class Driver:
    """The numbers of the functions that native code calls itself."""

    INIT = FUNCTIONS.index("cuInit")
    VERSION = FUNCTIONS.index("cuDriverGetVersion")
    ERROR_NAME = FUNCTIONS.index("cuGetErrorName")
    ERROR_STRING = FUNCTIONS.index("cuGetErrorString")
    GET_CONTEXT = FUNCTIONS.index("cuCtxGetCurrent")
    SET_CONTEXT = FUNCTIONS.index("cuCtxSetCurrent")
    GET_DEVICE = FUNCTIONS.index("cuCtxGetDevice")
    SYNCHRONIZE = FUNCTIONS.index("cuCtxSynchronize")
    ATTRIBUTE = FUNCTIONS.index("cuDeviceGetAttribute")
    TOTAL = FUNCTIONS.index("cuDeviceTotalMem_v2")
    LOAD = FUNCTIONS.index("cuModuleLoadDataEx")
    UNLOAD = FUNCTIONS.index("cuModuleUnload")
    FUNCTION = FUNCTIONS.index("cuModuleGetFunction")
    SET_ATTRIBUTE = FUNCTIONS.index("cuFuncSetAttribute")
    ALLOCATE = FUNCTIONS.index("cuMemAlloc_v2")
    FREE = FUNCTIONS.index("cuMemFree_v2")
    MAKE_POOL = FUNCTIONS.index("cuMemPoolCreate")
    DESTROY_POOL = FUNCTIONS.index("cuMemPoolDestroy")
    TUNE_POOL = FUNCTIONS.index("cuMemPoolSetAttribute")
    TRIM_POOL = FUNCTIONS.index("cuMemPoolTrimTo")
    FILL = FUNCTIONS.index("cuMemsetD8Async")
    DESTROY_INSTANCE = FUNCTIONS.index("cuGraphExecDestroy")
    DESTROY_GRAPH = FUNCTIONS.index("cuGraphDestroy")
    TAKE = FUNCTIONS.index("cuMemAllocFromPoolAsync")
    GIVE = FUNCTIONS.index("cuMemFreeAsync")
    READ = FUNCTIONS.index("cuMemcpyDtoHAsync_v2")
    WRITE = FUNCTIONS.index("cuMemcpyHtoDAsync_v2")
    COPY = FUNCTIONS.index("cuMemcpyDtoDAsync_v2")
    WAIT = FUNCTIONS.index("cuStreamSynchronize")


class Plan:
    """The words of the plan: counts, and the addresses of tables."""

    (
        MAJOR, MINOR, IS_EXACT, MODULES, KERNELS, ATTRIBUTES, CONSTANTS, PROGRAMS, STATE_BYTES, STATE, STATE_HEADER,
        STATE_HEADER_BYTES, OTHER_CODES, NAMES, MODULE_TABLE, KERNEL_TABLE, ATTRIBUTE_TABLE, CONSTANT_TABLE,
        PROGRAM_TABLE, LENGTH,
    ) = range(20)  # fmt: skip


class Program:
    """The words of an exported function in the table of the plan."""

    FIRST_KERNEL, FIRST_CONSTANT, HAS_CHECKS, TRIPS, GRAPH_WORDS, GRAPHS, STARTS, LENGTH = range(8)


class Handle:
    """The words of what opening makes; behind them modules, kernels, constants and the places of frames."""

    CONTEXT, POOL, MODULES, KERNELS, CONSTANTS, FRAMES, LENGTH = range(7)


PLACES = 16
"""So many frames of a function are kept; calls that run at once beyond that make some of their own."""


class Frame:
    """The words of a frame; behind them what kernels of the host count, and what graphs need."""

    RECORD, LENGTH = range(2)


class Call:
    """Words of a call, behind those that programs know."""

    DEVICE, BEFORE, FRAME, PROGRAM, IS_OPEN = range(CONTEXT_LENGTH, CONTEXT_LENGTH + 5)
    LENGTH = CONTEXT_LENGTH + 5


class State:
    """The words of a state."""

    DEVICE, ADDRESS, LENGTH = range(3)


class Graph:
    """Of the words of a graph, those that are the driver's."""

    INSTANCE, GRAPH = EXECUTABLE, HANDLE
