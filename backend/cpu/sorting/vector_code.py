"""LLVM assembly on vectors of keys: a small builder for one function.

Keys are signed integers of 32 or 64 bits. Where payloads travel with them, both are 64 bits wide, a payload lies a
fixed number of bytes (`%apart`) behind its key, and pairs are sorted: no two are equal where all payloads differ.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from ....dialect.records import dataclass

Row: TypeAlias = "list[str]"
"""The names of a vector of keys and, where there are payloads, of the vector of their payloads."""


@dataclass(frozen=True)
class Layout:
    """What is sorted: keys of a width in bits, alone or with payloads.

    With places, a key is an element of 32 bits above the place that it comes from: no two keys are equal.
    """

    width: int
    with_payloads: bool = False
    with_places: bool = False

    @property
    def element_width(self) -> int:
        """The bits of the elements that keys are made of."""
        return 32 if self.with_places else self.width

    @property
    def lanes(self) -> int:
        """How many keys a vector register holds."""
        return 512 // self.width

    @property
    def registers(self) -> int:
        """How many vectors of keys the largest sorting network takes: they stay in registers."""
        return 8 if self.with_payloads else 16

    @property
    def element(self) -> str:
        """The type of a key."""
        return f"i{self.width}"

    @property
    def vector(self) -> str:
        """The type of a vector of keys."""
        return f"<{self.lanes} x {self.element}>"

    @property
    def mask(self) -> str:
        """The type of what comparisons of vectors give."""
        return f"<{self.lanes} x i1>"

    @property
    def suffix(self) -> str:
        """What LLVM appends to the names of functions on vectors."""
        return f"v{self.lanes}i{self.width}"

    @property
    def largest(self) -> int:
        """The largest key."""
        return (1 << (self.width - 1)) - 1

    def constant(self, values: Sequence[int | str], element: str = "") -> str:
        """A vector constant."""
        return "<" + ", ".join(f"{element or self.element} {value}" for value in values) + ">"

    def splat(self, value: int | str, element: str = "") -> str:
        """A vector constant of equal elements."""
        return self.constant([value] * self.lanes, element)

    def declarations(self) -> str:
        """The functions of LLVM that the code calls."""
        vector, mask, suffix = self.vector, self.mask, self.suffix
        return f"""
