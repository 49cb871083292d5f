"""How much a program computes, reads and writes: counted on the kernels that the function was cut into.

The program is followed with the sizes of its arrays, as far as they are known: the types tell them, or example
arguments do. Arithmetic counts where a linalg op says how often its body runs; a loop of the program counts as often as
its bounds say. What cannot be known is told in `unknown`, and never guessed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import Any

from ...dialect.formulas import ExtentName, simplified
from ...dialect.mlir import Block, Module, Operation, Type, Value, ir
from ...dialect.records import dataclass
from ...dialect.sizes import Size, ceildiv, computed, limits, symbol
from ...passes.rewriting import blocks_of, reassociation_of
from ..planning.buffer_assignment import byte_width
from ..planning.names import is_kernel_name
from ..planning.outlining.destinations import origin
from ..planning.outlining.op_kinds import VIEWS
from ..planning.outlining.slices import Slice
from ..planning.shapes import static_shape
from .arithmetic import FLOPS, TRANSCENDENTAL, is_arithmetic, product, runs
from .integers import evaluate, limits_of, smaller

_BY_ELEMENT = frozenset({"tensor.dim", "tensor.extract", "tensor.insert", "scf.for", "scf.if", "scf.while"})
"""Ops that use no array as a whole: elements are counted where they are read and written."""


@dataclass
class Cost:
    """Counts of one kernel over all its calls, or of all together."""

    flops: Size = 0
    transcendentals: Size = 0
    bytes_read: Size = 0
    bytes_written: Size = 0

    def add(self, other: Cost, times: Size) -> None:
        """Count something so many times."""
        self.flops += times * other.flops
        self.transcendentals += times * other.transcendentals
        self.bytes_read += times * other.bytes_read
        self.bytes_written += times * other.bytes_written


@dataclass
class KernelCost:
    """A kernel: how often it is called, what all its calls cost, and where in the user's program it comes from."""

    name: str
    calls: Size = 0
    cost: Cost = field(default_factory=Cost)
    locations: list[str] = field(default_factory=list)
    is_known: bool = True
    """Whether sizes and bounds tell what a call costs."""


@dataclass
class ProgramCost:
    """All kernels in the order of their first calls, and why counts are not complete."""

    kernels: dict[str, KernelCost] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Example:
    """What is known of an argument: its name, its shape, and its value if that is one integer."""

    name: str
    shape: tuple[int | None, ...]
    value: int | None = None


def count(module: Module, name: str, examples: Sequence[Example]) -> ProgramCost:
    """Count what a function of a module at stage "kernels" does."""
    functions = {
        op.attributes["sym_name"].value: op.operation
        for op in module.body.operations
        if op.operation.name == "func.func"
    }
    counter = _Counter(functions)
    block = functions[name].regions[0].blocks[0]
    for value, example in zip(block.arguments, examples, strict=True):
        counter.shapes[value] = [
            symbol(ExtentName(f"{example.name}.shape[{axis}]")) if extent is None else extent
            for axis, extent in enumerate(example.shape)
        ]
        if example.value is not None:
            counter.numbers[value] = example.value
        elif not example.shape and isinstance(value.type.element_type, ir.IntegerType):
            counter.numbers[value] = symbol(example.name)
    counter.follow(block)
    return counter.result


