"""cuBLAS, cuFFT and cuSOLVER for emulated devices: their functions as C functions, which compute with NumPy.

Matrices are LAPACK's, column after column. What the libraries leave open has the worst outcome that is allowed: work
areas are read and overwritten, and so are operands that a function may destroy; of NaN becomes NaN, without a word.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.linalg import _umath_linalg

from weft.backend.gpu.driver.math_libraries import SIGNATURES

from .beside import Beside, Refused

_INVALID_PLAN, _INVALID_SIZE = 1, 8
_INVALID_VALUE = 3
_TYPES = {
    0x29: ("C2C", "F", "F"),
    0x2A: ("R2C", "f", "F"),
    0x2C: ("C2R", "F", "f"),
    0x69: ("Z2Z", "D", "D"),
    0x6A: ("D2Z", "d", "D"),
    0x6C: ("Z2D", "D", "d"),
}
_DTYPES = {"D": np.dtype(np.float64), "Z": np.dtype(np.complex128)}


class _Plan:
    """A plan of a transform, with what was set for it."""

    def __init__(self) -> None:
        self.kind = ""
        self.count = 0
        self.taken = self.given = np.dtype(np.float64)
        self.shapes: list[tuple[int, int]] = []
        self.stream: int | None = None
        self.area: int | None = None
        self.size = 0


class EmulatedMath(Beside):
    """The functions of libcublas, libcufft and libcusolver."""

    INTERNAL = 7

    def __init__(self, driver: Mapping[str, Any]) -> None:
        super().__init__(driver)
        self._plans: dict[int, _Plan] = {}
        self._streams: dict[int, int | None] = {}
        self.functions: dict[str, Any] = {
            name: ctypes.CFUNCTYPE(ctypes.c_int, *types)(functools.partial(self._guarded, name))
            for signatures in SIGNATURES.values()
            for name, types in signatures.items()
        }
        """The functions by name, as ctypes has them."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        """A function for all kinds of transforms, or for all dtypes of matrices."""
        if name.startswith("cufftExec"):
            return functools.partial(self._execute, name[9:])
        if name.startswith("cusolverDn") and name[10:11] in _DTYPES:
            function, dtype = name[11:], _DTYPES[name[10]]
            for own, other in (("orgqr", "gqr"), ("ungqr", "gqr"), ("syevd", "evd"), ("heevd", "evd")):
                function = function.replace(own, other)
            return functools.partial(getattr(self, f"_{function}"), dtype)
        raise AttributeError(name)

    def _spoil(self, address: int | None, size: int, stream: int | None) -> None:
        """Use all of a work area, and leave nothing in it."""
        self._read(address, size, stream)
        self._write(address, b"\xff" * size, stream)

    # Transforms

    def cufftCreate(self, plan: Any) -> None:
        plan[0] = len(self._plans) + 1
        self._plans[plan[0]] = _Plan()

    def _of(self, plan: int) -> _Plan:
        if plan not in self._plans:
            raise Refused(_INVALID_PLAN, f"{plan} is no plan")
        return self._plans[plan]

    def cufftDestroy(self, plan: int) -> None:
        self._of(plan)
        self._plans[plan] = _Plan()

    def cufftSetAutoAllocation(self, plan: int, is_automatic: int) -> None:
        if is_automatic:
            raise Refused(_INVALID_SIZE, "work areas are not allocated here")

    def cufftMakePlanMany64(
        self,
        plan: int,
        rank: int,
        counts: Any,
        inside: Any,
        step: int,
        distance: int,
        outside: Any,
        other_step: int,
        other_distance: int,
        kind: int,
        batch: int,
        size: Any,
    ) -> None:
        made = self._of(plan)
        half = counts[0] // 2 + 1
        name = _TYPES[kind][0]
        wanted = {"R": (counts[0], half), "D": (counts[0], half)}.get(name[0], (counts[0], counts[0]))
        wanted = (half, counts[0]) if name[2] in "RD" else wanted
        if (rank, step, other_step) != (1, 1, 1) or batch < 1 or (distance, other_distance) != wanted:
            raise Refused(_INVALID_SIZE, "only rows without gaps are emulated")
        if (inside[0], outside[0]) != wanted:
            raise Refused(_INVALID_SIZE, "the extents of rows are not those of the transform")
        made.kind, made.count = name, counts[0]
        made.taken, made.given = (np.dtype(c) for c in _TYPES[kind][1:])
        made.shapes = [(batch, extent) for extent in wanted]
        made.size = size[0] = 16 * counts[0] * batch

    def cufftSetStream(self, plan: int, stream: int | None) -> None:
        self._of(plan).stream = stream

    def cufftSetWorkArea(self, plan: int, area: int | None) -> None:
        self._of(plan).area = area

    def _execute(self, kind: str, number: int, source: int, target: int, direction: int = 0) -> None:
        plan = self._of(number)
        if plan.kind != kind:
            raise Refused(_INVALID_PLAN, f"the plan is for {plan.kind}, and not for {kind}")
        self._spoil(plan.area, plan.size, plan.stream)
        size = plan.taken.itemsize * plan.shapes[0][0] * plan.shapes[0][1]
        x = np.frombuffer(self._read(source, size, plan.stream), plan.taken).reshape(plan.shapes[0])
        found: Any
        if kind[2] in "RD":
            found = np.fft.irfft(x, plan.count, norm="forward")
            self._write(source, b"\xff" * size, plan.stream)
        elif kind[0] in "RD":
            found = np.fft.rfft(x)
        else:
            found = np.fft.fft(x) if direction < 0 else np.fft.ifft(x, norm="forward")
        self._write(target, found.astype(plan.given).tobytes(), plan.stream)

    # Products

    def cublasCreate_v2(self, handle: Any) -> None:
        self.cusolverDnCreate(handle)

    def cublasDestroy_v2(self, handle: int) -> None:
        self.cusolverDnDestroy(handle)

    def cublasSetStream_v2(self, handle: int, stream: int | None) -> None:
        self.cusolverDnSetStream(handle, stream)

    def cublasSetWorkspace_v2(self, handle: int, area: int, size: int) -> None:
        self._spoil(area, size, self._streams[handle])

    def cublasGemmStridedBatchedEx(self, handle: int, *given: int) -> None:
        turn, other_turn, m, n, k, alpha, a, a_type, lda, a_step, b, b_type, ldb, b_step = given[:14]
        beta, c, c_type, ldc, c_step, batch, compute, _ = given[14:]
        single = {0: np.float32, 1: np.float64, 2: np.float16}
        number = {68: ctypes.c_float, 70: ctypes.c_double}[compute]
        kinds = [np.dtype(single[kind]) for kind in (a_type, b_type, c_type)]
        if number.from_address(alpha).value != 1 or number.from_address(beta).value != 0 or ldc != m:
            raise Refused(7, "only products that are stored without gaps are emulated")
        for place in range(batch):
            left, right = (
                self._matrix(
                    handle, at + place * step * kind.itemsize, *(sizes[::-1] if turned else sizes), gap, kind
                )
                for at, step, kind, sizes, turned, gap in (
                    (a, a_step, kinds[0], (m, k), turn, lda),
                    (b, b_step, kinds[1], (k, n), other_turn, ldb),
                )
            )
            wide = np.dtype(np.float64 if compute == 70 else np.float32)
            product = (left.T if turn else left).astype(wide) @ (right.T if other_turn else right).astype(
                wide
            )
            self._store(handle, c + place * c_step * kinds[2].itemsize, product, kinds[2])

    # Matrices

    def cusolverDnCreate(self, handle: Any) -> None:
        handle[0] = len(self._streams) + 1
        self._streams[handle[0]] = None

    def cusolverDnDestroy(self, handle: int) -> None:
        del self._streams[handle]

    def cusolverDnSetStream(self, handle: int, stream: int | None) -> None:
        self._streams[handle] = stream

    def _matrix(self, handle: int, address: int, rows: int, columns: int, step: int, dtype: Any) -> Any:
        """A matrix of a device, to be written to."""
        if step < max(rows, 1):
            raise Refused(_INVALID_VALUE, f"{step} elements from column to column of {rows} rows")
        data = self._read(address, dtype.itemsize * step * columns, self._streams[handle])
        return np.frombuffer(data, dtype).reshape(columns, step).T[:rows].copy()

    def _store(self, handle: int, address: int | None, array: Any, dtype: Any) -> None:
        """Write a matrix, or other numbers, to where there are no gaps between columns."""
        self._write(address, np.ascontiguousarray(array.T, dtype).tobytes(), self._streams[handle])

    def _told(self, text: str) -> None:
        self.last = text

    def _work(self, handle: int, area: int, count: int, dtype: Any) -> None:
        self._spoil(area, count * dtype.itemsize, self._streams[handle])

    def _inform(self, handle: int, address: int, info: int) -> None:
        self._store(handle, address, np.array([info]), np.int32)

    def _potrf_bufferSize(
        self, dtype: Any, handle: int, triangle: int, n: int, a: int, step: int, size: Any
    ) -> None:
        size[0] = n + 1

    def _potrf(self, dtype: Any, handle: int, triangle: int, n: int, a: int, step: int, *rest: int) -> None:
        area, count, info = rest
        x = self._matrix(handle, a, n, n, step, dtype)
        self._work(handle, area, count, dtype)
        with np.errstate(all="ignore"):
            found = (_umath_linalg.cholesky_up if triangle else _umath_linalg.cholesky_lo)(x)
        failed = np.isnan(found).any()
        kept = np.tril(x, -1) + found if triangle else np.triu(x, 1) + found
        self._store(handle, a, kept, dtype)
        self._inform(handle, info, int(failed and not np.isnan(x).any()))

    def _getrf_bufferSize(
        self, dtype: Any, handle: int, m: int, n: int, a: int, step: int, size: Any
    ) -> None:
        size[0] = m + n

    def _getrf(self, dtype: Any, handle: int, m: int, n: int, a: int, step: int, *rest: int) -> None:
        area, pivots, info = rest
        self._work(handle, area, m + n, dtype)
        x = self._matrix(handle, a, m, n, step, dtype)
        chosen, failed = np.zeros(n, np.int32), 0
        for k in range(n):
            best = k + int(np.argmax(abs(x[k:, k].real) + abs(x[k:, k].imag)))
            chosen[k] = best + 1
            x[[k, best]] = x[[best, k]]
            if x[k, k] == 0:
                failed = failed or k + 1
                continue
            x[k + 1 :, k] /= x[k, k]
            x[k + 1 :, k + 1 :] -= np.outer(x[k + 1 :, k], x[k, k + 1 :])
        self._store(handle, a, x, dtype)
        self._store(handle, pivots, chosen, np.int32)
        self._inform(handle, info, failed)

    def _getrs(
        self, dtype: Any, handle: int, operation: int, n: int, columns: int, a: int, step: int, *rest: int
    ) -> None:
        pivots, b, other_step, info = rest
        x, right = (
            self._matrix(handle, a, n, n, step, dtype),
            self._matrix(handle, b, n, columns, other_step, dtype),
        )
        chosen = self._matrix(handle, pivots, n, 1, n, np.dtype(np.int32))[:, 0]
        lower, upper, order = np.tril(x, -1) + np.eye(n), np.triu(x), np.arange(n)
        for k, place in enumerate(chosen):
            order[[k, place - 1]] = order[[place - 1, k]]
        whole = np.empty_like(x)
        whole[order] = lower @ upper
        with np.errstate(all="ignore"):
            found = _umath_linalg.solve({0: whole, 1: whole.T}[operation], right)
        self._store(handle, b, found, dtype)
        self._inform(handle, info, 0)

    def _geqrf_bufferSize(
        self, dtype: Any, handle: int, m: int, n: int, a: int, step: int, size: Any
    ) -> None:
        size[0] = n

    def _geqrf(self, dtype: Any, handle: int, m: int, n: int, a: int, step: int, *rest: int) -> None:
        scales, area, count, info = rest
        self._work(handle, area, count, dtype)
        turned, found = np.linalg.qr(self._matrix(handle, a, m, n, step, dtype), mode="raw")
        self._store(handle, a, turned.T, dtype)
        self._store(handle, scales, found, dtype)
        self._inform(handle, info, 0)

    def _gqr_bufferSize(self, dtype: Any, handle: int, m: int, n: int, k: int, *rest: Any) -> None:
        rest[-1][0] = n

    def _gqr(self, dtype: Any, handle: int, m: int, n: int, k: int, a: int, step: int, *rest: int) -> None:
        scales, area, count, info = rest
        if not m >= n >= k:
            raise Refused(_INVALID_VALUE, f"{k} reflections of {n} columns of {m}")
        self._work(handle, area, count, dtype)
        taken = self._matrix(handle, scales, k, 1, k, dtype)[:, 0]
        x = self._matrix(handle, a, m, n, step, dtype)
        self._store(handle, a, _umath_linalg.qr_reduced(x, taken), dtype)
        self._inform(handle, info, 0)

    def _evd_bufferSize(self, dtype: Any, handle: int, job: int, triangle: int, n: int, *rest: Any) -> None:
        rest[-1][0] = 2 * n

    def _evd(
        self, dtype: Any, handle: int, job: int, triangle: int, n: int, a: int, step: int, *rest: int
    ) -> None:
        values, area, count, info = rest
        self._work(handle, area, count, dtype)
        with np.errstate(all="ignore"):
            found, vectors = (_umath_linalg.eigh_up if triangle else _umath_linalg.eigh_lo)(
                self._matrix(handle, a, n, n, step, dtype)
            )
        self._store(handle, a, vectors if job else np.full((n, n), np.nan), dtype)
        self._store(handle, values, found, np.float64)
        self._inform(handle, info, 0)

    def _gesvd_bufferSize(self, dtype: Any, handle: int, m: int, n: int, size: Any) -> None:
        size[0] = m + n

    def _gesvd(self, dtype: Any, handle: int, *given: int) -> None:
        job, other_job, m, n, a, step, values, u, u_step, vh, vh_step, area, count, rest, info = given
        if m < n or job != other_job or chr(job) not in "ASN":
            raise Refused(_INVALID_VALUE, "there are fewer rows than columns")
        if chr(job) != "N" and (u_step, vh_step) != (m, n):
            raise Refused(_INVALID_VALUE, "only columns without gaps are emulated")
        self._work(handle, area, count, dtype)
        self._spoil(rest, 8 * (n - 1), self._streams[handle])
        x = self._matrix(handle, a, m, n, step, dtype)
        with np.errstate(all="ignore"):
            found = (_umath_linalg.svd_f if chr(job) == "A" else _umath_linalg.svd_s)(x)
        if chr(job) != "N":
            self._store(handle, u, found[0], dtype)
            self._store(handle, vh, found[2], dtype)
        self._store(handle, a, np.full((m, n), np.nan), dtype)
        self._store(handle, values, found[1], np.float64)
        self._inform(handle, info, 0)


__all__ = ["EmulatedMath"]
