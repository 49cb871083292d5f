"""What `allocator.py` calls besides itself; it cannot be called from Python."""

from __future__ import annotations

from ....dialect.errors import InternalError


def memory_grow(pages: int) -> int:
    """Have so many more pages; the number of the first, or -1."""
    raise InternalError("native code was called as Python")
