"""What `describe.py` and `float_text.py` call besides themselves; it cannot be called from Python."""

from __future__ import annotations

from ..native_python.intrinsics import only_native


def put_float(text: int, size: int, length: int, bits: int, kind: int) -> int:
    """Write the float of some bits behind others; how many characters there are."""


def shortest(bits: int, text: int) -> int:
    """Write the fewest digits that tell a positive double, as in 1.5e-07."""


def double_of_single(bits: int) -> int:
    """The bits of the double that a single float is."""


only_native(globals())
