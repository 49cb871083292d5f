"""Kernels written as PTX, run on the emulator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from weft_emulator.kernel import Linker
from weft_emulator.machine import Launch, Machine, Options
from weft_emulator.memory import DeviceMemory
from weft_emulator.modules import Module
from weft_emulator.ptx import parse

HEADER = ".version 8.6\n.target sm_90a\n.address_size 64\n"
REGISTERS = """
    .reg .pred %p<16>;
    .reg .b16 %h<32>;
    .reg .b32 %r<64>;
    .reg .b64 %d<64>;
"""
MEMORY = DeviceMemory(1 << 24)


def kernel(body: str, parameters: int, *, name: str = "k", before: str = "", inside: str = "") -> str:
    """The text of a kernel whose parameters are addresses, in %d0, %d1, ..., with its thread in %r0."""
    names = [f"{name}_{number}" for number in range(parameters)]
    loads = "\n".join(f"    ld.param.b64 %d{k}, [{parameter}];" for k, parameter in enumerate(names))
    index = "    mov.u32 %r60, %ctaid.x;\n    mov.u32 %r61, %ntid.x;\n    mov.u32 %r62, %tid.x;\n"
    index += "    mad.lo.s32 %r0, %r60, %r61, %r62;\n"
    declared = ", ".join(f".param .u64 {parameter}" for parameter in names)
    return (
        f"{HEADER}{before}\n.visible .entry {name}({declared})\n{{{REGISTERS}{inside}\n{loads}\n{index}{body}\n"
        "    ret;\n}\n"
    )


def run(
    text: str,
    arrays: Sequence[Any],
    *,
    grid: int = 1,
    block: int = 32,
    shared: int = 0,
    seed: int = 0,
    options: Options | None = None,
    name: str | None = None,
) -> list[Any]:
    """Run the kernel, or that of a name, on copies of arrays, and on words; the arrays as they are then."""
    module = Module(text, MEMORY, (9, 0), 13000)
    addresses = []
    try:
        (linked,) = module.kernels.values() if name is None else [module.kernels[name]]
        words = []
        for array in arrays:
            if isinstance(array, int):
                words.append(array)
                continue
            addresses.append(MEMORY.allocate(array.nbytes))
            MEMORY.span(addresses[-1], array.nbytes)[...] = (
                np.ascontiguousarray(array).reshape(-1).view(np.uint8)
            )
            words.append(addresses[-1])
        parameters = np.array(words, np.uint64).tobytes()
        launch = Launch((grid, 1, 1), (block, 1, 1), parameters, shared)
        Machine(linked, launch, MEMORY, np.random.default_rng(seed), options or Options()).run()
        return [
            MEMORY.span(address, array.nbytes).copy().view(array.dtype).reshape(array.shape)
            for address, array in zip(addresses, (a for a in arrays if not isinstance(a, int)), strict=True)
        ]
    finally:
        for address in addresses:
            MEMORY.release(address)
        module.unload()


def link(text: str) -> Any:
    """The one kernel of a module without variables in device memory."""
    program = parse(text)
    return Linker(program, {}).link(program.kernels[0])


__all__ = ["HEADER", "MEMORY", "REGISTERS", "kernel", "link", "run"]
