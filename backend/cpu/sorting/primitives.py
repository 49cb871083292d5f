"""What the control of sorting calls: steps on vectors, as LLVM assembly; `intrinsics.py` says what each does."""

from __future__ import annotations

from collections.abc import Callable

from .kinds import DESCENDING, FLOATS, UNSIGNED
from .networks import sort_rows
from .vector_code import Layout, Row, VectorFunction

NETWORKS = (1, 2, 4, 8, 16)
"""For how many vectors there are sorting networks."""

_AHEAD = 4
"""How many steps before they are needed keys are asked for."""


def primitives(layout: Layout) -> str:
    """The definitions of all functions on keys in a layout."""
    parts = [layout.declarations()]
    if layout.with_places:
        parts.append("declare <8 x i32> @llvm.masked.load.v8i32.p0(ptr, i32, <8 x i1>, <8 x i32>)")
    parts += [_numbers(layout), _choose_pivot(layout), _partition(layout)]
    parts += [_network(layout, count) for count in NETWORKS]
    parts += [_is_before(layout), _swap(layout), _encode(layout), _decode(layout), _sort_vector(layout)]
    return "\n".join(parts)


def _numbers(layout: Layout) -> str:
    lanes = VectorFunction(layout, "lanes", [])
    lanes.line(f"ret i64 {layout.lanes}")
    registers = VectorFunction(layout, "registers", [])
    registers.line(f"ret i64 {layout.registers}")
    advance = VectorFunction(layout, "advance", ["keys", "count"])
    advance.line(f"ret i64 {advance.add('%keys', advance.emit(f'mul i64 %count, {layout.width // 8}'))}")
    largest = VectorFunction(layout, "largest", [])
    largest.line(f"ret i64 {layout.largest}")
    bytes_of = VectorFunction(layout, "bytes_of", ["count"])
    bytes_of.line(f"ret i64 {bytes_of.emit(f'mul i64 %count, {layout.element_width // 8}')}")
    gives_places = VectorFunction(layout, "gives_places", [])
    gives_places.line(f"ret i64 {int(layout.with_places)}")
    alone = VectorFunction(layout, "alone", [])
    alone.line(f"ret i64 {int(not layout.with_payloads)}")
    return "\n".join(
        each.text() for each in (lanes, registers, advance, largest, bytes_of, gives_places, alone)
    )


