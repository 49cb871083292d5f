"""Checks in a row that ask for more than the last of them: they are asked where that one fails.

`int(x)` refuses NaN, infinity and what 64 bits do not hold, each in other words; all of them are no integers:

    raise_if(outside and x != x); raise_if(outside and |x| == inf); raise_if(outside)

becomes a branch on `outside` with the three checks in it, so that a number that fits is compared with two others.
"""

from __future__ import annotations

from ...dialect.mlir import Operation, Value, dialect, ir
from ...dialect.ops.state import RaiseIf
from ...passes.rewriting import blocks_of, constant_integer, operations_in


def nest_checks(function: Operation) -> int:
    """Put checks into branches on what all of them ask, in all blocks of a function; returns how many branches."""
    count = 0
    for block in blocks_of(function):
        row: list[Operation] = []
        for op in operations_in(block):
            if op.name == RaiseIf.mlir_name():
                row.append(op)
                continue
            count += _nest(row)
            row = []
            count += nest_checks(op) if op.regions else 0
    return count


def _nest(row: list[Operation]) -> int:
    """Put the checks of a row that the last one follows from into a branch; those in front of them likewise."""
    count = 0
    while row:
        outer = _condition(row[-1].operands[0])
        first = len(row) - 1
        while outer is not None and first > 0 and _asks_more(row[first - 1], outer):
            first -= 1
        if first < len(row) - 1 and outer is not None:
            _put_into_branch(row[first:], outer)
            count += 1
        del row[first:]
    return count


def _put_into_branch(checks: list[Operation], outer: Value) -> None:
    scf, last = dialect("scf"), checks[-1]
    with ir.InsertionPoint(last), last.location:
        branch = scf.IfOp(outer)
        with ir.InsertionPoint(branch.then_block):
            kind = last.operands[0].type
            true = dialect("arith").constant(kind.element_type, 1)
            last.operands[0] = dialect("tensor").from_elements(kind, [true])
            end = scf.YieldOp([])
    for check in checks:
        check.move_before(end.operation)


def _asks_more(check: Operation, outer: Value) -> bool:
    """Whether a check can only fail where a condition holds."""
    made = _maker(_condition(check.operands[0]))
    return made is not None and made.name == "arith.andi" and outer in map(_condition, made.operands)


def _condition(value: Value) -> Value | None:
    """The bit that a bit is another form of: a tensor of one byte, or a byte that is not 0."""
    while (made := _maker(value)) is not None:
        if made.name in ("tensor.from_elements", "arith.extui") or (
            made.name == "arith.cmpi" and _is_not_zero(made)
        ):
            value = made.operands[0]
        else:
            break
    return value if value.type == ir.IntegerType.get_signless(1) else None


def _is_not_zero(made: Operation) -> bool:
    ne = int(dialect("arith").CmpIPredicate.ne)
    return (
        ir.IntegerAttr(made.attributes["predicate"]).value == ne and constant_integer(made.operands[1]) == 0
    )


def _maker(value: Value | None) -> Operation | None:
    return None if value is None or isinstance(value.owner, ir.Block) else value.owner.operation
