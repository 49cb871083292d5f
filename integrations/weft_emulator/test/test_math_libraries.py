"""cuBLAS, cuFFT and cuSOLVER of the emulator, as C functions: what they refuse, and what they leave behind."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

import weft
from weft.backend.gpu.driver.device import Device
from weft.backend.gpu.driver.library import Library
from weft.backend.gpu.driver.math_libraries import SIGNATURES, MathLibrary
from weft.backend.gpu.driver.memory import Memory
from weft.backend.gpu.driver.streams import Stream
from weft_emulator.library import Emulator
from weft_emulator.math_libraries import EmulatedMath


class There:
    """A device, with arrays on it."""

    def __init__(self) -> None:
        driver = Emulator().functions
        self.device = Device(Library(driver, "the emulator"), 0)
        self.memory, self.stream = Memory(self.device), Stream.default(self.device)
        functions = EmulatedMath(driver).functions
        self.cublas, self.cufft, self.cusolver = (MathLibrary(functions, name) for name in SIGNATURES)

    def put(self, array: Any) -> int:
        """The address of a copy."""
        address = self.memory.allocate_address(array.nbytes, self.stream)
        self.memory.copy_in(address, array.ctypes.data, array.nbytes, self.stream)
        return address

    def get(self, address: int, like: Any) -> Any:
        """What is there."""
        found = np.empty_like(like)
        self.memory.copy_out(found.ctypes.data, address, found.nbytes, self.stream)
        return found

    def handle(self) -> ctypes.c_void_p:
        """A handle of cuSOLVER."""
        found = ctypes.c_void_p()
        self.cusolver.call("cusolverDnCreate", ctypes.byref(found))
        self.cusolver.call("cusolverDnSetStream", found, self.stream.handle)
        return found

    def plan(self, kind: int, count: int, *, inside: int, outside: int) -> ctypes.c_int:
        """A plan of two transforms."""
        plan, size = ctypes.c_int(), ctypes.c_size_t()
        extents = [(ctypes.c_longlong * 1)(extent) for extent in (count, inside, outside)]
        self.cufft.call("cufftCreate", ctypes.byref(plan))
        self.cufft.call("cufftSetAutoAllocation", plan, 0)
        numbers = (
            plan,
            1,
            extents[0],
            extents[1],
            1,
            inside,
            extents[2],
            1,
            outside,
            kind,
            2,
            ctypes.byref(size),
        )
        self.cufft.call("cufftMakePlanMany64", *numbers)
        self.cufft.call("cufftSetStream", plan, self.stream.handle)
        self.cufft.call("cufftSetWorkArea", plan, self.put(np.zeros(size.value, np.uint8)))
        return plan


def test_a_transform_to_real_numbers_destroys_its_operand() -> None:
    there, x = There(), np.arange(8.0).reshape(2, 4)
    half = np.fft.rfft(x)
    source, target = there.put(half), there.put(np.empty((2, 4)))
    there.cufft.call("cufftExecZ2D", there.plan(0x6C, 4, inside=3, outside=4), source, target)
    np.testing.assert_allclose(there.get(target, x), x * 4)
    assert np.isnan(there.get(source, half)).all()


def test_plans_that_do_not_fit() -> None:
    there = There()
    with pytest.raises(weft.DeviceError, match="cufftMakePlanMany64 failed: INVALID_SIZE"):
        there.plan(0x6A, 4, inside=4, outside=4)
    plan = there.plan(0x69, 4, inside=4, outside=4)
    with pytest.raises(weft.DeviceError, match="cufftExecC2C failed: INVALID_PLAN"):
        there.cufft.call("cufftExecC2C", plan, 0, 0, 1)
    with pytest.raises(weft.DeviceError, match="cufftDestroy failed: INVALID_PLAN"):
        there.cufft.call("cufftDestroy", 99)
    with pytest.raises(weft.DeviceError, match="cufftSetAutoAllocation failed: INVALID_SIZE"):
        there.cufft.call("cufftSetAutoAllocation", plan, 1)


def test_products_with_gaps_are_not_emulated() -> None:
    there, handle, one = There(), ctypes.c_void_p(), ctypes.c_float(1)
    there.cublas.call("cublasCreate_v2", ctypes.byref(handle))
    place = there.put(np.zeros(16, np.float32))
    factor, result = (place, 0, 2, 4), (place, 0, 3, 4)
    numbers = ctypes.byref(one), *factor, *factor, ctypes.byref(ctypes.c_double()), *result
    with pytest.raises(weft.DeviceError, match="cublasGemmStridedBatchedEx failed: INVALID_VALUE"):
        there.cublas.call("cublasGemmStridedBatchedEx", handle, 0, 0, 2, 2, 2, *numbers, 1, 68, -1)
    there.cublas.call("cublasDestroy_v2", handle)


def test_work_areas_are_used_to_their_end() -> None:
    there, plan = There(), None
    plan = there.plan(0x69, 4, inside=4, outside=4)
    x = there.put(np.ones((2, 4), complex))
    there.cufft.call("cufftSetWorkArea", plan, there.put(np.zeros(8, np.uint8)))
    with pytest.raises(weft.DeviceError, match="cufftExecZ2Z failed"):
        there.cufft.call("cufftExecZ2Z", plan, x, x, 1)


def test_where_lapack_pivots_and_fails() -> None:
    there, handle = There(), There.handle
    cusolver, at = there.cusolver, handle(there)
    x = np.array([[0.0, 2.0], [0.0, 4.0]])  # columns
    matrix, work, pivots, info = (
        there.put(x),
        there.put(np.zeros(9)),
        there.put(np.zeros(2, np.int32)),
        there.put(np.zeros(1, np.int32)),
    )
    cusolver.call("cusolverDnDgetrf", at, 2, 2, matrix, 2, work, pivots, info)
    assert there.get(pivots, np.zeros(2, np.int32)).tolist() == [2, 2]
    assert there.get(info, np.zeros(1, np.int32)).tolist() == [2]
    negative = there.put(-np.eye(2))
    cusolver.call("cusolverDnDpotrf", at, 0, 2, negative, 2, work, 3, info)
    assert there.get(info, np.zeros(1, np.int32)).tolist() == [1]


def test_what_cusolver_does_not_take() -> None:
    there = There()
    at, place = there.handle(), there.put(np.zeros(64))
    for name, numbers in (
        ("gesvd", (ord("S"), ord("S"), 2, 3, place, 2, place, place, 2, place, 2, place, 5, place, place)),
        ("gesvd", (ord("S"), ord("S"), 3, 2, place, 3, place, place, 4, place, 2, place, 5, place, place)),
        ("orgqr", (2, 3, 3, place, 2, place, place, 3, place)),
        ("potrf", (0, 3, place, 2, place, 4, place)),
    ):
        with pytest.raises(weft.DeviceError, match=f"cusolverDnD{name} failed: INVALID_VALUE"):
            there.cusolver.call(f"cusolverDnD{name}", at, *numbers)
    there.cusolver.call("cusolverDnDestroy", at)
