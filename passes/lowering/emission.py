"""Elementwise ops on the scalars of one element, by the tables that the modules for kinds of dtypes fill.

Narrow floats are computed in float32 and rounded after each op.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...dialect.dtypes import is_half, kind
from ...dialect.errors import InternalError
from ...dialect.mlir import Value
from ...dialect.op import Op
from . import scalar_comparisons, scalar_complex, scalar_floats, scalar_integers
from .conversion import Conversion
from .scalars import (
    EMITTERS,
    FLOAT32,
    ON_ANY_WIDTH,
    DataType,
    Emitted,
    Emitter,
    ScalarBuilder,
    narrow,
    widen,
)

EMITTER_MODULES = (scalar_comparisons, scalar_complex, scalar_floats, scalar_integers)
"""Importing them fills the table of emitters."""


def emit(
    conversion: Conversion,
    op_class: type[Op],
    operand_dtypes: Sequence[DataType],
    result_dtypes: Sequence[DataType],
    *operands: Value,
) -> list[Value]:
    """Compute an elementwise op on scalars in their compute types; one value for each result.

    `emit(c, Add, (f32, f32), (f32,), x, y)` builds one `arith.addf`.
    """
    emitter = _emitter_of(op_class, operand_dtypes[0])
    builder = ScalarBuilder(conversion, operand_dtypes[0])
    if not is_half(operand_dtypes[0]) or emitter in ON_ANY_WIDTH:
        return _several(emitter(builder, *operands))
    widened = [widen(builder.of(dtype), x) for dtype, x in zip(operand_dtypes, operands, strict=True)]
    results = _several(emitter(builder.of(FLOAT32), *widened))
    return [narrow(builder.of(dtype), x) for dtype, x in zip(result_dtypes, results, strict=True)]


def _emitter_of(op_class: type[Op], dtype: DataType) -> Emitter:
    emitter = EMITTERS.get((op_class, kind(dtype)))
    if emitter is None:
        raise InternalError(f"{op_class.mlir_name()} has no lowering for {dtype}")
    return emitter


def _several(emitted: Emitted) -> list[Value]:
    return list(emitted) if isinstance(emitted, (list, tuple)) else [emitted]
