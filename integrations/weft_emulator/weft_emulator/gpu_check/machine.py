"""Which GPU, driver and libraries were measured."""

from __future__ import annotations

import importlib.metadata
import platform
import shutil
import subprocess
import sys
from typing import Any

_LIBRARIES = (
    "numpy",
    "torch",
    "triton",
    "jax",
    "jaxlib",
    "cupy-cuda13x",
    "numba",
    "numba-cuda",
    "nvidia-cublas",
)
_ASKED = (
    "name,driver_version,vbios_version,memory.total,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem,"
    "power.limit,temperature.gpu,ecc.mode.current,mig.mode.current"
)


def describe(device: Any) -> dict[str, Any]:
    """The device as the driver and nvidia-smi tell it, and versions."""
    found = device.device.properties
    line: dict[str, Any] = {
        "ok": True,
        "device": found.name,
        "target": device.target,
        "multiprocessors": found.multiprocessors,
        "memory_bytes": found.memory_bytes,
        "l2_bytes": found.l2_bytes,
        "cuda": device.device.library.version(),
        "python": sys.version.split()[0],
        "system": platform.platform(),
        "versions": {name: version for name in _LIBRARIES if (version := _version(name))},
    }
    return line | {"nvidia_smi": _nvidia_smi(), "ptxas": _last_line("ptxas", "--version")}


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _nvidia_smi() -> dict[str, str]:
    """What nvidia-smi tells, by its own names; clocks are those of this moment."""
    text = _last_line("nvidia-smi", f"--query-gpu={_ASKED}", "--format=csv,noheader")
    values = [value.strip() for value in text.split(",")]
    names = _ASKED.split(",")
    return dict(zip(names, values, strict=True)) if len(values) == len(names) else {}


def _last_line(*command: str) -> str:
    """The last line that a program prints; nothing where there is no such program, or it fails."""
    if shutil.which(command[0]) is None:
        return ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except subprocess.TimeoutExpired:
        return ""
    lines = done.stdout.strip().splitlines()
    return lines[-1] if lines and not done.returncode else ""


__all__ = ["describe"]
