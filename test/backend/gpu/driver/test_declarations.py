"""Functions and numbers of NVIDIA's libraries are what their headers declare, as other bindings have them."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path
from typing import Any

import pytest

from weft.backend.gpu.driver import math_libraries, nccl, signatures
from weft.backend.gpu.runtime import library_calls

DECLARED = (Path(__file__).parent / "declarations.txt").read_text().splitlines()
FUNCTIONS = dict(line[:-1].split("(", 1) for line in DECLARED if line.endswith(")"))
VALUES = {name: int(value) for name, value in (line.split(" = ") for line in DECLARED if " = " in line)}
TABLES = {**math_libraries.SIGNATURES, "nccl": nccl.SIGNATURES | nccl.TEXTS, "cuda": signatures.SIGNATURES}
HANDLES = re.compile(
    r"(cublas|cusolverDn)Handle_t|cudaStream_t|ncclComm_t|CU(context|stream|event|module|function|graph\w*|memoryPool|deviceptr)"
)
NUMBERS = {
    "char": ctypes.c_byte,
    "unsigned char": ctypes.c_ubyte,
    "unsigned": ctypes.c_uint,
    "long long": ctypes.c_longlong,
    "unsigned long long": ctypes.c_ulonglong,
    "size_t": ctypes.c_size_t,
    "float": ctypes.c_float,
    "ncclUniqueId": nccl.UniqueId,
}


def fits(kind: Any, declared: str) -> bool:
    """Whether ctypes passes this for what C declares: numbers of enumerations are ints, addresses may have no type."""
    if declared.endswith("*"):
        inner = getattr(kind, "_type_", None)
        is_structure = isinstance(inner, type) and issubclass(inner, ctypes.Structure)
        texts = kind is ctypes.c_char_p and declared == "char*"
        return (
            kind is ctypes.c_void_p
            or texts
            or is_structure
            or (hasattr(kind, "contents") and fits(inner, declared[:-1]))
        )
    if HANDLES.fullmatch(declared):
        return kind is ctypes.c_void_p
    return kind is NUMBERS.get(declared, ctypes.c_int)


@pytest.mark.parametrize("library", TABLES)
def test_functions_take_what_headers_declare(library: str) -> None:
    for name, kinds in TABLES[library].items():
        declared = [parameter.rsplit(" ", 1)[0] for parameter in FUNCTIONS[name].split(", ") if parameter]
        assert len(kinds) == len(declared), name
        assert all(map(fits, kinds, declared)), (name, kinds, declared)


def test_what_does_not_fit() -> None:
    assert not fits(ctypes.c_int, "long long")
    assert not fits(ctypes.c_longlong, "cufftType")
    assert not fits(ctypes.c_int, "cublasHandle_t")
    assert not fits(ctypes.POINTER(ctypes.c_int), "size_t*")
    assert not fits(ctypes.c_void_p, "cufftHandle")


def test_codes_have_the_names_of_headers() -> None:
    for library, prefix in (
        ("cublas", "CUBLAS_STATUS_"),
        ("cufft", "CUFFT_"),
        ("cusolver", "CUSOLVER_STATUS_"),
    ):
        for code, name in enumerate(math_libraries._CODES[library].split()):
            assert name.isdigit() or VALUES[prefix + name] == code, name
    for name, code in vars(signatures.Code).items():
        if name.isupper():
            assert VALUES["CUDA_SUCCESS" if name == "SUCCESS" else f"CUDA_ERROR_{name}"] == code


def test_numbers_that_functions_take() -> None:
    for name, value in library_calls.KINDS.items():
        assert VALUES[f"CUFFT_{name}"] == value
    found = {
        "CUFFT_FORWARD": library_calls.FORWARD,
        "CUFFT_INVERSE": library_calls.INVERSE,
        "CUBLAS_FILL_MODE_LOWER": library_calls.LOWER,
        "CUBLAS_FILL_MODE_UPPER": library_calls.UPPER,
        "CUSOLVER_EIG_MODE_NOVECTOR": library_calls.NO_VECTORS,
        "CUSOLVER_EIG_MODE_VECTOR": library_calls.VECTORS,
        "CUBLAS_OP_N": library_calls.AS_IT_IS,
        "CUBLAS_OP_T": library_calls.TRANSPOSED,
        "CUBLAS_COMPUTE_32F": library_calls.SINGLE,
        "CUBLAS_COMPUTE_64F": library_calls.DOUBLE,
        "CUBLAS_GEMM_DFALT": library_calls.DEFAULT,
        **{f"CUDA_R_{8 * size}F": value for size, value in library_calls._ELEMENTS.items()},
        **{f"nccl{name.capitalize()}": value for name, value in nccl.DTYPES.items()},
        **{f"nccl{name.capitalize()}": value for name, value in nccl.REDUCTIONS.items()},
    }
    assert {name: VALUES[name] for name in found} == found
