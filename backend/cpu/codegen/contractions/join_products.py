"""Join the kernels of two products of vectors with one matrix, A @ x and y @ A, so that it is read once.

    %u = call @kernel_0(%A, %x, ...)
    %t = ...                                     ->    %u, %v = call @kernel_2(%A, %x, ..., %A, %y, ...)
    %v = call @kernel_1(%A, %y, ...)

`y` may be what the first kernel makes of A @ x: products of a row are known before they are needed. What kernels
between the two make of single elements of it, the first one makes along with it, even if it has other uses:

    %u = call @kernel_0(%A, %x, ...)                       u = A @ x - b
    %e = call @kernel_1(%u, ...)                           what else reads u
    %w = call @kernel_2(%u, ...)             ->            %u, %w = call @kernel_4(%A, %x, ...)
    %v = call @kernel_3(%A, %w, ...)                       v = w @ A

A joined kernel does what the two do, one after the other; that it goes over the matrix once is the schedule's work
(`one_pass.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from .....dialect.mlir import Block, Module, Operation, Value, dialect, ir
from .....dialect.records import dataclass
from .....passes.base import Pass, Statistics
from .....passes.control_flow.structure import is_used, producer
from .....passes.rewriting import indexing_maps, operations_in, operations_of, symbols_of, terminator
from ....planning.names import is_kernel_name, kernel_name
from ....planning.outlining.outline import clone, entry_functions
from .one_pass import MOST_STEPS

_BODY = {
    "arith.constant",
    "bufferization.materialize_in_destination",
    "func.return",
    "linalg.contract",
    "linalg.fill",
    "linalg.generic",
    "tensor.empty",
}

_PASSED = {"tensor.empty", "tensor.dim", "tensor.cast", "tensor.collapse_shape", "tensor.expand_shape"}
"""What may stand between two kernels where the first one is moved down to the other: it changes no memory."""


@dataclass(frozen=True)
class JoinProducts(Pass):
    """Join kernels that multiply one matrix with vectors, from both sides."""

    def run(self, module: Module, statistics: Statistics) -> None:
        kernels = Joiner(module)
        for function in entry_functions(module):
            for block in _blocks(function):
                statistics["products joined"] += kernels.join_in(block)
        kernels.erase_unused()


def _blocks(function: Operation) -> list[Block]:
    inside = [function, *(op for op in operations_of(function) if not op.name.startswith("linalg."))]
    return [block for op in inside for region in op.regions for block in region]


@dataclass(frozen=True)
class VectorProduct:
    """A kernel that multiplies a matrix with a vector."""

    kernel: Operation
    matrix: int
    """The argument that is the matrix."""
    of_rows: bool
    """Whether results are dot products of its rows; else they are sums of its rows."""
    inputs: int
    """How many arguments are no destinations."""


class Joiner:
    """The kernels of a module, and those that were made of two."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._symbols = symbols_of(module)
        self._products: dict[str, VectorProduct | None] = {}
        self._steps: dict[str, bool] = {}
        self._joined: dict[tuple[str, str, tuple[int, ...]], str] = {}

    def join_in(self, block: Block) -> int:
        """Join calls of a block; returns how many pairs there were."""
        operations = operations_in(block)
        waiting: dict[tuple[Value, bool], Operation] = {}
        count = 0
        for op in operations:
            product = self._product(op)
            if product is None:
                continue
            matrix = op.operands[product.matrix]
            other = waiting.pop((matrix, not product.of_rows), None)
            if other is not None:
                other = self._with_steps(operations_in(block), other, op)
            if other is not None and self._join(operations_in(block), other, op):
                count += 1
            else:
                waiting[matrix, product.of_rows] = op
        return count

    def erase_unused(self) -> None:
        """Erase kernels that only pairs called."""
        called = {
            op.attributes["callee"].value
            for op in operations_of(self._module.operation)
            if op.name == "func.call"
        }
        for name in {name for first, second, _ in self._joined for name in (first, second)} - called:
            self._symbols[name].erase()

    def _product(self, op: Operation) -> VectorProduct | None:
        kernel = self._kernel_of(op)
        if kernel is None:
            return None
        name = op.attributes["callee"].value
        if name not in self._products:
            self._products[name] = vector_product(kernel)
        return self._products[name]

    def _is_step(self, op: Operation) -> bool:
        kernel = self._kernel_of(op)
        if kernel is None:
            return False
        name = op.attributes["callee"].value
        if name not in self._steps:
            self._steps[name] = is_step(kernel)
        return self._steps[name]

    def _kernel_of(self, op: Operation) -> Operation | None:
        if op.name != "func.call" or not is_kernel_name(op.attributes["callee"].value):
            return None
        kernel = self._symbols.get(op.attributes["callee"].value)
        known = kernel is not None and kernel.name == "func.func" and kernel.regions[0].blocks
        return kernel if known else None

    def _with_steps(self, operations: Sequence[Operation], first: Operation, second: Operation) -> Operation:
        """The first call, or a new one in its place that also makes what the second needs of its results."""
        product = self._product(first)
        if product is None or not product.of_rows or not all(map(_is_new, _destinations(first))):
            return first
        positions = {op: number for number, op in enumerate(operations)}
        steps: list[Operation] = []

        def is_made(values: Sequence[Value]) -> bool:
            """Whether values are there at the first call, or made of its results by steps, which are added in order."""
            for value in values:
                maker = producer(value)
                if maker is None or value in first.results or maker in steps:
                    continue
                if positions.get(maker, -1) < positions[first]:
                    continue
                if len(steps) == MOST_STEPS or not self._is_step(maker):
                    return False
                operands = [operand for operand in maker.operands if not _is_new(operand)]
                makers = [owner for owner in map(producer, operands) if owner is not None]
                if not is_made(operands) or not any(owner == first or owner in steps for owner in makers):
                    return False
                steps.append(maker)
            return True

        if is_made(list(second.operands)[: len(second.operands) - len(second.results)]):
            for step in steps:
                first = self._call(first, step, first, is_step=True)
        return first

    def _join(self, operations: Sequence[Operation], first: Operation, second: Operation) -> bool:
        """Join two calls where the first or the second stands; False if neither place will do."""
        positions = {op: number for number, op in enumerate(operations)}
        if not all(_is_new(value) for call in (first, second) for value in _destinations(call)):
            return False
        if _is_ready(second, first, positions):
            place = first
        elif _may_sink(first, second, operations[positions[first] + 1 : positions[second]]):
            place = second
        else:
            return False
        product = self._product(first)
        assert product is not None
        if product.of_rows:
            self._call(first, second, place)
        elif any(value in first.results for value in second.operands):
            return False
        else:
            self._call(second, first, place)
        return True

    def _call(
        self, first: Operation, second: Operation, place: Operation, is_step: bool = False
    ) -> Operation:
        """Put a call of the joined kernel in the place of two, the first of which makes the products of rows.

        A step has the sizes of what it is made of, and memory of its own.
        """
        inputs = [[v for v in call.operands if v not in _destinations(call)] for call in (first, second)]
        inputs[1] += [] if _is_new(second.operands[-1]) else _destinations(second)
        results = [*first.results, *second.results]
        known = {value: number for number, value in reversed(list(enumerate([*first.results, *inputs[0]])))}
        passed = [known.get(value, -1) for value in inputs[1]]
        old = [*_destinations(first), *_destinations(second)]
        sources = old[:1] * len(old) if is_step else old
        with ir.InsertionPoint(place), second.location:
            destinations = [
                ir.Operation.create("tensor.empty", [value.type], source.owner.operation.operands).results[0]
                for value, source in zip(old, sources, strict=True)
            ]
            given = [value for value, number in zip(inputs[1], passed, strict=True) if number < 0]
            name = self._kernel(first, second, tuple(passed))
            call = dialect("func").CallOp(
                [r.type for r in results], name, [*inputs[0], *given, *destinations]
            )
        for result, new in zip(results, call.results, strict=True):
            result.replace_all_uses_with(new)
        empty = {value.owner.operation for value in old if _is_new(value)}
        for op in (second, first):
            op.erase()
        for op in empty:
            if not any(True for _ in op.results[0].uses):
                op.erase()
        return call.operation

    def _kernel(self, first: Operation, second: Operation, passed: tuple[int, ...]) -> str:
        """The kernel that does what two do.

        `passed` has, for inputs of the second, which of the results, then inputs of the first they are, or -1.
        """
        one, other = (call.attributes["callee"].value for call in (first, second))
        key = (one, other, passed)
        if key not in self._joined:
            name = self._joined[key] = kernel_name(_next_number(self._symbols))
            self._symbols[name] = self._build(name, self._symbols[one], self._symbols[other], passed)
        return self._joined[key]

    def _build(self, name: str, first: Operation, second: Operation, passed: tuple[int, ...]) -> Operation:
        bodies = [kernel.regions[0].blocks[0] for kernel in (first, second)]
        own, other = ([argument.type for argument in body.arguments] for body in bodies)
        made, more = ([value.type for value in terminator(body).operands] for body in bodies)
        inputs = own[: len(own) - len(made)]
        arguments = [*inputs, *(other[place] for place, number in enumerate(passed) if number < 0)]
        with ir.InsertionPoint(self._module.body), second.location:
            types = ([*arguments, *made, *more], [*made, *more])
            function = dialect("func").FuncOp(name, types, visibility="private")
            entry = list(function.add_entry_block().arguments)
        given, places = iter(entry[len(inputs) :]), entry[len(arguments) :]
        with ir.InsertionPoint(function.regions[0].blocks[0]), second.location:
            values = _copy(bodies[0], [*entry[: len(inputs)], *places[: len(made)]])
            known = [*values, *entry[: len(inputs)]]
            others = [known[number] if number >= 0 else next(given) for number in passed]
            last = places[len(made) :]
            values += _copy(bodies[1], [*others, *last][: len(other)], last)
            store = dialect("bufferization").materialize_in_destination
            stored = [store(value.type, value, place) for value, place in zip(values, places, strict=True)]
            dialect("func").ReturnOp(stored)
        return function.operation


