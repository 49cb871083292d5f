"""What `describe.py` calls for what only libraries for GPUs tell; it cannot be called from Python."""

from __future__ import annotations

from ....dialect.errors import InternalError


def put_other(text: int, size: int, length: int, value: int, kind: int) -> int:
    """Write a text, or a code of CUDA's driver, behind others; how many characters there are."""
    raise InternalError("native code was called as Python")
