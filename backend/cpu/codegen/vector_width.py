"""How wide the vectors of the machine are that kernels are compiled for."""

from __future__ import annotations

from functools import cache
from typing import Any


@cache
def vector_bytes() -> int:
    """The size of a vector register: 64 with AVX-512, 32 with AVX2, else 16."""
    features = _host_features()
    if features.get("avx512f") and features.get("avx512vl"):
        return 64
    return 32 if features.get("avx2") else 16


@cache
def vector_registers() -> int:
    """How many vector registers there are: 32 with AVX-512 and on Arm, else 16."""
    import platform

    return 32 if vector_bytes() == 64 or platform.machine() in ("aarch64", "arm64") else 16


@cache
def _host_features() -> dict[str, Any]:
    import llvmlite.binding as binding

    return dict(binding.get_host_cpu_features())
