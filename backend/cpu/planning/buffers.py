"""Buffer planning: the function between the kernels works on memory that is laid out at compile time.

Before: the outlined function on tensors. After: a function of memrefs, which allocates nothing:

    func.func @f(inputs and written arguments..., results..., workspace: memref<?xi8>, record: memref<16xi64>)

Results are made in their out-parameters and updates happen in place wherever nobody reads the old value any
more; what else is needed lives in the workspace. Effects happen in program order: a written argument gets its
new value early only if no error can be raised in between and nobody reads the old one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import ClassVar

from ....dialect.errors import InternalError
from ....dialect.mlir import Block, Module, Operation, Type, Value, dialect, ir
from ....passes.base import Pass, Statistics
from .arena import ALIGNMENT, Slot, Workspace
from .boundaries import KernelInterface, convert_kernel, kernel_functions, memref_type
from .clusters import VIEWS
from .failures import FailureSites, Site, record_type
from .lifetimes import Lifetimes, Write
from .outline import clone, entry_functions
from .shapes import Extent, IndexBuilder, Sizes, static_shape
from .sizes_function import build_sizes_function


@dataclass(frozen=True)
class PlanBuffers(Pass):
    """Give every tensor between kernels a place in memory."""

    name: ClassVar[str] = "plan-buffers"
    summary: ClassVar[str] = "turn tensors into arguments, out-parameters and slots of one workspace"

    def run(self, module: Module, statistics: Statistics) -> None:
        for plan in plan_buffers(module):
            statistics["workspace bytes"] += plan.workspace or 0
            statistics["copies"] += plan.copies


@dataclass(frozen=True)
class Plan:
    """How the planned function is called: inputs, results, workspace and error record, in this order."""

    name: str
    inputs: list[Type]
    results: list[Type]
    workspace: int | None
    """Bytes of the workspace; None when it depends on the sizes of the arguments."""
    sizes: str | None
    """The function that computes the dynamic sizes of results and workspace, where there are any."""
    sites: list[Site]
    copies: int


def plan_buffers(module: Module) -> list[Plan]:
    """Plan the memory of all public functions of an outlined module."""
    failures = FailureSites(module)
    kernels = {name: convert_kernel(op, failures) for name, op in kernel_functions(module).items()}
    return [_Planner(module, function, kernels, failures).run() for function in entry_functions(module)]


class _Kind(Enum):
    INPUT = auto()  # an argument that is only read
    WRITTEN = auto()  # an argument that the program writes
    RESULT = auto()  # an out-parameter
    TEMPORARY = auto()  # a slot of the workspace
    CONSTANT = auto()


@dataclass(eq=False)
class _Buffer:
    """Memory, and the classes of values that lie in it now."""

    kind: _Kind
    memref: Value | None  # None for temporaries
    slot: Slot | None = None
    residents: set[Value] = field(default_factory=set)


class _Planner:
    """Rewrites one function; follows the program and keeps track of where every value is."""

    def __init__(
        self, module: Module, function: Operation, kernels: dict[str, KernelInterface], failures: FailureSites
    ) -> None:
        self._module = module
        self._old = function
        self._failures = failures
        self._body: Block = function.regions[0].blocks[0]
        self._lifetimes = Lifetimes(self._body, kernels)
        self._builder = IndexBuilder()
        self._mapping: dict[Value, Value] = {}  # scalars and memrefs of the old function, to the new one
        self._sizes = Sizes(self._builder, self._mapping)
        self._home: dict[Value, _Buffer] = {}  # by class
        self._memrefs: dict[tuple[object, ...], Value] = {}
        self._byte_sizes: dict[tuple[object, ...], Extent] = {}
        self._written: dict[Value, _Buffer] = {}  # by argument of the old function
        self._handlers: dict[str, Callable[[Operation], None]] = {
            "arith.constant": self._define_constant,
            "bufferization.materialize_in_destination": self._write_argument,
            "bufferization.to_tensor": self._read_argument,
            "func.return": self._return,
            "tensor.dim": self._dim,
            "tensor.extract": self._extract,
            "tensor.from_elements": self._store_elements,
            "tensor.insert": self._insert,
            "weft.raise_if": self._raise_if,
        }
        self._position = 0
        self._globals = 0
        self._copies = 0

    def run(self) -> Plan:
        """Make the new function in place of the old one."""
        name: str = self._old.attributes["sym_name"].value
        function_type = ir.TypeAttr(self._old.attributes["function_type"]).value
        inputs = [t if isinstance(t, ir.MemRefType) else memref_type(t) for t in function_type.inputs]
        results = [memref_type(t) for t in function_type.results]
        func, arith = dialect("func"), dialect("arith")
        with self._old.location:
            with ir.InsertionPoint(self._old):
                new = func.FuncOp(name, ([*inputs, *results, _bytes_type(None), record_type()], []))
            block = new.add_entry_block()
            with ir.InsertionPoint(block):
                self._base = arith.ConstantOp(ir.IndexType.get(), 0)
                self._workspace = Workspace(self._builder, self._base.result)
                self._bind_arguments(block, len(inputs), len(results))
                first_site = len(self._failures.sites)
                self._rewrite_body()
                wanted = self._unknown_result_sizes()
                func.ReturnOp([])
            workspace = self._finish_workspace(new)
            sizes = self._build_sizes(new, wanted, workspace)
        self._old.erase()
        sites = self._failures.sites
        if len(sites) > first_site or any(kernel.may_raise for kernel in self._lifetimes.kernels.values()):
            with ir.InsertionPoint.at_block_begin(block), new.location:
                self._failures.clear(self._record)
        return Plan(name, inputs, results, workspace, sizes, sites, self._copies)

    def _bind_arguments(self, block: Block, inputs: int, results: int) -> None:
        arguments = list(block.arguments)
        for old, new in zip(self._body.arguments, arguments[:inputs], strict=True):
            self._mapping[old] = new
            if isinstance(old.type, ir.MemRefType):
                self._written[old] = _Buffer(_Kind.WRITTEN, new)
            else:
                self._settle(old, _Buffer(_Kind.INPUT, new))
        self._results = [_Buffer(_Kind.RESULT, new) for new in arguments[inputs : inputs + results]]
        self._workspace_memref, self._record = arguments[inputs + results :]

    def _rewrite_body(self) -> None:
        for position, view in enumerate(self._body.operations):
            self._position = position
            op = view.operation
            with op.location:
                self._rewrite(op)
            for value in self._lifetimes.ending.get(position, ()):
                self._leave(value)

    def _rewrite(self, op: Operation) -> None:
        handler = self._handlers.get(op.name)
        if handler is not None:
            handler(op)
        elif op.name == "func.call" and self._lifetimes.interface(op) is not None:
            self._call(op)
        elif op.name not in VIEWS and op.name != "tensor.empty":
            self._keep(op)

    def _read_argument(self, op: Operation) -> None:
        self._settle(op.results[0], self._written[op.operands[0]])

    def _raise_if(self, op: Operation) -> None:
        condition, *values = (self._scalar(operand) for operand in op.operands)
        self._failures.lower(op, condition, values, self._record)

    def _extract(self, op: Operation) -> None:
        tensor, *indices = op.operands
        element = dialect("memref").load(self._memref(tensor), [self._mapping[index] for index in indices])
        self._mapping[op.results[0]] = element

    def _dim(self, op: Operation) -> None:
        self._mapping[op.results[0]] = self._builder.value(self._extent(op))

    def _return(self, op: Operation) -> None:
        for value, result in zip(op.operands, self._results, strict=True):
            self._copy(value, result)

    def _define_constant(self, op: Operation) -> None:
        if isinstance(op.results[0].type, ir.RankedTensorType):
            self._settle(op.results[0], self._constant(op))
        else:
            self._keep(op)

    def _keep(self, op: Operation) -> None:
        if any(isinstance(value.type, ir.RankedTensorType) for value in [*op.operands, *op.results]):
            raise InternalError(f"{op.location}: {op.name} on tensors is left outside of kernels")
        clone(op, self._mapping)

    # Kernel calls

    def _call(self, op: Operation) -> None:
        interface = self._lifetimes.interface(op)
        assert interface is not None
        pairs = self._lifetimes.destinations(op)
        inputs = list(op.operands)[: len(op.operands) - len(pairs)]
        for value in inputs:
            if value in self._written:  # the kernel reads and writes it in program order
                self._vacate(self._written[value], self._position)
        arguments = [self._argument(value) for value in inputs]  # gives a home to what was never written
        read = {
            self._home[self._lifetimes.root[v]] for v in inputs if isinstance(v.type, ir.RankedTensorType)
        }
        taken: set[_Buffer] = set()
        for result, destination in pairs:
            buffer = self._destination(result, destination, read, taken)
            taken.add(buffer)
            arguments.append(self._view(result, buffer))
            self._settle(result, buffer)
        if interface.may_raise:
            arguments.append(self._record)
        scalars = list(op.results)[len(pairs) :]
        call = dialect("func").CallOp(
            [value.type for value in scalars], op.attributes["callee"].value, arguments
        )
        self._mapping.update(zip(scalars, call.results, strict=True))
        if interface.may_raise:
            self._failures.propagate(self._record)

    def _insert(self, op: Operation) -> None:
        """Update one element."""
        element, destination, *indices = op.operands
        buffer = self._destination(op.results[0], destination, set(), set())
        self._settle(op.results[0], buffer)
        memref = self._view(op.results[0], buffer)
        dialect("memref").store(self._mapping[element], memref, [self._mapping[index] for index in indices])

    def _argument(self, value: Value) -> Value:
        return self._memref(value) if isinstance(value.type, ir.RankedTensorType) else self._mapping[value]

    def _destination(
        self, result: Value, destination: Value, read: set[_Buffer], taken: set[_Buffer]
    ) -> _Buffer:
        """The buffer that a kernel writes a result to; it holds the old value when the kernel updates one."""
        updated = self._lifetimes.root[destination]
        home = self._home.get(updated)
        if home is None:
            return self._choose(result)
        if home not in read and home not in taken and self._may_update(result, updated, home):
            return home
        buffer = self._choose(result)
        source = self._memref(destination)
        self._copies += 1
        dialect("memref").copy(source, self._view(destination, buffer))
        return buffer

    def _may_update(self, result: Value, updated: Value, home: _Buffer) -> bool:
        if self._lifetimes.last_use[updated] > self._position:
            return False
        if home.kind is _Kind.WRITTEN:
            write = self._lifetimes.write_of.get(result)
            return (
                write is not None and self._written[write.argument] is home and self._is_free(write, updated)
            )
        return home.kind in (_Kind.TEMPORARY, _Kind.RESULT)

    # Where values are

    def _choose(self, value: Value) -> _Buffer:
        """The best buffer for a new value: where it must end up, if it may be written there now."""
        write = self._lifetimes.write_of.get(value)
        if write is not None and self._is_free(write, None):
            return self._written[write.argument]
        return self._elsewhere(value)

    def _elsewhere(self, value: Value) -> _Buffer:
        """A buffer for a new value that is no written argument."""
        result = self._lifetimes.result_of.get(value)
        return self._temporary(value) if result is None else self._results[result]

    def _temporary(self, value: Value) -> _Buffer:
        extents = self._sizes.of(value)
        width = byte_width(value.type.element_type)
        key = (*extents, "x", width)
        size = self._byte_sizes.get(key)
        if size is None:
            size = self._builder.multiply(self._builder.product(extents), width)
            size = self._byte_sizes[key] = self._builder.round_up(size, ALIGNMENT)
        return _Buffer(_Kind.TEMPORARY, None, self._workspace.allocate(size))

    def _is_free(self, write: Write, updated: Value | None) -> bool:
        """Whether a written argument may get its next value now; `updated` is the value that it replaces."""
        if not self._lifetimes.may_write_early(write, self._position):
            return False
        residents = self._written[write.argument].residents - ({updated} if updated is not None else set())
        return all(self._lifetimes.last_use[value] < self._position for value in residents)

    def _settle(self, value: Value, buffer: _Buffer) -> None:
        previous = self._home.get(value)
        if previous is not None:
            previous.residents.discard(value)
        self._home[value] = buffer
        buffer.residents.add(value)

    def _leave(self, value: Value) -> None:
        """A class is not used any more; its memory is free unless something else lies there."""
        buffer = self._home.get(value)
        if buffer is None:
            return
        buffer.residents.discard(value)
        if buffer.kind is _Kind.TEMPORARY and not buffer.residents and buffer.slot is not None:
            self._workspace.release(buffer.slot)

    def _write_argument(self, op: Operation) -> None:
        """Store a value to a written argument; old contents still needed are moved elsewhere first."""
        value, buffer = op.operands[0], self._written[op.operands[1]]
        root = self._lifetimes.root[value]
        if self._home.get(root) is buffer:
            return
        self._vacate(buffer, self._position + 1)
        self._copy(value, buffer)

    def _vacate(self, buffer: _Buffer, position: int) -> None:
        """Move values that are used at a position or later out of a buffer that is about to be overwritten."""
        for resident in list(buffer.residents):
            if self._lifetimes.last_use[resident] >= position:
                place = self._elsewhere(resident)
                self._copy(resident, place)
                self._settle(resident, place)

    def _copy(self, value: Value, buffer: _Buffer) -> None:
        home = self._home.get(self._lifetimes.root[value])
        if home is None or home is buffer:
            return
        self._copies += 1
        dialect("memref").copy(self._memref(value), self._view(value, buffer))

    # Making memrefs

    def _memref(self, value: Value) -> Value:
        """The memory of a value, in its own shape."""
        home = self._home.get(self._lifetimes.root[value])
        if home is None:
            home = self._temporary(value)  # a tensor that nothing was written to
            self._settle(self._lifetimes.root[value], home)
        return self._view(value, home)

    def _view(self, value: Value, buffer: _Buffer) -> Value:
        type = memref_type(value.type)
        extents = self._sizes.typed(value)
        # Two unknown sizes may be swapped by a reshape, although the type is the same.
        if buffer.memref is not None and buffer.memref.type == type and static_shape(type).count(None) < 2:
            return buffer.memref
        key = (buffer if buffer.slot is None else buffer.slot.offset, type, *extents)
        found = self._memrefs.get(key)
        if found is None:
            found = self._memrefs[key] = self._make_view(type, extents, buffer)
        return found

    def _make_view(self, type: Type, extents: list[Extent], buffer: _Buffer) -> Value:
        if buffer.memref is not None:
            return reshape(buffer.memref, type, extents, self._builder)
        assert buffer.slot is not None
        offset = self._builder.value(buffer.slot.offset)
        dynamic = [extent for extent in extents if not isinstance(extent, int)]
        return dialect("memref").view(type, self._workspace_memref, offset, dynamic)

    def _scalar(self, value: Value) -> Value:
        """The element of a rank-0 tensor."""
        owner = value.owner
        if not isinstance(owner, ir.Block) and owner.operation.name == "tensor.from_elements":
            return self._mapping[owner.operation.operands[0]]
        if not isinstance(value.type, ir.RankedTensorType):
            return self._mapping[value]
        return dialect("memref").load(self._memref(value), [])

    def _store_elements(self, op: Operation) -> None:
        result = op.results[0]
        if all(use.owner.name == "weft.raise_if" for use in result.uses):
            return
        buffer = self._choose(result)
        self._settle(result, buffer)
        memref = self._view(result, buffer)
        shape = list(result.type.shape)
        for number, element in enumerate(op.operands):
            indices = []
            for extent in reversed(shape):
                indices.append(self._builder.value(number % extent))
                number //= extent
            dialect("memref").store(self._mapping[element], memref, indices[::-1])

    def _constant(self, op: Operation) -> _Buffer:
        memref = dialect("memref")
        type = memref_type(op.results[0].type)
        name = f"{self._old.attributes['sym_name'].value}_constant_{self._globals}"
        self._globals += 1
        with ir.InsertionPoint(self._old):
            memref.GlobalOp(
                name,
                ir.TypeAttr.get(type),
                sym_visibility="private",
                initial_value=op.attributes["value"],
                constant=True,
                alignment=ALIGNMENT,
            )
        return _Buffer(_Kind.CONSTANT, memref.get_global(type, name))

    def _extent(self, op: Operation) -> Extent:
        index = op.operands[1].owner
        if isinstance(index, ir.Block) or index.operation.name != "arith.constant":
            raise InternalError(f"{op.location}: tensor.dim of an axis that is not constant")
        axis: int = index.operation.attributes["value"].value
        return self._sizes.of(op.operands[0])[axis]

    # The end

    def _finish_workspace(self, function: Operation) -> int | None:
        static = self._workspace.static.size
        self._base.operation.attributes["value"] = ir.IntegerAttr.get(ir.IndexType.get(), static)
        dynamic = self._workspace.end.owner != self._base.operation
        self._workspace_memref.set_type(_bytes_type(None if dynamic else static))
        inputs = [argument.type for argument in function.regions[0].blocks[0].arguments]
        function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, []))
        return None if dynamic else static

    def _unknown_result_sizes(self) -> list[Extent]:
        """The sizes that the types of the results do not tell; may make index arithmetic."""
        return_op = list(self._body.operations)[-1].operation
        return [
            extent
            for value in return_op.operands
            for extent in self._result_extents(value)
            if extent is not None
        ]

    def _build_sizes(self, function: Operation, wanted: list[Extent], workspace: int | None) -> str | None:
        if not wanted and workspace is not None:
            return None
        total = self._workspace.end if workspace is None else workspace
        return build_sizes_function(function, [*wanted, total])

    def _result_extents(self, value: Value) -> list[Extent]:
        """The sizes of a result that its type does not tell."""
        shape = static_shape(value.type)
        extents = self._sizes.of(value)
        return [known for known, extent in zip(extents, shape, strict=True) if extent is None]


def reshape(memref: Value, type: Type, extents: list[Extent], builder: IndexBuilder) -> Value:
    """The same contiguous memory in another shape."""
    strides: list[Extent] = [1] * len(extents)
    for axis in range(len(extents) - 2, -1, -1):
        strides[axis] = builder.multiply(strides[axis + 1], extents[axis + 1])
    dynamic = ir.ShapedType.get_dynamic_size()
    static_sizes = [extent if isinstance(extent, int) else dynamic for extent in extents]
    static_strides = [stride if isinstance(stride, int) else dynamic for stride in strides]
    strided = ir.MemRefType.get(static_sizes, type.element_type, ir.StridedLayoutAttr.get(0, static_strides))
    dialect_ = dialect("memref")
    cast = dialect_.reinterpret_cast(
        strided,
        memref,
        [],
        [extent for extent in extents if not isinstance(extent, int)],
        [stride for stride in strides if not isinstance(stride, int)],
        [0],
        static_sizes,
        static_strides,
    )
    return dialect_.cast(type, cast)


def byte_width(type: Type) -> int:
    """The bytes of one element in memory."""
    if isinstance(type, ir.ComplexType):
        return 2 * byte_width(type.element_type)
    if isinstance(type, ir.IndexType):
        return 8
    return max(1, int(type.width) // 8)


def _bytes_type(size: int | None) -> Type:
    extent = ir.ShapedType.get_dynamic_size() if size is None else size
    return ir.MemRefType.get([extent], ir.IntegerType.get_signless(8))
