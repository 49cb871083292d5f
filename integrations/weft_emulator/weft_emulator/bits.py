"""Instructions of PTX on bits, comparisons and moves, over the threads of a frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .arithmetic import Maker, computed, operands_of, plain
from .faults import PTXError
from .frames import FORMATS, Frame
from .memory import LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW, Array
from .operands import Operands, Step, expect, type_of, types_of
from .ptx import Instruction, split


def _logical(ufunc: Any, on_predicates: Any, count: int = 2) -> Maker:
    def make(i: Instruction, o: Operands) -> Step:
        kind, d, sources = operands_of(i, o, count)
        return plain(on_predicates if kind == "pred" else ufunc, d, *sources)

    return make


def _cnot(i: Instruction, o: Operands) -> Step:
    _, d, sources = operands_of(i, o, 1)
    return plain(np.logical_not, d, *sources)


# Shifts


def _shift(left: bool) -> Maker:
    def make(i: Instruction, o: Operands) -> Step:
        expect(i, 3)
        kind = type_of(i)
        form = FORMATS[kind]
        a, d = o.read(i.operands[1], kind), o.write(i.operands[0], kind)
        if not o.is_register(i.operands[2]) and 0 <= (by := o.integer(i.operands[2])) < form.bits:
            fixed = o.layout.constant(form, np.array(by, form.dtype))
            return plain(np.left_shift if left else np.right_shift, d, a, fixed)
        amount = o.read(i.operands[2], "u32")
        ufunc = np.left_shift if left else np.right_shift
        signed = form.kind == "s" and not left

        def run(frame: Frame) -> None:
            v = frame.values
            x, by = v[a], v[amount]
            large = by >= form.bits
            if signed or not large.any():
                ufunc(x, np.minimum(by, form.bits - 1).astype(form.dtype), out=v[d])
            else:
                v[d][...] = np.where(
                    large, form.dtype.type(0), ufunc(x, np.where(large, 0, by).astype(form.dtype))
                )

        return run

    return make


def _funnel(i: Instruction, o: Operands) -> Step:
    expect(i, 4)
    low, high, amount = (o.read(operand, "u32") for operand in i.operands[1:])
    d = o.write(i.operands[0], "b32")
    left, wraps = "l" in i.modifiers, "wrap" in i.modifiers

    def run(frame: Frame) -> None:
        v = frame.values
        by = v[amount] & np.uint32(31) if wraps else np.minimum(v[amount], np.uint32(32))
        both = v[high].astype(np.uint64) << np.uint64(32) | v[low]
        moved = (both << by.astype(np.uint64)) >> np.uint64(32) if left else both >> by.astype(np.uint64)
        np.copyto(v[d], moved, casting="unsafe")

    return run


# Bit fields


def _bfe(i: Instruction, o: Operands) -> Step:
    expect(i, 4)
    kind = type_of(i)
    form = FORMATS[kind]
    a, d = o.read(i.operands[1], kind), o.write(i.operands[0], kind)
    start, length = (o.read(operand, "u32") for operand in i.operands[2:])

    def run(frame: Frame) -> None:
        v = frame.values
        x = v[a]
        position, size = (v[s].astype(np.int64) & 0xFF for s in (start, length))
        size = np.minimum(size, form.bits)
        if form.kind == "s":  # what lies above the number is its sign
            position = np.minimum(position, form.bits - 1)
            shifted = x >> position.astype(form.dtype)
            up = np.where(size == 0, 0, form.bits - size).astype(form.dtype)
            result = np.where(size == 0, form.dtype.type(0), (shifted << up) >> up)
        else:
            inside = position < form.bits
            shifted = np.where(
                inside, x >> np.where(inside, position, 0).astype(form.dtype), form.dtype.type(0)
            )
            result = shifted & _mask(size, form.bits)
        v[d][...] = result

    return run


def _mask(size: Array, bits: int) -> Any:
    """So many low bits set."""
    dtype = np.dtype(f"u{bits // 8}").type
    full = dtype((1 << bits) - 1)
    return np.where(
        size >= bits, full, (dtype(1) << np.where(size >= bits, 0, size).astype(dtype)) - dtype(1)
    )


def _bfi(i: Instruction, o: Operands) -> Step:
    expect(i, 5)
    kind = type_of(i)
    bits = FORMATS[kind].bits
    a, b = (o.read(operand, kind) for operand in i.operands[1:3])
    start, length = (o.read(operand, "u32") for operand in i.operands[3:])
    d = o.write(i.operands[0], kind)

    def run(frame: Frame) -> None:
        v = frame.values
        position, size = (v[s].astype(np.int64) & 0xFF for s in (start, length))
        inside = position < bits
        place = np.where(inside, position, 0).astype(v[a].dtype)
        mask = np.where(inside, _mask(np.minimum(size, bits), bits) << place, v[a].dtype.type(0))
        v[d][...] = (v[b] & ~mask) | ((v[a] << place) & mask)

    return run


def _prmt(i: Instruction, o: Operands) -> Step:
    expect(i, 4)
    if len(i.modifiers) != 1:
        raise PTXError(f"{i.opcode}.{'.'.join(i.modifiers)} is not known")
    a, b, chosen = (o.read(operand, "u32") for operand in i.operands[1:])
    d = o.write(i.operands[0], "b32")

    def run(frame: Frame) -> None:
        v = frame.values
        both = v[b].astype(np.uint64) << np.uint64(32) | v[a]
        result: Any = np.uint32(0)
        for byte in range(4):
            selector = (v[chosen] >> np.uint32(4 * byte)) & np.uint32(15)
            place = (selector & np.uint32(7)).astype(np.uint64) * np.uint64(8)
            value = (both >> place).astype(np.uint32) & np.uint32(255)
            sign = np.where(value & np.uint32(128), np.uint32(255), np.uint32(0))
            value = np.where(selector & np.uint32(8), sign, value)
            result = result | value << np.uint32(8 * byte)
        v[d][...] = result

    return run


def _lop3(i: Instruction, o: Operands) -> Step:
    expect(i, 5)
    a, b, c = (o.read(operand, "u32") for operand in i.operands[1:4])
    d, table = o.write(i.operands[0], "b32"), o.integer(i.operands[4])

    def run(frame: Frame) -> None:
        v = frame.values
        result: Any = np.uint32(0)
        for row in range(8):
            if table >> row & 1:
                x, y, z = (v[s] if row >> bit & 1 else ~v[s] for s, bit in ((a, 2), (b, 1), (c, 0)))
                result = result | (x & y & z)
        v[d][...] = result

    return run


def _reversed_bits(x: Array) -> Any:
    bits = x.dtype.itemsize * 8
    masks = {1: 0x5555555555555555, 2: 0x3333333333333333, 4: 0x0F0F0F0F0F0F0F0F}
    kind = x.dtype.type
    for by, mask in masks.items():
        m, s = kind(mask & ((1 << bits) - 1)), kind(by)
        x = ((x >> s) & m) | ((x & m) << s)
    return np.asarray(x).byteswap()


def _leading_zeros(x: Array) -> Any:
    """How many bits above the highest set one are zero."""
    bits = x.dtype.itemsize * 8
    shift = 1
    while shift < bits:
        x = x | x >> x.dtype.type(shift)
        shift *= 2
    return bits - np.bitwise_count(x).astype(np.int64)


def _bfind(x: Array, shift_amount: bool) -> Array:
    bits = x.dtype.itemsize * 8
    if x.dtype.kind == "i":
        x = np.where(x < 0, ~x, x)
    zeros = _leading_zeros(x.view(f"u{bits // 8}"))
    found = zeros if shift_amount else bits - 1 - zeros
    return np.where(zeros == bits, 0xFFFFFFFF, found).astype(np.uint32)


def _counting(f: Callable[[Array], Any], result: str = "") -> Maker:
    def make(i: Instruction, o: Operands) -> Step:
        expect(i, 2)
        kind = type_of(i)
        kind = f"u{FORMATS[kind].bits}" if kind[0] == "b" else kind
        a, d = o.read(i.operands[1], kind), o.write(i.operands[0], result or kind)
        function = (lambda x: _bfind(x, "shiftamt" in i.modifiers)) if i.opcode == "bfind" else f
        return computed(function, d, a)

    return make


# Comparisons

_RELATIONS: dict[str, Callable[[Array, Array], Any]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lo": np.less,
    "ls": np.less_equal,
    "hi": np.greater,
    "hs": np.greater_equal,
}


def _unordered(a: Array, b: Array) -> Any:
    return np.isnan(a) | np.isnan(b)


_FLOAT_RELATIONS = {name: _RELATIONS[name] for name in ("eq", "lt", "le", "gt", "ge")} | {
    "ne": lambda a, b: (a < b) | (a > b),
    "neu": np.not_equal,
    "equ": lambda a, b: (a == b) | _unordered(a, b),
    "ltu": lambda a, b: ~(a >= b),
    "leu": lambda a, b: ~(a > b),
    "gtu": lambda a, b: ~(a <= b),
    "geu": lambda a, b: ~(a < b),
    "num": lambda a, b: ~_unordered(a, b),
    "nan": _unordered,
}
_JOINS = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}


def _relation(i: Instruction, kind: str) -> Callable[[Array, Array], Any]:
    table: dict[str, Callable[[Array, Array], Any]] = (
        _FLOAT_RELATIONS if FORMATS[kind].kind == "f" else _RELATIONS
    )
    name = i.modifiers[0]
    if name not in table:
        raise PTXError(f"the comparison {name} of {kind} is not known")
    return table[name]


def _setp(i: Instruction, o: Operands) -> Step:
    expect(i, 3, 4)
    kind = type_of(i)
    relation = _relation(i, kind)
    a, b = (o.read(operand, kind) for operand in i.operands[1:3])
    first, _, second = i.operands[0].partition("|")
    join = _JOINS[i.modifiers[1]] if len(i.operands) == 4 else None
    c, negated = o.negated(i.operands[3]) if join else (-1, False)
    d = o.write(first, "pred")
    if join is None and not second and isinstance(relation, np.ufunc):
        return plain(relation, d, a, b)
    other = o.write(second, "pred") if second else -1

    def run(frame: Frame) -> None:
        v = frame.values
        result = np.asarray(relation(v[a], v[b]))
        opposite = ~result
        if join is not None:
            condition = ~v[c] if negated else v[c].copy()
            result, opposite = join(result, condition), join(opposite, condition)
        v[d][...] = result
        if second:
            v[other][...] = opposite

    return run


def _set(i: Instruction, o: Operands) -> Step:
    expect(i, 3)
    result, kind = types_of(i)
    relation = _relation(i, kind)
    a, b = (o.read(operand, kind) for operand in i.operands[1:])
    d = o.write(i.operands[0], result)
    yes = FORMATS[result].dtype.type(1.0) if result[0] == "f" else np.array(-1).astype(FORMATS[result].dtype)
    return computed(lambda x, y: np.where(relation(x, y), yes, yes.dtype.type(0)), d, a, b)


def _selp(i: Instruction, o: Operands) -> Step:
    expect(i, 4)
    kind = type_of(i)
    a, b = (o.read(operand, kind) for operand in i.operands[1:3])
    p, negated = o.negated(i.operands[3])
    d = o.write(i.operands[0], kind)
    if negated:
        a, b = b, a
    return computed(np.where, d, p, a, b)


def _slct(i: Instruction, o: Operands) -> Step:
    expect(i, 4)
    kind, by = types_of(i)
    a, b = (o.read(operand, kind) for operand in i.operands[1:3])
    c, d = o.read(i.operands[3], by), o.write(i.operands[0], kind)
    return computed(lambda x, y, z: np.where(z >= 0, x, y), d, a, b, c)


_TESTS: dict[str, Callable[[Array], Any]] = {
    "finite": np.isfinite,
    "infinite": np.isinf,
    "number": lambda x: ~np.isnan(x),
    "notanumber": np.isnan,
    "normal": lambda x: np.isfinite(x) & (np.abs(x) >= np.finfo(x.dtype).tiny),
    "subnormal": lambda x: (x != 0) & (np.abs(x) < np.finfo(x.dtype).tiny),
}


def _testp(i: Instruction, o: Operands) -> Step:
    expect(i, 2)
    a, d = o.read(i.operands[1], type_of(i)), o.write(i.operands[0], "pred")
    return computed(_TESTS[i.modifiers[0]], d, a)


# Moves


def _mov(i: Instruction, o: Operands) -> Step:
    expect(i, 2)
    target, source = i.operands
    kind = type_of(i)
    if target.startswith("{"):
        return _taken_apart(kind, split(target[1:-1]), source, o)
    if source.startswith("{"):
        return _put_together(kind, target, split(source[1:-1]), o)
    a, d = o.read(source, kind), o.write(target, kind)

    def run(frame: Frame) -> None:
        v = frame.values
        v[d][...] = v[a]

    return run


def _taken_apart(kind: str, targets: list[str], source: str, o: Operands) -> Step:
    a = o.read(source, kind)
    bits = FORMATS[kind].bits // len(targets)
    parts = [(o.write(target, f"b{bits}"), bits * k) for k, target in enumerate(targets) if target != "_"]

    def run(frame: Frame) -> None:
        v = frame.values
        whole = v[a].copy()
        for d, shift in parts:
            np.copyto(
                v[d], (whole >> whole.dtype.type(shift)) & whole.dtype.type((1 << bits) - 1), casting="unsafe"
            )

    return run


def _put_together(kind: str, target: str, sources: list[str], o: Operands) -> Step:
    form = FORMATS[kind]
    bits = form.bits // len(sources)
    parts = [(o.read(source, f"b{bits}"), form.dtype.type(bits * k)) for k, source in enumerate(sources)]
    d = o.write(target, kind)

    def run(frame: Frame) -> None:
        v = frame.values
        result: Any = form.dtype.type(0)
        for a, shift in parts:
            result = result | v[a].astype(form.dtype) << shift
        v[d][...] = result

    return run


_WINDOWS = {
    "shared": SHARED_WINDOW,
    "local": LOCAL_WINDOW,
    "param": PARAMETER_WINDOW,
    "global": 0,
    "const": 0,
}


def _space(i: Instruction) -> str:
    for modifier in i.modifiers:
        if modifier.partition("::")[0] in _WINDOWS:
            return modifier.partition("::")[0]
    raise PTXError(f"{i.opcode}.{'.'.join(i.modifiers)} is not known")


def _cvta(i: Instruction, o: Operands) -> Step:
    """Between generic addresses and those of a space."""
    expect(i, 2)
    kind, window = type_of(i), _WINDOWS[_space(i)]
    a, d = o.read(i.operands[1], kind), o.write(i.operands[0], kind)
    move = np.array(-window if "to" in i.modifiers else window).astype(FORMATS[kind].dtype)
    return computed(lambda x: x + move, d, a)


def _isspacep(i: Instruction, o: Operands) -> Step:
    expect(i, 2)
    space = _space(i)
    a, d = o.read(i.operands[1], "u64"), o.write(i.operands[0], "pred")
    if space in ("global", "const"):
        return computed(lambda x: x >= 1 << 58, d, a)
    start = _WINDOWS[space]
    return computed(lambda x: (x >= start) & (x < start + (1 << 32)), d, a)


MAKERS: dict[str, Maker] = {
    "and": _logical(np.bitwise_and, np.logical_and),
    "or": _logical(np.bitwise_or, np.logical_or),
    "xor": _logical(np.bitwise_xor, np.logical_xor),
    "not": _logical(np.invert, np.logical_not, 1),
    "cnot": _cnot,
    "shl": _shift(True),
    "shr": _shift(False),
    "shf": _funnel,
    "bfe": _bfe,
    "bfi": _bfi,
    "bfind": _counting(_leading_zeros, "u32"),
    "brev": _counting(_reversed_bits),
    "clz": _counting(_leading_zeros, "u32"),
    "popc": _counting(np.bitwise_count, "u32"),
    "prmt": _prmt,
    "lop3": _lop3,
    "setp": _setp,
    "set": _set,
    "selp": _selp,
    "slct": _slct,
    "testp": _testp,
    "mov": _mov,
    "cvta": _cvta,
    "isspacep": _isspacep,
}
"""Instructions by name."""

__all__ = ["MAKERS"]
