"""What functions of a checking library look at first: that arrays are there, lie as they must, and do not overlap."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from ....dialect.records import NamedTuple
from ....dialect.types import TensorType
from ...planning.plan import Site
from ...target import current
from .interface import MISALIGNED, NEGATIVE, NO_STATE, NULL, OVERLAP, Input, Output, Place, number_of
from .writer import Array, Writer


class _Given(NamedTuple):
    """An array that the caller gave."""

    pointer: str
    bytes: str
    is_written: bool


class Checks:
    """Returns with an error from a function unless the arrays that the caller gave can be used."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._given: list[_Given] = []
        """The arrays of the caller; errors number them from 0 in their order in the call."""

    def look_at_inputs(self, inputs: Sequence[Input], arrays: Sequence[Array], *, has_state: bool) -> None:
        """Look at each input, before anything is read."""
        if has_state:
            self._refuse_if(self._writer.value("icmp eq ptr %state, null"), NO_STATE, 0)
        for given, array in zip(inputs, arrays, strict=True):
            if given.place is Place.CALLER:
                self._look_at(array, given.type, given.is_written)

    def look_at_outputs(self, outputs: Sequence[Output], arrays: Sequence[Array | None]) -> None:
        """Look at each result, and whether anything that is written overlaps anything else."""
        for output, array in zip(outputs, arrays, strict=True):
            if output.place is Place.CALLER and array is not None:
                self._look_at(array, output.type, True)
            elif output.place is Place.BLOCK:
                self._look_at_words(f"%{output.name}", 1, 4 if current().triple.startswith("wasm32") else 8)
                if output.type.rank:
                    self._look_at_words(f"%{output.name}.shape", output.type.rank, 8)
        for (first, one), (second, other) in combinations(enumerate(self._given), 2):
            if one.is_written or other.is_written:
                self._refuse_if(self._overlap(one, other), OVERLAP, first, second)

    def _look_at(self, array: Array, type: TensorType, is_written: bool) -> None:
        w, number = self._writer, len(self._given)
        size = str(type.dtype.itemsize)
        for extent in array.extents:
            if extent.startswith("%"):
                self._refuse_if(w.value(f"icmp slt i64 {extent}, 0"), NEGATIVE, number)
            size = w.value(f"mul i64 {size}, {extent}")
        is_null = w.value(f"icmp eq ptr {array.pointer}, null")
        is_needed = w.value(f"icmp ne i64 {size}, 0")
        self._refuse_if(w.value(f"and i1 {is_null}, {is_needed}"), NULL, number)
        self._look_at_alignment(array.pointer, _alignment(type))
        self._given.append(_Given(array.pointer, size, is_written))

    def _look_at_words(self, pointer: str, count: int, alignment: int) -> None:
        """Look at where the address or the extents of a block go."""
        self._refuse_if(self._writer.value(f"icmp eq ptr {pointer}, null"), NULL, len(self._given))
        self._look_at_alignment(pointer, alignment)
        self._given.append(_Given(pointer, str(alignment * count), True))

    def _look_at_alignment(self, pointer: str, alignment: int) -> None:
        rest = self._writer.value(f"and i64 {self._address(pointer)}, {alignment - 1}")
        self._refuse_if(self._writer.value(f"icmp ne i64 {rest}, 0"), MISALIGNED, len(self._given))

    def _overlap(self, one: _Given, other: _Given) -> str:
        """Whether the later of two begins is before the earlier of two ends, and not behind it where one is empty."""
        w = self._writer
        begins = [self._address(given.pointer) for given in (one, other)]
        ends = [w.value(f"add i64 {b}, {g.bytes}") for b, g in zip(begins, (one, other), strict=True)]
        begin = w.value(f"call i64 @llvm.umax.i64(i64 {begins[0]}, i64 {begins[1]})")
        end = w.value(f"call i64 @llvm.umin.i64(i64 {ends[0]}, i64 {ends[1]})")
        return w.value(f"icmp ult i64 {begin}, {end}")

    def _address(self, pointer: str) -> str:
        return self._writer.value(f"ptrtoint ptr {pointer} to i64")

    def _refuse_if(self, condition: str, failure: Site, first: int, second: int = 0) -> None:
        w = self._writer
        bad, good = w.label("bad"), w.label("good")
        w.branch(condition, bad, good)
        w.block(bad)
        number = number_of(failure)
        call = f"call i32 @weft_refused(ptr %error, i64 {number}, i64 {first}, i64 {second}) cold"
        w.end(f"ret i32 {w.value(call)}")
        w.block(good)


def _alignment(type: TensorType) -> int:
    size: int = type.dtype.itemsize
    return size // 2 if type.dtype.kind == "c" else size
