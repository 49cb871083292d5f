"""Contractions for machines of all kinds: vectors as wide as theirs, with what instructions they have."""

from __future__ import annotations

import re

import numpy as np
import pytest

import weft
from support.interpreted import text_of

pytestmark = pytest.mark.slow

PRODUCTS = {
    ("x86-64-v2", "float32"): ("mulps", "xmm"),
    ("x86-64-v3", "float32"): ("vfmadd231ps", "ymm"),
    ("x86-64-v4", "float32"): ("vfmadd231ps", "zmm"),
    ("aarch64", "float32"): ("fmla", r"v\d+\.4s"),
    ("x86-64-v2", "complex128"): ("mulpd", "xmm"),
    ("x86-64-v3", "float16"): ("vfmadd231ps", "ymm"),
    ("x86-64-v3", "int8"): ("vpmullw", "ymm"),
    ("aarch64", "int8"): ("mla", r"v\d+\.8h"),
    ("x86-64-v4", "int16"): ("vpmullw", "zmm"),
}
"""The instruction that multiplies, and the registers it works on."""

LANE_BY_LANE = r"\bcallq?\s+.*\bfmaf?\b|\btestb\s|\btbn?z\s"
"""A function called for every product, or a branch for every lane of a mask."""


@pytest.mark.parametrize(("target", "dtype"), PRODUCTS)
@pytest.mark.parametrize("shape", [(64, 64, 64), (100, 101, 102), (60, 128, 10), (30, 500, 3)])
@pytest.mark.sampled
def test_products_are_vectors(target: str, dtype: str, shape: tuple[int, int, int]) -> None:
    m, k, n = shape
    specs = [weft.TensorSpec(shape, dtype) for shape in ((m, k), (k, n))]
    code = text_of(np.matmul, *specs, stage="asm", target=target)
    instruction, registers = PRODUCTS[target, dtype]
    if n < 64:
        registers = ""  # narrower ones may fit a few columns better
    assert re.search(rf"\b{instruction}\s.*{registers}", code)
    assert not re.search(LANE_BY_LANE, code)
