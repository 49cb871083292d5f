"""What a library for GPUs has besides its functions, in LLVM assembly: the plan, and what opens and closes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ....dialect.records import NamedTuple
from ...cpu.export.interface import Library, Place
from ...cpu.export.needed import MEMORY_ASSEMBLY, Native, needed_assembly
from ...cpu.export.planned_call import CONSTANT
from ...cpu.export.runtime import bytes_assembly, common_assembly, state_assembly
from ...cpu.export.state_bytes import state_header
from ...planning.plan import DeviceKernel
from ..driver.library import driver_file
from ..driver.modules import NOT_THIS_CODE
from ..driver.signatures import FunctionAttribute
from ..machine.call_context import WORDS_OF_TRIPS
from ..machine.host_program import OfDevice
from .given import GIVEN
from .layout import FUNCTIONS, Plan, Program, State

_GIVEN = """
declare i32 @weft_refused(ptr, i64, i64, i64)
declare i32 @weft_failed(ptr, ptr, i64)

define internal i64 @device_plan() {
  ret i64 ptrtoint (ptr @weft.plan to i64)
}

define internal i64 @usual_driver() {
  ret i64 ptrtoint (ptr @weft.usual_driver to i64)
}

define internal i64 @refuse(i64 %error, i64 %number, i64 %first, i64 %second) {
  %e = inttoptr i64 %error to ptr
  %code = call i32 @weft_refused(ptr %e, i64 %number, i64 %first, i64 %second)
  %wide = sext i32 %code to i64
  ret i64 %wide
}

define internal i64 @told(i64 %error, i64 %record, i64 %first) {
  %e = inttoptr i64 %error to ptr
  %r = inttoptr i64 %record to ptr
  %code = call i32 @weft_failed(ptr %e, ptr %r, i64 %first)
  %wide = sext i32 %code to i64
  ret i64 %wide
}
"""

_EXPORTED = (
    *(
        "weft_device_begin",
        "weft_device_take",
        "weft_device_upload",
        "weft_device_download",
        "weft_device_copy",
    ),
    *("weft_device_free_blocks", "weft_device_look", "weft_device_end", "weft_device_failed"),
    *("weft_device_open", "weft_device_close", "weft_device_free"),
    *("weft_device_new", "weft_device_delete", "weft_device_save", "weft_device_load"),
)


class DeviceProgram(NamedTuple):
    """What a function of the library needs of the device."""

    kernels: tuple[DeviceKernel, ...]
    """In the order of their numbers."""
    needs: OfDevice
    reads: bool
    """Whether the host reads memory of the device."""


def needed_of_device(
    library: Library,
    programs: Sequence[DeviceProgram],
    constants: Sequence[int],
    arch: str,
    calls: dict[str, str],
) -> Iterator[str]:
    """The assembly of all of it.

    `constants` are the bytes of those that functions share; `calls` has the types of the driver's functions that
    programs call, as LLVM writes them.
    """
    from . import device_calls, driver_calls, opening

    yield common_assembly(library)
    made = [*_plan(library, programs, constants, arch), *_trampolines(calls)]
    assembly = MEMORY_ASSEMBLY + _GIVEN + "".join(made)
    native = Native((driver_calls, device_calls, opening), _EXPORTED, GIVEN, assembly)
    yield from needed_assembly(library, False, native)
    yield "".join(_functions(library))


def _trampolines(calls: dict[str, str]) -> Iterator[str]:
    """The driver's functions as programs call them: by the addresses that opening has found."""
    for name, type in calls.items():
        result, _, rest = type.partition("(")
        types = rest.strip().removesuffix(")").split(", ")
        parameters = ", ".join(f"{kind} %p{number}" for number, kind in enumerate(types))
        place = f"getelementptr (i64, ptr @DRIVER_TABLE, i64 {FUNCTIONS.index(name)})"
        yield (
            f"\ndefine {result}@{name}({parameters}) {{\n  %f = load ptr, ptr {place}\n"
            f"  %r = call {result}%f({parameters})\n  ret {result}%r\n}}\n"
        )


# The plan