def _choose_pivot(layout: Layout) -> str:
    """A median of medians: of nine vectors lane by lane, then of nine lanes."""
    f = VectorFunction(layout, "choose_pivot", ["keys", "length", "apart", "payload"])
    step = f.emit("udiv i64 %length, 9")
    samples = [f.load("%keys", f.emit(f"mul i64 {step}, {number}")) for number in range(9)]
    middle = f.median(*(f.median(*samples[start : start + 3]) for start in (0, 3, 6)))
    lanes = layout.lanes
    for distance in (lanes // 3, 1):
        turned = [f.rotated(middle, by * distance) for by in (1, 2)]
        middle = f.median(middle, *turned)
    key, *payload = [f.emit(f"extractelement {layout.vector} {vector}, i64 0") for vector in middle]
    for value in payload:
        f.line(f"store i64 {value}, ptr {f.emit('inttoptr i64 %payload to ptr')}")
    f.line(f"ret i64 {key if layout.width == 64 else f.emit(f'sext {layout.element} {key} to i64')}")
    return f.text()


def _partition(layout: Layout) -> str:
    """In place: what is read from the side with less room is written to both sides.

    The first and the last vectors wait in registers, so that there is room to begin with. A step needs no more room
    than it reads, and on each side there is as much: it reads where less was left.
    """
    f = VectorFunction(layout, "partition", ["keys", "length", "apart", "pivot", "payload"], "noinline")
    count = layout.registers // 2
    lanes, step = layout.lanes, count * layout.lanes
    f.line("entry:")
    pivot = [f.splat(f.narrow("%pivot"))] + ([f.splat("%payload")] if layout.with_payloads else [])
    end = f.subtract("%length", step)
    waiting = [f.load("%keys", str(number * lanes)) for number in range(count)]
    waiting += [f.load("%keys", f.add(end, number * lanes)) for number in range(count)]
    f.line("br label %test")
    f.line("test:")
    # Keys from %read to %end are still to be read; %low and %high are where the next are written.
    f.line(f"%read = phi i64 [ {step}, %entry ], [ %read.next, %work ]")
    f.line(f"%end = phi i64 [ {end}, %entry ], [ %end.next, %work ]")
    f.line("%low = phi i64 [ 0, %entry ], [ %low.next, %work ]")
    f.line("%high = phi i64 [ %length, %entry ], [ %high.next, %work ]")
    rest = f.subtract("%end", "%read")
    f.line(f"br i1 {f.emit(f'icmp sge i64 {rest}, {step}')}, label %choose, label %tail")
    f.line("choose:")
    room_above, room_below = f.subtract("%high", "%end"), f.subtract("%read", "%low")
    f.line(f"br i1 {f.emit(f'icmp slt i64 {room_above}, {room_below}')}, label %above, label %below")
    f.line("above:")
    from_above = f.subtract("%end", step)
    f.prefetch("%keys", f.subtract(from_above, _AHEAD * step), step)
    f.line("br label %work")
    f.line("below:")
    behind = f.add("%read", step)
    f.prefetch("%keys", f.add("%read", _AHEAD * step), step)
    f.line("br label %work")
    f.line("work:")
    f.line(f"%from = phi i64 [ {from_above}, %above ], [ %read, %below ]")
    f.line(f"%read.next = phi i64 [ %read, %above ], [ {behind}, %below ]")
    f.line(f"%end.next = phi i64 [ {from_above}, %above ], [ %end, %below ]")
    rows = [f.load("%keys", f.add("%from", number * lanes)) for number in range(count)]
    low, high = "%low", "%high"
    for row in rows:
        low, high = _put(f, row, pivot, low, high)
    f.line(f"%low.next = add i64 {low}, 0")
    f.line(f"%high.next = add i64 {high}, 0")
    f.line("br label %test")
    f.line("tail:")
    low, high = "%low", "%high"
    last = []
    for number in range(count):
        left = f.subtract(rest, number * lanes)
        mask = f.first_lanes(left)
        at_most = f.emit(f"call i64 @llvm.smin.i64(i64 {left}, i64 {lanes})")
        taken = f.emit(f"call i64 @llvm.smax.i64(i64 {at_most}, i64 0)")
        last.append((f.load_some("%keys", f.add("%read", number * lanes), mask), mask, taken))
    for row, mask, taken in last:
        low, high = _put(f, row, pivot, low, high, mask, taken)
    for row in waiting:
        low, high = _put(f, row, pivot, low, high)
    f.line(f"ret i64 {low}")
    return f.text()


def _put(
    f: VectorFunction, row: Row, pivot: Row, low: str, high: str, mask: str = "", count: str = ""
) -> tuple[str, str]:
    """Write what stands before the pivot from `low` upwards, the rest from `high` downwards; the next places.

    Below, a whole vector is stored: what is behind `low` was read before. `mask` tells which lanes there are, if not
    all, and `count` how many.
    """
    smaller = f.before(row, pivot)
    others = f.complement(smaller)
    if mask:
        smaller, others = f.both(smaller, mask), f.both(others, mask)
    number = f.count(smaller)
    rest = f.subtract(count or f.layout.lanes, number)
    high = f.subtract(high, rest)
    f.store(f.compress(row, smaller), "%keys", low)
    f.store_some(f.compress(row, others), "%keys", high, f.lowest_bits(rest))
    return f.add(low, number), high


def _network(layout: Layout, count: int) -> str:
    """Sort up to `count` vectors, more than half as many."""
    f = VectorFunction(layout, f"network_{count}", ["keys", "length", "apart"], "noinline")
    if count <= layout.registers:
        starts = [number * layout.lanes for number in range(count)]
        masks = [f.first_lanes(f.subtract("%length", start)) for start in starts]
        rows = [f.load_some("%keys", str(start), mask) for start, mask in zip(starts, masks, strict=True)]
        for row, start, mask in zip(sort_rows(f, rows), starts, masks, strict=True):
            f.store_some(row, "%keys", str(start), mask)
    f.line("ret i64 0")
    return f.text()


def _is_before(layout: Layout) -> str:
    f = VectorFunction(layout, "is_before", ["keys", "left", "right", "apart"])
    element = layout.element
    parts = range(2 if layout.with_payloads else 1)
    pairs = [
        [f.emit(f"load {element}, ptr {f.pointer('%keys', place, part)}") for place in ("%left", "%right")]
        for part in parts
    ]
    less, *further = [f.emit(f"icmp slt {element} {left}, {right}") for left, right in pairs]
    for each in further:
        equal = f.emit(f"icmp eq {element} {pairs[0][0]}, {pairs[0][1]}")
        less = f.emit(f"or i1 {less}, {f.emit(f'and i1 {equal}, {each}')}")
    f.line(f"ret i64 {f.emit(f'zext i1 {less} to i64')}")
    return f.text()


def _swap(layout: Layout) -> str:
    f = VectorFunction(layout, "swap", ["keys", "left", "right", "apart"])
    for part in range(2 if layout.with_payloads else 1):
        places = [f.pointer("%keys", place, part) for place in ("%left", "%right")]
        left, right = (f.emit(f"load {layout.element}, ptr {place}") for place in places)
        f.line(f"store {layout.element} {right}, ptr {places[0]}")
        f.line(f"store {layout.element} {left}, ptr {places[1]}")
    f.line("ret i64 0")
    return f.text()


# Keys


class _Coder:
    """Turns elements into keys and back, by constants that say what the elements are.

    The bits of floats are ordered as integers once those behind a minus sign are inverted. All NaN become positive,
    which puts them behind infinity. Keys with places, or payloads, tell neither zeros of either sign apart nor NaN.
    """

    def __init__(self, f: VectorFunction) -> None:
        self._f, layout = f, f.layout
        self._width = layout.element_width
        self._element, self._vector = f"i{self._width}", f"<{layout.lanes} x i{self._width}>"
        self._largest = (1 << (self._width - 1)) - 1
        infinity = 0x7F800000 if self._width == 32 else 0x7FF0000000000000
        floats, descending, unsigned = (
            f.emit(f"icmp ne i64 {f.emit(f'and i64 %kind, {flag}')}, 0")
            for flag in (FLOATS, DESCENDING, UNSIGNED)
        )
        limit = f.emit(f"select i1 {floats}, {self._element} {infinity}, {self._element} {self._largest}")
        self._limit = f.splat(limit, self._element)
        self._floats = f.splat(floats, "i1")
        self._inverted = self._if(floats, self._largest)
        turned = self._if(descending, -1), self._if(unsigned, -self._largest - 1)
        self._turned = f.emit(f"xor {self._vector} {turned[0]}, {turned[1]}")

    def _if(self, flag: str, value: int) -> str:
        """A vector of a value if a flag is set, else of zeros."""
        scalar = self._f.emit(f"select i1 {flag}, {self._element} {value}, {self._element} 0")
        return self._f.splat(scalar, self._element)

    def key(self, bits: str, place: str) -> Row:
        """The keys of some elements, the first of which is at a place."""
        f, layout, vector = self._f, self._f.layout, self._vector
        highest = layout.splat(self._largest, self._element)
        magnitude = f.emit(f"and {vector} {bits}, {highest}")
        is_nan = f.emit(f"icmp sgt {vector} {magnitude}, {self._limit}")
        is_ranked = layout.with_places or layout.with_payloads
        nan = highest if is_ranked else magnitude
        bits = f.emit(f"select {layout.mask} {is_nan}, {vector} {nan}, {vector} {bits}")
        if is_ranked:
            lowest = f.emit(f"icmp eq {vector} {bits}, {layout.splat(-self._largest - 1, self._element)}")
            is_zero = f.both(lowest, self._floats)
            bits = f.emit(f"select {layout.mask} {is_zero}, {vector} zeroinitializer, {vector} {bits}")
        key = f.emit(f"xor {vector} {self._ordered(bits)}, {self._turned}")
        if not is_ranked:
            return [key]
        places = f.emit(f"add {layout.vector} {f.splat(place)}, {layout.constant(range(layout.lanes))}")
        if layout.with_payloads:
            return [key, places]
        wide = f.emit(f"sext {vector} {key} to {layout.vector}")
        return [
            f.emit(
                f"or {layout.vector} {f.emit(f'shl {layout.vector} {wide}, {layout.splat(32)}')}, {places}"
            )
        ]

    def result(self, row: Row) -> Row:
        """What keys stand for: elements, or their places."""
        f, layout = self._f, self._f.layout
        if layout.with_payloads:
            return row
        if layout.with_places:
            return [f.emit(f"and {layout.vector} {row[0]}, {layout.splat(0xFFFFFFFF)}")]
        return [self._ordered(f.emit(f"xor {layout.vector} {row[0]}, {self._turned}"))]

    def _ordered(self, bits: str) -> str:
        """Invert the bits behind a minus sign."""
        f, vector = self._f, self._vector
        sign = f.emit(f"ashr {vector} {bits}, {f.layout.splat(self._width - 1, self._element)}")
        return f.emit(f"xor {vector} {bits}, {f.emit(f'and {vector} {sign}, {self._inverted}')}")

    def load(self, base: str, place: str, mask: str) -> str:
        """The elements where a mask is set, or all where it is empty."""
        f, width = self._f, self._width
        at = f.emit(
            f"getelementptr {self._element}, ptr {f.emit(f'inttoptr i64 {base} to ptr')}, i64 {place}"
        )
        if not mask:
            return f.emit(f"load {self._vector}, ptr {at}, align {width // 8}")
        name = f"@llvm.masked.load.v{f.layout.lanes}i{width}.p0"
        return f.emit(
            f"call {self._vector} {name}(ptr {at}, i32 {width // 8}, {f.layout.mask} {mask}, "
            f"{self._vector} zeroinitializer)"
        )


def _encode(layout: Layout) -> str:
    f = VectorFunction(layout, "encode", ["source", "target", "length", "kind", "apart"], "noinline")
    coder = _Coder(f)

    def step(place: str, mask: str) -> None:
        row = coder.key(coder.load("%source", place, mask), place)
        f.store_some(row, "%target", place, mask) if mask else f.store(row, "%target", place)

    _for_all(f, step)
    return f.text()


def _decode(layout: Layout) -> str:
    f = VectorFunction(layout, "decode", ["keys", "length", "kind", "apart"], "noinline")
    coder = _Coder(f)

    def step(place: str, mask: str) -> None:
        row = f.load_some("%keys", place, mask) if mask else f.load("%keys", place)
        row = coder.result(row)
        f.store_some(row, "%keys", place, mask) if mask else f.store(row, "%keys", place)

    _for_all(f, step)
    return f.text()


def _sort_vector(layout: Layout) -> str:
    f = VectorFunction(layout, "sort_vector", ["source", "target", "length", "kind", "apart"], "noinline")
    coder = _Coder(f)
    mask = f.first_lanes("%length")
    keys = coder.key(coder.load("%source", "0", mask), "0")
    last = [layout.splat(layout.largest)] * len(keys)
    (row,) = sort_rows(f, [f.select(mask, keys, last)])
    f.store_some(coder.result(row), "%target", "0", mask)
    f.line("ret i64 0")
    return f.text()


def _for_all(f: VectorFunction, step: Callable[[str, str], None]) -> None:
    """Loop over `%length` places, a vector at a time, the last ones under a mask, and return."""
    lanes = f.layout.lanes
    whole = f.emit(f"and i64 %length, {-lanes}")
    f.line("br label %test")
    f.line("test:")
    f.line("%place = phi i64 [ 0, %0 ], [ %next, %work ]")
    f.line(f"br i1 {f.emit(f'icmp slt i64 %place, {whole}')}, label %work, label %tail")
    f.line("work:")
    step("%place", "")
    f.line(f"%next = add i64 %place, {lanes}")
    f.line("br label %test")
    f.line("tail:")
    step("%place", f.first_lanes(f.subtract("%length", "%place")))
    f.line("ret i64 0")


__all__ = ["NETWORKS", "primitives"]
