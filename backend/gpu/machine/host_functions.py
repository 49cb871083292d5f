"""The functions of a planned module that run on the host and work on memory of the device.

These are the planned functions and the wrappers by which they call each other. All memory that they know is the
device's but for the error record, the tables of blocks, sizes of results, and what lies on the stack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ....dialect.mlir import Module, Operation, Type, Value, dialect, ir
from ....dialect.records import dataclass
from ....passes.preconditions import refuse
from ....passes.rewriting import defined_functions, operations_of, settle_signature
from ...planning.failures import FailureSites, record_type
from ...planning.names import CLEAR, is_kernel_name, wrapper_name
from ...planning.plan_attributes import PLAN
from .call_context import OUT_OF_MEMORY, RESERVE_DEVICE
from .driver_code import weft_device_fail, weft_device_reserve

ON_HOST = ".on_host"
"""How the names of functions end that run a kernel on copies of its arrays."""

VIEWS = (
    "memref.cast",
    "memref.collapse_shape",
    "memref.expand_shape",
    "memref.reinterpret_cast",
    "memref.subview",
    "memref.view",
)
"""Ops whose result is the memory of their first operand, seen in another way."""


@dataclass(frozen=True)
class HostFunction:
    """A planned function, or a wrapper of one, with the arguments that lie on the host."""

    function: Operation
    record: Value
    on_host: tuple[Value, ...]
    """The arguments, besides the record, whose memory is the host's."""
    written: tuple[Value, ...]
    """The arguments in which the caller sees what is written."""

    def is_on_host(self, memref: Value) -> bool:
        """Whether the memory of a value is the host's."""
        if memref == self.record or memref in self.on_host or _is_table(memref.type):
            return True
        if isinstance(memref.owner, ir.Block):
            return False
        op = memref.owner.operation
        if op.name in VIEWS:
            return self.is_on_host(op.operands[0])
        return op.name in ("memref.alloca", "memref.get_global")

    def is_visible(self, memref: Value) -> bool:
        """Whether the caller sees what is written to a value."""
        while not isinstance(memref.owner, ir.Block) and memref.owner.operation.name in VIEWS:
            memref = memref.owner.operation.operands[0]
        return memref in self.written


def host_functions(module: Module) -> Iterator[HostFunction]:
    """The planned functions of a module and their wrappers."""
    functions = {view.name.value: view.operation for view in defined_functions(module)}
    for name, function in functions.items():
        if PLAN not in function.attributes:
            continue
        plan = ir.DictAttr(function.attributes[PLAN])
        on_heap = len(plan["on_heap"])
        placed = len(plan["inputs"]) + len(plan["results"]) + on_heap
        numbers = [entry.value for entry in plan["on_host"]]
        written = [entry.value for entry in plan["written"]]
        yield _host_function(function, placed + 1, numbers, written, has_sizes=bool(on_heap))
        wrapper = functions.get(wrapper_name(name))
        if wrapper is not None:
            yield _host_function(wrapper, placed, [], written, has_sizes=bool(on_heap))


def kernels_of(module: Module) -> dict[str, Operation]:
    """The kernels that have a body, by name."""
    return {
        view.name.value: view.operation
        for view in defined_functions(module)
        if is_kernel_name(view.name.value)
    }


def calls_in(function: Operation) -> list[tuple[Operation, str]]:
    """The calls in a function with the names of what they call."""
    calls = [op for op in operations_of(function) if op.name == "func.call"]
    return [(op, ir.FlatSymbolRefAttr(op.attributes["callee"]).value) for op in calls]


def _host_function(
    function: Operation, record: int, numbers: list[int], written: list[int], *, has_sizes: bool
) -> HostFunction:
    arguments = list(function.regions[0].blocks[0].arguments)
    if len(arguments) <= max([record, *numbers, *written]):
        refuse(
            function, "a planned function has an argument for errors: run --plan-buffers={device=true} before"
        )
    sizes = arguments[-1:] if has_sizes else []
    on_host = (*sizes, *(arguments[number] for number in numbers))
    return HostFunction(function, arguments[record], on_host, tuple(arguments[n] for n in written))


