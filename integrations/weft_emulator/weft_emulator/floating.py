"""Floating-point arithmetic with one rounding, in the direction that an instruction names."""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from .memory import Array

DIRECTIONS = {"rz": 0, "rn": 1, "rp": 2, "rm": 3}
"""Roundings of PTX, as LLVM numbers them."""

_SET_ROUNDING = """
declare void @llvm.set.rounding(i32)
define void @run(i32 %mode) {
  call void @llvm.set.rounding(i32 %mode)
  ret void
}
"""
_FMA = """
declare {type} @llvm.fma.{name}({type}, {type}, {type})
define void @run(ptr %a, ptr %b, ptr %c, ptr %d, i64 %count) {{
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  {places}
  %pd = getelementptr {type}, ptr %d, i64 %i
  %x = load {type}, ptr %pa
  %y = load {type}, ptr %pb
  %z = load {type}, ptr %pc
  %r = call {type} @llvm.fma.{name}({type} %x, {type} %y, {type} %z)
  store {type} %r, ptr %pd
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""
_FIRST = ctypes.c_ubyte
_ENGINES: list[Any] = []
"""What owns the machine code."""


def _compile(source: str, kind: Any) -> Any:
    """The function `run` of some LLVM assembly, as machine code of this process."""
    import llvmlite.binding as binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine(
        opt=3, cpu=binding.get_host_cpu_name(), features=binding.get_host_cpu_features().flatten()
    )
    module = binding.parse_assembly(source)
    module.triple = binding.get_process_triple()
    module.data_layout = str(machine.target_data)
    builder = binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(speed_level=3))
    builder.getModulePassManager().run(module, builder)
    engine = binding.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    _ENGINES.append(engine)
    return kind(engine.get_function_address("run"))


@cache
def _has_llvm() -> bool:
    """Whether there is LLVM: a machine that only runs what another one has compiled may lack it."""
    try:
        return importlib.util.find_spec("llvmlite") is not None
    except ImportError:  # a process that must do without it
        return False


@cache
def _libm() -> Any:
    return ctypes.CDLL("libm.dylib" if sys.platform == "darwin" else "libm.so.6")


@cache
def _set_rounding() -> Any:
    if not _has_llvm():
        return lambda mode: _libm().fesetround((0xC00, 0, 0x800, 0x400)[mode])  # of x86
    return _compile(_SET_ROUNDING, ctypes.CFUNCTYPE(None, ctypes.c_int32))


@cache
def _fma(size: int, varying: tuple[bool, bool, bool]) -> Any:
    """A loop of fma for floats of a size; operands that do not vary are one number for all threads."""
    if not _has_llvm():
        return _fma_of_libm(size, varying)
    kind, name = ("float", "f32") if size == 4 else ("double", "f64")
    places = "\n  ".join(
        f"%p{letter} = getelementptr {kind}, ptr %{letter}, i64 {'%i' if varies else '0'}"
        for letter, varies in zip("abc", varying, strict=True)
    )
    array = ctypes.POINTER(ctypes.c_ubyte)
    pointers = ctypes.CFUNCTYPE(None, array, array, array, array, ctypes.c_int64)
    return _compile(_FMA.format(type=kind, name=name, places=places), pointers)


def _fma_of_libm(size: int, varying: tuple[bool, bool, bool]) -> Any:
    """The same by a call of libm for each element."""
    number = ctypes.c_float if size == 4 else ctypes.c_double
    function = _libm().fmaf if size == 4 else _libm().fma
    function.argtypes, function.restype = (number, number, number), number

    def run(*given: Any) -> None:
        *pointers, count = given
        arrays = [ctypes.cast(pointer, ctypes.POINTER(number)) for pointer in map(ctypes.pointer, pointers)]
        a, b, c = (
            array[:count] if varies else [array[0]] * count
            for array, varies in zip(arrays, varying, strict=False)
        )
        for place, (x, y, z) in enumerate(zip(a, b, c, strict=True)):
            arrays[3][place] = function(x, y, z)

    return run


@contextlib.contextmanager
def rounding(direction: str) -> Iterator[None]:
    """Round arithmetic of this thread in a direction (rn, rz, rm, rp), NumPy's included."""
    if direction == "rn":
        yield
        return
    set_rounding = _set_rounding()
    set_rounding(DIRECTIONS[direction])
    try:
        yield
    finally:
        set_rounding(DIRECTIONS["rn"])


