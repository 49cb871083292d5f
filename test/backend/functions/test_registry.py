"""An elementary function that nothing expands is named where it would have been expanded."""

from __future__ import annotations

from collections import Counter

import pytest

from weft import InternalError
from weft.backend.functions.math_expansion import ExpandMath
from weft.dialect.mlir import dialect, ir
from weft.dialect.register import context


@pytest.mark.parametrize("bits", [16, 32])
def test_a_function_that_nobody_has_written(bits: int) -> None:
    with context(), ir.Location.unknown():
        module, type = ir.Module.create(), ir.Type.parse(f"f{bits}")
        with ir.InsertionPoint(module.body):
            function = dialect("func").FuncOp("f", ([type], [type]))
            block = function.add_entry_block()
        with ir.InsertionPoint(block):
            op = ir.Operation.create("math.softplus", [type], list(block.arguments))
            dialect("func").ReturnOp([op.results[0]])
        with pytest.raises(
            InternalError, match=r"^softplus lacks @expands\('softplus'\): a function in backend/"
        ):
            ExpandMath().run(module, Counter())