def _is_table(type: Type) -> bool:
    return isinstance(type.element_type, ir.MemRefType)


class DriverCalls:
    """Writes calls of the functions that talk to the driver, at the current insertion point."""

    def __init__(self, failures: FailureSites, record: Value) -> None:
        self._failures = failures
        self._record = record

    def call(self, function: Callable[..., int | None], *numbers: Value | int) -> Value:
        """Call a function of `driver_code` or `graph_code` with words or indices behind the record."""
        words = [self.word(number) for number in (self.address(self._record), *numbers)]
        word, name = ir.IntegerType.get_signless(64), function.__name__
        self._failures.declare(name, [word] * len(words), [word])
        return dialect("func").CallOp([word], name, words).result

    def fits(self, table: Value, number: Value | int, size: Value) -> Value:
        """Make a block hold so many bytes; whether there is memory."""
        arith = dialect("arith")
        found = self.call(weft_device_reserve, self.address(table), number, size)
        return arith.cmpi(arith.CmpIPredicate.ne, found, self.word(0))

    def clear(self, table: Value, count: int) -> None:
        """Make a table of blocks empty."""
        index = ir.IndexType.get()
        self._failures.declare(CLEAR, [table.type, index], [])
        dialect("func").CallOp([], CLEAR, [table, dialect("arith").constant(index, count)])

    def reserve(self, table: Value, number: int, size: Value) -> None:
        """Make a block of the device hold so many bytes; that there is no memory fails the call."""
        arith, scf = dialect("arith"), dialect("scf")
        fits = self.fits(table, number, size)
        refused = scf.IfOp(arith.xori(fits, arith.constant(ir.IntegerType.get_signless(1), 1)))
        with ir.InsertionPoint(refused.then_block):
            self.call(weft_device_fail, OUT_OF_MEMORY, RESERVE_DEVICE, size)
            scf.YieldOp([])

    def exit_on_failure(self) -> None:
        """End the call of the planned function when something has failed."""
        self._failures.propagate(self._record)

    def has_failed(self) -> Value:
        """Whether the record tells of an error."""
        arith = dialect("arith")
        number = dialect("memref").load(self._record, [arith.constant(ir.IndexType.get(), 0)])
        return arith.cmpi(arith.CmpIPredicate.ne, number, self.word(0))

    def word(self, number: Value | int) -> Value:
        """A number as 64 bits."""
        arith, word = dialect("arith"), ir.IntegerType.get_signless(64)
        if isinstance(number, int):
            return arith.constant(word, number)
        return number if number.type == word else arith.index_cast(word, number)

    @staticmethod
    def address(memref: Value) -> Value:
        """Where the elements of a memref begin, as an index."""
        return dialect("memref").extract_aligned_pointer_as_index(memref)


def add_record(function: Operation) -> Value:
    """Give a function the error record as one more argument."""
    record = function.regions[0].blocks[0].add_argument(record_type(), function.location)
    settle_signature(function)
    return record


def call_with_record(host: HostFunction, calls: DriverCalls, op: Operation, name: str) -> None:
    """Let a call of a kernel call another function, which takes the record behind all else, and look at it."""
    operands = list(op.operands)
    has_record = bool(operands) and operands[-1] == host.record
    with ir.InsertionPoint(op), op.location:
        new = dialect("func").CallOp(
            [result.type for result in op.results], name, operands if has_record else [*operands, host.record]
        )
        for old, result in zip(op.results, new.results, strict=True):
            old.replace_all_uses_with(result)
        if not has_record:
            calls.exit_on_failure()
    op.erase()


def element_bytes(type: Type) -> int:
    """The size of an element of an array."""
    if isinstance(type, ir.IndexType):
        return 8
    if isinstance(type, ir.ComplexType):
        return 2 * element_bytes(ir.ComplexType(type).element_type)
    return max(1, int(type.width) // 8)