def canonical(x: Array) -> Array:
    """Floats that an instruction has made, in place: of 32 and 16 bits the hardware makes only one NaN."""
    if x.dtype.itemsize < 8:
        nan = np.isnan(x)
        if nan.any():
            bits = x.view(f"u{x.dtype.itemsize}")
            np.copyto(bits, bits.dtype.type(np.iinfo(bits.dtype).max >> 1), where=nan)
    return x


def fused_multiply_add(a: Array, b: Array, c: Array, out: Array, direction: str = "rn") -> None:
    """a * b + c with one rounding; a, b and c are contiguous, or one number for all."""
    if out.dtype.itemsize == 2:
        out[...] = _narrow_fma(a, b, c, out.dtype, direction)
        return
    function = _fma(out.dtype.itemsize, (a.ndim > 0, b.ndim > 0, c.ndim > 0))
    operands: tuple[Any, ...] = (a, b, c, out)
    pointers = [_FIRST.from_buffer(operand) for operand in operands]
    if direction == "rn":
        function(*pointers, out.size)
    else:
        with rounding(direction):
            function(*pointers, out.size)


def _narrow_fma(a: Array, b: Array, c: Array, dtype: np.dtype[Any], direction: str) -> Array:
    """That of f16 and bf16: their product is exact in f64, and the sum is rounded there to odd."""
    product = a.astype(np.float64) * b.astype(np.float64)
    return narrowed(add_to_odd(product, c.astype(np.float64)), dtype, direction)


def add_to_odd(x: Array, y: Array) -> Array:
    """x + y in f64, where what does not fit makes the last bit one: a second rounding is then as good as one."""
    total = np.asarray(x + y)
    back = total - x
    error = (x - (total - back)) + (y - back)
    return to_odd(total, error)


def to_odd(near: Array, error: Array) -> Array:
    """The number nearest to a sum, and what it lacks, as the number with an odd last bit."""
    bits = np.atleast_1d(near).copy().view(np.int64)
    error = np.atleast_1d(error)
    even = (bits & 1 == 0) & (error != 0) & np.isfinite(np.atleast_1d(near))
    away = (error > 0) == (np.atleast_1d(near) > 0)
    bits[even & away] += 1
    bits[even & ~away] -= 1
    return np.asarray(bits.view(np.float64).reshape(np.shape(near)))


def narrowed(x: Array, dtype: np.dtype[Any], direction: str) -> Array:
    """Floats in a narrower type, rounded in some direction."""
    near = x.astype(dtype)
    if direction == "rn":
        return near
    wide = near.astype(x.dtype)
    if direction == "rz":
        return np.where(np.abs(wide) > np.abs(x), np.nextafter(near, dtype.type(0)), near)
    if direction == "rm":
        return np.where(wide > x, np.nextafter(near, dtype.type(-np.inf)), near)
    return np.where(wide < x, np.nextafter(near, dtype.type(np.inf)), near)


def integers_to_floats(x: Array, dtype: np.dtype[Any], direction: str) -> Array:
    """Whole numbers as floats, rounded once in some direction."""
    if dtype.itemsize >= 4:
        with rounding(direction):
            return x.astype(dtype)
    if x.dtype.itemsize < 8:
        return narrowed(x.astype(np.float64), dtype, direction)
    with rounding("rz"):
        wide = x.astype(np.float64)
    inexact = np.abs(x) > 1 << 53 if x.dtype.kind == "i" else x > np.uint64(1 << 53)
    back = wide.astype(x.dtype)
    sticky = np.where(inexact & (back != x), np.where(wide > 0, 1.0, -1.0), 0.0)
    return narrowed(to_odd(wide, sticky), dtype, direction)


def flushed(x: Array) -> Array:
    """f32 with subnormal numbers as zeros of their sign (`.ftz`)."""
    return np.where(np.abs(x) < np.finfo(np.float32).tiny, np.copysign(np.float32(0), x), x)


__all__ = [
    "DIRECTIONS",
    "add_to_odd",
    "canonical",
    "flushed",
    "fused_multiply_add",
    "integers_to_floats",
    "narrowed",
    "rounding",
]
