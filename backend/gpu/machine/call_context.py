"""What a call of a planned function needs of the driver: words behind its error record.

The record goes wherever something can fail, and so does everything that talks to the driver.
"""

from __future__ import annotations

from ...planning.plan import MAX_VALUES, RECORD_LENGTH

STREAM = RECORD_LENGTH
"""The handle of the stream that everything of the call is queued on."""

FUNCTIONS = RECORD_LENGTH + 1
"""The address of a table: the handles of the kernels, in the order of their numbers."""

CONSTANTS = RECORD_LENGTH + 2
"""The address of a table: where the constants are on the device, in the order of their numbers."""

LAUNCHES = RECORD_LENGTH + 3
READS = RECORD_LENGTH + 4
"""How many launches there were so far, and how often the host waited for what it read of the device."""

DEVICE_RECORD = RECORD_LENGTH + 5
"""The address on the device of the record that its kernels write to; 0 where none can raise."""

DEVICE_WORDS = 1 + MAX_VALUES
"""So many words of it say what has failed: the number of the site, and the values of its message."""

DEVICE_BYTES = 8 * (DEVICE_WORDS + 1)
"""Of that record: behind them is which iteration of a loop has failed first (`schedules.iterations`)."""

SEEN = RECORD_LENGTH + 6
"""What the device's record held when the host looked at it last."""

GRAPHS = SEEN + DEVICE_WORDS
"""The address of what graphs of launches need (`graph_code`)."""

CURRENT_GRAPH = GRAPHS + 1
"""Where among that is the graph that launches belong to; 0 where they are no nodes."""

TRIPS = CURRENT_GRAPH + 1
"""The address of two words for each kernel of the host: how often it ran, and how many bytes were copied for it."""

WORDS_OF_TRIPS = 2

POOL = TRIPS + 1
"""The handle of the pool that memory comes from."""

CONTEXT_LENGTH = POOL + 1

DRIVER_FAILED = -3
"""What the record holds instead of the number of a site when the driver refused something. Behind it are the code of
the driver, what was asked of it, and a number: bytes, or that of a kernel."""

LAUNCH, READ, WRITE, COPY, RESERVE_HOST, RESERVE_DEVICE, FREE, ENCODE, GRAPHED, LIBRARY = range(10)
"""What is asked of the driver, or of the host's memory."""

OUT_OF_MEMORY = 2
"""CUDA_ERROR_OUT_OF_MEMORY."""

CALL_LIBRARY = "library_routine"
"""What calls libraries of the device, in Python."""

DRIVER_SYMBOLS = (
    "cuGraphAddKernelNode_v2",
    "cuGraphCreate",
    "cuGraphExecKernelNodeSetParams_v2",
    "cuGraphInstantiateWithFlags",
    "cuGraphLaunch",
    "cuLaunchKernel",
    "cuMemAllocFromPoolAsync",
    "cuMemFreeAsync",
    "cuMemPoolTrimTo",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuStreamSynchronize",
    "cuTensorMapEncodeTiled",
)
"""The functions of the driver that native code calls."""
