"""The machine that code is made for: everything that code generation asks about it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Target:
    """A machine, as LLVM names it and as schedules see it."""

    name: str
    triple: str
    cpu: str
    features: str
    vector_bytes: int
    """The size of a vector register."""
    vector_registers: int
    fused_multiply_add: bool
    """Whether a * b + c with one rounding is an instruction."""
    exponent_instructions: bool
    """Whether exponents are taken apart and put together by instructions (AVX-512)."""


@cache
def host() -> Target:
    """This machine."""
    import llvmlite.binding as binding

    features = binding.get_host_cpu_features()
    triple = binding.get_process_triple()
    wide = bool(features.get("avx512f") and features.get("avx512vl") and features.get("avx512dq"))
    arm = triple.startswith(("aarch64", "arm64"))
    return Target(
        name="native",
        triple=triple,
        cpu=binding.get_host_cpu_name(),
        features=features.flatten(),
        vector_bytes=64 if wide else 32 if features.get("avx2") else 16,
        vector_registers=32 if wide or arm else 16,
        fused_multiply_add=arm or bool(features.get("fma")),
        exponent_instructions=wide,
    )


_current: ContextVar[Target | None] = ContextVar("target", default=None)


def current() -> Target:
    """The machine that code is being made for in this context: this one, unless `compiling_for` says another."""
    return _current.get() or host()


@contextmanager
def compiling_for(target: Target | None) -> Iterator[None]:
    """Make code for a machine in this context; for this one with None."""
    token = _current.set(target)
    try:
        yield
    finally:
        _current.reset(token)
