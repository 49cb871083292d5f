"""Buffer planning: the function between the kernels works on memory that is laid out at compile time.

Before: the outlined function on tensors. After: a function of memrefs, which allocates nothing:

    func.func @f(inputs and written arguments..., results..., workspace: memref<?xi8>, record: memref<20xi64>)

Results are made in their out-parameters and updates happen in place wherever nobody reads the old value any
more; what else is needed lives in the workspace. Effects happen in program order: a written argument gets its
new value early only if no error can be raised in between and nobody reads the old one.
"""

from __future__ import annotations

from collections.abc import Callable

from ...dialect.errors import InternalError
from ...dialect.mlir import Block, Module, Operation, Value, dialect, ir
from ...dialect.ops.state import RaiseIf
from ...dialect.records import dataclass
from ...passes.base import Pass, Statistics
from ...passes.index_arithmetic import Extent, SharedConstants
from ...passes.notes import place_of, wanted
from ...passes.preconditions import require_lowered
from ...passes.rewriting import constant_integer, operations_in, settle_signature
from . import sizes_function
from .arena import Workspace
from .boundaries import KernelInterface, convert_kernel, data_type, kernel_functions, memref_type
from .buffer_assignment import Buffer, BufferAssignment, Kind, result_holder
from .calls import is_function_call, is_host_call
from .failures import FailureSites, record_type
from .functions import (
    FunctionInterface,
    Needs,
    build_wrapper,
    bytes_type,
    extents_type,
    interfaces,
    place_types,
)
from .heap import Block as Place
from .heap import Heap, table_type
from .host_calls import HostCalls, Placed
from .interrupts import insert_polls
from .lifetimes import Lifetimes
from .names import wrapper_name
from .outlining.op_kinds import VIEWS
from .outlining.outline import clone, entry_functions
from .plan import ALIGNMENT, Plan
from .plan_attributes import ON_HOST, attach_plans, packed_arguments
from .plannable import require_plannable
from .profile import DEVICE, PROCESSOR, Profile
from .regions import Regions
from .shapes import Shapes, Sizes, is_known_at_entry, static_shape, unknown_axes
from .terms import Terms
from .varying import varying_sizes


@dataclass(frozen=True)
class PlanBuffers(Pass):
    """Turn tensors into arguments, out-parameters and slots of one workspace."""

    device: bool = False
    """Whether kernels are for a GPU."""

    def require(self, module: Module) -> None:
        require_lowered(module, _TAKEN, before="outline-kernels")
        require_plannable(module)

    def run(self, module: Module, statistics: Statistics) -> None:
        plans = plan_buffers(module, profile=DEVICE if self.device else PROCESSOR)
        attach_plans(module, plans)
        for plan in plans:
            statistics["workspace bytes"] += plan.workspace or 0
            statistics["copies"] += plan.copies


_TAKEN = (
    *("raise_if", "sort", "argsort", "partition", "partition_at", "fill_random"),
    *("call_loop", "call_library"),
)
"""The ops of weft that are left, of which all but the first are in kernels."""


def plan_buffers(
    module: Module, workspaces: dict[str, Workspace] | None = None, profile: Profile = PROCESSOR
) -> list[Plan]:
    """Plan the memory of all public functions of an outlined module; the workspaces are noted where asked for."""
    failures = FailureSites(module)
    kernels = {name: convert_kernel(op, failures, profile) for name, op in kernel_functions(module).items()}
    program = _Program(
        module, failures, kernels, HostCalls(module, failures, is_native=profile is PROCESSOR), {}
    )
    functions = entry_functions(module)
    program.functions.update(interfaces(functions))
    plans = []
    for function in functions:
        location = function.location
        planner = _Planner(program, function)
        plan = planner.run()
        plans.append(plan)
        if workspaces is not None:
            workspaces[plan.name] = planner.workspace
        if plan.name in program.functions:
            needs = Needs(plan.workspace, plan.sizes, plan.blocks)
            build_wrapper(module, program.functions[plan.name], needs, failures, location, profile)
    program.host_calls.finish()
    return [plan._replace(polls=True) for plan in plans] if any(plan.polls for plan in plans) else plans


