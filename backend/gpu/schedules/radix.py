"""Sorts of long rows by digits of 8 bits, the lowest first: each pass keeps the order of equal digits.

A pass is three kernels: blocks count the digits of their tiles; for each digit of a row a block sums up what tiles
before have; and blocks put the elements of their tiles in the order of digits in shared memory, and write them behind
those of tiles before, neighbours to neighbours. A warp takes neighbours 32 by 32: those with the same digit find each
other by one instruction, and how many the warp had before is in its own counters, so that nobody else is waited for.

Keys are compared by their bits: those of numbers below zero are flipped, of others the sign alone, all NaN are last and
equal, and so are the two zeros. What is moved are the keys as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ....dialect.made_ops import operation_of
from ....dialect.mlir import Operation, Type, Value, ir
from ....passes.rewriting import reassociation
from ...functions.number import Integer, Number
from ...nests.emit import Emitter, create, load, store
from ..code.atomics import join_shared
from ..code.control import compare, only_if
from ..code.kernel import Kernel
from ..code.reduce import WARP
from ..code.scan import BlockScan, Prefix, of_one

_THREADS = 256
_WARPS = _THREADS // WARP
_EACH = 8
"""Elements of a thread in a tile."""
TILE = _THREADS * _EACH
_DIGIT = 8
_DIGITS = 1 << _DIGIT
"""As many as threads: each looks after one."""
_SHORTEST = 1 << 15
"""Rows of so many elements for each pass are sorted by digits; merges of shorter ones are fewer launches."""
_LONGEST = (1 << 31) - 1
"""Counts have 32 bits."""
_WIDTHS = (16, 32, 64)

Launch: TypeAlias = Callable[[Sequence[Value]], None]
"""Launches a kernel with values in the place of those that it was written for."""


def digits_of(element: Type, length: int, bits: Sequence[int] | None = None) -> Sequence[int]:
    """The digits by which rows of so many keys of a type are sorted; none if merges are fewer launches.

    Of keys it may be known which bits tell the order, from one up to another one.
    """
    kinds = (ir.IntegerType, ir.F16Type, ir.BF16Type, ir.F32Type, ir.F64Type)
    if not isinstance(element, kinds) or element.width not in _WIDTHS:
        return ()
    first, end = bits or (0, int(element.width))
    digits = range(first // _DIGIT, -(-end // _DIGIT))
    return digits if _SHORTEST * len(digits) <= length <= _LONGEST else ()


class RadixSorter:
    """Writes the kernels that sort by digits, and their launches."""

    def __init__(self, function: Operation, name: str, rows: int, length: int, reason: str) -> None:
        self._function, self._name, self._reason = function, name, reason
        self._rows, self._length, self._tiles = rows, length, -(-length // TILE)
        self._emitter = Emitter(function)

    def sort(
        self, source: Value, target: Sequence[Value], spare: Sequence[Value], digits: Sequence[int]
    ) -> None:
        """Sort the keys of a source by some digits; what moves with them is the place of each key in its row."""
        i32 = ir.IntegerType.get_signless(32)
        counts = _allocate(self._rows * _DIGITS * self._tiles, i32)
        totals = _allocate(self._rows * _DIGITS, i32)
        places = [list(target), list(spare)] if len(digits) % 2 else [list(spare), list(target)]
        shifts = [self._emitter.value(number * _DIGIT) for number in digits]
        count = self._count(source, counts, shifts[0])
        add_up = self._sum(counts, totals)
        first = again = self._move([source], places[0], counts, totals, shifts[0])
        if len(target) > 1:
            again = self._move(places[0], places[1], counts, totals, shifts[1], "_again")
        here = [source]
        for number, shift in enumerate(shifts):
            there = places[number % 2]
            count([here[0], shift])
            add_up([])
            (again if number else first)([*here, *there, shift])
            here = there

    def _kernel(self, name: str, read: Sequence[Value], written: Sequence[Value]) -> Kernel:
        name = f"{self._name}{name}"
        return Kernel(self._function, name, [], (_THREADS, 1, 1), given=[*read, *written], writes=written)

    def _count(self, source: Value, counts: Value, shift: Value) -> Launch:
        """Count the digits of each tile."""
        kernel = self._kernel("_count", [source, shift], [counts])
        emitter = kernel.emitter
        with kernel.body():
            thread = kernel.id("thread_id")
            own = kernel.shared([_DIGITS], ir.IntegerType.get_signless(32))
            one, zero = (emitter.splat(n, ir.IntegerType.get_signless(32)) for n in (1, 0))
            store(zero, own, [thread])
            kernel.barrier()
            keys = flat(kernel.value(source))
            begin, count = self._tile(kernel)
            for turn in range(_EACH):
                at = emitter.value(emitter.add(thread, turn * _THREADS))
                with only_if(compare("ult", at, count)):
                    key = load(keys, [emitter.value(emitter.add(begin, at))])
                    join_shared(one, own, _digit(key, kernel.value(shift)))
            kernel.barrier()
            store(load(own, [thread]), kernel.value(counts), [self._count_of(kernel, thread)])
        grid = [self._tiles, self._rows]
        return self._launch(kernel, grid, "digits of tiles are counted", [source, shift])

    def _launch(self, kernel: Kernel, grid: Sequence[int], what: str, given: Sequence[Value]) -> Launch:
        """What launches a kernel, with other values in the place of those that it was written for."""

        def launch(values: Sequence[Value]) -> None:
            kernel.launch(grid, f"{self._reason}; {what}", dict(zip(given, values, strict=True)))

        return launch

    def _sum(self, counts: Value, totals: Value) -> Launch:
        """For each digit, what the tiles before have, in the place of what a tile has; and what all have."""
        kernel = self._kernel("_sum", [], [counts, totals])
        emitter = kernel.emitter
        with kernel.body():
            scan = BlockScan(kernel, _THREADS, of_one(_add))
            memory = kernel.value(counts)
            thread, digit = kernel.id("thread_id"), kernel.id("block_id")
            first = emitter.value(emitter.multiply(digit, self._tiles))
            none = emitter.splat(0, ir.IntegerType.get_signless(32))
            yes = emitter.splat(1, ir.IntegerType.get_signless(1))
            loop = operation_of(
                "scf.for", [*map(emitter.value, (0, self._tiles, _THREADS)), none], [none.type], regions=1
            )
            block = loop.regions[0].blocks.append(
                emitter.index_type, none.type, arg_locs=[ir.Location.current] * 2
            )
            with ir.InsertionPoint(block):
                start, before = block.arguments
                at = emitter.value(emitter.add(start, thread))
                is_tile = compare("ult", at, emitter.value(self._tiles))
                with only_if(is_tile, [none.type]) as branch:
                    branch.give([load(memory, [emitter.value(emitter.add(first, at))])])
                with branch.way(1):
                    branch.give([none])
                (own,) = branch.results
                ((with_own,),), (total,) = scan.scan([[own]], Prefix([before], yes))
                with only_if(is_tile):
                    store(_subtract(with_own, own), memory, [emitter.value(emitter.add(first, at))])
                create("scf.yield", [], [total])
            with only_if(compare("eq", thread, emitter.value(0))):
                store(loop.results[0], kernel.value(totals), [digit])
        return self._launch(kernel, [self._rows * _DIGITS], "what tiles before have of each digit", [])

    def _move(
        self,
        source: list[Value],
        target: list[Value],
        counts: Value,
        totals: Value,
        shift: Value,
        which: str = "",
    ) -> Launch:
        """Write the elements of each tile behind those of tiles before with the same digit."""
        kernel = self._kernel(which, [*source, counts, totals, shift], target)
        with kernel.body():
            begin, count = self._tile(kernel)
            _Tile(kernel, source, target, kernel.value(shift), begin, count).move(
                load(kernel.value(totals), [self._total_of(kernel)]),
                load(kernel.value(counts), [self._count_of(kernel, kernel.id("thread_id"))]),
                kernel.emitter.value(kernel.emitter.multiply(kernel.id("block_id", "y"), self._length)),
                kernel.emitter.value(kernel.emitter.multiply(kernel.id("block_id"), TILE)),
            )
        grid = [self._tiles, self._rows]
        return self._launch(kernel, grid, f"by digits of {_DIGIT} bits", [*source, *target, shift])

    # Where what lies

    def _tile(self, kernel: Kernel) -> tuple[Value, Value]:
        """Where the tile of a block begins, and how many elements it has."""
        emitter = kernel.emitter
        first = emitter.multiply(kernel.id("block_id"), TILE)
        row = emitter.multiply(kernel.id("block_id", "y"), self._length)
        count = emitter.minimum(emitter.subtract(self._length, first), TILE)
        return emitter.value(emitter.add(row, first)), emitter.value(count)

    def _total_of(self, kernel: Kernel) -> Value:
        emitter = kernel.emitter
        row = emitter.multiply(kernel.id("block_id", "y"), _DIGITS)
        return emitter.value(emitter.add(row, kernel.id("thread_id")))

    def _count_of(self, kernel: Kernel, digit: Value) -> Value:
        emitter = kernel.emitter
        row = emitter.add(emitter.multiply(kernel.id("block_id", "y"), _DIGITS), digit)
        return emitter.value(emitter.add(emitter.multiply(row, self._tiles), kernel.id("block_id")))


class _Tile:
    """Puts what a block has in the order of digits, and writes it."""

    def __init__(
        self,
        kernel: Kernel,
        source: list[Value],
        target: list[Value],
        shift: Value,
        begin: Value,
        count: Value,
    ) -> None:
        self._kernel, self._source, self._target, self._shift = kernel, source, target, shift
        self._begin, self._count = begin, count
        self._emitter, self._word = kernel.emitter, ir.IntegerType.get_signless(32)
        self._thread = kernel.id("thread_id")

    def move(self, total: Value, before: Value, row: Value, tile: Value) -> None:
        """`total` is what the row has of the digit of a thread, `before` what tiles before have."""
        kernel, emitter, thread = self._kernel, self._emitter, self._thread
        counters = kernel.shared([_WARPS * _DIGITS], self._word)
        begins, firsts = (kernel.shared([_DIGITS], self._word) for _ in range(2))
        zero = emitter.splat(0, self._word)
        for warp in range(_WARPS):
            store(zero, counters, [emitter.value(emitter.add(thread, warp * _DIGITS))])
        kernel.barrier()
        loaded = self._load(row, tile)
        ranks = self._ranks([keys for keys, *_ in loaded], counters)
        kernel.barrier()
        own = zero  # of the digit of a thread, by warps
        for warp in range(_WARPS):
            at = [emitter.value(emitter.add(thread, warp * _DIGITS))]
            more = load(counters, at)
            store(own, counters, at)
            own = _add(own, more)
        scan = BlockScan(kernel, _THREADS, of_one(_add))
        nothing = Prefix([zero], emitter.splat(1, ir.IntegerType.get_signless(1)))
        first, start = (_subtract(scan.scan([[n]], nothing)[0][0][0], n) for n in (own, total))
        store(first, firsts, [thread])
        store(_subtract(_add(start, before), first), begins, [thread])
        kernel.barrier()
        self._write(loaded, ranks, counters, firsts, begins, row)

    def _load(self, row: Value, tile: Value) -> list[list[Value]]:
        """The elements of a thread: neighbours of a warp are neighbours in memory. Behind the last, the first again."""
        kernel, emitter = self._kernel, self._emitter
        sources = [flat(kernel.value(memref)) for memref in self._source]
        found = []
        for turn in range(_EACH):
            place = self._place(turn)
            is_inside = compare("ult", place, self._count)
            inside = create("arith.select", [place.type], [is_inside, place, emitter.value(0)])
            at = emitter.value(emitter.add(self._begin, inside))
            values = [load(source, [at]) for source in sources]
            if len(values) < len(self._target):
                own = emitter.value(emitter.add(tile, inside))
                kind = self._target[1].type.element_type
                values.append(own if own.type == kind else create("arith.index_cast", [kind], [own]))
            found.append(values)
        return found

    def _place(self, turn: int) -> Value:
        """Where in the tile an element of a thread is."""
        emitter, index = self._emitter, self._emitter.index_type
        warp = create("arith.divui", [index], [self._thread, emitter.value(WARP)])
        lane = create("arith.remui", [index], [self._thread, emitter.value(WARP)])
        first = emitter.add(emitter.multiply(warp, WARP * _EACH), turn * WARP)
        return emitter.value(emitter.add(first, lane))

    def _ranks(self, keys: Sequence[Value], counters: Value) -> list[Value]:
        """How many elements of its warp with the same digit are before each."""
        emitter, i32 = self._emitter, self._word
        lane = create("arith.remui", [emitter.index_type], [self._thread, emitter.value(WARP)])
        below = Integer(create("arith.index_cast", [i32], [lane]))
        below = (below.constant(1) << below) - 1
        whole = emitter.splat(-1, i32)
        kind = {"kind": ir.Attribute.parse("#nvvm<match_sync_kind any>")}
        found = []
        for turn, key in enumerate(keys):
            is_inside = compare("ult", self._place(turn), self._count)
            digit = _digit(key, self._shift)
            word = create("arith.index_cast", [i32], [digit])
            nobody = emitter.splat(_DIGITS, i32)
            asked = create("arith.select", [i32], [is_inside, word, nobody])
            peers = create("nvvm.match.sync", [i32], [whole, asked], kind)
            rank = create("math.ctpop", [i32], [(Integer(peers) & below).value])
            at = [emitter.value(self._counter(digit))]
            before = load(counters, at)
            create("nvvm.bar.warp.sync", [], [whole])
            is_first = compare("eq", rank, emitter.splat(0, i32))
            with only_if(create("arith.andi", [is_first.type], [is_first, is_inside])):
                store(_add(before, create("math.ctpop", [i32], [peers])), counters, at)
            create("nvvm.bar.warp.sync", [], [whole])
            found.append(_add(before, rank))
        return found

    def _counter(self, digit: Value) -> Value:
        emitter, index = self._emitter, self._emitter.index_type
        warp = create("arith.divui", [index], [self._thread, emitter.value(WARP)])
        return emitter.value(emitter.add(emitter.multiply(warp, _DIGITS), digit))

    def _write(
        self,
        loaded: Sequence[Sequence[Value]],
        ranks: Sequence[Value],
        counters: Value,
        firsts: Value,
        begins: Value,
        row: Value,
    ) -> None:
        """Put the elements in the order of digits, and write neighbours to neighbours."""
        kernel, emitter = self._kernel, self._emitter
        targets = [flat(kernel.value(memref)) for memref in self._target]
        memory = [kernel.shared([TILE], value.type) for value in loaded[0]]
        for turn, (values, rank) in enumerate(zip(loaded, ranks, strict=True)):
            digit = _digit(values[0], self._shift)
            of_warps = load(counters, [self._counter(digit)])
            with only_if(compare("ult", self._place(turn), self._count)):
                place = _add(_add(load(firsts, [digit]), of_warps), rank)
                at = create("arith.index_castui", [emitter.index_type], [place])
                for value, own in zip(values, memory, strict=True):
                    store(value, own, [at])
        kernel.barrier()
        for turn in range(_EACH):
            at = emitter.value(emitter.add(self._thread, turn * _THREADS))
            with only_if(compare("ult", at, self._count)):
                values = [load(own, [at]) for own in memory]
                begin = load(begins, [_digit(values[0], self._shift)])
                behind = create("arith.index_cast", [emitter.index_type], [begin])
                to = emitter.value(emitter.add(emitter.add(row, behind), at))
                for value, target in zip(values, targets, strict=True):
                    store(value, target, [to])


def _digit(key: Value, shift: Value) -> Value:
    """Some bits of a key, as an index: keys that come first have lower ones, once lower bits were looked at."""
    bits = _ordered(key)
    bits = (bits >> Integer(create("arith.index_cast", [bits.value.type], [shift]))) & (_DIGITS - 1)
    return create("arith.index_castui", [ir.IndexType.get()], [bits.value])


def _ordered(key: Value) -> Integer:
    """The bits of a key as an unsigned integer that is less where the key comes first."""
    if isinstance(key.type, ir.IntegerType):
        own = Integer(key)
        return own ^ (1 << (own.bits - 1))
    number = Number(key)
    bits = Integer(create("arith.bitcast", [ir.IntegerType.get_signless(number.bits)], [key]))
    sign = 1 << (bits.bits - 1)
    bits = bits.constant(0).where(number.compare("==", 0.0), bits)  # the other zero
    flipped = (bits ^ (2 * sign - 1)).where(bits.compare("<", 0), bits ^ sign)
    return bits.constant(2 * sign - 1).where(number.is_nan(), flipped)


def _add(left: Value, right: Value) -> Value:
    return create("arith.addi", [left.type], [left, right])


def _subtract(left: Value, right: Value) -> Value:
    return create("arith.subi", [left.type], [left, right])


def flat(memref: Value) -> Value:
    """Memory without gaps as one row."""
    type = memref.type
    if type.rank == 1:
        return memref
    dynamic = ir.ShapedType.get_dynamic_size()
    total = 1
    for extent in type.shape:
        total = dynamic if dynamic in (extent, total) else total * extent
    made = ir.MemRefType.get([total], type.element_type)
    return create(
        "memref.collapse_shape", [made], [memref], {"reassociation": reassociation([range(type.rank)])}
    )


def _allocate(count: int, element: Type) -> Value:
    segments = {"operandSegmentSizes": ir.DenseI32ArrayAttr.get([0, 0, 0])}
    return create("gpu.alloc", [ir.MemRefType.get([count], element)], [], segments)
