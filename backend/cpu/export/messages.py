"""The texts of failures with marks in the places of their numbers: a byte, which number, what it is."""

from __future__ import annotations

from string import Formatter

MARK = 1
INTEGER, DOUBLE, SINGLE, HALF, TEXT, DRIVER = range(1, 7)
_FLOATS = {"float64": DOUBLE, "float32": SINGLE, "float16": HALF}
_KINDS = {"": INTEGER, **_FLOATS, "text": TEXT, "driver": DRIVER}
"""What numbers are shown as; "text" is the address of one, and "driver" a code of CUDA's driver."""


def with_marks(message: str) -> bytes:
    """A message as `describe` reads it.

    >>> with_marks("{0} is more than {1:float64}")
    b'\\x01\\x01\\x01 is more than \\x01\\x02\\x02'
    """
    parts: list[bytes] = []
    count = 0
    for text, field, kind, _ in Formatter().parse(message):
        parts.append(text.encode().replace(b"\0", b"?").replace(bytes([MARK]), b"?"))
        if field is not None:
            parts.append(bytes([MARK, int(field or count) + 1, _KINDS[kind or ""]]))
            count += 1
    return b"".join(parts)


def shows_floats(message: str) -> bool:
    """Whether a message shows floats."""
    return any(kind in _FLOATS for _, _, kind, _ in Formatter().parse(message))
