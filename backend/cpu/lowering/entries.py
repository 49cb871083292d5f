"""The uniform entries of compiled functions.

    void f_entry(PyArrayObject **arrays, char *workspace, int64_t *record)
    void f_sizes_entry(PyArrayObject **arrays, int64_t *sizes)

Behind the arrays are the addresses of the table of heap blocks, those of results first, and of the sizes of results in
heap blocks.
"""

from __future__ import annotations

from collections.abc import Sequence

from ....dialect.mlir import Module
from ....dialect.records import dataclass
from ....dialect.types import TensorType
from ....passes.base import Statistics, TextPass
from ....passes.rewriting import operations_in
from ...planning.plan import ENTRY_WORDS, RECORD_LENGTH, STACK, Plan
from ..codegen.vectors.width import vector_bytes
from .argument_table import BY_TABLE
from .array_layout import DATA, DIMENSIONS
from .parameters import BY_POINTER


@dataclass(frozen=True)
class AddEntries(TextPass):
    """Add the functions that a caller enters through."""

    plans: tuple[Plan, ...] = ()
    by_pointer: frozenset[str] = frozenset()
    """The functions that take pointers alone, where others take memref descriptors."""
    by_table: frozenset[str] = frozenset()
    """Those that take the table itself."""

    @classmethod
    def of(cls, module: Module, plans: Sequence[Plan]) -> AddEntries:
        """The entries of a planned module in the LLVM dialect, by the attributes of its functions."""

        def having(attribute: str) -> frozenset[str]:
            functions = operations_in(module.body)
            return frozenset(f.attributes["sym_name"].value for f in functions if attribute in f.attributes)

        return cls(tuple(plans), having(BY_POINTER), having(BY_TABLE))

    def run(self, text: str, statistics: Statistics) -> str:
        statistics["entries"] += sum(len(plan.entries) for plan in self.plans)
        return text + "".join(self._entry(plan) for plan in self.plans)

    def _entry(self, plan: Plan) -> str:
        """The assembly of the entry functions of a planned function."""
        if plan.name in self.by_table:
            return (
                f'\ndefine void @"{plan.name}_entry"(ptr %arrays, ptr %workspace, ptr %record) {vector_width()} {{\n'
                f'  call void @"{plan.name}"(ptr %arrays, ptr %workspace, ptr %record)\n  ret void\n}}\n'
            )
        arguments = Arguments(plan.name in self.by_pointer)
        inputs = len(plan.inputs)
        for index, type in enumerate(plan.inputs + plan.results):
            if index - inputs in plan.on_heap:
                arguments.block(sorted(plan.on_heap).index(index - inputs), len(plan.inputs + plan.results))
                arguments.passed.append("i64 0")
            else:
                arguments.array(index, type)
        size = 0 if plan.workspace is None else plan.workspace
        arguments.pass_memref("%workspace", [str(size)])
        arguments.pass_memref("%record", [str(RECORD_LENGTH)])
        if plan.blocks:
            arguments.block(len(plan.on_heap), len(plan.inputs + plan.results), plan.blocks)
        if plan.on_heap:
            arguments.pass_memref(
                arguments.word(len(plan.inputs + plan.results) + 1), [str(plan.heap_extents)]
            )
        text = (
            f'\ndefine void @"{plan.name}_entry"(ptr %arrays, ptr %workspace, ptr %record) {vector_width()} {{\n'
            f"{arguments.text}{_STACK_LIMIT if plan.calls else ''}"
            f'  call void @"{plan.name}"({", ".join(arguments.passed)})\n  ret void\n}}\n'
        )
        return text if plan.sizes is None else text + _sizes_text(plan, plan.sizes in self.by_pointer)


def vector_width() -> str:
    """Vectors as wide as in kernels, which may be inlined: LLVM asks the function that a loop is in."""
    return f'"prefer-vector-width"="{8 * vector_bytes()}"'


_STACK_LIMIT = f"""\
  %here = alloca i64
  %address = ptrtoint ptr %here to i64
  %stack.at = getelementptr i64, ptr %record, i64 {STACK}
  %budget = load i64, ptr %stack.at
  %limit = sub i64 %address, %budget
  store i64 %limit, ptr %stack.at
"""
"""The caller tells how many bytes of the stack may be used; what is called needs the lowest address."""


