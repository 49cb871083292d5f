"""The functions of a library for GPUs as C calls them, in LLVM assembly: they call the planned functions.

    int32_t f(device, stream, state, inputs, results, weft_error *error)
    void f_sizes(inputs, int64_t *sizes)

Arrays are memory of the device. Numbers are the host's: where a kernel wants the address of one, it is copied to the
block that a call has, and numbers of the state that the host looks at are copied to the host.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.records import NamedTuple, dataclass
from ....passes.base import Statistics, TextPass
from ...cpu.export.checks import Checks
from ...cpu.export.interface import CFunction, Input, Place
from ...cpu.export.planned_call import CONSTANT, HeapTable, PlannedCall, declared, entry_of
from ...cpu.export.writer import Array, Writer
from .failures import Number
from .layout import Call, Handle, State

_CALLED = {
    "weft_device_begin": "declare i64 @weft_device_begin(ptr, ptr, ptr, i64)\n",
    "weft_device_take": "declare i64 @weft_device_take(ptr, i64)\n",
    "weft_device_upload": "declare i64 @weft_device_upload(ptr, i64, ptr, i64)\n",
    "weft_device_download": "declare i64 @weft_device_download(ptr, ptr, ptr, i64)\n",
    "weft_device_copy": "declare i64 @weft_device_copy(ptr, ptr, i64, i64)\n",
    "weft_device_free_blocks": "declare i64 @weft_device_free_blocks(ptr, ptr, i64)\n",
    "weft_device_look": "declare i64 @weft_device_look(ptr)\n",
    "weft_device_end": "declare i64 @weft_device_end(ptr, i64)\n",
    "weft_device_failed": "declare i64 @weft_device_failed(ptr, ptr, i64)\n",
}
"""Native code that the functions call."""

APART = 256
"""Numbers in the block of a call are so many bytes apart, which is what memory of the driver's is aligned to."""


@dataclass(frozen=True)
class AddDeviceFunctions(TextPass):
    """Add the functions that programs in C call, where arrays lie on a GPU."""

    function: CFunction
    number: int
    """In the plan of the library."""
    is_checked: bool = False
    by_pointer: frozenset[str] = frozenset()
    by_table: frozenset[str] = frozenset()

    def run(self, text: str, statistics: Statistics) -> str:
        statistics["entries"] += 1
        entry = _Entry(self)
        added = entry.text() + (entry.sizes_text() if self.function.sized else "")
        return f"{text}\n{declared(self.function, text, added, _CALLED)}{added}"


class _Block(NamedTuple):
    """What is in the block of a call: numbers that are copied, numbers of the state, and the workspace."""

    copied: dict[int, int]
    """The offsets of inputs."""
    made: dict[int, int]
    """The offsets of results."""
    workspace: int
    """Its offset."""


