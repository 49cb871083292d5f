"""Codes of the driver as exceptions."""

from __future__ import annotations

from ....dialect.errors import DeviceError, DeviceMemoryError
from .signatures import BREAKING, Code

_ADVICE = {
    Code.NO_DEVICE: "there is a driver, and no GPU that it can use",
    Code.NOT_INITIALIZED: "the driver is used before cuInit, or in a process that was forked after it",
    Code.UNSUPPORTED_PTX_VERSION: "the driver is too old for this code; install a newer one",
    Code.NO_BINARY_FOR_GPU: "the code was compiled for another kind of GPU",
    Code.DEVICE_UNAVAILABLE: "another process has the GPU for itself, or it does not answer; see nvidia-smi",
    Code.ECC_UNCORRECTABLE: "its memory has lost bits: reset the GPU, or the machine",
    Code.NVLINK_UNCORRECTABLE: "the link to another GPU has lost data; see nvidia-smi nvlink -e",
    Code.CONTEXT_IS_DESTROYED: "another library of the process has destroyed the context that all share",
    Code.LAUNCH_TIMEOUT: "a kernel ran longer than the system lets it: does a loop of it end?",
    Code.UNKNOWN: "if nvidia-smi does not list the GPU any more, it has fallen off the bus: restart the machine",
}


def describe_bytes(size: int) -> str:
    """A size as people read it.

    >>> describe_bytes(1536), describe_bytes(3 << 30)
    ('1.5 KiB', '3 GiB')
    """
    value, units = float(size), ["bytes", "KiB", "MiB", "GiB", "TiB"]
    while value >= 1024 and len(units) > 1:
        value /= 1024
        del units[0]
    return f"{value:.4g} {units[0]}"


def driver_error(code: int, function: str, name: str, text: str, doing: str = "") -> DeviceError:
    """The exception for a code, with the driver's name and text of it, and what was being done."""
    what = f"{doing}: " if doing else ""
    message = f"{what}{function} gives {name}: {text}"
    if code in _ADVICE:
        message += f" ({_ADVICE[code]})"
    if code in BREAKING:
        message += "; the GPU can do nothing more in this process, for weft and for every other library"
        if function != "cuLaunchKernel":
            message += (
                ". It is told by whoever waits next: with CUDA_LAUNCH_BLOCKING=1 in the environment, it is told at "
                "the kernel that went wrong"
            )
    if code == Code.OUT_OF_MEMORY:
        return DeviceMemoryError(message, code)
    return DeviceError(message, code)


def out_of_memory(size: int, free: int, total: int, device: str) -> DeviceMemoryError:
    """The exception for memory that cannot be had."""
    return DeviceMemoryError(
        f"out of memory on {device}: {describe_bytes(size)} are needed, and {describe_bytes(free)} "
        f"of {describe_bytes(total)} are free",
        Code.OUT_OF_MEMORY,
    )
