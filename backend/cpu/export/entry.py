"""The functions of a library as C calls them, in LLVM assembly: they call the planned functions.

    int32_t f(state, inputs, results, weft_error *error)
    void f_sizes(state, inputs, int64_t *sizes)

An array is its address, and behind it the extents that its type does not tell.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.records import NamedTuple, dataclass
from ....passes.base import Statistics, TextPass
from ...planning.plan import ALIGNMENT, RECORD_LENGTH
from ..lowering.entries import vector_width
from .checks import Checks
from .interface import NO_MEMORY, CFunction, Input, Place, number_of
from .planned_call import CONSTANT, HeapTable, PlannedCall, declared, entry_of
from .writer import Array, Writer

SMALL_WORKSPACE = 4096
"""So many bytes are on the stack: to ask for memory takes as long as a small function."""


@dataclass(frozen=True)
class AddCFunctions(TextPass):
    """Add the functions that programs in C call."""

    function: CFunction
    is_checked: bool = False
    by_pointer: frozenset[str] = frozenset()
    by_table: frozenset[str] = frozenset()

    def run(self, text: str, statistics: Statistics) -> str:
        statistics["entries"] += 1
        entry = _Entry(self)
        added = entry.text() + (entry.sizes_text() if self.function.sized else "")
        return f"{text}\n{declared(self.function, text, added, {})}{added}"


class _Entry(PlannedCall):
    """Writes the functions of one planned function."""

    def __init__(self, what: AddCFunctions) -> None:
        super().__init__(what.function, what.by_pointer, what.by_table)
        self._is_checked = what.is_checked

    # The two functions

    def text(self) -> str:
        """The function itself."""
        function, plan, w = self._function, self._plan, Writer()
        parameters = [*self._state(), *self.input_parameters(), *self.output_parameters(), "ptr %error"]
        inputs = self._inputs(w)
        checks = Checks(w) if self._is_checked else None
        if checks is not None:
            checks.look_at_inputs(function.inputs, inputs, has_state=function.uses_state)
        sizes = self.call_sizes(w, inputs) if plan.sizes else []
        outputs = self._outputs(w, sizes)
        if checks is not None:
            checks.look_at_outputs(function.outputs, outputs)
        record = w.memory(f"[{RECORD_LENGTH} x i64]")
        w.do(f"store i64 0, ptr {record}")
        self.prepare(w, record)
        table = self.heap_table(w)
        workspace = self._workspace(w, sizes)
        self.call(w, inputs, outputs, workspace.pointer, record, table)
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
        self.give_blocks(w, table)
        self._store_state(w, outputs)
        w.end("ret i32 0")
        return f'\ndefine i32 @"{function.name}"({", ".join(parameters)}) {vector_width()} {{\n{w.text}}}\n'

    def sizes_text(self) -> str:
        """What tells the extents of results that their types do not."""
        w = Writer()
        return self.sizes_function(w, self._inputs(w), *self._state())

    # Parameters, and what they are in memory

    def _state(self) -> list[str]:
        return ["ptr %state"] if self._function.uses_state else []

    def _inputs(self, w: Writer) -> list[Array]:
        return [self._input(w, given) for given in self._function.inputs]

    def _input(self, w: Writer, given: Input) -> Array:
        array = self.given(w, given)
        if given.place is Place.STATE:
            return array._replace(pointer=w.value(f"getelementptr i8, ptr %state, i64 {given.offset}"))
        if given.place is Place.CONSTANT:
            return array._replace(pointer=f'@"{CONSTANT}.{given.offset}"')
        return array

    def _outputs(self, w: Writer, sizes: Sequence[str]) -> list[Array | None]:
        """Results in memory that is there before the call; those of the state, which is read until the end, apart."""
        return [
            array._replace(pointer=w.memory(f"[{output.type.dtype.itemsize} x i8]"))
            if array is not None and output.place is Place.STATE
            else array
            for output, array in zip(self._function.outputs, self.results(sizes), strict=True)
        ]

    # Before the call

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

    def _free(self, w: Writer, table: HeapTable | None, first: int, count: int) -> None:
        for number in range(first, first + count):
            assert table is not None
            block = w.value(f"load ptr, ptr {entry_of(w, table, number)}")
            w.do(f"call void @weft_free(ptr {block})")

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
