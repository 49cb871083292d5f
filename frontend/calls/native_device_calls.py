"""Calls without Python where arrays lie on a GPU: what of it native code can be told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...backend.cpu.dispatch.descriptors import Program
from ...backend.cpu.execution.executable import Executable, RuntimeFailure
from ...backend.gpu.devices.on_device import OnDevice
from ...dialect.errors import DeviceError, WeftError
from ..runtime_values.result_spec import ArgumentResult, ComputedResult
from ..settings import settings
from .concrete import ConcreteFunction

if TYPE_CHECKING:
    from ...backend.gpu.arrays.native_words import DeviceWords
    from ...backend.gpu.runtime.native_code import DeviceCode


def check_device(program: Program) -> None:
    """The setting must be what it was: it says where calls with arrays of the host run."""
    program.equal(program.attribute(program.constant(settings), "device"), settings.device)


def device_of(concrete: ConcreteFunction) -> DeviceWords | None:
    """What native code is told of the device that a compiled function runs on; None for the processor."""
    executable: Any = concrete._executable
    if isinstance(executable, Executable) or not hasattr(executable, "device"):
        return None
    from ...backend.gpu.arrays.native_words import device_words

    return device_words(executable.device)


def device_code(
    concrete: ConcreteFunction, exception_of: Callable[[RuntimeFailure], BaseException | None]
) -> DeviceCode:
    """What native code runs for a function on a device."""
    from ...backend.gpu.runtime.native_code import DeviceCode

    executable: Any = concrete._executable
    return DeviceCode(executable, exception_of)


def runs_on_device(concrete: ConcreteFunction, leaves: Sequence[Any]) -> bool:
    """Whether native code can run a function on a device: all arrays lie there, and all other data are numbers.

    Without any array there, results are copied to the host, as for arrays of the host.
    """
    executable: Any = concrete._executable
    if device_of(concrete) is None:
        return False
    from ...backend.gpu.runtime.native_code import DeviceCode

    if not DeviceCode.fits(executable):
        return False
    extras, own, has_array = concrete._extra, len(leaves), False
    for position, source in enumerate(concrete._sources):
        is_there = isinstance(leaves[source], OnDevice) if source < own else has_device(extras[source - own])
        is_number = source < own and (source in concrete.numbers or isinstance(leaves[source], np.generic))
        if not (is_number if position in executable.plan.on_host else is_there):
            return False
        has_array |= is_there
    return has_array


def has_device(extra: Any) -> bool:
    """Whether what a function reads besides its arguments lies on a device."""
    return getattr(extra, "device", None) is not None


def is_copied_by_machine(leaf: Any) -> bool:
    """Whether a call without Python's dispatch makes a contiguous copy of an array that is not."""
    return isinstance(leaf, OnDevice) or bool(leaf.dtype.isnative)


def contiguous(array: Any) -> OnDevice | None:
    """A contiguous copy of an array on a device; None where there is no room for it, which Python says then."""
    try:
        copy: OnDevice = array.contiguous()
    except DeviceError:
        return None
    return copy


def taken(program: Program, place: int, value: Any, leaf: OnDevice) -> int:
    """The place of the array on a device that an argument is, or whose memory one of another library has."""
    if value is leaf:
        return place
    from ...backend.gpu.arrays.foreign import foreign_array

    def memory_of(value: Any) -> OnDevice | None:
        try:
            return foreign_array(value)
        except WeftError:
            return None  # Python says why

    program.kind(place, type(value))
    return program.made(place, memory_of)


def gives_arrays(concrete: ConcreteFunction) -> bool:
    """Whether all results are arrays that are computed, or views of arguments: no number is waited for."""
    return all(
        isinstance(leaf, ArgumentResult) or (isinstance(leaf, ComputedResult) and not leaf.is_python)
        for leaf in concrete._result.leaves
    )
