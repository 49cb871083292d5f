"""What a compiled function costs and where its memory is: `concrete.cost_analysis()`, `concrete.memory_analysis()`."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from ...backend.analysis.cost import user_line
from ...backend.planning.plan import HostSite, Plan
from ...dialect.callbacks import COLLECTIVES, name_of
from ...dialect.errors import WeftValueError
from ...dialect.records import NamedTuple
from ...dialect.sizes import Size, limits, symbol


class KernelCost(NamedTuple):
    """What all calls of one kernel cost in one call of the function."""

    name: str
    calls: Size
    flops: Size
    transcendentals: Size
    bytes_read: Size
    bytes_written: Size
    lines: tuple[str, ...]
    """Where in the program it is called, as `file.py:3`."""
    is_known: bool = True
    """Whether sizes and bounds tell what a call costs; how often it is called may be unknown all the same."""


class DeviceTraffic(NamedTuple):
    """What goes between the host and a GPU: places in the program, each counted once however often it runs."""

    launches: int
    """Of kernels."""
    reads: int
    """Where the host needs one element of an array, and waits for it."""
    host_kernels: tuple[tuple[str, str], ...]
    """The kernels that run on the host, on copies of their arrays, and why."""
    bytes_in: int | None
    """Of the arguments, which are copied there if they are NumPy's; None where types do not tell."""
    bytes_out: int | None
    """Of the results and of the arguments that are written."""
    slow_kernels: tuple[tuple[str, float], ...]
    """The device kernels of one thread that take more than about a millisecond, and how many they take."""

    def __str__(self) -> str:
        moved = ["unknown" if size is None else f"{size:,}" for size in (self.bytes_in, self.bytes_out)]
        lines = [
            f"on the device: {self.launches} launches, {self.reads} reads that wait; "
            f"of NumPy's arrays {moved[0]} bytes go in, {moved[1]} bytes come out"
        ]
        lines += [f"on the host: {name}, as {why}" for name, why in self.host_kernels]
        lines += [f"on one thread: {name}, for some {taken:.0f} ms" for name, taken in self.slow_kernels]
        return "\n".join(lines)


class CostAnalysis(NamedTuple):
    """How much one call computes, reads and writes.

    Counts are ints, or formulas of the sizes of arguments where types do not tell these: `str(cost.flops)` is
    "2*x.shape[0]".

    Bytes are those that kernels exchange through memory, arguments, results and intermediates, each counted once for
    a kernel: what the caches of the machine save is not subtracted.
    """

    flops: Size
    """Additions, multiplications, divisions, comparisons and the like of elements, integers included."""
    transcendentals: Size
    """Roots, powers, exponentials, logarithms, angles: one each, not part of `flops`."""
    bytes_read: Size
    bytes_written: Size
    kernels: tuple[KernelCost, ...]
    unknown: tuple[str, ...]
    """Why the counts are not exact: loops counted once, branches counted on both sides, arrays of unknown size."""
    device: DeviceTraffic | None = None
    """Of functions that run on a GPU."""
    python_calls: tuple[tuple[str, str], ...] = ()
    """What Python is called for, and where in the program; what these cost is not known."""

    @property
    def intensity(self) -> float:
        """Flops and transcendental functions for each byte read or written, of large arrays where sizes are not known.

        0 where nothing is read or written.
        """
        moved = _of_large_arrays(self.bytes_read + self.bytes_written)
        return _of_large_arrays(self.flops + self.transcendentals) / moved if moved else 0.0

    def __str__(self) -> str:
        rows: list[tuple[str, ...]] = [
            ("kernel", "calls", "flops", "transcendental", "bytes read", "bytes written", "where")
        ]
        calls = sum((kernel.calls for kernel in self.kernels), start=cast("Size", 0))
        moved = self.bytes_read, self.bytes_written
        total = KernelCost("all", calls, self.flops, self.transcendentals, *moved, ())
        for kernel in (*self.kernels, total):
            counts = (
                kernel.calls,
                kernel.flops,
                kernel.transcendentals,
                kernel.bytes_read,
                kernel.bytes_written,
            )
            numbers = [f"{number:,}" if isinstance(number, int) else str(number) for number in counts]
            rows.append((kernel.name, *numbers, ", ".join(kernel.lines)))
        known = isinstance(self.flops + self.bytes_read + self.bytes_written, int)
        of_what = "" if known else ", of large arrays"
        lines = [*_table(rows), f"{self.intensity:.3g} operations a byte{of_what}"]
        if self.device is not None:
            lines.append(str(self.device))
        lines += [f"Python is called: {name}, {line}" for name, line in self.python_calls]
        return "\n".join([*lines, *(f"not exact: {reason}" for reason in self.unknown)])


class PlannedBuffer(NamedTuple):
    """An intermediate array whose size is known at compile time."""

    where: str
    """`workspace`, or `result 0` for one in the memory of a result that is not made yet."""
    offset: int
    bytes: int
    start: int
    end: int
    """It is needed from `start` to `end`: these count what is allocated and released."""
    line: str
    """Of the program, as `file.py:3`."""


