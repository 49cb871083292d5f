"""Arithmetic on the scalars of one element, exact to NumPy, inside the body of a `linalg.generic`.

What an elementwise op builds is in tables, one module for each kind of dtype (`scalar_integers.py`, `scalar_floats.py`,
`scalar_complex.py`); the functions there build ops through a `ScalarBuilder`, which knows the dtype. `emission.py`
looks them up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from ...dialect.dtypes import is_bfloat16, is_half, kind
from ...dialect.mlir import Attribute, Type, Value, ir
from ...dialect.op import Op
from ...dialect.records import dataclass
from .conversion import Conversion, scalar_type
from .library import call

DataType: TypeAlias = "np.dtype[Any]"

BOOL: DataType = np.dtype(np.bool_)
FLOAT32: DataType = np.dtype(np.float32)
FLOAT64: DataType = np.dtype(np.float64)

_FLOAT_PREDICATES = {"eq": 1, "gt": 2, "ge": 3, "lt": 4, "le": 5, "ne": 13}
"""arith.cmpf: ordered, but `ne`, so that a NaN differs from everything and is otherwise unrelated."""
_SIGNED_PREDICATES = {"eq": 0, "ne": 1, "lt": 2, "le": 3, "gt": 4, "ge": 5}
_UNSIGNED_PREDICATES = {"eq": 0, "ne": 1, "lt": 6, "le": 7, "gt": 8, "ge": 9}


@cache
def _predicate(number: int) -> Attribute:
    return ir.IntegerAttr.get(ir.IntegerType.get_signless(64), number)


@dataclass(frozen=True)
class ScalarBuilder:
    """Builds ops on scalars of a dtype, at the current insertion point."""

    conversion: Conversion
    dtype: DataType

    @property
    def kind(self) -> str:
        """NumPy's kind letter of the dtype."""
        return kind(self.dtype)

    @property
    def width(self) -> int:
        """The number of bits of the compute type: 1 for bool."""
        return 1 if self.kind == "b" else self.dtype.itemsize * 8

    @property
    def type(self) -> Type:
        """The compute type."""
        return scalar_type(self.dtype)

    def of(self, dtype: DataType) -> ScalarBuilder:
        """A builder for another dtype."""
        return ScalarBuilder(self.conversion, dtype)

    def bits(self) -> ScalarBuilder:
        """A builder for the signed integer of the same width."""
        return self.of(np.dtype(f"int{self.width}"))

    def constant(self, value: complex) -> Value:
        """A constant of the dtype."""
        return self.conversion.constant(value, self.dtype)

    def op(self, name: str, *operands: Value, result: Type | None = None) -> Value:
        """Build an op by name; its result has the type of the first operand unless given."""
        return self.conversion.operation(name, operands, [operands[0].type if result is None else result])

    def compare(self, relation: str, x: Value, y: Value) -> Value:
        """Compare real numbers: `eq`, `ne`, `lt`, `le`, `gt` or `ge`."""
        if self.kind == "f":
            name, number = "arith.cmpf", _FLOAT_PREDICATES[relation]
        else:
            table = _SIGNED_PREDICATES if self.kind == "i" else _UNSIGNED_PREDICATES
            name, number = "arith.cmpi", table[relation]
        return self.conversion.operation(name, [x, y], [scalar_type(BOOL)], {"predicate": _predicate(number)})

    def select(self, condition: Value, x: Value, y: Value) -> Value:
        """One of two scalars by an i1."""
        return self.op("arith.select", condition, x, y, result=x.type)

    def both(self, x: Value, y: Value) -> Value:
        """And of bits."""
        return self.op("arith.andi", x, y)

    def either(self, x: Value, y: Value) -> Value:
        """Or of bits."""
        return self.op("arith.ori", x, y)

    def differ(self, x: Value, y: Value) -> Value:
        """Exclusive or of bits."""
        return self.op("arith.xori", x, y)

    def complement(self, condition: Value) -> Value:
        """The negation of an i1."""
        return self.differ(condition, self.of(BOOL).constant(True))

    def bitcast(self, x: Value, dtype: DataType) -> Value:
        """The same bits in the compute type of another dtype."""
        return x if x.type == scalar_type(dtype) else self.op("arith.bitcast", x, result=scalar_type(dtype))

    def call(self, function: str, *arguments: Value) -> list[Value]:
        """Call a function of the C library by its name (`library.py` lists them)."""
        return call(self.conversion, function, arguments)

    def loop(
        self,
        initial: Sequence[Value],
        condition: Callable[..., Value],
        body: Callable[..., Sequence[Value]],
    ) -> list[Value]:
        """While the condition of the carried scalars holds, replace them by what the body makes of them."""
        types = [value.type for value in initial]
        op = ir.Operation.create("scf.while", results=types, operands=list(initial), regions=2)
        before = op.regions[0].blocks.append(*types)
        with ir.InsertionPoint(before):
            holds = condition(*before.arguments)
            ir.Operation.create("scf.condition", operands=[holds, *before.arguments])
        after = op.regions[1].blocks.append(*types)
        with ir.InsertionPoint(after):
            ir.Operation.create("scf.yield", operands=list(body(*after.arguments)))
        return list(op.results)


Emitted: TypeAlias = "Value | Sequence[Value]"
Emitter: TypeAlias = Callable[..., Emitted]
"""Builds an op on scalars: takes a builder for the dtype of the first operand, and the scalars."""

EMITTERS: dict[tuple[type[Op], str], Emitter] = {}
ON_ANY_WIDTH: set[Emitter] = set()
"""Emitters that take narrow floats as they are."""


def emits(op_class: type[Op], kinds: str, *, any_width: bool = False) -> Callable[[Emitter], Emitter]:
    """Register how an elementwise op is computed for kinds of dtypes.

    Narrow floats are widened to float32 unless the emitter says that it takes `any_width`.
    """

    def register(emitter: Emitter) -> Emitter:
        for letter in kinds:
            EMITTERS[op_class, letter] = emitter
        if any_width:
            ON_ANY_WIDTH.add(emitter)
        return emitter

    return register


def widen(b: ScalarBuilder, x: Value) -> Value:
    """A scalar of a narrow float dtype as float32; others stay."""
    if is_bfloat16(b.dtype):
        bits = b.of(np.dtype(np.uint32))
        extended = b.op("arith.extui", b.op("arith.bitcast", x, result=b.bits().type), result=bits.type)
        return b.bitcast(b.op("arith.shli", extended, bits.constant(16)), FLOAT32)
    if is_half(b.dtype):
        return b.op("arith.extf", x, result=scalar_type(FLOAT32))
    return x


def narrow(b: ScalarBuilder, x: Value) -> Value:
    """A float32 rounded to a narrow float dtype (that of the builder); for other dtypes, the scalar itself.

    bfloat16 is rounded on its bits: the instruction for it flushes denormals, and a library function is slow.
    """
    if is_bfloat16(b.dtype):
        u = b.of(np.dtype(np.uint32))
        bits = b.bitcast(x, u.dtype)
        upper = b.op("arith.shrui", bits, u.constant(16))
        half = b.op("arith.addi", b.both(upper, u.constant(1)), u.constant(0x7FFF))
        rounded = b.op("arith.shrui", b.op("arith.addi", bits, half), u.constant(16))
        is_nan = b.of(FLOAT32).compare("ne", x, x)
        kept = b.select(is_nan, u.constant(0x7FC0), rounded)
        return b.op("arith.bitcast", b.op("arith.trunci", kept, result=b.bits().type), result=b.type)
    if is_half(b.dtype):
        return b.op("arith.truncf", x, result=b.type)
    return x
