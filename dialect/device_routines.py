"""The routines of libraries for devices that programs call, and what NumPy has for each of them.

A routine works on arrays without gaps, of which it writes the last. Matrices are written row after row, as NumPy has
them, where LAPACK's are written column after column: what a routine calls a matrix is here the transpose of what its
library calls so. Whoever calls one transposes where that is not what is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from .ufunc_loops import call_loop


def _loop(name: str, *arguments: Any, taken: int = 1) -> bool:
    """Call a loop of NumPy's over LAPACK, which takes some of its arguments and writes the rest; whether it failed."""
    loop = "".join(array.dtype.char for array in arguments)
    return call_loop(f"numpy.linalg._umath_linalg.{name}", f"{loop[:taken]}->{loop[taken:]}", arguments)


def _fft(x: Any, result: Any) -> None:
    result[...] = np.fft.fft(x)


def _ifft(x: Any, result: Any) -> None:
    result[...] = np.fft.ifft(x, norm="forward")


def _rfft(x: Any, result: Any) -> None:
    result[...] = np.fft.rfft(x)


def _irfft(x: Any, result: Any) -> None:
    """The operand is overwritten with anything."""
    result[...] = np.fft.irfft(x, result.shape[-1], norm="forward")


def _cholesky(x: Any, upper: bool) -> bool:
    """One triangle becomes its factor, and the other one stays."""
    found = np.empty_like(x)
    failed = _loop(f"cholesky_{'up' if upper else 'lo'}", x, found)
    x[...] = np.triu(found) + np.tril(x, -1) if upper else np.tril(found) + np.triu(x, 1)
    return failed


def _solve(a: Any, rows: Any, transposed: bool) -> bool:
    """Each row is solved for; `a` is overwritten with anything."""
    found = np.empty_like(rows.T)
    failed = _loop("solve", a.T if transposed else a, rows.T, found, taken=2)
    rows[...] = found.T
    return failed


def _lu(x: Any, pivots: Any) -> bool:
    """Of the transpose, whose lines become those of the factors; with which each was exchanged, counted from 1."""
    lines, failed = x.T, False
    for k in range(len(lines)):
        best = k + int(np.argmax(np.abs(lines[k:, k].real) + np.abs(lines[k:, k].imag)))
        pivots[k] = best + 1
        lines[[k, best]] = lines[[best, k]]
        if lines[k, k] == 0:
            failed = True
            continue
        lines[k + 1 :, k] /= lines[k, k]
        lines[k + 1 :, k + 1 :] -= np.outer(lines[k + 1 :, k], lines[k, k + 1 :])
    return failed


def _eigh(x: Any, values: Any, upper: bool) -> bool:
    """Eigenvectors become the rows, conjugate."""
    found = np.empty_like(x)
    failed = _loop(f"eigh_{'up' if upper else 'lo'}", x, values, found)
    x[...] = np.conj(found).T
    return failed


def _eigvalsh(x: Any, values: Any, upper: bool) -> bool:
    return _loop(f"eigvalsh_{'up' if upper else 'lo'}", x, values)


def _svd(x: Any, u: Any, s: Any, vh: Any) -> bool:
    """Of matrices with no more rows than columns, which are overwritten with anything."""
    return _loop("svd_f" if vh.shape[0] == vh.shape[1] else "svd_s", x, u, s, vh)


def _svdvals(x: Any, s: Any) -> bool:
    return _loop("svd", x, s)


def _qr_factors(columns: Any, scales: Any) -> None:
    factors, scales[...] = np.linalg.qr(columns.T, mode="raw")
    columns[...] = factors


def _qr_basis(scales: Any, columns: Any) -> bool:
    """As many columns as there are scales."""
    found = np.empty_like(columns.T)
    failed = _loop("qr_reduced", np.ascontiguousarray(columns.T), scales, found, taken=2)
    columns[...] = found.T
    return failed


def _product(a: Any, b: Any, result: Any, turns: str) -> None:
    """The product of stacks of matrices or of their transposes, added up in single precision at least."""
    dtype = np.result_type(result, np.float32)
    left, right = (
        (x.swapaxes(-1, -2) if turn == "t" else x).astype(dtype)
        for x, turn in zip((a, b), turns, strict=True)
    )
    result[...] = left @ right


ROUTINES: Mapping[str, Callable[..., bool | None]] = MappingProxyType(
    {
        **{f"cublas.product_{turns}": partial(_product, turns=turns) for turns in ("nn", "nt", "tn", "tt")},
        "cufft.fft": _fft,
        "cufft.ifft": _ifft,
        "cufft.rfft": _rfft,
        "cufft.irfft": _irfft,
        "cusolver.cholesky_lo": lambda x: _cholesky(x, False),
        "cusolver.cholesky_up": lambda x: _cholesky(x, True),
        "cusolver.solve": lambda a, rows: _solve(a, rows, False),
        "cusolver.solve_transposed": lambda a, rows: _solve(a, rows, True),
        "cusolver.lu": _lu,
        "cusolver.eigh_lo": lambda x, values: _eigh(x, values, False),
        "cusolver.eigh_up": lambda x, values: _eigh(x, values, True),
        "cusolver.eigvalsh_lo": lambda x, values: _eigvalsh(x, values, False),
        "cusolver.eigvalsh_up": lambda x, values: _eigvalsh(x, values, True),
        "cusolver.svd": _svd,
        "cusolver.svdvals": _svdvals,
        "cusolver.qr_factors": _qr_factors,
        "cusolver.qr_basis": _qr_basis,
    }
)
"""By the library and what is called there; each tells whether it failed. Transforms are not scaled."""

NUMBERS: Mapping[str, int] = MappingProxyType({name: number for number, name in enumerate(ROUTINES)})
"""What native code calls them by."""
