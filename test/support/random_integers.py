"""Random functions on integers with branches and loops, and an interpreter that tells what every comparison was."""

from __future__ import annotations

import contextlib
import operator
import random
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from weft.dialect.mlir import Block, Operation, Value, ir

TYPES = ("i64", "index", "i8")
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_BINARY = (
    *("addi", "subi", "muli", "maxsi", "minsi", "minui", "maxui", "andi", "ori", "xori"),
    *("remsi", "remui", "divsi", "divui", "floordivsi", "ceildivsi", "ceildivui", "shli", "shrsi", "shrui"),
)
EDGES = (0, 1, -1, 2, 3, 7, 8, -8, 100, 126, 127, -127, -128, 2**31, 2**62, 2**63 - 1, -(2**63), 2**63 - 2)


class Writer:
    """Writes the text of a random function of an i64, an index and an i8."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.count = 0

    def function(self) -> str:
        pools: dict[str, list[str]] = {"i64": ["%a"], "index": ["%b"], "i8": ["%c"], "i1": []}
        self.statements(pools, depth=0, length=12)
        body = "\n".join(self.lines)
        return f"func.func @main(%a: i64, %b: index, %c: i8) {{\n{body}\nreturn\n}}"

    def new(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def add(self, pools: dict[str, list[str]], type: str, text: str) -> str:
        name = self.new()
        self.lines.append(f"{name} = {text}")
        pools[type].append(name)
        return name

    def constant(self, type: str) -> str:
        value = self.random.choice(EDGES)
        if type == "i8":
            value = (value + 128) % 256 - 128
        name = self.new()
        self.lines.append(f"{name} = arith.constant {value} : {type}")
        return name

    def any(self, pools: dict[str, list[str]], type: str) -> str:
        if type == "i1":
            return self.random.choice(pools["i1"]) if pools["i1"] else self.comparison(pools)
        if not pools[type] or self.random.random() < 0.3:
            return self.constant(type)
        return self.random.choice(pools[type][-5:])

    def comparison(self, pools: dict[str, list[str]]) -> str:
        type = self.random.choice([*TYPES, *TYPES, "i1"] if pools["i1"] else TYPES)
        left, right = self.any(pools, type), self.any(pools, type)
        return self.add(pools, "i1", f"arith.cmpi {self.random.choice(PREDICATES)}, {left}, {right} : {type}")

    def near(self, pools: dict[str, list[str]], value: str, limit: str, type: str) -> None:
        """Comparisons whose truth the last possible number decides."""
        for distance in (-1, 0, 1):
            shift, moved = self.new(), self.new()
            self.lines.append(f"{shift} = arith.constant {distance} : {type}")
            self.lines.append(f"{moved} = arith.addi {limit}, {shift} : {type}")
            predicate = self.random.choice(PREDICATES)
            self.add(pools, "i1", f"arith.cmpi {predicate}, {value}, {moved} : {type}")

    def small(self, pools: dict[str, list[str]], type: str) -> str:
        """A small constant, or anything."""
        if self.random.random() < 0.3:
            return self.any(pools, type)
        name = self.new()
        self.lines.append(f"{name} = arith.constant {self.random.randrange(-3, 12)} : {type}")
        return name

    def statements(self, pools: dict[str, list[str]], depth: int, length: int) -> None:
        for _ in range(self.random.randrange(2, length)):
            kinds = [self.arithmetic] * 5 + [self.comparison] * 4 + [self.cast, self.choice, self.bits]
            if depth < 3:
                kinds += [self.branch, self.loop, self.repetition] * 2
            kind = self.random.choice(kinds)
            if kind in (self.branch, self.loop, self.repetition):
                kind(pools, depth)  # type: ignore[call-arg]
            else:
                kind(pools)  # type: ignore[call-arg]

    def arithmetic(self, pools: dict[str, list[str]]) -> None:
        type = self.random.choice(TYPES)
        name = self.random.choice(_BINARY)
        left = self.any(pools, type)
        if name.startswith(("rem", "div", "floordiv", "ceildiv", "sh")):
            right = self.new()
            value = self.random.randrange(1, 8)
            self.lines.append(f"{right} = arith.constant {value} : {type}")
        else:
            right = self.any(pools, type)
        self.add(pools, type, f"arith.{name} {left}, {right} : {type}")

    def bits(self, pools: dict[str, list[str]]) -> None:
        left, right = self.any(pools, "i1"), self.any(pools, "i1")
        self.add(pools, "i1", f"arith.{self.random.choice(['andi', 'ori', 'xori'])} {left}, {right} : i1")

    def cast(self, pools: dict[str, list[str]]) -> None:
        one, other, name = self.random.choice(
            [
                ("i64", "index", "index_cast"),
                ("index", "i64", "index_cast"),
                ("i8", "i64", "extsi"),
                ("i8", "i64", "extui"),
                ("i64", "i8", "trunci"),
                ("i8", "index", "index_cast"),
                ("i1", "i8", "extui"),
                ("i1", "i64", "extsi"),
            ]
        )
        self.add(pools, other, f"arith.{name} {self.any(pools, one)} : {one} to {other}")

    def choice(self, pools: dict[str, list[str]]) -> None:
        type = self.random.choice((*TYPES, "i1"))
        condition, left, right = self.any(pools, "i1"), self.any(pools, type), self.any(pools, type)
        self.add(pools, type, f"arith.select {condition}, {left}, {right} : {type}")

    def branch(self, pools: dict[str, list[str]], depth: int) -> None:
        type = self.random.choice((*TYPES, "i1"))
        compared = self.random.choice(TYPES)
        value, limit = self.any(pools, compared), self.small(pools, compared)
        predicate = self.random.choice(PREDICATES)
        test = f"arith.cmpi {predicate}, {value}, {limit} : {compared}"
        condition = self.any(pools, "i1") if self.random.random() < 0.3 else self.add(pools, "i1", test)
        name = self.new()
        self.lines.append(f"{name} = scf.if {condition} -> ({type}) {{")
        for end in ("} else {", "}"):
            inner = {key: list(values) for key, values in pools.items()}
            self.near(inner, value, limit, compared)
            self.statements(inner, depth + 1, 6)
            self.lines.append(f"scf.yield {self.any(inner, type)} : {type}")
            self.lines.append(end)
        pools[type].append(name)

    def loop(self, pools: dict[str, list[str]], depth: int) -> None:
        type = self.random.choice(TYPES)
        lower, upper, start = self.small(pools, "index"), self.small(pools, "index"), self.any(pools, type)
        step, position, carried, name = self.new(), self.new(), self.new(), self.new()
        self.lines.append(f"{step} = arith.constant {self.random.choice([1, 1, 2, 5, 2**62])} : index")
        bounds = f"{position} = {lower} to {upper} step {step}"
        self.lines.append(f"{name} = scf.for {bounds} iter_args({carried} = {start}) -> ({type}) {{")
        inner = {key: list(values) for key, values in pools.items()}
        inner["index"].append(position)
        inner[type].append(carried)
        self.near(inner, position, self.random.choice([lower, upper]), "index")
        self.statements(inner, depth + 1, 6)
        self.lines.append(f"scf.yield {self.any(inner, type)} : {type}\n}}")
        pools[type].append(name)

    def repetition(self, pools: dict[str, list[str]], depth: int) -> None:
        """A loop that counts while a condition holds."""
        type = self.random.choice(TYPES)
        start, limit = self.small(pools, type), self.small(pools, type)
        tested, counted, name = self.new(), self.new(), self.new()
        self.lines.append(f"{name} = scf.while ({tested} = {start}) : ({type}) -> {type} {{")
        inner = {key: list(values) for key, values in pools.items()}
        inner[type].append(tested)
        self.statements(inner, depth + 1, 4)
        condition = self.add(
            inner, "i1", f"arith.cmpi {self.random.choice(PREDICATES)}, {tested}, {limit} : {type}"
        )
        if self.random.random() < 0.3:
            condition = self.add(inner, "i1", f"arith.andi {condition}, {self.any(inner, 'i1')} : i1")
        self.lines.append(f"scf.condition({condition}) {tested} : {type}\n}} do {{\n^bb0({counted}: {type}):")
        inner = {key: list(values) for key, values in pools.items()}
        inner[type].append(counted)
        self.near(inner, counted, self.random.choice([start, limit]), type)
        self.statements(inner, depth + 1, 5)
        step, following = self.new(), self.new()
        self.lines.append(f"{step} = arith.constant {self.random.choice([1, 1, -1, 3])} : {type}")
        self.lines.append(f"{following} = arith.addi {counted}, {step} : {type}")
        self.lines.append(f"scf.yield {following} : {type}\n}}")
        pools[type].append(name)


class OutOfFuelError(Exception):
    """A loop runs long."""


class Interpreter:
    """Runs a function on integers and collects the results of every comparison."""

    def __init__(self, fuel: int = 3000) -> None:
        self.fuel = fuel
        self.seen: dict[Operation, set[bool]] = defaultdict(set)
        self.values: dict[Value, int] = {}

    def run(self, function: Operation, arguments: list[int]) -> None:
        block = function.regions[0].blocks[0]
        self.values = dict(zip(block.arguments, arguments, strict=True))
        with contextlib.suppress(OutOfFuelError):
            self.block(block)

    def block(self, block: Block) -> Operation:
        *operations, last = [view.operation for view in block.operations]
        for operation in operations:
            self.fuel -= 1
            if self.fuel < 0:
                raise OutOfFuelError
            self.operation(operation)
        return last

    def all(self, values: Any) -> list[int]:
        return [self.values[value] for value in values]

    def operation(self, op: Operation) -> None:
        if op.name == "scf.if":
            taken = op.regions[0 if self.values[op.operands[0]] else 1].blocks[0]
            self.values.update(zip(op.results, self.all(self.block(taken).operands), strict=True))
        elif op.name == "scf.for":
            self.counted(op)
        elif op.name == "scf.while":
            self.tested(op)
        else:
            result = op.results[0]
            self.values[result] = wrapped(arithmetic(op, self.all(op.operands)), width(result))
            if op.name == "arith.cmpi":
                self.seen[op].add(bool(self.values[result]))

    def counted(self, op: Operation) -> None:
        position, upper, step, *carried = self.all(op.operands)
        body = op.regions[0].blocks[0]
        while position < upper:
            self.values.update(zip(body.arguments, [position, *carried], strict=True))
            carried = self.all(self.block(body).operands)
            position = wrapped(position + step, 64)
        self.values.update(zip(op.results, carried, strict=True))

    def tested(self, op: Operation) -> None:
        test, body = (region.blocks[0] for region in op.regions)
        carried = self.all(op.operands)
        while True:
            self.values.update(zip(test.arguments, carried, strict=True))
            goes_on, *passed = self.all(self.block(test).operands)
            if not goes_on:
                break
            self.values.update(zip(body.arguments, passed, strict=True))
            carried = self.all(self.block(body).operands)
        self.values.update(zip(op.results, passed, strict=True))


def width(value: Value) -> int:
    return 64 if isinstance(value.type, ir.IndexType) else int(value.type.width)


def wrapped(number: int, bits: int) -> int:
    """A number in so many bits: signed, but for a single bit."""
    number &= (1 << bits) - 1
    return number - (1 << bits) if bits > 1 and number >> (bits - 1) else number


def _unsigned(number: int, bits: int) -> int:
    return number & ((1 << bits) - 1)


def _truncated(a: int, b: int) -> int:
    return a // b if (a >= 0) == (b > 0) else -(-a // b)


_SIGNED: dict[str, Callable[[int, int], int]] = {
    "addi": operator.add,
    "subi": operator.sub,
    "muli": operator.mul,
    "maxsi": max,
    "minsi": min,
    "andi": operator.and_,
    "ori": operator.or_,
    "xori": operator.xor,
    "remsi": lambda a, b: a - b * _truncated(a, b),
    "divsi": _truncated,
    "floordivsi": operator.floordiv,
    "ceildivsi": lambda a, b: -(-a // b),
    "shli": operator.lshift,
    "shrsi": operator.rshift,
}
_UNSIGNED: dict[str, Callable[[int, int], int]] = {
    "minui": min,
    "maxui": max,
    "ceildivui": lambda a, b: -(-a // b),
    "remui": operator.mod,
    "divui": operator.floordiv,
    "shrui": operator.rshift,
}
_COMPARISONS = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


def arithmetic(op: Operation, operands: list[int]) -> int:
    """What an operation of the arith dialect computes, before it wraps around."""
    name = op.name.removeprefix("arith.")
    if name == "constant":
        return int(ir.IntegerAttr(op.attributes["value"]).value)
    bits = width(op.operands[-1])
    signed = [-a if bits == 1 else a for a in operands]
    unsigned = [_unsigned(a, bits) for a in operands]
    if name == "cmpi":
        predicate = PREDICATES[int(ir.IntegerAttr(op.attributes["predicate"]).value)]
        pair = unsigned if predicate.startswith("u") else signed
        return int(_COMPARISONS[predicate[-2:]](*pair))
    if name == "select":
        return operands[1] if operands[0] else operands[2]
    if name == "extui":
        return unsigned[0]
    if name in ("index_cast", "extsi", "trunci"):
        return signed[0]
    if name in _UNSIGNED:
        return _UNSIGNED[name](*unsigned)
    return _SIGNED[name](*signed)
