"""Calls of libraries by programs for a GPU: native code asks for a routine, which is queued on the stream of the call.

Memory that a routine works in comes from the pool of the device, in the order of the stream. Nothing waits: whether a
routine has failed is written where its status belongs, and the program looks at it there. Matrices are written row
after row, and so are the transposes of what LAPACK's functions take them for.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cache
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from ....dialect.device_routines import NUMBERS
from ....dialect.records import dataclass
from ..devices.libraries import chosen_math_library
from ..driver.math_libraries import solver_name
from ..driver.streams import Stream

if TYPE_CHECKING:
    from ..devices.open_devices import OpenDevice

MOST_PLANS = 32
"""So many plans of transforms are kept."""
FORWARD, INVERSE = -1, 1
LOWER, UPPER = 0, 1
NO_VECTORS, VECTORS = 0, 1
AS_IT_IS, TRANSPOSED = 0, 1
COMPLEX_BYTES, REAL_BYTES = 16, 8
"""Of the elements of matrices: NumPy computes with doubles."""

_ELEMENTS = {2: 2, 4: 0, 8: 1}
"""cudaDataType_t of float16, float32 and float64, by their bytes."""
SINGLE, DOUBLE = 68, 70
"""cublasComputeType_t."""
DEFAULT = -1
"""cublasGemmAlgo_t."""
WORKSPACE = 32 << 20
"""What NVIDIA recommends for Hopper."""

KINDS = {"C2C": 0x29, "R2C": 0x2A, "C2R": 0x2C, "Z2Z": 0x69, "D2Z": 0x6A, "Z2D": 0x6C}
"""cufftType."""
_NAMES = tuple(NUMBERS)
_WORD = 8


@dataclass(frozen=True)
class Placed:
    """An argument: where it is, and its extents."""

    address: int
    shape: tuple[int, ...]
    bytes: int = 0
    """Of an element."""
    is_complex: bool = False


@dataclass
class _Call:
    """One call of a routine."""

    libraries: DeviceLibraries
    stream: Stream
    arguments: list[Placed] = field(default_factory=list)
    status: int = 0
    """Where it is told whether the routine has failed."""
    blocks: list[int] = field(default_factory=list)

    def take(self, kind: int, source: int, target: int, shape: tuple[int, ...]) -> None:
        """Add an argument, which is copied where it may be written to, unless it is there or holds nothing."""
        memory, size = self.libraries.device.memory, (kind >> 1) * prod(shape)
        address = target or self.work(size)
        if source not in (0, address):
            memory.copy(address, source, size, self.stream)
        self.arguments.append(Placed(address, shape, kind >> 1, bool(kind & 1)))

    def work(self, size: int) -> int:
        """Memory for as long as the call runs on the device."""
        self.blocks.append(self.libraries.device.memory.allocate_address(size, self.stream))
        return self.blocks[-1]

    # Transforms

    def transform(self, kind: str, *direction: int) -> None:
        """Along the last axis; `kind` is of single precision."""
        x, result = self.arguments
        if x.bytes == (COMPLEX_BYTES if x.is_complex else REAL_BYTES):
            kind = kind.replace("C", "Z").replace("R", "D")
        count = (result if direction == () and x.is_complex else x).shape[-1]
        self.libraries.transform(self, kind, count, direction)

    # Matrices

    def product(self, turns: str) -> None:
        """Of stacks of rows, which are columns of transposes: cuBLAS multiplies these, the second one first."""
        a, b, result = self.arguments
        rows, columns = result.shape[-2:]
        length = a.shape[-2 if turns[0] == "t" else -1]
        turned = [AS_IT_IS if turn == "n" else TRANSPOSED for turn in reversed(turns)]
        places = [(x.address, _ELEMENTS[x.bytes], x.shape[-1], _step(x)) for x in (b, a, result)]
        is_double = result.bytes == REAL_BYTES
        one, zero = (ctypes.c_double if is_double else ctypes.c_float)(1), ctypes.c_double(0)
        numbers = ctypes.byref(one), *places[0], *places[1], ctypes.byref(zero), *places[2]
        rest = prod(result.shape[:-2]), DOUBLE if is_double else SINGLE, DEFAULT
        self.libraries.multiply(self, *turned, columns, rows, length, *numbers, *rest)

    def solver(self, function: str, *arguments: Any) -> None:
        """Call a function of cuSOLVER, whose last argument is where it tells whether it failed."""
        self.libraries.solver(self.stream, self._name(function), *arguments, self.status)

    def _name(self, function: str) -> str:
        return solver_name("Z" if self.arguments[0].is_complex else "D", function)

    def room(self, function: str, *arguments: Any) -> tuple[int, int]:
        """Memory for a function, and how many elements it has."""
        count = ctypes.c_int()
        self.libraries.solver(
            self.stream, self._name(f"{function}_bufferSize"), *arguments, ctypes.byref(count)
        )
        return self.work(count.value * self.arguments[0].bytes), count.value

    def cholesky(self, triangle: int) -> None:
        """Of one triangle of what LAPACK takes for the matrix."""
        (x,) = self.arguments
        given = triangle, x.shape[0], x.address, x.shape[0]
        self.solver("potrf", *given, *self.room("potrf", *given))

    def solve(self, operation: int) -> None:
        """Each row is a right side."""
        a, rows = self.arguments
        n = a.shape[0]
        pivots = self.work(4 * n)
        self._factorize(a, pivots)
        self.libraries.solver(  # which must not write over the status, not 0 where the matrix is singular
            self.stream,
            self._name("getrs"),
            *(operation, n, rows.shape[0], a.address, n, pivots, rows.address, n, self.work(4)),
        )

    def lu(self) -> None:
        """Into triangles, with what lines were exchanged."""
        a, pivots = self.arguments
        self._factorize(a, pivots.address)

    def _factorize(self, a: Placed, pivots: int) -> None:
        given = a.shape[0], a.shape[0], a.address, a.shape[0]
        self.solver("getrf", *given, self.room("getrf", *given)[0], pivots)

    def eigenvalues(self, triangle: int, job: int) -> None:
        """With vectors as rows, or without."""
        x, values = self.arguments
        given = job, triangle, x.shape[0], x.address, x.shape[0], values.address
        self.solver("evd", *given, *self.room("evd", *given))

    def singular_values(self) -> None:
        """With vectors or without; LAPACK's left ones are the right ones of the transpose."""
        x, *others = self.arguments
        columns, rows = x.shape  # of what LAPACK takes it for, which has no fewer rows than columns
        nothing = Placed(0, (1, 1))
        u, values, vh = others if len(others) == 3 else (nothing, others[0], nothing)
        job = ord("N") if not u.address else ord("A") if vh.shape[0] == rows else ord("S")
        room = self.room("gesvd", rows, columns)
        vectors = vh.address, rows, u.address, columns
        rest = self.work(REAL_BYTES * columns)
        self.solver("gesvd", job, job, rows, columns, x.address, rows, values.address, *vectors, *room, rest)

    def factors(self) -> None:
        """Householder's, of the columns that rows are."""
        x, scales = self.arguments
        columns, rows = x.shape
        given = rows, columns, x.address, rows
        self.solver("geqrf", *given, scales.address, *self.room("geqrf", *given))

    def basis(self) -> None:
        """The columns that Householder's factors stand for."""
        scales, x = self.arguments
        columns, rows = x.shape
        given = rows, columns, columns, x.address, rows, scales.address
        self.solver("gqr", *given, *self.room("gqr", *given))


