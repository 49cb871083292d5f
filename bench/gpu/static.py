"""What kernels take, as NVIDIA's assembler and their text tell it: `python bench/gpu/static.py` writes a page.

The page is bench/results/gpu_static.md. Nothing of it needs a GPU, and nothing of it is a time: registers, the blocks
that fit on a multiprocessor, the bytes of a load, launches, and reads that the host waits for.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from programs import PROGRAMS, GpuProgram

import weft
from weft.backend.gpu.machine.assembler import assemble, find_assembler
from weft.backend.target import named
from weft.frontend.function import function
from weft.frontend.signature.signature import TensorSpec

TARGET = "sm_90a"
_PAGE = Path(__file__).resolve().parents[1] / "results" / "gpu_static.md"
_THREADS_OF_A_MULTIPROCESSOR, _MOST_BLOCKS = 2048, 32
_RNG = np.random.default_rng(0)


def _attention_gradients(q: Any, k: Any, v: Any, change: Any) -> Any:
    def total(q: Any, k: Any, v: Any) -> Any:
        scores = q @ np.swapaxes(k, -1, -2) * 0.125
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return np.sum(weights / weights.sum(axis=-1, keepdims=True) @ v * change)

    return weft.grad(total, argnums=(0, 1, 2))(q, k, v)


def _recurrence(a: Any, b: Any) -> Any:
    out, s = np.empty_like(b), 0.0
    for i in range(len(b)):
        s = a[i] * s + b[i]
        out[i] = s
    return out


OTHERS = (
    GpuProgram(
        "dropout",
        lambda x: np.where(_RNG.random(x.shape, np.float32) < 0.5, 0, x * 2),
        (),
        (((8192, 8192), "f4"),),
    ),
    GpuProgram("area", lambda x: np.mean(_RNG.random(x.shape) ** 2 + x * x < 1), (), (((1 << 26,), "f8"),)),
    GpuProgram("dice", lambda x: x + _RNG.integers(1, 7, x.shape), (), (((1 << 26,), "i8"),)),
    GpuProgram("noise", lambda x: x + _RNG.standard_normal(x.shape), (), (((1 << 26,), "f8"),)),
    GpuProgram("noise_of_bytes", lambda x: x + _RNG.integers(-128, 128, x.shape), (), (((1 << 26,), "i8"),)),
    GpuProgram("shuffle", lambda x: x[_RNG.permutation(len(x))], (), (((1 << 24,), "f4"),)),
    GpuProgram("sample", lambda x: _RNG.choice(x, 1 << 16, replace=False), (), (((1 << 24,), "f4"),)),
    GpuProgram("recurrence", _recurrence, (), (((1 << 26,), "f8"),) * 2),
    GpuProgram("attention_gradients", _attention_gradients, (), (((4, 16, 2048, 64), "f4"),) * 4),
)
"""Programs that are not packed, as they draw of a generator, or are those of NumPy alone no more."""
UNKNOWN = (
    GpuProgram("bias_unknown", lambda x, b: x + b, (), (((None, None), "f4"), ((None,), "f4"))),
    GpuProgram("bias", lambda x, b: x + b, (), (((8192, 8188), "f4"), ((8188,), "f4"))),
    GpuProgram("product_f32_unknown", lambda a, b: a @ b, (), (((None, None), "f4"),) * 2),
    GpuProgram("product_f16_unknown", lambda a, b: a @ b, (), (((None, None), "f2"),) * 2),
)
"""Programs whose extents are not known when they are compiled, and one beside them."""
_ROOM_OF_REGISTERS = 8
"""Registers of a thread are given out in eights."""


class Row(NamedTuple):
    """What is known of a kernel."""

    program: str
    kernel: str
    threads: int
    registers: int
    spilled: int
    shared: int
    blocks: int
    """That fit on a multiprocessor beside each other."""
    instructions: int
    """Of the text of PTX, whatever is repeated."""
    bytes_of_load: float
    """On average over the places that load from global memory; 0 where none does."""
    copies: int
    """Places that copy to shared memory without registers between (cp.async, TMA)."""
    launches: int
    reads: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page; the exit code is 1 where there is no assembler."""
    parser = argparse.ArgumentParser(prog="static.py", description=__doc__)
    parser.add_argument("--to", type=Path, default=_PAGE, help="the page")
    parser.add_argument("--only", nargs="*", help="names of programs")
    options = parser.parse_args(arguments)
    if find_assembler() is None:
        print("there is no ptxas on this machine: install nvidia-cuda-nvcc", file=sys.stderr)
        return 1
    chosen = [
        p for p in (*PROGRAMS, *OTHERS, *UNKNOWN) if p.large and (not options.only or p.name in options.only)
    ]
    rows = [row for program in chosen for row in rows_of(program)]
    options.to.parent.mkdir(parents=True, exist_ok=True)
    options.to.write_text(page(rows))
    return 0


