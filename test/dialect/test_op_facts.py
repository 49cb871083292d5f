"""The facts that every op states about itself: a class that lacks one is found by its name."""

from __future__ import annotations

import itertools

import pytest

from support.op_uses import WITHOUT_CASES, Use, uses_of
from weft.dialect.op import OPS, Case, Op, Operand
from weft.dialect.ops.indexing import DynamicSlice
from weft.dialect.types import TensorType

NAMES = [name for name in OPS if name not in WITHOUT_CASES]


def unsaid_extents(use: Use) -> list[str]:
    """What an op says wrong, or does not say, about where the extents of its results come from."""
    wrong = []
    operands = use.operands()
    computed = use.op.compute(operands, use.case.attributes)
    inferred = use.op.result_types(use.dynamic_types, use.case.attributes)
    for array, result in zip(computed, inferred, strict=True):
        assert isinstance(result, TensorType)
        for axis in (axis for axis, extent in enumerate(result.shape) if extent is None):
            try:
                source = use.op.extent_source(use.dynamic_types, use.case.attributes, axis)
            except NotImplementedError:
                return [f"{use.op.name}: extent_source"]
            if source is not None:
                operand = operands[source[0]]
                extent = operand if source[1] == -1 else operand.shape[source[1]]
                if extent != array.shape[axis]:
                    wrong.append(f"{use.op.name}: the extent of axis {axis} in {use} is not {source}")
    return wrong


@pytest.mark.parametrize("name", NAMES)
def test_extents_come_from_where_the_op_says(name: str) -> None:
    for _, uses in itertools.groupby(uses_of(OPS[name]), key=lambda use: use.case):
        assert not unsaid_extents(next(uses))


def test_extents_that_are_not_told_or_wrong_are_found() -> None:
    class Silent(Op):
        x: Operand
        cases = (Case(((3, 4),)),)

        @staticmethod
        def infer(x: TensorType) -> TensorType:
            return x

        @staticmethod
        def evaluate(x: object) -> object:
            return x

    class Wrong(DynamicSlice):
        @staticmethod
        def extent_source(*_: object) -> tuple[int, int]:
            return 0, 0

    Silent.name = Wrong.name = "planted"
    assert unsaid_extents(next(uses_of(Silent))) == ["planted: extent_source"]
    assert any("is not (0, 0)" in text for use in uses_of(Wrong) for text in unsaid_extents(use))
