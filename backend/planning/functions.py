"""Functions that call each other, and themselves.

A called function has a plan of its own. It is called through a wrapper, which gives it memory for this one call and
takes that back however the call ends:

    func.func @g.call(inputs..., results..., record: memref<?xi64>, extents: memref<?xindex>)

A result whose type does not tell its size is a heap block of the caller: a table and an index; its sizes are stored to
`extents`. The caller looks at the record after the call, as after that of a kernel.
"""

from __future__ import annotations

from ...dialect.mlir import Module, Operation, Type, Value, dialect, ir
from ...dialect.records import dataclass
from .boundaries import memref_type
from .calls import is_function_call
from .failures import FailureSites, find, record_type
from .heap import table_type
from .names import CLEAR, RELEASE, RESERVE, wrapper_name
from .plan import DEPTH, STACK
from .profile import Profile
from .shapes import static_shape
from .updated_parameters import Updates, note_updates


@dataclass(frozen=True)
class FunctionInterface:
    """How a function is called by others."""

    name: str
    inputs: list[Type]
    results: list[Type]
    updates: Updates
    """Which parameters the results are updates of: the caller puts them where the results go."""

    @property
    def on_heap(self) -> frozenset[int]:
        """The results in heap blocks."""
        return frozenset(i for i, type in enumerate(self.results) if None in static_shape(type))

    @property
    def extents(self) -> int:
        """How many sizes the types of the results do not tell."""
        return sum(static_shape(type).count(None) for type in self.results)

    def places(self) -> list[Type]:
        """The types of the arguments that say where the results go."""
        return [
            type for i, result in enumerate(self.results) for type in place_types(result, i in self.on_heap)
        ]

    def signature(self) -> list[Type]:
        """The types of the arguments of the wrapper."""
        extents = [extents_type()] if self.extents else []
        return [*self.inputs, *self.places(), record_type(), *extents]


def place_types(result: Type, on_heap: bool) -> list[Type]:
    """The types of the arguments that say where a result of a memref type goes."""
    return [table_type(), ir.IndexType.get()] if on_heap else [result]


def extents_type() -> Type:
    """The memref type of the sizes of results."""
    return ir.MemRefType.get([ir.ShapedType.get_dynamic_size()], ir.IndexType.get())


def interfaces(functions: list[Operation]) -> dict[str, FunctionInterface]:
    """The interfaces of the functions that are called, by name."""
    called = {
        call.attributes["callee"].value
        for function in functions
        for call in find(function, "func.call")
        if is_function_call(call)
    }
    found, updates = {}, note_updates(functions)
    for function in functions:
        name = function.attributes["sym_name"].value
        if name in called:
            type = ir.TypeAttr(function.attributes["function_type"]).value
            inputs = [t if isinstance(t, ir.MemRefType) else memref_type(t) for t in type.inputs]
            results = [memref_type(t) for t in type.results]
            found[name] = FunctionInterface(name, inputs, results, updates.get(name, (-1,) * len(results)))
    return found


@dataclass(frozen=True)
class Needs:
    """The memory that a planned function needs for a call."""

    workspace: int | None
    """Bytes; None when the sizes function tells."""
    sizes: str | None
    blocks: int


def build_wrapper(
    module: Module,
    interface: FunctionInterface,
    needs: Needs,
    failures: FailureSites,
    location: ir.Location,
    profile: Profile,
) -> None:
    """Make the wrapper of a planned function at the end of the module."""
    func = dialect("func")
    with location:
        with ir.InsertionPoint(module.body):
            function = func.FuncOp(wrapper_name(interface.name), (interface.signature(), []))
        with ir.InsertionPoint(function.add_entry_block()):
            arguments = list(function.entry_block.arguments)
            _Wrapper(interface, needs, failures, arguments, profile).build()
            func.ReturnOp([])


