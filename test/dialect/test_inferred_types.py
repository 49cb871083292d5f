"""Result types and attributes that are remembered are those of what is at hand."""

from __future__ import annotations

import numpy as np
import pytest

from weft.dialect.attributes import attribute_from_mlir, attribute_to_mlir
from weft.dialect.errors import WeftTypeError, WeftValueError
from weft.dialect.mlir import ir
from weft.dialect.op import OPS, FieldKind
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


def test_remembered_attributes() -> None:
    with context(), ir.Location.unknown():
        for _ in range(2):
            assert str(attribute_to_mlir(FieldKind.FLOAT, 0.0)) != str(
                attribute_to_mlir(FieldKind.FLOAT, -0.0)
            )
            one, yes = attribute_to_mlir(FieldKind.INT, 1), attribute_to_mlir(FieldKind.BOOL, 1)
            assert (str(one), str(yes)) == ("1 : i64", "true")
            for places in ((1, 2), [1, 2], np.array([1, 2]), range(1, 3)):
                made = attribute_to_mlir(FieldKind.INTS, places)
                assert attribute_from_mlir(FieldKind.INTS, made) == (1, 2)
            with pytest.raises(WeftValueError, match="expected integers"):
                attribute_from_mlir(FieldKind.INTS, one)
            assert attribute_from_mlir(FieldKind.INT, one) == 1
