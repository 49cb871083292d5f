"""Native code of tests, in the part of Python that the runtime is written in: real threads, without Python's lock."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from types import ModuleType

from weft.backend.cpu.machine.libraries import library_function
from weft.backend.cpu.machine.native_code import compile_assembly, link_forever
from weft.backend.cpu.native_python.intrinsics import CFunction
from weft.backend.cpu.native_python.translator import translate

STRESS = int(os.environ.get("WEFT_STRESS", "1"))
"""How many times as long as usual stress tests run; `test/soak.py` says more."""


def native_addresses(module: ModuleType) -> dict[str, int]:
    """The functions of a module as machine code: their addresses."""
    names = [
        name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__
    ]
    names = [name for name in names if not isinstance(getattr(module, name), type)]
    of_system = {
        name: library_function(name) for name, value in vars(module).items() if isinstance(value, CFunction)
    }
    known = {name: address for name, address in of_system.items() if address is not None}
    return link_forever(compile_assembly(translate([module], names, 0)), names, known, known)


def native_function(address: int) -> Callable[..., int]:
    """What calls native code that takes and returns words."""

    def call(*arguments: int) -> int:
        type = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * len(arguments))
        return int(type(address)(*arguments))

    return call


def run_together(calls: Sequence[Callable[[], int]], meanwhile: Callable[[], object]) -> list[int]:
    """What some calls return, each in a thread of its own; this thread does something until all are done."""
    results: list[int] = []
    threads = [threading.Thread(target=lambda call=call: results.append(call())) for call in calls]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        meanwhile()
    return results
