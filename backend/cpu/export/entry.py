"""The functions of a library as C calls them, in LLVM assembly: they call the planned functions.

    int32_t f(state, inputs, results, weft_error *error)
    void f_sizes(state, inputs, int64_t *sizes)

An array is its address, and behind it the extents that its type does not tell.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ....dialect.records import NamedTuple, dataclass
from ....dialect.types import TensorType
from ....passes.base import Statistics, TextPass
from ...planning.plan import ALIGNMENT, CHECKED, DEPTH, ENTRY_WORDS, MAX_VALUES, RECORD_LENGTH, STACK
from ..lowering.entries import Arguments, vector_width
from .checks import Checks
from .interface import LLVM_TYPES, NO_MEMORY, CFunction, Input, Place, number_of
from .writer import Array, Writer

SMALL_WORKSPACE = 4096
"""So many bytes are on the stack: to ask for memory takes as long as a small function."""

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


@dataclass(frozen=True)
class AddCFunctions(TextPass):
    """Add the functions of C for a planned function."""

    name: ClassVar[str] = "add-c-functions"
    summary: ClassVar[str] = "add the functions that programs in C call"

    function: CFunction
    is_checked: bool = False
    by_pointer: frozenset[str] = frozenset()
    by_table: frozenset[str] = frozenset()

    def run(self, text: str, statistics: Statistics) -> str:
        statistics["entries"] += 1
        entry = _Entry(self)
        added = entry.text() + (entry.sizes_text() if self.function.sized else "")
        declared = "".join(
            line for name, line in _CALLED.items() if f"@{name}(" not in text and f"@{name}(" in added
        )
        constants = sorted({i.offset for i in self.function.inputs if i.place is Place.CONSTANT})
        declared += "".join(f'@"{CONSTANT}.{number}" = external constant i8\n' for number in constants)
        return f"{text}\n{declared}{added}"


class _Entry:
    """Writes the functions of one planned function."""

    def __init__(self, what: AddCFunctions) -> None:
        self._function = what.function
        self._plan = what.function.plan
        self._is_checked = what.is_checked
        self._by_pointer = what.by_pointer
        self._by_table = what.by_table

    # The two functions

    def text(self) -> str:
        """The function itself."""
        function, plan, w = self._function, self._plan, Writer()
        parameters = self._input_parameters()
        for output in function.outputs:
            if output.place in (Place.CALLER, Place.BLOCK):
                parameters.append(f"ptr %{output.name}")
            if output.place is Place.BLOCK and output.type.rank:
                parameters.append(f"ptr %{output.name}.shape")
        parameters.append("ptr %error")
        inputs = self._inputs(w)
        checks = Checks(w) if self._is_checked else None
        if checks is not None:
            checks.look_at_inputs(function.inputs, inputs, has_state=function.uses_state)
        sizes = self._call_sizes(w, inputs) if plan.sizes else []
        outputs = self._outputs(w, sizes)
        if checks is not None:
            checks.look_at_outputs(function.outputs, outputs)
        record = w.memory(f"[{RECORD_LENGTH} x i64]")
        w.do(f"store i64 0, ptr {record}")
        self._prepare(w, record)
        table = self._heap_table(w)
        workspace = self._workspace(w, sizes)
        self._call(w, inputs, outputs, workspace.pointer, record, table)
        self._release(w, workspace)
        self._free(w, table, len(plan.on_heap), plan.blocks)
        if plan.may_fail:
            site = w.value(f"load i64, ptr {record}")
            done, failed = w.label("done"), w.label("failed")
            good = w.value(f"icmp eq i64 {site}, 0")
            w.branch(good, done, failed)
            w.block(failed)
            self._free(w, table, 0, len(plan.on_heap))
            code = w.value(f"call i32 @weft_failed(ptr %error, ptr {record}, i64 {function.first_site}) cold")
            w.end(f"ret i32 {code}")
            w.block(done)
        self._give_blocks(w, table)
        self._store_state(w, outputs)
        w.end("ret i32 0")
        return f'\ndefine i32 @"{function.name}"({", ".join(parameters)}) {vector_width()} {{\n{w.text}}}\n'

    def sizes_text(self) -> str:
        """What tells the extents of results that their types do not."""
        function, w = self._function, Writer()
        inputs = self._inputs(w)
        for number, value in enumerate(self._call_sizes(w, inputs)[:-1]):
            place = w.value(f"getelementptr i64, ptr %sizes, i64 {number}")
            w.do(f"store i64 {value}, ptr {place}")
        w.end("ret void")
        parameters = [*self._input_parameters(), "ptr %sizes"]
        return f'\ndefine void @"{function.name}_sizes"({", ".join(parameters)}) {{\n{w.text}}}\n'

    # Parameters, and what they are in memory

    def _input_parameters(self) -> list[str]:
        parameters = ["ptr %state"] if self._function.uses_state else []
        for given in self._function.inputs:
            if given.place is Place.VALUE:
                parameters.append(f"{LLVM_TYPES[given.type.dtype.name]} %{given.name}")
            elif given.place is Place.CALLER:
                parameters.append(f"ptr %{given.name}")
                parameters += [f"i64 %{given.name}.{axis}" for axis in _unknown(given.type)]
        return parameters

    def _inputs(self, w: Writer) -> list[Array]:
        return [self._input(w, given) for given in self._function.inputs]

    def _input(self, w: Writer, given: Input) -> Array:
        extents = [
            f"%{given.name}.{axis}" if extent is None else str(extent)
            for axis, extent in enumerate(given.type.shape)
        ]
        if given.place is Place.VALUE:
            kind = LLVM_TYPES[given.type.dtype.name]
            pointer = w.memory(kind)
            w.do(f"store {kind} %{given.name}, ptr {pointer}")
        elif given.place is Place.STATE:
            pointer = w.value(f"getelementptr i8, ptr %state, i64 {given.offset}")
        elif given.place is Place.CONSTANT:
            pointer = f'@"{CONSTANT}.{given.offset}"'
        else:
            pointer = f"%{given.name}"
        return Array(pointer, extents)

    def _outputs(self, w: Writer, sizes: Sequence[str]) -> list[Array | None]:
        """The results in memory that is there before the call; None for those in blocks."""
        known = iter(sizes)
        found: list[Array | None] = []
        for output in self._function.outputs:
            if output.place is Place.BLOCK:
                found.append(None)
                continue
            extents = [next(known) if extent is None else str(extent) for extent in output.type.shape]
            pointer = f"%{output.name}"
            if output.place is Place.STATE:  # the state is read until the end
                pointer = w.memory(f"[{output.type.dtype.itemsize} x i8]")
            found.append(Array(pointer, extents))
        return found

    # Before the call

    def _call_sizes(self, w: Writer, inputs: Sequence[Array]) -> list[str]:
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

    def _prepare(self, w: Writer, record: str) -> None:
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

    def _heap_table(self, w: Writer) -> HeapTable | None:
        plan = self._plan
        count = len(plan.on_heap) + plan.blocks
        if not count:
            return None
        blocks = w.memory(f"[{ENTRY_WORDS * count} x i64]")
        w.do(f"call void @llvm.memset.p0.i64(ptr {blocks}, i8 0, i64 {8 * ENTRY_WORDS * count}, i1 false)")
        extents = w.memory(f"[{max(1, plan.heap_extents)} x i64]")
        return HeapTable(blocks, extents)

    def _workspace(self, w: Writer, sizes: Sequence[str]) -> Workspace:
        """The workspace: a small one is in the frame."""
        known = self._plan.workspace
        small = SMALL_WORKSPACE if known is None else min(known, SMALL_WORKSPACE)
        own = w.memory(f"[{max(8, small)} x i8]", ALIGNMENT)
        if known is not None and known <= SMALL_WORKSPACE:
            return Workspace(own, None)
        size = sizes[-1] if known is None else str(known)
        is_small = w.value(f"icmp ule i64 {size}, {SMALL_WORKSPACE}")
        ahead, large, failed, go = (w.label(part) for part in ("ahead", "large", "no_memory", "go"))
        w.end(f"br label %{ahead}")
        w.block(ahead)
        w.branch(is_small, go, large)
        w.block(large)
        held = w.value(f"call ptr @weft_workspace(i64 {size})")
        w.branch(w.value(f"icmp eq ptr {held}, null"), failed, go)
        w.block(failed)
        number = number_of(NO_MEMORY)
        w.end(f"ret i32 {w.value(f'call i32 @weft_refused(ptr %error, i64 {number}, i64 0, i64 0) cold')}")
        w.block(go)
        return Workspace(w.value(f"phi ptr [ {own}, %{ahead} ], [ {held}, %{large} ]"), is_small)

    def _release(self, w: Writer, workspace: Workspace) -> None:
        if workspace.is_small is not None:
            large, after = w.label("large"), w.label("after")
            w.branch(workspace.is_small, after, large)
            w.block(large)
            w.do(f"call void @weft_release_workspace(ptr {workspace.pointer})")
            w.end(f"br label %{after}")
            w.block(after)

    # The call, and behind it

    def _call(
        self,
        w: Writer,
        inputs: Sequence[Array],
        outputs: Sequence[Array | None],
        workspace: str,
        record: str,
        table: HeapTable | None,
    ) -> None:
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
            arguments.pass_memref(_entry_of(w, table, blocks), ["1"])
            arguments.passed.append("i64 0")
            blocks += 1
        arguments.pass_memref(workspace, [str(plan.workspace or 0)])
        arguments.pass_memref(record, [str(RECORD_LENGTH)])
        if plan.blocks:
            assert table is not None
            arguments.pass_memref(_entry_of(w, table, len(plan.on_heap)), [str(plan.blocks)])
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

    def _free(self, w: Writer, table: HeapTable | None, first: int, count: int) -> None:
        for number in range(first, first + count):
            assert table is not None
            block = w.value(f"load ptr, ptr {_entry_of(w, table, number)}")
            w.do(f"call void @weft_free(ptr {block})")

    def _give_blocks(self, w: Writer, table: HeapTable | None) -> None:
        """Tell the caller where results in blocks are, and how large they are."""
        number, extents = 0, 0
        for output in self._function.outputs:
            if output.place is not Place.BLOCK:
                continue
            assert table is not None
            block = w.value(f"load ptr, ptr {_entry_of(w, table, number)}")
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

    def _store_state(self, w: Writer, outputs: Sequence[Array | None]) -> None:
        """Store the numbers of the state that the call changed."""
        for output, array in zip(self._function.outputs, outputs, strict=True):
            if output.place is Place.STATE and array is not None:
                place = w.value(f"getelementptr i8, ptr %state, i64 {output.offset}")
                size = output.type.dtype.itemsize
                w.do(
                    f"call void @llvm.memcpy.p0.p0.i64(ptr {place}, ptr {array.pointer}, i64 {size}, i1 false)"
                )


class Workspace(NamedTuple):
    """The workspace of a call."""

    pointer: str
    is_small: str | None
    """Whether it is in the frame; None where it always is."""


class HeapTable(NamedTuple):
    """The table of blocks of a call, and the extents of results in blocks."""

    blocks: str
    extents: str


def _entry_of(w: Writer, table: HeapTable, number: int) -> str:
    """The address of an entry: compiled code counts by its struct."""
    struct = "{ ptr, ptr, i64, [1 x i64], [1 x i64] }"
    return w.value(f"getelementptr {struct}, ptr {table.blocks}, i64 {number}")


def _unknown(type: TensorType) -> list[int]:
    """The axes of unknown extents."""
    return [axis for axis, extent in enumerate(type.shape) if extent is None]


__all__ = ["CANCEL", "CONSTANT", "AddCFunctions"]
