"""What there is to know about a compiled function besides its machine code: plain data, which no MLIR is needed for.

Planning makes it, the entry functions are written by it, and a call of machine code follows it. Together with an object
file it can be stored and be read again by another process.
"""

from __future__ import annotations

from collections.abc import Iterable

from ...dialect.errors import InternalError
from ...dialect.records import NamedTuple
from ...dialect.types import TensorType
from .packed_layout import PackedArgument

ALIGNMENT = 64
"""Of the workspace and of everything in it, in bytes."""

MAX_VALUES = 15
"""So many numbers can be part of an error message."""

DEPTH, STACK, POLLED, CHECKED = range(1 + MAX_VALUES, 5 + MAX_VALUES)
"""Words of the error record behind the number of the site and the values of its message: how many calls of functions
may be nested, the lowest address of the stack, and when a loop last looked at the time, and for interrupts."""

RECORD_LENGTH = 5 + MAX_VALUES

OUT_OF_MEMORY = -2
"""What the first word of the record is where a kernel got no memory for temporaries."""

ENTRY_WORDS = 5
"""The 64-bit words of an entry in the table of heap blocks: the block twice, an offset of 0, the bytes it has, a stride
of 1."""


class Site(NamedTuple):
    """A place in the program that can raise."""

    error: str
    message: str
    values: int
    location: str
    """The MLIR location of the op, as text: `loc("file.py":3:5)`."""


class HostSite(NamedTuple):
    """A place in the program that calls a Python function of its table."""

    callback: int
    operands: tuple[TensorType, ...]
    results: tuple[TensorType, ...]
    location: str
    """The MLIR location of the op, as text."""


class Plan(NamedTuple):
    """How the planned function is called: inputs, results, workspace, error record, and what there is of the table of
    heap blocks and of the sizes of the results in heap blocks, in this order."""

    name: str
    inputs: list[TensorType]
    """Integers count as signed, as the backend does not tell."""
    results: list[TensorType]
    workspace: int | None
    """Bytes of the workspace; None when it depends on the sizes of the arguments."""
    sizes: str | None
    """The function that computes the dynamic sizes of results and workspace, where there are any."""
    sites: list[Site | HostSite]
    copies: int
    blocks: int
    """The number of heap blocks for intermediates."""
    on_heap: frozenset[int]
    """The results in heap blocks, because their sizes depend on data."""
    calls: bool
    """Whether it calls other functions, or itself."""
    polls: bool
    """Whether it has loops that look for interrupts."""
    packed: tuple[PackedArgument, ...] = ()
    """What the last inputs are packed copies of."""
    written: frozenset[int] = frozenset()
    """The inputs that it writes."""
    on_host: frozenset[int] = frozenset()
    """The inputs, numbers, that lie in memory of the host although the others are on a device."""
    scratch: bool = False
    """Whether kernels ask for memory while they run."""

    @property
    def may_fail(self) -> bool:
        """Whether a call may end with an exception that the error record tells."""
        return bool(self.sites) or self.polls or self.scratch

    @property
    def entries(self) -> list[str]:
        """The names of the functions that are called from outside."""
        return [f"{name}_entry" for name in (self.name, self.sizes) if name is not None]

    @property
    def fixed_extents(self) -> int:
        """How many sizes of results are known before a call, but not to the type."""
        types = (type for index, type in enumerate(self.results) if index not in self.on_heap)
        return sum(type.shape.count(None) for type in types)

    @property
    def heap_extents(self) -> int:
        """How many sizes of results are known after a call only."""
        return sum(self.results[index].shape.count(None) for index in self.on_heap)


class DeviceKernel(NamedTuple):
    """A function that a GPU runs, as data."""

    name: str
    """Of the function in its PTX."""
    ptx: str
    """Of the module that it is in, which other kernels may share."""
    arch: str
    """The architecture that it is for, as in "sm_90a"."""
    cubin: bytes | None = None
    """The code of the architecture, where there was an assembler."""
    shared_bytes: int = 0
    """Memory of a block that a launch asks for."""
    attributes: tuple[tuple[int, int], ...] = ()
    """What the driver is told of the function: numbers of `CUfunction_attribute` and their values."""


class HostKernel(NamedTuple):
    """A kernel of a program for a GPU that runs on the host, on copies of its arrays."""

    reason: str
    """Why it does, as in "it draws random numbers"."""
    location: str
    """Where the program does what it does, or does it first."""


class MachineCode(NamedTuple):
    """A compiled function as data: all that is needed to run it, in this process or another one on such a machine."""

    plan: Plan
    object_file: bytes
    symbols: tuple[str, ...]
    """The functions of the C library, of the compiler and of weft that it calls."""
    target: str = "native"
    """The machine that it is for, as `backend.target` names it."""
    kernels: tuple[DeviceKernel, ...] = ()
    """The device kernels that it launches, by the numbers that its code knows them by."""
    constants: tuple[bytes, ...] = ()
    """The constants of the program that the device must have, too."""
    device_checks: bool = False
    """Whether its device kernels may raise."""
    graphs: tuple[tuple[int, int], ...] = ()
    """For launches that are one graph each, where its words begin, and how many they are."""
    host_kernels: tuple[HostKernel, ...] = ()
    """The kernels that run on the host although arrays are on a device, by the numbers that its code knows them by."""
    lines: tuple[tuple[str, str], ...] = ()
    """Where its functions are in the program, as `program.py:6`, if debuggers are to know."""


def plan_of(plans: Iterable[Plan], name: str) -> Plan:
    """The plan of a function; `InternalError` where there is none."""
    plan = next((plan for plan in plans if plan.name == name), None)
    if plan is None:
        raise InternalError(f"the module to compile has no function {name}")
    return plan