class _Counter:
    """Follows a program; `shapes` and `numbers` hold what is known of its tensors and integers."""

    def __init__(self, functions: dict[str, Operation]) -> None:
        self.result = ProgramCost()
        self.shapes: dict[Value, list[Size | None]] = {}
        self.numbers: dict[Value, Size] = {}
        self._functions = functions
        self._times: Size = 1
        self._kernel: KernelCost | None = None
        self._active: list[str] = []

    def follow(self, block: Block) -> None:
        """Count the ops of a block."""
        for view in block.operations:
            self._visit(view.operation)

    def _visit(self, op: Operation) -> None:
        name = op.name
        self._note_shapes(op)
        number = evaluate(op, self.numbers, self.shapes)
        if number is not None:
            self.numbers[op.results[0]] = number
        else:  # of an earlier call of the same kernel, perhaps
            for result in op.results:
                self.numbers.pop(result, None)
        if name == "func.call":
            self._call(op)
        elif name == "scf.for":
            self._for(op)
        elif name == "scf.while":
            self._repeat(op, None, "the loop")
        elif name == "scf.if":
            self._branch(op)
        elif name.startswith("linalg."):
            self._linalg(op)
        elif name in ("tensor.extract", "tensor.insert", "memref.load", "memref.store"):
            self._element(op)
        elif is_arithmetic(op) and not (
            self._kernel is None and isinstance(op.operands[0].type, ir.IntegerType)
        ):
            # Integers between kernels are sizes and bounds.
            self._cost().add(Cost(FLOPS.get(name, 0), TRANSCENDENTAL.get(name, 0)), self._times)

    def _cost(self) -> Cost:
        """Where to count: the kernel, or what the function computes between kernels."""
        kernel = self._kernel
        if kernel is None:
            kernel = self.result.kernels.setdefault("(between kernels)", KernelCost("(between kernels)", 1))
        return kernel.cost

    # Sizes

    def _note_shapes(self, op: Operation) -> None:
        for result in op.results:
            if isinstance(result.type, (ir.RankedTensorType, ir.MemRefType)):
                shape: list[Size | None] = [*static_shape(result.type)]
                self.shapes[result] = self._derived(op, result, shape) if None in shape else shape

    def _derived(self, op: Operation, result: Value, shape: list[Size | None]) -> list[Size | None]:
        """The extents of a result, the unknown ones taken from what it is made of."""
        if op.name == "tensor.empty":
            given = iter(op.operands)
            return [self.numbers.get(next(given)) if e is None else e for e in shape]
        if op.name in ("tensor.extract_slice", "tensor.expand_shape"):
            sizes = Slice.of(op).sizes if op.name == "tensor.extract_slice" else self._expanded(op)
            known = [size if isinstance(size, int) else self.numbers.get(size) for size in sizes]
            if op.name == "tensor.extract_slice":
                known = [known[axis] for axis in Slice.of(op).kept]
            return [k if e is None else e for e, k in zip(shape, known, strict=True)]
        source = _same_shape_operand(op, result)
        if source is not None and source in self.shapes:
            return [k if e is None else e for e, k in zip(shape, self.shapes[source], strict=True)]
        if op.name == "tensor.collapse_shape":
            inner = self.shapes.get(op.operands[0], list(static_shape(op.operands[0].type)))
            return [product([inner[axis] for axis in group]) for group in reassociation_of(op)]
        return shape

    def _expanded(self, op: Operation) -> list[Any]:
        given = iter(list(op.operands)[1:])
        return [next(given) if e is None else e for e in static_shape(op.results[0].type)]

    def _shape(self, value: Value) -> list[Size | None]:
        known = self.shapes.get(value)
        if known is not None:
            return known
        return list(static_shape(value.type)) if isinstance(value.type, ir.ShapedType) else []

    def _bytes(self, value: Value) -> Size:
        """The bytes of a tensor; 0, and a note, where its size is not known."""
        elements = product(self._shape(value))
        if elements is None:
            self._note_unknown(value.owner, "the size of an array is")
            return 0
        return elements * byte_width(value.type.element_type)

    def _note_unknown(self, owner: Any, what: str) -> None:
        if self._kernel is not None:
            self._kernel.is_known = False
        place = "" if isinstance(owner, ir.Block) else f"{_where(owner.operation)}: "
        note = f"{place}{what} not known before the program runs"
        if note not in self.result.unknown:
            self.result.unknown.append(note)

    # Control flow

    def _for(self, op: Operation) -> None:
        low, high, step = (self.numbers.get(operand) for operand in list(op.operands)[:3])
        trips = None if low is None or high is None or not step else _trips(low, high, step)
        if trips == 1 and low is not None:
            self.numbers[op.regions[0].blocks[0].arguments[0]] = low
        self._repeat(op, trips, "the loop")

    def _repeat(self, op: Operation, trips: Size | None, what: str) -> None:
        """Count the regions of a loop so many times; once where that is unknown."""
        if trips is None:
            self._note_unknown(op, f"how often {what} runs is")
        first = 3 if op.name == "scf.for" else 0
        initials = list(op.operands)[first:]
        with self._repeated(1 if trips is None else trips):
            for block in blocks_of(op):
                arguments = list(block.arguments)[1 if first else 0 :]
                for argument, initial in zip(arguments, initials, strict=False):
                    if argument.type == initial.type and isinstance(argument.type, ir.RankedTensorType):
                        self.shapes[argument] = self._shape(initial)
                self.follow(block)

    @contextmanager
    def _repeated(self, times: Size) -> Iterator[None]:
        before, self._times = self._times, self._times * times
        yield
        self._times = before

    def _branch(self, op: Operation) -> None:
        """Both sides of a branch are counted: it is not known which of them runs."""
        taken = self.numbers.get(op.operands[0])
        regions = list(op.regions)
        if isinstance(taken, int):
            regions = regions[:1] if taken else regions[1:]
        elif any(True for region in regions for block in region for _ in block.operations):
            self._note_unknown(op, "which side of the branch runs, so that both are counted, is")
        for region in regions:
            for block in region:
                self.follow(block)

    def _call(self, op: Operation) -> None:
        name = op.attributes["callee"].value
        function = self._functions.get(name)
        if function is None or not function.regions[0].blocks:
            return
        if name in self._active:
            self._note_unknown(op, f"how often {name} calls itself is")
            return
        block = function.regions[0].blocks[0]
        for argument, operand in zip(block.arguments, op.operands, strict=True):
            if operand in self.numbers:
                self.numbers[argument] = self.numbers[operand]
            else:
                self.numbers.pop(argument, None)
            if isinstance(operand.type, (ir.RankedTensorType, ir.MemRefType)):
                self.shapes[argument] = self._shape(operand)
        self._active.append(name)
        outer = self._kernel
        if is_kernel_name(name):
            self._enter_kernel(name, op)
            self._count_traffic(block)
        self.follow(block)
        self._kernel = outer
        self._active.pop()
        returned = list(list(block.operations)[-1].operation.operands)
        for result, value in zip(op.results, returned, strict=True):
            if isinstance(result.type, ir.RankedTensorType):
                self.shapes[result] = self._shape(value)

    def _enter_kernel(self, name: str, call: Operation) -> None:
        kernel = self._kernel = self.result.kernels.setdefault(name, KernelCost(name))
        kernel.calls += self._times
        where = _where(call)
        if where and where not in kernel.locations:
            kernel.locations.append(where)

    # What is counted

    def _count_traffic(self, block: Block) -> None:
        """Count the arrays that a kernel reads and writes, each once: what is between its ops stays in caches."""
        cost = Cost()
        for argument in block.arguments:
            if isinstance(argument.type, ir.RankedTensorType):
                cost.bytes_read += self._read_bytes(argument)
        returned = list(block.operations)[-1].operation
        # Sizes inside the block are noted when it is followed: what is written has the sizes of what is returned.
        for view in block.operations:
            self._note_shapes(view.operation)
        for value in returned.operands:
            if isinstance(value.type, ir.RankedTensorType):
                cost.bytes_written += self._written_bytes(value)
        assert self._kernel is not None
        self._kernel.cost.add(cost, self._times)

    def _read_bytes(self, argument: Value) -> Size:
        """The bytes of an argument of a kernel that are read: of the slices, where nothing else is used."""
        total: Size = 0
        whole = self._bytes(argument)
        uses = list(argument.uses)
        for use in uses:
            op = use.owner.operation
            if op.name == "tensor.extract_slice":
                self._note_shapes(op)
                total += self._bytes(op.results[0])
            elif op.name in ("tensor.insert_slice", "bufferization.materialize_in_destination"):
                total += whole if use.operand_number == 0 else 0
            elif op.name in _BY_ELEMENT:
                continue
            elif op.name.startswith("linalg.") and use.operand_number >= len(op.operands) - len(op.results):
                total += whole if _reads_destination(op, use.operand_number) else 0
            else:
                total += whole
        return total if len(uses) == 1 else simplified(smaller(total, whole))

    def _written_bytes(self, value: Value) -> Size:
        """The bytes that are written to make a value of the memory that it is an update of."""
        if isinstance(value.owner, ir.Block):
            return 0
        op = value.owner.operation
        if op.name == "tensor.insert_slice":
            return self._bytes(op.operands[0]) + self._written_bytes(op.operands[1])
        if op.name == "bufferization.materialize_in_destination":
            start = origin(op.operands[0], {view.operation for view in op.block.operations})
            in_place = start is not None and start == op.operands[1]
            return self._written_bytes(op.operands[0]) if in_place else self._bytes(value)
        if op.name in _BY_ELEMENT:
            return 0
        return self._written_bytes(op.operands[0]) if op.name in VIEWS else self._bytes(value)

    def _element(self, op: Operation) -> None:
        if self._kernel is None:
            return
        reads = op.name in ("tensor.extract", "memref.load")
        type: Type = op.results[0].type if op.name == "tensor.extract" else None
        if type is None:
            type = op.operands[0].type if not reads else op.results[0].type
        width = byte_width(type)
        cost = Cost(bytes_read=width) if reads else Cost(bytes_written=width)
        self._cost().add(cost, self._times)

    def _linalg(self, op: Operation) -> None:
        if op.name in ("linalg.yield", "linalg.index"):
            return
        points = runs(op, [self._shape(operand) for operand in op.operands])
        if points is None:
            self._note_unknown(op, "the size of an array is")
            return
        with self._repeated(points):
            for block in blocks_of(op):
                for view in block.operations:
                    if not view.operation.name.startswith("linalg."):
                        self._visit(view.operation)


