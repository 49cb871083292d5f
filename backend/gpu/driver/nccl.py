"""NCCL: libnccl of this machine, by which GPUs send arrays to each other, or what stands for it."""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....dialect.errors import CommunicationError, DeviceError

_INT, _SIZE, _POINTER = ctypes.c_int, ctypes.c_size_t, ctypes.c_void_p

ID_BYTES = 128


class UniqueId(ctypes.Structure):
    """ncclUniqueId: by which ranks find each other, made by one of them."""

    _fields_ = (("internal", ctypes.c_ubyte * ID_BYTES),)


SIGNATURES: dict[str, tuple[Any, ...]] = {
    "ncclGetVersion": (ctypes.POINTER(_INT),),
    "ncclGetUniqueId": (ctypes.POINTER(UniqueId),),
    "ncclCommInitRank": (ctypes.POINTER(_POINTER), _INT, UniqueId, _INT),
    "ncclCommDestroy": (_POINTER,),
    "ncclCommAbort": (_POINTER,),
    "ncclGroupStart": (),
    "ncclGroupEnd": (),
    # What is sent, what is received, how much, of which dtype, ..., the communicator, the stream
    "ncclAllReduce": (_POINTER, _POINTER, _SIZE, _INT, _INT, _POINTER, _POINTER),
    "ncclReduceScatter": (_POINTER, _POINTER, _SIZE, _INT, _INT, _POINTER, _POINTER),
    "ncclAllGather": (_POINTER, _POINTER, _SIZE, _INT, _POINTER, _POINTER),
    "ncclBroadcast": (_POINTER, _POINTER, _SIZE, _INT, _INT, _POINTER, _POINTER),
    "ncclSend": (_POINTER, _SIZE, _INT, _INT, _POINTER, _POINTER),
    "ncclRecv": (_POINTER, _SIZE, _INT, _INT, _POINTER, _POINTER),
}
"""The types of the parameters, as nccl.h declares them; every function returns a code, 0 for success."""

TEXTS: dict[str, tuple[Any, ...]] = {"ncclGetErrorString": (_INT,), "ncclGetLastError": (_POINTER,)}
"""The same of functions that return the address of a text."""

DTYPES = {
    "int8": 0,
    "uint8": 1,
    "int32": 2,
    "uint32": 3,
    "int64": 4,
    "uint64": 5,
    "float32": 7,
    "float64": 8,
}
"""ncclDataType_t, of what is combined as NumPy does; halves would be rounded at every step."""

REDUCTIONS = {"sum": 0, "prod": 1, "max": 2, "min": 3}
"""ncclRedOp_t."""


class Nccl:
    """libnccl: `functions` has a function of ctypes for each name of `SIGNATURES` and `TEXTS`."""

    def __init__(self, functions: Mapping[str, Any], name: str) -> None:
        self.name = name
        """What is called, for messages."""
        self._functions = functions

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function; CommunicationError for every code but 0."""
        code = self._functions[name](*arguments)
        if code:
            raise CommunicationError(f"{name} failed: {self._text(code)}")

    def _text(self, code: int) -> str:
        places = [self._functions["ncclGetErrorString"](code), self._functions["ncclGetLastError"](None)]
        shown = [ctypes.string_at(place).decode(errors="replace") for place in places if place]
        return ": ".join(shown) or f"the unknown code {code}"


def nccl_files() -> list[str]:
    """Where libnccl may be: where the system looks, and in the package of NVIDIA that brings it."""
    found = ["libnccl.so.2"]
    try:
        package = importlib.util.find_spec("nvidia.nccl")
    except ModuleNotFoundError:
        return found
    places = [] if package is None else list(package.submodule_search_locations or ())
    return [*found, *(str(Path(place) / "lib" / "libnccl.so.2") for place in places)]


def load_nccl(files: list[str] | None = None) -> Nccl:
    """libnccl of this machine; DeviceError where there is none."""
    for name in nccl_files() if files is None else files:
        try:
            loaded = ctypes.CDLL(name)
            functions = {}
            for function, types in {**SIGNATURES, **TEXTS}.items():
                found = functions[function] = getattr(loaded, function)
                found.argtypes, found.restype = types, _POINTER if function in TEXTS else _INT
        except (OSError, AttributeError):
            continue
        return Nccl(functions, name)
    raise DeviceError("NCCL is not there: pip install nvidia-nccl-cu12, or install libnccl2")