def vector_product(kernel: Operation) -> VectorProduct | None:
    """What a kernel multiplies, if it does nothing but that, and work on single elements of the result."""
    operations = operations_in(kernel.regions[0].blocks[0])
    products = [op for op in operations if op.name == "linalg.contract"]
    following = [op for op in operations if op.name == "linalg.generic"]
    if {op.name for op in operations} - _BODY or len(products) != 1:
        return None
    if any(len(op.attributes["iterator_types"]) != 1 for op in following):
        return None
    (product,) = products
    if not product.results:
        return None  # it works on memory
    maps = indexing_maps(product)
    ranks = [len(map.results) for map in maps]
    if sorted(ranks) != [1, 1, 2] or ranks[2] != 1 or not all(map.is_projected_permutation for map in maps):
        return None
    factors, matrix = list(product.operands)[:2], ranks.index(2)
    types = {value.type.element_type for value in (*factors, product.results[0])}
    if not all(isinstance(factor.owner, ir.Block) for factor in factors) or len(types) != 1:
        return None
    if not all(isinstance(type, ir.F32Type | ir.F64Type | ir.IntegerType) for type in types):
        return None
    of_rows = maps[matrix].results[0] == maps[2].results[0]
    results = len(terminator(kernel.regions[0].blocks[0]).operands)
    inputs = len(kernel.regions[0].blocks[0].arguments) - results
    return VectorProduct(kernel, factors[matrix].arg_number, of_rows, inputs)