def _trips(low: Size, high: Size, step: Size) -> Size:
    """How often a loop runs."""
    trips = computed(ceildiv, high - low, step)
    return trips if limits(trips, limits_of)[0] >= 0 else simplified(computed(max, 0, trips))


def _reads_destination(op: Operation, operand: int) -> bool:
    """Whether the body of a linalg op uses what the memory of its result held."""
    return op.name != "linalg.fill" and any(True for _ in op.regions[0].blocks[0].arguments[operand].uses)


def _same_shape_operand(op: Operation, result: Value) -> Value | None:
    """An operand that has the shape of a result."""
    if op.name.startswith("linalg.") or op.name in (
        "bufferization.materialize_in_destination",
        "tensor.insert",
    ):
        return op.operands[len(op.operands) - 1] if op.name != "tensor.insert" else op.operands[1]
    if op.name == "tensor.insert_slice":
        return op.operands[1]
    if op.name in ("tensor.cast", "bufferization.to_tensor"):
        return op.operands[0]
    if op.name == "scf.for":
        index = next(i for i, other in enumerate(op.results) if other == result)
        return op.operands[3 + index]
    return None


def _where(op: Operation) -> str:
    """The user's line of an op, `file.py:3`; empty where there is none."""
    return user_line(str(op.location))


def user_line(location: str) -> str:
    """The file and line of a location as text, the innermost one.

    >>> user_line('loc("model.py":3:5 to :12)')
    'model.py:3'
    """
    start = location.find('"')
    while start >= 0:
        end = location.find('"', start + 1)
        rest = location[end + 1 :]
        if rest.startswith(":") and rest[1:2].isdigit():
            line = rest[1:].split(":")[0].split(")")[0]
            return f"{location[start + 1 : end]}:{line}"
        start = location.find('"', end + 1)
    return ""
