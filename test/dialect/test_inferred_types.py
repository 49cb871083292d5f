"""Result types that are remembered are those of the operands and attributes at hand."""

from __future__ import annotations

import numpy as np
import pytest

from weft.dialect.errors import WeftTypeError
from weft.dialect.mlir import ir
from weft.dialect.op import OPS
from weft.dialect.register import context, create


def test_equal_constants_of_different_dtypes() -> None:
    with context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            for dtype, name in (("float64", "f64"), ("float32", "f32"), ("int64", "i64"), ("bool", "i1")):
                for value in (np.dtype(dtype).type(1), np.ones((), dtype)):
                    made = create(OPS["constant"], [], {"value": value})
                    assert str(made.results[0].type) == f"tensor<{name}>"


def test_attributes_and_operands_count() -> None:
    with context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            one = create(OPS["constant"], [], {"value": np.ones((2, 3))}).results[0]
            other = create(OPS["constant"], [], {"value": np.ones((2, 3), np.float32)}).results[0]
            for _ in range(2):
                for value, name in ((one, "f64"), (other, "f32")):
                    for permutation, shape in (((0, 1), "2x3"), ([1, 0], "3x2")):
                        made = create(OPS["transpose"], [value], {"permutation": permutation})
                        assert str(made.results[0].type) == f"tensor<{shape}x{name}>"
                with pytest.raises(WeftTypeError, match="has no loop"):
                    create(OPS["add"], [one, other], {})