def rows_of(program: GpuProgram) -> Iterator[Row]:
    """A row for each kernel of a program with large arguments."""
    specs = [TensorSpec(spec[0], spec[1]) for spec in program.large]
    concrete = function(program.function, target=TARGET + program.features).get_concrete_function(*specs)
    ptx, device = concrete.as_text("ptx"), concrete.cost_analysis().device
    found = assemble(ptx, TARGET).kernels
    for name, threads, body in kernels_in(ptx):
        taken = found[name]
        blocks = blocks_of(threads, taken.registers, taken.shared)
        loads = [bytes_of(load) for load in re.findall(r"ld\.global\S*", body)]
        yield Row(
            program.name,
            name,
            threads,
            taken.registers,
            taken.spilled,
            taken.shared,
            blocks,
            len(re.findall(r";\s*$", body, re.MULTILINE)) - len(re.findall(r"^\s*\.reg", body, re.MULTILINE)),
            sum(loads) / len(loads) if loads else 0.0,
            len(re.findall(r"cp\.async\.(?:c[ag]|bulk\.tensor)", body)),
            device.launches,
            device.reads,
        )


def kernels_in(ptx: str) -> Iterator[tuple[str, int, str]]:
    """The name, the threads of a block, and the body of each kernel of a text."""
    for part in ptx.split(".entry ")[1:]:
        name = part.partition("(")[0]
        head, _, body = part.partition("\n{")  # instructions may have braces of their own
        sizes = re.search(r"\.(?:req|max)ntid (\d+)(?:, (\d+))?(?:, (\d+))?", head)
        threads = 1
        for size in sizes.groups() if sizes else ():
            threads *= int(size or 1)
        yield name, threads, body


def bytes_of(load: str) -> int:
    """The bytes that a load of a thread brings.

    >>> bytes_of("ld.global.nc.v4.b32"), bytes_of("ld.global.b16")
    (16, 2)
    """
    vector, width = re.search(r"\.v(\d)", load), re.search(r"\.[a-z]+(\d+)$", load)
    assert width is not None
    return (int(vector[1]) if vector else 1) * int(width[1]) // 8


def blocks_of(threads: int, registers: int, shared: int) -> int:
    """How many blocks fit on a multiprocessor, by threads, registers, and the shared memory that the text declares.

    >>> blocks_of(256, 186, 0), blocks_of(128, 32, 0), blocks_of(1024, 32, 120 << 10)
    (1, 16, 1)
    """
    gpu = named(TARGET).gpu
    assert gpu is not None
    warps = -(-threads // gpu.warp)
    each = -(-registers // _ROOM_OF_REGISTERS) * _ROOM_OF_REGISTERS * gpu.warp * warps
    limits = [_MOST_BLOCKS, _THREADS_OF_A_MULTIPROCESSOR // (warps * gpu.warp), gpu.registers // max(each, 1)]
    return min([*limits, *([gpu.shared_bytes // shared] if shared else [])])


def page(rows: Sequence[Row]) -> str:
    """The page in Markdown."""
    head = (
        "program",
        "kernel",
        "threads",
        "registers",
        "spilled",
        "shared",
        "blocks a multiprocessor",
        "instructions",
        "bytes a load",
        "copies to shared memory",
        "launches",
        "reads of the host",
    )
    text = [
        "# What kernels take",
        "",
        f"Of the programs of `bench/gpu/programs.py` with large arguments, for {TARGET}, as NVIDIA's assembler and the "
        "text of PTX tell it; made by `python bench/gpu/static.py`. Blocks are those that threads, registers and "
        "declared shared memory allow; instructions are counted once, however often they run.",
        "",
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
    ]
    text += [f"| {' | '.join(map(_shown, row))} |" for row in rows]
    return "\n".join([*text, ""])


def _shown(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    sys.exit(main())