Routine: TypeAlias = "Callable[[_Call], None]"


def _product(turns: str) -> Routine:
    return lambda call: call.product(turns)


def _step(x: Placed) -> int:
    """Elements from one matrix of a stack to the next."""
    return x.shape[-2] * x.shape[-1]


ROUTINES: Mapping[str, Routine] = MappingProxyType(
    {
        **{f"cublas.product_{turns}": _product(turns) for turns in ("nn", "nt", "tn", "tt")},
        "cufft.fft": lambda call: call.transform("C2C", FORWARD),
        "cufft.ifft": lambda call: call.transform("C2C", INVERSE),
        "cufft.rfft": lambda call: call.transform("R2C"),
        "cufft.irfft": lambda call: call.transform("C2R"),
        "cusolver.cholesky_lo": lambda call: call.cholesky(UPPER),
        "cusolver.cholesky_up": lambda call: call.cholesky(LOWER),
        "cusolver.solve": lambda call: call.solve(TRANSPOSED),
        "cusolver.solve_transposed": lambda call: call.solve(AS_IT_IS),
        "cusolver.lu": _Call.lu,
        "cusolver.eigh_lo": lambda call: call.eigenvalues(UPPER, VECTORS),
        "cusolver.eigh_up": lambda call: call.eigenvalues(LOWER, VECTORS),
        "cusolver.eigvalsh_lo": lambda call: call.eigenvalues(UPPER, NO_VECTORS),
        "cusolver.eigvalsh_up": lambda call: call.eigenvalues(LOWER, NO_VECTORS),
        "cusolver.svd": _Call.singular_values,
        "cusolver.svdvals": _Call.singular_values,
        "cusolver.qr_factors": _Call.factors,
        "cusolver.qr_basis": _Call.basis,
    }
)
"""What is asked of the library of a device for each of `dialect.device_routines`."""


