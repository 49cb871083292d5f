"""What native code can do besides arithmetic: reach memory, and call what it has the address of.

`translator.py` knows these functions by name. They cannot be called from Python; they are here so that native code
is checked as Python.
"""

from __future__ import annotations

from ....dialect.errors import InternalError


def word(address: int) -> int:
    """The 64-bit integer at an address."""
    raise _only_native()


def half(address: int) -> int:
    """The signed 32-bit integer at an address."""
    raise _only_native()


def byte(address: int) -> int:
    """The unsigned 8-bit integer at an address."""
    raise _only_native()


def set_word(address: int, value: int) -> None:
    """Store a 64-bit integer."""
    raise _only_native()


def stack(words: int) -> int:
    """The address of memory that is there until the function returns, aligned to 16 bytes."""
    raise _only_native()


def api(index: int) -> int:
    """A word of the table that whoever linked the code filled."""
    raise _only_native()


def call(function: int, *arguments: int) -> int:
    """Call a C function that takes and returns 64-bit integers or addresses."""
    raise _only_native()


def call_int(function: int, *arguments: int) -> int:
    """Call a C function that returns an `int`."""
    raise _only_native()


def call_void(function: int, *arguments: int) -> None:
    """Call a C function that returns nothing."""
    raise _only_native()


def _only_native() -> InternalError:
    return InternalError("native code was called as Python")


__all__ = ["api", "byte", "call", "call_int", "call_void", "half", "set_word", "stack", "word"]
