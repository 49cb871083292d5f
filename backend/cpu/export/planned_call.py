"""What the C functions of libraries have in common, wherever arrays are: the assembly around a planned function."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....dialect.records import NamedTuple
from ....dialect.types import TensorType
from ...planning.plan import CHECKED, DEPTH, ENTRY_WORDS, MAX_VALUES, RECORD_LENGTH, STACK
from ..lowering.entries import Arguments
from .interface import LLVM_TYPES, CFunction, Input, Place
from .writer import Array, Writer

DEPTH_LIMIT, STACK_BUDGET = 1000, 256 << 10
"""How many calls may be nested, as in Python, and how many bytes of the stack they may take: of any thread."""

CANCEL = 1 + MAX_VALUES
"""The word of `weft_error` with the address of a flag; before it are the place and the values of its message."""

CONSTANT = "weft.constants"
"""What the names of constants begin with."""

_CALLED = {
    "weft_cancel_flag": "declare ptr @weft_cancel_flag(ptr)\n",
    "weft_failed": "declare i32 @weft_failed(ptr, ptr, i64)\n",
    "weft_refused": "declare i32 @weft_refused(ptr, i64, i64, i64)\n",
    "weft_workspace": "declare ptr @weft_workspace(i64)\n",
    "weft_release_workspace": "declare void @weft_release_workspace(ptr)\n",
    "weft_free": "declare void @weft_free(ptr)\n",
    "llvm.memset.p0.i64": "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n",
    "llvm.memcpy.p0.p0.i64": "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n",
    "llvm.umax.i64": "declare i64 @llvm.umax.i64(i64, i64)\n",
    "llvm.umin.i64": "declare i64 @llvm.umin.i64(i64, i64)\n",
}
"""What the functions call, for modules that do not call it yet."""


def declared(function: CFunction, text: str, added: str, own: Mapping[str, str]) -> str:
    """The declarations that a module needs for what is added to it: of its `own` functions, and of constants."""
    lines = "".join(
        line for name, line in {**_CALLED, **own}.items() if f"@{name}(" not in text and f"@{name}(" in added
    )
    constants = sorted({given.offset for given in function.inputs if given.place is Place.CONSTANT})
    return lines + "".join(
        f'@"{CONSTANT}.{number}" = external constant i8\n'
        for number in constants
        if f'@"{CONSTANT}.{number}"' in added
    )


class PlannedCall:
    """Writes the parts of a C function that are about the planned function that it calls."""

    def __init__(self, function: CFunction, by_pointer: frozenset[str], by_table: frozenset[str]) -> None:
        self._function = function
        self._plan = function.plan
        self._by_pointer = by_pointer
        self._by_table = by_table

    def input_parameters(self) -> list[str]:
        """The parameters of what the function gets, but for its state."""
        parameters: list[str] = []
        for given in self._function.inputs:
            if given.place is Place.VALUE:
                parameters.append(f"{LLVM_TYPES[given.type.dtype.name]} %{given.name}")
            elif given.place is Place.CALLER:
                parameters.append(f"ptr %{given.name}")
                parameters += [f"i64 %{given.name}.{axis}" for axis in unknown(given.type)]
        return parameters

    def output_parameters(self) -> list[str]:
        """The parameters of results."""
        parameters: list[str] = []
        for output in self._function.outputs:
            if output.place in (Place.CALLER, Place.BLOCK):
                parameters.append(f"ptr %{output.name}")
            if output.place is Place.BLOCK and output.type.rank:
                parameters.append(f"ptr %{output.name}.shape")
        return parameters

    def given(self, w: Writer, given: Input) -> Array:
        """An input as the caller gives it: one that is no parameter is nowhere."""
        extents = [
            f"%{given.name}.{axis}" if extent is None else str(extent)
            for axis, extent in enumerate(given.type.shape)
        ]
        if given.place is Place.VALUE:
            kind = LLVM_TYPES[given.type.dtype.name]
            pointer = w.memory(kind)
            w.do(f"store {kind} %{given.name}, ptr {pointer}")
            return Array(pointer, extents)
        return Array(f"%{given.name}" if given.place is Place.CALLER else "null", extents)

    def results(self, sizes: Sequence[str]) -> list[Array | None]:
        """The results in memory that is there before the call; None for those in blocks."""
        known = iter(sizes)
        found: list[Array | None] = []
        for output in self._function.outputs:
            if output.place is Place.BLOCK:
                found.append(None)
                continue
            extents = [next(known) if extent is None else str(extent) for extent in output.type.shape]
            found.append(Array(f"%{output.name}", extents))
        return found

    def sizes_function(self, w: Writer, inputs: Sequence[Array], *state: str) -> str:
        """A function that tells the extents of results that their types do not."""
        for number, value in enumerate(self.call_sizes(w, inputs)[:-1]):
            place = w.value(f"getelementptr i64, ptr %sizes, i64 {number}")
            w.do(f"store i64 {value}, ptr {place}")
        w.end("ret void")
        parameters = [*state, *self.input_parameters(), "ptr %sizes"]
        return f'\ndefine void @"{self._function.name}_sizes"({", ".join(parameters)}) {{\n{w.text}}}\n'

    def call_sizes(self, w: Writer, inputs: Sequence[Array]) -> list[str]:
        """The unknown extents of results, and the bytes of the workspace."""
        plan = self._plan
        arguments = Arguments(plan.sizes in self._by_pointer)
        for number, array in enumerate(inputs):
            arguments.pass_memref(array.pointer, array.extents, f"%s{number}")
        w.lines(arguments.text)
        count = plan.fixed_extents + 1
        result = "i64" if count == 1 else "{ " + ", ".join(["i64"] * count) + " }"
        sizes = w.value(f'call {result} @"{plan.sizes}"({", ".join(arguments.passed)})')
        if count == 1:
            return [sizes]
        return [w.value(f"extractvalue {result} {sizes}, {number}") for number in range(count)]

    def prepare(self, w: Writer, record: str) -> None:
        """Fill the words of the record that the function looks at."""
        plan = self._plan
        if plan.polls:
            flag = w.value("call ptr @weft_cancel_flag(ptr %error)")
            place = w.value(f"getelementptr i64, ptr {record}, i64 {CHECKED}")
            w.do(f"store i64 0, ptr {place}")
            w.do(f"store ptr {flag}, ptr {place}")
        if plan.calls:
            here = w.value(f"ptrtoint ptr {record} to i64")
            limit = w.value(f"sub i64 {here}, {STACK_BUDGET}")
            for word, value in ((DEPTH, DEPTH_LIMIT), (STACK, limit)):
                place = w.value(f"getelementptr i64, ptr {record}, i64 {word}")
                w.do(f"store i64 {value}, ptr {place}")

    def heap_table(self, w: Writer) -> HeapTable | None:
        """The table of blocks of a call; None without any."""
        plan = self._plan
        count = len(plan.on_heap) + plan.blocks
        if not count:
            return None
        blocks = w.memory(f"[{ENTRY_WORDS * count} x i64]")
        w.do(f"call void @llvm.memset.p0.i64(ptr {blocks}, i8 0, i64 {8 * ENTRY_WORDS * count}, i1 false)")
        extents = w.memory(f"[{max(1, plan.heap_extents)} x i64]")
        return HeapTable(blocks, extents)

    def call(
        self,
        w: Writer,
        inputs: Sequence[Array],
        outputs: Sequence[Array | None],
        workspace: str,
        record: str,
        table: HeapTable | None,
    ) -> None:
        """Call the planned function."""
        plan = self._plan
        if plan.name in self._by_table:
            arrays = self._array_table(w, inputs, outputs)
            w.do(f'call void @"{plan.name}"(ptr {arrays}, ptr {workspace}, ptr {record})')
            return
        arguments = Arguments(plan.name in self._by_pointer)
        blocks = 0
        for number, array in enumerate([*inputs, *outputs]):
            if array is not None:
                arguments.pass_memref(array.pointer, array.extents, f"%a{number}")
                continue
            assert table is not None
            arguments.pass_memref(entry_of(w, table, blocks), ["1"])
            arguments.passed.append("i64 0")
            blocks += 1
        arguments.pass_memref(workspace, [str(plan.workspace or 0)])
        arguments.pass_memref(record, [str(RECORD_LENGTH)])
        if plan.blocks:
            assert table is not None
            arguments.pass_memref(entry_of(w, table, len(plan.on_heap)), [str(plan.blocks)])
        if plan.on_heap:
            assert table is not None
            arguments.pass_memref(table.extents, [str(plan.heap_extents)])
        w.lines(arguments.text)
        w.do(f'call void @"{plan.name}"({", ".join(arguments.passed)})')

    def _array_table(self, w: Writer, inputs: Sequence[Array], outputs: Sequence[Array | None]) -> str:
        """A table of the addresses of cells with the addresses of the arrays."""
        arrays = [array for array in (*inputs, *outputs) if array is not None]
        count = len(arrays)
        cells, table = w.memory(f"[{count} x ptr]"), w.memory(f"[{count} x ptr]")
        for number, array in enumerate(arrays):
            cell = w.value(f"getelementptr ptr, ptr {cells}, i64 {number}")
            w.do(f"store ptr {array.pointer}, ptr {cell}")
            place = w.value(f"getelementptr ptr, ptr {table}, i64 {number}")
            w.do(f"store ptr {cell}, ptr {place}")
        return table

    def give_blocks(self, w: Writer, table: HeapTable | None) -> None:
        """Tell the caller where results in blocks are, and how large they are."""
        number, extents = 0, 0
        for output in self._function.outputs:
            if output.place is not Place.BLOCK:
                continue
            assert table is not None
            block = w.value(f"load ptr, ptr {entry_of(w, table, number)}")
            w.do(f"store ptr {block}, ptr %{output.name}")
            number += 1
            for axis, extent in enumerate(output.type.shape):
                value = str(extent)
                if extent is None:
                    at = w.value(f"getelementptr i64, ptr {table.extents}, i64 {extents}")
                    value = w.value(f"load i64, ptr {at}")
                    extents += 1
                place = w.value(f"getelementptr i64, ptr %{output.name}.shape, i64 {axis}")
                w.do(f"store i64 {value}, ptr {place}")


class HeapTable(NamedTuple):
    """The table of blocks of a call, and the extents of results in blocks."""

    blocks: str
    extents: str


def entry_of(w: Writer, table: HeapTable, number: int) -> str:
    """The address of an entry: compiled code counts by its struct."""
    struct = "{ ptr, ptr, i64, [1 x i64], [1 x i64] }"
    return w.value(f"getelementptr {struct}, ptr {table.blocks}, i64 {number}")


def unknown(type: TensorType) -> list[int]:
    """The axes of unknown extents."""
    return [axis for axis, extent in enumerate(type.shape) if extent is None]
