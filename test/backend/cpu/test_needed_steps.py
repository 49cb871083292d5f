"""Passes of the lowering to LLVM that find nothing to do are left out, and the others make the same code."""

from __future__ import annotations

import pytest

from weft.backend.cpu.pipeline import ALL_PASSES, needed_steps, steps_of
from weft.backend.llvm_compatibility.translation import translate
from weft.dialect.mlir import ir
from weft.dialect.register import context
from weft.passes.pipeline import run_pipeline

PLAIN = """
func.func @f(%m: memref<?x4xf32>, %v: memref<4xf32>, %x: f64, %i: index, %c: complex<f32>, %p: f32) {{
  %j = arith.addi %i, %i : index
  %y = memref.load %v[%j] : memref<4xf32>
  %z = math.fma %x, %x, %x : f64
  {}
  return
}}
"""
OPTIONAL = {
    "linalg.fill ins(%p : f32) outs(%v : memref<4xf32>)": "convert-linalg-to-loops",
    "%r = vector.transfer_read %v[%i], %p : memref<4xf32>, vector<4xf32>": "convert-vector-to-scf",
    "%r = memref.subview %v[%i] [2] [1] : memref<4xf32> to memref<2xf32, strided<[1], offset: ?>>": (
        "expand-strided-metadata,lower-affine"
    ),
    "%r = memref.collapse_shape %m [[0, 1]] : memref<?x4xf32> into memref<?xf32>": "lower-affine",
    "%r = complex.mul %c, %c : complex<f32>": "convert-complex-to-llvm",
    "%r = arith.truncf %x : f64 to f32": "arith-expand",
    "%r = arith.floordivsi %i, %i : index": "arith-expand",
    "%r = math.erf %x : f64": "convert-math-to-libm",
    "%r = vector.load %v[%i] : memref<4xf32>, vector<4xf32>": "convert-vector-to-llvm",
}


def names_of(text: str) -> str:
    """The steps for a module."""
    return ",".join(step.name for step in needed_steps(ir.Module.parse(text)))


@pytest.mark.parametrize(("op", "needed"), OPTIONAL.items(), ids=OPTIONAL.values())
def test_passes_for_some_ops(op: str, needed: str) -> None:
    with context(), ir.Location.unknown():
        assert needed in names_of(PLAIN.format(op))
        assert needed not in names_of(PLAIN.format(""))
        assert needed in ",".join(step.name for step in steps_of("loops-to-llvm"))


BODIES = {
    "views": "%v = memref.subview %m[%i] [4] [1] : memref<?xbf16> to memref<4xbf16, strided<[1], offset: ?>>\n"
    "%x = memref.load %v[%i] : memref<4xbf16, strided<[1], offset: ?>>\nmemref.store %x, %m[%i] : memref<?xbf16>",
    "bfloat16": "%x = memref.load %m[%i] : memref<?xbf16>\n%y = arith.extf %x : bf16 to f32\n"
    "%z = math.sqrt %y : f32\n%t = arith.truncf %z : f32 to bf16\nmemref.store %t, %m[%i] : memref<?xbf16>",
    "division": "%j = arith.floordivsi %i, %i : index\n%x = memref.load %m[%j] : memref<?xbf16>\n"
    "memref.store %x, %m[%i] : memref<?xbf16>",
    "complex": "%x = memref.load %m[%i] : memref<?xbf16>\n%c = complex.create %x, %x : complex<bf16>\n"
    "%d = complex.add %c, %c : complex<bf16>\n%y = complex.re %d : complex<bf16>\n"
    "memref.store %y, %m[%i] : memref<?xbf16>",
    "a library function": "%x = memref.load %m[%i] : memref<?xbf16>\n%y = arith.extf %x : bf16 to f32\n"
    "%z = math.erf %y : f32\n%t = arith.truncf %z : f32 to bf16\nmemref.store %t, %m[%i] : memref<?xbf16>",
    "linalg": "%c = arith.constant 1.0 : bf16\nlinalg.fill ins(%c : bf16) outs(%m : memref<?xbf16>)",
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_the_passes_that_names_ask_for_are_enough(body: str) -> None:
    text = f"func.func @f(%m: memref<?xbf16>, %i: index) {{\n{body}\nreturn\n}}"
    with context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        run_pipeline(module, needed_steps(module), passes=ALL_PASSES, verify=True)
        assert "define void @f" in translate(module)
