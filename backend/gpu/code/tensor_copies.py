"""Copies of boxes to shared memory (TMA), the mbarriers that count them, and products of what has come (wgmma).

A ring of tiles is filled by one thread and emptied by warpgroups: an mbarrier for each tile tells that it is full, and
another one that it is empty. They wait for phases by their parity, which changes with each turn of the ring.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.made_ops import operation_of
from ....dialect.mlir import Operation, Type, Value, ir
from ....dialect.records import dataclass
from ...nests.emit import Emitter, Index, create, scalar
from .assembly import instruction
from .kernel import Kernel

LINE, CHUNK = 128, 64 * 128
"""Bytes in a line that is swizzled, and of 64 lines."""
STEPS = "weft.steps"
"""Of the elements of boxes along all axes, where not all are read."""
GROUP = 128
"""Threads of a warpgroup."""
_DEPTH = 32
"""Of a product, in bytes of what is summed."""
_TILES = "weft_tiles"
_PIECE = 1024
"""Bytes of 8 lines."""
_TICKS = 10_000_000


def _i(bits: int) -> Type:
    return ir.IntegerType.get_signless(bits)


def pointer_type(space: int) -> Type:
    return ir.Type.parse(f"!llvm.ptr<{space}>" if space else "!llvm.ptr")


def constant(value: int, bits: int = 32) -> Value:
    """A constant of so many bits."""
    return scalar(_i(bits), value)


class SharedTiles:
    """The shared memory that a launch gives to a block, from a multiple of 1024 on."""

    def __init__(self, kernel: Kernel) -> None:
        module = kernel.operation.parent.operation.regions[0].blocks[0]
        names = [op.attributes["sym_name"].value for op in module.operations if "sym_name" in op.attributes]
        if _TILES not in names:
            with ir.InsertionPoint.at_block_begin(module):
                _declare_tiles()
        name = {"global_name": ir.FlatSymbolRefAttr.get(_TILES)}
        self._start = create("llvm.mlir.addressof", [pointer_type(3)], [], name)
        self._emitter = kernel.emitter

    def at(self, offset: Index) -> Value:
        """The address so many bytes from the start."""
        # Of 64 bits, as numbers that are cut to 32 keep LLVM from seeing that addresses differ by constants.
        distance = create("arith.index_cast", [_i(64)], [self._emitter.value(offset)])
        return beyond(self._start, distance)


def beyond(pointer: Value, distance: Value) -> Value:
    """The address so many bytes behind another one."""
    i8 = ir.TypeAttr.get(_i(8))
    attributes = {"elem_type": i8, "rawConstantIndices": ir.DenseI32ArrayAttr.get([-(1 << 31)])}
    return create("llvm.getelementptr", [pointer.type], [pointer, distance], attributes)


def _declare_tiles() -> Operation:
    i64 = _i(64)
    attributes = {
        "sym_name": ir.StringAttr.get(_TILES),
        "global_type": ir.TypeAttr.get(ir.Type.parse("!llvm.array<0 x i8>")),
        "linkage": ir.Attribute.parse("#llvm.linkage<external>"),
        "addr_space": ir.IntegerAttr.get(_i(32), 3),
        "alignment": ir.IntegerAttr.get(i64, _PIECE),
    }
    return operation_of("llvm.mlir.global", regions=1, **attributes)


def as_word(number: Index, emitter: Emitter) -> Value:
    """A number as 32 bits."""
    if isinstance(number, int):
        return constant(number)
    return create("arith.index_cast", [_i(32)], [emitter.value(number)])


@dataclass
class Mbarriers:
    """Mbarriers one behind the other in shared memory."""

    tiles: SharedTiles
    start: int
    """Where the first one is, in bytes."""
    emitter: Emitter

    def _at(self, number: Index) -> Value:
        return self.tiles.at(self.emitter.add(self.emitter.multiply(number, 8), self.start))

    def make(self, number: int, threads: int) -> None:
        """Begin the first phase of one that so many threads arrive at."""
        create("nvvm.mbarrier.init", [], [self._at(number), constant(threads)])

    def arrive(self, number: Index) -> None:
        """A thread arrives."""
        create("nvvm.mbarrier.arrive", [_i(64)], [self._at(number)])

    def expect(self, number: Index, size: int) -> Value:
        """A thread arrives, and says how many bytes have to come; the mbarrier."""
        barrier = self._at(number)
        create("nvvm.mbarrier.arrive.expect_tx", [_i(64)], [barrier, constant(size)])
        return barrier

    def wait(self, number: Index, parity: Value) -> None:
        """Wait until the last phase of a parity has ended."""
        create("nvvm.mbarrier.try_wait.parity", [], [self._at(number), parity, constant(_TICKS)])


def show_mbarriers() -> None:
    """Let copies see the mbarriers that this thread has made."""
    create("nvvm.fence.mbarrier.init", [], [])


def copy_box(to: Value, tensor_map: Value, barrier: Value, first: Sequence[Value]) -> None:
    """Begin to copy a box from an element on, whose coordinates along the innermost axis come first."""
    cluster = create("llvm.addrspacecast", [pointer_type(7)], [to])
    segments = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([1, 1, len(first), 1, 0, 0, 0, 0])}
    name = "nvvm.cp.async.bulk.tensor.shared.cluster.global"
    create(name, [], [cluster, tensor_map, *first, barrier], segments)


def limit_registers(count: int, action: str) -> None:
    """Let each thread of a warpgroup have so many registers: "increase" or "decrease"."""
    attributes = {
        "regCount": ir.IntegerAttr.get(_i(32), count),
        "action": ir.Attribute.parse(f"#nvvm<action {action}>"),
    }
    create("nvvm.setmaxregister", [], [], attributes)


class Sums:
    """What the threads of a warpgroup add up of 64 rows and some columns, as one value."""

    def __init__(self, columns: int, kinds: Sequence[str]) -> None:
        """Of factors of types that instructions name so."""
        self.count, self.columns, self.kinds = columns // 2, columns, kinds
        self.is_whole = kinds[0] in ("s8", "u8")
        self.element = _i(32) if self.is_whole else ir.F32Type.get()
        self.type = ir.Type.parse(f"!llvm.struct<({', '.join([str(self.element)] * self.count)})>")

    def zeros(self) -> Value:
        """All of them."""
        zero = scalar(self.element, 0)
        value = create("llvm.mlir.undef", [self.type], [])
        for number in range(self.count):
            value = create("llvm.insertvalue", [self.type], [value, zero], _position(number))
        return value

    def parts(self, value: Value) -> list[Value]:
        """One by one."""
        places = map(_position, range(self.count))
        return [create("llvm.extractvalue", [self.element], [value], place) for place in places]

    def add(self, value: Value, left: Matrix, right: Matrix) -> Value:
        """Begin to add the product of tiles that have come, and wait for the one before: sums are not there yet."""
        create("nvvm.wgmma.fence.aligned", [], [])
        depth = 32 if self.is_whole else 16
        for number in range(LINE // _DEPTH):
            operands = [value, left.descriptor(number), right.descriptor(number)]
            attributes = {
                "shape": ir.Attribute.parse(f"#nvvm.shape<m = 64, n = {self.columns}, k = {depth}>"),
                "typeA": ir.Attribute.parse(f"#nvvm.wgmma_type<{self.kinds[0]}>"),
                "typeB": ir.Attribute.parse(f"#nvvm.wgmma_type<{self.kinds[1]}>"),
                "typeD": ir.Attribute.parse(f"#nvvm.wgmma_type<{'s32' if self.is_whole else 'f32'}>"),
                "scaleD": ir.Attribute.parse("#nvvm.wgmma_scale_out<one>"),
                "scaleA": ir.Attribute.parse("#nvvm.wgmma_scale_in<one>"),
                "scaleB": ir.Attribute.parse("#nvvm.wgmma_scale_in<one>"),
                "layoutA": _layout(not left.transposed),
                "layoutB": _layout(right.transposed and not self.is_whole),
                "satfinite": ir.Attribute.parse("#nvvm.mma_int_overflow<wrapped>"),
            }
            value = create("nvvm.wgmma.mma_async", [self.type], operands, attributes)
        create("nvvm.wgmma.commit.group.sync.aligned", [], [])
        wait = {"group": ir.IntegerAttr.get(_i(64), 1)}
        create("nvvm.wgmma.wait.group.sync.aligned", [], [], wait)
        return value

    def done(self, value: Value) -> Value:
        """The sums, when all products are: nothing passes an instruction that has them as operands."""
        ties = ",".join([*["=r" if self.is_whole else "=f"] * self.count, *map(str, range(self.count))])
        return instruction("wgmma.wait_group.sync.aligned 0;", ties, self.type, self.parts(value), True)


def _layout(by_rows: bool) -> ir.Attribute:
    return ir.Attribute.parse(f"#nvvm.mma_layout<{'row' if by_rows else 'col'}>")


def _position(number: int) -> dict[str, ir.Attribute]:
    return {"position": ir.DenseI64ArrayAttr.get([number])}


class Matrix:
    """A matrix in shared memory, as boxes with swizzled lines have brought it.

    What is summed is along the lines, unless it is `transposed`: then it has a line for each 64 rows of a factor.
    """

    def __init__(self, start: Value, transposed: bool) -> None:
        self.transposed = transposed
        leading = CHUNK if transposed else 16
        fixed = 1 << 62 | _PIECE >> 4 << 32 | leading >> 4 << 16
        address = create("llvm.ptrtoint", [_i(64)], [start])
        within = create("arith.andi", [_i(64)], [address, constant(0x3FFFF, 64)])
        units = create("arith.shrui", [_i(64)], [within, constant(4, 64)])
        self._first = create("arith.ori", [_i(64)], [units, constant(fixed, 64)])

    def descriptor(self, number: int) -> Value:
        """What tells the product of a number of the part that it takes: of 32 bytes of lines, or of 16 lines."""
        step = number * (16 * LINE if self.transposed else _DEPTH)
        return create("arith.addi", [_i(64)], [self._first, constant(step >> 4, 64)])