class _Entry(PlannedCall):
    """Writes the functions of one planned function."""

    def __init__(self, what: AddDeviceFunctions) -> None:
        super().__init__(what.function, what.by_pointer, what.by_table)
        self._number = what.number
        self._is_checked = what.is_checked
        self._block = self._laid_out()

    def _laid_out(self) -> _Block:
        function, on_host = self._function, self._plan.on_host
        copied = [n for n, i in enumerate(function.inputs) if is_of_host(i) and n not in on_host]
        made = [n for n, o in enumerate(function.outputs) if o.place is Place.STATE]
        offsets = [APART * number for number in range(len(copied) + len(made) + 1)]
        return _Block(
            dict(zip(copied, offsets, strict=False)),
            dict(zip(made, offsets[len(copied) :], strict=False)),
            offsets[-1],
        )

    # The two functions

    def text(self) -> str:
        """The function itself."""
        function, plan, w = self._function, self._plan, Writer()
        parameters = ["ptr %device", "ptr %stream", *(["ptr %state"] if function.uses_state else [])]
        parameters += [*self.input_parameters(), *self.output_parameters(), "ptr %error"]
        self._refuse_if(w, "%device", Number.NO_DEVICE)
        if function.uses_state:
            self._refuse_if(w, "%state", Number.NO_STATE)
        inputs = self._inputs(w)
        checks = Checks(w) if self._is_checked else None
        if checks is not None:
            checks.look_at_inputs(function.inputs, inputs, has_state=False)
        sizes = self.call_sizes(w, inputs) if plan.sizes else []
        outputs = self.results(sizes)
        if checks is not None:
            checks.look_at_outputs(function.outputs, outputs)
        record = w.memory(f"[{Call.LENGTH} x i64]")
        w.do(f"call void @llvm.memset.p0.i64(ptr {record}, i8 0, i64 {8 * Call.LENGTH}, i1 false)")
        self.prepare(w, record)
        table = self.heap_table(w)
        held = w.memory("i64")
        w.do(f"store i64 0, ptr {held}")
        go, end = w.label("go"), w.label("end")
        begun = w.value(
            f"call i64 @weft_device_begin(ptr %device, ptr %stream, ptr {record}, i64 {self._number})"
        )
        w.branch(w.value(f"icmp eq i64 {begun}, 0"), go, end)
        w.block(go)
        self._run(w, inputs, outputs, sizes, record, held, table, end)
        w.end(f"br label %{end}")
        w.block(end)
        self._end(w, record, held, table)
        return f'\ndefine i32 @"{function.name}"({", ".join(parameters)}) {{\n{w.text}}}\n'

    def sizes_text(self) -> str:
        """What tells the extents of results that their types do not."""
        w = Writer()
        return self.sizes_function(w, [self.given(w, given) for given in self._function.inputs])

    # What the function gets

    def _inputs(self, w: Writer) -> list[Array]:
        found = []
        for number, given in enumerate(self._function.inputs):
            array = self.given(w, given)
            if given.place is Place.STATE:
                at = w.value(f"getelementptr i64, ptr %state, i64 {State.ADDRESS}")
                start = w.value(f"load ptr, ptr {at}")
                pointer = w.value(f"getelementptr i8, ptr {start}, i64 {given.offset}")
                array = array._replace(pointer=pointer)
            elif given.place is Place.CONSTANT and number in self._plan.on_host:
                array = array._replace(pointer=f'@"{CONSTANT}.{given.offset}"')
            elif given.place is Place.CONSTANT:
                at = w.value(f"getelementptr i64, ptr %device, i64 {Handle.CONSTANTS}")
                place = w.value(
                    f"getelementptr ptr, ptr {w.value(f'load ptr, ptr {at}')}, i64 {given.offset}"
                )
                array = array._replace(pointer=w.value(f"load ptr, ptr {place}"))
            found.append(array)
        return found

    # The call

    def _run(
        self,
        w: Writer,
        inputs: list[Array],
        outputs: list[Array | None],
        sizes: Sequence[str],
        record: str,
        held: str,
        table: HeapTable | None,
        end: str,
    ) -> None:
        """Place what the call needs for itself, and call; where that fails, go to the end."""
        start = self._take(w, sizes, record, held, end)
        moves = False
        for number, given in enumerate(self._function.inputs):
            array, size = inputs[number], given.type.dtype.itemsize
            if number in self._block.copied:
                to = f"{w.value(f'add i64 {start}, {self._block.copied[number]}')}"
                w.do(f"call i64 @weft_device_upload(ptr {record}, i64 {to}, ptr {array.pointer}, i64 {size})")
                inputs[number] = array._replace(pointer=w.value(f"inttoptr i64 {to} to ptr"))
                moves = True
            elif given.place is Place.STATE and number in self._plan.on_host:
                own = w.memory(f"[{size} x i8]")
                w.do(
                    f"call i64 @weft_device_download(ptr {record}, ptr {own}, ptr {array.pointer}, i64 {size})"
                )
                inputs[number] = array._replace(pointer=own)
                moves = True
        if moves:
            self._go_on(w, record, end)
        for number, offset in self._block.made.items():
            array_made = outputs[number]
            assert array_made is not None
            at = w.value(f"add i64 {start}, {offset}")
            outputs[number] = array_made._replace(pointer=w.value(f"inttoptr i64 {at} to ptr"))
        place = w.value(f"add i64 {start}, {self._block.workspace}")
        workspace = w.value(f"inttoptr i64 {place} to ptr")
        self.call(w, inputs, outputs, workspace, record, table)

    def _take(self, w: Writer, sizes: Sequence[str], record: str, held: str, end: str) -> str:
        """The address of the block of the call; 0 where nothing is in it."""
        known = self._plan.workspace
        if known == 0 and not self._block.workspace:
            return "0"
        size = w.value(f"add i64 {sizes[-1] if known is None else known}, {max(self._block.workspace, 1)}")
        start = w.value(f"call i64 @weft_device_take(ptr {record}, i64 {size})")
        w.do(f"store i64 {start}, ptr {held}")
        self._go_on(w, record, end)
        return start

    def _go_on(self, w: Writer, record: str, end: str) -> None:
        """Go to the end where the record tells of a failure."""
        on = w.label("on")
        w.branch(w.value(f"icmp eq i64 {w.value(f'load i64, ptr {record}')}, 0"), on, end)
        w.block(on)

    # Behind it

    def _end(self, w: Writer, record: str, held: str, table: HeapTable | None) -> None:
        function, plan = self._function, self._plan
        w.do(f"call i64 @weft_device_look(ptr {record})")
        block = w.value(f"load i64, ptr {held}")
        if self._block.made:
            at = w.value(f"getelementptr i64, ptr %state, i64 {State.ADDRESS}")
            state = w.value(f"load ptr, ptr {at}")
            for number, offset in self._block.made.items():
                output = function.outputs[number]
                to = w.value(f"getelementptr i8, ptr {state}, i64 {output.offset}")
                source, size = w.value(f"add i64 {block}, {offset}"), output.type.dtype.itemsize
                w.do(f"call i64 @weft_device_copy(ptr {record}, ptr {to}, i64 {source}, i64 {size})")
        own = len(plan.on_heap)
        if plan.blocks:
            assert table is not None
            self._free(w, record, entry_of(w, table, own), plan.blocks)
        done, failed, after = w.label("done"), w.label("failed"), w.label("after")
        if own:
            assert table is not None
            is_well = w.value(f"icmp eq i64 {w.value(f'load i64, ptr {record}')}, 0")
            w.branch(is_well, after, failed)
            w.block(failed)
            self._free(w, record, entry_of(w, table, 0), own)
            w.end(f"br label %{after}")
            w.block(after)
        w.do(f"call i64 @weft_device_end(ptr {record}, i64 {block})")
        bad = w.label("bad")
        w.branch(w.value(f"icmp eq i64 {w.value(f'load i64, ptr {record}')}, 0"), done, bad)
        w.block(bad)
        code = w.value(f"call i64 @weft_device_failed(ptr %error, ptr {record}, i64 {function.first_site})")
        w.end(f"ret i32 {w.value(f'trunc i64 {code} to i32')}")
        w.block(done)
        self.give_blocks(w, table)
        w.end("ret i32 0")

    def _free(self, w: Writer, record: str, first: str, count: int) -> None:
        w.do(f"call i64 @weft_device_free_blocks(ptr {record}, ptr {first}, i64 {count})")

    def _refuse_if(self, w: Writer, pointer: str, number: int) -> None:
        """Return with an error where an address is NULL."""
        bad, good = w.label("bad"), w.label("good")
        w.branch(w.value(f"icmp eq ptr {pointer}, null"), bad, good)
        w.block(bad)
        call = f"call i32 @weft_refused(ptr %error, i64 {number}, i64 0, i64 0) cold"
        w.end(f"ret i32 {w.value(call)}")
        w.block(good)


def is_of_host(given: Input) -> bool:
    """Whether a parameter is the host's: a number, or the address of a complex one."""
    return given.place in (Place.VALUE, Place.CALLER) and not given.type.rank and not given.is_written
