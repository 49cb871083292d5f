"""The functions of libcuda that are used, as cuda.h declares them, and the numbers that they take and give."""

from __future__ import annotations

import ctypes
from typing import Any

_INT, _UINT, _SIZE, _FLOAT = ctypes.c_int, ctypes.c_uint, ctypes.c_size_t, ctypes.c_float
_POINTER = ctypes.c_void_p
"""A handle, an address of the host, or one of the device (CUdeviceptr)."""
_TEXT = ctypes.c_char_p


def _out(kind: Any) -> Any:
    return ctypes.POINTER(kind)


class LaunchConfig(ctypes.Structure):
    """CUlaunchConfig: what `cuLaunchKernelEx` takes."""

    _fields_ = (
        ("grid_x", _UINT),
        ("grid_y", _UINT),
        ("grid_z", _UINT),
        ("block_x", _UINT),
        ("block_y", _UINT),
        ("block_z", _UINT),
        ("shared_bytes", _UINT),
        ("stream", _POINTER),
        ("attributes", _POINTER),
        ("attribute_count", _UINT),
    )


class KernelNode(ctypes.Structure):
    """CUDA_KERNEL_NODE_PARAMS: a launch in a graph."""

    _fields_ = (
        ("function", _POINTER),
        ("grid_x", _UINT),
        ("grid_y", _UINT),
        ("grid_z", _UINT),
        ("block_x", _UINT),
        ("block_y", _UINT),
        ("block_z", _UINT),
        ("shared_bytes", _UINT),
        ("parameters", _POINTER),
        ("extra", _POINTER),
        ("kernel", _POINTER),
        ("context", _POINTER),
    )


class PoolProperties(ctypes.Structure):
    """CUmemPoolProps: a pool of pinned memory (1) of a device (1) that no other process shares."""

    _fields_ = (
        ("allocation_type", _INT),
        ("handle_types", _INT),
        ("location_type", _INT),
        ("location", _INT),
        ("security_attributes", _POINTER),
        ("maximum_size", _SIZE),
        ("usage", ctypes.c_ushort),
        ("reserved", ctypes.c_ubyte * 54),
    )


SIGNATURES: dict[str, tuple[Any, ...]] = {
    "cuInit": (_UINT,),
    "cuDriverGetVersion": (_out(_INT),),
    "cuGetErrorName": (_INT, _out(_TEXT)),
    "cuGetErrorString": (_INT, _out(_TEXT)),
    # Devices and contexts
    "cuDeviceGetCount": (_out(_INT),),
    "cuDeviceGet": (_out(_INT), _INT),
    "cuDeviceGetName": (_POINTER, _INT, _INT),
    "cuDeviceGetAttribute": (_out(_INT), _INT, _INT),
    "cuDeviceTotalMem_v2": (_out(_SIZE), _INT),
    "cuDeviceGetUuid_v2": (_POINTER, _INT),
    "cuDevicePrimaryCtxRetain": (_out(_POINTER), _INT),
    "cuDevicePrimaryCtxRelease_v2": (_INT,),
    "cuCtxSetCurrent": (_POINTER,),
    "cuCtxGetCurrent": (_out(_POINTER),),
    "cuCtxGetDevice": (_out(_INT),),
    "cuCtxSynchronize": (),
    # Modules and kernels
    "cuModuleLoadDataEx": (_out(_POINTER), _POINTER, _UINT, _POINTER, _POINTER),
    "cuModuleUnload": (_POINTER,),
    "cuModuleGetFunction": (_out(_POINTER), _POINTER, _TEXT),
    "cuModuleGetGlobal_v2": (_out(_POINTER), _out(_SIZE), _POINTER, _TEXT),
    "cuFuncGetAttribute": (_out(_INT), _INT, _POINTER),
    "cuFuncSetAttribute": (_POINTER, _INT, _INT),
    "cuLaunchKernel": (_POINTER, *[_UINT] * 7, _POINTER, _POINTER, _POINTER),
    "cuLaunchKernelEx": (_out(LaunchConfig), _POINTER, _POINTER, _POINTER),
    "cuTensorMapEncodeTiled": (
        *(_POINTER, _INT, _UINT, _POINTER, *[_POINTER] * 4),
        *(_INT, _INT, _INT, _INT),
    ),
    # Graphs
    "cuGraphCreate": (_out(_POINTER), _UINT),
    "cuGraphAddKernelNode_v2": (_out(_POINTER), _POINTER, _out(_POINTER), _SIZE, _out(KernelNode)),
    "cuGraphInstantiateWithFlags": (_out(_POINTER), _POINTER, ctypes.c_uint64),
    "cuGraphExecKernelNodeSetParams_v2": (_POINTER, _POINTER, _out(KernelNode)),
    "cuGraphLaunch": (_POINTER, _POINTER),
    "cuGraphExecDestroy": (_POINTER,),
    "cuGraphDestroy": (_POINTER,),
    # Memory
    "cuMemGetInfo_v2": (_out(_SIZE), _out(_SIZE)),
    "cuMemAlloc_v2": (_out(_POINTER), _SIZE),
    "cuMemFree_v2": (_POINTER,),
    "cuMemAllocFromPoolAsync": (_out(_POINTER), _SIZE, _POINTER, _POINTER),
    "cuMemFreeAsync": (_POINTER, _POINTER),
    "cuMemPoolCreate": (_out(_POINTER), _out(PoolProperties)),
    "cuMemPoolDestroy": (_POINTER,),
    "cuMemPoolSetAttribute": (_POINTER, _INT, _POINTER),
    "cuMemPoolGetAttribute": (_POINTER, _INT, _POINTER),
    "cuMemPoolTrimTo": (_POINTER, _SIZE),
    "cuMemHostAlloc": (_out(_POINTER), _SIZE, _UINT),
    "cuMemFreeHost": (_POINTER,),
    "cuMemcpyHtoDAsync_v2": (_POINTER, _POINTER, _SIZE, _POINTER),
    "cuMemcpyDtoHAsync_v2": (_POINTER, _POINTER, _SIZE, _POINTER),
    "cuMemcpyDtoDAsync_v2": (_POINTER, _POINTER, _SIZE, _POINTER),
    "cuMemcpyPeerAsync": (_POINTER, _POINTER, _POINTER, _POINTER, _SIZE, _POINTER),
    "cuMemsetD8Async": (_POINTER, ctypes.c_ubyte, _SIZE, _POINTER),
    "cuPointerGetAttribute": (_POINTER, _INT, _POINTER),
    # Streams and events
    "cuStreamCreate": (_out(_POINTER), _UINT),
    "cuStreamDestroy_v2": (_POINTER,),
    "cuStreamSynchronize": (_POINTER,),
    "cuStreamQuery": (_POINTER,),
    "cuStreamWaitEvent": (_POINTER, _POINTER, _UINT),
    "cuEventCreate": (_out(_POINTER), _UINT),
    "cuEventDestroy_v2": (_POINTER,),
    "cuEventRecord": (_POINTER, _POINTER),
    "cuEventQuery": (_POINTER,),
    "cuEventSynchronize": (_POINTER,),
    "cuEventElapsedTime": (_out(_FLOAT), _POINTER, _POINTER),
}
"""The types of the parameters by name; every function returns a code, 0 for success."""

