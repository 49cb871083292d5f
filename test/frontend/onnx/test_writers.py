"""Every op that is written in ONNX, in its cases and dtypes, run by ONNX's reference."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from support.op_uses import WITHOUT_CASES, Use, is_close, uses_of
from support.programs import NAME, build
from weft.dialect.mlir import ir
from weft.dialect.op import OPS
from weft.dialect.register import context
from weft.frontend.onnx.writing.model import USUAL_OPSET, WRITERS, Writing

NAMES = [name for name in WRITERS if name not in WITHOUT_CASES]


def chosen(name: str) -> Iterator[Use]:
    """Each case with float32, and each combination of dtypes in one case, which is another for the next one."""
    uses = list(uses_of(OPS[name]))
    cases = len(uses[0].op.cases)
    for number, use in enumerate(uses):
        turn = (number - number // cases) % cases == 0
        if turn or np.dtype(np.float32) in use.dtypes or "dtype" in use.case.attributes:
            yield use


@pytest.mark.parametrize("name", NAMES)
def test_ops(name: str) -> None:
    tried = 0
    for use in chosen(name):
        module = build(use.types, lambda b, *operands, use=use: b(name, *operands, **use.case.attributes))
        names = [f"x{place}" for place in range(len(use.types))]
        with context(), ir.Location.unknown():
            writing = Writing(module, True, USUAL_OPSET)
            model = writing.of(
                NAME, names, {}, lambda outputs, _: {f"y{i}": y for i, y in enumerate(outputs)}
            )
        if writing.refused:
            print(use, writing.refused)
            continue
        onnx.checker.check_model(model, full_check=True)
        tried += 1
        operands = use.operands()
        wanted = use.op.compute(operands, use.case.attributes)
        with np.errstate(all="ignore"):
            found = ReferenceEvaluator(model).run(None, dict(zip(names, operands, strict=True)))
        for got, expected in zip(found, wanted, strict=True):
            assert (got.dtype, got.shape) == (expected.dtype, expected.shape), str(use)
            assert is_close(use.op, got, expected), f"{use} of {operands} gives\n{got}\nand not\n{expected}"
    assert tried