declare {vector} @llvm.smin.{suffix}({vector}, {vector})
declare {vector} @llvm.smax.{suffix}({vector}, {vector})
declare {vector} @llvm.experimental.vector.compress.{suffix}({vector}, {mask}, {vector})
declare {vector} @llvm.masked.load.{suffix}.p0(ptr, i32, {mask}, {vector})
declare void @llvm.masked.store.{suffix}.p0({vector}, ptr, i32, {mask})
declare i{self.lanes} @llvm.ctpop.i{self.lanes}(i{self.lanes})
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.smin.i64(i64, i64)
"""


class VectorFunction:
    """A function under construction. Its parameters are 64-bit integers: addresses, numbers of keys, places."""

    def __init__(self, layout: Layout, name: str, parameters: Sequence[str], attributes: str = "") -> None:
        self.layout = layout
        self._head = f"@{name}({', '.join(f'i64 %{each}' for each in parameters)}) nounwind {attributes}"
        self._lines: list[str] = []
        self._count = 0

    def text(self) -> str:
        """The definition."""
        return "\n".join([f"define internal i64 {self._head} {{", *self._lines, "}", ""])

    # Instructions

    def line(self, text: str) -> None:
        """Append an instruction without a result, or a label."""
        self._lines.append(text if text.endswith(":") else f"  {text}")

    def emit(self, instruction: str) -> str:
        """Append an instruction; the name of its result."""
        self._count += 1
        self.line(f"%v{self._count} = {instruction}")
        return f"%v{self._count}"

    def add(self, left: str, right: str | int) -> str:
        """The sum of 64-bit integers."""
        return left if right == 0 else self.emit(f"add i64 {left}, {right}")

    def subtract(self, left: str | int, right: str | int) -> str:
        """The difference of 64-bit integers."""
        return self.emit(f"sub i64 {left}, {right}")

    def pointer(self, base: str, place: str, part: int = 0) -> str:
        """A pointer to the key at a place, or to its payload."""
        address = self.add(base, "%apart") if part else base
        return self.emit(
            f"getelementptr {self.layout.element}, ptr {self.emit(f'inttoptr i64 {address} to ptr')}, i64 {place}"
        )

    def prefetch(self, base: str, place: str, count: int) -> None:
        """Ask for the lines of so many keys."""
        step = 512 // self.layout.width
        for part in self._parts():
            for offset in range(0, count, step):
                at = self.pointer(base, self.add(place, offset), part)
                self.line(f"call void @llvm.prefetch.p0(ptr {at}, i32 0, i32 3, i32 1)")

    # Vectors

    def splat(self, scalar: str, element: str = "") -> str:
        """A vector of equal elements."""
        element, lanes = element or self.layout.element, self.layout.lanes
        vector = f"<{lanes} x {element}>"
        one = self.emit(f"insertelement {vector} poison, {element} {scalar}, i64 0")
        return self.emit(f"shufflevector {vector} {one}, {vector} poison, <{lanes} x i32> zeroinitializer")

    def narrow(self, scalar: str) -> str:
        """A 64-bit integer in the type of keys."""
        return (
            scalar if self.layout.width == 64 else self.emit(f"trunc i64 {scalar} to {self.layout.element}")
        )

    def first_lanes(self, count: str) -> str:
        """A mask of so many first lanes: none if the number is negative, all if it is large."""
        lanes = self.layout.lanes
        numbers = self.layout.constant(range(lanes), "i64")
        return self.emit(f"icmp slt <{lanes} x i64> {numbers}, {self.splat(count, 'i64')}")

    def load(self, base: str, place: str) -> Row:
        """A vector of keys, with their payloads."""
        return [
            self.emit(
                f"load {self.layout.vector}, ptr {self.pointer(base, place, part)}, align {self._align}"
            )
            for part in self._parts()
        ]

    def load_some(self, base: str, place: str, mask: str) -> Row:
        """The keys where a mask is set; elsewhere the largest there is."""
        layout = self.layout
        return [
            self.emit(
                f"call {layout.vector} @llvm.masked.load.{layout.suffix}.p0(ptr {self.pointer(base, place, part)}, "
                f"i32 {self._align}, {layout.mask} {mask}, {layout.vector} {layout.splat(layout.largest)})"
            )
            for part in self._parts()
        ]

    def store(self, row: Row, base: str, place: str) -> None:
        """Store a whole vector."""
        for part, vector in enumerate(row):
            at = self.pointer(base, place, part)
            self.line(f"store {self.layout.vector} {vector}, ptr {at}, align {self._align}")

    def store_some(self, row: Row, base: str, place: str, mask: str) -> None:
        """Store the keys where a mask is set."""
        layout = self.layout
        for part, vector in enumerate(row):
            self.line(
                f"call void @llvm.masked.store.{layout.suffix}.p0({layout.vector} {vector}, "
                f"ptr {self.pointer(base, place, part)}, i32 {self._align}, {layout.mask} {mask})"
            )

    def compress(self, row: Row, mask: str) -> Row:
        """The lanes where a mask is set, one after the other from the first lane on."""
        layout = self.layout
        name = f"@llvm.experimental.vector.compress.{layout.suffix}"
        return [
            self.emit(
                f"call {layout.vector} {name}({layout.vector} {vector}, {layout.mask} {mask}, {layout.vector} poison)"
            )
            for vector in row
        ]

    def count(self, mask: str) -> str:
        """How many lanes of a mask are set."""
        lanes = self.layout.lanes
        bits = self.emit(f"bitcast {self.layout.mask} {mask} to i{lanes}")
        ones = self.emit(f"call i{lanes} @llvm.ctpop.i{lanes}(i{lanes} {bits})")
        return self.emit(f"zext i{lanes} {ones} to i64")

    def lowest_bits(self, count: str) -> str:
        """A mask of so many first lanes, one to all of them or none, by arithmetic on its bits."""
        lanes = self.layout.lanes
        ones = self.add(self.emit(f"shl i64 1, {count}"), -1)
        return self.emit(
            f"bitcast i{lanes} {self.emit(f'trunc i64 {ones} to i{lanes}')} to {self.layout.mask}"
        )

    def both(self, left: str, right: str) -> str:
        """Where two masks are set."""
        return self.emit(f"and {self.layout.mask} {left}, {right}")

    def complement(self, mask: str) -> str:
        """Where a mask is not set."""
        return self.emit(f"xor {self.layout.mask} {mask}, {self.layout.splat('true', 'i1')}")

    # Order

    def before(self, left: Row, right: Row) -> str:
        """Where one row stands before another."""
        vector = self.layout.vector
        less = self.emit(f"icmp slt {vector} {left[0]}, {right[0]}")
        if not self.layout.with_payloads:
            return less
        equal = self.emit(f"icmp eq {vector} {left[0]}, {right[0]}")
        decided = self.both(equal, self.emit(f"icmp slt {vector} {left[1]}, {right[1]}"))
        return self.emit(f"or {self.layout.mask} {less}, {decided}")

    def ordered(self, left: Row, right: Row) -> tuple[Row, Row]:
        """In every lane, what stands first and what stands second."""
        layout = self.layout
        if layout.with_payloads:
            swap = self.before(right, left)
            return self.select(swap, right, left), self.select(swap, left, right)
        if layout.width == 64:
            # One comparison and two selections take half of the time of a minimum and a maximum, which LLVM would
            # make of them if it saw that it is the same comparison.
            swap = self.emit(f"freeze {layout.mask} {self.before(right, left)}")
            return self.select(swap, right, left), self.select(swap, left, right)
        return self._extremes(left, right)

    def _extremes(self, left: Row, right: Row) -> tuple[Row, Row]:
        layout = self.layout
        operands = f"({layout.vector} {left[0]}, {layout.vector} {right[0]})"
        return (
            [self.emit(f"call {layout.vector} @llvm.smin.{layout.suffix}{operands}")],
            [self.emit(f"call {layout.vector} @llvm.smax.{layout.suffix}{operands}")],
        )

    def exchanged(self, own: Row, other: Row, takes_first: Sequence[bool]) -> Row:
        """In every lane the first of both rows, or the second, as constants say."""
        layout = self.layout
        if layout.width == 64:
            # Where both are equal it does not matter which one is taken.
            seconds = layout.constant([str(not flag).lower() for flag in takes_first], "i1")
            takes_other = self.emit(f"xor {layout.mask} {self.before(other, own)}, {seconds}")
            return self.select(takes_other, other, own)
        firsts = layout.constant([str(flag).lower() for flag in takes_first], "i1")
        return self.select(firsts, *self._extremes(own, other))

    def median(self, first: Row, second: Row, third: Row) -> Row:
        """In every lane, what stands between the two others."""
        low, high = self.ordered(first, second)
        return self.ordered(low, self.ordered(high, third)[0])[1]

    def select(self, mask: str, yes: Row, no: Row) -> Row:
        """One row where a mask is set, the other one elsewhere."""
        layout = self.layout
        return [
            self.emit(f"select {layout.mask} {mask}, {layout.vector} {left}, {layout.vector} {right}")
            for left, right in zip(yes, no, strict=True)
        ]

    def shuffled(self, row: Row, lane: Callable[[int], int]) -> Row:
        """A row whose lanes are taken from other lanes of it."""
        return self.shuffled_pair(row, row, [lane(number) for number in range(self.layout.lanes)])

    def rotated(self, row: Row, distance: int) -> Row:
        """A row whose lanes are taken from so many lanes further on."""
        return self.shuffled(row, lambda lane: (lane + distance) % self.layout.lanes)

    def shuffled_pair(self, left: Row, right: Row, lanes: Sequence[int]) -> Row:
        """A row of the lanes of two rows; those of the second one are numbered after those of the first."""
        vector, places = self.layout.vector, self.layout.constant(lanes, "i32")
        return [
            self.emit(f"shufflevector {vector} {x}, {vector} {y}, <{len(lanes)} x i32> {places}")
            for x, y in zip(left, right, strict=True)
        ]

    def _parts(self) -> range:
        return range(2 if self.layout.with_payloads else 1)

    @property
    def _align(self) -> int:
        return self.layout.width // 8


__all__ = ["Layout", "Row", "VectorFunction"]