class DeviceLibraries:
    """The libraries of a device, with what they keep: a handle for each stream, and plans of transforms."""

    def __init__(self, device: OpenDevice) -> None:
        self.device = device
        self.error: BaseException | None = None
        """Of the last call that has failed."""
        self._lock = threading.RLock()
        self._plans: dict[tuple[str, int, int], tuple[int, int]] = {}
        self._handles: dict[tuple[str, int], ctypes.c_void_p] = {}
        words = ctypes.c_int64
        self._entry = ctypes.CFUNCTYPE(ctypes.c_int, words, words, words)(self._enter)
        self.address = ctypes.cast(self._entry, ctypes.c_void_p).value or 0
        """Of the function that native code calls: with a stream, a routine, and words that describe its arguments."""

    def _enter(self, stream: int, routine: int, words: int) -> int:
        try:
            with self._lock:
                self.device.device.use()
                self._perform(Stream(self.device.device, stream), _NAMES[routine], words)
        except BaseException as error:
            self.error = error
            return 1
        return 0

    def _perform(self, stream: Stream, routine: str, words: int) -> None:
        """Queue a routine, with its arguments where it may write to them."""
        memory, at = self.device.memory, words + _WORD
        call = _Call(self, stream)
        try:
            for _ in range(_word(words)):
                kind, source, target, rank = (_word(at + _WORD * place) for place in range(4))
                shape = tuple(_word(at + _WORD * (4 + axis)) for axis in range(rank))
                at += _WORD * (4 + rank)
                call.take(kind, source, target, shape)
            call.status = _word(at) or call.work(_WORD)
            memory.fill(call.status, 0, _WORD, stream)
            if all(prod(argument.shape) for argument in call.arguments):
                ROUTINES[routine](call)
        finally:
            for block in call.blocks:
                memory.release(block, stream)

    # Transforms

    def transform(self, call: _Call, kind: str, count: int, direction: Sequence[int]) -> None:
        """Transform the last axis of an array of the kind that a plan is for."""
        x, result = call.arguments
        cufft, batch = chosen_math_library("cufft"), prod(x.shape[:-1])
        plan, size = self._plan(kind, count, batch, x.shape[-1], result.shape[-1])
        cufft.call("cufftSetStream", plan, call.stream.handle)
        cufft.call("cufftSetWorkArea", plan, call.work(size))
        cufft.call(f"cufftExec{kind}", plan, x.address, result.address, *direction)

    def _plan(self, kind: str, count: int, batch: int, taken: int, given: int) -> tuple[int, int]:
        """A plan, and the bytes of its work area; those that were used last are kept."""
        key = kind, count, batch
        found = self._plans.pop(key, None) or self._made(kind, count, batch, taken, given)
        self._plans[key] = found
        if len(self._plans) > MOST_PLANS:
            self.device.device.synchronize()  # it may be at work
            chosen_math_library("cufft").call("cufftDestroy", self._plans.pop(next(iter(self._plans)))[0])
        return found

    def _made(self, kind: str, count: int, batch: int, taken: int, given: int) -> tuple[int, int]:
        cufft, plan, size = chosen_math_library("cufft"), ctypes.c_int(), ctypes.c_size_t()
        counts, inside, outside = ((ctypes.c_longlong * 1)(extent) for extent in (count, taken, given))
        cufft.call("cufftCreate", ctypes.byref(plan))
        try:
            cufft.call("cufftSetAutoAllocation", plan, 0)
            cufft.call(
                "cufftMakePlanMany64",
                *(
                    plan,
                    1,
                    counts,
                    inside,
                    1,
                    taken,
                    outside,
                    1,
                    given,
                    KINDS[kind],
                    batch,
                    ctypes.byref(size),
                ),
            )
        except BaseException:
            cufft.call("cufftDestroy", plan)
            raise
        return plan.value, size.value

    # Matrices

    def solver(self, stream: Stream, function: str, *arguments: Any) -> None:
        """Call a function of cuSOLVER on a stream."""
        handle = self._handle("cusolver", stream, "cusolverDnCreate", "cusolverDnSetStream")
        chosen_math_library("cusolver").call(function, handle, *arguments)

    def multiply(self, call: _Call, *arguments: Any) -> None:
        """Call cuBLAS, which works in memory of the pool."""
        cublas = chosen_math_library("cublas")
        handle = self._handle("cublas", call.stream, "cublasCreate_v2", "cublasSetStream_v2")
        cublas.call("cublasSetWorkspace_v2", handle, call.work(WORKSPACE), WORKSPACE)
        cublas.call("cublasGemmStridedBatchedEx", handle, *arguments)

    def _handle(self, library: str, stream: Stream, create: str, choose: str) -> ctypes.c_void_p:
        """A handle for a stream."""
        if (library, stream.handle) not in self._handles:
            handle = ctypes.c_void_p()
            chosen_math_library(library).call(create, ctypes.byref(handle))
            chosen_math_library(library).call(choose, handle, stream.handle)
            self._handles[library, stream.handle] = handle
        return self._handles[library, stream.handle]


@cache
def libraries_of(device: OpenDevice) -> DeviceLibraries:
    """The libraries of a device."""
    return DeviceLibraries(device)


def _word(address: int) -> int:
    return ctypes.c_int64.from_address(address).value
