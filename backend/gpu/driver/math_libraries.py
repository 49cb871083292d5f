"""cuBLAS, cuFFT and cuSOLVER: where they are on this machine, their functions, and checked calls of them."""

from __future__ import annotations

import ctypes
import importlib.util
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ....dialect.errors import DeviceError

_INT, _LONG, _SIZE, _CHAR, _POINTER = (
    ctypes.c_int,
    ctypes.c_longlong,
    ctypes.c_size_t,
    ctypes.c_byte,
    ctypes.c_void_p,
)
_TO_INT = ctypes.POINTER(_INT)


def _signature(text: str) -> tuple[Any, ...]:
    """The types of parameters: int, long long, size_t, char, pointer, and pointers to such, in capitals."""
    types = {
        "i": _INT,
        "l": _LONG,
        "c": _CHAR,
        "p": _POINTER,
        "I": _TO_INT,
        "L": ctypes.POINTER(_LONG),
        "s": _SIZE,
        "S": ctypes.POINTER(_SIZE),
        "P": ctypes.POINTER(_POINTER),
    }
    return tuple(types[character] for character in text)


_FACTORIZATIONS = {
    "potrf_bufferSize": "piipiI",  # handle, uplo, n, A, lda, lwork
    "potrf": "piipipip",  # handle, uplo, n, A, lda, work, lwork, info
    "getrf_bufferSize": "piipiI",  # handle, m, n, A, lda, lwork
    "getrf": "piipippp",  # handle, m, n, A, lda, work, pivots, info
    "getrs": "piiipippip",  # handle, trans, n, nrhs, A, lda, pivots, B, ldb, info
    "geqrf_bufferSize": "piipiI",  # handle, m, n, A, lda, lwork
    "geqrf": "piipippip",  # handle, m, n, A, lda, tau, work, lwork, info
    "gqr_bufferSize": "piiipipI",  # handle, m, n, k, A, lda, tau, lwork
    "gqr": "piiipippip",  # handle, m, n, k, A, lda, tau, work, lwork, info
    "evd_bufferSize": "piiipipI",  # handle, jobz, uplo, n, A, lda, W, lwork
    "evd": "piiipippip",  # handle, jobz, uplo, n, A, lda, W, work, lwork, info
    "gesvd_bufferSize": "piiI",  # handle, m, n, lwork
    "gesvd": "pcciipippipipipp",  # handle, jobu, jobvt, m, n, A, lda, S, U, ldu, VT, ldvt, work, lwork, rwork, info
}
_OWN = {("D", "gqr"): "orgqr", ("Z", "gqr"): "ungqr", ("D", "evd"): "syevd", ("Z", "evd"): "heevd"}


def solver_name(letter: str, function: str) -> str:
    """The function of cuSOLVER for doubles (D) or complex doubles (Z): orthogonal and symmetric, or their like.

    >>> solver_name("Z", "evd_bufferSize")
    'cusolverDnZheevd_bufferSize'
    """
    name, _, rest = function.partition("_")
    return f"cusolverDn{letter}{_OWN.get((letter, name), name)}" + (rest and f"_{rest}")


SIGNATURES: Mapping[str, Mapping[str, tuple[Any, ...]]] = {
    "cublas": {
        "cublasCreate_v2": _signature("P"),
        "cublasDestroy_v2": _signature("p"),
        "cublasSetStream_v2": _signature("pp"),
        "cublasSetWorkspace_v2": _signature("pps"),
        # handle, transa, transb, m, n, k, alpha, A, type, lda, stride, B, ..., beta, C, ..., batch, compute type, algo
        "cublasGemmStridedBatchedEx": _signature("piiiiippiilpiilppiiliii"),
    },
    "cufft": {
        "cufftCreate": _signature("I"),
        "cufftDestroy": _signature("i"),
        "cufftSetAutoAllocation": _signature("ii"),
        # plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, bytes of the work area
        "cufftMakePlanMany64": _signature("iiLLllLllilS"),
        "cufftSetStream": _signature("ip"),
        "cufftSetWorkArea": _signature("ip"),
        **{f"cufftExec{kind}": _signature("ippi") for kind in ("C2C", "Z2Z")},
        **{f"cufftExec{kind}": _signature("ipp") for kind in ("R2C", "D2Z", "C2R", "Z2D")},
    },
    "cusolver": {
        "cusolverDnCreate": _signature("P"),
        "cusolverDnDestroy": _signature("p"),
        "cusolverDnSetStream": _signature("pp"),
        **{
            solver_name(letter, function): _signature(text)
            for letter in "DZ"
            for function, text in _FACTORIZATIONS.items()
        },
    },
}
"""The types of the parameters, as cublas_v2.h, cufft.h and cusolverDn.h have them; functions return a code, or 0."""

