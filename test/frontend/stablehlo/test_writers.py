"""Every op that is written in StableHLO, in its cases and dtypes, run by StableHLO's interpreter and read back."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from support.op_uses import WITHOUT_CASES, is_close, representative_uses
from support.programs import NAME, build
from support.stablehlo import evaluated, interpreted
from weft.dialect.mlir import ir
from weft.dialect.op import OPS
from weft.dialect.register import context
from weft.frontend.stablehlo.writers.table import WRITERS
from weft.frontend.stablehlo.writing import Writing

NAMES = [name for name in WRITERS if name not in WITHOUT_CASES]

NOT_EVALUATED = {"cholesky", "fft", "rfft", "irfft"}
"""What StableHLO's interpreter ends the process at; empty tensors are others."""


def test_the_table_is_of_ops() -> None:
    assert set(WRITERS) <= set(OPS)
    assert len(NAMES) > 140


@pytest.mark.parametrize("name", NAMES)
def test_ops(name: str) -> None:
    tried = 0
    for use in representative_uses(OPS[name]):
        module = build(use.types, lambda b, *operands, use=use: b(name, *operands, **use.case.attributes))
        with context(), ir.Location.unknown():
            writing = Writing(module, True)
            made = writing.of(NAME, {}, lambda outputs, arguments: outputs)
            if writing.refused:
                assert (
                    "complex" in str(use) or "c64" in str(use) or "c128" in str(use) or name in SOME_REFUSED
                )
                continue
            assert made.operation.verify()
        tried += 1
        operands = use.operands()
        wanted = use.op.compute(operands, use.case.attributes)
        is_empty = any(array.size == 0 for array in (*operands, *wanted))
        can_evaluate = name not in NOT_EVALUATED and not is_empty
        found = evaluated(made, operands) if can_evaluate else interpreted(str(made), operands)
        for got, expected in zip(found, wanted, strict=True):
            assert (got.dtype, got.shape) == (expected.dtype, expected.shape), str(use)
            near = name in APPROXIMATE and np.allclose(got, expected, rtol=precision(got), atol=0)
            assert near or is_close(use.op, got, expected), (
                f"{use} of {operands} gives\n{got}\nand not\n{expected}"
            )
    assert tried or name in SOME_REFUSED


APPROXIMATE = {"erf", "erfc", "ndtr"}
"""What StableHLO has no op for, and what is written instead is some units off."""


def precision(array: Any) -> float:
    """Some units in the last place."""
    return 64 * float(ml_dtypes.finfo(array.dtype).eps)


SOME_REFUSED = {"dynamic_slice_update", "reciprocal"}
"""Updates of parts of unknown sizes, and reciprocals of integers, have no form."""