def _plan(
    library: Library, programs: Sequence[DeviceProgram], constants: Sequence[int], arch: str
) -> Iterator[str]:
    yield _text("weft.usual_driver", driver_file())
    for number, name in enumerate(FUNCTIONS):
        yield _text(f"weft.driver.{number}", name)
    modules = list(dict.fromkeys((k.cubin, k.ptx) for program in programs for k in program.kernels))
    for number, (cubin, ptx) in enumerate(modules):
        yield _text(f"weft.ptx.{number}", ptx)
        if cubin is not None:
            yield bytes_assembly(f"weft.cubin.{number}", cubin)
    kernels = [kernel for program in programs for kernel in program.kernels]
    for number, kernel in enumerate(kernels):
        yield _text(f"weft.kernel.{number}", kernel.name)
    content = [data for program in programs for data in program.needs.constants]
    for number, data in enumerate(content):
        yield bytes_assembly(f"weft.of_device.{number}", data)
    attributes = [
        (number, *attribute)
        for number, kernel in enumerate(kernels)
        for attribute in (
            *(
                [(FunctionAttribute.MAX_DYNAMIC_SHARED_BYTES, kernel.shared_bytes)]
                if kernel.shared_bytes
                else []
            ),
            *kernel.attributes,
        )
    ]
    yield _table("weft.other_codes", NOT_THIS_CODE)
    yield _table("weft.names", [f"@weft.driver.{number}" for number in range(len(FUNCTIONS))])
    yield _table(
        "weft.modules",
        [
            word
            for number, (cubin, _) in enumerate(modules)
            for word in (0 if cubin is None else f"@weft.cubin.{number}", f"@weft.ptx.{number}")
        ],
    )
    yield _table(
        "weft.kernels",
        [
            word
            for number, k in enumerate(kernels)
            for word in (modules.index((k.cubin, k.ptx)), f"@weft.kernel.{number}")
        ],
    )
    yield _table("weft.attributes", [word for entry in attributes for word in entry])
    yield _table(
        "weft.device_constants",
        [
            *(word for number, size in enumerate(constants) for word in (f"@{CONSTANT}.{number}", size)),
            *(
                word
                for number, data in enumerate(content)
                for word in (f"@weft.of_device.{number}", len(data))
            ),
        ],
    )
    yield "".join(f"@{CONSTANT}.{number} = external constant i8\n" for number in range(len(constants)))
    yield from _programs(programs, len(constants))
    yield state_assembly(library)
    digits = arch.removeprefix("sm_").rstrip("a")
    words: dict[int, int | str] = {
        Plan.MAJOR: int(digits[:-1]),
        Plan.MINOR: int(digits[-1]),
        Plan.IS_EXACT: int(arch.endswith("a")),
        Plan.MODULES: len(modules),
        Plan.KERNELS: len(kernels),
        Plan.ATTRIBUTES: len(attributes),
        Plan.CONSTANTS: len(constants) + len(content),
        Plan.PROGRAMS: len(programs),
        Plan.STATE_BYTES: library.state_bytes,
        Plan.STATE: "@weft.initial",
        Plan.STATE_HEADER: "@weft.header",
        Plan.STATE_HEADER_BYTES: len(state_header(library)),
        Plan.OTHER_CODES: "@weft.other_codes",
        Plan.NAMES: "@weft.names",
        Plan.MODULE_TABLE: "@weft.modules",
        Plan.KERNEL_TABLE: "@weft.kernels",
        Plan.ATTRIBUTE_TABLE: "@weft.attributes",
        Plan.CONSTANT_TABLE: "@weft.device_constants",
        Plan.PROGRAM_TABLE: "@weft.programs",
    }
    yield _table("weft.plan", [words[number] for number in range(Plan.LENGTH)])


def _programs(programs: Sequence[DeviceProgram], constants: int) -> Iterator[str]:
    """The table of the functions of the library."""
    rows: list[int | str] = []
    first_kernel, first_constant = 0, constants
    for number, (kernels, needs, _) in enumerate(programs):
        yield _table(f"weft.starts.{number}", [start for start, _ in needs.graphs])
        last, length = needs.graphs[-1] if needs.graphs else (0, 0)
        row: dict[int, int | str] = {
            Program.FIRST_KERNEL: first_kernel,
            Program.FIRST_CONSTANT: first_constant,
            Program.HAS_CHECKS: int(needs.checks),
            Program.TRIPS: WORDS_OF_TRIPS * len(needs.host_kernels),
            Program.GRAPH_WORDS: last + length,
            Program.GRAPHS: len(needs.graphs),
            Program.STARTS: f"@weft.starts.{number}",
        }
        rows += [row[word] for word in range(Program.LENGTH)]
        first_kernel += len(kernels)
        first_constant += len(needs.constants)
    yield _table("weft.programs", rows)


def _text(name: str, text: str) -> str:
    return bytes_assembly(name, text.encode() + b"\0", alignment=1)


def _table(name: str, words: Sequence[int | str]) -> str:
    """Words: numbers, and addresses by their names."""
    told = [f"i64 ptrtoint (ptr {w} to i64)" if isinstance(w, str) else f"i64 {w}" for w in words]
    return f'@"{name}" = constant [{len(told)} x i64] [{", ".join(told)}]\n'


# What C calls

_P = "ptr"


def _functions(library: Library) -> Iterator[str]:
    """The functions of the library itself, and the native code that they call."""
    name = library.name
    yield _function(f"{name}_open", "weft_device_open", [_P, _P, _P, _P])
    yield _function(f"{name}_close", "weft_device_close", [_P, _P])
    if any(o.place is Place.BLOCK for function in library.functions for o in function.outputs):
        yield _function(f"{name}_free", "weft_device_free", [_P, _P, _P, _P])
    if library.state:
        yield _function(f"{name}_new", "weft_device_new", [_P, _P, _P])
        yield _function(f"{name}_delete", "weft_device_delete", [_P, _P])
        yield _function(f"{name}_save", "weft_device_save", [_P, _P, _P, _P])
        yield _function(f"{name}_load", "weft_device_load", [_P, _P, _P, "i64", _P])
        size = library.state_bytes + len(state_header(library))
        yield f'\ndefine i64 @"{name}_size"() {{\n  ret i64 {size}\n}}\n'
        for array in library.state:
            yield (
                f'\ndefine ptr @"{name}_{array.name}"(ptr %state) {{\n'
                f"  %at = getelementptr i64, ptr %state, i64 {State.ADDRESS}\n  %start = load ptr, ptr %at\n"
                f"  %p = getelementptr i8, ptr %start, i64 {array.offset}\n  ret ptr %p\n}}\n"
            )


def _function(name: str, called: str, types: Sequence[str]) -> str:
    parameters = ", ".join(f"{type} %p{number}" for number, type in enumerate(types))
    return (
        f"\ndeclare i64 @{called}({', '.join(types)})\n"
        f'define i32 @"{name}"({parameters}) {{\n  %wide = call i64 @{called}({parameters})\n'
        "  %code = trunc i64 %wide to i32\n  ret i32 %code\n}\n"
    )