_CODES = {
    "cublas": "SUCCESS NOT_INITIALIZED 2 ALLOC_FAILED 4 5 6 INVALID_VALUE ARCH_MISMATCH 9 10 MAPPING_ERROR 12 "
    "EXECUTION_FAILED INTERNAL_ERROR NOT_SUPPORTED LICENSE_ERROR",
    "cufft": "SUCCESS INVALID_PLAN ALLOC_FAILED INVALID_TYPE INVALID_VALUE INTERNAL_ERROR EXEC_FAILED SETUP_FAILED "
    "INVALID_SIZE UNALIGNED_DATA 10 INVALID_DEVICE 12 NO_WORKSPACE NOT_IMPLEMENTED 15 NOT_SUPPORTED "
    "MISSING_DEPENDENCY NVRTC_FAILURE NVJITLINK_FAILURE NVSHMEM_FAILURE",
    "cusolver": "SUCCESS NOT_INITIALIZED ALLOC_FAILED INVALID_VALUE ARCH_MISMATCH MAPPING_ERROR EXECUTION_FAILED "
    "INTERNAL_ERROR MATRIX_TYPE_NOT_SUPPORTED NOT_SUPPORTED",
}
"""What the headers call the codes from 0 on."""

LIBRARIES = tuple(SIGNATURES)


class MathLibrary:
    """One of the libraries: `functions` has a function of ctypes for each name of its `SIGNATURES`."""

    def __init__(self, functions: Mapping[str, Any], name: str) -> None:
        self.name = name
        self._functions = functions

    def call(self, function: str, *arguments: Any) -> None:
        """Call a function; DeviceError for every code but 0."""
        code = self._functions[function](*arguments)
        if code:
            known = _CODES[self.name].split()
            raise DeviceError(
                f"{function} failed: {known[code] if 0 < code < len(known) else f'code {code}'}"
            )


@cache
def library_files(library: str) -> tuple[str, ...]:
    """Where a library is: in NVIDIA's packages, or in a toolkit of CUDA."""
    places: list[Path] = []
    found = importlib.util.find_spec("nvidia")
    for root in () if found is None else found.submodule_search_locations or ():
        places += sorted(Path(root).glob("*/lib"))
    toolkits = [os.environ.get(name, "") for name in ("CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX")]
    for toolkit in [*filter(None, toolkits), "/usr/local/cuda"]:
        places += [Path(toolkit) / "lib64", Path(toolkit) / "lib"]
    files = [file for place in places for file in sorted(place.glob(f"lib{library}.so.[0-9]*"))]
    return tuple(map(str, files))


def load_math_library(library: str) -> MathLibrary:
    """A library of this machine; DeviceError where it is not, or not to be loaded."""
    why = f"pip install nvidia-{library}-cu12"
    for name in library_files(library):
        try:
            loaded = ctypes.CDLL(name)
            functions = {}
            for function, types in SIGNATURES[library].items():
                made = functions[function] = getattr(loaded, function)
                made.argtypes, made.restype = types, _INT
        except (OSError, AttributeError) as error:
            why = str(error)
            continue
        return MathLibrary(functions, library)
    raise DeviceError(f"{library} is not there: {why}")
