"""What `describe.py` and `float_text.py` call besides themselves; it cannot be called from Python."""

from __future__ import annotations

from ....dialect.errors import InternalError


def put_float(text: int, size: int, length: int, bits: int, kind: int) -> int:
    """Write the float of some bits behind others; how many characters there are."""
    raise _only_native()


def shortest(bits: int, text: int) -> int:
    """Write the fewest digits that tell a positive double, as in 1.5e-07."""
    raise _only_native()


def double_of_single(bits: int) -> int:
    """The bits of the double that a single float is."""
    raise _only_native()


def _only_native() -> InternalError:
    return InternalError("native code was called as Python")
