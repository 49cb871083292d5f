"""A device kernel under construction: a `gpu.module` with one function, and its launch in the kernel function.

    gpu.module @kernel_0_device { gpu.func @kernel_0(%x: memref<f32>, %y: memref<4xf32>, %n: index) kernel ... }

Arrays are passed as one pointer each: as memref of static extents, or as memref of rank 0 where extents are not known;
such extents follow behind the arrays and numbers, and the memref is made of both inside. Complex numbers are two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, TypeAlias

from ....dialect.made_ops import function_of, operation_of
from ....dialect.mlir import Module, Operation, Type, Value, ir
from ....passes.rewriting import operations_in
from ...nests.emit import Emitter, Index, create, load, scalar
from ...nests.independence import roots
from ...nests.nest import LoopNest, loop_nest, memref_size
from ...planning.names import EXIT
from ..placement.place_kernels import guard_of
from .captures import captures, inner_operations, outer_operands, writes_of
from .control import compare, only_if

SCHEDULE = "weft.schedule"
"""On `gpu.func`: how the kernel is spread over threads, and why so."""
SHARED_BYTES = "weft.shared_bytes"
"""On `gpu.func`: the shared memory that a launch gives to a block, besides what it has."""
LEAST_BLOCKS = "nvvm.minctasm"
"""On `gpu.func`: for how many blocks a multiprocessor is to have registers."""
TENSOR_MAPS = "weft.tensor_maps"
"""On `gpu.func`: which parameters are tensor maps, which the driver copies as they are."""


_REGISTERS = {"thread_id": "tid", "block_id": "ctaid"}
"""The special registers with numbers of the thread."""
_SHARED_ALIGNMENT = 16
_DYNAMIC = ir.ShapedType.get_dynamic_size()
_SEGMENTS = "operandSegmentSizes"


Axis: TypeAlias = "tuple[Value, int]"
"""An axis of an array."""


def device_module_name(kernel: str) -> str:
    """The name of the `gpu.module` with the device kernels of a kernel function."""
    return f"{kernel}_device"


class Kernel:
    """Writes one device kernel; code is written inside of `body()`, and `launch` comes last."""

    def __init__(
        self,
        function: Operation,
        name: str,
        ops: Sequence[Operation],
        threads: tuple[int, int, int],
        values: Sequence[Value] = (),
        local: Sequence[Value] = (),
        given: Sequence[Value] = (),
        writes: Sequence[Value] = (),
        exchanges: bool = False,
    ) -> None:
        """A kernel that runs some operations of a kernel function, in blocks of so many threads, and asks for values.

        Memory that is `local` it has no need of: only extents are passed, and nothing in it may be asked for. What is
        `given` is passed as it is, so that another launch can give another value. What it writes besides operations is
        said by `writes`. If threads exchange what they write (`exchanges`), it may change at every barrier.

        Raises `NotScheduled` where they take what other operations made.
        """
        self.name, self.threads = name, threads
        guard = guard_of(function)
        if guard is not None:
            values = [*values, guard]
        self._values: dict[Value, Value] = {}
        self._made: set[Value] = set()
        """What operations in here make that are not made again where they are asked for."""
        captured = [value for value in captures(ops, values) if value not in local]
        self._captured = list(dict.fromkeys([*captured, *given]))
        self._function = function
        self._parameters = [type for v in self._captured for type in _parameter_types(v.type)]
        same = _same_extents(ops)
        extents = {
            (v, axis): same.get((v, axis), (v, axis))
            for v in [*self._captured, *local]
            for axis in _unknown_axes(v)
        }
        self._extents = list(dict.fromkeys(extents.values()))
        """Of which axes extents are passed, as they are not known: one of those that are equal."""
        module = _device_module(function)
        with ir.InsertionPoint(module.regions[0].blocks[0]), function.location:
            types = [*self._parameters, *[ir.IndexType.get()] * len(self._extents)]
            memrefs = [memref for op in (*ops, *inner_operations(ops)) for memref in writes_of(op)]
            written = {root for memref in (*memrefs, *writes) for root in roots(memref)}
            read = [
                isinstance(v.owner, ir.Block) and v not in written
                for v in self._captured
                for _ in _parameter_types(v.type)
            ]
            self.operation = _function_operation(name, types, read, threads, exchanges)
            maps = [number for number, type in enumerate(types) if is_tensor_map(type)]
            if maps:
                self.operation.attributes[TENSOR_MAPS] = ir.DenseI64ArrayAttr.get(maps)
            block = self.operation.regions[0].blocks[0]
            self.emitter = Emitter(self.operation)
            with ir.InsertionPoint(block):
                self._return = operation_of("gpu.return")
        self._shared = 0
        with self.body():
            self._bind(list(block.arguments), extents, local)
            # What is made again is put before it, where all that follows sees it.
            self._start = scalar(ir.IndexType.get(), 0).owner
            if guard is not None:
                self._return_on_failure(self._values[guard])

    def _return_on_failure(self, record: Value) -> None:
        """Do nothing once a check has failed, of a kernel before or of another part of this one."""
        emitter = self.emitter
        failed = load(record, [emitter.value(0)])
        with only_if(compare("ne", failed, scalar(failed.type, 0))):
            declare_exit(self.operation)
            operation_of("func.call", callee=ir.FlatSymbolRefAttr.get(EXIT))

    @contextmanager
    def body(self) -> Iterator[None]:
        """Write at the end of the kernel."""
        with ir.InsertionPoint(self._return), self._function.location:
            yield

    @contextmanager
    def nests(self, ops: Sequence[Operation]) -> Iterator[list[LoopNest]]:
        """Write at the end of the kernel what becomes of operations, whose copies are there as long as that takes."""
        with self.body():
            copies = [self.clone(op) for op in ops]
            yield [loop_nest(copy) for copy in copies]
            for copy in copies:
                copy.erase()

    def _bind(self, arguments: list[Value], extents: Mapping[Axis, Axis], local: Sequence[Value]) -> None:
        passed = dict(zip(self._extents, arguments[len(self._parameters) :], strict=True))
        sizes = {axis: passed[other] for axis, other in extents.items()}
        remaining = iter(arguments)
        for outer in self._captured:
            first, *rest = (next(remaining) for _ in _parameter_types(outer.type))
            if rest:
                first = create("complex.create", [outer.type], [first, *rest])
            elif first.type != outer.type:
                first = self._array(first, outer, sizes)
            self._values[outer] = first
        for outer in local:
            (type,) = _parameter_types(outer.type)
            nowhere = create("ub.poison", [type], [])
            self._values[outer] = nowhere if type == outer.type else self._array(nowhere, outer, sizes)

    def _array(self, pointer: Value, outer: Value, sizes: Mapping[Axis, Value]) -> Value:
        """The memref of unknown extents behind a pointer."""
        shape = list(outer.type.shape)
        extents: list[Index] = [
            sizes[outer, axis] if extent == _DYNAMIC else extent for axis, extent in enumerate(shape)
        ]
        strides: list[Index] = [1]
        for extent in reversed(extents[1:]):
            strides.insert(0, self.emitter.multiply(strides[0], extent))
        return reinterpret(pointer, outer.type, extents, strides)

    # What the kernel is made of

    def value(self, outer: Value) -> Value:
        """What a value of the kernel function is in here; numbers and views are made again."""
        if outer not in self._values:
            op = outer.owner.operation
            if self._follows(op):
                self.clone(op)
            else:
                with ir.InsertionPoint(self._start):
                    self._clone(op)
        return self._values[outer]

    def _follows(self, op: Operation) -> bool:
        """Whether an operation uses what others in here make, and so has to stay behind them."""
        pending, seen = [op], set[Value]()
        while pending:
            for operand in outer_operands(pending.pop()):
                if operand in self._made:
                    return True
                if operand not in self._values and operand not in seen:
                    seen.add(operand)
                    pending.append(operand.owner.operation)
        return False

    def bind(self, outer: Value, inner: Value) -> None:
        """Say what a value of the kernel function is in here."""
        self._values[outer] = inner
        self._made.add(outer)

    def is_local(self, inner: Value) -> bool:
        """Whether a value in here stands for memory that there is not."""
        while (
            not isinstance(inner.owner, ir.Block) and inner.owner.operation.name == "memref.reinterpret_cast"
        ):
            inner = inner.owner.operation.operands[0]
        return not isinstance(inner.owner, ir.Block) and bool(inner.owner.operation.name == "ub.poison")

    def clone(self, op: Operation) -> Operation:
        """The same operation at the insertion point, of the values in here."""
        copy = self._clone(op)
        self._made.update(op.results)
        return copy

    def _clone(self, op: Operation) -> Operation:
        if op.name == "memref.get_global":
            _copy_global(op, self.operation)
        if any(inner.name == "func.call" for inner in (op, *inner_operations([op]))):
            declare_exit(self.operation)
        for operand in outer_operands(op):
            self.value(operand)  # before it, and not behind
        return clone_with(op, self._values, self.value)

    def id(self, what: str, axis: str = "x", again: bool = False) -> Value:
        """A number of the thread: `thread_id`, `block_id`, `block_dim` or `grid_dim`.

        If it is asked for `again`, what is computed of it is computed anew, and needs no registers until then.
        """
        if again:
            return _read_again(f"{_REGISTERS[what]}.{axis}")
        dimension = {"dimension": ir.Attribute.parse(f"#gpu<dim {axis}>")}
        return create(f"gpu.{what}", [ir.IndexType.get()], [], dimension)

    def number(self) -> Value:
        """The number of the thread among those of all blocks."""
        block = self.emitter.multiply(self.id("block_id"), self.threads[0])
        return self.emitter.value(self.emitter.add(block, self.id("thread_id")))

    def shared(self, shape: Sequence[int], element: Type) -> Value:
        """Memory that the threads of a block share.

        Its alignment is said: LLVM assumes as much of what is larger, but asks the assembler for that of an element.
        """
        space = ir.Attribute.parse("#gpu.address_space<workgroup>")
        type = ir.MemRefType.get(list(shape), element, memory_space=space)
        self._shared += 1
        i64 = ir.IntegerType.get_signless(64)
        self.operation.attributes["workgroup_attributions"] = ir.IntegerAttr.get(i64, self._shared)
        aligned = ir.DictAttr.get({"llvm.align": ir.IntegerAttr.get(i64, _SHARED_ALIGNMENT)})
        self.operation.attributes["workgroup_attrib_attrs"] = ir.ArrayAttr.get([aligned] * self._shared)
        return self.operation.regions[0].blocks[0].add_argument(type, ir.Location.current)

    def barrier(self) -> None:
        """Wait for all threads of the block."""
        create("gpu.barrier", [], [])

    def leave_room_for(self, blocks: int) -> None:
        """Say how many blocks a multiprocessor is to have registers for at least."""
        self.operation.attributes[LEAST_BLOCKS] = ir.IntegerAttr.get(ir.IntegerType.get_signless(32), blocks)

    # Its launch

    def launch(
        self,
        blocks: Sequence[Index],
        reason: str,
        instead: Mapping[Value, Value] = MappingProxyType({}),
        shared: int = 0,
    ) -> None:
        """Launch so many blocks at the insertion point, which is in the kernel function.

        Each has so many bytes of shared memory besides its own.
        It may be launched again, with other values of the same types `instead` of those that it was written for.
        """
        self.operation.attributes[SCHEDULE] = ir.StringAttr.get(reason)
        if shared:
            word = ir.IntegerType.get_signless(64)
            self.operation.attributes[SHARED_BYTES] = ir.IntegerAttr.get(word, shared)
        passed = [instead.get(value, value) for value in self._captured]
        emitter = Emitter(self._function)
        grid = [emitter.value(extent) for extent in (*blocks, 1, 1)[:3]]
        block = [emitter.value(extent) for extent in self.threads]
        operands = [part for v in passed for part in _parameters_of(v)]
        operands += [memref_size(instead.get(v, v), axis) for v, axis in self._extents]
        size = [scalar(ir.IntegerType.get_signless(32), shared)] if shared else []
        segments = [0, *[1] * 6, *[0] * 3, len(size), len(operands), 0]
        module = device_module_name(self._function.attributes["sym_name"].value)
        attributes = {
            "kernel": ir.SymbolRefAttr.get([module, self.name]),
            _SEGMENTS: ir.DenseI32ArrayAttr.get(segments),
        }
        create("gpu.launch_func", [], [*grid, *block, *size, *operands], attributes)


def _read_again(register: str) -> Value:
    """What is in a special register, as a value that no other is known to equal."""
    i32 = ir.IntegerType.get_signless(32)
    attributes = {
        "asm_string": ir.StringAttr.get(f"mov.u32 $0, %{register};"),
        "constraints": ir.StringAttr.get("=r"),
        "has_side_effects": ir.UnitAttr.get(),
    }
    return create(
        "arith.index_castui", [ir.IndexType.get()], [create("llvm.inline_asm", [i32], [], attributes)]
    )


def clone_with(op: Operation, values: dict[Value, Value], value: Any) -> Operation:
    """Clone an operation at the insertion point; what it takes from outside, `value` gives.

    Its results are added to `values`.
    """
    new = op.operation.clone(ir.InsertionPoint.current)

    def fix(old: Operation, fresh: Operation, inner: set[Value]) -> None:
        for index, operand in enumerate(old.operands):
            if operand not in inner:
                fresh.operands[index] = value(operand)
        for old_region, fresh_region in zip(old.regions, fresh.regions, strict=True):
            for old_block, fresh_block in zip(old_region.blocks, fresh_region.blocks, strict=True):
                inner |= set(old_block.arguments)
                pairs = zip(old_block.operations, fresh_block.operations, strict=True)
                for before, after in pairs:
                    if before.operation.operands or before.operation.regions:
                        fix(before.operation, after.operation, inner)
                    inner |= set(before.operation.results)

    fix(op.operation, new.operation, set())
    values.update(zip(op.results, new.results, strict=True))
    return new.operation


def allocate(extents: Sequence[Index], element: Type) -> Value:
    """Memory of the device that launches share."""
    dynamic = ir.ShapedType.get_dynamic_size()
    shape = [extent if isinstance(extent, int) else dynamic for extent in extents]
    sizes = [extent for extent in extents if not isinstance(extent, int)]
    segments = {_SEGMENTS: ir.DenseI32ArrayAttr.get([len(sizes), 0])}
    return create("memref.alloc", [ir.MemRefType.get(shape, element)], sizes, segments)


def allocate_like(memref: Value, element: Type) -> Value:
    """Memory of the device with the extents of another one, and elements of another type."""
    sizes = [memref_size(memref, axis) for axis in _unknown_axes(memref)]
    segments = {_SEGMENTS: ir.DenseI32ArrayAttr.get([len(sizes), 0])}
    return create("memref.alloc", [ir.MemRefType.get(memref.type.shape, element)], sizes, segments)


def reinterpret(source: Value, type: Type, extents: Sequence[Index], strides: Sequence[Index]) -> Value:
    """The memory of a memref, from its start, as one of another shape."""
    dynamic_stride = ir.ShapedType.get_dynamic_stride_or_offset()
    groups = [[0], [e if isinstance(e, int) else _DYNAMIC for e in extents]]
    groups.append([s if isinstance(s, int) else dynamic_stride for s in strides])
    sizes = [e for e in extents if not isinstance(e, int)]
    steps = [s for s in strides if not isinstance(s, int)]
    names = ("static_offsets", "static_sizes", "static_strides")
    attributes = {name: ir.DenseI64ArrayAttr.get(group) for name, group in zip(names, groups, strict=True)}
    attributes[_SEGMENTS] = ir.DenseI32ArrayAttr.get([1, 0, len(sizes), len(steps)])
    return create("memref.reinterpret_cast", [type], [source, *sizes, *steps], attributes)


def is_tensor_map(type: Type) -> bool:
    """Whether a value of a kernel function, or a parameter of a device kernel, is a tensor map."""
    return str(type) == "!llvm.ptr"


def _parameter_types(type: Type) -> list[Type]:
    """What is passed for a value: arrays of unknown extents as memrefs of rank 0, complex numbers as their parts."""
    if isinstance(type, ir.MemRefType) and _DYNAMIC in type.shape:
        return [ir.MemRefType.get([], type.element_type)]
    if isinstance(type, ir.ComplexType):
        return [type.element_type] * 2
    return [type]


def _parameters_of(value: Value) -> list[Value]:
    """What is passed for a value of the kernel function."""
    types = _parameter_types(value.type)
    if isinstance(value.type, ir.ComplexType):
        return [
            create(name, [type], [value])
            for name, type in zip(("complex.re", "complex.im"), types, strict=True)
        ]
    return [value] if types == [value.type] else [reinterpret(value, types[0], [], [])]


def _unknown_axes(value: Value) -> list[int]:
    if not isinstance(value.type, ir.MemRefType):
        return []
    return [axis for axis, extent in enumerate(value.type.shape) if extent == _DYNAMIC]


def _same_extents(ops: Sequence[Operation]) -> dict[Axis, Axis]:
    """Axes of arrays that nests go over together, and which of them stands for all."""
    found: dict[Axis, Axis] = {}
    for op in ops:
        if op.name != "linalg.generic":
            continue
        axes: dict[int, list[Axis]] = {}
        for operand, map_ in zip(op.operands, op.attributes["indexing_maps"], strict=True):
            for axis, expression in enumerate(map_.value.results):
                if isinstance(expression, ir.AffineDimExpr) and axis in _unknown_axes(operand):
                    axes.setdefault(expression.position, []).append((operand, axis))
        for group in axes.values():
            known = [found.get(axis, axis) for axis in group]
            found |= dict.fromkeys(group, known[0])
            found = {axis: known[0] if other in known else other for axis, other in found.items()}
    return found


def _device_module(function: Operation) -> Operation:
    """The `gpu.module` behind a kernel function."""
    name = device_module_name(function.attributes["sym_name"].value)
    module: Module = function.parent.operation
    following = operations_in(module.regions[0].blocks[0])
    for op in following:
        if op.name == "gpu.module" and op.attributes["sym_name"].value == name:
            return op
    module.attributes["gpu.container_module"] = ir.UnitAttr.get()
    with ir.InsertionPoint.after(function), function.location:
        made = operation_of("gpu.module", regions=1, sym_name=ir.StringAttr.get(name))
        made.regions[0].blocks.append()
    return made


def _function_operation(
    name: str, types: list[Type], read: Sequence[bool], threads: tuple[int, int, int], exchanges: bool
) -> Operation:
    """A function that can be launched, empty yet; of the first arguments, arrays that are `read` are not written."""
    only_read = [*read, *[False] * (len(types) - len(read))]
    attributes = [_alone(type, is_read, exchanges) for type, is_read in zip(types, only_read, strict=True)]
    function = operation_of(
        "gpu.func",
        regions=1,
        sym_name=ir.StringAttr.get(name),
        function_type=ir.TypeAttr.get(ir.FunctionType.get(types, [])),
        known_block_size=ir.DenseI32ArrayAttr.get(list(threads)),
        arg_attrs=ir.ArrayAttr.get(attributes),
        **{"gpu.kernel": ir.UnitAttr.get()},
    )
    function.regions[0].blocks.append(*types, arg_locs=[ir.Location.current] * len(types))
    return function


def _alone(type: Type, is_read: bool, exchanges: bool) -> ir.Attribute:
    """That the memory of an array is no other array's, as kernels of planned functions have it.

    LLVM concludes that a barrier does not touch it, either: not so of what threads write for each other.
    """
    known: tuple[str, ...] = ()
    if isinstance(type, ir.MemRefType) and (is_read or not exchanges):
        known = ("llvm.noalias", *(("llvm.readonly",) if is_read else ()))
    return ir.DictAttr.get({name: ir.UnitAttr.get() for name in known})


def declare_exit(kernel: Operation) -> None:
    """Let the module of a kernel know the call that ends a thread."""
    own = kernel.parent.operation.regions[0].blocks[0]
    if any("sym_name" in o.attributes and o.attributes["sym_name"].value == EXIT for o in own.operations):
        return
    with ir.InsertionPoint.at_block_begin(own):
        function_of(EXIT, [], private=True)


def _copy_global(op: Operation, kernel: Operation) -> None:
    """Let the module of a kernel have a constant of the module around."""
    name = op.attributes["name"].value
    own = kernel.parent.operation.regions[0].blocks[0]
    if any("sym_name" in o.attributes and o.attributes["sym_name"].value == name for o in own.operations):
        return
    outer = kernel.parent.operation.parent.operation.regions[0].blocks[0]
    found = next(
        o.operation
        for o in outer.operations
        if o.operation.name == "memref.global" and o.attributes["sym_name"].value == name
    )
    found.clone(ir.InsertionPoint.at_block_begin(own))


def remove_device_module(function: Operation) -> None:
    """Take back what was written for a kernel function."""
    name = device_module_name(function.attributes["sym_name"].value)
    for op in operations_in(function.parent.operation.regions[0].blocks[0]):
        if op.name == "gpu.module" and op.attributes["sym_name"].value == name:
            op.erase()