def is_step(kernel: Operation) -> bool:
    """Whether a kernel makes each element of its result of one of each vector that it reads, and of numbers."""
    operations = operations_in(kernel.regions[0].blocks[0])
    generics = [op for op in operations if op.name == "linalg.generic"]
    if {op.name for op in operations} - _BODY or len(generics) != 1 or len(generics[0].results) != 1:
        return False
    (generic,) = generics
    *others, last = indexing_maps(generic)
    if last != ir.AffineMap.get_identity(1) or any(m != last and len(m.results) for m in others):
        return False
    if not all("parallel" in str(kind) for kind in generic.attributes["iterator_types"]):
        return False
    *inputs, target = generic.operands
    *_, old = generic.regions[0].blocks[0].arguments
    if is_used(old) and target not in inputs:
        return False
    pairs = zip(generic.operands, generic.regions[0].blocks[0].arguments, strict=True)
    is_read = all(isinstance(operand.owner, ir.Block) for operand, argument in pairs if is_used(argument))
    return is_read and not any(op.name in ("linalg.index", "tensor.extract") for op in operations_of(generic))


def _destinations(call: Operation) -> list[Value]:
    return list(call.operands)[len(call.operands) - len(call.results) :]


def _is_new(value: Value) -> bool:
    return not isinstance(value.owner, ir.Block) and value.owner.operation.name == "tensor.empty"


def _is_ready(call: Operation, place: Operation, positions: dict[Operation, int]) -> bool:
    """Whether all that a call takes is there at an earlier call, or made by that."""
    fresh = _destinations(call)
    inputs = list(call.operands)[: len(call.operands) - len(fresh)]
    needed = [value for value in inputs if value not in place.results]
    needed += [value for destination in fresh for value in destination.owner.operation.operands]
    return all(
        isinstance(value.owner, ir.Block) or positions.get(value.owner.operation, -1) < positions[place]
        for value in needed
    )


def _may_sink(call: Operation, place: Operation, between: Sequence[Operation]) -> bool:
    """Whether a call may be moved down to another: nothing uses its results before, or changes memory."""
    users = {use.owner.operation for result in call.results for use in result.uses}
    return not users & set(between) and all(map(_changes_nothing, between))


def _changes_nothing(op: Operation) -> bool:
    if op.name == "func.call":
        return is_kernel_name(op.attributes["callee"].value) and all(map(_is_new, _destinations(op)))
    return op.name in _PASSED or op.name.startswith("arith.")


def _next_number(symbols: dict[str, Operation]) -> int:
    numbers = [int(name.removeprefix("kernel_")) for name in symbols if is_kernel_name(name)]
    return max(numbers, default=-1) + 1


def _copy(body: Block, arguments: Sequence[Value], places: Sequence[Value] = ()) -> list[Value]:
    """Copy what a kernel computes for other arguments; returns its results, which are not stored yet.

    What overwrites an operand is computed at one of the `places` instead, if there are any.
    """
    mapping = dict(zip(body.arguments, arguments, strict=True))
    *operations, last = operations_in(body)
    for op in operations:
        if op.name == "bufferization.materialize_in_destination":
            mapping[op.results[0]] = mapping[op.operands[0]]
            continue
        copy = clone(op, mapping)
        if places and op.name == "linalg.generic" and is_used(copy.regions[0].blocks[0].arguments[-1]):
            *inputs, overwritten = copy.operands
            *elements, old = copy.regions[0].blocks[0].arguments
            old.replace_all_uses_with(elements[inputs.index(overwritten)])
            copy.operands[len(inputs)] = places[0]
    return [mapping[value] for value in last.operands]
