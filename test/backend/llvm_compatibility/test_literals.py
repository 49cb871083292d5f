"""Floating literals survive the way from MLIR's LLVM to llvmlite's bit by bit."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from support.linalg_programs import compile_text
from weft.backend.llvm_compatibility.literals import rewrite_literals
from weft.dialect.errors import InternalError

BITS = {
    "f16": (np.float16, np.uint16, [0, 1, 0x8000, 0x3C00, 0x2E66, 0x7BFF, 0x7C00, 0xFC00, 0x7E00, 0x0400]),
    "bf16": (ml_dtypes.bfloat16, np.uint16, [0, 1, 0x8000, 0x3F80, 0x3DCD, 0x7F7F, 0x7F80, 0xFF80, 0x7FC0]),
    "f32": (
        np.float32,
        np.uint32,
        [0, 1, 0x80000000, 0x3DCCCCCD, 0x7F7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000],
    ),
    "f64": (
        np.float64,
        np.uint64,
        [0, 1, 1 << 63, 0x3FB999999999999A, 0x7FF0000000000000, 0x7FF8000000000000],
    ),
}


@pytest.mark.parametrize("element", BITS)
def test_constants_keep_their_bits(element):
    dtype, unsigned, bits = BITS[element]
    text = ", ".join(hex(value) for value in bits)
    tensor = f"tensor<{len(bits)}x{element}>"
    executable = compile_text(
        f"func.func @f() -> {tensor} {{\n%c = arith.constant dense<[{text}]> : {tensor}\nreturn %c : {tensor}\n}}",
        result_dtypes=[dtype],
    )
    np.testing.assert_array_equal(executable()[0].view(unsigned), np.array(bits, unsigned))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ret float 1.000000e-01", "ret float 0x3FB99999A0000000"),
        ("ret double 1.000000e-01", "ret double 0x3FB999999999999A"),
        ("ret half 1.000000e-01", "ret half 0xH2E66"),
        ("ret bfloat 1.000000e-01", "ret bfloat 0xR3DCD"),
        ("ret float f0x7FC00001", "ret float 0x7FF8000020000000"),
        ("ret float +inf", "ret float 0x7FF0000000000000"),
        ("ret double -inf", "ret double 0xFFF0000000000000"),
        ("ret float +qnan", "ret float 0x7FF8000000000000"),
        ("ret half -nan(0x1)", "ret half 0xHFE01"),
        ("ret float +snan(0x1)", "ret float 0x7FF0000020000000"),
        ("<2 x float> <float 1.500000e+00, float -2.500000e-01>",)
        + ("<2 x float> <float 0x3FF8000000000000, float 0xBFD0000000000000>",),
        ('section "float 1.0e+00"', 'section "float 1.0e+00"'),
        ("%x1.0e+5 = add i32 1, 2", "%x1.0e+5 = add i32 1, 2"),
    ],
)
def test_rewriting(text, expected):
    assert rewrite_literals(text) == expected


def test_a_literal_needs_a_type():
    with pytest.raises(InternalError, match=r"a floating literal of no known type: ret 1\.0e-01"):
        rewrite_literals("  ret float 1.0e-01\n  ret 1.0e-01")
