"""What this machine can do at most: arithmetic on one core, and memory traffic by the size of what is touched."""

from __future__ import annotations

import ctypes
import statistics
import time
from functools import cache

import numpy as np

_ACCUMULATORS = 12
"""Enough independent chains to keep two units with a latency of four to five cycles busy."""

_ITERATIONS = 1_000_000

_WIDTHS = {"float32": 1, "float64": 2}
"""So many float32 take the place of one number in a vector."""


def _multiply_add_loop(lanes: int) -> str:
    """A loop of independent multiply-adds on vectors, as LLVM assembly."""
    vector = f"<{lanes} x float>"
    chains = range(_ACCUMULATORS)
    carried = "\n".join(f"  %a{i} = phi {vector} [%start, %entry], [%n{i}, %loop]" for i in chains)
    work = "\n".join(
        f"  %n{i} = call {vector} @llvm.fma.v{lanes}f32({vector} %a{i}, {vector} %factor, {vector} %start)"
        for i in chains
    )
    total = "\n".join(
        f"  %s{i} = fadd {vector} {'%n0' if i == 1 else f'%s{i - 1}'}, %n{i}" for i in chains if i > 0
    )
    return f"""
declare {vector} @llvm.fma.v{lanes}f32({vector}, {vector}, {vector})
define float @multiply_add(i64 %count, float %x) {{
entry:
  %first = insertelement {vector} poison, float %x, i64 0
  %start = shufflevector {vector} %first, {vector} poison, <{lanes} x i32> zeroinitializer
  %factor = fmul {vector} %start, %start
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
{carried}
{work}
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %exit
exit:
{total}
  %result = extractelement {vector} %s{_ACCUMULATORS - 1}, i64 0
  ret float %result
}}
"""


@cache
def flops_per_second() -> float:
    """The most float32 operations a second of one core, a multiply-add counting as two."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features()
    lanes = 16 if features.get("avx512f") else 8 if features.get("avx2") else 4
    target = llvm.Target.from_default_triple()
    machine = target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features.flatten(), opt=2, codemodel="jitdefault"
    )
    with llvm.create_mcjit_compiler(llvm.parse_assembly(_multiply_add_loop(lanes)), machine) as engine:
        engine.finalize_object()
        run = ctypes.CFUNCTYPE(ctypes.c_float, ctypes.c_int64, ctypes.c_float)(
            engine.get_function_address("multiply_add")
        )
        seconds = []
        for _ in range(11):
            start = time.perf_counter()
            run(_ITERATIONS, 0.5)
            seconds.append(time.perf_counter() - start)
    return 2.0 * lanes * _ACCUMULATORS * _ITERATIONS / statistics.median(seconds)


@cache
def bytes_per_second(size: int) -> float:
    """How fast NumPy copies memory when source and destination have this many bytes together."""
    source = np.ones(max(size // 2, 64), np.uint8)
    destination = np.empty_like(source)
    calls = max(1, int(2e7 // size))
    seconds = []
    for _ in range(11):
        start = time.perf_counter()
        for _ in range(calls):
            np.copyto(destination, source)
        seconds.append((time.perf_counter() - start) / calls)
    return 2.0 * source.size / statistics.median(seconds)


def least_seconds(flops: float, bytes: float, dtype: str) -> float | None:
    """The time below which no program can do this much arithmetic and memory traffic; None where nothing is known.

    Arithmetic is limited for floats only: what a machine can do at most on integers in loops has no such simple bound.
    """
    if dtype not in _WIDTHS or not flops:
        return None
    return max(flops * _WIDTHS[dtype] / flops_per_second(), bytes / bytes_per_second(int(bytes)))
