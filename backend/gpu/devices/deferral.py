"""Whether calls wait at their end for checks of the device: the setting `deferred_errors`."""

from __future__ import annotations

import ctypes

is_deferred = ctypes.c_int64(0)
"""1 where they do not, as native code asks without calling it."""


def defer_errors(wanted: bool) -> None:
    """Let calls whose results stay on the device return before it is known whether their checks have failed."""
    is_deferred.value = int(wanted)


def errors_are_deferred() -> bool:
    """Whether they do."""
    return bool(is_deferred.value)