class MemoryAnalysis(NamedTuple):
    """Where the memory of one call is. None stands for bytes that depend on the sizes of arguments, or on data."""

    argument_bytes: int | None
    result_bytes: int | None
    workspace_bytes: int | None
    """Intermediates: kept for the next call."""
    heap_blocks: int
    """Arrays whose sizes depend on data, results included: their memory grows while the function runs."""
    copies: int
    """Places in the program where an array is copied because its memory is needed, or wanted elsewhere."""
    arguments: tuple[int | None, ...]
    results: tuple[int | None, ...]
    buffers: tuple[PlannedBuffer, ...]

    @property
    def peak_bytes(self) -> int | None:
        """Arguments, results and workspace together."""
        parts = (self.argument_bytes, self.result_bytes, self.workspace_bytes)
        return None if None in parts else sum(part or 0 for part in parts)

    def __str__(self) -> str:
        names = ("argument", "result", "workspace", "peak")
        values = (self.argument_bytes, self.result_bytes, self.workspace_bytes, self.peak_bytes)
        known = [
            f"{name} bytes: {'known at run time' if value is None else f'{value:,}'}"
            for name, value in zip(names, values, strict=True)
        ]
        rows = [("memory", "offset", "bytes", "needed", "where")]
        for buffer in self.buffers:
            times = f"{buffer.start}-{buffer.end}"
            rows.append((buffer.where, f"{buffer.offset:,}", f"{buffer.bytes:,}", times, buffer.line))
        lines = [*known, f"heap blocks: {self.heap_blocks}, copies: {self.copies}"]
        return "\n".join([*lines, *(_table(rows) if self.buffers else [])])


def calls_of_python(
    sites: Sequence[Any], callbacks: Sequence[Callable[..., Any]]
) -> tuple[tuple[str, str], ...]:
    """The names of the Python functions that a program calls, and the lines of its calls, in program order."""
    calls = [s for s in sites if isinstance(s, HostSite) and s.callback < COLLECTIVES]
    return tuple(
        dict.fromkeys((name_of(callbacks[site.callback]), user_line(site.location)) for site in calls)
    )


def read_cost(text: str, python_calls: tuple[tuple[str, str], ...] = ()) -> CostAnalysis:
    """The analysis that the backend gives as text, with the calls of Python beside it."""
    data = json.loads(text)
    kernels = [
        KernelCost(
            kernel["name"],
            _size(kernel["calls"]),
            lines=tuple(kernel["locations"]),
            is_known=kernel["is_known"],
            **{name: _size(counted) for name, counted in kernel["cost"].items()},
        )
        for kernel in data["kernels"].values()
    ]

    def total(name: str) -> Size:
        return sum((getattr(kernel, name) for kernel in kernels), start=cast("Size", 0))

    return CostAnalysis(
        total("flops"),
        total("transcendentals"),
        total("bytes_read"),
        total("bytes_written"),
        tuple(kernels),
        tuple(data["unknown"]),
        _read_traffic(data["device"]) if "device" in data else None,
        python_calls,
    )


def _size(data: int | list[list[Any]]) -> Size:
    """A number, or a formula given by its products."""
    if isinstance(data, int):
        return data
    products = (math.prod(map(symbol, names), start=cast("Size", factor)) for factor, *names in data)
    return sum(products, start=cast("Size", 0))


_LARGE = 10**6


def _of_large_arrays(size: Size) -> float:
    """About what a count is where all that is not known is large."""
    return float(size) if isinstance(size, int) else limits(size, lambda name: (_LARGE, _LARGE))[0]


def _read_traffic(data: dict[str, Any]) -> DeviceTraffic:
    kernels = {name: tuple(data[name].items()) for name in ("host_kernels", "slow_kernels")}
    return DeviceTraffic(**(data | kernels))


def read_memory(text: str) -> MemoryAnalysis:
    """The analysis that the backend gives as text."""
    data = json.loads(text)
    arguments, results = data["arguments"], data["results"]
    return MemoryAnalysis(
        _total(arguments),
        _total(results),
        data["workspace"],
        data["blocks"],
        data["copies"],
        tuple(arguments),
        tuple(results),
        tuple(PlannedBuffer(**buffer) for buffer in data["buffers"]),
    )


def examples_of(
    plan: Plan, names: Sequence[str], arrays: Sequence[Any] | None
) -> list[tuple[str, tuple[int | None, ...], int | None]]:
    """What is known of the arguments of a plan: names and types, or arrays to take sizes and integers from."""
    if arrays is None:
        return [(name, type.shape, None) for name, type in zip(names, plan.inputs, strict=False)]
    found = []
    for name, type, array in zip(names, plan.inputs, arrays, strict=True):
        shape = np.shape(array)
        if len(shape) != type.rank or any(e not in (None, n) for e, n in zip(type.shape, shape, strict=True)):
            raise WeftValueError(f"an example has the shape {shape}, the function was compiled for {type}")
        is_integer = not shape and isinstance(array, (int, np.integer, np.ndarray))
        value = int(array) if is_integer and np.asarray(array).dtype.kind in "iu" else None
        found.append((name, shape, value))
    return found


def _total(parts: Sequence[int | None]) -> int | None:
    return None if None in parts else sum(part or 0 for part in parts)


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """The rows with aligned columns: the first and the last to the left, numbers to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        middle = (cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1], strict=True))
        lines.append("  ".join([row[0].ljust(widths[0]), *middle, row[-1]]).rstrip())
    return lines
