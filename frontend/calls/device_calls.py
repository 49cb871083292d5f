"""Calls with arrays that lie on a GPU: where they run, and what they copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...backend.gpu.devices.names import CPU, device_number
from ...backend.gpu.devices.on_device import OnDevice
from ...dialect.errors import TransferWarning, WeftValueError

_WARNED_BYTES = 1 << 20
"""A copy of so many bytes at each call is worth a warning."""

_NOWHERE: frozenset[int] = frozenset()


def places_on_device(leaves: Sequence[Any]) -> frozenset[int]:
    """The positions of the arrays that lie on a GPU."""
    for leaf in leaves:
        if isinstance(leaf, OnDevice):
            return frozenset(i for i, leaf in enumerate(leaves) if isinstance(leaf, OnDevice))
    return _NOWHERE


def device_of_call(
    leaves: Sequence[Any], names: Sequence[str], places: frozenset[int], wanted: str | None
) -> str:
    """The one GPU on which the arrays of a call lie; `WeftValueError` if there are several, or another is wanted."""
    first, *others = sorted(places)
    device: str = leaves[first].device
    for other in others:
        if leaves[other].device != device:
            raise WeftValueError(
                f"argument '{names[first]}' lies on {device} and argument '{names[other]}' on {leaves[other].device}; "
                f'a call runs on one device: copy one with weft.device_put({names[other]}, "{device}")'
            )
    if wanted is not None and (wanted == CPU or device_number(wanted) != device_number(device)):
        raise WeftValueError(
            f"argument '{names[first]}' lies on {device}, and the function runs on {wanted}; copy it with "
            f'weft.device_put({names[first]}, "{wanted}"), or leave out device={wanted!r}: a call runs where its '
            "arrays are"
        )
    return device


def require_device(compiled: Any, device: str | None, leaves: Sequence[Any], names: Sequence[str]) -> None:
    """`WeftValueError` for an array on another GPU than the one that a function was compiled for, or on any."""
    for place in places_on_device(leaves):
        found = leaves[place].device
        if device is None or device_number(device) != device_number(found):
            raise WeftValueError(
                f"argument '{names[place]}' lies on {found}, and {compiled!r} was compiled for {device or CPU}; call "
                "the weft.function, which compiles again"
            )


def warn_of_transfers(
    function: str, device: str, names: Sequence[str], arrays: Sequence[Any], warned: set[str]
) -> None:
    """Say once for each argument that a large array of the host is copied to the device at each call."""
    for name, array in zip(names, arrays, strict=True):
        if isinstance(array, np.ndarray) and array.nbytes >= _WARNED_BYTES and name not in warned:
            warned.add(name)
            from ..source.locations import place_of_user, warn_at  # for warnings only

            message = (
                f"{function}: {name} ({array.nbytes / 1e6:.1f} MB) is copied to {device} at each call; keep it there "
                f"with {name} = weft.device_put({name}, '{device}')"
            )
            warn_at(place_of_user(), message, TransferWarning)


def warn_of_host_kernels(function: str, wanted: str | None, executable: Any, warned: set[str]) -> None:
    """Say once of each kernel that ran on the host, where a call took noticeably longer for it.

    Nothing is said of functions for which no device is wanted.
    """
    if wanted is None:
        return
    device = executable.device
    for kernel, count, moved in (trip for trip in executable.trips if trip.is_slow):
        if kernel.location in warned:
            continue
        warned.add(kernel.location)
        from ..source.locations import warn_at  # for warnings only
        from ..source.tracebacks import places_of

        places = places_of(kernel.location)
        waits = "once" if count == 1 else f"{count} times"
        cure = "" if count == 1 else "take it out of the loop, or "
        message = (
            f"{function}: the host does this, as {kernel.reason}; in a call it waits {waits} for {device}, and "
            f"{moved / 1e6:.1f} MB are copied between them; {cure}compute it before its arrays go to {device}"
        )
        warn_at(places[0] if places else None, message, TransferWarning)