@dataclass(frozen=True)
class _Program:
    """What the functions of a module share."""

    module: Module
    failures: FailureSites
    kernels: dict[str, KernelInterface]
    host_calls: HostCalls
    functions: dict[str, FunctionInterface]
    """The functions that are called."""


class _Planner:
    """Rewrites one function; follows the program and keeps track of where every value is."""

    def __init__(self, program: _Program, function: Operation) -> None:
        self._program = program
        self._old = function
        self._failures = program.failures
        self._host_calls = program.host_calls
        self._kernels = program.kernels
        self._body: Block = function.regions[0].blocks[0]
        self._builder = SharedConstants()
        self._terms = Terms(self._builder)
        self._mapping: dict[Value, Value] = {}  # scalars and memrefs of the old function, to the new one
        self._varying = varying_sizes(function)
        self._sizes = Sizes(self._builder, self._mapping, self._varying)
        self._name: str = function.attributes["sym_name"].value
        interface = program.functions.get(self._name)
        self._on_heap = self._results_of_unknown_size() if interface is None else interface.on_heap
        self._calls = False
        self._handlers: dict[str, Callable[[Operation], None]] = {
            "arith.constant": self._define_constant,
            "bufferization.materialize_in_destination": self._write_argument,
            "bufferization.to_tensor": self._read_argument,
            "func.return": self._return,
            "scf.for": lambda op: self._regions.plan_for(op),
            "scf.if": lambda op: self._regions.plan_if(op),
            "scf.while": lambda op: self._regions.plan_while(op),
            "tensor.dim": self._dim,
            "tensor.extract": self._extract,
            "tensor.from_elements": self._store_elements,
            "tensor.insert": self._insert,
            RaiseIf.mlir_name(): self._raise_if,
        }
        self._globals = 0

    @property
    def workspace(self) -> Workspace:
        """Where the intermediates are."""
        return self._assignment.workspace

    def run(self) -> Plan:
        """Make the new function in place of the old one."""
        function_type = ir.TypeAttr(self._old.attributes["function_type"]).value
        inputs = [t if isinstance(t, ir.MemRefType) else memref_type(t) for t in function_type.inputs]
        results = [memref_type(t) for t in function_type.results]
        places = [t for i, type in enumerate(results) for t in place_types(type, i in self._on_heap)]
        extra = [bytes_type(None), record_type(), table_type(), extents_type()]
        func, arith = dialect("func"), dialect("arith")
        with self._old.location:
            with ir.InsertionPoint(self._old):
                new = func.FuncOp(self._name, ([*inputs, *places, *extra], []))
            block = self._block = new.add_entry_block()
            with ir.InsertionPoint(block):
                # Constants are put before it, all else comes behind it.
                self._start = arith.ConstantOp(ir.IndexType.get(), 0)
                self._words = self._host_calls.words(self._old)
                self._bind_arguments(block, len(inputs), len(results))
                first_site = len(self._failures.sites)
                self._plan_block(self._body)
                self._return(list(self._body.operations)[-1].operation)
                wanted = self._unknown_result_sizes()
                self._assignment.know_holders(list(self._body.operations)[-1].operation.operands)
                func.ReturnOp([])
            polls = insert_polls(new, self._record, self._failures)
            workspace = self._finish_workspace()
            self._drop_unused_arguments(new)
            sizes = self._build_sizes(new, len(inputs), wanted, workspace)
        packed = packed_arguments(self._old)
        on_host = frozenset(self._old.attributes.get(ON_HOST, ()))
        self._old.erase()
        sites = self._failures.sites
        raises = len(sites) > first_site or any(kernel.takes_record for kernel in self._kernels.values())
        if raises or polls or self._calls:
            with ir.InsertionPoint.at_block_begin(block), new.location:
                self._failures.clear(self._record)
        copies, blocks = self._assignment.copies, self._assignment.heap.size
        return Plan(
            self._name,
            [data_type(type) for type in inputs],
            [data_type(type) for type in results],
            workspace,
            sizes,
            sites,
            copies,
            blocks,
            self._on_heap,
            self._calls,
            polls or any(kernel.polls for kernel in self._kernels.values()),
            packed,
            frozenset(i for i, type in enumerate(function_type.inputs) if isinstance(type, ir.MemRefType)),
            on_host,
        )

    def _bind_arguments(self, block: Block, inputs: int, results: int) -> None:
        arguments = list(block.arguments)
        *placed, workspace, self._record, table, self._extents = arguments[inputs:]
        heap = Heap(table, self._builder, self._failures, self._record, self._name)
        lifetimes = Lifetimes(self._body, self._kernels, varying=self._varying)
        places = BufferAssignment(lifetimes, self._sizes, Workspace(self._builder), workspace, heap)
        for old, new in zip(self._body.arguments, arguments[:inputs], strict=True):
            self._mapping[old] = new
            if isinstance(old.type, ir.MemRefType):
                places.written[old] = Buffer(Kind.WRITTEN, new)
            else:
                places.settle(old, Buffer(Kind.INPUT, new))
        where = iter(placed)
        for index in range(results):
            if index in self._on_heap:
                block_of_caller = Place(next(where), next(where), is_spare=False)
                places.results.append(Buffer(Kind.BLOCK, None, block=block_of_caller))
            else:
                memref = next(where)
                places.results.append(
                    Buffer(Kind.RESULT, memref, holder=result_holder(memref, self._builder))
                )
        interface = self._program.functions.get(self._name)
        for result, updated in zip(
            places.results, () if interface is None else interface.updates, strict=False
        ):
            if updated >= 0:
                places.settle(self._body.arguments[updated], result)
        self._assignment = places
        self._regions = Regions(places, self._mapping, self._plan_block)

    def _plan_block(self, block: Block) -> None:
        """Rewrite all ops of a block but the terminator, which is for the caller."""
        operations = operations_in(block)
        for position, op in enumerate(operations[:-1]):
            self._assignment.position = position
            with op.location:
                self._rewrite(op)
            for value in self._assignment.lifetimes.ending.get(position, ()):
                self._assignment.leave(value)
        self._assignment.position = len(operations) - 1

    def _rewrite(self, op: Operation) -> None:
        handler = self._handlers.get(op.name)
        if handler is not None:
            handler(op)
        elif op.name == "func.call" and self._assignment.lifetimes.interface(op) is not None:
            self._call(op)
        elif is_host_call(op):
            self._call_host(op)
        elif is_function_call(op):
            self._call_function(op)
        elif op.name not in VIEWS and op.name != "tensor.empty":
            self._keep(op)

    def _read_argument(self, op: Operation) -> None:
        self._assignment.settle(op.results[0], self._assignment.written[op.operands[0]])

    def _write_argument(self, op: Operation) -> None:
        value, argument = op.operands
        self._assignment.store(value, self._assignment.written[argument])

    def _raise_if(self, op: Operation) -> None:
        condition, *values = (self._scalar(operand) for operand in op.operands)
        self._terms.expect(condition)
        self._failures.lower(op, condition, values, self._record)

    def _extract(self, op: Operation) -> None:
        tensor, *indices = op.operands
        element = dialect("memref").load(
            self._assignment.memref(tensor), [self._mapping[index] for index in indices]
        )
        self._mapping[op.results[0]] = element

    def _dim(self, op: Operation) -> None:
        self._mapping[op.results[0]] = self._builder.value(self._extent(op))

    def _return(self, op: Operation) -> None:
        places = self._assignment
        for value, result in zip(op.operands, places.results, strict=True):
            if result.block is None:
                places.copy(value, result, "is copied into the memory of the result")
        places.assign(list(op.operands), [result if result.block else None for result in places.results])
        extents = [
            extent for index in sorted(self._on_heap) for extent in self._result_extents(op.operands[index])
        ]
        for number, extent in enumerate(extents):
            dialect("memref").store(self._builder.value(extent), self._extents, [self._builder.value(number)])

    def _define_constant(self, op: Operation) -> None:
        if isinstance(op.results[0].type, ir.RankedTensorType):
            self._assignment.settle(op.results[0], self._constant(op))
        else:
            self._keep(op)

    def _keep(self, op: Operation) -> None:
        if any(isinstance(value.type, ir.RankedTensorType) for value in [*op.operands, *op.results]):
            raise InternalError(f"{op.name} on tensors is left outside of kernels", at=str(op.location))
        clone(op, self._mapping)

    # Kernel calls

    def _call(self, op: Operation) -> None:
        places = self._assignment
        interface = places.lifetimes.interface(op)
        assert interface is not None
        pairs = places.lifetimes.destinations(op)
        inputs = list(op.operands)[: len(op.operands) - len(pairs)]
        for value in inputs:
            if isinstance(value.type, ir.MemRefType):  # the kernel reads and writes it in program order
                places.vacate(places.written[value], places.position)
        arguments = [self._argument(value) for value in inputs]  # gives a home to what was never written
        busy = {
            places.home[places.lifetimes.root[v]] for v in inputs if isinstance(v.type, ir.RankedTensorType)
        }
        for result, destination in pairs:
            buffer = places.destination(result, destination, busy)
            busy.add(buffer)
            arguments.append(places.view(result, buffer))
            places.settle(result, buffer)
        if interface.takes_record:
            arguments.append(self._record)
        scalars = list(op.results)[len(pairs) :]
        call = dialect("func").CallOp(
            [value.type for value in scalars], op.attributes["callee"].value, arguments
        )
        self._mapping.update(zip(scalars, call.results, strict=True))
        if interface.takes_record:
            self._failures.propagate(self._record)

    def _call_function(self, op: Operation) -> None:
        """Call another function of the program: results that may have any size come in heap blocks."""
        places, memref = self._assignment, dialect("memref")
        interface = self._program.functions[op.attributes["callee"].value]
        self._calls = True
        arguments = [self._argument(value) for value in op.operands]
        read = [value for i, value in enumerate(op.operands) if i not in interface.updates]
        tensors = [value for value in read if isinstance(value.type, ir.RankedTensorType)]
        busy = {places.home[places.lifetimes.root[value]] for value in tensors}
        buffers = []
        for index, (result, updated) in enumerate(zip(op.results, interface.updates, strict=True)):
            on_heap = index in interface.on_heap
            if updated >= 0:
                buffer = places.destination(result, op.operands[updated], busy)
                arguments[updated] = places.view(result, buffer)
            else:
                buffer = places.choose_growing(result, busy) if on_heap else places.choose(result, busy)
            busy.add(buffer)
            buffers.append(places.pin(buffer))
            if buffer.block is not None and on_heap:
                arguments += [buffer.block.table, self._builder.value(buffer.block.index)]
            else:
                arguments.append(places.view(result, buffer))
        arguments.append(self._record)
        extents = None
        if interface.extents:
            with ir.InsertionPoint.at_block_begin(self._block):
                table = memref.alloca(ir.MemRefType.get([interface.extents], ir.IndexType.get()), [], [])
                extents = memref.cast(extents_type(), table)
            arguments.append(extents)
        dialect("func").CallOp([], wrapper_name(interface.name), arguments)
        self._failures.propagate(self._record)
        for number, (result, axis) in enumerate(unknown_axes(op.results)):
            self._sizes.know(result, axis, memref.load(extents, [self._builder.value(number)]))
        for result, buffer in zip(op.results, buffers, strict=True):
            buffer.renew()
            places.settle(result, buffer)
            places.unpin(buffer)

    def _call_host(self, op: Operation) -> None:
        """Call Python; its results are copied to where they are wanted, once all is known to fit.

        The last operands say the extents that the types of the results do not tell.
        """
        places = self._assignment
        unknown = unknown_axes(op.results)
        for (result, axis), extent in zip(
            unknown, list(op.operands)[len(op.operands) - len(unknown) :], strict=True
        ):
            index = dialect("arith").index_cast(ir.IndexType.get(), self._scalar(extent))
            self._sizes.know(result, axis, index)
        operands = [Placed(places.memref(value), self._sizes.of(value)) for value in op.operands]
        results = []
        for result in op.results:
            buffer = places.choose(result)
            places.settle(result, buffer)
            results.append(Placed(places.view(result, buffer), self._sizes.of(result)))
        self._host_calls.lower(op, [*operands, *results], self._words, self._record, self._builder)

    def _insert(self, op: Operation) -> None:
        """Update one element."""
        element, destination, *indices = op.operands
        buffer = self._assignment.destination(op.results[0], destination, set())
        self._assignment.settle(op.results[0], buffer)
        memref = self._assignment.view(op.results[0], buffer)
        dialect("memref").store(self._mapping[element], memref, [self._mapping[index] for index in indices])

    def _argument(self, value: Value) -> Value:
        return (
            self._assignment.memref(value)
            if isinstance(value.type, ir.RankedTensorType)
            else self._mapping[value]
        )

    def _scalar(self, value: Value) -> Value:
        """The element of a rank-0 tensor."""
        owner = value.owner
        if not isinstance(owner, ir.Block) and owner.operation.name == "tensor.from_elements":
            return self._mapping[owner.operation.operands[0]]
        if not isinstance(value.type, ir.RankedTensorType):
            return self._mapping[value]
        return dialect("memref").load(self._assignment.memref(value), [])

    def _store_elements(self, op: Operation) -> None:
        result = op.results[0]
        if all(use.owner.name == RaiseIf.mlir_name() for use in result.uses):
            return
        buffer = self._assignment.choose(result)
        self._assignment.settle(result, buffer)
        memref = self._assignment.view(result, buffer)
        shape = list(result.type.shape)
        for number, element in enumerate(op.operands):
            indices = []
            for extent in reversed(shape):
                indices.append(self._builder.value(number % extent))
                number //= extent
            dialect("memref").store(self._mapping[element], memref, indices[::-1])

    def _constant(self, op: Operation) -> Buffer:
        memref = dialect("memref")
        type = memref_type(op.results[0].type)
        name = f"{self._name}_constant_{self._globals}"
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
        with ir.InsertionPoint.at_block_begin(self._block):
            return Buffer(Kind.CONSTANT, memref.get_global(type, name))

    def _extent(self, op: Operation) -> Extent:
        axis = constant_integer(op.operands[1])
        if axis is None:
            raise InternalError("tensor.dim of an axis that is not constant", at=str(op.location))
        return self._sizes.of(op.operands[0])[axis]

    # The end

    def _finish_workspace(self) -> int | None:
        places = self._assignment
        holders = [result.holder for result in places.results if result.holder is not None]
        if wanted():
            places.workspace.names = [place_of(argument.location).name for argument in self._body.arguments]
        with ir.InsertionPoint.after(self._start.operation):
            self._end = places.workspace.finish(holders, self._terms)
        static = self._end if isinstance(self._end, int) else None
        places.workspace_memref.set_type(bytes_type(static))
        return static

    def _drop_unused_arguments(self, function: Operation) -> None:
        """Remove the table of heap blocks and the sizes of results where there are none."""
        block = function.regions[0].blocks[0]
        last = sum(1 for _ in block.arguments) - 1
        if not self._on_heap:
            block.erase_argument(last)
        if not self._assignment.heap.size:
            block.erase_argument(last - 1)
        settle_signature(function)

    def _results_of_unknown_size(self) -> frozenset[int]:
        """The results whose size is not known when the function is called."""
        shapes = Shapes(self._varying)
        values = list(self._body.operations)[-1].operands
        return frozenset(
            index
            for index, value in enumerate(values)
            if not all(is_known_at_entry(shapes.in_full(size)) for size in shapes.of(value))
        )

    def _unknown_result_sizes(self) -> list[Extent]:
        """The sizes that the types of the results do not tell; may make index arithmetic."""
        return_op = list(self._body.operations)[-1].operation
        return [
            extent
            for index, value in enumerate(return_op.operands)
            if index not in self._on_heap
            for extent in self._result_extents(value)
        ]

    def _build_sizes(
        self, function: Operation, inputs: int, wanted: list[Extent], workspace: int | None
    ) -> str | None:
        if not wanted and workspace is not None:
            return None
        return sizes_function.build_sizes_function(function, inputs, [*wanted, self._end])

    def _result_extents(self, value: Value) -> list[Extent]:
        """The sizes of a result that its type does not tell."""
        shape = static_shape(value.type)
        extents = self._sizes.of(value)
        return [known for known, extent in zip(extents, shape, strict=True) if extent is None]
