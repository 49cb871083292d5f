"""Passes of the lowering to LLVM that find nothing to do are left out, and the others make the same code."""

from __future__ import annotations

import pytest

from weft.backend.cpu.lowering.inlining import CallGraph
from weft.backend.cpu.lowering.to_llvm import lower_to_llvm, lowering_passes
from weft.backend.cpu.lowering.translation import translate
from weft.dialect.mlir import ir
from weft.dialect.register import context

PLAIN = {"arith.addi", "func.func", "memref.load", "memref.view", "scf.for", "vector.load", "math.fma"}
OPTIONAL = {
    "linalg.generic": "convert-linalg-to-loops",
    "vector.transfer_read": "convert-vector-to-scf",
    "memref.subview": "expand-strided-metadata,lower-affine",
    "memref.collapse_shape": "expand-strided-metadata,lower-affine",
    "complex.mul": "convert-complex-to-llvm",
    "arith.truncf": "arith-expand",
    "arith.floordivsi": "arith-expand",
    "math.erf": "convert-math-to-libm",
}


@pytest.mark.parametrize(("name", "needed"), OPTIONAL.items(), ids=OPTIONAL)
def test_passes_for_some_ops(name: str, needed: str) -> None:
    assert needed in ",".join(lowering_passes({*PLAIN, name}))
    assert needed not in ",".join(lowering_passes(PLAIN))
    assert needed in ",".join(lowering_passes())


def test_vector_passes() -> None:
    assert "convert-vector-to-llvm" in lowering_passes(PLAIN)[1]
    assert "convert-vector-to-llvm" not in lowering_passes({"func.func", "arith.addi"})[1]


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
        lower_to_llvm(module, True, CallGraph.of(module).names)
        assert "define void @f" in translate(module)