def _sizes_text(plan: Plan, by_pointer: bool) -> str:
    arguments = Arguments(by_pointer)
    for index, type in enumerate(plan.inputs):
        arguments.array(index, type)
    count = plan.fixed_extents + 1
    result = "i64" if count == 1 else "{ " + ", ".join(["i64"] * count) + " }"
    lines = [f'  %sizes = call {result} @"{plan.sizes}"({", ".join(arguments.passed)})\n']
    for i in range(count):
        value = "%sizes" if count == 1 else f"%size.{i}"
        if count > 1:
            lines.append(f"  {value} = extractvalue {result} %sizes, {i}\n")
        lines.append(
            f"  %at.{i} = getelementptr i64, ptr %result, i64 {i}\n  store i64 {value}, ptr %at.{i}\n"
        )
    return (
        f'\ndefine void @"{plan.sizes}_entry"(ptr %arrays, ptr %result) {{\n'
        f"{arguments.text}{''.join(lines)}  ret void\n}}\n"
    )


class Arguments:
    """Builds memref descriptors, passed as separate arguments, from array objects; or their pointers alone."""

    def __init__(self, by_pointer: bool) -> None:
        self._by_pointer = by_pointer
        self.text = ""
        self.passed: list[str] = []

    def array(self, index: int, type: TensorType) -> None:
        """Pass the array at an index of the table as a memref of a type."""
        a = f"a{index}"
        lines = [
            f"%{a}.slot = getelementptr ptr, ptr %arrays, i64 {index}",
            f"%{a} = load ptr, ptr %{a}.slot",
            f"%{a}.field = getelementptr i8, ptr %{a}, i64 {DATA}",
            f"%{a}.data = load ptr, ptr %{a}.field",
        ]
        shape = type.shape
        if None in shape:
            lines.append(f"%{a}.dims = getelementptr i8, ptr %{a}, i64 {DIMENSIONS}")
            lines.append(f"%{a}.shape = load ptr, ptr %{a}.dims")
        sizes = []
        for axis, extent in enumerate(shape):
            if extent is None:
                lines.append(f"%{a}.at{axis} = getelementptr i64, ptr %{a}.shape, i64 {axis}")
                lines.append(f"%{a}.size{axis} = load i64, ptr %{a}.at{axis}")
            sizes.append(f"%{a}.size{axis}" if extent is None else str(extent))
        self.text += "".join(f"  {line}\n" for line in lines)
        self.pass_memref(f"%{a}.data", sizes, f"%{a}")

    def word(self, index: int) -> str:
        """A pointer at an index of the table."""
        name = f"%w{index}"
        self.text += f"  {name}.slot = getelementptr ptr, ptr %arrays, i64 {index}\n"
        self.text += f"  {name} = load ptr, ptr {name}.slot\n"
        return name

    def block(self, number: int, table: int, count: int = 1) -> None:
        """Pass heap blocks from a number on as a table; the table of all is at an index of the table of arrays."""
        name = f"%block{number}"
        self.text += f"  {name}.slot = getelementptr ptr, ptr %arrays, i64 {table}\n"
        self.text += f"  {name}.all = load ptr, ptr {name}.slot\n"
        self.text += f"  {name} = getelementptr i64, ptr {name}.all, i64 {ENTRY_WORDS * number}\n"
        self.pass_memref(name, [str(count)])

    def pass_memref(self, pointer: str, sizes: list[str], prefix: str = "") -> None:
        """Pass a contiguous memref: both pointers, offset, sizes and strides."""
        if self._by_pointer:
            self.passed.append(f"ptr {pointer}")
            return
        strides = ["1"]
        for axis in range(len(sizes) - 1, 0, -1):
            if sizes[axis].startswith("%") or strides[0].startswith("%"):
                name = f"{prefix}.stride{axis - 1}"
                self.text += f"  {name} = mul i64 {strides[0]}, {sizes[axis]}\n"
                strides.insert(0, name)
            else:
                strides.insert(0, str(int(strides[0]) * int(sizes[axis])))
        numbers = ["0", *sizes, *(strides if sizes else [])]
        self.passed += [f"ptr {pointer}", f"ptr {pointer}", *(f"i64 {number}" for number in numbers)]
