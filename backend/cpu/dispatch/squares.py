"""Transposing squares of an array through registers, as LLVM assembly: each line of memory is touched once.

Where rows are a power of two apart, the lines of a column fall into one set of the cache, and what goes through memory
element by element reads every line many times: NumPy takes 7 ms for 1024x1024 floats.
"""

from __future__ import annotations

from ...processors.description import LINE_BYTES

MOST_LANES = 16
"""A square of this many vectors fits the registers of AVX-512; with fewer registers some go through the stack."""

SQUARES_AHEAD = 2
"""Whose lines are asked for: further down in the source, to the right in the target. Matrices of some megabytes are
copied 1.1 to 1.7 times as fast."""

WIDTHS = (1, 2, 4, 8, 16)
"""The sizes of elements in bytes."""


def edge(width: int) -> int:
    """The edge of a square of elements of a size in bytes."""
    return min(MOST_LANES, LINE_BYTES // width)


def square_name(width: int) -> str:
    """The function for elements of a size in bytes.

    It is `void(target, target_step, source, source_step)`, all of them integers: element j of row i of the target gets
    element i of row j of the source; steps are from row to row, in bytes.
    """
    return f"weft_square_{width}"


def squares_assembly() -> str:
    """The definitions of all functions."""
    return "".join(_Square(width).text() for width in WIDTHS) + _PREFETCH


_PREFETCH = "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)\n"


class _Square:
    """Writes a function; elements of 16 bytes are pairs of words."""

    def __init__(self, width: int) -> None:
        self._name, self._size = square_name(width), edge(width)
        self._parts = max(1, width // 8)
        self._type = f"<{self._size * self._parts} x i{8 * width // self._parts}>"
        self._lines: list[str] = []

    def text(self) -> str:
        rows = [self._load(index) for index in range(self._size)]
        for index in range(self._size):
            self._ask_for(self._address("source", index + SQUARES_AHEAD * self._size), writes=0)
            line = f"getelementptr i8, ptr {self._address('target', index)}, i64 {SQUARES_AHEAD * LINE_BYTES}"
            self._ask_for(self._emit(line), writes=1)
        for index, row in enumerate(self._transposed(rows)):
            self._lines.append(f"  store {self._type} {row}, ptr {self._address('target', index)}, align 1")
        head = f"define void @{self._name}(i64 %target, i64 %target.step, i64 %source, i64 %source.step)"
        return "\n".join(
            [f'{head} nounwind "prefer-vector-width"="512" {{', *self._lines, "  ret void", "}", ""]
        )

    def _emit(self, instruction: str) -> str:
        name = f"%v{len(self._lines)}"
        self._lines.append(f"  {name} = {instruction}")
        return name

    def _address(self, array: str, row: int) -> str:
        offset = self._emit(f"mul i64 %{array}.step, {row}")
        return self._emit(f"inttoptr i64 {self._emit(f'add i64 %{array}, {offset}')} to ptr")

    def _ask_for(self, address: str, writes: int) -> None:
        self._lines.append(f"  call void @llvm.prefetch.p0(ptr {address}, i32 {writes}, i32 3, i32 1)")

    def _load(self, row: int) -> str:
        return self._emit(f"load {self._type}, ptr {self._address('source', row)}, align 1")

    def _transposed(self, rows: list[str]) -> list[str]:
        """Vectors of the columns, by log2(n) rounds of interleaving halves."""
        size = self._size
        low = [lane // 2 + (lane % 2) * size for lane in range(size)]
        high = [lane + size // 2 for lane in low]
        for _ in range(size.bit_length() - 1):
            pairs = [(rows[i], rows[i + size // 2]) for i in range(size // 2)]
            rows = [self._shuffle(a, b, order) for a, b in pairs for order in (low, high)]
        return rows

    def _shuffle(self, left: str, right: str, order: list[int]) -> str:
        places = [lane * self._parts + part for lane in order for part in range(self._parts)]
        mask = ", ".join(f"i32 {place}" for place in places)
        return self._emit(
            f"shufflevector {self._type} {left}, {self._type} {right}, <{len(places)} x i32> <{mask}>"
        )
