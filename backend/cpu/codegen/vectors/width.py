"""How wide the vectors of the machine are that kernels are compiled for."""

from __future__ import annotations

from .... import target


def vector_bytes() -> int:
    """The size of a vector register: 64 with AVX-512, 32 with AVX2, else 16."""
    return target.current().vector_bytes


def vector_registers() -> int:
    """How many vector registers there are: 32 with AVX-512 and on Arm, else 16."""
    return target.current().vector_registers