class _Wrapper:
    def __init__(
        self,
        interface: FunctionInterface,
        needs: Needs,
        failures: FailureSites,
        arguments: list[Value],
        profile: Profile,
    ) -> None:
        self._interface = interface
        self._needs = needs
        self._failures = failures
        self._arguments = arguments
        self._record = arguments[len(interface.inputs) + len(interface.places())]
        self._in_block = needs.workspace is None or needs.workspace > profile.stack_workspace_bytes
        self._blocks = needs.blocks + self._in_block

    def build(self) -> None:
        """Count the depth, call, and free what the call needed."""
        arith, scf, memref = dialect("arith"), dialect("scf"), dialect("memref")
        predicate = arith.CmpIPredicate
        here = memref.alloca(ir.MemRefType.get([1], ir.IntegerType.get_signless(64)), [], [])
        address = memref.extract_aligned_pointer_as_index(here)
        word = ir.IntegerType.get_signless(64)
        depth = self._load(DEPTH)
        too_deep = arith.cmpi(predicate.sle, depth, arith.constant(word, 0))
        too_low = arith.cmpi(predicate.ult, arith.index_cast(word, address), self._load(STACK))
        refuse = scf.IfOp(arith.ori(too_deep, too_low), has_else=True)
        with ir.InsertionPoint(refuse.then_block):
            self._failures.fill("RecursionError", "maximum recursion depth exceeded", [], self._record)
            scf.YieldOp([])
        with ir.InsertionPoint(refuse.else_block):
            self._store(arith.subi(depth, arith.constant(word, 1)), DEPTH)
            self._call_with_memory()
            self._store(depth, DEPTH)
            scf.YieldOp([])

    def _call_with_memory(self) -> None:
        memref = dialect("memref")
        table = None
        if self._blocks:
            entries = ir.MemRefType.get([self._blocks], table_type().element_type)
            table = memref.cast(table_type(), memref.alloca(entries, [], []))
            self._call_on_table(CLEAR, table)
        if not self._in_block:
            own = bytes_type(self._needs.workspace)
            self._call(memref.alloca(own, [], [], alignment=64), table)
        else:
            self._call_with_block(table)
        if table is not None:
            self._call_on_table(RELEASE, table)

    def _call_with_block(self, table: Value) -> None:
        """Take the workspace from the heap."""
        arith, scf, func, memref = dialect("arith"), dialect("scf"), dialect("func"), dialect("memref")
        index, bit = ir.IndexType.get(), ir.IntegerType.get_signless(1)
        if self._needs.sizes is None:
            size = arith.constant(index, self._needs.workspace)
        else:
            inputs = self._arguments[: len(self._interface.inputs)]
            size = func.CallOp([index], self._needs.sizes, inputs).result
        entry = arith.constant(index, self._needs.blocks)
        self._failures.declare(RESERVE, [table_type(), index, index], [bit])
        fits = func.CallOp([bit], RESERVE, [table, entry, size]).result
        branch = scf.IfOp(fits, has_else=True)
        with ir.InsertionPoint(branch.then_block):
            block = memref.load(table, [entry])
            if self._needs.workspace is not None:
                block = memref.cast(bytes_type(self._needs.workspace), block)
            self._call(block, table)
            scf.YieldOp([])
        with ir.InsertionPoint(branch.else_block):
            number = arith.index_cast(ir.IntegerType.get_signless(64), size)
            message = f"the intermediate arrays of {self._interface.name} need {{0}} bytes of memory"
            self._failures.fill("MemoryError", message, [number], self._record)
            scf.YieldOp([])

    def _call(self, workspace: Value, table: Value | None) -> None:
        first = len(self._interface.inputs) + len(self._interface.places())
        before, rest = self._arguments[:first], self._arguments[first + 1 :]
        blocks = [] if table is None or not self._needs.blocks else [table]
        dialect("func").CallOp([], self._interface.name, [*before, workspace, self._record, *blocks, *rest])

    def _call_on_table(self, name: str, table: Value) -> None:
        index = ir.IndexType.get()
        self._failures.declare(name, [table_type(), index], [])
        dialect("func").CallOp([], name, [table, dialect("arith").constant(index, self._blocks)])

    def _load(self, word: int) -> Value:
        return dialect("memref").load(self._record, [dialect("arith").constant(ir.IndexType.get(), word)])

    def _store(self, value: Value, word: int) -> None:
        position = dialect("arith").constant(ir.IndexType.get(), word)
        dialect("memref").store(value, self._record, [position])


def bytes_type(size: int | None) -> Type:
    """Memory of so many bytes; of any number where that is None."""
    extent = ir.ShapedType.get_dynamic_size() if size is None else size
    return ir.MemRefType.get([extent], ir.IntegerType.get_signless(8))