FUNCTION_TYPES = {name: ctypes.CFUNCTYPE(_INT, *types) for name, types in SIGNATURES.items()}
"""The types of pointers to them."""


class Code:
    """Codes that weft does something about."""

    SUCCESS = 0
    INVALID_VALUE = 1
    OUT_OF_MEMORY = 2
    NOT_INITIALIZED = 3
    DEVICE_UNAVAILABLE = 46
    NO_DEVICE = 100
    INVALID_DEVICE = 101
    INVALID_IMAGE = 200
    INVALID_CONTEXT = 201
    NO_BINARY_FOR_GPU = 209
    ECC_UNCORRECTABLE = 214
    INVALID_PTX = 218
    NVLINK_UNCORRECTABLE = 220
    JIT_COMPILER_NOT_FOUND = 221
    UNSUPPORTED_PTX_VERSION = 222
    INVALID_HANDLE = 400
    NOT_FOUND = 500
    NOT_READY = 600
    ILLEGAL_ADDRESS = 700
    LAUNCH_OUT_OF_RESOURCES = 701
    LAUNCH_TIMEOUT = 702
    CONTEXT_IS_DESTROYED = 709
    ASSERT = 710
    HARDWARE_STACK_ERROR = 714
    ILLEGAL_INSTRUCTION = 715
    MISALIGNED_ADDRESS = 716
    INVALID_ADDRESS_SPACE = 717
    INVALID_PC = 718
    LAUNCH_FAILED = 719
    NOT_SUPPORTED = 801
    UNKNOWN = 999


BREAKING = frozenset([214, 220, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721])
"""Codes after which a context can do nothing any more: a kernel has gone wrong."""


class Attribute:
    """Attributes of devices."""

    MAX_THREADS_PER_BLOCK = 1
    MAX_GRID_X = 5
    MAX_GRID_Y = 6
    MAX_GRID_Z = 7
    SHARED_BYTES = 8
    WARP_SIZE = 10
    MULTIPROCESSORS = 16
    L2_BYTES = 38
    THREADS_PER_MULTIPROCESSOR = 39
    ARCH_MAJOR = 75
    ARCH_MINOR = 76
    SHARED_BYTES_OF_MULTIPROCESSOR = 81
    SHARED_BYTES_OPT_IN = 97
    MEMORY_POOLS = 115


class FunctionAttribute:
    """Attributes of kernels."""

    MAX_THREADS = 0
    SHARED_BYTES = 1
    CONST_BYTES = 2
    LOCAL_BYTES = 3
    REGISTERS = 4
    MAX_DYNAMIC_SHARED_BYTES = 8


class PoolAttribute:
    """Attributes of memory pools."""

    RELEASE_THRESHOLD = 4
    RESERVED_BYTES = 5
    USED_BYTES = 7


class JitOption:
    """Options of `cuModuleLoadDataEx`."""

    ERROR_LOG = 5
    ERROR_LOG_BYTES = 6


LEGACY_STREAM, PER_THREAD_STREAM = 1, 2
"""Handles of the two default streams."""
NON_BLOCKING = 1
"""The flag of streams that do not wait for the legacy default stream."""
